"""Many agents that share one world, avoid one another and hunt targets."""

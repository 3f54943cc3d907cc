"""What several commands share: their options, and what they print."""

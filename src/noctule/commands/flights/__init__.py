"""Parts of the commands about flights: fleets, and pages and clips of a flight."""

"""Pages of maps: their surface, clicks on cells, and searches step by step."""

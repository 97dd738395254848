"""What is in the database: its tables, and their upkeep."""

"""Plans of sequential decisions."""

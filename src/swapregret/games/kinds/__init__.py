"""Games to play: one file per kind, and readers of files."""

"""What may be played: one action set per file. No learning, no rewards."""

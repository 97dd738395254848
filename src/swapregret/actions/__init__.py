"""What may be played: one action set a file. No learning, no rewards."""

"""Several decisions at once: one action of every factor."""

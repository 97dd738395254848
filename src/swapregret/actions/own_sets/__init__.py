"""Sets of one's own: a list of actions, or only an oracle."""

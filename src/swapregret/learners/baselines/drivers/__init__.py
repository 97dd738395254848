"""What the competitors that list all actions share: a family of sets that is a list, and steps on weights."""

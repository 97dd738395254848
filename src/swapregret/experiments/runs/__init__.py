"""Runs of an experiment: which are to be made, by whom, and how far they are."""

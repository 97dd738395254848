"""Permutations and rankings: matchings of rows to columns."""

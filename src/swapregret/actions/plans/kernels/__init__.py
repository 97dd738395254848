"""Compiled inner loops of plans."""

"""Compiled inner loops of this folder."""

"""Engines: whole blocks of days in compiled code, one family of sets a file."""

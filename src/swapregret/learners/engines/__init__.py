"""Whole blocks of days in compiled code, bit for bit what stepping a ``Session`` gives; one family of sets or players a file.

Where there is no engine for a player its days are stepped: user-written sets and learners run at the speed of their
Python. ``docs/performance.md`` has the table.
"""

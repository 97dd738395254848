"""Whole experiments: from a question to rows, tables and figures.

May touch: everything but ``cli``. Nothing but ``cli`` imports it.
"""

"""Whole experiments: from a question to rows, tables and figures."""

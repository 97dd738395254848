"""The ground of compiled code: the decorator, functions chosen by family, and what compiled code shares with Python."""

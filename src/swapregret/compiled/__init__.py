"""The ground of compiled code: the decorator, functions chosen by class, and what compiled code shares with Python."""

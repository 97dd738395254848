"""The conformance kit: checks a user can run on a set, a policy or a player of their own.

May touch: everything but ``experiments`` and ``cli``.
"""

"""Paths through a directed acyclic graph, and what can be drawn as one."""

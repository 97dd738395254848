"""Compiled inner loops: arrays in, arrays out, no objects, no decisions of policy."""

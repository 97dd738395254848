"""Compiled inner loops: arrays in, arrays out, no objects, no decisions of policy.

May touch: ``errors``, ``arrays``; within the folder, one another.
"""

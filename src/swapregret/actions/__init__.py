"""What may be played: one action set a file. No learning, no rewards.

May touch: ``errors``, ``arrays``, ``policy``, ``kernels``, ``geometry``.
"""

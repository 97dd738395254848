"""How conv(A) is handled, given only a linear oracle: span, spanner, projection, decomposition, eigenvalues.

May touch: ``errors``, ``arrays``, ``policy``, ``kernels``. Never imports an action set.
"""

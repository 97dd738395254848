"""How conv(A) is handled, given only a linear oracle: span, spanner, projection, decomposition, eigenvalues."""

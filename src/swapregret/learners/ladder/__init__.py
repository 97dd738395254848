"""The ladder: a master with a theorem for learned shares, and without a horizon."""

"""One round, for every master: what is played, what is estimated from it, and the compiled functions Python calls."""

"""No-swap-regret learning in combinatorial bandits."""

"""The adaptive master: a pool of members, learned weights, a swap filter and a guard."""

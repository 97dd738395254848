"""How it went: the ledger of a run, and what each notion of regret makes of it."""

"""Who was played, how often, and what it would have earned: the sums behind every notion of regret."""

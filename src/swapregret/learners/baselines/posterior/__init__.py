"""What practitioners pick: a Gaussian posterior of the rewards, and one action that is best for a draw, a bound, or the mean."""

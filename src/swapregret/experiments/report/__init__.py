"""The report of an experiment: one HTML file with every figure, every number and how to make them again."""

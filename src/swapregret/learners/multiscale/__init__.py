"""The multi-scale master: Algorithm 1 with Algorithm 2 or 3 as its learners."""

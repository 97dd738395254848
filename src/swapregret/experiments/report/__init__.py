"""The report of an experiment: one HTML file with every figure, every number and how to make them again.

May touch: ``experiments``, ``regret.bounds``, ``actions``. Plotly is imported only where a page is made.
"""

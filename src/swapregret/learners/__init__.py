"""Who learns: schedule, calendar, estimator, the lazy learners, the master; published competitors in ``baselines``.

May touch: everything below (``errors`` to ``actions``). Never an environment, a game or a regret.
"""

"""Who learns: schedule, calendar, estimator, the lazy learners, the master; published competitors in ``baselines``."""

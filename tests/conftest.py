"""Settings all tests share: one BLAS thread, and Hypothesis profiles that repeat.

May touch: nothing of the package. ``HYPOTHESIS_PROFILE=explore`` draws new examples on every run.
"""

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

from hypothesis import HealthCheck, settings  # noqa: E402

_SLOW = [HealthCheck.too_slow]
settings.register_profile("repeat", deadline=None, derandomize=True, suppress_health_check=_SLOW)
settings.register_profile("explore", deadline=None, print_blob=True, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeat"))

"""Settings all tests share: one BLAS thread, Hypothesis profiles that repeat, nothing compiled too early, which files come first.

``HYPOTHESIS_PROFILE=explore`` draws new examples on every run.
"""

import os
from collections import Counter
from collections.abc import Generator
from typing import Any, NoReturn

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

from swapregret.compiled import kernel  # noqa: E402

_SLOW = [HealthCheck.too_slow]
settings.register_profile("repeat", deadline=None, derandomize=True, suppress_health_check=_SLOW)
settings.register_profile("explore", deadline=None, print_blob=True, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeat"))

_STARTING = {
    "test_answers.py",
    "test_cluster.py",
    "test_compile.py",
    "test_durability.py",
    "test_damage.py",
    "test_fuzz.py",
    "test_isolation.py",
    "test_live.py",
    "test_meanwhile.py",
    "test_report_in_browser.py",
    "test_runner.py",
    "test_session_warm.py",
    "test_site.py",
    "test_strategies.py",
    "test_tutorial.py",
    "test_warm.py",
}
"""Files with few tests that take long, most of them because they start processes: these find code that others have compiled."""
_MIDDLE = 15


def _refuse(function: Any, *_: Any) -> NoReturn:
    raise RuntimeError(
        f"tests must be collected without compiling, which every worker would do: {function.__name__} was called. "
        "Make what a test file needs within a test, or late (tests/late.py)."
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Have no kernel compiled while test files are imported."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "_dispatchers", _refuse)
        return (yield)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Have workers begin with files of many tests, and end with small ones, so that both end at the same time."""
    if not hasattr(config, "workerinput"):
        return
    sizes = Counter(each.path for each in items)
    items.sort(key=lambda each: (-_MIDDLE if each.path.name in _STARTING else -sizes[each.path], str(each.path)))

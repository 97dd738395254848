"""One helper for tests that plant a fault: which check caught it, and in what words."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from swapregret.errors import ConformanceError

Caught = Callable[..., tuple[str, str]]


@pytest.fixture
def caught() -> Caught:
    """Return a function that runs a check which must fail, and gives the name of the outermost check and the sentence."""

    def run(check: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[str, str]:
        with pytest.raises(ConformanceError) as info:
            check(*arguments, **options)
        fault = info.value
        assert fault.must
        assert fault.came
        assert fault.do.endswith(".")
        found = re.fullmatch(r"found by the check '(.*?)' of .*", fault.__notes__[-1], flags=re.DOTALL)
        assert found is not None
        return found.group(1), str(fault)

    return run

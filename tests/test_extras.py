"""Packages that not every installation has: the sentence names the extra, and the extra brings them."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from swapregret.errors import Unsupported
from swapregret.extras import EXTRAS, require_extra

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_brings_what_is_asked_for(extra: str) -> None:
    """Every module of an extra comes with it, or with every installation."""
    brought = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"].get(extra, [])]
    names = {re.split(r"[^\w-]", line)[0].lower() for line in brought}
    assert set(EXTRAS[extra]) <= names


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_missing_extra_is_named_with_its_bracket(extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence: what needs it, what is missing, the command."""
    require_extra(extra, "reading stars")
    for name in EXTRAS[extra]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(Unsupported) as caught:
        require_extra(extra, "reading stars", otherwise="Or look up.")
    missing = ", ".join(EXTRAS[extra])
    assert str(caught.value) == (
        f"reading stars must have the extra `{extra}`: got an environment without {missing}. "
        f'Install it: pip install "swapregret[{extra}]". Or look up.'
    )

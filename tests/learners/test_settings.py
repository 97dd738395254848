"""Settings of players: one range per name, wherever a player is made."""

from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

import pytest

import swapregret as sr
from swapregret import registry
from swapregret.errors import SwapRegretError
from swapregret.learners.lazy import AdaptiveRate, FixedRate
from swapregret.learners.settings import MOST_VARIANTS, NUMBERS, ONLY, WORDS, check_number


def test_every_setting_has_a_range() -> None:
    """A number or a word that configures a registered player, or a part of one, is in the tables."""
    checked_elsewhere = {"windows"}
    for name in registry.PLAYERS:
        kind = registry.find(name, "it", registry.PLAYERS)
        assert is_dataclass(kind)
        hints = get_type_hints(kind)
        for field in fields(kind):
            words = str(hints[field.name]).replace("<class '", "").replace("'>", "")
            is_simple = any(
                word in ("int", "float", "str") for word in words.replace("tuple[", "").split(" | ")[0].split(", ")
            )
            if field.init and (is_simple or "Literal" in words):
                known = field.name in NUMBERS or field.name in WORDS or field.name in ONLY | checked_elsewhere
                assert known, f"{name}.{field.name} needs a line in learners.settings"


SET = sr.MSets(4, 2)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: sr.baselines.exp3(SET, 100, learning_rate=1e300), "learning_rate"),
        (lambda: sr.baselines.exp3(SET, 100, feedback="semi-bandit"), "feedback"),  # type: ignore[arg-type]
        (lambda: sr.baselines.exp3(SET, 100, feedback=3), "feedback"),  # type: ignore[arg-type]
        (lambda: sr.baselines.stoltz(SET, 100, baseline=float("nan")), "baseline"),
        (lambda: sr.baselines.blum_mansour(SET, 100, limit=-1), "limit"),
        (lambda: sr.baselines.combexp(SET, 100, variants=MOST_VARIANTS + 1), "variants"),
        (lambda: sr.swap_combcp(SET, 100, variants=10**7), "variants"),
        (lambda: sr.swap_combcp(SET, 100, boldness=float("inf")), "boldness"),
        (lambda: sr.swap_combcp(SET, 100, schedule=sr.Schedule([1, 10**30])), "windows"),
        (lambda: sr.swap_combcp(SET, 100, exploration_policy="x"), "exploration_policy"),
        (lambda: AdaptiveRate(float("inf")), "scale"),
        (lambda: FixedRate(0.0), "learning_rate"),
    ],
)
def test_a_setting_out_of_its_range_is_refused(make: Any, name: str) -> None:
    """What no player can play with is refused when the player is made, by name."""
    with pytest.raises(SwapRegretError, match=name):
        make()


@pytest.mark.parametrize(("capacity", "most"), [(10**9, "16,777,216"), (-1, "16,777,216")])
def test_a_refusal_writes_whole_numbers_with_all_digits(capacity: int, most: str) -> None:
    """The ends of a range of whole numbers can be typed as they are shown."""
    with pytest.raises(SwapRegretError, match=f"from 256 to {most}:"):
        check_number("capacity", capacity)

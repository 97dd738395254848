"""Settings of players: one range per name, wherever a player is made."""

from dataclasses import fields, is_dataclass, replace
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest

import swapregret as sr
from swapregret import registry
from swapregret.errors import SwapRegretError
from swapregret.learners.lazy import AdaptiveRate, FixedRate
from swapregret.learners.settings import MOST_VARIANTS


def test_every_setting_names_its_range() -> None:
    """A number or a word that configures a registered player, or a part of one, has a type of ``learners.settings``."""
    free = {"windows", "reason", "options"}  # read by the schedule; text for people; read by another player
    for name in registry.PLAYERS:
        kind = registry.find(name, "it", registry.PLAYERS)
        assert is_dataclass(kind)
        hints = get_type_hints(kind, include_extras=True)
        for each in fields(kind):
            inner = [hints[each.name], *get_args(hints[each.name])]
            bare = {int, float, str} & {hint for hint in inner if isinstance(hint, type)}
            is_annotated = get_origin(hints[each.name]) is Annotated
            assert not bare or is_annotated or each.name in free or not each.init, f"{name}.{each.name} needs a range"


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


@pytest.mark.parametrize("capacity", [10**9, -1])
def test_a_refusal_writes_whole_numbers_with_all_digits(capacity: int) -> None:
    """The ends of a range of whole numbers can be typed as they are shown."""
    with pytest.raises(SwapRegretError, match=r"`capacity` must be a whole number, 256\.\.16777216: got"):
        replace(sr.swap_combcp(SET, 100), capacity=capacity)  # type: ignore[call-arg]

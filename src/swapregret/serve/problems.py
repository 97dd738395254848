"""What a problem is: its description as clients send it, and the player, session and numbers it stands for."""

import contextlib
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

import swapregret as sr
from swapregret.actions.base import ActionSet
from swapregret.actions.spec import parse_set
from swapregret.errors import InvalidInput, SwapRegretError, TooLarge
from swapregret.experiments.names import check_name
from swapregret.experiments.set_entries import SET_PARAMETERS, make_set
from swapregret.feedback import RewardReader

__all__ = ["Problem", "ProblemSpec", "Reported", "choice_of", "plain_label", "text_of"]

Reported = float | list[float]
"""A reward or cost as it is reported: a total, or a number for each element."""
Range = tuple[float, float]
_REHEARSAL = 64


class ProblemSpec(BaseModel):
    """A repeated decision: what can be chosen, what is seen of it, and what happens to rewards that never come."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    set: str | dict[str, Any] = Field(
        description="A line such as `msets 10 3`, or a table: kind and parameters, edges or actions inline."
    )
    name: Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""
    horizon: Annotated[int, Field(ge=1, le=10**12)] | None = Field(None, description="Days to plan for; null: anytime.")
    reward_range: Range | None = Field(None, description="Least and largest total reward; [0, 1] if nothing is given.")
    cost_range: Range | None = Field(None, description="Least and largest total cost, instead of rewards.")
    feedback: Literal["bandit", "semi-bandit", "full"] = "bandit"
    learner: Literal["swap_combcp", "swap_comband"] = "swap_combcp"
    preset: Literal["adaptive", "multiscale", "paper"] = "adaptive"
    deadline: Annotated[float, Field(gt=0)] | None = Field(
        None, description="Seconds after which an open decision is closed."
    )
    default_reward: Reported | None = Field(
        None, description="Reward (or cost) of a decision closed by the deadline; null: it is skipped."
    )
    seed: Annotated[int, Field(ge=0, lt=2**53)] | None = Field(None, description="Drawn, and shown, if not given.")
    max_open: Annotated[int, Field(ge=1, le=10_000)] = 1_000


class Problem:
    """A description that can be played.

    Parameters
    ----------
    spec : ProblemSpec
    max_dimension : int
        Larger sets are refused.
    """

    def __init__(self, spec: ProblemSpec, max_dimension: int) -> None:
        if spec.reward_range is not None and spec.cost_range is not None:
            raise InvalidInput("a problem must have rewards or costs", "`reward_range` and `cost_range`", "Give one.")
        if spec.default_reward is not None and spec.deadline is None:
            raise InvalidInput("`default_reward` must come with a `deadline`", "no deadline", "Give both, or neither.")
        seed = secrets.randbits(53) if spec.seed is None else spec.seed  # 53 bits: exact in every JSON reader
        self.spec = spec.model_copy(update={"seed": seed})
        self.actions = _safe_set(spec.set, max_dimension)
        options: dict[str, Any] = {"feedback": spec.feedback, "preset": spec.preset}
        make = sr.swap_combcp if spec.learner == "swap_combcp" else sr.swap_comband
        self.player: Any = (
            sr.anytime(make, self.actions, **options)
            if spec.horizon is None
            else make(self.actions, spec.horizon, **options)
        )
        self.reader = RewardReader(self.actions, spec.feedback, *self.reward_range)
        if spec.default_reward is not None:
            self.reader.read(self.as_reward(spec.default_reward), self.actions.argmax(np.zeros(self.actions.dimension)))

    @property
    def has_costs(self) -> bool:
        """Tell whether costs are reported."""
        return self.spec.cost_range is not None

    @property
    def reward_range(self) -> Range:
        """The range of totals as the session sees them."""
        if self.spec.cost_range is not None:
            return -self.spec.cost_range[1], -self.spec.cost_range[0]
        return self.spec.reward_range or (0.0, 1.0)

    def as_reward(self, reported: Reported) -> Reported:
        """Turn what was reported into a reward: a cost is a negative reward."""
        if not self.has_costs:
            return reported
        return [-value for value in reported] if isinstance(reported, list) else -reported

    def new_session(self) -> "sr.Session[Any]":
        """Return a session before day 0; the same one every time."""
        return sr.Session(self.player, rng=self.spec.seed, reward_range=self.reward_range, max_open=self.spec.max_open)

    def rehearse(self) -> None:
        """Play some days that nobody sees, so that compiled code is there before the first request waits for it."""
        session = self.new_session()
        low, size = self.reward_range[0], self.actions.size
        with contextlib.suppress(SwapRegretError):
            for _ in range(_REHEARSAL):
                decision = session.act()
                length = self.actions.dimension if self.spec.feedback == "full" else len(decision.elements)
                session.observe(low if self.spec.feedback == "bandit" else np.full(length, low / size), decision)

    def total_of(self, reported: Reported, action: Any) -> float:
        """Return the total of what was reported, for totals and figures."""
        if not isinstance(reported, list):
            return float(reported)
        values = np.asarray(reported)
        return float(values.sum() if len(values) != self.actions.dimension else values @ action)


def _safe_set(entry: str | Mapping[str, Any], limit: int) -> ActionSet:
    """Make a set that was sent over the network: no files of the server, nothing larger than the limit."""
    words = entry.split() if isinstance(entry, str) else [str(entry.get("kind", ""))]
    kind = check_name(
        words[0] if words else "", SET_PARAMETERS, "set", "begin with" if isinstance(entry, str) else "be"
    )
    takes_files = "file" in SET_PARAMETERS[kind]
    if takes_files and (isinstance(entry, str) or "file" in entry):
        raise InvalidInput(
            f"a set of {kind} must come with its {'actions' if kind == 'explicit' else 'edges'} in the request",
            "a file of the server",
            f'Send a table, e.g. {{"kind": "{kind}", ...}}.',
        )
    try:
        json.dumps(entry, ensure_ascii=False).encode()  # half of a surrogate pair cannot be shown to anybody
        if isinstance(entry, str):
            numbers = [int(word) for word in words[1:] if word.isdecimal()]
            _check_size(kind, dict(zip(SET_PARAMETERS[kind], numbers, strict=False)), limit)
            made = parse_set(entry)
        else:
            for name in entry:
                if name != "kind":
                    check_name(name, SET_PARAMETERS[kind], "set", "have no parameters but")
            _check_size(kind, entry, limit)
            made = make_set(dict(entry), Path("/nowhere"))
    except SwapRegretError:
        raise
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        raise InvalidInput("`set` must have usable parameters", str(error)[:200], "Correct them.") from None
    if made.dimension > limit:
        raise _too_large(made.dimension, limit)
    return made


def _check_size(kind: str, given: Mapping[str, Any], limit: int) -> None:
    """Refuse numbers that make a set too large before it is made."""
    n = {name: abs(value) if type(value) is int else 1 for name, value in given.items()}
    edges = given.get("edges")
    least = {
        "msets": n.get("dimension", 1),
        "permutations": n.get("n", 1) ** 2,
        "truncated": n.get("rows", 1) * n.get("columns", 1),
        "partitions": n.get("parts", 1) * n.get("total", 1) ** 2 // 4,
        "paths": n.get("length", 1) * (len(edges) if isinstance(edges, list) else 1),
    }.get(kind, 1)
    if least > limit:
        raise _too_large(least, limit)


def _too_large(came: int, limit: int) -> TooLarge:
    return TooLarge(f"a set must have at most {limit} elements", f"{came} or more", "Use a smaller set.")


def plain_label(label: Any) -> Any:
    """Return a label as JSON holds it."""
    if isinstance(label, tuple):
        return [plain_label(part) for part in label]
    return (
        label.item() if isinstance(label, np.generic) else label if isinstance(label, int | float | str) else str(label)
    )


def text_of(label: Any) -> str:
    """Return a label as people read it.

    Examples
    --------
    >>> text_of(("s", "a")), text_of(3)
    ('s-a', '3')
    """
    return "-".join(map(text_of, label)) if isinstance(label, tuple) else str(label)


def choice_of(decision: "sr.Decision") -> str:
    """Return the action as people read it: the ranking, the route, the tree, the allocation, or the elements."""
    chosen = decision.choice
    if isinstance(chosen, dict):
        return ", ".join(f"{text_of(key)}: {text_of(value)}" for key, value in chosen.items())
    return ", ".join(map(text_of, chosen))

"""What a problem is: its description as clients send it, and the player, session and numbers it stands for."""

import json
import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    ValidationInfo,
    field_validator,
    model_validator,
)

import swapregret as sr
from swapregret.actions.action_set import ActionSet
from swapregret.actions.set_specs import make_set, read_spec, set_class, set_parameters
from swapregret.arrays import Action, Label
from swapregret.counts import check_name, shown
from swapregret.errors import InvalidInput, SwapRegretError, TooLarge
from swapregret.files.storage import Json
from swapregret.files.values import Plain
from swapregret.serve.refusals import TooBig
from swapregret.sessions.events import unpacked
from swapregret.sessions.feedback import RewardReader
from swapregret.units import Range, read_units

Reported = FiniteFloat | Annotated[list[FiniteFloat], Field(max_length=100_000, fail_fast=True)]
"""A reward or cost as it is reported: a total, or a number for each element. Every list ends at its first fault."""
Labels = list[Any]
"""Labels of elements as JSON has them."""
_SHOWN = 1024
_LONGEST_NAME = 200
_LARGEST_REWARD = 1e100
_UNREADABLE, _JOINERS = ("Cc", "Cf", "Cs", "Zl", "Zp"), "\u200c\u200d"
"""Categories of characters that do not show or turn the direction of others; the joiners are needed in some scripts."""
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters and signs that do not show."""
_NUMBERS = dict.fromkeys(("horizon", "seed", "max_open"), "a whole number") | dict.fromkeys(
    ("deadline", "holdout"), "a number"
)
_NUMBERS |= {"default_reward": "a number, or a list of numbers"}
_NUMBERS |= dict.fromkeys(("reward_range", "cost_range"), "a list of two numbers, the lower one first")


def readable(text: str) -> str:
    """Return a name or label as it came, unless it is too long, or shows on a page as something else than it is."""
    if len(text) > _LONGEST_NAME:
        raise ValueError(f"a name or label must have at most {_LONGEST_NAME} characters")
    if any(each in _BLANK or (unicodedata.category(each) in _UNREADABLE and each not in _JOINERS) for each in text):
        raise ValueError(
            "a name or label must have no control characters, nor any that are invisible or turn the direction of text"
        )
    return text


class Checked(BaseModel):
    """A request whose unknown fields are refused with a suggestion."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _fields(cls, given: object) -> object:
        for name in given if isinstance(given, Mapping) else ():
            check_name(str(name)[:_LONGEST_NAME], cls.model_fields, "the body", "have no fields but")
        return given


class ProblemSpec(Checked):
    """A repeated decision: what can be chosen, what is seen of it, and what happens to rewards that never come."""

    set: str | Json = Field(
        description="A line such as `msets 10 3`, or a table: kind and parameters, edges or actions inline."
    )
    name: Annotated[str, AfterValidator(readable)] = Field("", description="For people; need not be unique.")
    horizon: Annotated[int, Field(ge=1, le=10**12)] | None = Field(
        None, description="Days to plan for; null: it never ends."
    )
    reward_range: Range | None = Field(None, description="Least and largest total reward; [0, 1] if nothing is given.")
    cost_range: Range | None = Field(None, description="Least and largest total cost, instead of rewards.")
    feedback: Literal["bandit", "semi-bandit", "full"] = Field(
        "bandit", description="What is seen: the total, the reward of each chosen element, or that of every element."
    )
    learner: Literal["swap_combcp", "swap_comband"] = Field(
        "swap_combcp", description="On the probabilities of elements, or on those of actions."
    )
    preset: Literal["adaptive", "ladder", "multiscale", "paper"] | None = Field(
        None, description="null: adaptive with a horizon, ladder without."
    )
    deadline: Annotated[float, Field(gt=0)] | None = Field(
        None, description="Seconds after which an open decision is closed."
    )
    default_reward: Reported | None = Field(
        None, description="Reward (or cost) of a decision closed by the deadline; null: it is skipped."
    )
    seed: Annotated[int, Field(ge=0, lt=2**53)] | None = Field(None, description="Drawn, and shown, if not given.")
    max_open: Annotated[int, Field(ge=1, le=10_000)] = Field(1_000, description="Decisions that may be open at once.")
    baseline: Annotated[Labels, Field(max_length=10_000)] | None = Field(
        None, description="The elements of the choice that a share of days is kept for."
    )
    holdout: Annotated[float, Field(gt=0, lt=1)] | None = Field(None, description="That share of days.")
    history: Annotated[list[tuple[Labels, float]], Field(max_length=100_000, fail_fast=True)] | None = Field(
        None, description="Days before the first: what was chosen and what it earned (or cost). Not shown again."
    )
    history_policies: Literal["uniform", "constant"] | None = Field(
        None,
        description="How those days were chosen: at random, or always so. null: nobody knows; least squares learn.",
    )

    @field_validator(*_NUMBERS, mode="before")
    @classmethod
    def _number(cls, given: object, told: ValidationInfo) -> object:
        """Refuse truth values and texts where numbers belong: pydantic would read them as numbers."""
        words, parts = _NUMBERS[str(told.field_name)], given if isinstance(given, list | tuple) else [given]
        is_pair = given is None or "two" not in words or len(parts) == 2
        if any(isinstance(each, bool | str | dict) for each in parts) or not is_pair:
            raise ValueError(f"must be {words}")
        return given

    @model_validator(mode="after")
    def _ranges(self) -> "ProblemSpec":
        """Refuse ranges whose sums and squares no number can hold."""
        ends = [abs(each) for range in (self.reward_range, self.cost_range) for each in range or ()]
        if max(ends, default=0.0) > _LARGEST_REWARD:
            raise ValueError(f"rewards and costs must be within ±{_LARGEST_REWARD:g}")
        return self


def as_text(spec: ProblemSpec) -> str:
    """Return a description as JSON, or refuse what JSON cannot hold or no reader would follow."""
    try:
        text = json.dumps(spec.model_dump(), ensure_ascii=False, allow_nan=False)
        text.encode()
        ProblemSpec.model_validate_json(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("`set` must be plain JSON", str(error)[:200], "Correct it.") from None
    return text


def as_shown(spec: Json) -> Json:
    """Return a description as clients see it: without the days of its history."""
    return spec | {"history": None}


class Problem:
    """A description that can be played; sets of more than ``max_dimension`` elements are refused."""

    def __init__(self, spec: ProblemSpec, max_dimension: int) -> None:
        if spec.default_reward is not None and spec.deadline is None:
            raise InvalidInput("`default_reward` must come with a `deadline`", "no deadline", "Give both, or neither.")
        seed = secrets.randbits(53) if spec.seed is None else spec.seed  # 53 bits: exact in every JSON reader
        preset = spec.preset or ("ladder" if spec.horizon is None else "adaptive")
        self.spec = spec = spec.model_copy(update={"seed": seed, "preset": preset})
        self.actions = _safe_set(spec.set, max_dimension)
        self.labels = _label_texts(self.actions)
        self._by_name: dict[Label, Label] = dict(zip(self.labels, self.actions.labels, strict=True))
        sizes = sorted((len(json.dumps(text)) + 4 for text in self.labels), reverse=True)
        self._bytes_of_all, self._bytes_of_one = 24 * len(sizes) + sum(sizes), 4 * sum(sizes[: self.actions.size]) + 150
        options: Json = {"feedback": spec.feedback, "preset": preset}
        make = sr.swap_combcp if spec.learner == "swap_combcp" else sr.swap_comband
        self.player: Any = (
            sr.anytime(make, self.actions, **options)
            if spec.horizon is None and preset != "ladder"
            else make(self.actions, spec.horizon, **options)
        )
        self.has_guard = preset == "adaptive" and spec.horizon is not None  # which estimates swap regret
        self.units = read_units(spec.reward_range, spec.cost_range)
        self.reader = RewardReader(self.actions, spec.feedback, self.units)
        if spec.default_reward is not None:
            self._check_default(spec.default_reward)
        self.shown = lru_cache(_SHOWN)(self._shown)
        self._history = None if spec.history is None else self._read_history(spec.history)

    def _read_history(self, days: list[tuple[Labels, float]]) -> "sr.Log":
        """Read the days before the first."""
        told = [(self.read_labels(chosen), total) for chosen, total in days]
        units: Json = {f"{self.units.word}_range": self.units.declared}
        try:
            return sr.Log.read(told, self.actions, policies=self.spec.history_policies, **units)
        except InvalidInput as error:  # a wrong total too: it is the history that is wrong, no reward that was reported
            raise InvalidInput(f"`history` must be days of the set: {error.must}", error.came, error.do) from None

    def _check_default(self, default: Reported) -> None:
        """Refuse a default reward that fits no action; one that does not fit some leaves those without a reward."""
        extremes = [self.actions.argmax(np.full(self.actions.dimension, weight)) for weight in (0.0, 1.0, -1.0)]
        sizes = [int(each.sum()) for each in extremes]
        if isinstance(default, list) and min(sizes) < len(default) < max(sizes):
            return  # perhaps the length of another action
        faults: list[SwapRegretError] = []
        for action in extremes:
            try:
                self.reader.read(default, action)
            except SwapRegretError as error:
                faults.append(error)
        if len(faults) == len(extremes):
            must = f"`default_reward` must be what some action can earn ({faults[0].must})"
            raise InvalidInput(must, faults[0].came, "Correct it, or the range.")

    def read_labels(self, given: Labels | None) -> list[Label] | None:
        """Return the labels that JSON names: as they stand in ``elements`` of a decision, or in its ``marginals``."""
        return None if given is None else [self._by_name.get(_hashed(each), _hashed(each)) for each in given]

    def middle(self, action: Action) -> Reported:
        """Return a reward of the middle of the range for an action, as it would be reported."""
        total = self.units.amount(0.5)
        if self.spec.feedback == "bandit":
            return total
        if self.spec.feedback == "full":
            return [total / self.actions.size] * self.actions.dimension
        return [total / int(action.sum())] * int(action.sum())

    def new_session(self) -> "sr.Session[Any]":
        """Return a session before day 0, the same one every time; what its days need is then compiled."""
        spec = self.spec
        return sr.Session(
            self.player,
            rng=spec.seed,
            reward_range=spec.reward_range,
            cost_range=spec.cost_range,
            max_open=spec.max_open,
            history=self._history,
            baseline=self.read_labels(spec.baseline),
            holdout=spec.holdout,
        )

    def _shown(self, packed: str) -> Json:
        """Return an action as clients get it: its elements; a ranking, a route, a tree as JSON; and that as people read it.

        ``packed`` is what ``sessions.events.packed`` returned; the latest answers are kept in ``shown``.
        """
        action = unpacked(packed, self.actions.dimension)
        chosen = self.actions.choice(action)
        elements = [_plain(label) for label in self.actions.elements(action)]
        return {"elements": elements, "choice": _plain(chosen), "text": text_of_choice(chosen)}

    def refuse_if_large(self, count: int, limit: int) -> None:
        """Refuse decisions whose answer might be larger than so many bytes."""
        most = self._bytes_of_all + count * self._bytes_of_one
        if most > limit:
            raise TooBig(f"an answer must have at most {limit} bytes", f"{most} or fewer", "Ask for fewer decisions.")

    def total_of(self, reported: Reported, action: Action) -> float:
        """Return the total of what was reported, for totals and figures."""
        if not isinstance(reported, list):
            return float(reported)
        values = np.asarray(reported)
        return float(values.sum() if len(values) != self.actions.dimension else values @ action)


def _safe_set(entry: str | Json, limit: int) -> ActionSet:
    """Make a set that was sent over the network: no files of the server, nothing larger than the limit."""
    least = _least_dimension(entry)
    if least > limit:
        raise _too_large(least, limit)
    made = make_set(entry)
    if made.dimension > limit:
        raise _too_large(made.dimension, limit)
    return made


def _label_texts(actions: ActionSet) -> list[str]:
    """Return the labels as people read them, all different, or refuse what could not be read or sent."""
    try:
        return [readable(text) for text in names_of(actions.labels)]
    except ValueError as error:
        raise InvalidInput(str(error), "another label", "Use short names.") from None


def _least_dimension(entry: str | Json) -> int:
    """Return how many elements a set has at least, before it is made; one that names a file of the server is refused."""
    kind, given = read_spec(entry)
    for name in given:
        known = [each for each in set_parameters(kind) if each != "file" or name == "file"]  # which is refused below
        check_name(name, known, "set", "have no parameters but")
    if "file" in given:
        must = f"a set of {kind} must come with its {'actions' if kind == 'explicit' else 'edges'} in the request"
        raise InvalidInput(must, "a file of the server", f'Send a table, e.g. {{"kind": "{kind}", ...}}.')
    if kind == "product" and isinstance(given.get("sets"), list):
        return sum(_least_dimension(part) for part in given["sets"] if isinstance(part, str | dict))
    return set_class(kind).least_dimension(
        {name: abs(value) if type(value) is int else 1 for name, value in given.items()}
    )


def _too_large(came: int, limit: int) -> TooLarge:
    return TooLarge(f"a set must have at most {limit} elements", f"{shown(came)} or more", "Use a smaller set.")


def _plain(value: object) -> Plain:
    """Return a label or a choice as JSON holds it."""
    if isinstance(value, dict):
        return dict(zip(names_of(value), map(_plain, value.values()), strict=True))
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if isinstance(plain, int | float | str | None) else str(plain)


def _hashed(value: object) -> Label:
    """Return what JSON says as a label may be: lists are tuples."""
    return tuple(map(_hashed, value)) if isinstance(value, list) else str(value) if isinstance(value, dict) else value


def names_of(labels: Iterable[Label]) -> list[str]:
    """Return labels as people read them; as JSON, where two of them would read alike.

    Examples
    --------
    >>> names_of([("s", "a"), 3]), names_of([1, "1"]), names_of([("a-b", "c"), ("a", "b-c")])
    (['s-a', '3'], ['1', '"1"'], ['["a-b", "c"]', '["a", "b-c"]'])
    """
    held = list(labels)
    texts = [text_of(label) for label in held]
    return texts if len(set(texts)) == len(texts) else [json.dumps(_plain(label), ensure_ascii=False) for label in held]


def text_of(label: object) -> str:
    """Return a label as people read it."""
    return "-".join(map(text_of, label)) if isinstance(label, tuple) else str(label)


def text_of_choice(chosen: Mapping[Label, object] | Iterable[object]) -> str:
    """Return a choice as people read it.

    Examples
    --------
    >>> text_of_choice(("s", "a", "t")), text_of_choice({"day": 1, "night": ("b", "c")})
    ('s, a, t', 'day: 1, night: b-c')
    """
    if isinstance(chosen, Mapping):
        return ", ".join(
            f"{name}: {text_of(value)}" for name, value in zip(names_of(chosen), chosen.values(), strict=True)
        )
    return ", ".join(map(text_of, chosen))

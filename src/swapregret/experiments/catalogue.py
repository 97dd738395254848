"""What a spec may name: players and environments by kind, with the parameters each takes.

Parameters are read off the signatures of the functions people call in Python, so a spec can say what a script can.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path

import swapregret as sr
from swapregret.arguments import call_by_name
from swapregret.arrays import as_labels, as_number
from swapregret.counts import check_name
from swapregret.environments.environment import Environment
from swapregret.errors import InvalidInput
from swapregret.files.storage import Json
from swapregret.learners.ingredients import Ingredients
from swapregret.learners.lazy import AdaptiveRate, FixedRate
from swapregret.learners.player import AnyPlayer

_FACTORIES: dict[str, Callable[..., AnyPlayer]] = {
    "swap_combcp": sr.swap_combcp,
    "swap_comband": sr.swap_comband,
    **{name: getattr(sr.baselines, name) for name in sr.baselines.__all__},
}
PLAYER_KINDS = (*_FACTORIES, "anytime")
"""The kinds of players."""

_SIMPLE = ("cyclic", "iid", "interruptions", "piecewise", "random_walk", "replay", "slots", "spiral", "tree")
_COMBINED = ("by_context", "concatenation", "mixture")
_TOLD = ("on_days", "shortages")
OWN_SET = ("extensive_form", "shortcut_dag", "shortcut_partitions")
"""Environments that come with an action set of their own; ``sets`` does not apply to them."""
ENVIRONMENT_KINDS = (*_SIMPLE, *_COMBINED, *_TOLD, *OWN_SET)
"""The kinds of environments. Only ``from_function`` is missing: a file cannot hold a function."""
_WORLDS: dict[str, Callable[..., Environment]] = {name: getattr(sr.environments, name) for name in ENVIRONMENT_KINDS}

_MUST = "an entry must have the parameters its kind needs"
_GIVEN = {"actions", "horizon", "rng", "environment", "environments", "data", "name", "ingredients"}


def parameters_of(kind: str) -> tuple[str, ...]:
    """Return the parameters of a kind of player or environment.

    Examples
    --------
    >>> parameters_of("cyclic"), parameters_of("exp3")[:2]
    (('phases',), ('learning_rate', 'exploration'))
    """
    if kind == "anytime":
        return tuple(dict.fromkeys((*parameters_of("swap_combcp"), "of", "first_epoch")))
    signature = inspect.signature((_FACTORIES | _WORLDS)[kind]).parameters
    names = [name for name in signature if name not in _GIVEN]
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature.values()):
        names += [field.name for field in fields(Ingredients)]
    extra = {"replay": "file"} | dict.fromkeys(_COMBINED, "parts") | dict.fromkeys(_TOLD, "of")
    return (*names, extra[kind]) if kind in extra else tuple(names)


def make_player(kind: str, values: Json, actions: sr.ActionSet, horizon: int) -> AnyPlayer:
    """Make a player for a set and a horizon.

    Examples
    --------
    >>> from swapregret import MSets
    >>> make_player("swap_combcp", {"schedule": [1, 4, 16]}, MSets(6, 2), 100).schedule.windows
    (1, 4, 16)
    """
    options = dict(values)
    if "schedule" in options:
        windows = options["schedule"]
        if not isinstance(windows, list):
            raise InvalidInput("`schedule` must be a list of windows", repr(windows), "Write e.g. [1, 4, 16].")
        options["schedule"] = sr.Schedule(tuple(windows))
    if isinstance(options.get("rate"), Mapping):
        ((word, number),) = options["rate"].items() if len(options["rate"]) == 1 else (("", 0.0),)
        kinds: dict[str, Callable[[float], FixedRate | AdaptiveRate]] = {"fixed": FixedRate, "adaptive": AdaptiveRate}
        options["rate"] = kinds[check_name(word, kinds, "rate", "be a table with one of")](as_number(number, "rate"))
    if kind == "anytime":
        factory = _FACTORIES[check_name(options.pop("of", "swap_combcp"), _FACTORIES, "of")]
        return sr.anytime(factory, actions, **options)
    return call_by_name(_FACTORIES[kind], _MUST, actions, horizon, **options)


def make_environment(
    kind: str, values: Json, actions: sr.ActionSet | None, horizon: int, seed: int, folder: Path
) -> Environment:
    """Make an environment of a set, or one with its own set, in which case ``actions`` is left alone."""
    options = dict(values)
    if kind in OWN_SET:
        seeded = {"rng": seed} if "rng" in inspect.signature(_WORLDS[kind]).parameters else {}
        return call_by_name(_WORLDS[kind], _MUST, **options, horizon=horizon, **seeded)
    assert actions is not None
    if kind in _TOLD:
        seeded = {"rng": seed} if kind == "shortages" else {}
        return call_by_name(
            _WORLDS[kind],
            _MUST,
            _part(options.pop("of", None), "of", actions, horizon, seed, folder),
            **seeded,
            **options,
        )
    if kind in _COMBINED:
        return _combine(kind, options, actions, horizon, seed, folder)
    if kind == "replay":
        if "file" not in options:
            raise InvalidInput("`file` of a replay must be given", "none", "Name a .csv, .parquet or .npy file.")
        return sr.environments.replay(actions, folder / str(options.pop("file")), horizon=horizon, **options)
    return call_by_name(_WORLDS[kind], _MUST, actions, horizon, rng=seed, **options)


def _combine(kind: str, options: Json, actions: sr.ActionSet, horizon: int, seed: int, folder: Path) -> Environment:
    parts = options.pop("parts", None)
    if not isinstance(parts, list) or not parts or not all(isinstance(part, Mapping) for part in parts):
        must = f"`parts` of a {kind} must be a list of environments"
        raise InvalidInput(must, repr(parts), 'Write e.g. [{kind = "iid"}, {kind = "spiral"}].')
    each = -(-horizon // len(parts)) if kind == "concatenation" else horizon
    made, contexts = [], []
    for index, part in enumerate(parts):
        days = each if kind != "concatenation" or index < len(parts) - 1 else horizon - each * index
        inner = dict(part)
        contexts.append(inner.pop("context", index) if kind == "by_context" else index)
        made.append(_part(inner, f"parts[{index}]", actions, max(1, days), seed + index, folder))
    if kind == "by_context":
        as_labels(contexts, len(contexts), "context")
        return sr.environments.by_context(dict(zip(contexts, made, strict=True)), rng=seed, **options)
    return call_by_name(_WORLDS[kind], _MUST, made, rng=seed, **options)


def _part(given: object, field: str, actions: sr.ActionSet, horizon: int, seed: int, folder: Path) -> Environment:
    """Make an environment that is within another."""
    if not isinstance(given, Mapping):
        raise InvalidInput(f"`{field}` must be an environment", repr(given), 'Write e.g. {kind = "iid"}.')
    inner = dict(given)
    word = check_name(inner.pop("kind", None), (*_SIMPLE, *_COMBINED, *_TOLD), f"{field}.kind")
    return make_environment(word, inner, actions, horizon, seed, folder)

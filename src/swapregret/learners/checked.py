"""States from files, checked before any compiled code sees them.

Compiled loops trust their arrays: a wrong length or count makes them read what is not theirs. So an array of a file must have
the name, type and shape it has in a state that the player itself has just begun, finite numbers, and counts that fit. Where
a shape grows with what was learnt, ``_ROWS`` says so. The state that is made must write the same arrays again,
and its law must be one over actions of the set.

May touch: ``errors``, ``arrays``, ``actions.base``, ``learners``.
"""

from typing import Any

import numpy as np

from swapregret.actions.base import ActionSet
from swapregret.arrays import below, shown
from swapregret.errors import InvalidInput
from swapregret.learners.adaptive.master import AdaptiveMaster
from swapregret.learners.doubling import DoublingPlayer, DoublingState
from swapregret.learners.lazy_arrays import load_lazy
from swapregret.learners.player import Arrays, Player

__all__ = ["check_arrays", "check_player", "load_state"]

_ROWS = ("keys", "values", "squares")
"""Arrays with a row for each action met, where a count ``room`` beside them says so; read by plain code that checks lengths."""
_LARGEST = 1e100
_SLACK = 1e-6
_LAST_EPOCH = 50


def check_player(player: object) -> None:
    """Refuse what is no player: a set, a policy, a class, a factory that was not called."""
    needed = [name for name in vars(Player) if not name.startswith("_")]
    is_made = not isinstance(player, type) and all(hasattr(player, name) for name in needed)
    if not is_made or not isinstance(getattr(player, "actions", None), ActionSet):
        raise InvalidInput(
            "`player` must be a player",
            shown(player),
            "Make one of a set, e.g. swap_combcp(actions, horizon=10_000).",
        )


def check_arrays(player: Player[Any], arrays: Arrays, day: int | None) -> None:
    """Refuse arrays that no state of the player can have; ``day``, if known, is how many days it has closed."""
    if isinstance(player, DoublingPlayer):
        _check_epoch(player, arrays, day)
        return
    model = player.dump(player.start(np.random.default_rng(0)))
    missing, unknown = sorted(set(model) - set(arrays)), sorted(set(arrays) - set(model))
    if missing or unknown:
        raise _wrong("exactly the arrays of its player", f"{missing!r:.100} missing, {unknown!r:.100} unknown")
    for name, array in arrays.items():
        owner, _, last = name.rpartition(".")
        grows = owner == "laws" or (last in _ROWS and f"{owner}.room" in model)
        _check_array(name, array, model[name], grows)
        if grows and array.dtype == np.uint64:
            _check_words(name, array, player)
    for name, known in (("day", 0), ("pool.clock", 0)):
        if day is not None and name in arrays and int(np.ravel(arrays[name])[known]) != day:
            raise _wrong(f"as many days as the session, {day}", f"{np.ravel(arrays[name])[known]} in {name!r}")
    _check_pool(player, arrays)
    _check_laws(player, arrays)


def _check_array(name: str, array: Any, model: Any, grows: bool) -> None:
    if array.dtype != model.dtype:
        raise _wrong(f"{name!r} of type {model.dtype}", f"{array.dtype}")
    fits = array.ndim == model.ndim and array.shape[1:] == model.shape[1:]
    if not fits or not (grows or array.shape[:1] == model.shape[:1]):
        raise _wrong(f"{name!r} of shape {model.shape}", f"{array.shape}")
    if array.dtype.kind == "f" and not bool((np.abs(array) <= _LARGEST).all()):
        raise _wrong(f"finite numbers in {name!r}", "NaN, infinity or more than 1e100")
    if array.dtype.kind == "i" and array.min(initial=0) < 0:
        raise _wrong(f"no negative counts in {name!r}", str(array.min()))
    if name.split(".")[-1] in ("point", "points", "chances") and not _is_share(array):
        raise _wrong(f"numbers in 0..1 in {name!r}", f"{array.min()} to {array.max()}")
    if name.endswith(".room") and int(array) > 2**24:
        raise _wrong(f"room for at most {2**24} actions in {name!r}", str(array))


def _check_words(name: str, words: Any, player: Player[Any]) -> None:
    """Check packed actions: no element that is not there, and as many as an action has."""
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little")
    d, m = player.actions.dimension, player.actions.size
    sizes = bits.sum(axis=1, dtype=np.int64)
    if bits[:, d:].any() or (sizes > m).any() or (player.actions.is_uniform and (sizes != m).any()):
        raise _wrong(f"actions of the set in {name!r}", "words that are none")


def _check_epoch(player: DoublingPlayer, arrays: Arrays, day: int | None) -> None:
    numbers = arrays.get("epoch_day_seed")
    if numbers is None or numbers.shape != (3,) or numbers.dtype != np.int64:
        raise _wrong("three whole numbers in 'epoch_day_seed'", "others")
    epoch, inside, seed = (int(number) for number in numbers)
    is_known = 0 <= epoch <= _LAST_EPOCH and player.epoch_length(epoch) < 2**62
    if not is_known or not 0 <= inside < player.epoch_length(epoch) or not 0 <= seed < 2**62:
        raise _wrong("a day within an epoch in 'epoch_day_seed'", str(numbers.tolist()))
    passed = sum(player.epoch_length(each) for each in range(epoch)) + inside
    if day is not None and passed != day:
        raise _wrong(f"as many days as the session, {day}", f"{passed} in 'epoch_day_seed'")
    inner = below(arrays, "inner")
    if len(inner) + 1 != len(arrays):
        raise _wrong("exactly the arrays of its player", f"{sorted(arrays)!r:.100}")
    check_arrays(player.player_of(DoublingState(epoch, inside, seed, None)), inner, inside if day is not None else None)


def _check_laws(player: Player[Any], arrays: Arrays) -> None:
    """Check that the adaptive master has an action to play for each that a member recommends."""
    if not isinstance(player, AdaptiveMaster):
        return
    states = load_lazy([member.learner for member in player.members], arrays)
    for index, state in enumerate(states):
        name = f"laws.{index}"
        if name in arrays and len(arrays[name]) != len(player.recommend(state).words):
            raise _wrong(f"an action for each recommended one in {name!r}", str(len(arrays[name])))


def _check_pool(player: Player[Any], arrays: Arrays) -> None:
    """Check what the compiled pool of m-sets counts and looks up."""
    if "pool.n_atoms" not in arrays:
        return
    counts, words = arrays["pool.n_atoms"], arrays["pool.played"]
    if counts.max(initial=0) > words.shape[1]:
        raise _wrong(f"at most {words.shape[1]} actions a law in 'pool.n_atoms'", str(counts.max()))
    used = np.arange(words.shape[1]) < counts[:, None]
    for name in ("pool.recommended", "pool.played"):
        _check_words(name, arrays[name][used].reshape(-1, 1), player)
    chances = np.where(used, arrays["pool.chances"], 0.0).sum(axis=1)
    if (np.abs(chances[counts > 0] - 1.0) > _SLACK).any():
        raise _wrong("laws that add up to 1 in 'pool.chances'", f"{chances.min()} to {chances.max()}")
    for table in ("table", "guard"):
        keys, n_used = arrays[f"{table}.keys"], int(arrays[f"{table}.n_used"][0])
        if np.count_nonzero(keys) != n_used or n_used >= len(keys):
            raise _wrong(f"as many keys in '{table}.keys' as it counts, and a free place", str(n_used))
    if (arrays["pool.clock"][3:] > 1).any():
        raise _wrong("0 or 1 at the end of 'pool.clock'", str(arrays["pool.clock"].tolist()))


def load_state(player: Player[Any], arrays: Arrays, day: int | None) -> Any:
    """Make a state from the arrays of a file, or refuse them; see the module."""
    check_arrays(player, arrays, day)
    state = player.load(arrays)
    again = player.dump(state)
    if set(again) != set(arrays) or not all(_is_same(again[name], arrays[name]) for name in again):
        different = [name for name in arrays if name not in again or not _is_same(again[name], arrays[name])]
        raise _wrong("arrays that are written as they were read", f"others: {different!r:.100}")
    marginals = player.policy(state).marginals()
    if marginals.shape != (player.actions.dimension,) or not _is_share(marginals):
        raise _wrong("a law over the actions of its player", f"marginals {marginals!r:.80}")
    return state


def _is_same(first: Any, second: Any) -> bool:
    one, other = np.asarray(first), np.asarray(second)
    return one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes()


def _is_share(array: Any) -> bool:
    return bool(((array >= -_SLACK) & (array <= 1.0 + _SLACK)).all())


def _wrong(must: str, came: str) -> InvalidInput:
    return InvalidInput(f"the state of a player must have {must}", came, "Restore the file from a copy.")

"""States from files, checked before any compiled code sees them.

Compiled loops trust their arrays: a wrong length or count makes them read what is not theirs. So an array of a file must have
the name, type and shape it has in a state that the player itself has just begun, finite numbers, and counts that fit; lists of
actions may be longer. The state that is made must write the same arrays again, and its policy must be one over actions of the
set.
"""

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import AnyArray, Vector, Words, below, frozen
from swapregret.counts import count_in_words, shown
from swapregret.errors import InvalidInput
from swapregret.files.held import held_array, wrong_state
from swapregret.learners.player import AnyPlayer, AnyState, Arrays, HeldPolicy, ValuePolicy, hold_policy
from swapregret.learners.round.held_view import Blend, Chosen, Drawn, HeldOut
from swapregret.learners.round.nested import LISTS
from swapregret.learners.round.running_player import RunningPlayer
from swapregret.policy import Policy

_TABLES = ("memory.table", "guard.table")
_LARGEST = 1e100
_SLACK = 1e-6
_MOST_ATOMS = 2**24
_MOST_DAYS = 2**62
_SHARES = ("point", "points", "chances", "rows", "marginals", "mean", "policy")
_FLAGS = ("has_tripped", "is_old")
_SUMS = ("n_seen", "noise", "variation", "memory_sum", "variance", "typical", "counts", "squares", "weights")
_RANGES: dict[str, tuple[float, float]] = (
    dict.fromkeys(_SHARES, (-_SLACK, 1.0 + _SLACK))
    | dict.fromkeys(_FLAGS, (0, 1))
    | dict.fromkeys(_SUMS, (0.0, _LARGEST))
    | {"shares": (1e-9, 1.0)}
)
"""The least and the largest number in arrays, by the last part of their names; whole numbers are counts besides."""
_PER_DAY = {"n_updates", "memory_count", "n_windows", "n_seen", "closed"}
"""Counts that a day raises by one at most."""


def require_player(player: object, *, is_saved: bool = False) -> None:
    """Refuse what is no player: a set, a policy, a class, a factory that was not called.

    A player whose state is saved must also ``dump`` and ``load`` it.
    """
    needed = ["actions", "feedback", "start", "policy", "observe", *(("dump", "load") if is_saved else ())]
    is_made = not isinstance(player, type) and all(hasattr(player, name) for name in needed)
    if not is_made or not isinstance(getattr(player, "actions", None), ActionSet):
        raise InvalidInput(
            "`player` must be a player",
            shown(player),
            "Make one of a set, e.g. swap_combcp(actions, horizon=10_000).",
        )


def check_size(player: AnyPlayer, n_bytes: int) -> None:
    """Refuse a player of a file that is larger than its file can hold, before anything of that size is made."""
    least = getattr(player, "least_numbers", player.actions.dimension)
    if least > n_bytes:
        raise wrong_state("the numbers of its player", f"{n_bytes:,} bytes for {count_in_words(least)}")


def check_arrays(player: AnyPlayer, arrays: Arrays, day: int | None) -> None:
    """Refuse arrays that no state of the player can have; ``day``, if known, is how many days it has closed."""
    if hasattr(player, "check_file"):
        player.check_file(arrays, day)
        return
    _check_room(player, arrays)
    _check_kinds(arrays, player.dump(player.start(np.random.default_rng(0))))
    if day is not None:
        _check_days(arrays, day)
    if isinstance(player, RunningPlayer):
        player.check_own(arrays)
    _check_lists(player, arrays)
    if "weights.policy" in arrays:
        _check_weights("weights.policy", arrays["weights.policy"])
    for table in _TABLES:
        _check_table(table, arrays)
        if f"{table}.keys" in arrays:
            n_rows = int(arrays[f"{table}.n_rows"][0])
            _check_words(f"{table}.keys", arrays[f"{table}.keys"][:n_rows], player)


def _check_room(player: AnyPlayer, arrays: Arrays) -> None:
    """Refuse a state that is smaller than its player, before one of that size is begun to compare it with."""
    if not isinstance(player, RunningPlayer):
        return
    d, total = player.actions.dimension, arrays.get("tally.total")
    if total is None or total.shape != (d,):
        raise wrong_state(f"{d:,} numbers in 'tally.total'", "none" if total is None else f"shape {total.shape}")


def _check_days(arrays: Arrays, day: int) -> None:
    """Check that nothing was counted more often than there were days."""
    for name, array in arrays.items():
        if name == "tally.day" and array[0] != day:
            raise wrong_state(f"as many days as the session, {day}", f"{array[0]} in {name!r}")
        if name.rpartition(".")[2] in _PER_DAY and array.max(initial=0) > day:
            raise wrong_state(f"counts of at most {day}, the days of the session, in {name!r}", str(array.max()))


def _check_kinds(arrays: Arrays, model: Arrays) -> None:
    """Check that arrays have the names, types and shapes of others; lists of actions may have another length."""
    missing, unknown = sorted(set(model) - set(arrays)), sorted(set(arrays) - set(model))
    if missing or unknown:
        raise wrong_state("exactly the arrays of its player", f"{missing!r:.100} missing, {unknown!r:.100} unknown")
    longest = set()
    for name, like in model.items():
        part, _, last = name.rpartition(".")
        shape: list[int | None] = list(like.shape)
        is_list = last in LISTS and f"{part}.n_atoms" in model
        if is_list:
            shape[1] = None
        given = held_array(arrays, name, str(like.dtype), tuple(shape), *_range_of(last, like.dtype.kind))
        if is_list:
            longest.add(given.shape[1])
    if len(longest) > 1 or max(longest, default=0) > _MOST_ATOMS:
        raise wrong_state("lists of actions of one length", f"{sorted(longest)}")


def _range_of(last: str, kind: str) -> tuple[float, float]:
    """Return the least and the largest number of an array, by the last part of its name and the kind of its type."""
    low, high = _RANGES.get(last, (-_LARGEST, _LARGEST))
    if kind == "i":
        low, high = max(low, 0), high if last == "seed" else min(high, _MOST_DAYS)
    return low, high


def _check_words(name: str, words: Words, player: AnyPlayer) -> None:
    """Check packed actions: no element that is not there, and as many as an action has."""
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little")
    d, m = player.actions.dimension, player.actions.size
    sizes = bits.sum(axis=1, dtype=np.int64)
    if bits[:, d:].any() or (sizes > m).any() or (player.actions.is_uniform and (sizes != m).any()):
        raise wrong_state(f"actions of the set in {name!r}", "words that are no actions")
    for action in np.unique(bits[:, :d], axis=0).astype(np.int64):
        if action not in player.actions:
            raise wrong_state(f"actions of the set in {name!r}", f"{action!r:.80}")


def _check_lists(player: AnyPlayer, arrays: Arrays) -> None:
    """Check lists of actions: counts, actions of the set, chances that add up to 1; of what is recommended, to 1 at most."""
    for lists in (name.removesuffix(".n_atoms") for name in arrays if name.endswith(".n_atoms")):
        counts, words, chances = (arrays[f"{lists}.{name}"] for name in ("n_atoms", "words", "chances"))
        if counts.max(initial=0) > words.shape[1]:
            raise wrong_state(f"at most {words.shape[1]} actions per policy in '{lists}.n_atoms'", str(counts.max()))
        used = np.arange(words.shape[1]) < counts[:, None]
        _check_words(f"{lists}.words", words[used], player)
        totals = np.where(used, chances, 0.0).sum(axis=1)
        least = 0.0 if lists == "memory.recommended" else 1.0  # what is hardly recommended is not remembered
        if (totals > 1.0 + _SLACK).any() or (totals[counts > 0] < least - _SLACK).any():
            raise wrong_state(f"policies that add up to 1 in '{lists}.chances'", f"{totals.min()} to {totals.max()}")


def _check_weights(name: str, weights: Vector) -> None:
    """Check that weights add up to 1."""
    if abs(weights.sum() - 1.0) > _SLACK:
        raise wrong_state(f"weights that add up to 1 in {name!r}", f"{weights!r:.80}")


def _check_held(player: AnyPlayer, arrays: Arrays) -> None:
    """Check the policy of a waiting decision of a master, whose arrays have their types and shapes."""
    weights, cumulative = arrays["mix.weights"], arrays["mix.cumulative"]
    _check_weights("mix.weights", weights)
    if (np.abs(np.cumsum(weights) - cumulative) > _SLACK).any():
        raise wrong_state("sums of 'mix.weights' in 'mix.cumulative'", f"{cumulative!r:.80}")
    _check_lists(player, arrays)
    if arrays["policies.origins"].size == 0 and ((weights > 0.0) & (arrays["policies.n_atoms"] == 0))[:-1].any():
        raise wrong_state("a list of actions for each weight in 'mix.weights'", "none for some")


def _check_table(name: str, arrays: Arrays) -> None:
    """Check a table of vectors: a place for each row and none for others, so that a search ends."""
    if f"{name}.places" not in arrays:
        return
    places, n_rows = arrays[f"{name}.places"], int(arrays[f"{name}.n_rows"][0])
    taken = np.sort(places[places > 0])
    if n_rows > len(arrays[f"{name}.squares"]) or not np.array_equal(taken, np.arange(1, n_rows + 1)):
        raise wrong_state(f"one place for each of its rows in '{name}.places'", f"{len(taken)} for {n_rows}")
    if len(taken) >= len(places):
        raise wrong_state(f"a free place in '{name}.places'", "none")


def load_open(player: AnyPlayer, state: AnyState, arrays: Arrays) -> HeldPolicy:
    """Make the policy of a waiting decision from the arrays of a file, or refuse them."""
    if "heldout.share" in arrays:
        rest = {name: array for name, array in arrays.items() if not name.startswith("heldout.")}
        baseline = held_array(arrays, "heldout.baseline", "int64", (player.actions.dimension,), 0, 1)
        share = float(held_array(arrays, "heldout.share", "float64", (), 0.0, 1.0))
        if baseline not in player.actions:
            raise wrong_state("a baseline of its set", f"{baseline!r:.80}")
        return HeldOut(load_open(player, state, rest), frozen(baseline), share)
    if set(arrays) == {"unknown"}:
        return Chosen()
    if set(arrays) == {"rows", "weights"}:  # of a day with missing elements
        drawn = Drawn.load(arrays)
        if not all(row in player.actions for row in arrays["rows"]):
            raise wrong_state("policies over actions of its set", "another 0/1 vector")
        return drawn
    if "share" in arrays:  # of a day with a context
        first, second = (load_open(player, state, below(arrays, name)) for name in ("first", "second"))
        return Blend((first, second), float(held_array(arrays, "share", "float64", (), 0.0, 1.0)))
    if hasattr(player, "load_waiting"):
        waiting: HeldPolicy = player.load_waiting(state, arrays)
        return waiting
    if not hasattr(player, "load_held"):
        return ValuePolicy(player, load_state(player, arrays, None))
    _check_kinds(arrays, hold_policy(player, state).dump())
    _check_held(player, arrays)
    held: HeldPolicy = player.load_held(state, arrays)
    _check_policy(player, held.policy())
    return held


def load_state(player: AnyPlayer, arrays: Arrays, day: int | None) -> AnyState:
    """Make a state from the arrays of a file, or refuse them; see the module."""
    check_arrays(player, arrays, day)
    state = player.load(arrays)
    again = player.dump(state)
    different = [name for name in arrays | again if not _is_same(arrays.get(name), again.get(name))]
    if different:
        raise wrong_state("arrays that are written as they were read", f"others: {different!r:.100}")
    _check_policy(player, player.policy(state))
    return state


def _check_policy(player: AnyPlayer, policy: Policy) -> None:
    marginals = policy.marginals()
    is_share = ((marginals >= -_SLACK) & (marginals <= 1.0 + _SLACK)).all()
    if marginals.shape != (player.actions.dimension,) or not is_share:
        raise wrong_state("a policy over the actions of its player", f"marginals {marginals!r:.80}")


def _is_same(first: AnyArray | None, second: AnyArray | None) -> bool:
    """Tell whether two arrays are the same bit for bit: −0.0 is not 0.0."""
    one, other = np.asarray(first), np.asarray(second)
    return one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes()

"""Session files with a right checksum and one thing wrong, at random: refused by name, or played on without a fault.

``SWAPREGRET_FUZZ_CALLS`` and ``SEED`` are those of ``make test-fuzz``.
"""

import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fuzz.mutations import mutate_arrays, mutate_plain
from tests.fuzz.test_fuzz import TookTooLong, in_time
from tests.late import Late

import swapregret as sr
from swapregret.errors import InvalidInput, SwapRegretError
from swapregret.files.storage import from_bytes, to_bytes

FILES = max(8, int(os.environ.get("SWAPREGRET_FUZZ_CALLS", "5000")) // 500)
SEED = int(os.environ.get("SEED", "0"))
DAYS = 50

GRAPH = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("b", "d")]
ROADS = [("s", "a"), ("a", "t"), ("s", "b"), ("b", "t"), ("s", "t"), ("a", "b")]
SETS: Late[sr.ActionSet] = Late(
    {
        "MSets": lambda: sr.MSets(5, 2),
        "Permutations": lambda: sr.Permutations(3),
        "TruncatedPermutations": lambda: sr.TruncatedPermutations(2, 3),
        "SpanningTrees": lambda: sr.SpanningTrees(GRAPH),
        "Forests": lambda: sr.Forests(GRAPH, 2),
        "DagPaths": lambda: sr.DagPaths(ROADS, source="s", sink="t"),
        "Partitions": lambda: sr.Partitions(4, 2),
        "Plans": lambda: sr.Plans([("first", ["check", "bet"]), ("raised", ["fold", "call"], ("first", "check"))]),
        "Explicit": lambda: sr.Explicit(np.eye(4, dtype=int)),
        "Product": lambda: sr.Product(sr.MSets(3, 1), sr.MSets(3, 2)),
    }
)
Make = Callable[[sr.ActionSet], Any]
PLAYERS: dict[str, Make] = {
    "adaptive": lambda actions: sr.swap_combcp(actions, 1000),
    "multiscale": lambda actions: sr.swap_combcp(actions, 1000, preset="multiscale"),
    "single": lambda actions: sr.swap_combcp(actions, 1000, preset="multiscale", schedule=sr.Schedule([1, 1000])),
    "semi-bandit": lambda actions: sr.swap_combcp(actions, 1000, preset="multiscale", feedback="semi-bandit"),
    "contexts": lambda actions: sr.swap_combcp(actions, 1000),
    "full": lambda actions: sr.swap_combcp(actions, 1000, feedback="full"),
    "swap_comband": lambda actions: sr.swap_comband(actions, 1000, preset="multiscale"),
    "anytime": lambda actions: sr.anytime(sr.swap_combcp, actions, first_epoch=20, preset="multiscale"),
    "anytime exp3": lambda actions: sr.anytime(sr.baselines.exp3, actions, first_epoch=16),
}


def _baseline(name: str) -> Make:
    return lambda actions: getattr(sr.baselines, name)(actions, 1000)


PLAYERS |= {name: _baseline(name) for name in sr.baselines.__all__}
EVERYWHERE = ("adaptive", "multiscale", "exp3", "uniform")
"""Players that are tried on every set; the others on m-sets."""
CASES = [(player, name) for name in SETS for player in (PLAYERS if name == "MSets" else EVERYWHERE)]


def reward_of(session: Any) -> Any:
    """Return a reward in the middle of the range, in the form the player is shown."""
    low, high = session.cost_range or session.reward_range
    middle = 0.5 * low + 0.5 * high
    actions = session.player.actions
    return middle if session.player.feedback == "bandit" else np.full(actions.dimension, middle / actions.size)


CONTEXTS = {"contexts": ("mobile", "desktop", ("tablet", 2))}
"""What the days of a player's session have as contexts; those of others have none."""


def begun(player: Any, contexts: tuple[Any, ...] = (None,)) -> Any:
    """Return a session of some days, with an open decision and one whose policy is older than the state."""
    session: Any = sr.Session(player, rng=1, max_open=3)
    for day in range(45):
        session.act(context=contexts[day % len(contexts)])
        session.observe(reward_of(session))
    session.act()
    second = session.act()
    session.observe(reward_of(session), second)
    session.act()
    return session


def play_on(session: Any) -> str | None:
    """Play on, and say what was wrong: something that is no action, a policy or a state with NaN."""
    for decision in session.open_decisions:
        session.skip(decision)
    for _ in range(DAYS):
        decision = session.act()
        if decision.action not in session.player.actions:
            return "played what is no action"
        if not np.isfinite(decision.policy.marginals()).all():
            return "had a policy with NaN"
        session.observe(reward_of(session))
    _, arrays = from_bytes("session", session.snapshot(), "x")
    spoilt = [name for name, array in arrays.items() if array.dtype.kind == "f" and np.isnan(array).any()]
    return f"had NaN in {spoilt}" if spoilt else None


def verdict(path: Path, metadata: dict[str, Any], arrays: dict[str, Any]) -> str | None:
    """Read a file that is wrong somewhere, play on if it is not refused, and say what is wrong with that."""
    path.write_bytes(to_bytes("session", metadata, arrays))

    def use() -> str | None:
        try:
            session: Any = sr.Session.load(path)
        except SwapRegretError as error:
            return None if str(path) in str(error) else f"was refused without its name: {error}"
        return play_on(session)

    try:
        with np.errstate(all="ignore"):
            told: str | None = in_time(use)
            return told
    except SwapRegretError:  # a state of odd numbers may come to an end, in a sentence of ours
        return None
    except TookTooLong:
        return "took too long"
    except Exception as error:
        return f"raised {error!r:.200}"


@pytest.mark.parametrize(("player", "name"), CASES, ids=str)
def test_crafted_files(player: str, name: str, tmp_path: Path) -> None:
    """One value of the header or one array is another: refused with the file's name, or 50 days without a fault."""
    session = begun(PLAYERS[player](SETS[name]), CONTEXTS.get(player, (None,)))
    metadata, arrays = from_bytes("session", session.snapshot(), "x")
    assert play_on(sr.Session.from_bytes(session.snapshot())) is None  # and everything is compiled
    rng = np.random.default_rng([SEED, zlib.crc32(f"{player} {name}".encode())])
    found = []
    for number in range(FILES):
        if number % 2:
            (changed, how), held = mutate_plain(metadata, rng), arrays
        else:
            (held, how), changed = mutate_arrays(arrays, rng), metadata
        complaint = verdict(tmp_path / "crafted.session", changed, held)
        if complaint is not None:
            found.append(f"file {number}: {how}: {complaint}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", ["[", "{}", "[[1]]", '[{"list": []}, "desktop"]', '["mobile", "mobile"]', None])
def test_names_of_contexts_are_read(text: str | None, tmp_path: Path) -> None:
    """Contexts that are no JSON, no list, no names, or not there are refused with the name of the file."""
    session = begun(PLAYERS["contexts"](SETS["MSets"]), CONTEXTS["contexts"])
    metadata, arrays = from_bytes("session", session.snapshot(), "x")
    held = {name: array for name, array in arrays.items() if name != "contexts.names"}
    if text is not None:
        held["contexts.names"] = np.frombuffer(text.encode(), dtype=np.uint8)
    (tmp_path / "x.session").write_bytes(to_bytes("session", metadata, held))
    with pytest.raises(InvalidInput, match=r"x\.session"):
        sr.Session.load(tmp_path / "x.session")


def test_a_fault_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is read and then breaks play is told, and so is a refusal that does not name the file."""
    session = begun(PLAYERS["uniform"](SETS["MSets"]))
    metadata, arrays = from_bytes("session", session.snapshot(), "x")
    assert verdict(tmp_path / "x", metadata, arrays) is None
    monkeypatch.setattr(sr.Session, "act", lambda self: {}["a"])
    told = verdict(tmp_path / "x", metadata, arrays)
    assert told is not None
    assert told.startswith("raised KeyError")

"""Tables with one thing wrong: games in TOML, rewards to replay, logs in Parquet; refused by name, or read without a fault.

``SWAPREGRET_FUZZ_CALLS`` and ``SEED`` are those of ``make test-fuzz``.
"""

import io
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.fuzz.mutations import mutate_plain, mutate_text
from tests.fuzz.test_fuzz import in_time
from tests.fuzz.test_other_files import FILES, SEED, Read, Rng, complaints
from typer.testing import CliRunner

import swapregret as sr
from swapregret.cli import app
from swapregret.errors import InvalidInput, SwapRegretError
from swapregret.logs.log_file import read_log
from swapregret.regret.ledgers.policy_file import policy_cell

GAMES = {
    "matrix": b'[game]\nkind = "matrix"\nclassic = "chicken"\n',
    "payoffs": b'[game]\nkind = "matrix"\npayoffs = [[[3, 0], [5, 1]], [[3, 5], [0, 1]]]\n',
    "blotto": b'[game]\nkind = "blotto"\ntroops = [3, 2]\nfields = 2\nvalues = [1.0, 2.0]\n',
    "security": b'[game]\nkind = "security"\nedges = [["s", "a"], ["a", "t"], ["s", "t"]]\nsource = "s"\nsink = "t"\nguards = 1\n',
}
EDGES = [["a", "b"], ["b", "c"], ["a", "c"]]
SETS: dict[str, dict[str, Any]] = {
    "msets": {"dimension": 4, "size": 2, "labels": ["a", "b", "c", "d"]},
    "permutations": {"n": 3, "row_labels": ["a", "b", "c"], "column_labels": ["x", "y", "z"]},
    "truncated": {"rows": 2, "columns": 3},
    "partitions": {"total": 4, "parts": 2},
    "trees": {"edges": EDGES, "largest_component": True},
    "forests": {"edges": EDGES, "size": 1},
    "paths": {"edges": EDGES, "source": "a", "sink": "c"},
    "explicit": {"actions": [[1, 0], [0, 1]], "labels": ["a", "b"]},
    "plans": {"information_sets": [["first", ["check", "bet"]], ["raised", ["fold", "call"], ["first", "check"]]]},
    "product": {"sets": ["msets 4 2", {"kind": "msets", "dimension": 3, "size": 1}], "names": ["a", "b"]},
}
TABLE = b'[play]\nrounds = 20\nwindows = 5\nseed = 0\ncheckpoints = 2\n\n[[players]]\nlearner = "exp3"\n'
REWARDS = b"a,b,c,d\n0.1,0.2,0.3,0.4\n0.5,0,1,0.25\n1,1,0,0\n"


def play_game(path: Path) -> None:
    """Play some days of a game as a user does, whatever the file says of their number."""
    done = CliRunner().invoke(app, ["game", str(path), "--rounds", "12", "--json"])
    if done.exit_code not in (0, 2) or "Traceback" in done.output:
        raise RuntimeError(f"status {done.exit_code}: {done.exception!r} {done.output[-200:]}")
    if done.exit_code == 2:
        raise InvalidInput(f"{path} must be a game", done.output, "Correct it.")


def replay(path: Path) -> None:
    """Replay rewards, and read some days of them."""
    world = sr.environments.replay(sr.MSets(4, 2, labels="abcd"), path)
    assert np.isfinite(world.rewards(0, world.horizon)).all()


@pytest.mark.parametrize("name", GAMES)
def test_games(name: str, tmp_path: Path) -> None:
    """A game in which one word or line is another is refused in a sentence, or played."""
    path = tmp_path / "x.toml"
    path.write_bytes(GAMES[name] + b"\n" + TABLE)
    assert not (found := complaints(f"game {name}", path, path, mutate_text, play_game)), found


@pytest.mark.serve
@pytest.mark.parametrize("kind", SETS)
def test_sets(kind: str) -> None:
    """The table of a set in which one value is another, as a client may send it, makes a set or is refused in a sentence."""
    from swapregret.serve.problems import Problem, ProblemSpec

    rng = np.random.default_rng([SEED, zlib.crc32(kind.encode())])
    for _ in range(5 * FILES):
        table, how = mutate_plain({"kind": kind} | SETS[kind], rng)
        try:
            in_time(lambda table=table: Problem(ProblemSpec(set=table), 1000))
        except SwapRegretError:
            continue
        except Exception as error:
            pytest.fail(f"{how}: {error!r}")


@pytest.mark.parametrize("header", [True, False])
def test_rewards_to_replay(header: bool, tmp_path: Path) -> None:
    """A table of rewards in CSV, with or without a header, is refused by name, or replayed."""
    path = tmp_path / "x.csv"
    path.write_bytes(REWARDS if header else REWARDS.split(b"\n", 1)[1])
    assert not (found := complaints(f"replay {header}", path, path, mutate_text, replay)), found


ODD: tuple[Any, ...] = (
    None,
    "",
    "x",
    "0;9",
    "-1",
    "nan",
    float("nan"),
    float("inf"),
    -1e308,
    10**18,
    True,
    b"\xff",
    [1, 2],
)
"""What a cell may hold instead."""


def spoil_frame(data: bytes, rng: Rng) -> tuple[bytes, str]:
    """Change a cell, a column or the bytes of a Parquet file."""
    if rng.random() < 0.25:
        at = int(rng.integers(len(data)))
        return data[:at] + bytes([data[at] ^ int(rng.integers(1, 256))]) + data[at + 1 :], f"byte {at}"
    frame = pl.read_parquet(io.BytesIO(data))
    name, odd = frame.columns[rng.integers(frame.width)], ODD[rng.integers(len(ODD))]
    how, column = int(rng.integers(6)), frame[name].to_list()
    if how == 0:
        frame = frame.drop(name)
    elif how == 1:
        frame = frame.rename({name: str(odd)[:40] + "_"})
    elif how == 2:
        frame = frame.head(0)
    elif how == 3:
        frame = frame.with_columns(pl.Series(name, [odd] * frame.height, strict=False))
    else:
        column[rng.integers(len(column))] = odd
        frame = frame.with_columns(pl.Series(name, column, strict=False))
    if any(each.dtype == pl.Object for each in frame):
        frame = frame.select(pl.Series(each.name, list(map(str, each.to_list()))) for each in frame)
    held = io.BytesIO()
    frame.write_parquet(held)
    return held.getvalue(), f"{name} {('dropped', 'renamed', 'empty', 'all', 'one', 'one')[how]}: {odd!r}"


def _totals() -> pl.DataFrame:
    actions = sr.MSets(3, 2)
    policy = policy_cell(actions.uniform_policy())
    return pl.DataFrame(
        {
            "indices": ["0;1", "1;2", "0;2"],
            "reward": [0.3, 0.5, 0.7],
            "policy": [policy, "", ""],
            "context": ["a", "b", "a"],
            "available": ["", "1;2", ""],
        }
    )


def _rewards() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "round": [1, 1, 2],
            "action:0": [1, 0, 1],
            "action:1": [1, 1, 0],
            "action:2": [0, 1, 1],
            "probability": [0.5, 0.5, 1.0],
        }
        | {f"reward:{label}": [0.1, 0.1, 0.3] for label in range(3)}
    )


@pytest.mark.parametrize("name", ["totals", "rewards", "replay"])
def test_parquet(name: str, tmp_path: Path) -> None:
    """A log or rewards in Parquet in which a cell, a column or a byte is another: refused by name, or read."""
    path = tmp_path / "x.parquet"
    frame = {"totals": _totals, "rewards": _rewards, "replay": lambda: pl.read_csv(io.BytesIO(REWARDS))}[name]()
    frame.write_parquet(path)
    read: Read = replay if name == "replay" else partial(read_log, actions=sr.MSets(3, 2))
    assert not (found := complaints(f"parquet {name}", path, path, spoil_frame, read)), found

"""Journals, specs, results, logs, plays and networks with one thing wrong: refused by name, or read without a fault.

``SWAPREGRET_FUZZ_CALLS`` and ``SEED`` are those of ``make test-fuzz``.
"""

import hashlib
import json
import os
import struct
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fuzz.mutations import mutate_arrays, mutate_plain, mutate_text
from tests.fuzz.test_crafted_files import SETS, begun, play_on
from tests.fuzz.test_fuzz import TookTooLong, in_time
from typer.testing import CliRunner

import swapregret as sr
from swapregret import games
from swapregret.cli import app
from swapregret.errors import SwapRegretError
from swapregret.experiments.runs.runner import read_plan, run_plan
from swapregret.files.storage import from_bytes, to_bytes
from swapregret.games.correlated_play import CorrelatedPlay
from swapregret.logs.log_file import read_log
from swapregret.regret.ledgers.policy_file import policy_cell
from swapregret.results import load_cells, load_experiment
from swapregret.sessions.journal import scan_journal, write_journal
from swapregret.sessions.journal_check import check_journal, repair_journal
from swapregret.sessions.journal_log import read_journal_log

FILES = max(8, int(os.environ.get("SWAPREGRET_FUZZ_CALLS", "5000")) // 500)
SEED = int(os.environ.get("SEED", "0"))

Rng = np.random.Generator
Spoil = Callable[[bytes, Rng], tuple[bytes, str]]
Read = Callable[[Path], object]


# ---- how each kind of file is spoilt ---------------------------------------------------------------------------------


def spoil_checked(kind: str, data: bytes, rng: Rng) -> tuple[bytes, str]:
    """Change a value of the header or an array of a checked file."""
    metadata, arrays = from_bytes(kind, data, "x")
    if rng.random() < 0.5:
        metadata, how = mutate_plain(metadata, rng)
    else:
        arrays, how = mutate_arrays(arrays, rng)
    return to_bytes(kind, metadata, arrays), how


def spoil_json(data: bytes, rng: Rng) -> tuple[bytes, str]:
    """Change a value of a JSON file, or its text."""
    if rng.random() < 0.2:
        return mutate_text(data, rng)
    content, how = mutate_plain(json.loads(data), rng)
    return json.dumps(content).encode(), how


def spoil_journal(data: bytes, rng: Rng) -> tuple[bytes, str]:
    """Change the snapshot or an event of a journal, under right checksums, or its bytes."""
    records, position = [], data.index(b"\n") + 1
    while position < len(data):
        (length,) = struct.unpack_from("<I", data, position)
        records.append(data[position + 12 : position + 12 + length])
        position += 12 + length
    how = rng.random()
    if how < 0.1:
        at = int(rng.integers(len(data)))
        return data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :], f"byte {at}"
    if how < 0.4:
        records[0], told = spoil_checked("session", records[0], rng)
    else:
        at = int(rng.integers(1, len(records)))
        kind, day, content = [*records[at].split(b" ", 2), b"", b""][:3]
        number = json.dumps(rng.choice([np.nan, np.inf, -1e308, 0.5])).encode()
        kinds = [b"act", b"reward", b"skip", b"default", b"expire", b"generator", b"slip"]
        told, changed = [
            (f"event {at} taken out", []),
            (f"event {at} cut", [records[at][: rng.integers(len(records[at]))]]),
            (f"event {at} of another kind", [b" ".join([kinds[rng.integers(7)], day, content]).rstrip()]),
            (
                f"event {at} of another day",
                [b" ".join([kind, str(2 ** int(rng.integers(64))).encode(), content]).rstrip()],
            ),
            (f"event {at} with another number", [b" ".join([kind, day, b",".join([number] * int(rng.integers(4)))])]),
            (f"event {at} with other bytes", [b" ".join([kind, day, rng.bytes(int(rng.integers(1, 30)))])]),
            (
                f"event {at} after a generator",
                [b"generator " + day + b' {"bit_generator":"PCG64","state":3}', records[at]],
            ),
            (f"event {at} twice", [records[at]] * 2),
        ][rng.integers(8)]
        records[at : at + 1] = changed
    parts, checksum = [data[: data.index(b"\n") + 1]], 0
    for record in records:
        checksum = zlib.crc32(record, checksum)
        head = struct.pack("<II", len(record), checksum)
        parts += [head, struct.pack("<I", zlib.crc32(head)), record]
    return b"".join(parts), told


# ---- what a user does with each --------------------------------------------------------------------------------------


def use_journal(path: Path) -> None:
    """Check it, repair it, replay it, and go on with it."""
    check_journal(path)
    saved = path.with_suffix(".saved")
    saved.unlink(missing_ok=True)
    repair_journal(path, saved)
    assert check_journal(saved).damage is None
    sr.Session.load(saved)
    session: Any = sr.Session.load(path)
    with sr.Session(session.player, max_open=session.max_open, journal=path) as live:
        assert play_on(live) is None
    read_journal_log(path)


def use_results(folder: Path) -> None:
    """Read the table, every set, every ledger, and write the report."""
    experiment = load_experiment(folder)
    assert isinstance(load_cells(folder).to_dicts(), list)
    for run in experiment.finished:
        detail = experiment.detail(run)
        for index in range(len(detail.days)):
            detail.ledger(index)
            detail.decomposition(index)
    result = CliRunner().invoke(app, ["results", str(folder)])
    assert result.exit_code in (0, 2), repr(result.exception)
    result = CliRunner().invoke(app, ["report", str(folder)])
    assert result.exit_code in (0, 2), repr(result.exception)


def use_network(read: Callable[[Path], Any], path: Path) -> None:
    """Read a network and make sets of it; what is no tree or route may be refused there."""
    network = read(path)
    for start in [edge[0] for edge in network.edges[:1]]:
        for make in (lambda: sr.SpanningTrees(network.undirected().edges), partial(network.acyclic_from, start)):
            try:
                make()
            except SwapRegretError:
                continue


SPEC = b"""name = "x"
seed = 1
replications = 2
horizons = [60, 1e2]
measure = { regrets = "ledger", windows = [10], certificate = true }
checkpoints = { ratio = 2.0, first = 20 }
players = ["uniform", { kind = "swap_combcp", preset = "multiscale", feedback = ["bandit", "full"] }]
environments = ["iid", { kind = "cyclic", phases = 3 }]

[[sets]]
kind = "msets"
dimension = 5
size = 2
labels = ["a", "b", "c", "d", "e"]

[[sets]]
name = "city"
kind = "paths"
edges = [["s", "a"], ["a", "t"], ["s", "t"]]
source = "s"
sink = "t"
"""
SMALL = b"""horizons = 40
replications = 2
sets = "msets 5 2"
environments = "iid"
players = ["uniform", { kind = "swap_combcp", preset = "multiscale" }]
measure = { windows = [10], certificate = true }
checkpoints = [20, 40]
"""
TEXTS: dict[str, tuple[str, bytes, Read]] = {
    "edges": (
        "x.csv",
        b'from,to,time\n# streets\na,b,1.5\nb,c,2\na,c,3\n"d",a,4\n',
        partial(use_network, sr.networks.read_edges_csv),
    ),
    "tntp": (
        "x.tntp",
        b"<NUMBER OF NODES> 3\n<NUMBER OF LINKS> 2\n<END OF METADATA>\n~ init_node term_node capacity ;\n1 2 10 ;\n2 3 5.5 ;\n",
        partial(use_network, sr.networks.read_tntp),
    ),
    "gml": (
        "x.gml",
        b'graph [\n node [ id 0 label "a" ]\n node [ id 1 label "b" ]\n edge [ source 0 target 1 weight 1.5 ]\n]\n',
        partial(use_network, sr.networks.read_gml),
    ),
    "graphml": (
        "x.graphml",
        b'<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n<graph edgedefault="undirected">\n'
        b'<node id="a"/>\n<node id="b"/>\n<edge source="a" target="b"/>\n</graph>\n</graphml>\n',
        partial(use_network, sr.networks.read_graphml),
    ),
    "nfg": ("x.nfg", b'NFG 1 R "x" { "a" "b" } { 2 2 }\n1 1 0 0 0 0 1 1\n', games.read_nfg),
    "spec": ("x.toml", SPEC, read_plan),
    "log": (
        "x.csv",
        b"action,reward:0,reward:1,reward:2,note\n0;1,0.1,0.2,0.3,x\n1;2,0.1,0.2,0.3,y\n0;2,0,1,0,\n",
        partial(read_log, actions=sr.MSets(3, 2)),
    ),
    "totals": (
        "x.csv",
        b"round,indices,probability,reward\n1,0;1,0.5,0.3\n1,1;2,0.5,\n2,0;2,1,0.7\n",
        partial(read_log, actions=sr.MSets(3, 2)),
    ),
}


# ---- the test --------------------------------------------------------------------------------------------------------


def verdict(path: Path, named: Path, data: bytes, read: Read) -> str | None:
    """Read a file that is wrong somewhere, and say what is wrong with what came of it, or None."""
    try:
        with np.errstate(all="ignore"):
            in_time(lambda: (path.write_bytes(data), read(named)))
    except SwapRegretError as error:
        return None if str(named) in str(error) else f"was refused without its name: {error}"
    except TookTooLong:
        return "took too long"
    except Exception as error:
        return f"raised {error!r:.300}"
    return None


def complaints(name: str, path: Path, named: Path, spoil: Spoil, read: Read) -> str:
    """Spoil a file many times, and return what was wrong with what came of it."""
    data, found = path.read_bytes(), []
    read(named)  # as it should be: everything is compiled
    rng = np.random.default_rng([SEED, zlib.crc32(name.encode())])
    data = path.read_bytes() if path.suffix != ".journal" else data
    for number in range(FILES):
        spoilt, how = spoil(data, rng)
        complaint = verdict(path, named, spoilt, read)
        if complaint is not None:
            found.append(f"file {number}: {how}: {complaint}")
    path.write_bytes(data)
    return "\n".join(found)


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name: str, tmp_path: Path) -> None:
    """Networks, games, specs and logs: a text with one word or line changed is refused by name, or read."""
    file, data, read = TEXTS[name]
    path = tmp_path / file
    path.write_bytes(data)
    assert not (found := complaints(name, path, path, mutate_text, read)), found


@pytest.mark.parametrize("player", ["adaptive", "multiscale", "exp3"])
def test_journals(player: str, tmp_path: Path) -> None:
    """A journal whose snapshot or event is another: checked, repaired, loaded and opened, or refused by name."""
    from tests.fuzz.test_crafted_files import PLAYERS, reward_of

    path = tmp_path / "x.journal"
    snapshot = begun(PLAYERS[player](SETS["MSets"])).snapshot()
    write_journal(path, snapshot, [])
    session: Any = sr.Session(sr.Session.from_bytes(snapshot).player, max_open=3, journal=path)
    session.skip(day=session.open_decisions[0].day)
    for _ in range(3):
        session.observe(reward_of(session), session.open_decisions[0])
        session.act()
    session.close()
    assert len(scan_journal(path).events) == 7
    assert not (found := complaints(player, path, path, spoil_journal, use_journal)), found


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder of results."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "x.toml").write_bytes(SMALL)
    plan, data = read_plan(folder / "x.toml")
    run_plan(plan, data, folder / "results", jobs=1)
    return folder / "results"


def sealed(folder: Path, run: str) -> None:
    """Make the seal of a run fit its files again."""
    runs = folder / "runs"
    sums = {kind: hashlib.sha256((runs / f"{run}.{kind}").read_bytes()).hexdigest() for kind in ("parquet", "detail")}
    (runs / f"{run}.json").write_text(json.dumps(sums))
    for old in folder.glob("cells/*"):
        old.unlink()


@pytest.mark.parametrize("file", ["resolved.json", "environment.json", "detail", "timing.json", "parquet"])
def test_results(file: str, results: Path) -> None:
    """A folder of results in which one file is another, under right checksums: refused with its name, or shown."""
    run = load_experiment(results).runs[-1].id
    path = results / file if (results / file).exists() else results / "runs" / f"{run}.{file}"
    spoil: Spoil = partial(spoil_checked, "run detail") if file == "detail" else spoil_json
    spoil = mutate_text if file == "parquet" else spoil

    def read(folder: Path) -> None:
        sealed(folder, run)
        use_results(folder)

    assert not (found := complaints(file, path, results, spoil, read)), found


def test_plays(tmp_path: Path) -> None:
    """A correlated play with one thing changed is refused by name, or can be measured."""
    game, path = games.make_game({"kind": "blotto", "troops": [3, 2], "fields": 3}), tmp_path / "x.play"
    players = [sr.swap_combcp(actions, 200, preset="multiscale") for actions in game.action_sets]
    games.self_play(game, players, 200, rng=0, windows=10).play.save(path)

    def read(path: Path) -> None:
        assert np.isfinite(games.certify(CorrelatedPlay.load(path)).epsilon)

    assert not (found := complaints("play", path, path, partial(spoil_checked, "correlated play"), read)), found


@pytest.mark.parametrize("name", SETS)
def test_policies_of_logs(name: str, tmp_path: Path) -> None:
    """A log whose column `policy` holds a policy with one thing changed is refused by name, or read."""
    import base64

    actions, path = SETS[name], tmp_path / "x.csv"
    drawn = (
        actions.gibbs(np.linspace(0.0, 1.0, actions.dimension)) if actions.has_gibbs else actions.exploration_policy()
    )
    plain = zlib.decompress(base64.b64decode(policy_cell(drawn)))
    play = ";".join(str(index) for index in np.flatnonzero(drawn.sample(np.random.default_rng(0))))

    def spoil(data: bytes, rng: Rng) -> tuple[bytes, str]:
        changed, how = mutate_plain({"policy": json.loads(plain)}, rng)
        cell = base64.b64encode(zlib.compress(json.dumps(changed.get("policy")).encode()))
        return b"indices,reward,policy\n" + play.encode() + b",0.5," + cell + b"\n", how

    def read(path: Path) -> None:
        (policy,) = read_log(path, actions).policies or ()
        assert policy.sample(np.random.default_rng(1)) in actions
        assert np.isfinite(policy.marginals()).all()

    path.write_text(f"indices,reward,policy\n{play},0.5,{policy_cell(drawn)}\n")
    assert not (found := complaints(name, path, path, spoil, read)), found

"""Days as they are: what masks cost, what contexts and a history are worth, how often an uplift is a false alarm.

    python benchmarks/days.py                    all tables (half an hour on one core)
    python benchmarks/days.py steps same         some of them: steps, same, differ, history, uplift
    python benchmarks/days.py differ --runs 1    one seed instead of several

Every table says what it should show, and what it showed. Rewards are means per day, as received; players compared with one
another meet the same rewards.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import swapregret as sr
from swapregret.playing.course import Course
from swapregret.sessions.uplift import UpliftSums, evidence

ACTIONS = sr.MSets(10, 3, labels="abcdefghij")
UNMEASURED = {"measure": "none", "realised": False, "windows": (), "certificate": False, "capacity": None}
World = Callable[[int, int], sr.environments.Environment]
WORLDS: dict[str, World] = {
    "iid": lambda horizon, seed: sr.environments.iid(ACTIONS, horizon, rng=seed),
    "pieces": lambda horizon, seed: sr.environments.piecewise(ACTIONS, horizon, rng=seed),
    "cycle": lambda horizon, seed: sr.environments.cyclic(ACTIONS, horizon, rng=seed),
}


def totals(player: Any, world: sr.environments.Environment, seed: int, *days: int, history: Any = None) -> np.ndarray:
    """Return what a player earned in all up to some days."""
    past = None if history is None else sr.Log.read(history, ACTIONS, reward_range=(0, 1))
    course, found = Course(player, world, np.random.SeedSequence(seed), UNMEASURED, past), []
    for day in days:
        course.advance(day)
        found.append(course.reward * day)
    return np.array(found)


def steps(_: int) -> Iterator[str]:
    """Time a step of a session: 20 recurring masks at most 3 times one without, a new mask every day at most 1 ms."""
    rng, n = np.random.default_rng(0), 4_000
    masks = [tuple(sorted(rng.choice(10, size=2, replace=False).tolist())) for _ in range(20)]
    new = [tuple(np.flatnonzero(rng.random(10) < 0.35).tolist()) for _ in range(4 * n)]
    new = [mask for mask in new if 1 <= len(mask) <= 7]
    kinds: dict[str, Callable[[int], dict[str, Any]]] = {
        "plain": lambda day: {},
        "20 masks": lambda day: {"without": masks[day % 20]},
        "a new mask": lambda day: {"without": new[day]},
        "20 contexts": lambda day: {"context": day % 20},
        "20 contexts × 20 masks": lambda day: {"context": day % 20, "without": masks[(day // 20) % 20]},
    }
    plain = 0.0
    for name, told in kinds.items():
        session, began = sr.Session(sr.swap_combcp(ACTIONS, 100_000), rng=1), 0.0
        for day in range(2 * n):
            if day == n:
                began = time.process_time()
            decision = session.act(**told(day))
            session.observe(0.3 + 0.2 * float(decision.action[:2].sum()))
        taken = (time.process_time() - began) / n * 1e6
        plain = plain or taken
        yield f"{name:24} {taken:7.0f} µs   {taken / plain:4.1f} × plain"


def same(runs: int) -> Iterator[str]:
    """Play 20 contexts that are in truth the same, T = 10⁴: at least .97 of the reward of the player without contexts."""
    horizon = 10_000
    for name, world in WORLDS.items():
        shares = []
        for seed in range(runs):
            plain, player = world(horizon, seed), sr.swap_combcp(ACTIONS, horizon)
            names = np.random.default_rng(seed).integers(20, size=horizon).tolist()
            told = sr.environments.on_days(plain, contexts=names)
            shares.append([totals(player, each, seed, horizon)[0] / horizon for each in (told, plain)])
        mine, other = np.mean(shares, axis=0)
        yield f"{name:8} with {mine:.4f}   without {other:.4f}   share {mine / other:.3f}"


def differ(runs: int) -> Iterator[str]:
    """Play contexts that differ: at least .97 of one player per context at T = 10⁵, and better than it at 10³."""
    for horizon, contexts in ((1_000, 4), (1_000, 20), (100_000, 4)):
        for name, world in (WORLDS | {"related": None}).items():
            shares = []
            for seed in range(runs * (10 if horizon == 1_000 else 1)):
                made = world or partial(_related, common=sr.environments.iid(ACTIONS, horizon, rng=seed))
                parts = {index: made(horizon, 100 * seed + index) for index in range(contexts)}
                whole = sr.environments.by_context(parts, rng=seed)
                mine = totals(sr.swap_combcp(ACTIONS, horizon), whole, seed, horizon)[0]
                none = totals(sr.swap_combcp(ACTIONS, horizon), _untold(whole), seed, horizon)[0]
                alone = sum(
                    totals(sr.swap_combcp(ACTIONS, part.horizon), part, seed, part.horizon)[0]
                    for part in (_days_of(whole, index) for index in range(contexts))
                )
                shares.append([mine / horizon, alone / horizon, none / horizon])
            mine, alone, none = np.mean(shares, axis=0)
            share = f"share {mine / alone:.3f}"
            found = f"told {mine:.4f}   one player each {alone:.4f}   {share}   one for all {none:.4f}"
            yield f"T = {horizon:<7,} {contexts:2} {name:8} {found}"


def _related(horizon: int, seed: int, common: sr.environments.Environment) -> sr.environments.Environment:
    """Return a world of which two thirds are common to all contexts."""
    return sr.environments.mixture(
        [common, sr.environments.iid(ACTIONS, horizon, rng=seed + 1_000)], [2 / 3, 1 / 3], rng=seed
    )


def _untold(world: sr.environments.Environment) -> sr.environments.Environment:
    """Return the rewards of a world whose contexts nobody is told."""
    return sr.environments.replay(ACTIONS, 3.0 * world.rewards(0, world.horizon))


def _days_of(world: sr.environments.Environment, context: int) -> sr.environments.Environment:
    """Return the days of one context as a world of their own."""
    assert world.kinds is not None
    numbers = [number for number, kind in enumerate(world.kinds.listed) if kind.context == context]
    days = np.isin(world.kinds.of(np.arange(world.horizon)), numbers)
    return sr.environments.replay(ACTIONS, 3.0 * world.rewards(0, world.horizon)[days])


def history(runs: int) -> Iterator[str]:
    """Give 2,000 days of history: the first 200 days earn what days 2,000–2,200 do without; a changed world costs little."""
    n_past, horizon = 2_000, 10_000
    ends = (200, 500, 1_000, 2_000, 2_200)
    for world_name in ("iid", "apart"):
        found: dict[str, list[np.ndarray]] = {}
        for seed in range(4 * runs):
            level = {} if world_name == "iid" else {"high": 0.9, "low": 0.3}
            now = sr.environments.iid(ACTIONS, horizon, rng=seed, **level)
            before = sr.environments.iid(ACTIONS, n_past, rng=1_000 + seed, **level)
            player = sr.swap_combcp(ACTIONS, horizon)
            logs = {"still": _logged(now.with_noise(seed + 7), n_past, seed), "changed": _logged(before, n_past, seed)}
            found.setdefault("without", []).append(totals(player, now, seed, *ends))
            for kind, (plays, paid) in logs.items():
                rows = list(zip(plays, paid, strict=True))
                uniform = ACTIONS.uniform_policy()
                drawn = [(*row, uniform) for row in rows]
                found.setdefault(f"{kind}, policies unknown", []).append(totals(player, now, seed, *ends, history=rows))
                found.setdefault(f"{kind}, policies known", []).append(totals(player, now, seed, *ends, history=drawn))
        for name, rows in found.items():
            mean = np.mean(rows, axis=0)
            early = "   ".join(f"{total / day:.4f} to {day:,}" for total, day in zip(mean[:-1], ends[:-1], strict=True))
            yield f"{world_name:6} {name:26} {early}   days 2,000–2,200 {(mean[4] - mean[3]) / 200:.4f}"


def _logged(world: sr.environments.Environment, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return days of somebody who drew uniformly."""
    plays = ACTIONS.uniform_policy().sample_many(np.random.default_rng(seed), n)
    return plays, np.minimum(1.0, (plays * world.rewards(0, n)).sum(axis=1))


def uplift(_: int, n_runs: int = 1_000, n_days: int = 3_000) -> Iterator[str]:
    """Look every day at a session that is no better than its baseline: at most 5 % of 1,000 runs ever show an uplift."""
    rng = np.random.default_rng(3)
    for share in (0.05, 0.1, 0.3):
        for name in ("coins", "sixths", "a drift"):
            sums, alarmed = UpliftSums(), np.zeros(n_runs, dtype=bool)
            for day in range(n_days):
                kept = (rng.random(n_runs) < share).astype(float)
                level = 0.5 if name != "a drift" else 0.1 + 0.8 * day / n_days
                paid = rng.random(n_runs) < level if name != "sixths" else rng.integers(7, size=n_runs) / 6.0
                sums = sums.after(np.asarray(paid, dtype=float), kept, 0.0, share)
                for sign in (1.0, -1.0):
                    alarmed |= evidence(sign * np.maximum(sign * sums.gain, 0.0) * sign, sums.spread, share) >= 40.0
            yield f"hold-out {share:4.0%}, {name:8} {alarmed.mean():6.2%} of {n_runs:,} runs of {n_days:,} days"


TABLES: dict[str, Callable[[int], Iterator[str]]] = {
    each.__name__: each for each in (steps, same, differ, history, uplift)
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", help=f"{', '.join(TABLES)}; all if none is named")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    if unknown := set(given.tables) - set(TABLES):
        parser.error(f"tables must be some of {', '.join(TABLES)}: got {', '.join(sorted(unknown))}")
    for name in given.tables or TABLES:
        print(f"{name}: {TABLES[name].__doc__}")
        for line in TABLES[name](given.runs):
            print("  " + line, flush=True)


if __name__ == "__main__":
    main()

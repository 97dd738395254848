"""Slates beside Vowpal Wabbit and Open Bandit Pipeline, in one run: ``python benchmarks/slates.py [learn] [value] [--runs N]``.

A slate has three slots with five choices each, and all that is seen is its total. ``learn`` plays 10,000 days against Vowpal
Wabbit's slates (``pip install vowpalwabbit``), with several settings of which the best in hindsight is shown. ``value`` asks what a
fixed slate would have earned on uniform logs of 1,000 days, beside the slate estimator of Open Bandit Pipeline that needs only
totals (``pip install obp``). Neither is needed by the library.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

import swapregret as sr

SLOTS, CHOICES, HORIZON, LOG = 3, 5, 10_000, 1_000
ACTIONS = sr.Product(*(sr.MSets(CHOICES, 1) for _ in range(SLOTS)))
SETTINGS = [f"--epsilon {epsilon}{more}" for epsilon in (0.05, 0.2) for more in ("", " --power_t 0")]
WORLDS = {
    "iid": lambda seed: sr.environments.iid(ACTIONS, HORIZON, rng=seed),
    "piecewise": lambda seed: sr.environments.piecewise(ACTIONS, HORIZON, rng=seed),
    "cyclic": lambda seed: sr.environments.cyclic(ACTIONS, HORIZON, rng=seed),
    "iid, two contexts": lambda seed: sr.environments.by_context(
        {name: sr.environments.iid(ACTIONS, HORIZON, rng=2 * seed + name) for name in (0, 1)}, rng=seed
    ),
    "cyclic, two contexts": lambda seed: sr.environments.by_context(
        {name: sr.environments.cyclic(ACTIONS, HORIZON, rng=2 * seed + name) for name in (0, 1)}, rng=seed
    ),
}


def ours(world: sr.environments.Environment, seed: int) -> float:
    """Return the mean reward of the default."""
    return sr.play(sr.swap_combcp(ACTIONS, HORIZON), world, rng=seed, measure="none").reward


def theirs(world: sr.environments.Environment, seed: int, setting: str) -> float:
    """Return the mean reward of Vowpal Wabbit's slates."""
    from vowpalwabbit import Workspace

    learner = Workspace(f"--slates --quiet --random_seed {seed + 1} -q sa -q so {setting}")
    rng, rewards, earned = np.random.default_rng(seed), world.rewards(0, HORIZON), 0.0
    listed = [f"slates action {slot} |a {slot}_{choice}" for slot in range(SLOTS) for choice in range(CHOICES)]
    for day, vector in enumerate(rewards):
        shared = f"|s c{world.kind(day).context}"
        asked = [f"slates shared {shared}", *listed, *(f"slates slot |o {slot}" for slot in range(SLOTS))]
        chosen, total = [], 0.0
        for slot, chances in enumerate(learner.predict(asked)):
            weights = np.array([chance for _, chance in chances])
            choice, chance = chances[rng.choice(len(chances), p=weights / weights.sum())]
            chosen.append(f"slates slot {choice}:{chance} |o {slot}")
            total += vector[slot * CHOICES + choice]
        learner.learn([f"slates shared {-total} {shared}", *listed, *chosen])
        earned += total
    learner.finish()
    return earned / HORIZON


def learn(runs: int) -> Iterator[str]:
    """Play both."""
    for name, world in WORLDS.items():
        mine = np.mean([ours(world(seed), seed) for seed in range(runs)])
        found = {each: np.mean([theirs(world(seed), seed, each) for seed in range(runs)]) for each in SETTINGS}
        best = max(found, key=lambda each: found[each])
        yield f"{name:22} ours {mine:.3f}   Vowpal Wabbit {found[best]:.3f} ({best}), default {found[SETTINGS[0]]:.3f}"


def value(runs: int) -> Iterator[str]:
    """Value a fixed slate on uniform logs, by our two estimators and by theirs."""
    import pandas as pd
    from obp.ope import SlateStandardIPS

    policy, errors = ACTIONS.uniform_policy(), []
    for seed in range(50 * runs):
        rng = np.random.default_rng(seed)
        means = rng.random(ACTIONS.dimension) / SLOTS
        wanted = policy.sample(rng)
        plays = policy.sample_many(rng, LOG)
        totals = (rng.random((LOG, ACTIONS.dimension)) < means * SLOTS).astype(float) / SLOTS
        totals = (plays * totals).sum(axis=1)
        found = sr.evaluate(list(zip(plays, totals, strict=True)), wanted, actions=ACTIONS, policies="uniform")
        is_same = (plays == wanted).all(axis=1)
        slots = pd.DataFrame({"slate_id": np.repeat(np.arange(LOG), SLOTS), "position": np.tile(np.arange(SLOTS), LOG)})
        told: dict[str, Any] = {name: slots[name].to_numpy() for name in slots}
        told["reward"] = np.repeat(totals / SLOTS, SLOTS)
        told["pscore"] = np.full(LOG * SLOTS, CHOICES**-SLOTS)
        told["evaluation_policy_pscore"] = np.repeat(is_same.astype(float), SLOTS)
        theirs = SlateStandardIPS(len_list=SLOTS).estimate_policy_value(**told)
        truth = float(means @ wanted)
        errors.append([found.pseudo_inverse.value - truth, found.value - truth, theirs - truth])
    names = "pseudo-inverse", "doubly robust", "Open Bandit Pipeline, SlateStandardIPS"
    for name, error in zip(names, np.array(errors).T, strict=True):
        yield f"{name:40} root mean square error {np.sqrt((error**2).mean()):.4f}   mean error {error.mean():+.4f}"


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["learn", "value"])
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    for part in given.parts:
        for line in {"learn": learn, "value": value}[part](given.runs):
            print(line, flush=True)


if __name__ == "__main__":
    main()

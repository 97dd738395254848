"""A simulated application: a page shows 3 of 8 teasers, clicks come late or never, and tastes change halfway.

Start `swapregret serve`, then: python examples/service/application.py [URL] [VISITS]. Watch it at the URL while it runs.
"""

import random
import sys
from typing import Any

from swapregret.client import Client

TEASERS = ["arts", "chess", "cooking", "film", "music", "science", "sports", "travel"]
MORNING = dict(zip(TEASERS, (0.05, 0.05, 0.1, 0.1, 0.2, 0.5, 0.4, 0.3), strict=True))
EVENING = dict(zip(TEASERS, (0.3, 0.1, 0.5, 0.4, 0.2, 0.05, 0.1, 0.1), strict=True))


def clicks(elements: list[str], tastes: dict[str, float], luck: random.Random) -> int:
    """Return how many of the teasers a visitor clicks."""
    return sum(luck.random() < tastes[each] for each in elements)


def run(url: str, visits: int) -> dict[str, Any]:
    """Serve visitors; report their clicks in any order, some never: the deadline looks after those."""
    luck, waiting = random.Random(1), {}
    with Client(url) as client:
        problem = client.create(
            f"msets 8 3 labels={','.join(TEASERS)}",
            name="Front page",
            horizon=max(visits, 100),
            reward_range=[0, 3],
            deadline=60.0,
            default_reward=0.0,
            seed=1,
        )["id"]
        for visit in range(visits):
            (decision,) = client.decide(problem)["decisions"]
            tastes = MORNING if visit < visits / 2 else EVENING
            if luck.random() < 0.98:  # 2 % of the visitors are never heard of again
                waiting[decision["id"]] = float(clicks(decision["elements"], tastes, luck))
            if len(waiting) >= 20:
                sent = dict(luck.sample(sorted(waiting.items()), 15))
                client.rewards(problem, sent)
                waiting = {id: reward for id, reward in waiting.items() if id not in sent}
        if waiting:
            client.rewards(problem, waiting)
        found: dict[str, Any] = client.problem(problem)
    return found


if __name__ == "__main__":
    shown = run(
        sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000", int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    )
    likely = sorted(zip(shown["marginals"], shown["labels"], strict=True), reverse=True)[:3]
    print(
        f"{shown['n_decisions']} visits, {shown['mean_reward']:.3f} clicks a visit, {shown['n_open']} not heard of (yet)"
    )
    print("most likely now:", ", ".join(f"{label} {chance:.2f}" for chance, label in likely))

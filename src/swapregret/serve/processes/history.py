"""What the figures show, in bounded memory: rewards and marginals in buckets of days, and estimates of the reward vector.

A bucket is twice as wide whenever the buckets are full, and estimates are kept for every stride-th day, with a stride that
doubles alike. So a million days take as much room as a thousand, and the same events give the same history.
"""

import math
from collections.abc import Hashable

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Matrix, NamedArrays, Vector
from swapregret.errors import NotConverged
from swapregret.files.storage import Json, from_bytes, to_bytes
from swapregret.geometry.solve import Solver
from swapregret.learners.player import Decision, Feedback
from swapregret.learners.round.held_view import Blend, Drawn, HeldOut
from swapregret.sessions.feedback import RewardReader
from swapregret.sessions.uplift import UpliftSums, uplift_of
from swapregret.units import Units

_BUCKETS = 128
_SAMPLES = 1024
_FIRST_STRIDE = 4
_FIRST_SWAP, _SWAP_GROWTH = 32, 1.15
_LARGEST_DIMENSION = 400
_POINTS, _FEWEST = 24, 8
_CONFIDENCE = 0.95


def unbiased(actions: ActionSet, feedback: Feedback, decision: Decision, seen: "float | Vector") -> Vector:
    r"""Return an unbiased estimate of the reward vector of a day, from what was seen and the policy that drew the action.

    Bandit feedback: :math:`r\,\Sigma^+ M`; semi-bandit: :math:`r_i / P(i)` on the chosen elements; full: what was seen.
    """
    if feedback == "full":
        return np.asarray(seen)
    if feedback == "semi-bandit":
        chosen = decision.action > 0
        return np.divide(seen, decision.marginals, out=np.zeros(actions.dimension), where=chosen)
    solve = getattr(decision.held, "solve", None) or Solver(decision.policy, actions.span).solve
    return np.asarray(seen * solve(decision.action))


def regret_curve(actions: ActionSet, samples: Matrix) -> list[dict[str, float]]:
    """Return estimated external regret per day so far, rewards in [0, 1]: two estimates and twice their errors around them.

    From above: the best action of the estimates, judged by the same estimates, is too good in expectation. From below: the best
    action of one half of the days judged on the other. Samples are as of ``History.samples``.
    """
    found = []
    for count in sorted({round(part * len(samples) / _POINTS) for part in range(1, _POINTS + 1)}):
        if count >= _FEWEST:
            rows, even, odd = samples[:count], samples[:count:2], samples[1:count:2]
            above, error = _judge(actions, rows, rows)
            (first, first_error), (second, second_error) = _judge(actions, even, odd), _judge(actions, odd, even)
            low = first + second - 2.0 * math.hypot(first_error, second_error)
            ends = {"value": above / count, "low": low / count, "high": (above + 2.0 * error) / count}
            found.append({"day": float(rows[-1, 0]), **ends})
    return found


def _judge(actions: ActionSet, days: Matrix, chosen_on: Matrix) -> tuple[float, float]:
    """Return Σ (R̃·M − r) of some days, M the best action by the estimates of others, and its standard error."""
    terms = days[:, 2:] @ actions.argmax(chosen_on[:, 2:].sum(axis=0)) - days[:, 1]
    return float(terms.sum()), math.sqrt(len(terms)) * float(terms.std(ddof=1))


class History:
    """Rewards, marginals and estimates of one problem."""

    def __init__(self, actions: ActionSet, feedback: Feedback) -> None:
        self._actions, self._feedback = actions, feedback
        self.width = 1
        self.stride = _FIRST_STRIDE
        self._rewards = np.zeros((_BUCKETS, 3))  # count, sum, sum of squares
        self._marginals = np.zeros((_BUCKETS, actions.dimension))
        self._decided = np.zeros(_BUCKETS)
        self._absent = np.zeros(actions.dimension)  # on how many days each element was missing
        self._began = np.full(_BUCKETS, np.inf)  # when the first decision of each bucket was made
        self._swap = np.zeros((0, 2))  # day, and swap regret up to it as the player estimates it
        self._samples = np.zeros((_SAMPLES, actions.dimension + 2))  # day, reward in [0, 1], estimate
        self._n_samples = 0
        self.contexts: dict[Hashable, UpliftSums] = {}  # what was earned in each, beside its hold-out too

    def decided(self, decision: Decision, at: float = 0.0, missing: tuple[int, ...] = ()) -> None:
        """Add the marginals of a decision, when it was made, and what was missing."""
        index = self._bucket(decision.day)
        if decision.context is not None:
            self.contexts.setdefault(decision.context, UpliftSums())
        self._absent[list(missing)] += 1.0
        self._began[index] = min(self._began[index], at)
        self._marginals[index] += decision.marginals
        self._decided[index] += 1.0

    def rewarded(self, decision: Decision, total: float, reported: npt.ArrayLike, reader: RewardReader) -> None:
        """Add what was reported of a decision; ``total`` is its sum."""
        row = self._rewards[self._bucket(decision.day)]
        row[0] += 1.0
        row[1] += total
        row[2] += total * total
        held = decision.held
        own = held.inner if isinstance(held, HeldOut) else held
        parts = own.parts if isinstance(own, Blend) else (own,)
        is_whole = not any(isinstance(part, Drawn) for part in parts)  # of missing elements such a day says nothing
        seen = reader.read(reported, decision.action)
        scaled = float(seen) if isinstance(seen, float) else float(np.asarray(seen) @ decision.action)
        if decision.context is not None:
            is_kept = isinstance(held, HeldOut) and np.array_equal(decision.action, held.baseline)
            chances = (held.spared, held.share) if isinstance(held, HeldOut) else (1.0, 0.0)
            self.contexts[decision.context] = self.contexts[decision.context].after(scaled, float(is_kept), *chances)
        if is_whole and decision.day % self.stride == 0 and self._actions.dimension <= _LARGEST_DIMENSION:
            try:
                estimate = unbiased(self._actions, self._feedback, decision, seen)
            except (ArithmeticError, np.linalg.LinAlgError, NotConverged):
                return  # Σ is singular to working precision: the figures do without this day
            self._samples[self._n_samples] = (decision.day, scaled, *estimate)
            self._n_samples += 1
            while self._n_samples == _SAMPLES:
                self.stride *= 2
                kept = self._samples[self._samples[:, 0] % self.stride == 0]
                self._n_samples = len(kept)
                self._samples[: len(kept)] = kept

    def _bucket(self, day: int) -> int:
        while day >= self.width * _BUCKETS:
            self.width *= 2
            for array in (self._rewards, self._marginals, self._decided):
                half = array[0::2] + array[1::2]
                array[: len(half)], array[len(half) :] = half, 0.0
            half = np.minimum(self._began[0::2], self._began[1::2])
            self._began[: len(half)], self._began[len(half) :] = half, np.inf
        return day // self.width

    def wants_swap(self, n_days: int) -> bool:
        """Tell whether it is time to note swap regret again: ever more rarely, since looking costs an eigenvalue decomposition."""
        return n_days >= max(_FIRST_SWAP, _SWAP_GROWTH * self._swap[-1, 0] if len(self._swap) else 0.0)

    def note_swap(self, n_days: int, estimate: float) -> None:
        """Note swap regret up to a day."""
        self._swap = np.vstack([self._swap, (n_days, estimate)])

    # ---- for figures ---------------------------------------------------------------------------------------------

    def rewards(self) -> list[dict[str, float]]:
        """Return mean and standard error of each bucket that has rewards, by its first day."""
        found = []
        for index, (count, total, squares) in enumerate(self._rewards.tolist()):
            if count:
                mean = total / count
                spread = max(0.0, squares / count - mean * mean)
                found.append({"day": index * self.width, "mean": mean, "error": math.sqrt(spread / count)})
        return found

    def swap_curve(self) -> list[dict[str, float]]:
        """Return estimated swap regret per day so far; it is never negative."""
        return [{"day": day, "value": max(0.0, total / day)} for day, total in self._swap.tolist()]

    def times(self) -> list[list[float]]:
        """Return the first day of each bucket, and when it was."""
        return [[index * self.width, at] for index, at in enumerate(self._began.tolist()) if math.isfinite(at)]

    def marginals(self) -> list[list[float]]:
        """Return the mean marginals of each bucket, oldest first."""
        used = np.flatnonzero(self._decided)
        means = self._marginals[used] / self._decided[used, None]
        return [[round(value, 4) for value in row] for row in means.tolist()]

    def absent(self) -> list[float]:
        """Return on how many days each element was missing."""
        return self._absent.tolist()

    def by_context(self, units: Units, holdout: float | None) -> list[Json]:
        """Return the decisions with a reward in each context, their mean and, with a hold-out, the uplift between two ends."""
        found = []
        for context, sums in self.contexts.items():
            n_days = int(sums.n_days)
            row: Json = {"context": context, "n_days": n_days}
            row["mean"] = units.amount(sums.total / n_days) if n_days else None
            if holdout is not None and n_days:
                uplift = uplift_of(sums, holdout, units, _CONFIDENCE)
                row |= {"uplift": uplift.value, "lower": uplift.lower, "upper": uplift.upper}
            found.append(row)
        return found

    def samples(self) -> Matrix:
        """Return day, reward in [0, 1] and estimated reward vector of the days that were kept, by day."""
        rows = self._samples[: self._n_samples]
        return np.asarray(rows[np.argsort(rows[:, 0], kind="stable")])

    # ---- for snapshots -------------------------------------------------------------------------------------------

    def dump(self) -> bytes:
        """Write the history as bytes."""
        arrays: NamedArrays = {
            "rewards": self._rewards,
            "marginals": self._marginals,
            "decided": self._decided,
            "samples": self._samples[: self._n_samples],
            "absent": self._absent,
            "began": self._began,
            "swap": self._swap,
        }
        contexts = [[name, list(sums)] for name, sums in self.contexts.items()]
        return to_bytes("history", {"width": self.width, "stride": self.stride, "contexts": contexts}, arrays)

    def load(self, data: bytes) -> None:
        """Take over what ``dump`` wrote."""
        numbers, arrays = from_bytes("history", data, "the history of a problem")
        self.width, self.stride = numbers["width"], numbers["stride"]
        self.contexts = {name: UpliftSums(*sums) for name, sums in numbers.get("contexts", ())}
        self._rewards, self._marginals, self._decided = (arrays[name] for name in ("rewards", "marginals", "decided"))
        self._began, self._swap, self._absent = (arrays[name] for name in ("began", "swap", "absent"))
        self._n_samples = len(arrays["samples"])
        self._samples[: self._n_samples] = arrays["samples"]

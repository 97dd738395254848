r"""What replications say of the expectation: from above, from below, and how far off they may be.

With a finite number of replications the plug-in value :math:`\max_\phi \hat{\mathbb E}[\dots]` is too high on average: φ
fits the noise of the very runs it is judged on. Fitting φ on one half of the runs and judging it on the other is too low
on average: φ is not the best one. The truth is between the two expectations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swapregret.arrays import Vector
from swapregret.errors import InvalidInput
from swapregret.regret.ledgers.answers import AnswerRule, Answers, answer
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.measure import Regret, standard_error
from swapregret.regret.notions import swap_regret
from swapregret.units import Units

_BOOTSTRAP_SEED = 0xB007
_DRAWS = 2000


@dataclass(frozen=True, eq=False)
class TwoSided:
    """Swap regret from replications, both sides.

    Attributes
    ----------
    plug_in : Regret
        Maximum over φ of the mean ledger: at least the truth, in expectation.
    sample_split : Regret
        Mean gain on held-out runs of rules found on the others: at most the truth, in expectation.
    interval : (float, float)
        Lower 2.5 % point of the bootstrapped held-out gains, upper 97.5 % point of the bootstrapped plug-in gains; an end
        below 0 is moved to 0, since not to deviate is a rule and swap regret is never negative.
    n_replications : int
    """

    plug_in: Regret
    sample_split: Regret
    interval: tuple[float, float]
    n_replications: int

    def in_units(self, units: Units) -> "TwoSided":
        """Return the same in what people count, of regrets on the scale [0, 1]."""
        low, high = self.interval
        interval = (units.scale * low, units.scale * high)
        return TwoSided(self.plug_in.in_units(units), self.sample_split.in_units(units), interval, self.n_replications)

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"swap regret between {self.sample_split.value:.6g} (split, biased down) and {self.plug_in.value:.6g}"
            f" (plug-in, biased up); bootstrap interval [{low:.6g}, {high:.6g}], {self.n_replications} replications"
        )


def two_sided_swap(answers: Answers) -> TwoSided:
    """Return plug-in and sample-split swap regret of two replications or more, with a bootstrap interval.

    Even runs are judged by the rule of the odd ones and the other way round. An action that the fitting half never
    played is answered by that half's best fixed action. The bootstrap resamples replications 2,000 times with the rules
    held fixed and a seed of its own.
    """
    runs = answers.runs
    if len(runs) < 2:
        raise InvalidInput(
            "`ledgers` must be of at least two replications", f"{len(runs)}", "Play with replications=8, for example."
        )
    plug_in = swap_regret(answers)
    held_out = np.zeros(len(runs))
    for first in (0, 1):
        rule = _fit(answers, runs[1 - first :: 2])
        held_out[first::2] = [rule.gain(run) for run in runs[first::2]]
    best = AnswerRule.of(answers)
    fitted = np.array([best.gain(run) for run in runs])
    shift = plug_in.value - float(fitted.mean())
    sample_split = Regret.point(
        float(held_out.mean()),
        standard_error(held_out.tolist()),
        plug_in.n_days,
        "swap regret by sample splitting: rules fitted on half of the replications, judged on the other half; at most"
        " the paper's swap regret, in expectation",
    )
    value = (
        plug_in.value
    )  # between the ends but for rounding, of which nobody should see an interval the wrong way round
    low, high = min(_bootstrap(held_out, 2.5), value), max(_bootstrap(fitted + shift, 97.5), value)
    return TwoSided(plug_in, sample_split, (max(0.0, low), high), len(runs))


def _fit(answers: Answers, runs: Sequence[Ledger]) -> AnswerRule:
    """Return the best rule of some of the runs, with entries only for actions nothing of which was ever pooled."""
    actions, all_runs, fit = answers.actions, answers.ledger, answer(answers.actions, runs)
    allowed = fit.ledger.rows.whole
    if all_runs.pooled.n_pools:
        everyone = AnswerRule(all_runs.rows.keys, all_runs.rows.keys, actions.argmax(all_runs.total))
        allowed = allowed & all_runs.rows.whole[everyone.find(fit.ledger.rows.keys)]
    return AnswerRule.of(fit, allowed)


def _bootstrap(gains: Vector, percent: float) -> float:
    rng = np.random.default_rng(_BOOTSTRAP_SEED)
    draws = gains[rng.integers(len(gains), size=(_DRAWS, len(gains)))].mean(axis=1)
    return float(np.percentile(draws, percent))

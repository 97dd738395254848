r"""A rule φ: what to choose whenever M was chosen.

A rule found on some runs can be tried on others: its gain there, :math:`\sum_M V[M]\cdot(\phi(M) - M)`, is linear in
the ledger and needs no maximum, so its mean over runs is unbiased and has an ordinary standard error.
"""

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Action, Words
from swapregret.compiled.bits import unpack_rows
from swapregret.regret.ledgers.answers import Answers
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.ledgers.kernels.row_sums import find_rows, reading, rebuild_slots

__all__ = ["Rule"]


class Rule:
    """A table of answers, and one answer for all other actions.

    Parameters
    ----------
    keys, choices : uint64 arrays, shape (n, words)
        Packed actions and what to choose instead.
    otherwise : Action
        What to choose instead of any other action.
    """

    def __init__(self, keys: Words, choices: Words, otherwise: Action) -> None:
        self.keys = np.array(keys)
        self.choices = choices
        self.otherwise = otherwise
        self._slots = np.zeros(1 << (2 * max(len(keys), 1) - 1).bit_length(), dtype=np.int32)
        rebuild_slots(self._slots, self.keys, len(keys))

    @classmethod
    def of(cls, answers: Answers, otherwise: Action, allowed: npt.NDArray[np.bool_] | None = None) -> "Rule":
        """Return the best rule of a ledger that answers whole rows one by one, and all else by one action."""
        use = answers.ledger.rows.whole if allowed is None else allowed
        return cls(answers.ledger.rows.keys[use], answers.choices[use], otherwise)

    def find(self, words: Words) -> npt.NDArray[np.int64]:
        """Return where actions stand in the table, −1 for those that do not."""
        return find_rows(self._slots, self.keys, reading(words))

    def gain(self, ledger: Ledger) -> float:
        """Return what following the rule would have added to a run; laws too many to keep count at their worst."""
        place = self.find(ledger.rows.keys)
        known = place >= 0
        answers = np.zeros_like(ledger.rows.keys)
        answers[known] = self.choices[place[known]]
        total = float(ledger.rows.dot(answers).sum())
        total += float((ledger.rows.total(~known) + ledger.pooled.values.sum(axis=0)) @ self.otherwise)
        if ledger.laws:
            played = unpack_rows(reading(self.keys), len(ledger.total))
            chosen = unpack_rows(reading(self.choices), len(ledger.total))
            for law in ledger.laws:
                weights = np.array([law.policy.probability(action) for action in played])
                total += float(weights @ (chosen @ law.value))
                total += max(0.0, 1.0 - float(weights.sum())) * float(law.value @ self.otherwise)
        if ledger.dropped is not None:
            total += ledger.dropped.lowest
        return total - ledger.earned

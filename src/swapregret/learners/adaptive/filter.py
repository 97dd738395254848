r"""What to play instead: the swap function itself, learned online and applied to the play.

For a recommended action a, :math:`v = V[a] + \tfrac{2}{|P|}\sum_{P} V_2/N_2` is what the world paid while a was recommended,
shrunk towards what it paid while pairs of its elements were. If another action is better under v by more than one
standard error, it is played in place of a: pairwise exchanges on m-sets, the oracle's best elsewhere.

May touch: ``arrays``, ``policy``, ``actions``, ``kernels``, ``learners.adaptive.vectors``, ``learners.adaptive.pooling``.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.actions.m_sets import MSets
from swapregret.arrays import Actions, Vector
from swapregret.kernels.ledger import pack_rows
from swapregret.kernels.swap_filter import best_exchanges, shrunken_vectors, take_answers
from swapregret.learners.adaptive.pooling import PairMeans
from swapregret.learners.adaptive.vectors import ActionVectors
from swapregret.policy import FinitePolicy

__all__ = ["FilteredLaw", "SwapFilter"]

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class FilteredLaw:
    """What a member recommends, and what is played when it does.

    Attributes
    ----------
    recommended : FinitePolicy
    words : packed atoms of ``recommended``
    instead : Actions
        What is played for each atom, row by row.
    played : FinitePolicy
        The law of that; ``recommended`` itself if the filter changed nothing.
    """

    recommended: FinitePolicy
    words: Words
    instead: Actions
    played: FinitePolicy

    @classmethod
    def make(cls, recommended: FinitePolicy, instead: Actions) -> "FilteredLaw":
        """Return the law with these replacements."""
        same = instead is recommended.atoms or np.array_equal(instead, recommended.atoms)
        played = recommended if same else FinitePolicy(instead, recommended.weights)
        return cls(recommended, pack_rows(recommended.atoms), recommended.atoms if same else instead, played)


@dataclass(frozen=True)
class SwapFilter:
    """The rule of replacement.

    Parameters
    ----------
    prior : float
        Weight of the pooled mean, in base windows.
    standard_errors : float
        How many standard errors a gain must exceed.
    """

    prior: float = 2.0
    standard_errors: float = 1.0

    def apply(
        self, actions: ActionSet, law: FinitePolicy, vectors: ActionVectors, pairs: PairMeans, noise: float
    ) -> Actions:
        """Return what to play for each atom of a law; ``noise`` is σ², the variance of an entry of X."""
        words = pack_rows(law.atoms)
        v, spread = shrunken_vectors(
            law.atoms,
            vectors.rows_of(words),
            vectors.values,
            vectors.squares,
            pairs.values,
            pairs.counts,
            pairs.squares,
            self.prior,
        )
        if isinstance(actions, MSets):
            return best_exchanges(law.atoms, v, self.standard_errors * np.sqrt(2.0 * noise * spread))
        return self._by_oracle(actions, law.atoms, v, self.standard_errors * np.sqrt(noise * spread))

    def _by_oracle(self, actions: ActionSet, atoms: Actions, v: npt.NDArray[np.float64], errors: Vector) -> Actions:
        """Replace an action by the oracle's best if the gain exceeds the error of a sum of that many entries."""
        asked = np.flatnonzero(errors > 0.0)
        if len(asked) == 0:
            return atoms
        return take_answers(atoms, v, errors, asked, actions.argmax_many(v[asked]))

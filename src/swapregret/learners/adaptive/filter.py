r"""What to play instead: the swap function itself, learned online and applied to the play.

For a recommended action a, :math:`v = V[a] + \tfrac{2}{|P|}\sum_{P} V_2/N_2` is what the world paid while a was recommended,
shrunk towards what it paid while pairs of its elements were. Played in place of a is the M that maximises
:math:`v\cdot M - \tau\,|a \setminus M|`, τ half the standard error of an exchange of two elements: every element that is given
up must be worth it. One oracle call finds M, with τ added to the entries of a; on m-sets these are pairwise exchanges.

May touch: ``arrays``, ``policy``, ``actions``, ``kernels``, ``learners.adaptive.vectors``, ``learners.adaptive.pooling``.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from swapregret.actions.base import ActionSet
from swapregret.actions.m_sets import MSets
from swapregret.kernels.ledger import unpack_rows
from swapregret.kernels.swap_filter import best_exchanges, favour_kept, shrunken_vectors, write_actions
from swapregret.learners.adaptive.listed_law import ListedLaw
from swapregret.learners.adaptive.pooling import PairMeans
from swapregret.learners.adaptive.vectors import ActionVectors

__all__ = ["FilteredLaw", "SwapFilter"]

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class FilteredLaw:
    """What a member recommends, and what is played when it does.

    Attributes
    ----------
    recommended : ListedLaw
    instead : packed actions
        What is played for each atom, row by row.
    played : ListedLaw
        The law of that; ``recommended`` itself if the filter changed nothing.
    """

    recommended: ListedLaw
    instead: Words
    played: ListedLaw

    @classmethod
    def make(cls, recommended: ListedLaw, instead: Words) -> "FilteredLaw":
        """Return the law with these replacements."""
        if np.array_equal(instead, recommended.words):
            return cls(recommended, recommended.words, recommended)
        return cls(recommended, instead, ListedLaw.merged(instead, recommended.weights, recommended.dimension))


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
    standard_errors: float = 0.5

    def apply(
        self, actions: ActionSet, law: ListedLaw, vectors: ActionVectors, pairs: PairMeans, noise: float
    ) -> Words:
        """Return what to play for each atom of a law, packed; ``noise`` is σ², the variance of an entry of X."""
        known, v, spread = shrunken_vectors(
            law.words,
            vectors.slots,
            vectors.keys,
            vectors.values,
            vectors.squares,
            pairs.values,
            pairs.counts,
            pairs.squares,
            self.prior,
        )
        if len(known) == 0 or not noise > 0.0:
            return law.words
        thresholds = self.standard_errors * np.sqrt(2.0 * noise * spread)
        if isinstance(actions, MSets):
            played = best_exchanges(unpack_rows(law.words[known], law.dimension), v, thresholds)
            return write_actions(law.words, known, played)
        favour_kept(law.words, known, v, thresholds)
        return write_actions(law.words, known, actions.argmax_many(v))

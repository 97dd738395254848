"""What the engines of the multi-scale master on all families of sets share: how a block is run, and the exploration law as arrays.

May touch: ``arrays``, ``policy``, ``kernels.master_arrays``, ``learners``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Matrix
from swapregret.kernels.master_arrays import Explore, Log, Memory, Rule
from swapregret.learners.engines.scales import Stretches, run_scales
from swapregret.learners.master import MasterState, SwapMaster
from swapregret.policy import Policy

__all__ = ["FamilyEngine", "explore_by"]


@dataclass(frozen=True)
class FamilyEngine(ABC):
    """Runs blocks for a master whose scales differ in nothing but their rates, on the sets of one family.

    Parameters
    ----------
    master : SwapMaster
    keeps_laws, keeps_plays : bool
        Whether to hand out the laws, and the actions, that were played.
    """

    master: SwapMaster
    keeps_laws: bool = False
    keeps_plays: bool = False
    driver: ClassVar[Callable[..., tuple[int, int, int]]]
    """The kernel that plays days."""

    @classmethod
    @abstractmethod
    def can_run(cls, master: SwapMaster) -> bool:
        """Tell whether the engine covers a master."""

    @property
    @abstractmethod
    def _setting(self) -> Any:
        """The set and its exploration law, as the driver takes them."""

    def run(self, state: MasterState, rng: np.random.Generator, rewards: Matrix) -> Stretches:
        """Play one day a row of ``rewards``, drawing from ``rng`` as stepping would."""
        return run_scales(
            self.master, state, rng, rewards, self._drive, keeps_laws=self.keeps_laws, keeps_plays=self.keeps_plays
        )

    def _drive(
        self, rng: np.random.Generator, rewards: Matrix, rule: Rule, memory: Memory, log: Log
    ) -> tuple[int, int, int]:
        return self.driver(rng, rewards, rule, self._setting, memory, log)


def explore_by(mu: Policy, coordinates: npt.NDArray[np.int64], *, is_listed: bool, has_moment: bool) -> Explore:
    """Return an exploration law as arrays: its list where it is one, its Σ on the coordinates where that is wanted.

    Examples
    --------
    >>> from swapregret.actions.m_sets import MSets
    >>> law = MSets(2, 1).exploration_policy("spanner")
    >>> explore_by(law, np.arange(2), is_listed=True, has_moment=True).moment
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    atoms, cumulative, moment = np.zeros((0, mu.dimension), dtype=np.int64), np.zeros(0), np.zeros((0, 0))
    if is_listed:
        law = mu.finite()
        atoms, cumulative = law.atoms.copy(), np.cumsum(law.weights)
    if has_moment:
        moment = np.ascontiguousarray(mu.cooccurrence()[np.ix_(coordinates, coordinates)])
    return Explore(atoms, cumulative, moment, np.array(mu.marginals()))

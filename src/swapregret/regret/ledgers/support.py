"""The support of a policy as packed actions and weights."""

from swapregret.arrays import Actions, Vector, Words
from swapregret.compiled.bits import pack_rows
from swapregret.policy import Policy
from swapregret.regret.ledgers.kernels.row_sums import reading

__all__ = ["Packer"]


_REMEMBERED = 4


class Packer:
    """Lists atoms, packed; remembers the tables it has packed last, which some learners share between all their laws.

    Examples
    --------
    >>> from swapregret.policy import FinitePolicy
    >>> words, weights = Packer().support(FinitePolicy([[1, 0], [1, 1]], [.25, .75]))
    >>> words.tolist(), weights.tolist()
    ([[1], [3]], [0.25, 0.75])
    """

    def __init__(self) -> None:
        self._tables: dict[int, tuple[Actions, Words]] = {}

    def support(self, policy: Policy) -> tuple[Words, Vector]:
        """List the atoms of positive weight; an action may come more than once.

        A policy with a method ``packed_support`` of its own is asked; any other lists its atoms.
        """
        own = getattr(policy, "packed_support", None)
        if own is not None:
            words, weights = own()
            return words, weights
        law = policy.finite()
        words, weights = self.pack(law.atoms), law.weights
        if not weights.all():
            played = weights > 0.0
            return words[played], weights[played]
        return words, weights

    def pack(self, atoms: Actions) -> Words:
        """Pack a list of actions, or remember how it was packed."""
        held = self._tables.get(id(atoms))
        if held is not None and held[0] is atoms:
            return held[1]
        words = pack_rows(reading(atoms))
        if len(self._tables) == _REMEMBERED:
            del self._tables[next(iter(self._tables))]
        self._tables[id(atoms)] = (atoms, words)
        return words

"""The end of a window of the adaptive master, where something goes wrong."""

from dataclasses import replace
from typing import Any

import numpy as np

import swapregret as sr
from swapregret.actions.hull import Hull
from swapregret.actions.m_sets.kernels.subsets import list_systematic
from swapregret.arrays import Floats, Words
from swapregret.compiled.address import set_of
from swapregret.compiled.kernel import kernel
from swapregret.testing.player_checks import state_of


@kernel
def list_unlikely(h: Any, point: Floats) -> tuple[Words, Floats, bool]:
    """List a point, and say that it is outside if its first entry is above .6."""
    words, chances = list_systematic(point, set_of(h).size, set_of(h).orders)
    return words, chances, point[0] <= 0.6


class Stubborn(sr.MSets):
    """m-sets that list no point in which the first element is likely."""

    def hull(self, mu: Any = None, *, variants: int = 1) -> Hull:
        """Return the operations, one of which is stubborn."""
        return replace(super().hull(mu, variants=variants), list_policy=list_unlikely)


def test_members_whose_point_cannot_be_listed_keep_their_list() -> None:
    """A session goes on with old lists, plays actions only, and lists again when points can be listed."""
    actions = Stubborn(5, 2)
    player = sr.swap_combcp(actions, 2000, swap_filter=False, experts=False, guarded=False, forecaster=False)
    session = sr.Session(player, rng=0)
    for _ in range(1000):
        action = session.act().action
        assert action.sum() == 2
        session.observe(0.9 * action[0])
    policies = state_of(session).state.policies
    assert (policies.n_atoms[:-2] > 0).all()
    points = state_of(session).state.learners.points
    assert (points[:, 0] > 0.6).any()
    assert (policies.marginals[:-2, 0] <= 0.6 + 1e-9).all()
    assert np.isfinite(session.act().policy.marginals()).all()

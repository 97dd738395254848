r"""A correlated play: a finite distribution over joint policies, which is what repeated play leaves behind.

.. math:: \sigma = \sum_w \frac{n_w}{T}\ p_{1,w} \otimes \cdots \otimes p_{n,w}

A mediator who draws a window w with probability n_w/T, then an action for each player from its policy of that window, and tells
each player its own, makes σ. If nobody can gain more than ε by a rule "when told M, play φ(M)", σ is an ε-correlated
equilibrium; if nobody can by one fixed action, an ε-coarse correlated one.
"""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapregret.arguments import checked
from swapregret.arrays import Action, Floats, Vector, as_integer, frozen
from swapregret.errors import InvalidInput
from swapregret.games.certificate import Certificate, Gap, certify_answers
from swapregret.games.kinds.normal_form import PROFILE_LIMIT, check_profiles, one_for, profiles
from swapregret.games.payoffs import Game
from swapregret.games.play_file import read_play, write_play
from swapregret.notebook import heat_figure, html_table, label_text
from swapregret.policy import Policy
from swapregret.randomness import Seed
from swapregret.regret.best_swap import BestSwap, best_swap
from swapregret.regret.ledgers.answers import Answers, answer
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.ledgers.read_plays import check_support
from swapregret.regret.notions import external_regret, internal_regret, swap_regret

_MOST_SHOWN = 60
"""Most actions of a player whose joint policy is drawn."""


@dataclass(frozen=True, eq=False)
class CorrelatedPlay:
    """A distribution over joint policies, one product of policies per window.

    Parameters
    ----------
    game : Game
    days : sequence of int
        How many days each window stands for: its weight.
    policies : sequence of sequences of Policy
        For each window one policy per player.

    Examples
    --------
    >>> from swapregret.games import chicken
    >>> from swapregret import FinitePolicy
    >>> dare, give = FinitePolicy([[1, 0]], [1.]), FinitePolicy([[0, 1]], [1.])
    >>> play = CorrelatedPlay(chicken(), [1, 1, 2], [(dare, give), (give, dare), (give, give)])
    >>> play.payoffs.tolist(), round(play.swap_gap(0).value, 12)
    ([5.25, 5.25], 0.0)
    """

    game: Game
    days: tuple[int, ...]
    policies: tuple[tuple[Policy, ...], ...]

    def __post_init__(self) -> None:
        days = tuple(as_integer(each, f"days[{index}]", 1) for index, each in enumerate(self.days))
        policies = tuple(tuple(row) for row in self.policies)
        dimensions = [actions.dimension for actions in self.game.action_sets]
        if not days or len(days) != len(policies):
            raise InvalidInput(
                "`days` must be positive whole numbers, one per window, as many as `policies` has rows",
                f"{len(days)} windows and {len(policies)} rows",
                "Give every window its days and its policies.",
            )
        for row in policies:
            if [policy.dimension for policy in row] != dimensions:
                raise InvalidInput(
                    f"each row of `policies` must be {len(dimensions)} policies of dimensions {dimensions}",
                    repr([policy.dimension for policy in row]),
                    "Give each player a policy over its own set.",
                )
        for player, actions in enumerate(self.game.action_sets):
            check_support(actions, [row[player] for row in policies], f"the policies of {self.game.names[player]}")
        object.__setattr__(self, "days", days)
        object.__setattr__(self, "policies", policies)

    # ---- the distribution ------------------------------------------------------------------------------------

    @property
    def n_windows(self) -> int:
        """Return how many windows there are."""
        return len(self.days)

    @cached_property
    def weights(self) -> Vector:
        """The probability of each window."""
        days = np.array(self.days, dtype=np.float64)
        return frozen(days / days.sum())

    def sample(self, rng: Seed = None) -> tuple[Action, ...]:
        """Draw a joint action: a window, then an action for each player."""
        source = np.random.default_rng(rng)
        window = int(source.choice(self.n_windows, p=self.weights))
        return tuple(policy.sample(source) for policy in self.policies[window])

    def marginals(self, player: int) -> Vector:
        """Return how likely the player is told each element."""
        return np.asarray(self.weights @ np.array([row[player].marginals() for row in self.policies]))

    # ---- what it pays ----------------------------------------------------------------------------------------

    @cached_property
    def payoffs(self) -> Vector:
        """The expected payoff of each player, in the units of the game."""
        earned = [self.ledger(player).earned for player in range(self.game.n_players)]
        total = float(sum(self.days))
        return frozen(np.array([self.game.payoff(player, each / total) for player, each in enumerate(earned)]))

    @property
    def welfare(self) -> float:
        """Return the sum of all expected payoffs."""
        return float(self.payoffs.sum())

    def expected_rewards(self, player: int, window: int) -> Vector:
        """Return the mean reward vector the others' policies of a window make for a player."""
        policies = self.policies[window]
        if self.game.has_expectation:
            return self.game.expected_rewards(player, [policy.marginals() for policy in policies])
        others = one_for(player, [policy.atoms for policy in policies])
        check_profiles(others, "Give the game `expected`, so that nothing needs to be listed.")
        weights = [np.ones(1) if index == player else policy.weights for index, policy in enumerate(policies)]
        total = np.zeros(self.game.action_sets[player].dimension)
        for places, actions in profiles(others):
            chance = math.prod(own[place] for own, place in zip(weights, places, strict=True))
            total += chance * self.game.rewards(player, actions)
        return total

    # ---- deviations --------------------------------------------------------------------------------------------

    @cached_property
    def _answers(self) -> dict[int, Answers]:
        return {}

    def ledger(self, player: int) -> Ledger:
        """Return for every action the player may be told the rewards of the world while it is."""
        return self.answers(player).ledger

    def answers(self, player: int) -> Answers:
        """Return the best answer to every action the player may be told; worked out once."""
        if player not in self._answers:
            book = SwapLedger(self.game.action_sets[player])
            for window, (days, policies) in enumerate(zip(self.days, self.policies, strict=True)):
                book.record(policies[player], days * self.expected_rewards(player, window), days)
            self._answers[player] = answer(self.game.action_sets[player], [book.close()])
        return self._answers[player]

    def swap_gap(self, player: int) -> Gap:
        """Return the gain of the best rule φ: the player's distance to a correlated equilibrium."""
        return Gap.of(swap_regret(self.answers(player)), self.game.scale(player))

    def internal_gap(self, player: int) -> Gap:
        """Return the gain of the best single exchange of one action for another."""
        return Gap.of(internal_regret(self.answers(player)), self.game.scale(player))

    def external_gap(self, player: int) -> Gap:
        """Return the gain of the best fixed action: the player's distance to a coarse correlated equilibrium."""
        regret = external_regret(self.game.action_sets[player], [self.ledger(player)])
        return Gap.of(regret, self.game.scale(player))

    def best_deviation(self, player: int, limit: int | None = 5) -> BestSwap:
        """Return the best rule of a player, in words when printed, the exchanges of largest gain first."""
        return best_swap(self.answers(player), limit)

    # ---- for people ----------------------------------------------------------------------------------------------

    def plot(self) -> Any:
        """Return a Plotly figure (extra ``experiments``): of two players with few actions the joint policy as a heat map.

        Otherwise, how likely each player is to be told each element, one map per play: players below each other, elements across.
        """
        game = self.game
        counts = [actions.n_actions for actions in game.action_sets]
        if len(counts) == 2 and all(count is not None and count <= _MOST_SHOWN for count in counts):
            table, title, (y_title, x_title) = joint_policy(self), "Joint policy of the play", game.names
            rows, columns = (
                [game.describe(player, row) for row in actions.enumerate()]
                for player, actions in enumerate(game.action_sets)
            )
        else:
            title, y_title, x_title = "How likely each player is to be told each element", "player", "element"
            width = max(actions.dimension for actions in game.action_sets)
            named = max(game.action_sets, key=lambda actions: actions.dimension)
            is_shared = all(actions.labels == named.labels for actions in game.action_sets)
            columns = [label_text(each, named.between) for each in (named.labels if is_shared else range(width))]
            rows = list(game.names)
            table = np.full((game.n_players, width), np.nan)
            for player, actions in enumerate(game.action_sets):
                table[player, : actions.dimension] = self.marginals(player)
        return heat_figure(table, rows=rows, columns=columns, title=title, x_title=x_title, y_title=y_title)

    def _repr_html_(self) -> str:
        rows = [
            [name, f"{payoff:.6g}", f"{self.swap_gap(player).value:.6g}", f"{self.external_gap(player).value:.6g}"]
            for player, (name, payoff) in enumerate(zip(self.game.names, self.payoffs.tolist(), strict=True))
        ]
        return html_table(repr(self), ["player", "payoff", "swap gap", "external gap"], rows)

    # ---- files ---------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the play to a file: a header in JSON and plain arrays, with a checksum. See ``docs/games.md``."""
        write_play(path, self.game, self.days, self.policies)

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game | None = None) -> "CorrelatedPlay":
        """Read a play; games of functions are not in the file and must be handed over."""
        found, days, policies = read_play(path, game)
        return cls(found, tuple(days), tuple(policies))

    def __repr__(self) -> str:
        return f"CorrelatedPlay({self.game!r}, {self.n_windows} windows, {sum(self.days):,} days)"


@checked
def certify(play: CorrelatedPlay) -> Certificate:
    """Return the certificate of a play.

    Examples
    --------
    >>> from swapregret.games import CorrelatedPlay, chicken
    >>> from swapregret import FinitePolicy
    >>> dare = FinitePolicy([[1, 0]], [1.])
    >>> print(certify(CorrelatedPlay(chicken(), (1,), ((dare, dare),))))
    an ε-correlated equilibrium with ε exactly 0.285714, coarse 0.285714
      player 0: swap gap 0.285714, external gap 0.285714
      player 1: swap gap 0.285714, external gap 0.285714
    """
    return certify_answers(play.game, [play.answers(player) for player in range(play.game.n_players)])


@checked
def product_play(game: Game, policies: Sequence[Policy]) -> CorrelatedPlay:
    """Return the play in which all draw independently from fixed policies: one window."""
    return CorrelatedPlay(game, (1,), (tuple(policies),))


@checked
def joint_policy(play: CorrelatedPlay) -> Floats:
    """Return the probability of every joint action, one axis per player, in the order of ``enumerate``.

    Every policy of the play must list its support, or give the probability of an action.
    """
    lists = [actions.enumerate(PROFILE_LIMIT) for actions in play.game.action_sets]
    total = np.zeros(tuple(len(rows) for rows in lists))
    for weight, policies in zip(play.weights, play.policies, strict=True):
        joint = np.array(weight)
        for policy, rows in zip(policies, lists, strict=True):
            joint = np.multiply.outer(joint, policy.probabilities(rows))
        total += joint
    return total

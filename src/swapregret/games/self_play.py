r"""Self-play: everybody learns, nobody is told the game.

Each day every player draws from its policy and is shown, as its feedback allows, the rewards that the actions of the others
make for it. If every player has no swap regret, the play approaches the correlated equilibria (Foster and Vohra 1997;
Hart and Mas-Colell 2000). The guarantee of the learners is for oblivious worlds; other learners react, so what is reported here
is measured, not promised.

Games with a rule are played in compiled code, games of functions round by round (``games.lockstep``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from swapregret.arguments import checked
from swapregret.arrays import Vector, as_integer
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.extras import require_extra
from swapregret.games.certificate import Certificate, Gap, certify_answers
from swapregret.games.correlated_play import CorrelatedPlay
from swapregret.games.lockstep import Lockstep
from swapregret.games.payoffs import Game
from swapregret.games.windows import Windows
from swapregret.learners.checked import require_player
from swapregret.learners.player import Player
from swapregret.notebook import Line, html_table, line_figure, text_table
from swapregret.regret.ledgers.answers import answer
from swapregret.regret.ledgers.closed_ledger import Ledger
from swapregret.regret.ledgers.ledger import SwapLedger
from swapregret.regret.linear import best_affine_rule, linear_swap_regret

if TYPE_CHECKING:
    import polars as pl
    from plotly.graph_objects import Figure

GAME_MEASURES = ("expected", "realised", "none")


@dataclass(frozen=True)
class Checkpoint:
    """Gaps of all players after some days, in rewards: swap and external, if they are measured, and the mean reward of each."""

    day: int
    swap: tuple[float, ...]
    external: tuple[float, ...]
    rewards: tuple[float, ...]

    def __repr__(self) -> str:
        swap, external = max(self.swap, default=np.nan), max(self.external, default=np.nan)
        return f"Checkpoint(day {self.day:,}, largest swap gap {swap:.6g}, external {external:.6g})"


@dataclass(frozen=True, eq=False)
class SelfPlayResult:
    """What came of a self-play.

    Attributes
    ----------
    game : Game
    windows : tuple of Windows
        What each player played, averaged over windows; ``play`` is made of it.
    ledgers : tuple of Ledger
        For each player, of every single day.
    history : tuple of Checkpoint
        Gaps over time.
    rewards : tuple of float
        Mean rewards as received.
    measure : str
        ``"expected"``: ledgers hold the mean reward vectors under the others' policies; ``"realised"``: those made by
        the actions the others drew; ``"none"``: nothing was recorded but the rewards.
    n_drawn : int
        How many policies without a list entered ``play`` by drawn actions.
    entropy : int or None
        What seeded the play.
    """

    game: Game
    windows: tuple[Windows, ...]
    ledgers: tuple[Ledger, ...]
    history: tuple[Checkpoint, ...]
    rewards: tuple[float, ...]
    measure: str
    n_drawn: int
    entropy: int | None

    @cached_property
    def play(self) -> CorrelatedPlay:
        """The play, compressed by windows: to sample, save and ask. It is a distribution of its own, certified on its own."""
        self._check_recorded()
        return CorrelatedPlay(
            self.game, self.windows[0].days, tuple(zip(*(each.policies() for each in self.windows), strict=True))
        )

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate of the play day by day, before it was compressed; worked out once."""
        self._check_recorded()
        return _certify(self.game, self.ledgers)

    @cached_property
    def linear_gaps(self) -> tuple[Gap, ...]:
        """What each player could gain per day by the best affine map of its marginals; at most its swap gap."""
        self._check_recorded()
        return tuple(
            Gap.of(linear_swap_regret(own, [ledger], best_affine_rule(own, [ledger])), self.game.scale(player))
            for player, (own, ledger) in enumerate(zip(self.game.action_sets, self.ledgers, strict=True))
        )

    def _check_recorded(self) -> None:
        if not self.ledgers:
            raise InvalidInput(
                "what is asked of a result must have been recorded",
                f"a self-play with measure={self.measure!r}",
                "Play again with another measure.",
            )

    @property
    def payoffs(self) -> Vector:
        """Return the mean payoff of each player as received."""
        return np.array([self.game.payoff(player, reward) for player, reward in enumerate(self.rewards)])

    def to_frame(self) -> "pl.DataFrame":
        """Return gaps and mean rewards over time as a Polars frame, one row per checkpoint and player (extra ``experiments``)."""
        require_extra("experiments", "a frame", only="polars")
        import polars as pl

        rows = [
            {"day": at.day, "player": name, "swap": swap, "external": external, "reward": reward}
            for at in self.history
            for name, swap, external, reward in zip_longest(self.game.names, at.swap, at.external, at.rewards)
        ]
        return pl.DataFrame(rows)

    def plot(self) -> "Figure":
        """Return a Plotly figure: the swap gap of every player above, its mean reward below (extra ``experiments``)."""
        days, lines = [at.day for at in self.history], []
        for player, name in enumerate(self.game.names):
            if self.ledgers:
                lines.append(Line(name, days, [at.swap[player] for at in self.history]))
            lines.append(Line(name, days, [at.rewards[player] for at in self.history], panel=1 if self.ledgers else 0))
        titles = [*(["swap gap per round"] if self.ledgers else []), "reward per round"]
        return line_figure(lines, title="Self-play over time", x_title="round", y_titles=titles)

    def _table(self) -> tuple[str, list[str], list[list[str]]]:
        columns, headings = [self.payoffs.tolist()], ["player", "payoff"]
        if self.ledgers:
            columns += [list(self.history[-1].swap), list(self.history[-1].external)]
            headings += ["swap gap", "external gap"]
        numbers = zip(*columns, strict=True)
        rows = [[name, *(f"{each:.6g}" for each in row)] for name, row in zip(self.game.names, numbers, strict=True)]
        return f"SelfPlayResult: {self.game!r}, {self.history[-1].day:,} days", headings, rows

    def __repr__(self) -> str:
        return text_table(*self._table())

    def _repr_html_(self) -> str:
        return html_table(*self._table(), note="Gaps per day, in rewards on the scale [0, 1].")


@checked
def self_play(
    game: Game,
    players: Sequence[Player[Any]],
    rounds: int,
    rng: int | np.random.Generator | None = None,
    *,
    windows: int = 1000,
    measure: str | None = None,
    checkpoints: int = 12,
    capacity: int | None = None,
    progress: Callable[[Checkpoint], None] | None = None,
) -> SelfPlayResult:
    """Let players learn against each other, and record what they play.

    Parameters
    ----------
    game : Game
    players : sequence of Player
        One per player of the game, each made for its set; any mixture of learners and kinds of feedback.
    rounds : int
        Days to play.
    rng : int, Generator or None
        Each player draws from a child of its own. None draws entropy, recorded in the result.
    windows : int
        At most how many windows the recorded play has; policies are averaged within each.
    measure : {"expected", "realised", "none"}, optional
        What ledgers hold; by default the mean reward vectors where the game knows them, else those that were met. "none" only
        plays: the result has payoffs, but no play, gaps or certificate.
    checkpoints : int
        How many times, in geometric steps, gaps are worked out.
    capacity : int, optional
        Most reward vectors a ledger keeps; see :class:`~swapregret.regret.ledgers.ledger.SwapLedger`.
    progress : callable, optional
        Called with every checkpoint.

    Examples
    --------
    >>> from swapregret.games import matching_pennies
    >>> from swapregret import baselines
    >>> game = matching_pennies()
    >>> result = self_play(game, [baselines.uniform(actions) for actions in game.action_sets], 100, rng=0)
    >>> result.certificate.epsilon, result.play.payoffs.tolist()
    (0.0, [0.0, 0.0])
    """
    _check_players(game, players)
    horizon = as_integer(rounds, "rounds", 1)
    length = -(-horizon // as_integer(windows, "windows", 1))
    if measure is None:
        measure = "expected" if game.has_expectation else "realised"
    if measure not in GAME_MEASURES or (measure == "expected" and not game.has_expectation):
        raise InvalidInput(
            f"`measure` must be one of {GAME_MEASURES}, 'expected' only where the game knows expected payoffs",
            repr(measure),
            "Leave it out to get the best the game allows.",
        )
    entropy = np.random.SeedSequence().entropy if rng is None else rng
    sources = np.random.default_rng(entropy).spawn(game.n_players)
    measured = game.action_sets if measure != "none" else ()
    books = [SwapLedger(actions, capacity=capacity) for actions in measured]
    recorded = tuple(Windows(actions, length) for actions in measured)
    course = Lockstep(game, players, sources, books, recorded, is_expected=measure == "expected")
    history: list[Checkpoint] = []
    for day in sorted(_stops(horizon, as_integer(checkpoints, "checkpoints", 1))):
        course.advance(day)
        history.append(_checkpoint(game, books, day, course.earned))
        if progress is not None:
            progress(history[-1])
    for each in recorded:
        each.close()
    return SelfPlayResult(
        game,
        recorded,
        tuple(book.close() for book in books),
        tuple(history),
        tuple((course.earned / horizon).tolist()),
        measure,
        sum(each.n_drawn for each in recorded),
        entropy if isinstance(entropy, int) else None,
    )


def _check_players(game: Game, players: Sequence[Player[Any]]) -> None:
    if not isinstance(game, Game):
        raise InvalidInput("`game` must be a game", shown(game), "Make one, e.g. games.matching_pennies().")
    if not isinstance(players, Sequence):
        raise InvalidInput("`players` must be a list of players", shown(players), "Give one per player of the game.")
    for each in players:
        require_player(each)
    if len(players) != game.n_players:
        raise InvalidInput(
            f"`players` must be {game.n_players} players, one per player of the game",
            str(len(players)),
            "Give one each.",
        )
    for name, player, actions in zip(game.names, players, game.action_sets, strict=True):
        if not player.actions.is_same(actions):
            raise InvalidInput(
                f"the player of {name} must be made for its set {actions!r}",
                repr(player.actions),
                "Make it from game.action_sets.",
            )


def _stops(horizon: int, count: int) -> set[int]:
    """Return the days after which gaps are worked out: geometric steps that end at the horizon."""
    first = max(1, min(horizon, horizon // 2 ** (count - 1)))
    return {horizon, *(int(day) for day in np.geomspace(first, horizon, count).round())} if count > 1 else {horizon}


def _certify(game: Game, ledgers: Sequence[Ledger]) -> Certificate:
    """Return the certificate of the play that ledgers were kept of; one without gaps where there are none."""
    sets = game.action_sets[: len(ledgers)]
    return certify_answers(game, [answer(own, [ledger]) for own, ledger in zip(sets, ledgers, strict=True)])


def _checkpoint(game: Game, books: Sequence[SwapLedger], day: int, earned: Vector) -> Checkpoint:
    found = _certify(game, [book.close() for book in books])
    return Checkpoint(
        day,
        tuple(gap.value for gap in found.swap),
        tuple(gap.value for gap in found.external),
        tuple((earned / day).tolist()),
    )

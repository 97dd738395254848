"""Several plays in one picture."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from swapregret.arrays import as_labels
from swapregret.counts import shown
from swapregret.errors import InvalidInput
from swapregret.notebook import Line, line_figure
from swapregret.playing.play_result import PlayResult

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def plot(results: Mapping[str, PlayResult] | Sequence[PlayResult], names: Sequence[str] | None = None) -> "Figure":
    """Draw several plays over each other: swap regret per round above, reward (or cost) per day below, with their bands.

    Parameters
    ----------
    results : mapping or sequence of PlayResult
        What :func:`play` returned; a mapping names them.
    names : sequence of str, optional
        What to call those of a sequence; ``play 1``, ``play 2``, … if not given.

    Returns
    -------
    plotly.graph_objects.Figure
        Needs the extra ``experiments``.

    Examples
    --------
    >>> import swapregret as sr
    >>> actions = sr.MSets(6, 2)
    >>> world = sr.environments.cyclic(actions, 500, rng=0)
    >>> players = {"ours": sr.swap_combcp(actions, 500), "uniform": sr.baselines.uniform(actions)}
    >>> figure = plot({name: sr.play(player, world, rng=0) for name, player in players.items()})
    >>> list(dict.fromkeys(line.name for line in figure.data if line.mode == "lines+markers"))
    ['ours', 'uniform']
    """
    if isinstance(results, Mapping):
        names = list(results) if names is None else names
        results = list(results.values())
    if not isinstance(results, Sequence) or not results or not all(isinstance(each, PlayResult) for each in results):
        raise InvalidInput(
            "`results` must be plays, in a list or by name",
            shown(results),
            'Pass what play(...) returned: plot({"ours": one, "other": two}).',
        )
    units = results[0].units
    if any(each.units != units for each in results):
        kinds = ", ".join(dict.fromkeys(f"{each.units.word}s in {each.units.declared}" for each in results))
        raise InvalidInput("plays of one picture must count the same", kinds, "Draw them one by one.")
    called = as_labels(
        [f"play {i + 1}" for i in range(len(results))] if names is None else names, len(results), "names"
    )
    curves = [(str(name), result.curve()) for name, result in zip(called, results, strict=True)]
    regrets = [curve.line(name, curve.swap_regret / curve.days) for name, curve in curves if curve.swap_regret.is_known]
    panel = 1 if regrets else 0
    lines: list[Line] = [*regrets, *(curve.line(name, curve.reward, panel) for name, curve in curves)]
    above = ["swap regret per round"] if regrets else []
    title = f"{'Swap regret and ' if regrets else ''}{units.word} over time"
    return line_figure(
        lines, title=title[0].upper() + title[1:], x_title="day", y_titles=[*above, f"{units.word} per day"]
    )

"""A play over time: reward and regrets at checkpoints, with bands."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from swapregret.arrays import Vector
from swapregret.counts import plural
from swapregret.extras import require_extra
from swapregret.notebook import Line, html_table, line_figure, text_table
from swapregret.units import Units

if TYPE_CHECKING:
    import polars as pl
    from plotly.graph_objects import Figure


@dataclass(frozen=True, eq=False)
class Banded:
    """A quantity at every checkpoint, with a band around it.

    Attributes
    ----------
    value, low, high : Vector
        NaN where it was not measured, or where nothing is known of the band.
    """

    value: Vector
    low: Vector
    high: Vector

    def __truediv__(self, days: npt.NDArray[np.int64]) -> "Banded":
        """Return it per day."""
        return Banded(self.value / days, self.low / days, self.high / days)

    @property
    def is_known(self) -> bool:
        """Tell whether it was measured at any checkpoint."""
        return bool(np.isfinite(self.value).any())


@dataclass(frozen=True, eq=False)
class PlayCurve:
    """Reward and regrets of a play at its checkpoints.

    Attributes
    ----------
    days : int array
        The checkpoints: days played.
    reward : Banded
        What was earned, or paid where costs are counted: the mean per day up to then. The band is Student's 95 % interval over
        replications.
    external_regret, swap_regret : Banded
        Totals up to then. With two replications or more, bands are 95 % intervals: Student's for external regret, the
        bootstrap's for swap regret, cut at 0. With one they are the certified bracket.
    n_replications : int
    units : Units
        What is counted.
    """

    days: np.ndarray[tuple[int], np.dtype[np.int64]]
    reward: Banded
    external_regret: Banded
    swap_regret: Banded
    n_replications: int
    units: Units

    def __len__(self) -> int:
        return len(self.days)

    def columns(self) -> dict[str, list[float]]:
        """Return the curve as named columns, one row per checkpoint."""
        found: dict[str, list[float]] = {"day": [*self.days.tolist()]}
        for name, each in (
            (self.units.word, self.reward),
            ("external", self.external_regret),
            ("swap", self.swap_regret),
        ):
            found |= {name: each.value.tolist(), f"{name}_low": each.low.tolist(), f"{name}_high": each.high.tolist()}
        for name, each in (("external", self.external_regret), ("swap", self.swap_regret)):
            found[f"{name}_per_round"] = (each / self.days).value.tolist()
        return found

    def to_frame(self) -> "pl.DataFrame":
        """Return the curve as a Polars frame; its ``to_pandas()`` works where pandas is installed."""
        require_extra("experiments", "a frame", only="polars")
        import polars as pl

        return pl.DataFrame(self.columns()).fill_nan(None)

    def plot(self) -> "Figure":
        """Return a Plotly figure: regret per round above, reward (or cost) per day below, with their bands."""
        regrets = [("swap regret", self.swap_regret), ("external regret", self.external_regret)]
        lines = [self.line(name, each / self.days) for name, each in regrets if each.is_known]
        lines.append(self.line(self.units.word, self.reward, panel=1 if lines else 0))
        titles = [*(["regret per round"] if len(lines) > 1 else []), f"{self.units.word} per day"]
        title = f"Regret and {self.units.word} over time, {plural(self.n_replications, 'replication')}"
        return line_figure(lines, title=title, x_title="day", y_titles=titles)

    def line(self, name: str, each: Banded, panel: int = 0) -> Line:
        """Return a quantity as a line of a figure."""
        return Line(name, self.days, each.value, each.low, each.high, panel)

    def _table(self) -> tuple[str, list[str], list[list[str]]]:
        rows = [
            [f"{day:,}", *(_cell(each, i) for each in (self.reward, self.external_regret, self.swap_regret))]
            for i, day in enumerate(self.days.tolist())
        ]
        headings = ["day", f"{self.units.word} per day", "external regret", "swap regret"]
        return f"PlayCurve: {len(self)} checkpoints", headings, rows

    def __repr__(self) -> str:
        return text_table(*self._table())

    def _repr_html_(self) -> str:
        return html_table(*self._table())


def _cell(each: Banded, index: int) -> str:
    value, low, high = (float(part[index]) for part in (each.value, each.low, each.high))
    if np.isnan(value):
        return "–"
    return f"{value:.4g}" if np.isnan(low) or low == high else f"{value:.4g} [{low:.4g}, {high:.4g}]"

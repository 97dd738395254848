"""What ``swapregret run --live`` adds to a display: a page that follows the campaign."""

from collections.abc import Sequence

from swapregret.experiments.report.live_report import LiveReport
from swapregret.experiments.runs.execute import Outcome
from swapregret.experiments.runs.plan_runs import Plan
from swapregret.experiments.runs.runner import Summary, Watcher
from swapregret.experiments.runs.status import Report
from swapregret.experiments.runs.task import RunTask

__all__ = ["WithPage"]


class WithPage(Watcher):
    """Tells a display everything, and a live page when a run has finished."""

    def __init__(self, display: Watcher, page: LiveReport) -> None:
        self._display, self._page = display, page

    def begin(self, plan: Plan, missing: Sequence[RunTask]) -> None:
        """Pass it on; runs of an earlier time can be shown at once."""
        self._display.begin(plan, missing)
        self._page.changed()

    def tick(self, reports: Sequence[Report]) -> None:
        """Pass it on."""
        self._display.tick(reports)

    def finished(self, task: RunTask, outcome: Outcome) -> None:
        """Pass it on, and let the page know."""
        self._display.finished(task, outcome)
        self._page.changed()

    def end(self, summary: Summary) -> None:
        """Pass it on."""
        self._display.end(summary)

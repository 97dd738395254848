"""``swapregret plan`` and ``warm``: before the first day, what to expect of a set and a horizon, and compiling."""

import math
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from rich.table import Table

from swapregret.cli.console import console, emit_json, status_console, styled, table_of, watch_compiling
from swapregret.cli.options import PRESET_NAMES, AsJson, Preset, SetSpec, choice, days, option, read_set, seconds
from swapregret.counts import bytes_in_words, count_in_words, duration_in_words
from swapregret.errors import InvalidInput

if TYPE_CHECKING:
    from swapregret.experiments.forecast import Plan
    from swapregret.experiments.measured import Expectation
    from swapregret.learners.schedule import Schedule

_SHORTEST_CALENDAR, _LONGEST_CALENDAR = 16, 96
_SCALES_CLOSER = 2
_FEEDBACK_WORDS = ("bandit", "semi-bandit", "full")
_WARM_PRESETS = (*PRESET_NAMES, "ladder")


def plan(
    set_spec: SetSpec,
    horizon: Annotated[int, days("horizon", "Days to play: 1000000, 1_000_000 or 1e6.", least=2)],
    preset: Preset = "adaptive",
    timed: Annotated[float, seconds("seconds", "About how long to time rounds; 0 times nothing.", least=0.0)] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Say what a player will do on a set over a horizon: schedule, calendar, theory, measurements, time and memory.

    Example: swapregret plan --set "msets 20 5" --horizon 1e6
    """
    from swapregret.experiments.forecast import make_plan

    actions = read_set(set_spec)
    if timed > 0:
        status_console.print("Timing rounds (the first run compiles the inner loops) ...", style="dim")
    made = make_plan(actions, horizon, preset=preset, seconds=timed)
    if as_json:
        emit_json(_numbers(made, set_spec))
        return
    _print(made, set_spec)


def _numbers(made: "Plan", set_spec: str) -> dict[str, object]:
    actions, speed = made.actions, made.speed
    return {
        "set": set_spec,
        "dimension": actions.dimension,
        "size": actions.size,
        "rank": actions.rank,
        "n_actions": actions.n_actions,
        "horizon": made.horizon,
        "preset": made.preset,
        "windows": list(made.schedule.windows),
        "scales": [
            {
                "scale": scale,
                "update_every": made.schedule.update_every(scale),
                "restart_every": made.schedule.restart_every(scale),
            }
            for scale in range(1, made.schedule.n_scales + 1)
        ],
        "policies": made.reason,
        "theorem": {
            "bound": made.bound.value,
            "bound_per_round": made.bound.per_round,
            "is_vacuous": made.bound.is_vacuous,
            "statement": made.bound.statement,
            "smallest_horizon_of_schedule": made.theorem_horizon,
            "bound_below_horizon_from_power_of_ten": made.useful_exponent,
        },
        "expected_swap_regret_per_round": _expected(made.expectation),
        "which_one": _advised(made),
        "rounds_per_second": None
        if speed is None
        else {"playing": speed.playing, "measuring": speed.measuring, "rounds_timed": speed.rounds},
        "memory_bytes": {
            "state": made.state_bytes,
            "ledger_at_most": made.ledger_bytes,
            "peak_of_this_process": _peak(),
        },
        "warnings": made.warnings,
    }


def _expected(found: "Expectation | None") -> dict[str, object] | None:
    if found is None:
        return None
    return {
        "mean_over_worlds": found.mean,
        "worlds": {r.world: {"value": r.swap_regret, "standard_error": r.standard_error} for r in found.readings},
        "source": found.source,
        "is_measured": found.is_measured,
    }


def _advised(made: "Plan") -> dict[str, object]:
    """Return which player was best where it was measured, by what is seen and how the world moves."""
    from swapregret.experiments.which_one import SEEN, advise

    found: dict[str, object] = {}
    for feedback in SEEN:
        advice = advise(feedback, made.horizon, made.actions)
        found[feedback] = {"measured_horizon": advice.horizon, "measured_sets": list(advice.sets)} | {
            answer.world: {name: value for name, value in asdict(answer).items() if name != "world"}
            for answer in advice.answers
        }
    return found


def _print(made: "Plan", set_spec: str) -> None:
    actions, schedule = made.actions, made.schedule
    many = "not counted" if made.actions.n_actions is None else count_in_words(made.actions.n_actions)
    console.print(
        styled(
            (set_spec, "bold"),
            f": d = {actions.dimension:,}, at most m = {actions.size:,} chosen, rank {actions.rank:,}, "
            f"{many} actions; T = {made.horizon:,}, preset {made.preset}.",
        )
    )
    windows = ", ".join(f"{window:,}" for window in schedule.windows)
    console.print(styled(("\nSchedule", "bold"), f": {schedule.n_scales} scales, windows {windows} days."))
    _draw(schedule)
    if schedule.n_scales > _SCALES_CLOSER:
        from swapregret.learners.schedule import Schedule

        console.print("closer:")
        _draw(Schedule(schedule.windows[: _SCALES_CLOSER + 1]))
    console.print("R a restart, | an update, · nothing new.", style="dim")
    console.print()
    console.print(styled(("Policies", "bold"), f": {made.reason}."))
    console.print()
    console.print(_table(made))
    if made.expectation is not None:
        console.print(
            f"Expected: {made.expectation.source}. Swap regret / T, maximum over φ outside the expectation, from "
            "policies; ± one standard error.",
            style="dim",
        )
    console.print(f"Theorem: {made.bound.statement}.", style="dim")
    _print_advice(made)
    for sentence in made.warnings:
        console.print(styled(("warning", "yellow"), f": {sentence}"))


def _print_advice(made: "Plan") -> None:
    """Print the row of docs/which_one.md for every kind of feedback."""
    from swapregret.experiments.which_one import SEEN, WORLDS, advise, cells

    advice = {seen: advise(feedback, made.horizon, made.actions) for feedback, seen in SEEN.items()}
    rows = [
        (seen, *(cell.replace("`", "").replace("; ", "\n") for cell in cells(each))) for seen, each in advice.items()
    ]
    one = next(iter(advice.values()))
    title = f"Which one? Reward / swap regret per day, measured at T = {one.horizon:,} on {', '.join(one.sets)}"
    console.print(table_of(title, ("you see", *(f"it {word}" for word in WORLDS)), rows, left=4, show_lines=True))


def _draw(schedule: "Schedule") -> None:
    """Draw a calendar in the width there is: the labels take what a drawing of one column takes."""
    label = len(schedule.draw(width=1).splitlines()[1])
    width = min(_LONGEST_CALENDAR, console.width - label)
    if width < _SHORTEST_CALENDAR:
        console.print(f"A terminal of {label + _SHORTEST_CALENDAR} columns has room for the calendar.", style="dim")
        return
    console.print(schedule.draw(width=width), soft_wrap=True)


def _table(made: "Plan") -> Table:
    rows: list[tuple[str, str]] = []
    vacuous = ", vacuous" if made.bound.is_vacuous else ""
    rows.append(("theorem's bound on swap regret / T", f"{made.bound.per_round:.3g}{vacuous}"))
    least = "none" if made.theorem_horizon is None else count_in_words(made.theorem_horizon)
    rows.append(("least horizon of the theorem's schedule", least))
    found = made.expectation
    if found is None:
        rows.append(("swap regret / T to expect", "no measurement near"))
    else:
        between = f"{found.best.swap_regret:.3f} … {found.worst.swap_regret:.3f}, mean {found.mean:.3f}"
        rows.append(("swap regret / T to expect", between))
        for reading in found.readings:
            error = "" if math.isnan(reading.standard_error) else f" ± {reading.standard_error:.3f}"
            rows.append((f"    in the {reading.world} world", f"{reading.swap_regret:.3f}{error}"))
    if made.speed is not None:
        rows.append(("rounds per second on this machine", f"{made.speed.playing:,.0f}, one core"))
        rows.append(("    with swap regret measured", f"{made.speed.measuring:,.0f}"))
        rows.append(("    all T rounds, measured", "about " + duration_in_words(made.horizon / made.speed.measuring)))
    rows.append(("memory: state of the player", bytes_in_words(made.state_bytes)))
    rows.append(("    ledger of swap regret", f"at most {bytes_in_words(made.ledger_bytes)}"))
    peak = _peak()
    rows.append(("    this process so far", "not told by this system" if peak is None else bytes_in_words(peak)))
    return table_of("", ("", ""), rows, left=2, show_header=False)


def _peak() -> int | None:
    """Return the most memory this process has had, in bytes, where the system tells."""
    try:
        import resource
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def warm(
    set_spec: SetSpec = "",
    every: Annotated[bool, option("all", "Every kind of set, with and without a horizon: some minutes.")] = False,
    preset: Annotated[str, choice("preset", "Which player", _WARM_PRESETS)] = "adaptive",
    feedback: Annotated[str, choice("feedback", "What the player will be shown", _FEEDBACK_WORDS)] = "bandit",
    horizon: Annotated[int, days("horizon", "Days the player will be made for.", least=2)] = 100_000,
    as_json: AsJson = False,
) -> None:
    """Compile ahead of time what a player needs on a set, for sessions and for play; it stays on the disk.

    Run it once after installing or updating, for example while a container is built: the first day of a service is then as
    fast as the others. The set need not be the one that will be played, only one of its kind.

    Example: swapregret warm --set "msets 20 5" --preset adaptive
    """
    from swapregret.compiled.cache_place import cache_folder
    from swapregret.experiments.forecast import every_kind_of_set, warm_up
    from swapregret.learners.presets import swap_combcp

    if every == bool(set_spec):
        came = "both" if every else "neither"
        raise InvalidInput("warm must be given a set or --all", came, 'Write --set "msets 20 5", or --all.')
    sets = every_kind_of_set() if every else [read_set(set_spec)]
    shown = _FEEDBACK_WORDS if every else (feedback,)
    presets = tuple(dict.fromkeys((preset, "ladder"))) if every else (preset,)
    players = [
        swap_combcp(each, horizon, preset=kind, feedback=one) for kind in presets for one in shown for each in sets
    ]
    started = time.perf_counter()
    with watch_compiling() as n_new:
        for player in players:
            warm_up(player)
        n_compiled = n_new()
    taken, folder = time.perf_counter() - started, str(cache_folder().parent)
    if as_json:
        emit_json({"compiled": n_compiled, "seconds": taken, "folder": folder})
    else:
        what = f"{set_spec or 'every kind of set'}, {' and '.join(presets)}, {', '.join(shown)} feedback"
        console.print(
            f"{what}: {n_compiled} functions compiled in {taken:.1f} s, kept in {folder}",
            soft_wrap=True,
        )

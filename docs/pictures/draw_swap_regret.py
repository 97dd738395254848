"""Draw docs/pictures/swap_regret.svg: twelve days of a follower of the leader, and the rule it will regret.

    python docs/pictures/draw_swap_regret.py

The world is the cycle of ``environments.cyclic`` at its smallest: A, B and C, phases of two days, the chosen one worth ½, the next
one 1, the one before 0. Every number in the picture is computed by ``sr.audit``.
"""

from pathlib import Path

import swapregret as sr

FILE = Path(__file__).with_name("swap_regret.svg")
_NAMES = "ABC"
_DAYS, _PHASE = 12, 2
_LEFT, _TOP, _WIDE, _HIGH = 118, 66, 46, 40
_SHADES = {0.0: "#ffffff", 0.5: "#a6cee3", 1.0: "#1f78b4"}
_INK = {0.0: "#374151", 0.5: "#111827", 1.0: "#ffffff"}
_RED = "#b45309"


def story() -> tuple[list[str], list[list[float]]]:
    """Return what was chosen and what each of A, B, C paid, day by day."""
    chosen = [day // _PHASE % 3 for day in range(_DAYS)]
    rewards = [[(0.5, 1.0, 0.0)[(element - pick) % 3] for element in range(3)] for pick in chosen]
    return [_NAMES[pick] for pick in chosen], rewards


def draw() -> str:
    """Return the picture."""
    plays, rewards = story()
    report = sr.audit(sr.MSets(3, 1, labels=_NAMES), [(play,) for play in plays], rewards)
    earned = report.reward
    fixed, ruled = earned + report.external_regret.per_round, earned + report.swap_regret.per_round
    width, height = _LEFT + _DAYS * _WIDE + 24, _TOP + 3 * _HIGH + 178
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        'font-family="system-ui, sans-serif" font-size="14" aria-labelledby="t d">',
        '<title id="t">No regret about fixed choices, much about a rule</title>',
        f'<desc id="d">Twelve days, three choices. The chosen one pays {earned:.2f} a day; the best fixed choice would have paid '
        f"{fixed:.2f}, the rule A to B, B to C, C to A {ruled:.2f}.</desc>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>',
        '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{_RED}"/></marker></defs>',
        _text(20, 28, "What each choice paid, day by day; framed: what was chosen", weight=600),
    ]
    parts += [_text(_LEFT + day * _WIDE + _WIDE / 2, _TOP - 10, str(day + 1), "middle") for day in range(_DAYS)]
    parts.append(_text(20, _TOP - 10, "day"))
    for row, name in enumerate(_NAMES):
        parts.append(_text(20, _TOP + row * _HIGH + 26, f"choice {name}", weight=600))
        for day in range(_DAYS):
            parts.append(_cell(day, row, rewards[day][row]))
    for day, play in enumerate(plays):
        x, y = _LEFT + day * _WIDE, _TOP + _NAMES.index(play) * _HIGH
        parts.append(
            f'<rect x="{x + 2}" y="{y + 2}" width="{_WIDE - 4}" height="{_HIGH - 4}" rx="4" fill="none" stroke="{_RED}" '
            'stroke-width="3"/>'
        )
        better = (_NAMES.index(play) + 1) % 3
        start, stop = (y + _HIGH - 3, y + _HIGH + 9) if better else (y + 3, _TOP + _HIGH - 9)
        parts.append(
            f'<line x1="{x + 9}" y1="{start}" x2="{x + 9}" y2="{stop}" stroke="{_RED}" stroke-width="1.6" marker-end="url(#a)"/>'
        )
    bars = [
        ("earned", earned, "#6b7280"),
        ("best fixed choice", fixed, "#6b7280"),
        ("rule A→B, B→C, C→A", ruled, _RED),
    ]
    top, scale = _TOP + 3 * _HIGH + 46, 340
    parts.append(_text(20, top - 14, "What that adds up to, per day", weight=600))
    for index, (label, value, colour) in enumerate(bars):
        y = top + index * 30
        parts.append(_text(20, y + 17, label))
        parts.append(
            f'<rect x="{_LEFT + 70}" y="{y + 3}" width="{value * scale:.1f}" height="18" rx="3" fill="{colour}"/>'
        )
        parts.append(_text(_LEFT + 78 + value * scale, y + 17, f"{value:.2f}"))
    parts.append(
        _text(
            20,
            top + 112,
            f"external regret {fixed - earned:.2f} per day: nothing to see.  "
            f"swap regret {ruled - earned:.2f} per day: half of all there was.",
        )
    )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _cell(day: int, row: int, value: float) -> str:
    x, y = _LEFT + day * _WIDE, _TOP + row * _HIGH
    box = f'<rect x="{x}" y="{y}" width="{_WIDE}" height="{_HIGH}" fill="{_SHADES[value]}" stroke="#e5e7eb"/>'
    return box + _text(x + _WIDE / 2 + 4, y + 25, "½" if value == 0.5 else f"{value:.0f}", "middle", fill=_INK[value])


def _text(x: float, y: float, words: str, anchor: str = "start", weight: int = 400, fill: str = "#111827") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-weight="{weight}" fill="{fill}">{words}</text>'


if __name__ == "__main__":
    FILE.write_text(draw(), encoding="utf-8")

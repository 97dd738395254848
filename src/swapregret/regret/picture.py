"""A picture of the best swap function: one bar for each action played, as a self-contained SVG file.

May touch: ``regret.best_swap``.
"""

import os
from xml.sax.saxutils import escape

from swapregret.regret.best_swap import BestSwap

__all__ = ["draw_gains", "save_picture"]

_ROW, _TOP, _LEFT, _WIDTH, _RIGHT = 24, 64, 330, 420, 130
_NAME = 44


def draw_gains(swap: BestSwap, title: str, *, limit: int = 20) -> str:
    """Return an SVG bar chart of what each exchange would have gained, largest first.

    Examples
    --------
    >>> from swapregret.regret.best_swap import BestSwap
    >>> draw_gains(BestSwap((), 0, 0.0), "nothing played").startswith("<svg")
    True
    """
    shown = swap.exchanges[:limit]
    largest = max((exchange.gain for exchange in shown), default=0.0) or 1.0
    height = _TOP + _ROW * max(1, len(shown)) + 40
    width = _LEFT + _WIDTH + _RIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="16" y="26" font-size="15" font-weight="bold">{escape(title)}</text>',
        '<text x="16" y="46" fill="#555">what a rule “whenever you chose the first, choose the second” would have'
        " gained</text>",
    ]
    for index, exchange in enumerate(shown):
        y = _TOP + _ROW * index
        length = _WIDTH * exchange.gain / largest
        name = f"{_set(exchange.played_elements)} → {_set(exchange.better_elements)}"
        full = escape(str(exchange))
        parts += [
            f"<g><title>{full}</title>",
            f'<text x="{_LEFT - 8}" y="{y + 15}" text-anchor="end">{escape(_short(name))}</text>',
            f'<rect x="{_LEFT}" y="{y + 3}" width="{length:.2f}" height="{_ROW - 8}" fill="#0f52ba"/>',
            f'<text x="{_LEFT + length + 6:.2f}" y="{y + 15}">{exchange.gain:+.4g} ({exchange.days:.4g} days)</text>',
            "</g>",
        ]
    left_out = swap.n_played - len(shown)
    if left_out > 0:
        parts.append(f'<text x="16" y="{height - 14}" fill="#555">and {left_out:,} more actions</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def save_picture(path: str | os.PathLike[str], swap: BestSwap, title: str, *, limit: int = 20) -> None:
    """Write :func:`draw_gains` to a file."""
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(draw_gains(swap, title, limit=limit))


def _set(elements: tuple[object, ...]) -> str:
    return "{" + ", ".join(map(str, elements)) + "}"


def _short(text: str) -> str:
    return text if len(text) <= _NAME else text[: _NAME - 1] + "…"

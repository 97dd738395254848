"""What the site does to its pages: roles of docstrings become plain code, and formulas of docstrings plain text.

Docstrings point at each other with roles such as ``:class:`~swapregret.x.Y```, which Markdown does not know.
"""

import re
from typing import Any

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|data):<code>(~?)([\w.]+)</code>")
_MATH = re.compile(r":math:<code>(.*?)</code>")


def on_page_content(html: str, **_: Any) -> str:
    """Rewrite the body of a page."""
    html = _ROLE.sub(lambda found: f"<code>{_shown(found[1], found[2])}</code>", html)
    return _MATH.sub(r"<code>\1</code>", html)


def _shown(tilde: str, name: str) -> str:
    return name.rsplit(".", 1)[-1] if tilde else name

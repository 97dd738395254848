"""Names people mistype: what was allowed, and what they probably meant."""

import difflib
from collections.abc import Iterable

from swapregret.counts import shown
from swapregret.errors import InvalidInput

__all__ = ["check_name", "nearest"]


def nearest(name: object, known: Iterable[str]) -> str | None:
    """Return the known name that looks most like this one, if any does.

    Examples
    --------
    >>> nearest("swap_combpc", ["swap_combcp", "swap_comband"]), nearest("x", ["cyclic"])
    ('swap_combcp', None)
    """
    folded = {each.lower().replace("-", "_"): each for each in known}
    found = difflib.get_close_matches(str(name).lower().replace("-", "_"), list(folded), n=1, cutoff=0.5)
    return folded[found[0]] if found else None


def check_name(name: object, known: Iterable[str], field: str, what: str = "be one of") -> str:
    """Return a name that is known, or refuse it: the field, what is allowed, what came, what was probably meant.

    Examples
    --------
    >>> check_name("cylic", ["cyclic", "iid"], "environments[0].kind")
    Traceback (most recent call last):
        ...
    swapregret.errors.InvalidInput: `environments[0].kind` must be one of cyclic, iid: got 'cylic'. Did you mean 'cyclic'?
    """
    allowed = sorted(known)
    if isinstance(name, str) and name in allowed:
        return name
    meant = nearest(name, allowed)
    advice = f"Did you mean {meant!r}?" if meant is not None else "Choose one of these."
    raise InvalidInput(f"`{field}` must {what} {', '.join(allowed) or 'nothing'}", shown(name), advice)

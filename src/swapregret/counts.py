"""Whole numbers and names as people type them, and values as people read them.

A count has digits, with underscores or commas for thousands, or an exponent.
"""

import contextlib
import difflib
import math
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

from swapregret.errors import InvalidInput

LONGEST_HORIZON = 10**15
"""Days of one run: thirty years at a million rounds per second; longer windows would not fit the compiled counters."""
MOST_REPLICATIONS = 10**5
"""Of one run."""
MOST_CHOICES = 5_000
"""Combinations of the lists of one entry of a spec."""
MOST_RUNS = 10**6
"""Of one experiment."""
LARGEST_FILE = 4 * 2**20
"""Bytes of a TOML file: a hundred thousand lines. Data belong into files that a spec names."""
DEEPEST_FILE = 32
"""Tables and lists within each other in a TOML file; what a spec needs is 5."""
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def shown(value: object, most: int = 80) -> str:
    """Write a value for a sentence: on one line, with an ellipsis for what is too long, huge numbers by their size.

    Examples
    --------
    >>> shown(3), shown(10**5000), shown("a" * 100, 12)
    ('3', '10⁵⁰⁰⁰', "'aaaaaa…aaa'")
    """
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**40:
        return "−" * (value < 0) + count_in_words(abs(value))
    try:
        text = " ".join(repr(value).split())
    except Exception:  # somebody else's __repr__, or a number in a list that is too long to be written
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= most else f"{text[: most - 5]}…{text[-4:]}"


def count_in_words(count: int | float) -> str:
    """Write a count as people read it: all digits below a thousand million, two of them and the power of ten from there on.

    Examples
    --------
    >>> count_in_words(12_345), count_in_words(1_101_716_330), count_in_words(10**300)
    ('12,345', '1.1·10⁹', '10³⁰⁰')
    """
    return f"{count:,.0f}" if count < 10**9 else power_in_words(math.log10(count))


def power_in_words(exponent: float) -> str:
    """Write ten to some power, however large, as a count.

    Examples
    --------
    >>> power_in_words(3.0), power_in_words(22.863), power_in_words(2e9)
    ('1,000', '7.3·10²²', '10 to the power of 2·10⁹')
    """
    if exponent < 9.0:
        return f"{10**exponent:,.0f}"
    if exponent >= 1e6:
        return f"10 to the power of {count_in_words(exponent)}"
    whole = math.floor(exponent)
    lead = f"{10 ** (exponent - whole):.2g}"
    if lead == "10":
        whole, lead = whole + 1, "1"
    return ("10" if lead == "1" else f"{lead}·10") + str(whole).translate(_RAISED)


def plural(count: int, word: str) -> str:
    """Return how many there are, in words.

    Examples
    --------
    >>> plural(1, "run"), plural(1_000, "run")
    ('1 run', '1,000 runs')
    """
    return f"{count_in_words(count)} {word}" + ("" if count == 1 else "s")


def duration_in_words(seconds: float) -> str:
    """Write a number of seconds, with two figures.

    Examples
    --------
    >>> duration_in_words(75.0), duration_in_words(4e5), duration_in_words(1e13)
    ('75 seconds', '4.6 days', '320,000 years')
    """
    units = (("years", 31_557_600.0), ("days", 86_400.0), ("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))
    unit, size = next((each for each in units if seconds >= 2.0 * each[1]), units[-1])
    return f"{_two_figures(seconds / size)} {unit}"


def bytes_in_words(count: float) -> str:
    """Write a number of bytes, with two figures.

    Examples
    --------
    >>> bytes_in_words(800), bytes_in_words(1.63e9)
    ('0.8 kB', '1.6 GB')
    """
    units = (("EB", 1e18), ("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3))
    unit, size = next((each for each in units if count >= each[1]), units[-1])
    return f"{_two_figures(count / size)} {unit}"


def _two_figures(value: float) -> str:
    rounded = float(f"{value:.2g}")
    return f"{rounded:g}" if rounded < 1e4 else count_in_words(rounded)


def time_of(days: int | float | Decimal) -> str:
    """Say what a horizon beyond reason would take.

    Examples
    --------
    >>> time_of(10**18)
    'A million rounds per second would take 31,688 years for it.'
    """
    years = Decimal(days) / (10**6 * 31_557_600)
    return (
        f"A million rounds per second would take {years:,.0f} years for it." if years < 10**9 else "Choose fewer days."
    )


def read_days(text: str, name: str = "horizon", least: int = 1) -> int:
    """Read a number of days; one beyond reason is told what it would take.

    Examples
    --------
    >>> read_days("1e6")
    1000000
    """
    try:
        return read_count(text, name, least, LONGEST_HORIZON)
    except InvalidInput as error:
        with contextlib.suppress(ArithmeticError):
            if LONGEST_HORIZON < Decimal(text) < math.inf:
                raise InvalidInput(error.must, error.came, time_of(Decimal(text))) from None
        raise


def read_count(text: str, name: str, least: int = 1, most: int | None = None) -> int:
    """Read a whole number in ``least..most``, or say what is wrong with it.

    Examples
    --------
    >>> read_count("1e4", "horizon"), read_count("20_000", "horizon"), read_count("-3", "shift", -5)
    (10000, 20000, -3)
    >>> read_count("1.5e3", "horizon"), read_count("2e0", "size", 1, 3)
    (1500, 2)
    >>> read_count("1e400", "horizon", 1, 100)
    Traceback (most recent call last):
        ...
    swapregret.errors.InvalidInput: `horizon` must be a whole number, 1..100: got '1e400'. Write e.g. 50 or 5e1.
    """
    bounds = f"{least:,}..{count_in_words(most)}" if most is not None else f"at least {least:,}"
    example = max(least, min(10_000, (most or 20_000) // 2))
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("nan")
    if (
        not number.is_finite()
        or number.adjusted() > 4000
        or number != number.to_integral_value()
        or number < least
        or (most is not None and number > most)
    ):
        power = len(str(abs(example))) - 1
        other = f" or {example / 10**power:g}e{power}" if power else ""
        raise InvalidInput(f"`{name}` must be a whole number, {bounds}", shown(text), f"Write e.g. {example}{other}.")
    return int(number)


def nearest(name: object, known: Iterable[str]) -> str | None:
    """Return the known name that looks most like this one, if any does."""
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
    meant = nearest(name, allowed) if isinstance(name, str) else None
    advice = f"Did you mean {meant!r}?" if meant is not None else "Choose one of these."
    raise InvalidInput(f"`{field}` must {what} {', '.join(allowed) or 'nothing'}", shown(name), advice)

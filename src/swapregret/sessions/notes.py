"""What is said about a day when its action is asked for: read from its user, and written to files."""

import json

from swapregret.counts import shown
from swapregret.errors import InvalidInput, SwapRegretError, Unsupported
from swapregret.files.values import read_value, write_value
from swapregret.learners.player import NOTHING, Note, is_context

Id = str | int
_LONGEST = 3_000
"""Characters of a note in a file."""


def note_given(id: object, context: object) -> Note:
    """Read the id and the context of a day: what can be written to a file.

    Examples
    --------
    >>> note_given("order-17", "mobile")
    Note(id='order-17', context='mobile')
    """
    if id is None and context is None:
        return NOTHING
    if id is not None and type(id) not in (str, int):
        raise InvalidInput("`id` must be a text or a whole number", shown(id), "Write id=str(id).")
    if not is_context(context):
        raise InvalidInput(
            "`context` must be hashable, and equal to itself",
            shown(context),
            "Pass a text, a number or a tuple of such.",
        )
    note = Note(id, context)  # type: ignore[arg-type]
    write_note(note)
    return note


def write_note(note: Note) -> str:
    """Write a note as JSON; nothing where it says nothing."""
    if note == NOTHING:
        return ""
    try:
        text = json.dumps(write_value(list(note)))
    except Unsupported:
        text = ""
    if not 0 < len(text) <= _LONGEST:
        raise Unsupported(
            "`id` and `context` must be short texts, numbers, or tuples of such: files hold nothing else",
            shown(tuple(note)),
            "Give it a short name: str(day) of a date, member.name of an Enum, tuple(sorted(a_set)).",
        )
    return text


def read_note(text: str) -> Note:
    """Read what ``write_note`` wrote, or refuse it."""
    if not text:
        return NOTHING
    try:
        given = read_value(json.loads(text))
        if isinstance(given, list) and len(given) == len(Note._fields):
            return note_given(*given)
    except (SwapRegretError, ValueError, RecursionError):
        pass
    raise InvalidInput("a note in a file must be an id and a context", f"{text!r:.80}", "Restore it from a copy.")

"""What is said about a day when its action is asked for: read from its user, and written to files."""

import json

from swapregret.counts import shown
from swapregret.errors import InvalidInput, SwapRegretError, Unsupported
from swapregret.files.values import read_value, write_value
from swapregret.learners.player import NOTHING, Note, is_context

Id = str | int
_LONGEST = 3_000
"""Characters of a note in a file."""


def note_given(id: object, context: object, *, is_written: bool) -> Note:
    """Read the id and the context of a day; where a journal is kept, only what can be written to it.

    Examples
    --------
    >>> note_given("order-17", "mobile", is_written=True)
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
    if is_written:
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
            "ids and contexts must be short texts, numbers or tuples of such to be written to a file",
            shown(tuple(note)),
            "Use a shorter name for each, or a session without a journal.",
        )
    return text


def read_note(text: str) -> Note:
    """Read what ``write_note`` wrote, or refuse it."""
    if not text:
        return NOTHING
    try:
        given = read_value(json.loads(text))
        if isinstance(given, list) and len(given) == len(Note._fields):
            return note_given(*given, is_written=True)
    except (SwapRegretError, ValueError, RecursionError):
        pass
    raise InvalidInput("a note in a file must be an id and a context", f"{text!r:.80}", "Restore it from a copy.")

"""How a session becomes a file, and a file a session again: header and arrays, and the events after them.

What a file says is checked: counts that add up, decisions of the set, nothing missing and nothing more.
"""

import contextlib
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Action, NamedArrays, below, frozen, under
from swapregret.counts import shown
from swapregret.errors import InvalidInput, NotConverged, SwapRegretError, Unsupported
from swapregret.files.storage import Json, from_bytes, reading
from swapregret.files.values import Plain, read_value, write_value
from swapregret.learners.checked import check_size, load_open, load_state
from swapregret.learners.player import AnyPlayer, Decision, hold_policy
from swapregret.randomness import GeneratorState, generator_of, plain_state, set_state
from swapregret.sessions.events import ACT, CHOSEN, GENERATOR, Event, acted, read_act
from swapregret.sessions.guard_rails import LIVE, MODES, Beside, Holdout
from swapregret.sessions.notes import read_note, write_note
from swapregret.units import Units, read_range

if TYPE_CHECKING:
    from swapregret.sessions.session import Session

AnySession: TypeAlias = "Session[Any]"
"""A session, whatever the states of its player are."""
_Session = TypeVar("_Session", bound=AnySession)
_MOST = 2**63


class SessionHeader(NamedTuple):
    """The header of a session file, as the file has it."""

    player: Plain  # the configuration, as ``files.values`` wrote it, or None
    reward_range: list[float]
    is_cost: bool
    max_open: int
    entropy: int | None
    rng: GeneratorState  # the state of the generator
    counts: list[int]  # days acted, closed and skipped
    open: list[int]  # decisions that wait for their reward, oldest first
    policies: list[int]  # those among them that were drawn from another state than the last
    notes: list[str]  # what was said of each of the open ones, as JSON
    n_past: int  # days of history; minus the days before it was forgotten
    mode: str
    holdout: list[Any] | None  # the share, and the places of the baseline's elements


def read_header(metadata: Json, arrays: NamedArrays) -> SessionHeader:
    """Read the metadata of a session file, and see that its arrays are those it speaks of."""
    if set(metadata) != set(SessionHeader._fields):
        raise _wrong(f"the fields {', '.join(sorted(SessionHeader._fields))}", f"{sorted(metadata)!r:.200}")
    header = SessionHeader(**metadata)
    counts, days, policies = header.counts, header.open, header.policies
    if type(header.is_cost) is not bool:
        raise _wrong("true or false as `is_cost`", f"{header.is_cost!r:.80}")
    if not _are_counts([header.max_open]) or header.max_open < 1:
        raise _wrong("a whole number of at least 1 as `max_open`", f"{header.max_open!r:.80}")
    if not (header.entropy is None or (type(header.entropy) is int and header.entropy >= 0)):
        raise _wrong("a whole number or nothing as `entropy`", f"{header.entropy!r:.80}")
    if not _are_counts(counts) or len(counts) != 3 or not _are_counts(days) or not _are_counts(policies):
        raise _wrong("whole numbers as `counts`, `open` and `policies`", f"{[counts, days, policies]!r:.80}")
    acted, closed, skipped = counts
    is_in_order = all(before < after for before, after in pairwise([-1, *days, acted]))
    if acted != closed + len(days) or skipped > closed or not is_in_order or len(days) > header.max_open:
        raise _wrong(
            "days acted = closed + open, no more open than allowed, no more skipped than closed",
            f"{acted}, {closed}, {len(days)} of {header.max_open}, {skipped}",
        )
    if type(header.n_past) is not int or not -closed <= header.n_past < _MOST or header.mode not in MODES:
        raise _wrong("its days of history and a mode", f"{header.n_past!r:.80}, {header.mode!r:.80}")
    is_text = isinstance(header.notes, list) and all(type(note) is str for note in header.notes)
    if not is_text or len(header.notes) != len(days):
        raise _wrong("a note for each open decision", f"{header.notes!r:.80}")
    if not set(policies) <= set(days) or len(set(policies)) != len(policies):
        raise _wrong("policies of open decisions only", f"{policies!r:.80}")
    known = {f"open.{day}.action" for day in days}
    prefixes = ("state.", *(f"open.{day}.policy." for day in policies))
    unknown = [
        name
        for name in arrays
        if name not in known and not name.startswith((*prefixes, "faces.", "contexts.", "beside."))
    ]
    if unknown or not known <= set(arrays) or not all(below(arrays, prefix[:-1]) for prefix in prefixes):
        raise _wrong("a state, and an action for each open decision", f"{unknown!r:.80} and {len(arrays)} arrays")
    return header


def player_of(config: Plain, player: AnyPlayer | None, source: str) -> AnyPlayer:
    """Return the player of a file: made again, or the one given, checked against what the file says of it."""
    if player is None and config is None:
        raise Unsupported(
            f"session file {source!r} must describe its player",
            "a player that holds functions of its own",
            "Make the player again and hand it over: Session.load(path, player=player).",
        )
    if player is None:
        with reading(f"session file {source!r}"):
            made: AnyPlayer = read_value(config)
        if not isinstance(getattr(made, "actions", None), ActionSet) or not hasattr(made, "observe"):
            raise InvalidInput(f"session file {source!r} must describe a player", f"{made!r:.80}", "Check the path.")
        return made
    try:
        given = json.loads(json.dumps(write_value(player)))
    except Unsupported:
        given = None
    if config is not None and given != config:
        raise InvalidInput(
            f"`player` must be configured as the one in {source!r}",
            repr(player)[:200],
            "Leave it out to have it made from the file.",
        )
    return player


def _check_claims(config: Plain, n_bytes: int) -> None:
    """Refuse a configuration with a set larger than the file can hold, before the set is made.

    A state has a number per element or per action; only uniform play has none, and costs nothing.
    """
    if isinstance(config, dict) and config.get("class") == "UniformPlayer":
        return
    level = [config]
    while level:
        parts = [part for part in level if isinstance(part, dict | list)]
        for part in parts:
            given = part.get("args") if isinstance(part, dict) else None
            numbers = given.get("list") if isinstance(given, dict) else None
            for number in numbers if isinstance(numbers, list) else []:
                if type(number) is int and number > n_bytes:
                    raise _wrong("a set that the file can hold", f"{shown(number)} in {n_bytes:,} bytes")
        level = [inner for part in parts for inner in (part.values() if isinstance(part, dict) else part)]


def _open_action(arrays: NamedArrays, day: int, actions: ActionSet) -> Action:
    """Return the action of an open decision, which must be one of the set."""
    action = arrays[f"open.{day}.action"]
    if action.dtype != np.int64 or action not in actions:
        raise _wrong(f"an action of the set for day {day}", f"{action!r:.80}")
    action.flags.writeable = False
    return action


def _read_holdout(given: object, actions: ActionSet) -> Holdout | None:
    """Read the hold-out of a header, or refuse it."""
    if given is None:
        return None
    if isinstance(given, list) and len(given) == 2 and type(given[0]) is float and _are_counts(given[1]):
        share, places = given
        if 0.0 < share < 1.0 and max(places, default=0) < actions.dimension:
            baseline = np.zeros(actions.dimension, dtype=np.int64)
            baseline[places] = 1
            if baseline in actions:
                return Holdout(frozen(baseline), share)
    raise _wrong("a share and an action of its set as `holdout`", f"{given!r:.80}")


def parts_of(session: AnySession) -> tuple[Json, NamedArrays]:
    """Return header and arrays of a session, which do not change when it goes on."""
    player, units, holdout = session.player, session._reader.units, session._holdout
    try:
        config = write_value(player)
    except Unsupported:
        config = None
    policies = [day for day, decision in session._open.items() if not decision.held.is_present]
    header = SessionHeader(
        player=config,
        reward_range=[units.low, units.high],
        is_cost=units.is_cost,
        max_open=session.max_open,
        entropy=session.entropy,
        rng=plain_state(session._rng),
        counts=[session._n_acted, session._n_closed, session._n_skipped],
        open=list(session._open),
        policies=policies,
        notes=[write_note(decision.note) for decision in session._open.values()],
        n_past=session._n_past,
        mode=session.mode,
        holdout=None if holdout is None else [holdout.share, np.flatnonzero(holdout.baseline).tolist()],
    )
    arrays = under("state", player.dump(session._state))
    arrays |= session._known.dump() | under("beside", session._beside.dump())
    for day, decision in session._open.items():
        arrays[f"open.{day}.action"] = decision.action
        if day in policies:
            arrays |= under(f"open.{day}.policy", decision.held.dump())
    return header._asdict(), arrays


def restore(kind: type[_Session], data: bytes, given: AnyPlayer | None, name: str) -> _Session:
    """Make a session from what ``parts_of`` returned, as bytes; ``given`` is its player, if known."""
    source = f"session file {name!r}"
    metadata, arrays = from_bytes("session", data, source)
    with reading(source):
        header = read_header(metadata, arrays)
        if given is None:
            _check_claims(header.player, len(data))
    player = player_of(header.player, given, name)
    with reading(source):
        if given is None:
            check_size(player, len(data))
        session = kind.__new__(kind)
        session._equip(player, Units(*read_range(header.reward_range), header.is_cost), header.max_open)
        session.entropy = header.entropy
        session._rng, session._rng_after = generator_of(header.rng), None
        session._n_acted, session._n_closed, session._n_skipped = header.counts
        session._n_past, session.mode = header.n_past, header.mode
        session._holdout = _read_holdout(header.holdout, player.actions)
        session._beside = Beside.load(below(arrays, "beside"), player.actions.dimension)
        n_days = session._n_closed + session._n_past
        session._state = load_state(player, below(arrays, "state"), n_days)
        session._known.load(arrays, n_days)
        session._open = {}
        for day, note in zip(header.open, header.notes, strict=True):
            if day in header.policies:
                held = load_open(player, session._state, below(arrays, f"open.{day}.policy"))
            else:
                held = hold_policy(player, session._state)
            action = _open_action(arrays, day, player.actions)
            session._open[day] = Decision(day, action, player.actions, held, read_note(note))
    return session


def replay(session: AnySession, events: list[Event], name: str) -> None:
    """Let the events of a journal happen again, and check that they come out the same."""
    mode, session.mode = session.mode, LIVE  # events say themselves who chose
    for event in events:
        try:
            _repeat(session, event)
        except (SwapRegretError, ValueError, RecursionError) as error:
            raise InvalidInput(
                f"journal {name!r} must replay to the decisions it records",
                f"{event!r:.200}: {error}",
                "Use the version of the library and the player that wrote it.",
            ) from error
    session.mode = mode


def _repeat(session: AnySession, event: Event) -> None:
    """Let an event happen again."""
    if event.kind in (ACT, CHOSEN):
        action, missing, note = read_act(event.value, session.player.actions.dimension)
        is_drawn = event.kind == ACT
        said: Json = {"without": missing} if is_drawn else {"choice": action}
        decision = session.act(**said, id=note.id, context=note.context)
        again = acted(decision.day, decision.action, missing, note, event.kind)
        if again != event:
            raise InvalidInput("the action drawn must be the one recorded", f"{again!r:.80}", "It is not.")
    elif event.kind == GENERATOR:
        set_state(session._rng, event.told())
    elif event.value is None:
        session.skip(day=event.day)
    else:
        with contextlib.suppress(NotConverged):  # refused then as it is now: nothing was learnt
            session.observe(event.told(), day=event.day)


def _are_counts(values: object) -> bool:
    return isinstance(values, list) and all(type(value) is int and 0 <= value < _MOST for value in values)


def _wrong(must: str, came: str) -> InvalidInput:
    return InvalidInput(f"a session in a file must have {must}", came, "Restore it from a copy.")

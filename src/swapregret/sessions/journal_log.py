"""The days of a journal, with the policy that drew each action: what ``sr.audit`` needs to measure a player's regrets.

The policies are not in the file. They come from replaying it, bit for bit. A journal begins with a snapshot, which a long session
renews from time to time; days before it cannot be replayed.
"""

import os
from typing import Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.errors import InvalidInput
from swapregret.learners.player import AnyPlayer
from swapregret.learners.round.held_view import Chosen
from swapregret.logs.log import Log, Source
from swapregret.sessions.events import ACT, REWARD, read_act
from swapregret.sessions.journal import is_journal, read_journal
from swapregret.sessions.session import Session
from swapregret.sessions.session_file import AnySession, replay, restore
from swapregret.units import UNIT_REWARDS, Units

Path = str | os.PathLike[str]


def is_journal_file(path: Path) -> bool:
    """Tell whether there is a file that begins as a journal does."""
    try:
        with open(path, "rb") as file:
            return is_journal(file.read(64))
    except OSError:
        return False


def read_journal_log(path: Path, player: AnyPlayer | None = None) -> Log:
    """Replay a journal and return its days, in the order their rewards came; ``player`` is needed only if it holds functions.

    Totals, or costs, are as they were told; with full feedback there are reward vectors, totals on the learner's scale [0, 1]. Not
    in the log are days without a reward, and those on which the application chose, of whose policy nobody knows.
    """
    name = os.fspath(path)
    found = read_journal(path)
    session: AnySession = restore(Session, found.snapshot, player, name)
    n_before, n_skipped = session.day, session.summary().n_skipped
    reader, feedback = session._reader, session.player.feedback
    plays, rewards, policies, masks, contexts = [], [], [], [], []
    missing: dict[int, tuple[int, ...]] = {}
    labels = session.player.actions.labels
    for event in found.events:
        if event.kind == ACT:
            missing[event.day] = read_act(event.value, len(labels)).missing
        held = session._open.get(event.day) if event.kind == REWARD else None
        is_drawn = held is not None and not isinstance(held.held, Chosen)
        policy, day = held.policy if held is not None and is_drawn else None, session.day
        replay(session, [event], name)
        if held is None or policy is None or session.day == day:  # no reward, or refused, or a choice of somebody else
            continue
        told: Any = np.atleast_1d(event.told())
        if feedback == "full":
            told = reader.read(told, held.action)
        else:
            told = (told[held.action > 0] if len(told) == len(held.action) else told).sum()
        plays.append(held.action)
        rewards.append(told)
        policies.append(policy)
        contexts.append(held.context)
        gone = missing.get(event.day, ())
        masks.append(tuple(labels[i] for i in range(len(labels)) if i not in gone) if gone else None)
    if not plays:
        raise InvalidInput(
            f"journal {name!r} must hold rewards after its last snapshot, after day {n_before:,}",
            "none",
            "Audit it when some days were observed, or keep a log of your own.",
        )
    n_skipped = session.summary().n_skipped - n_skipped
    notes = [f"{n_before:,} days before the last snapshot are not in the journal."] if n_before else []
    notes += [f"{n_skipped:,} days without a reward are left out."] if n_skipped else []
    return Log(
        actions=session.player.actions,
        plays=np.array(plays),
        rewards=np.array(rewards, dtype=np.float64),
        policies=tuple(policies),
        told="logged",
        units=UNIT_REWARDS if feedback == "full" else reader.units,
        contexts=tuple(contexts) if any(context is not None for context in contexts) else None,
        available=tuple(masks) if any(masks) else None,
        notes=tuple(notes),
    )


def read_past(source: Source | Log, actions: ActionSet, units: Units) -> Log:
    """Read a history whose totals are in some units: a log, or the journal of another session."""
    if isinstance(source, str | os.PathLike) and is_journal_file(source):
        source = read_journal_log(source)
    return Log.read(source, actions, **{f"{units.word}_range": units.declared})  # type: ignore[arg-type]

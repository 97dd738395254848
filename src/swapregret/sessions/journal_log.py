"""The days of a journal, with the policy that drew each action: what ``sr.audit`` needs to measure a player's regrets.

The policies are not in the file. They come from replaying it, bit for bit. A journal begins with a snapshot, which a long session
renews from time to time; days before it cannot be replayed.
"""

import os
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Actions, Label, Matrix, Vector
from swapregret.errors import InvalidInput
from swapregret.learners.player import AnyPlayer
from swapregret.learners.round.held_view import Chosen
from swapregret.policy import Policy
from swapregret.sessions.events import ACT, REWARD, read_act
from swapregret.sessions.journal import is_journal, read_journal
from swapregret.sessions.session import Session
from swapregret.sessions.session_file import AnySession, replay, restore
from swapregret.units import Range

Path = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class JournalLog:
    """A journal as a log, for ``sr.audit(log.actions, log.plays, log.rewards, policies=log.policies)``.

    Attributes
    ----------
    actions : ActionSet
    plays : Actions, shape (n, dimension)
        In the order their rewards came.
    rewards : Vector, shape (n,), or Matrix, shape (n, dimension)
        Totals, or costs, as they were told; with full feedback reward vectors, totals on the learner's scale [0, 1].
    policies : tuple of Policy
    available : tuple or None
        The labels of the elements that could be chosen, of each day, None where all could; None if all always could.
    contexts : tuple or None
        The context of each day; None if there was none.
    reward_range, cost_range : (float, float) or None
        The declared range of totals, one of the two; with full feedback none.
    n_before, n_skipped : int
        Days closed before the snapshot, and days after it whose reward never came: not in the log. Nor are days on which the
        application chose, of whose policy nobody knows.
    """

    actions: ActionSet
    plays: Actions
    rewards: Vector | Matrix
    policies: tuple[Policy, ...]
    available: tuple[tuple[Label, ...] | None, ...] | None
    contexts: tuple[Hashable, ...] | None
    reward_range: Range | None
    cost_range: Range | None
    n_before: int
    n_skipped: int


def is_journal_file(path: Path) -> bool:
    """Tell whether there is a file that begins as a journal does."""
    try:
        with open(path, "rb") as file:
            return is_journal(file.read(64))
    except OSError:
        return False


def read_journal_log(path: Path, player: AnyPlayer | None = None) -> JournalLog:
    """Replay a journal and return its days; ``player`` is needed only if it holds functions of one's own."""
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
    has_range = feedback != "full"
    return JournalLog(
        actions=session.player.actions,
        plays=np.array(plays),
        rewards=np.array(rewards, dtype=np.float64),
        policies=tuple(policies),
        available=tuple(masks) if any(mask is not None for mask in masks) else None,
        contexts=tuple(contexts) if any(context is not None for context in contexts) else None,
        reward_range=session.reward_range if has_range and session.cost_range is None else None,
        cost_range=session.cost_range if has_range else None,
        n_before=n_before,
        n_skipped=session.summary().n_skipped - n_skipped,
    )

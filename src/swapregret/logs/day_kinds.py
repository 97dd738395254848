"""Auditing days that are not alike: regrets against rules that may look at the context of a day and at what was available.

Such a rule says: in this context, with these elements available, whenever you chose X, choose Y. Days of one context and one mask
are a log of their own, on the face that was left; what rules can gain adds up over them, exactly.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.actions.face import Face, read_missing
from swapregret.arrays import Actions, Vector
from swapregret.errors import InvalidAction, InvalidInput
from swapregret.files.storage import Json
from swapregret.logs.auditing import Audit, Available, audit_alike
from swapregret.regret.ledgers.read_plays import read_chances, read_plays, read_policies
from swapregret.regret.measure import AuditTable, Regret, SumsOfKinds
from swapregret.regret.totals import TotalsAudit, refuse_if_blind, words_of


@dataclass(frozen=True, eq=False, repr=False)
class DayKindsAudit(SumsOfKinds, AuditTable):
    """Regrets of a log whose days differ in context, or in what was available.

    Attributes
    ----------
    parts : dict
        The audit of the days of each kind: of each pair of a context and the elements that were missing, by label.
    reward, n_days, is_cost
        As in :class:`~swapregret.logs.auditing.Audit`.
    confidence : float
        With which probability the ends hold for all kinds at once, where only totals were seen.
    """

    parts: dict[tuple[Hashable, tuple[Hashable, ...]], Audit | TotalsAudit]
    reward: float
    n_days: int
    confidence: float = 0.95
    is_cost: bool = False
    windows: tuple[Regret, ...] = ()

    _title, _names = "Audit by kinds of days", ("external", "swap")

    @property
    def is_of_totals(self) -> bool:
        """Tell whether only totals were seen."""
        return any(isinstance(part, TotalsAudit) for part in self.parts.values())

    @property
    def n_blind(self) -> int:
        """Return how many days tell nothing: see :class:`~swapregret.regret.totals.TotalsAudit`."""
        return sum(getattr(part, "n_blind", 0) for part in self.parts.values())

    def _sum(self, name: str, definition: str = "") -> Regret:
        return super()._sum(name, words_of(name, self.confidence, self.n_blind) if self.is_of_totals else definition)


def audit_day_kinds(
    actions: ActionSet,
    plays: npt.ArrayLike | Sequence[object],
    rewards: npt.ArrayLike,
    contexts: Sequence[Hashable] | None,
    available: Sequence[Available] | None,
    options: Json,
) -> DayKindsAudit:
    """Audit the days of each kind on their own face, and add up.

    Examples
    --------
    >>> from swapregret import MSets, audit
    >>> rewards = [[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]] * 2
    >>> log = MSets(3, 1), [[0, 0, 1]] * 4, rewards
    >>> found = audit(*log, contexts=["even", "odd"] * 2)
    >>> audit(*log).swap_regret.value, found.swap_regret.value, len(found.parts)
    (0.0, 2.0, 2)
    """
    rows, values = read_plays(actions, plays), np.asarray(rewards, dtype=np.float64)
    if options["rounds"] is not None or options["window"] is not None:
        must = "a log whose days differ in context, or in what was available, must have one row per day and no windows"
        came = "`window`" if options["rounds"] is None else "rows that share a `round`"
        do = "Leave out the window." if options["rounds"] is None else "Give the policy of each day in its row."
        raise InvalidInput(must, came, do)
    for name, given in {"contexts": contexts, "available": available}.items():
        if given is not None and len(given) != len(rows):
            raise InvalidInput(
                f"`{name}` must have {len(rows):,} entries, one per row", f"{len(given):,}", "Pass one each."
            )
    masks = [() if each is None else read_missing(actions, None, each) for each in available or [None] * len(rows)]
    kinds: dict[tuple[Hashable, tuple[int, ...]], list[int]] = {}
    for day, kind in enumerate(zip(contexts or [None] * len(rows), masks, strict=True)):
        kinds.setdefault(kind, []).append(day)
    given = options["policies"]
    policies = None if given is None or isinstance(given, str) else read_policies(actions, rows, given)
    chances = read_chances(options["probabilities"], len(rows))
    share = 1.0 - (1.0 - options["confidence"]) / len(kinds)
    parts = {}
    for (context, missing), days in kinds.items():
        own = options | {
            "confidence": share,
            "policies": given if policies is None else [policies[day] for day in days],
        }
        own["probabilities"] = None if chances is None else chances[days]
        names = tuple(actions.labels[index] for index in missing)
        parts[context, names] = _audit_face(actions, rows[days], values[days], missing, own, days)
    found = list(parts.values())
    n_days = sum(part.n_days for part in found)
    reward = sum(part.reward * part.n_days for part in found) / n_days
    made = DayKindsAudit(parts, reward, n_days, options["confidence"], found[0].is_cost)
    if made.is_of_totals:
        refuse_if_blind(n_days, made.n_blind)
    return made


def _audit_face(
    actions: ActionSet,
    rows: Actions,
    values: Vector,
    missing: tuple[int, ...],
    options: Json,
    days: list[int],
) -> Audit | TotalsAudit:
    """Audit the days of one kind on the actions that were possible."""
    if not missing:
        return audit_alike(actions, rows, values, options)
    face = Face(actions, missing)
    wrong = np.flatnonzero(rows[:, list(missing)].any(axis=1))
    if len(wrong):
        raise InvalidAction(
            f"row {days[wrong[0]] + 1} of `plays` must be made of elements that were available",
            repr(actions.elements(rows[wrong[0]])),
            "Correct the row, or what was available.",
        )
    if options["policies"] is not None and not isinstance(options["policies"], str):
        options = options | {"policies": [face.lower(policy) for policy in options["policies"]]}
    vectors = values[:, face.kept] if values.ndim == 2 else values
    return audit_alike(face.part, rows[:, face.kept], vectors, options)

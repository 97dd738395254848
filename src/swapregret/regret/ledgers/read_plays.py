"""Reading plays and rewards that someone else wrote, or saying which row is wrong; the first is row 1."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import Actions, Matrix, Vector, as_numbers, is_bit, is_iterable, real_numbers
from swapregret.compiled.bits import pack_rows
from swapregret.counts import check_name, shown
from swapregret.errors import InvalidAction, InvalidInput, InvalidReward
from swapregret.policy import FinitePolicy, Policy
from swapregret.regret.ledgers.row_sums import distinct_rows, read_only

_SUM = 1e-9
DECLARED = ("uniform", "constant")
"""How the policies of a log may be declared where the log does not have them."""


def read_plays(actions: ActionSet, plays: npt.ArrayLike | Sequence[object], name: str = "`plays`") -> Actions:
    """Read one action per row: a 0/1 matrix, or a sequence of collections of labels.

    A list, tuple or array of ``dimension`` zeros and ones is a 0/1 row; any other collection is read as labels, and a
    set always is. Each distinct row is checked once for membership.
    """
    matrix = _as_matrix(actions, plays)
    if matrix.shape[0] == 0:
        raise InvalidInput("`plays` must hold at least one day", "none", "Pass one action per row.")
    firsts, _ = distinct_rows(read_only(pack_rows(read_only(matrix))))
    for index in firsts.tolist():
        _require_action(actions, matrix[index], f"row {index + 1} of {name}")
    return matrix


def read_play(actions: ActionSet, given: object, name: str) -> Actions:
    """Read one action, given as labels or as a 0/1 vector."""
    chosen = _one(actions, given, name)
    _require_action(actions, chosen, name)
    return chosen


def _require_action(actions: ActionSet, row: Actions, name: str) -> None:
    if row not in actions:
        raise InvalidAction(
            f"{name} must be an action of the set", f"{actions.elements(row)!r}", f"The set is {actions!r}."
        )


def _as_matrix(actions: ActionSet, plays: npt.ArrayLike | Sequence[object]) -> Actions:
    d = actions.dimension
    if isinstance(plays, np.ndarray) and plays.dtype != object:
        if plays.ndim != 2 or plays.shape[1] != d:
            raise InvalidAction(
                f"`plays` must have shape (days, {d})", f"shape {plays.shape}", "Pass one 0/1 row per day."
            )
        wrong = np.argwhere((plays != 0) & (plays != 1))
        if len(wrong):
            row, column = wrong[0]
            raise InvalidAction(
                f"row {row + 1} of `plays` must contain only 0 and 1",
                f"{plays[row, column]!r} in column {column}",
                "Mark each element as chosen (1) or not (0).",
            )
        return np.ascontiguousarray(plays, dtype=np.int64)
    if not is_iterable(plays):
        raise InvalidInput("`plays` must hold at least one day", shown(plays), "Pass one action per row.")
    listed = list(plays)
    matrix = np.zeros((len(listed), d), dtype=np.int64)
    for index, play in enumerate(listed):
        matrix[index] = _one(actions, play, f"row {index + 1} of `plays`")
    return matrix


def _one(actions: ActionSet, play: object, name: str) -> Actions:
    """Read one play: a full-length row of zeros and ones, or labels."""
    d = actions.dimension
    row = play if not isinstance(play, np.ndarray) or play.ndim == 1 else None
    if isinstance(row, list | tuple | np.ndarray) and len(row) == d and all(is_bit(entry) for entry in row):
        return np.array([int(entry) for entry in row], dtype=np.int64)
    try:
        return actions.action_of(play)  # type: ignore[arg-type]
    except (InvalidAction, TypeError) as error:
        raise InvalidAction(
            f"{name} must be a 0/1 row or the labels of one action",
            shown(play),
            f"{error}",
        ) from None


def read_rewards(rewards: npt.ArrayLike, n_days: int, dimension: int) -> Matrix:
    """Read one finite reward vector per row."""
    try:
        matrix = np.ascontiguousarray(real_numbers(rewards))
    except (TypeError, ValueError):
        raise InvalidReward(
            f"`rewards` must be a matrix of shape ({n_days}, {dimension})",
            f"{type(rewards).__name__} that cannot be read as one",
            "Pass one number for each day and element.",
        ) from None
    if matrix.shape != (n_days, dimension):
        raise InvalidReward(
            f"`rewards` must have shape ({n_days}, {dimension})",
            f"shape {matrix.shape}",
            "Pass the reward vector of every day that was played.",
        )
    wrong = np.argwhere(~np.isfinite(matrix))
    if len(wrong):
        row, column = wrong[0]
        raise InvalidReward(
            f"row {row + 1} of `rewards` must be finite",
            f"{matrix[row, column]} in column {column}",
            "Replace NaN and infinities before the call.",
        )
    return matrix


def no_policies(came: str) -> InvalidInput:
    """Return the refusal of totals that come without the policies that drew the actions."""
    return InvalidInput(
        "totals must come with the policy that drew each action",
        came,
        "Add `policies` (in a file the column `policy`, or one row for each action that could have been drawn, with `round` and"
        " `probability`, and the total in the row that was), or give the reward of every element. If all were drawn uniformly,"
        " declare policies='uniform' (--policies uniform).",
    )


def read_rounds(
    rows: Actions, rounds: npt.ArrayLike, chances: Vector | None
) -> list[tuple[slice, FinitePolicy, object]]:
    """Read those listed over several rows: for each day its rows, its policy and its name; equal ones in a row are one object."""
    try:
        days = np.asarray(rounds)
        came = f"shape {days.shape}"
    except ValueError:
        days, came = np.empty(0), "rows of several lengths"
    if days.shape != (len(rows),) or chances is None:
        raise InvalidInput(
            f"`rounds` must have shape ({len(rows)},) and come with `probabilities`",
            came + ("" if chances is not None else " and no probabilities"),
            "Give the day and the probability of every row.",
        )
    starts = np.flatnonzero(np.concatenate([[True], days[1:] != days[:-1]]))
    if len(np.unique(days)) != len(starts):
        raise InvalidInput("rows of one day in `rounds` must be together", "a day that comes back", "Sort the rows.")
    found: list[tuple[slice, FinitePolicy, object]] = []
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(days)], strict=True):
        if abs(float(chances[start:end].sum()) - 1.0) > _SUM:
            raise InvalidInput(
                f"`probabilities` of rows {start + 1} to {end} must add up to 1",
                f"{float(chances[start:end].sum())!r} on day {days[start]}",
                "List every action the day could have drawn.",
            )
        here, last = slice(start, end), found[-1][0] if found else slice(0, 0)
        is_same = np.array_equal(rows[here], rows[last]) and np.array_equal(chances[here], chances[last])
        policy = found[-1][1] if is_same else FinitePolicy(rows[here], chances[here])
        found.append((here, policy, days[start]))
    return found


def read_drawn(
    rows: Actions, totals: Vector, rounds: npt.ArrayLike, chances: Vector | None
) -> tuple[list[int], list[Policy]]:
    """Return the row and the policy of each day that is listed over several rows: the row with a total was drawn."""
    listed = read_rounds(rows, rounds, chances)
    chosen = []
    for here, _, name in listed:
        seen = np.flatnonzero(~np.isnan(totals[here]))
        if len(seen) != 1:
            raise InvalidReward(
                f"one of rows {here.start + 1} to {here.stop} must have a total: they list the policy of one day",
                f"{len(seen)} totals on day {name}",
                "Give the total in the row that was drawn, and leave it out (NaN) in the others.",
            )
        chosen.append(here.start + int(seen[0]))
    return chosen, [policy for _, policy, _ in listed]


def read_listed(
    rows: Actions, vectors: Matrix, rounds: npt.ArrayLike, chances: Vector | None
) -> tuple[list[int], list[Policy]]:
    """Return the first row and the policy of each day that is listed over several rows, each with the reward vector of the day."""
    listed = read_rounds(rows, rounds, chances)
    for here, _, name in listed:
        if (vectors[here] != vectors[here.start]).any():
            raise InvalidInput(
                f"rows {here.start + 1} to {here.stop} of `rewards` must be equal, they are of one day",
                f"different vectors on day {name}",
                "Repeat the reward vector of the day in each of its rows.",
            )
    return [here.start for here, _, _ in listed], [policy for _, policy, _ in listed]


def read_chances(probabilities: npt.ArrayLike | None, n: int) -> Vector | None:
    """Read the probability of the action of each row, or refuse the first that is none."""
    if probabilities is None:
        return None
    chances = as_numbers(probabilities, "probabilities")
    if chances.shape != (n,):
        raise InvalidInput(f"`probabilities` must have shape ({n},)", f"shape {chances.shape}", "Pass one per row.")
    wrong = np.flatnonzero(~((chances > 0.0) & (chances <= 1.0)))
    if len(wrong):
        raise InvalidInput(
            f"row {wrong[0] + 1} of `probabilities` must be above 0 and at most 1",
            repr(float(chances[wrong[0]])),
            "An action that was played had a positive probability.",
        )
    return chances


def read_policies(actions: ActionSet, plays: Actions, policies: str | Policy | Sequence[Policy]) -> list[Policy]:
    """Read the policy of every play: declared, one for all, or one each; an action its policy never draws is refused."""
    if isinstance(policies, str):
        check_name(policies, DECLARED, "policies")
        return [actions.uniform_policy()] * len(plays) if policies == "uniform" else _constant(plays)
    listed = [policies] * len(plays) if isinstance(policies, Policy) else list(policies)
    if len(listed) != len(plays):
        raise InvalidInput(
            f"`policies` must be {len(plays)} policies, one per row", str(len(listed)), "Or pass one for all rows."
        )
    for index, (policy, play) in enumerate(zip(listed, plays, strict=True)):
        if not isinstance(policy, Policy) or policy.dimension != actions.dimension:
            raise InvalidInput(
                f"row {index + 1} of `policies` must be a policy over the {actions.dimension} elements of the set",
                repr(policy)[:80],
                "Pass e.g. `decision.policy`, or sr.FinitePolicy(actions, probabilities).",
            )
        if not (policy.marginals()[play > 0] > 0.0).all():
            raise InvalidInput(
                f"row {index + 1} of `policies` must give the action of the row a positive probability",
                f"{actions.elements(play)!r}, which it never draws",
                "Pass the policy that drew it.",
            )
    return listed


def _constant(plays: Actions) -> list[Policy]:
    """Return the policy that always plays the action of the day: one object for equal actions."""
    known: dict[bytes, Policy] = {}
    for row in plays:
        if row.tobytes() not in known:
            known[row.tobytes()] = FinitePolicy(row[None, :], [1.0])
    return [known[row.tobytes()] for row in plays]


def check_support(actions: ActionSet, policies: Sequence[Policy], what: str) -> None:
    """Refuse policies that play what is no action of the set, as far as their actions are listed; each action is looked at once."""
    known: set[bytes] = set()
    waiting = list({id(policy): policy for policy in policies}.values())
    while waiting:
        policy = waiting.pop()
        if not policy.has_atoms:
            waiting += getattr(policy, "components", ())
            continue
        for atom, packed in zip(policy.atoms, pack_rows(read_only(policy.atoms)), strict=True):
            if packed.tobytes() not in known and atom not in actions:
                raise InvalidAction(
                    f"{what} must play actions of the set", f"{actions.elements(atom)!r}", f"The set is {actions!r}."
                )
            known.add(packed.tobytes())

"""A running player: its family, rule and state, and the compiled functions on them.

The state is arrays that compiled code changes in place. A policy that was played can still be asked for later: a
:class:`~swapregret.learners.round.held_view.View` of it copies what it needs when the policy is about to change.
"""

import contextlib
from collections.abc import Callable
from itertools import starmap
from threading import RLock
from time import perf_counter
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from swapregret.actions.family import Family
from swapregret.actions.policy_slots import KnowsPolicies, Policies, remake_tables
from swapregret.arrays import Action, Actions, AnyArray, Matrix, Vector
from swapregret.compiled.address import entry_address, settle
from swapregret.compiled.kernel import Function, Returned
from swapregret.errors import InvalidInput, NotConverged
from swapregret.learners.player import Arrays, Decision
from swapregret.learners.round.day import BANDIT, NOT_SOLVED, OUT_OF_ROOM, PLAYED, State, refuse
from swapregret.learners.round.held_view import Chosen, Drawn, DrawnDays, View, learns_by_sums
from swapregret.learners.round.nested import copied, dump, rebuilt, restore, wider
from swapregret.learners.round.scale import Rule
from swapregret.learners.round.taping import Taped
from swapregret.policy.tape import Tape, empty_tape

if TYPE_CHECKING:
    from swapregret.compiled.handle import OpenHandle
    from swapregret.learners.round.entries import Entries

LISTS_DERIVED = frozenset({"mix", "undo", "cumulative", "marginals", "moments", "tables", "origins"})
"""What is made again from the others in a state that keeps its lists."""
_PATIENCE = 0.05


class Running:
    """A running player.

    Parameters
    ----------
    family : Family
    rule : Rule
    state : State
        Of the master; the state belongs to this object alone.
    derived : frozenset of str
        Fields of the state that are made again from the others.
    learner : KnowsPolicies
        A lazy learner, or a competitor.
    """

    def __init__(
        self, family: Family, rule: Rule, state: State, derived: frozenset[str], learner: KnowsPolicies
    ) -> None:
        self.family, self.rule, self._derived, self.learner = family, rule, derived, learner
        self.state: Any = state  # some players know more of it than all do
        self._view: Callable[[], View | None] = lambda: None
        self._handle: OpenHandle | None = None
        self._rng: np.random.Generator | None = None
        self._nothing = np.zeros(family.common.dimension)
        self._no_tape = empty_tape(0, 0, 0, 0, family.common.dimension)
        self._callbacks = family.hull.callbacks
        self._bound: tuple[Policies | None, Family] = None, family
        self._drawn_days = DrawnDays()
        self._is_moving, self.keeps_days = False, False
        self._last: tuple[State | None, tuple[Returned, ...]] = (None, ())
        self.lock = RLock()  # held while the state changes and views read it: compiled code runs without the GIL
        from swapregret.learners.round.entries import entries  # loads Numba

        self.do: Entries = entries()

    # ---- the entries, on this state --------------------------------------------------------------------------------

    def handle_on(
        self,
        rng: np.random.Generator,
        state: State | None = None,
        tape: Tape | None = None,
        family: Family | None = None,
    ) -> "OpenHandle":
        """Return a handle on this state or a given one."""
        given, family = self.state if state is None else state, self._at_work() if family is None else family
        return self.do.open_handle(family, self.rule, given, self._no_tape if tape is None else tape, rng)

    def _at_work(self) -> Family:
        """Return the family as it works on this state; it is kept, as handles only have its addresses."""
        if self._bound[0] is not self.state.policies:
            self._bound = self.state.policies, self.family.on(self.state.policies)
        return self._bound[1]

    def open(self, rng: np.random.Generator, tape: Tape | None = None) -> "OpenHandle":
        """Return the handle that is used from now on: it draws from a generator, and what is played is written to a tape."""
        handle = self._handle = self.handle_on(rng, None, tape)
        self._rng = rng
        return handle

    def handle(self, rng: np.random.Generator | None = None) -> "OpenHandle":
        """Return the handle in use; it draws from a generator, any if none is given."""
        handle = self._handle
        if handle is None or (rng is not None and rng is not self._rng):
            handle = self.open(np.random.default_rng(0) if rng is None else rng)
        return handle

    def let_go(self) -> None:
        """Let go of the handle, and with it of the generator and the tape."""
        self._handle, self._rng = None, None

    def make(self) -> None:
        """Make all that is derived from the state."""
        self.end_window(0)
        self.let_go()

    def act(self, rng: np.random.Generator) -> Action:
        """Draw an action."""
        action = self.do.act_day(self.handle(rng))
        settle(self._callbacks)
        return action

    def view(self) -> View:
        """Return the policy that is played now, as something that stays."""
        held: View | None = self._view()
        if held is None:
            held = View(self)
            self._view = ref(held)
        return held

    @property
    def n_days(self) -> int | None:
        """How many days it has learnt; None while it is half-way through one."""
        return None if self._is_moving else int(self.state.tally.day[0])

    def observe(self, decision: Decision, reward: float | Vector | None) -> "Running":
        """Learn from a day, and end the windows that end with it (lines 6, 7, 12–14 of Algorithm 1); see ``Player.observe``.

        Whatever is raised, also out of a signal handler, the state is that before the day or after it, or ``n_days`` is None.
        What an entry returns is put into a list by a single call into C, so that no signal comes in between.
        """
        h, action, seen, total = self.handle(), _own(decision.action), self._nothing, 0.0
        entry: Function = self.do.observe_day
        given = h
        if reward is None:
            entry = self.do.pass_day
        elif self.rule.feedback == BANDIT:
            total = float(reward)
        else:
            seen = _own(np.ascontiguousarray(reward, dtype=np.float64))
            total = float(seen @ decision.action)
        held, dual = decision.held, list[Vector]()
        if reward is not None and isinstance(held, Drawn | Chosen) and not learns_by_sums(self):
            entry = self.do.observe_drawn
            given, *dual = self._drawn_days.handle(self, held, action)
        elif reward is not None and isinstance(held, View) and not held.is_present:
            entry, given = self.do.observe_late, held.handle(self)
        arguments = (given,) if reward is None else (given, action, seen, total, *dual)
        with self.lock: return self._learn(entry, arguments)  # noqa: E701  # fmt: skip

    def _learn(self, entry: Function, given: tuple[Returned, ...]) -> "Running":
        ending: list[int] = []
        codes: list[int] = []
        kept, view = self._copy_if_asked(len(given) == 1), self._view()
        self._last = (kept, given) if self.keeps_days else (None, ())
        try:
            self._is_moving = True
            ending.extend(starmap(entry, [given]))
            if ending[0] == NOT_SOLVED:
                refuse(NOT_SOLVED)
            if ending[0] != 0:
                self.end_window(ending[0], codes)
            self._is_moving = False
            return self
        except BaseException:
            self._is_moving = True
            self._settle(ending, codes, given, kept, view)
            self._is_moving = False
            raise

    def _copy_if_asked(self, is_passed: bool) -> State | None:
        """Copy the state before a day that cannot be taken back otherwise, as much changes when a window ends.

        That is where Python code is asked at the end, which may raise, and where days are kept for ``undo_day``.
        """
        tally = self.state.tally
        is_last = (tally.day[0] + tally.offset[0] + 1) % self.rule.windows[0] == 0
        is_asked = (self.keeps_days and (is_last or is_passed)) or (self._callbacks and is_last)
        return copied(self.state) if is_asked else None

    def undo_day(self) -> None:
        """Go back to the state before the last day, which must have been learnt while ``keeps_days`` was set."""
        kept, given = self._last
        self._go_back(kept, given)

    def _go_back(self, kept: State | None, given: tuple[Returned, ...]) -> None:
        """Go back to the state before a day: to its copy if there is one, and otherwise by taking back what was noted."""
        if kept is not None:
            rng, self.state = self._rng, kept
            self.let_go()
            self.handle(rng)
        else:
            restore(self.state.tally, dump(self.state.undo), "the state")
            if len(given) > 1:
                self.do.take_back(self.handle(), *given[1:4])

    def _settle(
        self, ending: list[int], codes: list[int], given: tuple[Returned, ...], kept: State | None, view: View | None
    ) -> None:
        """After an error, go back to the state before the day, or on to the one after it, if it is neither yet."""
        for callback in self._callbacks:
            callback.take()
        if kept is None:
            if ending and ending[0] > 0 and codes[-1:] in ([], [OUT_OF_ROOM]):
                if codes:
                    self._widen()
                with contextlib.suppress(NotConverged):
                    self.end_window(-ending[0] if codes else ending[0], codes)
            if not codes or codes[-1] == PLAYED:
                return
        self._go_back(kept, given)
        if view is not None:
            view.join()
            self._view = ref(view)

    def estimated_total(self) -> Vector:
        """Return the sum of the estimates of all days so far."""
        tally = self.state.tally
        known: Vector = tally.total + tally.running
        return known + self.view().solve(tally.pending) if tally.pending.any() else known

    def _part_view(self) -> None:
        """Let whoever holds the present policy keep a copy: it is about to change."""
        held: View | None = self._view()
        if held is not None:
            held.part()
            self._view = lambda: None

    def end_window(self, n_ending: int, codes: list[int] | None = None) -> None:
        """End windows; ``codes`` takes how each call ended."""
        self._part_view()
        codes = [] if codes is None else codes
        while True:
            codes.extend(starmap(self.do.end_window, [(self.handle(), n_ending)]))
            settle(self._callbacks)
            if codes[-1] != OUT_OF_ROOM:
                break
            self._widen()
            n_ending = -abs(n_ending)
        refuse(codes[-1])

    def play(
        self,
        rng: np.random.Generator,
        rewards: Matrix,
        received: Vector,
        plays: Actions,
        read: Callable[[Tape, int, int], None] | None = None,
    ) -> "Running":
        """Play one day per row of ``rewards``, as stepping would.

        ``received`` takes the rewards, ``plays`` the actions if it has rows. ``read(tape, first, last)`` is told of what was
        played on rows first..last − 1, in order.
        """
        self._part_view()
        row, n, taped = 0, len(rewards), Taped(self, rng, len(rewards), read)
        end = entry_address(self.do.end_window, taped.handle, 1)
        most = 1  # windows until Python hears of an interrupt
        try:
            while row < n:
                began = perf_counter()
                row, n_ending, code = self.do.play_days(taped.handle, end, rewards, received, plays, row, most)
                settle(self._callbacks)
                most = 2 * most if perf_counter() - began < _PATIENCE else max(1, most // 2)
                if code == OUT_OF_ROOM:
                    self.widen_and_end(n_ending)
                else:
                    refuse(code)
                taped.go_on(row)
            taped.stop(n)
        finally:
            self.let_go()
        return self

    def seat(self, h: "OpenHandle") -> tuple[int, int, int, int]:
        """Return a handle and the entries that draw, observe and end windows as addresses, for loops over several players."""
        action = np.zeros(len(self._nothing), dtype=np.int64)
        return (
            h.address,
            entry_address(self.do.act_day, h),
            entry_address(self.do.observe_day, h, action, self._nothing, 0.0),
            entry_address(self.do.end_window, h, 1),
        )

    def show_mean(self, target: Vector) -> None:
        """Keep E[M] of what is played in an array of the caller, from now on."""
        mix = self.state.mix
        target[:] = mix.mean
        self.state = self.state._replace(mix=mix._replace(mean=target))

    def widen_and_end(self, n_ending: int) -> None:
        """End windows that the entry began to end, and could not for want of room."""
        self._widen()
        self.end_window(-n_ending)

    def _widen(self, n_atoms: int | None = None) -> None:
        """Make room for lists of so many actions, or twice as many as there was room for."""
        before = self.state.policies.chances.shape[1]
        self.state = wider(self.state, before, n_atoms or 2 * before)
        if self._rng is not None:
            self.open(self._rng)

    def load_view(self, arrays: Arrays) -> View:
        """Return an earlier policy that a view wrote."""
        held = View(self)
        tables = np.array(self.state.policies.tables)
        held.policies = rebuilt(self.state.policies, arrays | {"policies.tables": tables}, "policies")
        if not remake_tables(self.family, held.policies):
            raise InvalidInput(
                "an earlier policy must be one of the set", "a point outside its hull", "Restore a backup."
            )
        held.mix = rebuilt(self.state.mix, arrays, "mix")
        held.is_present = False
        return held

    def __reduce__(self) -> tuple[Function, tuple[object, ...]]:
        return type(self), (self.family, self.rule, self.state, self._derived, self.learner)

    # ---- files -----------------------------------------------------------------------------------------------------

    def copy(self) -> "Running":
        """Return the same master with a state of its own."""
        return type(self)(self.family, self.rule, copied(self.state), self._derived, self.learner)

    def dump(self) -> Arrays:
        """Write the state as named arrays, without what is made again from them."""
        return {name: array.copy() for name, array in dump(self.state, leave_out=self._derived).items()}

    def load(self, arrays: Arrays) -> None:
        """Read what ``dump`` of an equally configured master wrote."""
        given = arrays.get("policies.chances")
        if given is not None and given.ndim == 2 and given.shape[1] > self.state.policies.chances.shape[1]:
            self._widen(given.shape[1])
        restore(self.state, arrays, "the state", self._derived)
        self.make()
        self.state.mix.is_new[:] = 0  # the same policies go on


def _own(array: AnyArray) -> AnyArray:
    """Return an array that may be written to: for read-only ones the entries would be compiled once more."""
    return array if array.flags.writeable else array.copy()

"""A master at work: its family, rule and state, and the compiled functions on them.

The state is arrays that compiled code changes in place. A policy that was played can still be asked for later: a
:class:`View` of it copies what it needs when the policy is about to change.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any
from weakref import ref

import numpy as np
import numpy.typing as npt

from swapregret.actions.policy_slots import policy_of, solve
from swapregret.arrays import Action, Actions, Matrix, Vector, frozen
from swapregret.compiled.address import entry_address
from swapregret.compiled.callback import settle
from swapregret.compiled.nested import copied, dump, rebuilt, restore, tidy, wider
from swapregret.learners.player import Arrays, Decision
from swapregret.learners.round.day import BANDIT, HOPELESS, NOT_SOLVED, OUT_OF_ROOM, refuse
from swapregret.learners.round.drawn_days import Drawn, DrawnDays
from swapregret.learners.round.taping import Taped
from swapregret.policy import Mixture, Policy, on_grid
from swapregret.policy.tape import Tape, empty_tape

LISTS_DERIVED = frozenset({"mix", "undo", "cumulative", "marginals", "moments"})
"""What is made again from the others in a state that keeps its lists."""
_PATIENCE = 0.05


class View:
    """The policy of some days: the one that is played while it is, and a copy of it afterwards.

    Parameters
    ----------
    running : Running
    """

    def __init__(self, running: "Running") -> None:
        self.running = running
        self.policies, self.mix = running.state.policies, running.state.mix
        self.is_present = True
        self._policy: Policy | None = None
        self._marginals: Vector | None = None
        self._opened: tuple[Any, Any] = (None, None)

    def handle(self, running: "Running") -> Any:
        """Return the handle by which a master learns what this earlier policy earned; made once for all its days."""
        if self._opened[0] is not running.state:
            state = running.state._replace(policies=self.policies, mix=self.mix)
            rng = np.random.default_rng(0)  # nothing is drawn
            self._opened = running.state, running.handle_on(rng, state, family=self.running.family)
        return self._opened[1]

    def policy(self) -> Policy:
        """Return the policy as a value."""
        if self._policy is None:
            parts, weights, learner = [], [], self.running.learner
            for slot, weight in enumerate(self.mix.weights.tolist()):
                if weight > 0.0:
                    parts.append(policy_of(self.policies, slot, learner))
                    weights.append(weight)
            self._policy = Mixture(parts, on_grid(weights))
        return self._policy

    def marginals(self) -> Vector:
        """Return how likely each element is, without making the policy."""
        if self._marginals is None:
            self._marginals = frozen(self.mix.mean.copy())
        return self._marginals

    def solve(self, vector: npt.ArrayLike) -> Vector:
        """Return Σ⁺v, as the master solves it for its own estimates; v is an action, or any vector in their span."""
        right = np.array(vector, dtype=np.float64)
        found: Vector
        found, ratio = solve(self.running.family, self.policies, self.mix.weights, right)
        if not ratio <= HOPELESS:
            refuse(NOT_SOLVED)
        return found

    def dump(self) -> Arrays:
        """Write what the policy is made of."""
        mix = self.mix._replace(is_new=np.zeros_like(self.mix.is_new))  # of one day
        policies = dump(self.policies, "policies")
        return tidy(policies, self.mix.weights == 0.0) | dump(mix, "mix")

    def part(self) -> None:
        """Copy what the policy is made of: the state is about to move on."""
        self.policies, self.mix = copied(self.policies), copied(self.mix)
        self.is_present = False

    def join(self) -> None:
        """Be the policy that is played again: the state did not move on."""
        self.policies, self.mix = self.running.state.policies, self.running.state.mix
        self.is_present = True


class Running:
    """A master at work.

    Parameters
    ----------
    family, rule, state
        Of the master; the state belongs to this object alone.
    derived : frozenset of str
        Fields of the state that are made again from the others.
    learner : LazyComBCP, LazyComBand or a competitor
    """

    def __init__(self, family: Any, rule: Any, state: Any, derived: frozenset[str], learner: Any) -> None:
        self.family, self.rule, self.state, self._derived, self.learner = family, rule, state, derived, learner
        self._view: Any = lambda: None
        self._handle: Any = None
        self._rng: np.random.Generator | None = None
        self._nothing = np.zeros(family.common.dimension)
        self._no_tape = empty_tape(0, 0, 0, 0, family.common.dimension)
        self._callbacks = family.hull.callbacks
        self._bound = None, family
        self._drawn_days = DrawnDays()
        from swapregret.learners.round.entries import entries  # loads Numba

        self.do = entries()

    # ---- the entries, on this state --------------------------------------------------------------------------------

    def handle_on(
        self, rng: np.random.Generator, state: Any = None, tape: Tape | None = None, family: Any = None
    ) -> Any:
        """Return a handle on this state or a given one."""
        given, family = self.state if state is None else state, self._at_work() if family is None else family
        return self.do.open_handle(family, self.rule, given, self._no_tape if tape is None else tape, rng)

    def _at_work(self) -> Any:
        """Return the family at work on this state; it is kept, as handles only have its addresses."""
        if self._bound[0] is not self.state.policies:
            self._bound = self.state.policies, self.family.on(self.state.policies)
        return self._bound[1]

    def open(self, rng: np.random.Generator, tape: Tape | None = None) -> Any:
        """Return the handle that is used from now on: it draws from a generator, and what is played is written to a tape."""
        self._handle, self._rng = self.handle_on(rng, None, tape), rng
        return self._handle

    def handle(self, rng: np.random.Generator | None = None) -> Any:
        """Return the handle in use; it draws from a generator, any if none is given."""
        if self._handle is None or (rng is not None and rng is not self._rng):
            self.open(np.random.default_rng(0) if rng is None else rng)
        return self._handle

    def let_go(self) -> None:
        """Let go of the handle, and with it of the generator and the tape."""
        self._handle, self._rng = None, None

    def make(self) -> None:
        """Make all that is derived from the state."""
        self.end_window(0)
        self.let_go()

    def act(self, rng: np.random.Generator) -> Action:
        """Draw an action."""
        action: Action = self.do.act_day(self.handle(rng))
        settle(self._callbacks)
        return action

    def view(self) -> View:
        """Return the policy that is played now, as something that stays."""
        held: View | None = self._view()
        if held is None:
            held = View(self)
            self._view = ref(held)
        return held

    def observe(self, decision: Decision, reward: float | Vector | None) -> "Running":
        """Learn from a day, and end the windows that end with it (lines 6, 7, 12–14 of Algorithm 1); see ``Player.observe``."""
        h, action, seen, total = self.handle(), _own(decision.action), self._nothing, 0.0
        if reward is None:
            n_ending = self.do.pass_day(h)
        else:
            if self.rule.feedback == BANDIT:
                total = float(reward)
            else:
                seen = _own(np.ascontiguousarray(reward, dtype=np.float64))
                total = float(seen @ decision.action)
            held = decision.held
            if isinstance(held, Drawn):
                n_ending = self._drawn_days.observe(self, held.policy(), action, seen, total)
            elif isinstance(held, View) and not held.is_present:
                n_ending = self.do.observe_late(held.handle(self), action, seen, total)
            else:
                n_ending = self.do.observe_day(h, action, seen, total)
        if n_ending == NOT_SOLVED:
            refuse(NOT_SOLVED)
        if n_ending == 0:
            return self
        kept = copied(self.state) if self._callbacks else self.state  # Python code may raise when much has changed
        view: View | None = self._view()
        try:
            self.end_window(n_ending)
        except BaseException:
            if self._callbacks:
                rng, self.state = self._rng, kept
                self.let_go()
                h = self.handle(rng)
            restore(self.state.tally, dump(self.state.undo), "the state")
            if reward is not None:
                self.do.take_back(h, action, seen, total)
            if view is not None:
                view.join()
                self._view = ref(view)
            raise
        return self

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

    def end_window(self, n_ending: int) -> None:
        """End windows; on an error nothing has changed."""
        self._part_view()
        while True:
            code = self.do.end_window(self.handle(), n_ending)
            settle(self._callbacks)
            if code != OUT_OF_ROOM:
                break
            self._widen()
            n_ending = -abs(n_ending)
        refuse(code)

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

    def seat(self, h: Any) -> tuple[int, int, int, int]:
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
        held.policies = rebuilt(self.state.policies, arrays, "policies")
        held.mix = rebuilt(self.state.mix, arrays, "mix")
        held.is_present = False
        return held

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
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


def _own(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array that may be written to: for read-only ones the entries would be compiled once more."""
    return array if array.flags.writeable else array.copy()

"""The adaptive master, simulated slowly from its docstrings: members, forecaster, filter, experts, guard and policies."""

import math
from collections import Counter
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest

import swapregret as sr
from swapregret.compiled.bits import unpack_rows
from swapregret.learners.player import Decision

LADDER = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
LAYERS = [[0], list(range(1, 13)), [13, 14, 15], [16]]
GRID = [edge for left, right in pairwise(LAYERS) for edge in product(left, right)]
SETS = {
    "m-sets": (sr.MSets(6, 2), lambda literal: literal.m_sets(6, 2)),
    "arms": (sr.MSets(4, 1), lambda literal: literal.m_sets(4, 1)),
    "permutations": (sr.Permutations(3), lambda literal: literal.matchings(3)),
    "paths": (sr.DagPaths(LADDER, source=0, sink=3), lambda literal: literal.paths(LADDER, 0, 3)),
    "many edges": (sr.DagPaths(GRID, source=0, sink=16), lambda literal: literal.paths(GRID, 0, 16)),
}
WINDOWS, GAMMA, VARIANTS, HORIZON = (2, 6, 18, 54), 0.1, 2, 240
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("arms", "bandit", {}),
    ("m-sets", "bandit", {}),
    ("m-sets", "semi-bandit", {}),
    ("m-sets", "semi-bandit", {"guard_slack": 0.001, "experts": False}),
    ("m-sets", "semi-bandit", {"guard_slack": 0.001}),
    ("m-sets", "semi-bandit", {"forecaster": False}),
    ("m-sets", "bandit", {"forecaster": False}),
    ("m-sets", "bandit", {"pooling": False, "least_squares": False, "trackers": False}),
    ("permutations", "bandit", {}),
    ("paths", "bandit", {}),
    ("paths", "semi-bandit", {}),
    ("many edges", "bandit", {"standard_errors": 0.1}),
    ("permutations", "bandit", {"guard_slack": 0.005, "experts": False, "forecaster": False}),
    ("permutations", "semi-bandit", {}),
    ("permutations", "full", {"guard_slack": 0.002, "experts": False}),
]


class Pool:
    """Members, weights, memory and guard, as dictionaries by action and dense arrays."""

    def __init__(
        self, literal: Any, plain: Any, actions: Any, feedback: str, offset: int, options: dict[str, Any]
    ) -> None:
        d = plain.rows.shape[1]
        self.plain, self.actions, self.d, self.feedback, self.offset = plain, actions, d, feedback, offset
        self.rows = [tuple(row) for row in plain.rows.tolist()]
        self.base, self.K = WINDOWS[0], len(WINDOWS) - 1
        rate = {"bandit": 3.0, "semi-bandit": 4.0, "full": 8.0}[feedback]
        taus: list[float] = []
        tau = plain.rank * plain.size / 16
        while options.get("trackers", True) and tau < HORIZON / 2:
            taus += [tau] * (tau >= self.base / 4)
            tau *= 4.0

        def waits(memory: float) -> int:
            return max(1, int(memory / (8 * self.base)))

        self.every = [0] * self.K + [waits(WINDOWS[1]), 0] + [waits(tau) for tau in taus]
        self.foretells = options.get("forecaster", True) and (
            feedback == "semi-bandit" or (feedback == "bandit" and plain.size > 1 and plain.rank * plain.size <= 100)
        )
        kept = [1.0] * (self.K + 2) + [math.exp(-waits(tau) * self.base / tau) for tau in taus]
        kept += [1.0] * self.foretells
        self.every += [0] * self.foretells
        self.members = [
            literal.Learner(plain, rate if g < self.K else rate / 3, True, keep) for g, keep in enumerate(kept)
        ]
        self.G = len(kept)
        self.fits = feedback != "full" and options.get("least_squares", True)
        self.info, self.moment = np.zeros((self.G, d, d)), np.zeros((self.G, d))
        self.new_info, self.new_moment = np.zeros((d, d)), np.zeros(d)
        self.begin = np.full(self.G, 1.0 / self.G)
        if self.foretells:
            self.begin = np.array([0.1 / (self.G - 1)] * (self.G - 1) + [0.9])
        self.weights, self.scores = self.begin.copy(), np.zeros(self.G)
        self.memories = [math.inf] + [HORIZON / 10 ** (j / 2) for j in range(1, 9) if HORIZON / 10 ** (j / 2) >= 4]
        self.days: list[tuple[np.ndarray, Any]] = []
        self.known_days = 0
        self.theirs, first = np.zeros((0, d)), self.posterior(math.inf, 0)
        self.beliefs, self.fitted_on, self.plays = [first] * len(self.memories), [0] * len(self.memories), []
        self.belief = np.full(len(self.memories), 1.0 / len(self.memories))
        self.variance = self.typical = 0.0
        self.pools, self.careful = options.get("pooling", True), options.get("standard_errors", 0.7)
        self.V: dict[tuple[int, ...], np.ndarray] = {}
        self.V_square: dict[tuple[int, ...], float] = {}
        self.V2: dict[tuple[int, ...], np.ndarray] = {}
        self.N2: dict[tuple[int, ...], float] = {}
        self.S2: dict[tuple[int, ...], float] = {}
        self.noise = 0.0
        self.seen, self.count, self.square = np.zeros((self.G, d)), np.zeros(self.G), np.zeros(self.G)
        self.is_old = np.zeros(self.G, dtype=bool)
        self.U: dict[tuple[int, ...], np.ndarray] = {}
        self.held = np.zeros((self.G + 1, 2, d))
        N, self.has_experts = len(self.rows), options.get("experts", True)
        self.first = np.append(np.full(N, 0.03 / N), 0.97)
        self.experts, self.told, self.told_squares = np.tile(self.first, (N, 1)), np.zeros((N, N + 1)), np.zeros(N)
        self.agreed, self.pool = np.zeros(N), np.zeros(N)
        self.estimate, self.has_tripped, self.n_windows = 0.0, False, 0
        self.threshold = options.get("guard_slack", 0.25) * (HORIZON / self.K + 16 / GAMMA)
        self.recommended: list[dict[tuple[int, ...], float]] = [{} for _ in range(self.G)]
        self.instead: list[dict[tuple[int, ...], tuple[int, ...]]] = [{} for _ in range(self.G)]
        self.n_swapped = 0

    def slot_policy(self, g: int) -> np.ndarray:
        """Return what is played for a member, by action."""
        chances = np.zeros(len(self.rows))
        for atom, p in self.recommended[g].items():
            chances[self.rows.index(self.instead[g][atom])] += p
        return chances

    def shares(self) -> np.ndarray:
        """Return the weight of each member's policy in what is played."""
        has_policy = np.array([bool(atoms) for atoms in self.recommended])
        if self.has_tripped:
            return (1.0 - GAMMA) / self.K * (np.arange(self.G) < self.K)
        wanted = np.where(has_policy, self.weights, 0.0)
        return (1.0 - GAMMA) * wanted / wanted.sum()

    def agree(self) -> None:
        """Find π = Σ π(x) (q_x(y) + q_x(pool) p(y)), the eigenvector to 1, for the pool's p."""
        self.pool = sum(share * self.slot_policy(g) for g, share in enumerate(self.shares())) / (1.0 - GAMMA)
        chain = self.experts[:, :-1] + self.experts[:, -1:] * self.pool
        system = np.vstack([chain.T - np.eye(len(chain)), np.ones(len(chain))])
        self.agreed = np.linalg.lstsq(system, np.append(np.zeros(len(chain)), 1.0), rcond=None)[0]

        self.agreed = self.agreed if self.has_experts else self.pool

    def tell(self, X: np.ndarray) -> None:
        """Let every expert learn what it would have gained with each option beyond the pool."""
        gains = np.append((self.plain.rows - self.pool @ self.plain.rows) @ X, 0.0)
        for x, chance in enumerate(self.agreed * self.has_experts):
            self.told[x] += chance * gains
            self.told_squares[x] += chance**2 * np.mean(gains[:-1] ** 2)
            if chance:
                odds = self.first * np.exp(2.0 * self.told[x] / math.sqrt(self.told_squares[x]))
                self.experts[x] = odds / odds.sum()

    def policy(self) -> np.ndarray:
        """Return (1−γ) π + γμ."""
        return np.full(len(self.rows), GAMMA / len(self.rows)) + (1.0 - GAMMA) * self.agreed

    def are_light(self) -> np.ndarray:
        """Tell who has at most a thousandth of the weight beyond the even share; nobody once the guard has tripped."""
        return ~np.array(self.has_tripped) & (self.weights <= 0.1 * self.begin + 1e-3)

    def renewed(self, n_ending: int) -> list[int]:
        """Return whose policies end: all, all that are old, or the two of these that were followed most."""
        held = [g for g in range(self.G) if self.recommended[g]]
        if n_ending > 1:
            return held
        is_light = self.are_light()
        old = [g for g in held if self.is_old[g] and not is_light[g]]
        if self.has_tripped:
            return old
        always = [g for g in old if self.foretells and g == self.G - 1]
        return sorted(always + sorted(set(old) - set(always), key=lambda g: -self.count[g])[:2])

    def open(self, points: np.ndarray) -> None:
        """List and filter what members with weight recommend; points were compared with the library's before."""
        for g in range(self.G):
            wanted = g < self.K if self.has_tripped else self.weights[g] > 1e-3
            if not wanted or self.recommended[g]:
                continue
            finite = self.actions.decompose(points[g].copy(), variants=VARIANTS).finite()
            atoms, weights = finite.atoms.tolist(), finite.weights.tolist()
            if self.foretells and g == self.G - 1 and self.plays:
                atoms, weights = np.array(self.plays).tolist(), [1.0 / len(self.plays)] * len(self.plays)
            for atom, p in zip(atoms, weights, strict=True):
                self.recommended[g][tuple(atom)] = self.recommended[g].get(tuple(atom), 0.0) + p
            self.instead[g] = {
                atom: self.replaced(atom) if p >= 2e-4 and not (self.foretells and g == self.G - 1) else atom
                for atom, p in self.recommended[g].items()
            }
            self.is_old[g] = False
        self.agree()

    def parts(self, atom: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return the pairs of an action's elements, or on a set with more than 48 elements each of them."""
        chosen = [i for i in range(self.d) if atom[i]]
        if not self.pools or self.plain.size == 1:
            return []
        return list(combinations(chosen, 2)) if self.d <= 48 else [(i,) for i in chosen]

    def replaced(self, atom: tuple[int, ...]) -> tuple[int, ...]:
        """Return the M that maximises v·M − τ|a ∖ M|."""
        days = max(1, self.n_windows * self.base)
        if self.has_tripped or (self.plain.size == 1 and days < 100 * self.plain.rank):
            return atom
        a = np.array(atom)
        v, spread = self.V.get(atom, np.zeros(self.d)).copy(), self.V_square.get(atom, 0.0)
        parts = [part for part in self.parts(atom) if self.N2.get(part, 0.0) > 1e-3]
        for part in parts:
            v += 2.0 / len(parts) * self.V2[part] / self.N2[part]
            spread += (2.0 / len(parts)) ** 2 * self.S2[part] / self.N2[part] ** 2
        careful = self.careful * max(1.0, 2.0 / self.plain.size)
        errors = careful * math.sqrt(2.0 * math.log(self.d)) * math.sqrt(1.0 + 100.0 * self.plain.rank / days)
        tau = errors * math.sqrt(2.0 * self.noise * spread)
        if tau == 0.0:
            return atom
        worth = [float(v @ M - tau * (a * (1 - M)).sum()) for M in self.plain.rows]
        best = self.rows[int(np.argmax(worth))]
        self.n_swapped += best != atom
        return best

    def close(self, g: int) -> None:
        """Enter what was seen under a member's policy."""
        together: Counter[tuple[int, ...]] = Counter()
        for atom, p in self.recommended[g].items():
            if self.count[g] > 0.0 and p >= 2e-4:
                self.V[atom] = self.V.get(atom, np.zeros(self.d)) + p * self.seen[g]
                self.V_square[atom] = self.V_square.get(atom, 0.0) + p * p * self.square[g]
                for part in self.parts(atom):
                    together[part] += p
            b = self.instead[g][atom]
            self.U[b] = self.U.get(b, np.zeros((2, self.d))) + p * self.held[g]
        for part, c in together.items():
            self.V2[part] = self.V2.get(part, np.zeros(self.d)) + c * self.seen[g]
            self.N2[part] = self.N2.get(part, 0.0) + c * self.count[g]
            self.S2[part] = self.S2.get(part, 0.0) + c * c * self.square[g]
        self.seen[g], self.count[g], self.square[g], self.held[g] = 0.0, 0.0, 0.0, 0.0

    def guess_swap_regret(self) -> float:
        """Return Ŝ: each rule judged on the windows it was not chosen on."""
        total = 0.0
        for b, (even, odd) in self.U.items():
            if not even.any() or not odd.any():
                continue
            total += odd @ (self.plain.best(even) - b) + even @ (self.plain.best(odd) - b)
        return float(total)

    def fitted(self, g: int, noise: float) -> np.ndarray:
        """Return q_1 exp(β (θ̂ + c)/s), projected."""
        A, b = self.info[g] + self.new_info, self.moment[g] + self.new_moment
        ridge = float(max(1, self.plain.size))
        level = b.sum() / A.sum()
        worth = np.linalg.solve(A + ridge * np.eye(self.d), b - level * A.sum(axis=1))
        worth += 0.0 if self.plain.is_uniform else level
        error = math.sqrt(2.0 * noise * np.mean(1.0 / (np.diag(A) + ridge)))
        steep = 2.5 * max(1.0, math.log(self.d / self.plain.size))
        tilted = np.log(self.members[g].first) + (steep * worth / error if error > 0.0 else 0.0)
        return self.plain.project(tilted)

    def posterior(self, memory: float, days: int) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and covariance of the rewards after so many days, as one memory has them; all of a window are as old."""
        m, is_bandit = self.plain.size, self.feedback == "bandit"
        precision, total = np.eye(self.d) * (m / 0.35) ** 2, np.full(self.d, (m / 0.35) ** 2 * 0.5 / m)
        for day, (action, shown) in enumerate(self.days[:days]):
            gain = math.exp(-(days - self.window_end(day)) / memory) * (m if is_bandit else m * m) / 0.25
            precision += gain * (np.outer(action, action) if is_bandit else np.diag(action))
            total += gain * shown * action
        return np.linalg.solve(precision, total), np.linalg.inv(precision)

    def window_end(self, day: int) -> int:
        """Return on how many days the window of a day has ended."""
        return day + self.base - (day + self.offset) % self.base

    def foretell(self, known: int) -> list[np.ndarray] | None:
        """Let the window after the first ``known`` days move the beliefs in the memories; return what to play, if it is new."""
        n_days, L, m = len(self.days) - known, len(self.memories), self.plain.size
        log_density, is_bandit = np.zeros(L), self.feedback == "bandit"
        for action, shown in self.days[known:]:
            for index, memory in enumerate(self.memories):
                mean, covariance = self.beliefs[index] if is_bandit else self.posterior(memory, known)
                if is_bandit:
                    variance = action @ covariance @ action + 0.25 / m
                    log_density[index] -= 0.5 * ((shown - mean @ action) ** 2 / variance + math.log(variance))
                else:
                    variance = np.diag(covariance) + (0.5 / m) ** 2
                    log_density[index] -= 0.5 * float(((shown - mean) ** 2 / variance + np.log(variance)) @ action)
        believed = self.belief * np.exp(log_density - log_density.max())
        kept = (1.0 - HORIZON ** (-1.0 if is_bandit else -0.75)) ** n_days
        self.belief = kept * believed / believed.sum() + (1.0 - kept) / L
        if not is_bandit:
            bounds = np.zeros(self.d)
            for chance, memory in zip(self.belief, self.memories, strict=True):
                mean, covariance = self.posterior(memory, len(self.days))
                bounds += chance * (mean + np.sqrt(np.diag(covariance)))
            return [self.plain.best(bounds)]
        is_new = False
        for index, memory in enumerate(self.memories):
            is_light = self.belief[index] < 1e-3
            wait = min(memory, len(self.days)) / 32 * (4 if is_light else 1)
            if len(self.days) - self.fitted_on[index] >= wait:
                self.beliefs[index], self.fitted_on[index] = self.posterior(memory, len(self.days)), len(self.days)
                is_new |= not is_light
        return self.bold() if is_new else None

    def bold(self) -> list[np.ndarray]:
        """Return eight actions, each of the largest bound when those before have been played: the library's, if they are that."""
        heavy = [(chance, fit) for chance, fit in zip(self.belief, self.beliefs, strict=True) if chance >= 1e-3]
        weight, plays = sum(chance for chance, _ in heavy), []
        mean = sum(chance * fit[0] for chance, fit in heavy) / weight
        covariance = sum(chance * fit[1] for chance, fit in heavy) / weight
        for M in self.theirs:
            bounds = [float(mean @ row + 1.2 * math.sqrt(row @ covariance @ row)) for row in self.plain.rows]
            assert bounds[self.rows.index(tuple(M.tolist()))] >= max(bounds) - 1e-9  # of equals, either
            spread = covariance @ M
            covariance = covariance - np.outer(spread, spread) / (M @ spread + 0.25 / self.plain.size)
            plays.append(M)
        return plays

    def end(self, X: np.ndarray, n_ending: int, position: int, noise: float) -> None:
        """End a base window in which X was seen, span part and all."""
        is_light = self.are_light()
        gains = np.array(
            [
                self.slot_policy(g) @ self.plain.rows @ X if self.recommended[g] and not is_light[g] else m.point @ X
                for g, m in enumerate(self.members)
            ]
        )
        played = self.shares()
        moved, forgets = [False] * self.G, [False] * self.G
        for g, member in enumerate(self.members):
            fits = self.fits and g >= self.K
            turn, rest = divmod(self.n_windows + 1, self.every[g]) if self.every[g] else (0, 1)
            forgets[g] = g >= self.K and rest == 0
            if g < self.K and g < n_ending - 1:
                member.begin()
                moved[g] = True
            elif forgets[g] and fits:
                if not is_light[g] or turn % 4 == 0:
                    member.point = self.fitted(g, noise)
                    moved[g] = True
            elif forgets[g] or g == n_ending - 1 < self.K:
                member.move(X)
                moved[g] = True
            else:
                member.aggregate = member.aggregate + X
        for g, member in enumerate(self.members):
            keep = member.keep if forgets[g] else 1.0
            self.info[g], self.moment[g] = (
                keep * (self.info[g] + self.new_info),
                keep * (self.moment[g] + self.new_moment),
            )
        self.new_info[:], self.new_moment[:] = 0.0, 0.0
        self.seen += self.weights[:, None] * X
        instead = self.agreed @ self.experts
        if not self.has_experts:
            instead = np.append(np.zeros(len(self.rows)), 1.0)
        self.held[:-1, self.n_windows % 2] += instead[-1] * played[:, None] * X
        self.held[-1, self.n_windows % 2] += (1.0 - GAMMA) * instead[:-1].sum() * X
        for b, chance in zip(self.rows, instead[:-1], strict=True):
            if chance > 1e-9:
                self.U[b] = self.U.get(b, np.zeros((2, self.d))) + chance / instead[:-1].sum() * self.held[-1]
        self.held[-1] = 0.0
        self.tell(X)
        self.count += self.weights
        self.square += self.weights**2
        self.n_windows += 1
        forget = max(0.01, 1.0 / self.n_windows)
        self.noise += forget * (X.var() - self.noise)
        mean = self.weights @ gains
        self.variance += float(self.weights @ (gains - mean) ** 2)
        self.typical += forget * (gains.var() - self.typical)
        self.scores += gains - mean
        total = self.variance + 4.0 * self.typical
        eta = 0.5 * math.sqrt(math.log(self.G + 1.0) / total) if total > 0.0 else 0.0
        policy = self.begin * np.exp(np.maximum(eta * (self.scores - self.scores.max()), -30.0))
        self.weights = 0.9 * policy / policy.sum() + 0.1 * self.begin
        if self.foretells:
            plays = self.foretell(self.known_days)
            self.known_days = len(self.days)
            if plays is not None and not np.array_equal(plays, self.plays):
                moved[-1], self.plays = True, plays
                self.members[-1].point = np.mean(plays, axis=0)
        self.is_old |= np.array(moved)
        closing = self.renewed(n_ending)
        for g in closing:
            self.close(g)
        every = max(WINDOWS[1], WINDOWS[0] * len(self.U))
        if n_ending > 1 and not self.has_tripped and position // every > (position - WINDOWS[1]) // every:
            self.estimate = self.guess_swap_regret()
            if self.estimate > self.threshold:
                self.has_tripped = True
        for g in closing:
            self.recommended[g] = {}


@pytest.mark.parametrize(("name", "feedback", "options"), CASES, ids=str)
def test_every_day_is_that_of_the_docstrings(literal: Any, name: str, feedback: str, options: dict[str, Any]) -> None:
    """Fed the same actions and rewards, both have the same points, weights, guard and policies to 1e-9 on every day."""
    actions, make = SETS[name]
    plain = make(literal)
    master = sr.swap_combcp(
        actions,
        HORIZON,
        feedback=feedback,
        schedule=sr.Schedule(list(WINDOWS)),
        exploration=GAMMA,
        exploration_policy="uniform",
        variants=VARIANTS,
        **options,
    )
    running = master.start(np.random.default_rng(1))
    state = running.state
    offset = int(state.tally.offset[0])
    pool = Pool(literal, plain, actions, feedback, offset, options)
    estimates = literal.Estimates(feedback, 0.2, actions.dimension)
    rng, worlds, X = np.random.default_rng(5), np.random.default_rng(6), np.zeros(actions.dimension)
    pool.open(state.learners.points)
    for day in range(HORIZON):
        points = np.array([member.point for member in pool.members])
        assert np.abs(points - state.learners.points).max() <= 1e-8, f"day {day}"
        assert np.abs(pool.weights - state.weights.policy).max() <= 1e-9, f"day {day}"
        chances = pool.policy()
        held = master.hold(running)
        finite = held.policy().finite()
        found = np.zeros(len(pool.rows))
        for atom, weight in zip(finite.atoms.tolist(), finite.weights, strict=True):
            found[pool.rows.index(tuple(atom))] += weight
        assert np.abs(found - chances).max() <= 1e-9, f"day {day}"
        action = master.act(running, rng)
        phase = np.roll(np.arange(actions.dimension) % 3, day // 40)
        vector = 0.5 * (worlds.random(actions.dimension) + (phase == 0)) / plain.size
        X = X + estimates.make(plain.rows, chances, action, vector)
        shown = {"bandit": float(vector @ action), "semi-bandit": vector * action, "full": vector}[feedback]
        if feedback == "bandit":
            pool.new_info += np.outer(action, action)
            pool.new_moment += shown * action
            pool.days.append((np.array(action), shown))
        elif feedback == "semi-bandit":
            pool.new_info += np.diag(action)
            pool.new_moment += shown
            pool.days.append((action, shown))
        master.observe(running, Decision(day, action, actions, held), shown)
        position = day + 1 + offset
        if position % WINDOWS[0] == 0:
            n_ending = sum(position % length == 0 for length in WINDOWS)
            pool.theirs = unpack_rows(state.forecast.plays, actions.dimension)
            assert len(pool.theirs) == (8 if feedback == "bandit" else 1) * pool.foretells
            pool.end(plain.span_part(X), n_ending, position, estimates.noise)
            pool.open(state.learners.points)
            X = np.zeros(actions.dimension)
            assert abs(pool.estimate - state.guard.estimate[0]) <= 1e-7
            assert pool.has_tripped == bool(state.guard.has_tripped[0])
    if not pool.foretells:  # who leaves little to exchange
        assert (pool.n_swapped > 0) == (name != "arms")  # of single elements nothing is exchanged in so few days
    assert pool.has_tripped == ("guard_slack" in options)

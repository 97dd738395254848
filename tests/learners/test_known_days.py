"""Days with contexts: one context is the player itself, estimates stay unbiased, contexts that differ are told apart."""

import numpy as np
import pytest

import swapregret as sr
from swapregret.errors import Unsupported
from swapregret.learners.known_days import KnownDays
from swapregret.learners.player import Decision, Note, what_is_seen

ACTIONS = sr.MSets(6, 2)
MEANS = {"mobile": np.array([0.45, 0.45, 0.1, 0.1, 0.1, 0.1]), "desktop": np.array([0.1, 0.1, 0.1, 0.1, 0.45, 0.45])}


def course(player, names, n: int, seed: int = 0, masks=()):
    """Play days whose contexts and masks come in turn; return the state, what is known, and the rewards."""
    rng = np.random.default_rng(seed)
    state, known, earned = player.start(rng), KnownDays(player), np.zeros(n)
    for day in range(n):
        context = names[day % len(names)]
        missing = masks[day % len(masks)] if masks else ()
        decision = known.draw(state, rng, day, missing, Note(None, context))
        vector = MEANS.get(context, MEANS["mobile"])
        earned[day] = decision.action @ vector
        state = known.observe(state, decision, what_is_seen(player.feedback, vector, decision.action))
    return state, known, earned


@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
def test_one_context_is_the_player_bit_for_bit(feedback: str) -> None:
    """A player that is always told the same context has the state of one that is told nothing."""
    player = sr.swap_combcp(ACTIONS, 300, feedback=feedback)
    one, known, first = course(player, ["mobile"], 90)
    other, _, second = course(player, [None], 90)
    assert np.array_equal(first, second)
    assert not known.own
    for name, array in player.dump(one).items():
        assert np.array_equal(array, player.dump(other)[name]), name


@pytest.mark.parametrize("masks", [(), ((1,), ())], ids=["whole", "masked"])
@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit"])
def test_estimates_are_unbiased_for_both_players(feedback: str, masks) -> None:
    """Summed over all draws of a day, both players' estimates give every possible action its reward, to 1e-12."""
    player = sr.swap_combcp(ACTIONS, 4000, preset="multiscale", feedback=feedback)
    state, known, _ = course(player, ["mobile", "desktop"], 61, masks=masks)
    rng = np.random.default_rng(5)
    missing = masks[0] if masks else ()
    decision = known.draw(state, rng, 61, missing, Note(None, "mobile"))
    policy, reward = decision.policy.finite(), rng.random(6) / 2
    for mine in (state, known.own["mobile"].state):
        assert mine.state.tally.prediction.any()
        mean, before = np.zeros(6), mine.state.tally.running.copy()
        for row, chance in zip(policy.atoms, policy.weights, strict=True):
            own = mine.copy()
            own.observe(Decision(0, row, ACTIONS, decision.held), what_is_seen(feedback, reward, row))
            mean += chance * (own.state.tally.running - before)
        rows = ACTIONS.enumerate()
        rows = rows[rows[:, list(missing)].sum(axis=1) == 0]
        assert rows @ mean == pytest.approx(rows @ reward, abs=1e-12)


@pytest.mark.parametrize("feedback", ["bandit", "full"])
def test_a_blend_is_the_mixture_it_says(feedback: str) -> None:
    """Its marginals, its Σ⁺M and its policy agree."""
    player = sr.swap_combcp(ACTIONS, 1000, feedback=feedback)
    state, known, _ = course(player, ["mobile", "desktop"], 60)
    held = known.draw(state, np.random.default_rng(1), 60, (), Note(None, "desktop")).held
    policy = held.policy()
    assert held.marginals() == pytest.approx(policy.marginals(), abs=1e-12)
    assert known.held(state, "desktop").policy().marginals() == pytest.approx(policy.marginals(), abs=1e-12)
    if feedback == "bandit":
        action = policy.sample(np.random.default_rng(2))
        found = held.dual(action, state.family, ACTIONS.span)
        assert policy.cooccurrence() @ found == pytest.approx(action.astype(float), abs=1e-9)


def test_contexts_that_differ_are_told_apart() -> None:
    """Where contexts want different actions a player that knows them earns more than any that does not could."""
    player = sr.swap_combcp(ACTIONS, 1200)
    _, known, earned = course(player, ["mobile", "desktop"], 1200)
    assert earned[600:].mean() > 0.7  # the best single action earns 0.55
    assert min(own.share for own in known.own.values()) > 0.5


def test_a_day_that_the_player_of_all_days_does_not_learn_has_not_been(monkeypatch) -> None:
    """If it fails after the player of the context has learnt, that one goes back too, at the end of a window and before."""
    player = sr.swap_combcp(ACTIONS, 300)
    state, known, _ = course(player, ["mobile", "desktop", "desktop"], 50)
    rng = np.random.default_rng(3)
    for day in range(50, 75):
        before = player.dump(state), known.dump()
        decision = known.draw(state, rng, day, (), Note(None, ("mobile", "desktop")[day % 2]))
        monkeypatch.setattr(type(player), "observe", staticmethod(lambda *_: 1 / 0))
        for seen in (0.4, None):
            with pytest.raises(ZeroDivisionError):
                known.observe(state, decision, seen)
            after = player.dump(state), known.dump()
            for one, other in zip(before, after, strict=True):
                assert set(one) == set(other)
                for name in one:
                    assert np.array_equal(one[name], other[name]), (day, name)
        monkeypatch.undo()
        known.observe(state, decision, 0.4)


def test_a_player_that_cannot_learn_from_others_is_refused() -> None:
    """Competitors without Σ⁺ say so at the first context."""
    player = sr.baselines.exp3(ACTIONS, 100)
    with pytest.raises(Unsupported, match="must estimate rewards"):
        course(player, ["mobile"], 1)

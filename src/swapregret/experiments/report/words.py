"""What stands beside each figure: what is drawn, which definition it is, and what theory says about it."""

from swapregret.experiments.report.model import Scene
from swapregret.experiments.report.shell import Panel
from swapregret.regret.bounds import lower_bound, swap_combcp_bound

PANELS = (
    Panel(
        "regret",
        "Swap regret per round",
        (
            "<b>Shown:</b> SwapReg(t)/t. What the best rule “whenever you chose M, choose φ(M) instead” would have gained "
            "per round over the first t days. 0 leaves nothing to hindsight; 1 is the most there can be.",
            "<b>Definition:</b> the paper's, max<sub>φ</sub> E[…]. V[M] = Σ<sub>t</sub> p<sub>t</sub>(M) R<sub>t</sub> is read "
            "from the policies and the mean rewards, not from the actions drawn; the replications are averaged first, and the "
            "maximum over φ is taken of the average. What was measured here is said below.",
            "<b>Band:</b> 95 % bootstrap interval over replications. Its lower end comes from rules judged on runs they were "
            "not fitted on, and is cut at 0; its upper end from the plug-in value, which is the curve and is too high on "
            "average. One replication has no band.",
        ),
        has_axes=True,
    ),
    Panel(
        "reward",
        "Reward per round",
        (
            "<b>Shown:</b> the mean reward received up to each day, on [0, 1], with Student's 95 % interval over replications.",
            "<b>How to read it:</b> regret says what was missed, reward what was got. A constant policy has a swap regret no "
            "larger than its external one, and may still earn little: never judge by regret alone.",
        ),
    ),
    Panel(
        "horizons",
        "Swap regret and reward by horizon",
        (
            "<b>Shown:</b> the swap regret, or the reward, per round at the end of runs of different length, on this set and in "
            "this environment. Each horizon is a run of its own, its schedule made for that T; the curves above show the way "
            "there.",
            "<b>Bound:</b> the theorem promises that it falls like log(d log T)/log T, slowly. A line that falls faster is "
            "no contradiction; one that does not fall is not yet one, at the horizons one can run.",
        ),
        is_optional=True,
        has_axes=True,
        choice="of",
    ),
    Panel(
        "versus",
        "Swap regret against reward and external regret",
        (
            "<b>Shown:</b> where each player ended, with 95 % intervals; the thin line is the second half of its way there. "
            "Against reward, the best place is the lower right: much earned, little regretted.",
            "<b>Definition:</b> external regret compares with the best <em>fixed</em> action, swap regret with the best rule φ. "
            "A fixed action is one such rule, so swap ≥ external and nobody is below the dotted line.",
            "<b>How to read it:</b> left of 0 the player did better than any fixed action. High up and far left is the follower of "
            "the leader: nothing to reproach it with, except that a rule would have gained a lot. Intervals of external "
            "regret are Student's, over replications.",
        ),
        choice="against",
    ),
    Panel(
        "lemma",
        "Which scale pays: the decomposition lemma",
        (
            "<b>Shown:</b> both sides of SwapReg ≤ (1/K) Σ<sub>k</sub> (D<sub>k−1</sub> − E<sub>k</sub>) ≤ (1/K) "
            "Σ<sub>k&lt;K</sub> Reg<sub>k</sub> + T/K, per round, mean over replications. The bars add up to the right-hand "
            "side; the diamond is the middle (the laziness bound), the cross the swap regret measured.",
            "<b>Definition:</b> D<sub>j</sub> is what the best fixed action of every window of L<sub>j</sub> days earns, "
            "E<sub>k</sub> what scale k earns, Reg<sub>k</sub> = D<sub>k</sub> − E<sub>k</sub> its external regret, added up "
            "over its intervals.",
            "<b>Bound:</b> holds on every path for a master that mixes its scales uniformly, whatever the learners do. The "
            "cross cannot be right of the diamond, nor the diamond right of the bars.",
        ),
    ),
    Panel(
        "calendar",
        "The calendar of scales",
        (
            "<b>Shown:</b> one row per scale, one block per interval: where the shade changes, the scale forgets and starts anew; "
            "white strokes are updates, where they are few enough. Hatched rows have too many intervals to draw. Below: days "
            "between updates, between restarts, number of intervals.",
            "<b>Definition:</b> scale k keeps its policy for L<sub>k−1</sub> days, then updates; after L<sub>k</sub> days it "
            "restarts. Each window is a multiple of the one before. The grid is shifted by an offset that every "
            "replication draws; here that of the first one.",
        ),
    ),
    Panel(
        "time",
        "Time per round",
        (
            "<b>Shown:</b> wall-clock time so far divided by the days so far, in microseconds: drawing, learning and measuring "
            "together; the median run, and a band from the fastest to the slowest. The first days carry the compilation of "
            "the loops.",
            "<b>Mind:</b> the one figure that differs from machine to machine and with what else ran. The machine is named below.",
        ),
        has_axes=True,
    ),
    Panel(
        "graph",
        "What is chosen, over time",
        (
            "<b>Shown:</b> the policy that plays next, after the day on the slider, in the first replication. In a graph an edge "
            "is as thick as the probability that it is in the path or tree chosen; for other sets every element is a row (of "
            "partitions, every part and amount), and brighter is likelier.",
            "<b>Definition:</b> marginals x = E<sub>p</sub>[M]: exact, from the policy. Over all elements they add up to the "
            "size of an action.",
        ),
        has_slider=True,
    ),
)


def regret_note(scene: Scene) -> str:
    """Return what theory says of the swap regret of a scene, and which definition its numbers carry."""
    kinds = list(dict.fromkeys(runs.definition for runs in scene.players if runs.definition))
    return f"{bound_note(scene)} Measured: {'; '.join(kinds)}." if kinds else bound_note(scene)


def bound_note(scene: Scene) -> str:
    """Return the theorem's upper bound and the lower bound, in words.

    Examples
    --------
    >>> scene = Scene("10 choose 3", "cyclic", 100_000, 10, 3, 120, (), ())
    >>> bound_note(scene).startswith("Bound: the theorem promises at most 18.6 per round here, 45·log(d log T)/log T")
    True
    """
    upper = swap_combcp_bound(scene.dimension, max(3, scene.horizon))
    verdict = (
        "which says nothing, since 1 is the most there can be"
        if upper.is_vacuous
        else "which is below 1, so it says something"
    )
    below = lower_bound(scene.dimension, max(3, scene.horizon), size=scene.size)
    floor = (
        "The lower bound T/log⁶T does not apply at this size and horizon."
        if below.is_vacuous
        else f"Some adversary makes every learner suffer about {below.per_round:.3g} per round (T/log⁶T, constant 1)."
    )
    return (
        f"Bound: the theorem promises at most {upper.per_round:.3g} per round here, 45·log(d log T)/log T with d = "
        f"{scene.dimension:,} and T = {scene.horizon:,}, {verdict}. {floor}"
    )


def lemma_note(scene: Scene) -> str:
    """Return the lemma's numbers of every player that has them."""
    parts = []
    for runs in scene.players:
        if runs.shares is not None and runs.swap is not None:
            parts.append(
                f"{runs.name}: {runs.swap.last[0]:.4f} ≤ {runs.shares.laziness:.4f} ≤ {runs.shares.bound:.4f} "
                f"with K = {len(runs.shares.parts)}"
            )
    return f"Here, per round: {'; '.join(parts)}." if parts else ""

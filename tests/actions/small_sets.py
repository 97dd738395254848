"""A small set of every kind, made when it is first asked for."""

from itertools import combinations

from tests.late import Late

import swapregret as sr
from swapregret.actions.action_set import ActionSet

EDGES = [("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t"), ("a", "c")]
SETS: Late[ActionSet] = Late(
    {
        "m-sets": lambda: sr.MSets(7, 3),
        "permutations": lambda: sr.Permutations(4),
        "truncated permutations": lambda: sr.TruncatedPermutations(2, 4),
        "paths": lambda: sr.DagPaths(EDGES, source="s", sink="t"),
        "partitions": lambda: sr.Partitions(4, 3),
        "compact partitions": lambda: sr.Partitions(4, 3, coordinates="compact"),
        "trees": lambda: sr.SpanningTrees(list(combinations(range(5), 2))),
        "forests": lambda: sr.Forests(list(combinations(range(4), 2)), 2),
        "plans": lambda: sr.Plans([("first", ["check", "bet"]), ("raised", ["fold", "call"], ("first", "check"))]),
        "list": lambda: sr.Explicit([[1, 0, 1], [0, 1, 1], [1, 1, 0]]),
    }
)

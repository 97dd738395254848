"""The order in which the vertices of a graph are eliminated, chosen to join as few of them as possible."""

import heapq

from swapregret.arrays import Integers


def elimination_order(tails: Integers, heads: Integers, n_vertices: int) -> tuple[list[int], list[list[int]]]:
    """Return the order of elimination by minimum degree, and the neighbours each vertex has left at its turn.

    The vertex with the fewest neighbours left goes first, the lowest number on a tie; each elimination joins its neighbours. When
    all that are left are joined to each other, the order no longer matters.
    """
    joined: list[set[int]] = [set() for _ in range(n_vertices)]
    for u, v in zip(tails.tolist(), heads.tolist(), strict=True):
        joined[u].add(v)
        joined[v].add(u)
    queue = [(len(others), u) for u, others in enumerate(joined)]
    heapq.heapify(queue)
    order: list[int] = []
    neighbours: list[list[int]] = []
    done = [False] * n_vertices
    while queue:
        degree, u = heapq.heappop(queue)
        if done[u] or degree != len(joined[u]):
            continue
        left = n_vertices - len(order)
        if degree == left - 1:
            rest = [v for v in range(n_vertices) if not done[v]]
            order += rest
            neighbours += [rest[index + 1 :] for index in range(left)]
            break
        done[u] = True
        order.append(u)
        neighbours.append(list(joined[u]))
        for v in joined[u]:
            joined[v] |= joined[u]
            joined[v] -= {u, v}
            heapq.heappush(queue, (len(joined[v]), v))
    return order, neighbours

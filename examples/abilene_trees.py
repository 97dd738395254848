"""Choose a spanning tree of the Abilene network every five minutes, seeing only the total of its links.

The 15 undirected links of the Abilene research network have 251 spanning trees. Every five minutes for two weeks a
traffic matrix is routed on shortest paths; a link is worth the more the less it is loaded, and the player earns the
mean worth of the 11 links of its tree. Prints the average reward so far of Swap-ComBCP, of one learner, of uniform
play and of the best fixed tree, and the swap regret of each.

Run it as ``python examples/abilene_trees.py FOLDER``; ``--help`` says where the files come from.
"""

import argparse
from pathlib import Path

import numpy as np
from learning_curves import find_files, print_curves
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

import swapregret as sr

SOURCE = """The folder must hold three text files: Abilene (two header lines, then one directed link per line: number, from, to,
weight, capacity), AbileneTM and AbileneTM2 (2,016 lines each, a 12 x 12 traffic matrix row by row). They are published
by the CFR-RL project, https://github.com/jrayzhang6/CFR-RL, folder data/, under the MIT licence."""


def read_links(path: Path) -> tuple[list[tuple[int, int]], np.ndarray]:
    """Return the directed links, and the matrix of their weights (0 where there is none)."""
    rows = [line.split() for line in path.read_text().splitlines()[2:] if line.strip()]
    links = [(int(row[1]), int(row[2])) for row in rows]
    n = 1 + max(max(link) for link in links)
    weights = np.zeros((n, n))
    for (u, v), row in zip(links, rows, strict=True):
        weights[u, v] = float(row[3])
    return links, weights


def route(
    demands: np.ndarray, links: list[tuple[int, int]], weights: np.ndarray
) -> tuple[list[tuple[int, int]], np.ndarray]:
    """Return the undirected links, and the load of each on every day when all demands take shortest paths."""
    n = len(weights)
    _, before = dijkstra(csr_matrix(weights), return_predecessors=True)
    edges = sorted({(min(u, v), max(u, v)) for u, v in links})
    number = {edge: index for index, edge in enumerate(edges)}
    uses = np.zeros((n * n, len(edges)))
    for source in range(n):
        for target in range(n):
            here = target
            while here != source:
                previous = int(before[source, here])
                uses[source * n + target, number[(min(previous, here), max(previous, here))]] = 1.0
                here = previous
    return edges, demands @ uses


def main() -> None:
    """Read, route, play, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=SOURCE)
    parser.add_argument("folder", type=Path, help="where the three Abilene files are, or the folder above")
    parser.add_argument("--repeat", type=int, default=10, help="how often to go through the two weeks [10]")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    names = ("Abilene", "AbileneTM", "AbileneTM2")
    files, missing = find_files(options.folder, names)
    if missing:
        parser.error(f"{options.folder} has no {', '.join(missing)}. {SOURCE}")
    links, weights = read_links(files[0])
    demands = np.concatenate([np.loadtxt(file) for file in files[1:]])
    edges, loads = route(demands, links, weights)
    worth = np.clip(1.0 - loads / np.quantile(loads, 0.99, axis=0), 0.0, 1.0)

    actions = sr.SpanningTrees(edges)
    horizon = len(worth) * options.repeat
    world = sr.environments.replay(actions, worth, horizon=horizon, name="Abilene")
    print(f"{len(edges)} links, {actions.n_actions} spanning trees, {horizon:,} decisions; only totals are seen.")
    players = {
        "Swap-ComBCP": sr.swap_combcp(actions, horizon),
        "one Lazy-ComBCP": sr.baselines.combcp(actions, horizon),
        "uniform": sr.baselines.uniform(actions),
    }
    print_curves(world, players, options.seed)


if __name__ == "__main__":
    main()

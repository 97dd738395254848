"""Policies whose support is not listed, as named arrays of a file, or as one cell of a table.

Equal policies are written alike. What is read is a policy over the actions of the set (``files.values``).
"""

import base64
import json
import zlib

import numpy as np

from swapregret.actions.action_set import ActionSet
from swapregret.arrays import NamedArrays, array_of_text, below, under
from swapregret.errors import InvalidInput
from swapregret.files.held import held_list, wrong_policy
from swapregret.files.values import AtHand, HeldArrays, read_value, write_value
from swapregret.policy import Mixture, Policy
from swapregret.registry import GRAPHS, name_of

_TEXT = "policies"
_MOST = 2**26
_DRAWS = 8


def write_policies(policies: tuple[Policy, ...]) -> NamedArrays:
    """Write policies as named arrays."""
    if not policies:
        return {}
    beside: HeldArrays = []
    text = json.dumps([write_value(policy, beside) for policy in policies], separators=(",", ":"))
    return {_TEXT: array_of_text(text)} | under(_TEXT, {str(index): array for index, array in enumerate(beside)})


def read_policies(arrays: NamedArrays, actions: ActionSet) -> tuple[Policy, ...]:
    """Read what ``write_policies`` wrote; ``actions`` must be the set it was given, or an equal one."""
    if _TEXT not in arrays:
        return ()
    at_hand = _at_hand(actions, below(arrays, _TEXT))
    return tuple(_read_policy(data, actions, at_hand) for data in held_list(arrays, _TEXT))


def _read_policy(data: object, actions: ActionSet, at_hand: AtHand) -> Policy:
    """Read a policy over the actions of a set: what it lists are actions, and so is what it draws."""
    policy = read_value(data, at_hand)
    if not isinstance(policy, Policy) or policy.dimension != actions.dimension:
        raise wrong_policy(f"a policy over {actions.dimension} elements", f"{policy!r:.80}")
    for part in policy.components if isinstance(policy, Mixture) else (policy,):
        rows = part.atoms if type(part).has_atoms is True else part.sample_many(np.random.default_rng(0), _DRAWS)
        for row in rows:
            if row not in actions:
                raise wrong_policy("actions of the set", f"{row!r:.80}")
    return policy


def _at_hand(actions: ActionSet, arrays: NamedArrays) -> AtHand:
    graphs = _graphs_of(actions)
    sizes = [len(getattr(graph, "labels", getattr(graph, "edges", ()))) for graph in graphs]
    return AtHand(arrays, graphs, max([actions.dimension, *sizes]))


def _graphs_of(actions: ActionSet) -> list[object]:
    """Return the graphs that a set, or a set within it, is made of."""
    found: list[object] = []
    for value in vars(actions).values():
        if name_of(type(value), GRAPHS):
            found.append(value)
        for inner in value if isinstance(value, tuple) else (value,):
            found += _graphs_of(inner) if isinstance(inner, ActionSet) else []
    return found


def policy_cell(policy: Policy) -> str:
    """Write a policy as text without spaces, commas or quotes; equal policies give equal texts.

    Examples
    --------
    >>> from swapregret import MSets
    >>> wide = MSets(40, 8)
    >>> read_policy_cell(policy_cell(wide.uniform_policy()), wide)
    UniformSubsets(8 of 40)
    """
    return base64.b64encode(zlib.compress(json.dumps(write_value(policy), separators=(",", ":")).encode())).decode()


def read_policy_cell(text: str, actions: ActionSet) -> Policy:
    """Read what ``policy_cell`` wrote; whatever else it is, is refused."""
    try:
        data = json.loads(zlib.decompressobj().decompress(base64.b64decode(text, validate=True), _MOST))
    except (ValueError, RecursionError, zlib.error) as error:
        came = str(error)
    else:
        try:
            return _read_policy(data, actions, _at_hand(actions, {}))
        except InvalidInput as error:
            came = str(error)
    raise InvalidInput(
        "a policy in a table must be a text that this library wrote for the same set",
        f"{text!r:.40}: {came}",
        "Check `--set`, or list it: one row per action, with `round` and `probability`.",
    )

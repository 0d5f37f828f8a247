"""Groups of nodes that are joined more with one another than with the rest (Louvain's method).

Written out, because networkx would add 8 MB and visits nodes in a random order, and people edit the
map that these groups become.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

Weights = Mapping[str, Mapping[str, float]]
_PASSES = 20
_GAIN = 1e-9


def communities(nodes: Iterable[str], joins: Mapping[tuple[str, str], float]) -> list[list[str]]:
    """`nodes` in groups, the largest first; the same input always gives the same groups."""
    weights = _both_ways(joins)
    members = {node: [node] for node in sorted(nodes)}
    for node in members:
        weights.setdefault(node, {})
    while True:
        placed = _moved(weights)
        if len(set(placed.values())) == len(placed):
            break
        members = _gathered(members, placed)
        weights = _folded(weights, placed)
    return sorted((sorted(group) for group in members.values()), key=lambda g: (-len(g), g))


def _both_ways(joins: Mapping[tuple[str, str], float]) -> dict[str, dict[str, float]]:
    weights: dict[str, dict[str, float]] = defaultdict(dict)
    for (one, other), weight in sorted(joins.items()):
        if one != other:
            weights[one][other] = weights[one].get(other, 0.0) + weight
            weights[other][one] = weights[other].get(one, 0.0) + weight
    return dict(weights)


def _moved(weights: Weights) -> dict[str, str]:
    """The group of each node after moving nodes one by one to where they add most."""
    degree = {node: sum(near.values()) for node, near in weights.items()}
    total = sum(degree.values()) or 1.0
    group = {node: node for node in weights}
    mass = dict(degree)
    for _ in range(_PASSES):
        changed = False
        for node in sorted(weights):
            best = _best_group(node, weights[node], group=group, mass=mass, total=total)
            if best != group[node]:
                mass[group[node]] -= degree[node]
                mass[best] += degree[node]
                group[node] = best
                changed = True
        if not changed:
            break
    return group


def _best_group(
    node: str,
    near: Mapping[str, float],
    *,
    group: Mapping[str, str],
    mass: Mapping[str, float],
    total: float,
) -> str:
    own, degree = group[node], sum(near.values())
    towards: dict[str, float] = defaultdict(float)
    towards[own] = 0.0
    for other, weight in near.items():
        if other != node:
            towards[group[other]] += weight

    def gain(name: str) -> float:
        held = mass[name] - (degree if name == own else 0.0)
        return towards[name] - held * degree / total

    best = own
    for name in sorted(towards):
        if gain(name) > gain(best) + _GAIN:
            best = name
    return best


def _gathered(members: Mapping[str, list[str]], placed: Mapping[str, str]) -> dict[str, list[str]]:
    gathered: dict[str, list[str]] = defaultdict(list)
    for node, group in placed.items():
        gathered[group].extend(members[node])
    return dict(gathered)


def _folded(weights: Weights, placed: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """The graph whose nodes are the groups; a join inside a group stays as one with itself."""
    folded: dict[str, dict[str, float]] = {group: {} for group in sorted(set(placed.values()))}
    for node, near in weights.items():
        for other, weight in near.items():
            at = folded[placed[node]]
            at[placed[other]] = at.get(placed[other], 0.0) + weight
    return folded

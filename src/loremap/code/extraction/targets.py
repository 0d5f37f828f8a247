"""What an assignment binds: the names of a pattern, each with its share of the value."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremap.code.extraction.chains import Chains, Values, part_of
from loremap.code.extraction.ops import (
    CALL,
    INNER,
    LIST,
    OBJECT,
    PAIR,
    SHORT,
    SPREAD,
    TUPLE,
)
from loremap.code.extraction.worth import ELEMENTS_MAX, place_of, under


def is_one(chains: Chains, node: Node) -> bool:
    """Whether a value is one expression that is no call, so that it is not several values."""
    if not chains.has_tuples:
        return False
    shape = chains.shapes.get(node.kind_id)
    if shape is None or shape.op is not TUPLE or node.named_child_count != 1:
        return False
    inner = chains.shapes.get(node.named_children[0].kind_id)
    return inner is None or inner.op is not CALL


def assigned(chains: Chains, target: Node, values: Values, *, single: bool) -> Values:
    """`targets`, where a single value goes to the first target alone (`v, ok := m[k]`)."""
    shape = chains.shapes.get(target.kind_id)
    if single and shape is not None and shape.op is TUPLE and target.named_child_count > 1:
        return targets_of(chains, target.named_children[0], values)
    return targets_of(chains, target, values)


def targets_of(chains: Chains, node: Node, values: Values) -> Values:
    """The bindings `target = value` that assigning `values` to the pattern `node` makes."""
    shape = chains.shapes.get(node.kind_id)
    if shape is None:
        return []
    if shape.op is TUPLE and node.named_child_count == 1:
        return targets_of(chains, node.named_children[0], values)
    if shape.op is LIST or shape.op is TUPLE:
        return _unpacked(chains, node, values)
    if shape.op is OBJECT:
        return _picked(chains, node, values)
    if shape.op is INNER:
        inner = part_of(node, shape.first)
        return targets_of(chains, inner, values) if inner is not None else []
    target = chains.chain(node)
    if target is None:
        return []
    return [(target + place, value) for place, value in values]


def _unpacked(chains: Chains, pattern: Node, values: Values) -> Values:
    found: Values = []
    targets = pattern.named_children[:ELEMENTS_MAX]
    count = 1 + max((_first_index(place) for place, _ in values), default=-1)
    shift = 0
    for index, target in enumerate(targets):
        shape = chains.shapes.get(target.kind_id)
        if shape is not None and shape.op is SPREAD:
            inner = part_of(target, shape.first)
            shift = max(0, count - len(targets))
            taken = _range(values, index, index + shift + 1)
            if inner is not None:
                found += targets_of(chains, inner, taken)
            continue
        found += targets_of(chains, target, _taken(values, f"[{index + shift}]"))
    return found


def _picked(chains: Chains, pattern: Node, values: Values) -> Values:
    found: Values = []
    for child in pattern.named_children[:ELEMENTS_MAX]:
        shape = chains.shapes.get(child.kind_id)
        if shape is None:
            continue
        if shape.op is SHORT:
            name = chains.text(child)
            found += [(name + at, value) for at, value in _taken(values, f".{name}")]
        elif shape.op is PAIR:
            key, value_node = part_of(child, shape.first), part_of(child, shape.second)
            if key is not None and value_node is not None:
                found += targets_of(
                    chains, value_node, _taken(values, place_of(chains, key, OBJECT))
                )
    return found


def _first_index(place: str) -> int:
    found = re.match(r"\[(\d+)\]", place)
    return int(found[1]) if found else -1


def _taken(values: Values, place: str) -> Values:
    """What lies at `place` of `values`: of a literal its part, of anything else a longer chain."""
    found = [(at[len(place) :], value) for at, value in values if at.startswith(place)]
    return found + [("", value + place) for at, value in values if not at]


def _range(values: Values, start: int, end: int) -> Values:
    found: Values = []
    for index in range(start, end):
        found += under(f"[{index - start}]", _taken(values, f"[{index}]"))
    return found

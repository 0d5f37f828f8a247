"""What an expression may be worth: the chains that say it, and those that say its parts."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremap.code.extraction.chains import Chains, Values, function_mark, part_of
from loremap.code.extraction.ops import (
    CALL,
    CAST,
    EACH,
    EITHER,
    FUNCTION,
    INNER,
    KEYWORD,
    LIST,
    LITERAL,
    MEMBER,
    NAME,
    OBJECT,
    OR,
    PAIR,
    RECORD,
    SHORT,
    SPREAD,
    TUPLE,
    TYPED,
)
from loremap.code.grammars.language import Op, Shape

_DEPTH_MAX = 4
ELEMENTS_MAX = 40
_PLAIN_ARGUMENTS_MAX = 200
_OR = frozenset({"||", "??", "or", "?:"})
_CALL = rb"[^\W\d][\w.]*(?:\([^()\"'`{}\[\]]*\))?"
_TEXT = rb"""[a-zA-Z]{0,2}(?:"[^"\\\n]*"|'[^'\\\n]*')"""
_ONE = rb"(?:(?:[^\W\d]\w*\s*=\s*)?(?:" + _TEXT + rb"|" + _CALL + rb"|-?[\d.]+))"
_PLAIN_ARGUMENTS = re.compile(rb"\(\s*" + _ONE + rb"(?:\s*,\s*" + _ONE + rb")*\s*,?\s*\)")
_ARGUMENT = re.compile(rb"(?:([^\W\d]\w*)\s*=\s*)?(?:" + _TEXT + rb"|(" + _CALL + rb")|-?[\d.]+)")


def values_of(chains: Chains, node: Node, depth: int = 0) -> Values:
    """All that `node` may be worth, and what lies in it where it is a literal container."""
    plain = chains.plain(node)
    if plain is not None:
        return [("", plain)]
    shape = chains.shapes.get(node.kind_id)
    if shape is None or depth > _DEPTH_MAX:
        return []
    op = shape.op
    if op is EITHER:
        parts = (part_of(node, shape.first), part_of(node, shape.second))
        return [one for part in parts if part for one in values_of(chains, part, depth + 1)]
    if op is OR:
        return _alternatives(chains, node, shape, depth)
    if op is TUPLE and node.named_child_count == 1:
        return values_of(chains, node.named_children[0], depth)
    if op is LIST or op is TUPLE:
        return _elements(chains, node, depth)
    if op is TYPED:
        return chains.typed(part_of(node, shape.first))
    if op is CAST:
        inner = part_of(node, shape.first)
        typed = chains.typed(part_of(node, shape.second))
        return typed or (values_of(chains, inner, depth + 1) if inner is not None else [])
    if op is CALL and chains.language.makers:
        made = chains.made(node, shape)
        if made:
            return made
    if op is RECORD or op is OBJECT:
        return _members(chains, node, op, depth)
    if op is EACH:
        part = part_of(node, shape.first)
        return under("[]", values_of(chains, part, depth + 1)) if part else []
    if op is INNER:
        part = part_of(node, shape.first)
        return values_of(chains, part, depth + 1) if part else []
    said = chains.walked(node)
    return [("", said)] if said else []


def _alternatives(chains: Chains, node: Node, shape: Shape, depth: int) -> Values:
    operator = node.child_by_field_name("operator")
    if operator is None or operator.type not in _OR:
        return []
    parts = (part_of(node, shape.first), part_of(node, shape.second))
    return [one for part in parts if part is not None for one in values_of(chains, part, depth + 1)]


def _elements(chains: Chains, node: Node, depth: int) -> Values:
    found: Values = []
    known = True
    for index, child in enumerate(node.named_children[:ELEMENTS_MAX]):
        shape = chains.shapes.get(child.kind_id)
        if shape is None or shape.op is LITERAL:
            continue
        if shape.op is SPREAD:
            known = False
            continue
        found += under(f"[{index}]" if known else "[]", values_of(chains, child, depth + 1))
    return found


def _members(chains: Chains, node: Node, op: Op, depth: int) -> Values:
    found: Values = []
    for child in node.named_children[:ELEMENTS_MAX]:
        shape = chains.shapes.get(child.kind_id)
        if shape is None:
            continue
        if shape.op is SHORT:
            name = chains.text(child)
            found.append((f".{name}", name))
        elif shape.op is PAIR:
            key, value = part_of(child, shape.first), part_of(child, shape.second)
            if key is not None and value is not None:
                found += under(place_of(chains, key, op), values_of(chains, value, depth + 1))
        elif shape.op is FUNCTION:
            name_node = child.child_by_field_name("name")
            if name_node is not None:
                place = place_of(chains, name_node, op)
                chains.marked = True
                found.append((place, function_mark(child.start_byte)))
    return found


def place_of(chains: Chains, key: Node, op: Op) -> str:
    """Where in a literal container the value of a key lies."""
    shown = chains.key(key)
    if op is RECORD:
        return f"[{shown}]"
    name = shown.strip("'") or chains.text(key)
    return f".{name}" if name.isidentifier() else "[]"


def arguments_of(chains: Chains, node: Node) -> Values:
    """The arguments of a call that chains can say, by position or keyword."""
    start, end = node.start_byte, node.end_byte
    if end - start >= _PLAIN_ARGUMENTS_MAX:
        return _arguments(chains, node)
    piece = chains.source[start:end]
    given = chains.given.get(piece)
    if given is None:
        is_plain = _PLAIN_ARGUMENTS.fullmatch(piece)
        given = _plain_arguments(chains, piece) if is_plain else _arguments(chains, node)
        if is_plain or not (node.has_error or any("<fn@" in value for _, value in given)):
            chains.given[piece] = given
    return given


def _arguments(chains: Chains, node: Node) -> Values:
    """The same, read from the tree."""
    found: Values = []
    position = 0
    known = True
    for child in node.named_children[:ELEMENTS_MAX]:
        kind = child.kind_id
        shape = chains.shapes.get(kind)
        if shape is None or shape.op is LITERAL:
            position += kind not in chains.comments
            continue
        if shape.op is SPREAD:
            known = False
        elif shape.op is KEYWORD:
            name, value = part_of(child, shape.first), part_of(child, shape.second)
            if name is not None and value is not None:
                found += under(chains.text(name), values_of(chains, value, 1))
        elif known:
            plain_one = chains.plain(child) if shape.op in (NAME, MEMBER) else None
            if plain_one is not None:
                found.append((str(position), plain_one))
            else:
                found += under(str(position), values_of(chains, child, 1))
            position += 1
    return found


def _plain_arguments(chains: Chains, piece: bytes) -> Values:
    found: Values = []
    position = 0
    for keyword, said in _ARGUMENT.findall(piece, 1):
        chain = chains.plainly(said) if said else None
        if keyword:
            if chain is not None:
                found.append((keyword.decode("utf-8", "replace"), chain))
            continue
        if chain is not None:
            found.append((str(position), chain))
        position += 1
    return found


def under(place: str, values: Values) -> Values:
    """`values`, each one place further inside."""
    return [(place + inner, value) for inner, value in values]

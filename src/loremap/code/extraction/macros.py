"""Reads what the macros of a Rust file are worth, so that names bound to them have a type.

A rule that takes expressions and gives one is read as a function of its first argument would be:
`($editor:expr) => {{ let view = view_mut!($editor); (view, view.doc) }}`. Macros of the same file
that it calls are written out. Rules that repeat, or match more than expressions, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from loremap.code.extraction.chains import Chains, Values
from loremap.code.extraction.reading import Captures, Handler, Reading
from loremap.code.extraction.worth import under, values_of
from loremap.code.facts import RETURN, Binding

_MATCHED = re.compile(r"\(\s*(?:\$\w+\s*:\s*\w+\s*,?\s*)+(?:\$\(,\)\?\s*)?\)")
_TAKEN = re.compile(r"\$(\w+)\s*:")
_CALLED = re.compile(r"\b(\w+)!\s*\(")
_CRATE = re.compile(r"\$crate\s*::\s*")
_VARIABLE = re.compile(r"\$(\w+)")
_ROOT = re.compile(r"[^\W\d]\w*")
_DEPTH_MAX = 4
_SIZE_MAX = 2_000


class Rule(NamedTuple):
    """One rule of a macro: the names it matches and what it is written out as."""

    params: list[str]
    body: str


def _on_macro(reading: Reading, node: Node, captures: Captures) -> None:
    rules = [one for child in node.named_children if (one := _rule(reading, child)) is not None]
    name = node.child_by_field_name("name")
    if rules and name is not None:
        longest = max(rules, key=lambda one: len(one.params))
        reading.scope.params += [one for one in longest.params if one not in reading.scope.params]
        reading.macros[reading.chains.text(name)] = (reading.scope.index, reading.line, rules)


def _rule(reading: Reading, node: Node) -> Rule | None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return None
    matched, body = reading.chains.text(left), reading.chains.text(right)
    if len(body) > _SIZE_MAX or not _MATCHED.fullmatch(matched) or "$(" in body:
        return None
    return Rule(_TAKEN.findall(matched), _CRATE.sub("", body[1:-1]))


def macro_bindings(reading: Reading) -> list[Binding]:
    """What each macro of the file gives, said from its parameters."""
    rules = {name: kept for name, (_, _, kept) in reading.macros.items()}
    found: list[Binding] = []
    for index, line, own in reading.macros.values():
        for rule in own:
            body = _written_out(rule, rule.params, rules, 0)
            source = f"fn m() {{{body}}}".encode()
            tree = reading.kit.parser.parse(source)
            function = tree.root_node.named_child(0)
            block = function.child_by_field_name("body") if function is not None else None
            if block is not None and not tree.root_node.has_error:
                values = _worth(Chains(source, reading.kit), block, {})
                found += [Binding(index, RETURN + at, value, line) for at, value in values]
    return list(dict.fromkeys(found))


def _written_out(
    rule: Rule, given: Sequence[str], rules: Mapping[str, Sequence[Rule]], depth: int
) -> str:
    """The body of a rule with its arguments, and the macros it calls, put in."""
    put = dict(zip(rule.params, given, strict=True))
    body = _VARIABLE.sub(lambda found: put.get(found[1], found[1]), rule.body)
    at = 0
    while depth < _DEPTH_MAX and (called := _CALLED.search(body, at)) is not None:
        end = _closing(body, called.end())
        arguments = _parted(body[called.end() : end])
        fitting = [one for one in rules.get(called[1], ()) if len(one.params) == len(arguments)]
        if fitting and end < len(body):
            inner = _written_out(fitting[0], arguments, rules, depth + 1)
            body = f"{body[: called.start()]}{{{inner}}}{body[end + 1 :]}"
            at = called.start() + len(inner) + 2
        else:
            at = called.end()
    return body


def _closing(text: str, at: int) -> int:
    """Where the bracket closes that was opened before `at`."""
    depth = 1
    while at < len(text):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if not depth:
            break
        at += 1
    return at


def _parted(text: str) -> list[str]:
    """The arguments in a text, parted by the commas that stand in no brackets."""
    found, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            found.append("")
        else:
            found[-1] += sign
    return [one.strip() for one in found if one.strip()]


def _worth(chains: Chains, node: Node, names: dict[str, Values]) -> Values:
    """What an expression is worth, with the names that `let` binds in the blocks around it."""
    children = [child for child in node.named_children if child.kind_id not in chains.comments]
    if node.type == "block":
        names = dict(names)
        for child in children[:-1]:
            _let(chains, child, names)
        last = children[-1] if children else None
        return _worth(chains, last, names) if last is not None else []
    if node.type in ("expression_statement", "reference_expression", "parenthesized_expression"):
        return _worth(chains, children[-1], names) if children else []
    if node.type == "tuple_expression":
        return [
            one
            for index, child in enumerate(children)
            for one in under(f"[{index}]", _worth(chains, child, names))
        ]
    if node.type == "field_expression" and children[-1].type == "integer_literal":
        place = f"[{chains.text(children[-1])}]"
        inner = _worth(chains, children[0], names)
        return [(at.removeprefix(place), one) for at, one in inner if at.startswith(place)]
    return [
        (inside + at, root + rest)
        for at, value in values_of(chains, node)
        for inside, root, rest in _replaced(value, names)
    ]


def _let(chains: Chains, node: Node, names: dict[str, Values]) -> None:
    pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
    if node.type == "let_declaration" and pattern is not None and value is not None:
        names[chains.text(pattern)] = _worth(chains, value, names)


def _replaced(chain: str, names: Mapping[str, Values]) -> list[tuple[str, str, str]]:
    """A chain with the name it starts with replaced by what that is worth."""
    root = _ROOT.match(chain)
    if root is None or root[0] not in names:
        return [("", chain, "")]
    rest = chain[root.end() :]
    return [(at if not rest else "", one, rest) for at, one in names[root[0]] if not (at and rest)]


HANDLERS: dict[str, Handler] = {"macro": _on_macro}

"""Which names of a file mean something else after a change, so that only who says them is asked.

What another file resolves rests on names it spells, or that a file it asked spells. A name whose
meaning changed here may hide behind another one of this file (`alias = changed`, a function that
returns it), so names that are made from changed ones count as changed too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable

from loremap.code.facts import FileFacts, qualified_names

MAX_NAMES = 12
"""When more changed, everyone is asked: telling who is meant would cost as much."""
_WORD = re.compile(r"[^\W\d]\w*")


def changed_names(before: FileFacts, after: FileFacts) -> frozenset[str] | None:
    """The names whose meaning differs; None where it cannot be told or would be too many."""
    if (before.language, before.package) != (after.language, after.package):
        return None
    old, new = _said(before), _said(after)
    changed: set[str] = set()
    for name in old.keys() | new.keys():
        if old.get(name) != new.get(name):
            if name in _FAR_REACHING:
                return None
            changed.update(_WORD.findall(name))
    for facts in (before, after):
        changed = _with_what_is_made_from(changed, facts)
    return frozenset(changed) if len(changed) <= MAX_NAMES else None


_BASES, _STARS = "<bases>", "<stars>"
_FAR_REACHING = frozenset({_BASES, _STARS})
"""What a class inherits and what `import *` brings change the meaning of names nobody spells."""


def _said(facts: FileFacts) -> dict[str, list[str]]:
    """All that a file says of each of its names, apart from lines."""
    names = qualified_names(facts)
    said: dict[str, list[Hashable]] = defaultdict(list)
    for index, one in enumerate(facts.definitions):
        if index:
            shape = (one.kind, tuple(one.params), tuple(one.decorators), one.scope)
            said[_own(names[index])].append((names[index], shape))
        if one.bases:
            said[_BASES].append((names[index], tuple(one.bases)))
    for imported in facts.imports:
        key = _STARS if imported.item == "*" else imported.alias or imported.item
        said[key].append(("import", names[imported.scope], imported.module, imported.item))
    for bound in facts.bindings:
        for key in _bound_names(bound.target, names[bound.scope]):
            said[key].append(("bound", names[bound.scope], bound.target, bound.value))
    own = {one.name for one in facts.definitions[1:]}
    for call in facts.calls:
        # What is passed to a function of this file may be what that function returns.
        if call.arguments and (called := _last_word(call.target)) in own:
            said[called].append(("given", repr(sorted(call.arguments))))
    return {name: sorted(map(repr, facts_)) for name, facts_ in said.items()}


def _bound_names(target: str, scope: str) -> Iterable[str]:
    """The name that a binding is seen by: the member it sets, or the function it is a local of."""
    member = target.rpartition(".")[2] if "." in target else ""
    if member:
        yield member
    if scope:
        yield _own(scope)  # what a function binds inside may be what it returns
    elif not member:
        yield target


def _last_word(chain: str) -> str:
    words = _WORD.findall(chain)
    return words[-1] if words else ""


def _own(qualified: str) -> str:
    return qualified.rpartition(".")[2].partition("#")[0]


def _with_what_is_made_from(changed: set[str], facts: FileFacts) -> set[str]:
    """`changed`, and the names of this file whose value is said by a changed one."""
    names = qualified_names(facts)
    made: list[tuple[set[str], set[str]]] = [
        (set(_WORD.findall(bound.value)), set(_bound_names(bound.target, names[bound.scope])))
        for bound in facts.bindings
    ]
    for index, one in enumerate(facts.definitions[1:], start=1):
        if one.decorators:
            made.append(({w for chain in one.decorators for w in _WORD.findall(chain)},
                         {_own(names[index])}))  # fmt: skip
    grown = set(changed)
    while len(grown) <= MAX_NAMES:
        more = {name for words, named in made if words & grown for name in named} - grown
        if not more:
            break
        grown |= more
    return grown

"""What is read from one file alone: its definitions, and what it says about names.

Names are said as *chains*, one small language for every programming language:

    a           the name `a`, as seen from the scope that says it
    a.b         its member `b`
    a()         what calling `a` gives (of a class: an instance)
    a[]  a[k]   an element of `a`; `k` where the key is a literal
    <fn3>       the definition with index 3 (a lambda, an anonymous function)

so `self.repo.find(id).name` is `self.repo.find().name`. What no chain can say is left out.
A scope is the index of a definition; 0 is the file itself.
"""

from __future__ import annotations

import json
from typing import NamedTuple

FACTS_VERSION = 1
"""Raised when extraction changes, so that old graphs are made anew."""

RETURN = "<return>"
"""The target of a binding that says what a function returns."""
YIELD = "<yield>"
"""The same for what a generator yields."""


class Definition(NamedTuple):
    """A file, function, method, class, type or variable, where it is written."""

    name: str
    kind: str
    """A `model.code.SymbolKind`."""
    parent: int
    """Index of the scope that holds it; the file itself holds itself."""
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    signature: str
    doc: str
    scope: str
    """Of a variable: module, class or instance."""
    params: list[str]
    """Names in order; `*rest` and `**more` keep their stars."""
    bases: list[str]
    """Chains of what it inherits."""
    decorators: list[str]
    """Chains, outermost first."""
    digest: str
    """Hash of the span with white space folded and its own name masked: equal after a rename."""


class Import(NamedTuple):
    """One name that an import brings into a scope."""

    scope: int
    module: str
    """As written: `..a.b`, `./x`, `github.com/a/b`, `java.util.List`."""
    item: str
    """The name taken from the module; empty for the module itself, `*` for all of it."""
    alias: str
    """The name it is bound to here; empty where it binds none."""
    line: int


class Binding(NamedTuple):
    """`target = value`, seen in `scope`; also a parameter's type or default, a loop, a return."""

    scope: int
    target: str
    value: str
    line: int


class Call(NamedTuple):
    """A call written in `scope`."""

    scope: int
    target: str
    line: int
    arguments: list[tuple[str, str]]
    """Position or keyword, and the chain that is passed, of those arguments that are chains."""


class Reference(NamedTuple):
    """A name read in `scope` that is neither called nor bound there: a type, a constant."""

    scope: int
    target: str
    line: int


class FileFacts(NamedTuple):
    """All of one file. `package` is what its names are visible in without an import, or empty."""

    language: str
    package: str
    definitions: list[Definition]
    imports: list[Import]
    bindings: list[Binding]
    calls: list[Call]
    references: list[Reference]
    broken: bool
    """Whether the parser met syntax it did not understand."""
    lines: int


def to_bytes(facts: FileFacts) -> bytes:
    """`facts` for the cache."""
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def from_bytes(data: bytes) -> FileFacts:
    """The facts that `to_bytes` wrote."""
    language, package, definitions, imports, bindings, calls, references, broken, lines = (
        json.loads(data)
    )
    return FileFacts(
        language,
        package,
        [Definition(*row) for row in definitions],
        [Import(*row) for row in imports],
        [Binding(*row) for row in bindings],
        [
            Call(scope, target, line, [(k, v) for k, v in given])
            for scope, target, line, given in calls
        ],
        [Reference(*row) for row in references],
        broken,
        lines,
    )


def qualified_names(facts: FileFacts) -> list[str]:
    """The dotted name of each definition, by index; the file's own is empty."""
    seen: dict[str, int] = {}
    names = [""]
    for definition in facts.definitions[1:]:
        holder = names[definition.parent]
        name = f"{holder}.{definition.name}" if holder else definition.name
        seen[name] = count = seen.get(name, 0) + 1
        names.append(name if count == 1 else f"{name}#{count}")
    return names

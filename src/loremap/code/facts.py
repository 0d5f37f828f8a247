"""What is read from one file alone: its definitions, and what it says about names.

Names are said as *chains*, one small language for every programming language:

    a           the name `a`, as seen from the scope that says it
    a.b         its member `b`
    a()         what calling `a` gives (of a class: an instance)
    a[]  a[k]   an element of `a`; `k` where the key is a literal, in quotes if it is a text
    <fn3>       the definition with index 3 (a lambda, an anonymous function)

so `self.repo.find(id).name` is `self.repo.find().name`. What no chain can say is left out.
A scope is the index of a definition; 0 is the file itself.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import NamedTuple

FACTS_VERSION = 5
"""Raised when extraction changes, so that old graphs are made anew."""

RETURN = "<return>"
"""The target of a binding that says what a function returns."""
THIS_FILE = "<file>"
"""The value of a name that stands for what the file itself holds and sees, as a namespace."""
DECLARED = "declared"
"""The scope of a function that is declared here and defined elsewhere."""
HIDDEN = "hidden"
"""The scope of a function that no other file may call, in languages that link files."""
EXTENSION = "extension"
"""The scope of a function that is called on a value of a type it is not written in."""
EVERYWHERE = "**"
"""The item of an import that brings all of a package into every file of its project."""
TAKEN = "[<{}>]"
"""Where in a function that is a parameter its own parameters lie: by position, or `this`."""
THIS = "<this>"
"""The name under which a function without a name holds the object it is called on."""
TRAILING = "-1"
"""The position of a function that is written after the brackets of a call."""
YIELD = "<yield>"
"""The same for what a generator yields."""
_NAME = re.compile(r"[^.\[\]()<>{}'\s]+")


def is_name(chain: str) -> bool:
    """Whether a chain is a bare name."""
    return chain.isidentifier() or _NAME.fullmatch(chain) is not None


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
    """Of a variable: module, class or instance; of a function: empty or one of those above."""
    params: list[str]
    """Names in order; `*rest` and `**more` keep their stars."""
    bases: list[str]
    """Chains of what it inherits; of a method whose type is in another file, that type."""
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
    """`target = value`, seen in `scope`; also a parameter's type or default, a loop, a return.

    A name that is bound to what no chain can say has an empty value: it hides outer names.
    """

    scope: int
    target: str
    value: str
    line: int
    firm: bool = False
    """Whether it always happens when its scope runs, so that it undoes what was bound before."""


class Call(NamedTuple):
    """A call written in `scope`."""

    scope: int
    target: str
    line: int
    arguments: list[tuple[str, str]]
    """Position or keyword, and the chain that is passed, of those arguments that are chains."""
    implied: bool = False
    """Whether it is not written as a call: what a loop or a `raise` runs."""
    count: int = -1  # type: ignore[assignment]  # the method of tuples is not used
    """How many arguments are written, in languages with overloads; -1 where that is not known."""


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


_row = tuple.__new__
"""Makes a row of a class without the detour over its constructor, which costs more than all else
that is done with most rows."""


def to_bytes(facts: FileFacts) -> bytes:
    """`facts` for the cache."""
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def from_bytes(data: bytes) -> FileFacts:
    """The facts that `to_bytes` wrote."""
    language, package, definitions, imports, bindings, calls, references, broken, lines = (
        json.loads(data)
    )
    for call in calls:
        if call[3]:
            call[3] = list(map(tuple, call[3]))
    return FileFacts(
        language,
        package,
        list(map(partial(_row, Definition), definitions)),
        list(map(partial(_row, Import), imports)),
        list(map(partial(_row, Binding), bindings)),
        list(map(partial(_row, Call), calls)),
        list(map(partial(_row, Reference), references)),
        broken,
        lines,
    )


def qualified_names(facts: FileFacts) -> list[str]:
    """The dotted name of each definition, by index; the file's own is empty.

    A method written outside its type, whose type is in another file, is named after it all the
    same: such a method has the file as parent and its type as its only base.
    """
    seen: dict[str, int] = {}
    names: dict[int, str] = {0: ""}
    for index in range(1, len(facts.definitions)):
        pending = [index]
        while (holder := facts.definitions[pending[-1]].parent) not in names:
            pending.append(holder)
        for one in reversed(pending):
            if one in names:
                continue
            name = _name_under(names, facts.definitions[one])
            seen[name] = count = seen.get(name, 0) + 1
            names[one] = name if count == 1 else f"{name}#{count}"
    return [names[index] for index in range(len(facts.definitions))]


def _name_under(names: dict[int, str], one: Definition) -> str:
    holder = names[one.parent]
    if not holder and one.kind == "method" and one.bases:
        holder = one.bases[0]
    return f"{holder}.{one.name}" if holder else one.name

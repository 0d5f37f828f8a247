"""Reads one file alone into its facts, driven by the query file of its language.

`queries/README.md` lists the captures. A query's matches come in any order; sorted by where they
start, one walk over them beside a stack of open definitions gives each its scope.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable
from operator import attrgetter, itemgetter
from typing import NamedTuple

from tree_sitter import Node

from loremap.codegraph import spans
from loremap.codegraph.builds import OTHER_BUILD, is_other_build
from loremap.codegraph.chains import Chains, Values, is_name
from loremap.codegraph.facts import (
    DECLARED,
    HIDDEN,
    RETURN,
    THIS_FILE,
    YIELD,
    Binding,
    Call,
    Definition,
    FileFacts,
    Import,
    Reference,
)
from loremap.codegraph.languages import Language, Tools, tools
from loremap.codegraph.typewords import values_of_type
from loremap.model.code import SymbolKind

Captures = dict[str, list[Node]]

_KINDS = {
    "function": SymbolKind.FUNCTION.value,
    "method": SymbolKind.METHOD.value,
    "class": SymbolKind.CLASS.value,
    "type": SymbolKind.TYPE.value,
    "lambda": SymbolKind.FUNCTION.value,
    "declared": SymbolKind.FUNCTION.value,
    "extension": "extension",
}
_FILE_KIND = SymbolKind.FILE.value
_METHOD = SymbolKind.METHOD.value
_CLASSES = frozenset({SymbolKind.CLASS.value, SymbolKind.TYPE.value})
_DECLARING = _CLASSES | {_FILE_KIND, _METHOD}
_BEFORE = frozenset({"return", "yield", "call", "read", "raise", "binding", "assign", "export"})
"""Captures that belong outside a function that starts where they do."""
_MARK = re.compile(r"<fn@(\d+)>")
_WORD = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_PLAIN_PARAMETERS = re.compile(rb"\(\s*(?:[^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*,?)?\s*\)")
_ROOT = re.compile(r"[^\W\d][\w$]*")
_FILE = 0
_NEVER = 1 << 62


def extract(source: bytes, language: str) -> FileFacts:
    """The facts of a file; any bytes will do, and what is not understood is left out."""
    kit = tools(language)
    collects = gc.isenabled()
    gc.disable()  # many small objects and no cycles: collecting would cost half as much again
    try:
        return _Reading(source, kit).facts(kit.parser.parse(source).root_node)
    finally:
        if collects:
            gc.enable()


_Event = tuple[int, str, Node, Captures]
"""Where it starts, its main capture, the node of that, and all captures of the match."""


class _Opening(NamedTuple):
    """A definition as the query found it."""

    start: int
    end: int
    main: str
    node: Node
    captures: Captures


class _Open:
    """A definition while it is being read: the mutable twin of `Definition`."""

    __slots__ = (
        "bases", "decorators", "definition", "depth", "end", "globals", "index", "lead",
        "nonlocals", "params", "results", "start",
    )  # fmt: skip

    def __init__(self, index: int, definition: Definition, lead: int) -> None:
        self.index = index
        self.definition = definition
        self.start = definition.start_byte
        self.end = definition.end_byte
        self.lead = lead
        """The indent of its body; what stands deeper is conditional."""
        self.params = definition.params
        self.bases = definition.bases
        self.decorators = definition.decorators
        self.results = 0
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()


class _Reading:
    """The walk over one file."""

    def __init__(self, source: bytes, kit: Tools) -> None:
        self._source = source
        self._kit = kit
        self._language: Language = kit.language
        self._chains = Chains(source, kit)
        language = kit.language
        special = (
            language.import_calls,
            language.requires,
            language.overloads,
            language.base_calls,
        )
        self._calls_are_simple = not any(special) and self._chains.calls_are_plain
        self._package = ""
        self._imports: list[Import] = []
        self._bindings: list[Binding] = []
        self._assigned: list[Binding] = []
        self._calls: list[Call] = []
        self._references: list[Reference] = []
        self._reads: list[Reference] = []
        self._line = 1
        self._counted = 0
        self._opened: list[_Open] = []
        self._stack: list[_Open] = []
        self._scope: _Open
        self._waiting: dict[int, list[str]] = {}
        """Decorators read before what they decorate, by where it starts."""
        self._heirs: dict[int, list[str]] = {}
        """The same for what a definition inherits."""
        self._marks: dict[int, int] = {}
        """Index of a function's definition by where its node starts."""
        self._types: dict[str, int] = {}
        """Index of each class and type of the file by name; the first of that name."""
        self._variables: dict[tuple[int, str], Definition] = {}

    def facts(self, root: Node) -> FileFacts:
        """All facts of the file under `root`."""
        openings, events = self._sorted(root)
        self._open_file(root)
        upcoming = self._numbered(openings)
        stack = self._stack
        following = upcoming[-1].start if upcoming else _NEVER
        for start, main, node, captures in events:
            at = start - 1 if main in _BEFORE else start
            while following <= at:
                self._open(upcoming.pop())
                following = upcoming[-1].start if upcoming else _NEVER
            while stack[-1].end <= at and len(stack) > 1:
                stack.pop()
            self._scope = stack[-1]
            if start > self._counted:
                self._line += self._source.count(b"\n", self._counted, start)
                self._counted = start
            _HANDLERS[main](self, node, captures)
        while upcoming:
            self._open(upcoming.pop())
        return self._collected(root)

    def _sorted(self, root: Node) -> tuple[list[_Opening], list[_Event]]:
        mains: dict[int, str] = {}
        known = {*_HANDLERS, *_KINDS}
        openings: list[_Opening] = []
        events: list[_Event] = []
        for pattern, captures in self._kit.cursor.matches(root):
            main = mains.get(pattern)
            if main is None:
                main = mains[pattern] = next(name for name in captures if name in known)
            node = captures[main][0]
            if main in _KINDS:
                openings.append(_Opening(node.start_byte, node.end_byte, main, node, captures))
            else:
                events.append((node.start_byte, main, node, captures))
        openings.sort(key=lambda one: (one.start, -one.end, one.main == "lambda"))
        events.sort(key=itemgetter(0))
        return openings, events

    def _numbered(self, openings: list[_Opening]) -> list[_Opening]:
        """The definitions in reverse, each node once; fills the marks."""
        named = {
            (node.start_byte, node.end_byte)
            for one in openings
            for node in one.captures.get("is", ())
        }
        kept: list[_Opening] = []
        index = 0
        taken: set[tuple[int, int]] = set()
        for one in openings:
            place = (one.start, one.end)
            if place in taken or place in named:
                continue
            taken.add(place)
            kept.append(one)
            if one.main == "extension":
                continue
            index += 1
            if one.main in ("class", "type") and "name" in one.captures:
                self._types.setdefault(self._chains.text(one.captures["name"][0]), index)
            self._marks.setdefault(one.start, index)
            for node in one.captures.get("is", ()):
                self._marks[node.start_byte] = index
        kept.reverse()
        return kept

    def _move(self, start: int) -> None:
        if start > self._counted:
            self._line += self._source.count(b"\n", self._counted, start)
            self._counted = start

    def _open_file(self, root: Node) -> None:
        end = len(self._source)
        lines = self._source.count(b"\n") + (not self._source.endswith(b"\n") and end > 0)
        doc = spans.docstring(self._source, _first(root)) if self._language.docstrings else ""
        file = Definition(
            "", SymbolKind.FILE.value, _FILE, 1, max(lines, 1), 0, end, "", doc, "", [], [], [],
            "",
        )  # fmt: skip
        self._scope = _Open(_FILE, file, 0)
        self._opened = [self._scope]
        self._stack = [self._scope]

    def _open(self, one: _Opening) -> None:
        stack = self._stack
        while stack[-1].end <= one.start and len(stack) > 1:
            stack.pop()
        parent = stack[-1]
        self._move(one.start)
        if one.main == "extension":
            stack.append(self._extended(one))
            return
        opened = self._begun(one, parent)
        self._opened.append(opened)
        stack.append(opened)
        self._scope = opened
        if "parameters" in one.captures:
            self._parameters(one.captures["parameters"][0])
        if "self" in one.captures:
            values = values_of_type(
                self._language.name, self._chains.text(one.captures["receiver"][0])
            )
            self._bind_all(self._chains.text(one.captures["self"][0]), list(values))
        if "result" in one.captures:
            self._bind_all(RETURN, self._chains.values(one.captures["result"][0]))

    def _extended(self, one: _Opening) -> _Open:
        """The open type that a block adds members to; of a type of another file only its name."""
        named = values_of_type(self._language.name, self._chains.text(one.captures["name"][0]))
        name = named[0][1].removesuffix("()") if named else ""
        index = self._types.get(name, _FILE)
        kind = SymbolKind.TYPE.value
        definition = self._opened[0].definition._replace(
            name=name, kind=kind, start_byte=one.start, end_byte=one.end
        )
        extended = _Open(index, definition, _NEVER)
        if 0 < index < len(self._opened):
            extended.bases = self._opened[index].bases
        else:
            extended.bases = []
        return extended

    def _begun(self, one: _Opening, parent: _Open) -> _Open:
        source = self._source
        captures = one.captures
        name_node = captures["name"][0] if "name" in captures else None
        name = source[name_node.start_byte : name_node.end_byte] if name_node else b""
        body = captures["body"][0].start_byte if "body" in captures else one.end
        index = len(self._opened)
        shown = name.decode("utf-8", "replace") if name else f"<fn{index}>"
        kind = _KINDS[one.main]
        declared = DECLARED if one.main == "declared" else ""
        linked = self._language.package == "linked" and parent.index == _FILE
        if linked and source.startswith(b"static ", one.start):
            declared = declared or HIDDEN
        if kind == SymbolKind.FUNCTION.value and parent.definition.kind in _CLASSES:
            kind = SymbolKind.METHOD.value
        named = one.main != "lambda"
        definition = Definition(
            name=shown,
            kind=kind,
            parent=parent.index,
            start_line=self._line,
            end_line=one.node.end_point[0] + 1,
            start_byte=one.start,
            end_byte=one.end,
            signature=spans.signature(source, one.start, body) if named else "",
            doc=self._doc(one.start, body) if named else "",
            scope=declared,
            params=[],
            bases=[],
            decorators=self._waiting.pop(one.start, []),
            digest=spans.digest(source[one.start : one.end], name) if named else "",
        )
        opened = _Open(index, definition, self._lead(one.start, body))
        opened.bases += self._heirs.pop(one.start, [])
        if parent.index == _FILE and parent.definition.kind == SymbolKind.TYPE.value:
            opened.bases.append(parent.definition.name)
        for receiver in captures.get("receiver", ()):
            self._receive(opened, receiver)
        return opened

    def _doc(self, start: int, body: int) -> str:
        if self._language.docstrings:
            return spans.docstring(self._source, body)
        return spans.comment_above(self._source, start)

    def _lead(self, start: int, body: int) -> int:
        """The indent of a body, or a large one where it shares its first line."""
        first = spans.first_in(self._source, body)
        if self._source.find(b"\n", start, first) < 0:
            return _NEVER
        return spans.indent(self._source, first)

    def _receive(self, opened: _Open, receiver: Node) -> None:
        """Hangs a method written outside its type on that type."""
        for _, value in values_of_type(self._language.name, self._chains.text(receiver)):
            name = value.removesuffix("()")
            index = self._types.get(name, _FILE)
            if index == _FILE:
                opened.bases.append(name)
            opened.definition = opened.definition._replace(parent=index, kind=_METHOD)

    def _parameters(self, node: Node) -> None:
        piece = self._source[node.start_byte : node.end_byte]
        params = self._scope.params
        if _PLAIN_PARAMETERS.fullmatch(piece):
            params += [word.strip() for word in piece[1:-1].decode().split(",") if word.strip()]
            return
        table = self._language.parameters
        children = node.named_children or [node]
        for child in children:
            shape = table.get(child.type)
            if shape is None:
                continue
            names = _fields(child, shape.name) or []
            kind = next(iter(_fields(child, shape.type)), None) if shape.type else None
            value = child.child_by_field_name(shape.value) if shape.value else None
            for name in names:
                self._parameter(name, shape.stars, kind, value)

    def _parameter(self, name: Node, stars: str, kind: Node | None, value: Node | None) -> None:
        inner = self._language.parameters.get(name.type)
        if inner is not None and inner.name and inner.stars:
            stars = inner.stars
            name = (_fields(name, inner.name) or [name])[0]
        said = self._chains.chain(name)
        self._scope.params.append(stars + (said or "_"))
        if said is None:
            return
        place = "[]" if stars else ""
        if kind is not None:
            self._bind_type(said + place, kind)
        if value is not None:
            self._bind_all(said, self._chains.values(value))

    def _firm(self, at: int) -> bool:
        return spans.indent(self._source, at) <= self._scope.lead

    def _bind_all(self, target: str, values: Values, *, firm: bool = False) -> None:
        scope, line = self._scope.index, self._line
        self._bindings += [
            Binding(scope, target + place, value, line, firm) for place, value in values
        ]

    def _bind_type(self, target: str, node: Node) -> None:
        values = values_of_type(self._language.name, self._chains.text(node))
        self._bind_all(target, list(values), firm=True)

    # Handlers: one per main capture.

    def _on_returns(self, node: Node, captures: Captures) -> None:
        self._bind_type(RETURN, node)

    def _on_result(self, node: Node, captures: Captures) -> None:
        self._bind_all(RETURN, self._chains.values(node))

    def _on_gives(self, node: Node, captures: Captures) -> None:
        self._bind_type(f"{RETURN}[{self._scope.results}]", node)
        self._scope.results += 1

    def _on_field(self, node: Node, captures: Captures) -> None:
        """A member that a constructor's parameter declares."""
        inner = self._scope
        around = (one for one in reversed(self._stack) if one.definition.kind in _CLASSES)
        holder = next(around, None)
        if holder is not None:
            self._scope = holder
            self._on_binding(node, captures)
            self._scope = inner

    def _on_base(self, node: Node, captures: Captures) -> None:
        found = [value for _, value in self._chains.values(node)]
        if "of" in captures:
            self._heirs[captures["of"][0].start_byte] = found
        else:
            self._scope.bases += found

    def _on_decorator(self, node: Node, captures: Captures) -> None:
        chain = self._chains.chain(node)
        if chain is None:
            return
        if "of" in captures:
            self._waiting.setdefault(captures["of"][0].start_byte, []).append(chain)
        else:
            self._scope.decorators.append(chain)

    def _on_parameter(self, node: Node, captures: Captures) -> None:
        kind = captures["type"][0] if "type" in captures else None
        value = captures["value"][0] if "value" in captures else None
        for name in captures.get("name", [node]):
            self._parameter(name, "", kind, value)

    def _on_export(self, node: Node, captures: Captures) -> None:
        alias = self._chains.text(captures["alias"][0]) if "alias" in captures else "default"
        values = self._chains.values(node)
        if values != [("", alias)]:
            self._bindings += [
                Binding(_FILE, alias + place, value, self._line) for place, value in values
            ]

    def _on_assign(self, node: Node, captures: Captures) -> None:
        target, values = captures["target"][0], self._chains.values(captures["value"][0])
        firm = self._firm(node.start_byte)
        single = self._chains.is_one(captures["value"][0])
        pairs = self._chains.assigned(target, values, single=single)
        names = tuple(name for name, _ in self._chains.targets(target, [("", "")]))
        if not any(is_name(name) for name in names):
            self._declare(names, node)
        self._assigned += [
            Binding(self._scope.index, name, value, self._line, firm) for name, value in pairs
        ]

    def _on_import(self, node: Node, captures: Captures) -> None:
        module = self._module(node, captures)
        alias = self._chains.text(captures["alias"][0]) if "alias" in captures else ""
        self._imports.append(Import(self._scope.index, module, "", alias, self._line))

    def _on_from(self, node: Node, captures: Captures) -> None:
        item = self._chains.text(captures["item"][0]) if "item" in captures else "default"
        alias = self._chains.text(captures["alias"][0]) if "alias" in captures else item
        module = self._module(node, captures)
        alias = "" if item in ("*", "_") else alias
        item = "*" if item == "_" else item
        whole = Import(self._scope.index, module, "", "", self._line)
        if item == "*" and self._imports[-1:] == [whole]:
            self._imports.pop()  # `a.*` also matches as an import of `a`
        self._imports.append(Import(self._scope.index, module, item, alias, self._line))

    def _on_open(self, node: Node, captures: Captures) -> None:
        self._imports.append(
            Import(self._scope.index, self._module(node, captures), "*", "", self._line)
        )

    def _module(self, node: Node, captures: Captures) -> str:
        """The module that an import names, which may go on to the end of another node."""
        end = captures.get("through", [node])[0].end_byte
        said = "".join(self._source[node.start_byte : end].decode("utf-8", "replace").split())
        for outer in reversed(captures.get("within", ())):
            said = f"{self._chains.text(outer)}{self._language.separators[-1]}{said}"
        return said

    def _on_namespace(self, node: Node, captures: Captures) -> None:
        for name in re.findall(r"\w+", self._chains.text(node)):
            self._bindings.append(Binding(_FILE, name, THIS_FILE, self._line))

    def _on_member(self, node: Node, captures: Captures) -> None:
        holders = [one for one in self._stack if one.definition.kind in _CLASSES]
        if holders:
            inner, self._scope = self._scope, holders[-1]
            self._on_binding(node, captures)
            self._scope = inner

    def _on_package(self, node: Node, captures: Captures) -> None:
        if not self._package:
            other = self._language.imports == "go" and is_other_build(self._source)
            name = self._chains.text(node).replace("\\", ".")
            self._package = name + (OTHER_BUILD if other else "")

    def _on_binding(self, node: Node, captures: Captures) -> None:
        if "value" in captures:
            values = self._chains.values(captures["value"][0])
        elif "type" in captures:
            text = self._chains.text(captures["type"][0])
            values = list(values_of_type(self._language.name, text))
        else:
            values = []
        single = "value" in captures and self._chains.is_one(captures["value"][0])
        firm = self._firm(node.start_byte)
        self._assign(captures["target"][0], values, node, firm, single=single)

    def _on_loop(self, node: Node, captures: Captures) -> None:
        target = captures["target"][0]
        values = self._chains.values(captures["value"][0])
        each = [(place.removeprefix("["), value) for place, value in values]
        each = [
            (place.partition("]")[2], value) if place else ("", f"{value}[]")
            for place, value in each
        ]
        self._assign(target, each, node, False)
        for place, value in values:
            if not place and self._language.iteration:
                line = self._line
                for method in self._language.iteration:
                    self._calls.append(Call(self._scope.index, value + method, line, [], True))

    def _on_with(self, node: Node, captures: Captures) -> None:
        values = self._chains.values(captures["value"][0])
        entered = [(place, value + self._language.entering) for place, value in values]
        self._assign(captures["target"][0], entered, node, self._firm(node.start_byte))

    def _on_global(self, node: Node, captures: Captures) -> None:
        self._scope.globals.add(self._chains.text(node))

    def _on_nonlocal(self, node: Node, captures: Captures) -> None:
        self._scope.nonlocals.add(self._chains.text(node))

    def _on_return(self, node: Node, captures: Captures) -> None:
        self._bind_all(RETURN, self._chains.values(node))

    def _on_yield(self, node: Node, captures: Captures) -> None:
        self._bind_all(YIELD, self._chains.values(node))

    def _on_call(self, node: Node, captures: Captures) -> None:
        listed = captures.get("arguments")
        if self._calls_are_simple:
            target = self._chains.chain(node)
            if target is not None:
                simple = self._chains.arguments(listed[0]) if listed else []
                self._calls.append(Call(self._scope.index, target, self._line, simple))
            return
        target = self._chains.called(node, listed[0] if listed else None)
        if target is None:
            return
        if target in self._language.import_calls:
            self._import_call(target, captures)
            return
        given: Values = []
        count = 0 if self._language.overloads and not self._language.trailing_blocks else -1
        if listed:
            arguments = listed[0]
            if target in self._language.requires:
                self._require(arguments)
                return
            if self._language.overloads:
                count = arguments.named_child_count
            if arguments.end_byte - arguments.start_byte > 2:
                given = self._chains.arguments(arguments)
        if target in self._language.base_calls and self._scope.definition.kind in _CLASSES:
            self._scope.bases += [chain for _, chain in given]
        self._calls.append(Call(self._scope.index, target, self._line, given, False, count))

    def _import_call(self, name: str, captures: Captures) -> None:
        if "arguments" not in captures:
            return
        written = self._chains.text(captures["arguments"][0]).strip("()\"' \n")
        module = self._language.import_calls[name] + written
        self._imports.append(Import(self._scope.index, module, "", "", self._line))

    def _require(self, arguments: Node) -> None:
        module = self._chains.first_text(arguments)
        if module:
            self._imports.append(Import(self._scope.index, module, "", "", self._line))

    def _on_raise(self, node: Node, captures: Captures) -> None:
        target = self._chains.chain(node)
        if target is not None:
            self._calls.append(Call(self._scope.index, target, self._line, [], True))

    def _on_read(self, node: Node, captures: Captures) -> None:
        target = self._chains.chain(node)
        if target is not None:
            self._reads.append(Reference(self._scope.index, target, self._line))

    def _on_mention(self, node: Node, captures: Captures) -> None:
        scope, line = self._scope.index, self._line
        for word in _WORD.findall(self._chains.text(node)):
            self._reads.append(Reference(scope, word, line))

    def _assign(
        self, target: Node, values: Values, statement: Node, firm: bool, *, single: bool = False
    ) -> None:
        line = self._line
        plain = self._chains.plain(target)
        scope = self._scope
        if plain is not None and (not values or (len(values) == 1 and not values[0][0])):
            if scope.definition.kind in _DECLARING:
                self._declare((plain,), statement)
            if is_name(plain):
                value = values[0][1] if values else ""
                self._bindings.append(Binding(self._holder(plain), plain, value, line, firm))
            elif values:
                self._assigned.append(Binding(scope.index, plain, values[0][1], line, firm))
            return
        if plain is not None:
            names: tuple[str, ...] = (plain,)
            pairs = [(plain + place, value) for place, value in values]
        else:
            pairs = self._chains.assigned(target, values, single=single)
            found = self._chains.targets(target, [("", "")])
            names = tuple(dict.fromkeys(name for name, _ in found))
        self._declare(names, statement)
        bound = {name for name, _ in pairs}
        for name in names:
            if name not in bound and is_name(name):
                self._bindings.append(Binding(self._holder(name), name, "", line, firm))
        for name, value in pairs:
            one = Binding(self._holder(name), name, value, line, firm)
            (self._bindings if is_name(name) else self._assigned).append(one)

    def _holder(self, target: str) -> int:
        """The scope that a name assigned here belongs to."""
        scope = self._scope
        if not scope.globals and not scope.nonlocals:
            return scope.index
        if target in scope.globals:
            return _FILE
        if target in scope.nonlocals and len(self._stack) > 2:
            return self._stack[-2].index
        return scope.index

    def _declare(self, names: tuple[str, ...], statement: Node) -> None:
        """Adds the variables that an assignment in a file, class or method defines."""
        scope = self._scope
        kind = scope.definition.kind
        outer = kind == _FILE_KIND or kind in _CLASSES
        if not outer and kind != _METHOD:
            return
        for name in names:
            if outer and is_name(name):
                place = "class" if kind in _CLASSES else "module"
                self._variable(scope.index, name, place, statement)
            elif not outer and self._is_own(name):
                own = name.partition(".")[2]
                self._variable(scope.definition.parent, own, "instance", statement)

    def _is_own(self, target: str) -> bool:
        """Whether a target is `self.x` in a method."""
        owner, dot, name = target.partition(".")
        if not dot or not is_name(name):
            return False
        if self._language.self_is_first_parameter:
            return self._scope.params[:1] == [owner]
        return owner in self._language.self_names

    def _variable(self, parent: int, name: str, scope: str, statement: Node) -> None:
        key = (parent, name)
        if key in self._variables:
            return
        start, end = statement.start_byte, statement.end_byte
        span = self._source[start:end]
        self._variables[key] = Definition(
            name=name,
            kind=SymbolKind.VARIABLE.value,
            parent=parent,
            start_line=self._line,
            end_line=self._line + span.count(b"\n"),
            start_byte=start,
            end_byte=end,
            signature=spans.folded(span),
            doc="",
            scope=scope,
            params=[],
            bases=[],
            decorators=[],
            digest=spans.digest(span, name.encode()),
        )

    def _collected(self, root: Node) -> FileFacts:
        definitions = [one.definition for one in self._opened]
        marked = self._chains.marked
        if marked:
            definitions = [
                one._replace(
                    bases=[self._numbered_marks(base) for base in one.bases],
                    decorators=[self._numbered_marks(chain) for chain in one.decorators],
                )
                if one.bases or one.decorators
                else one
                for one in definitions
            ]
        methods = {(one.parent, one.name) for one in definitions}
        definitions += [variable for key, variable in self._variables.items() if key not in methods]
        bindings = self._bindings + self._placed(definitions)
        bindings.sort(key=attrgetter("line"))
        calls = self._calls
        if marked:
            bindings = [
                one._replace(value=self._numbered_marks(one.value)) if "<fn@" in one.value else one
                for one in bindings
            ]
            calls = [self._call_with_marks(call) for call in calls]
        return FileFacts(
            language=self._language.name,
            package=self._package,
            definitions=_held_by_none_of_their_own(definitions),
            imports=self._imports,
            bindings=bindings,
            calls=calls,
            references=self._kept_reads(definitions),
            broken=root.has_error,
            lines=definitions[0].end_line,
        )

    def _placed(self, definitions: list[Definition]) -> list[Binding]:
        """The assignments to what is declared outside their scope, moved to where it is."""
        if not self._assigned:
            return []
        declared: dict[int, set[str]] = {0: set()}
        for binding in self._bindings:
            declared.setdefault(binding.scope, set()).add(binding.target)
        for index, one in enumerate(definitions):
            declared.setdefault(index, set()).update(word.lstrip("*") for word in one.params)
        placed: list[Binding] = []
        for one_assigned in self._assigned:
            root = _ROOT.match(one_assigned.target)
            name = root[0] if root else ""
            scope = one_assigned.scope
            while scope and name not in declared.get(scope, ()):
                scope = definitions[scope].parent
            moved = scope if scope or name in declared[0] else one_assigned.scope
            placed.append(one_assigned._replace(scope=moved))
        return placed

    def _call_with_marks(self, call: Call) -> Call:
        given = call.arguments
        if "<fn@" in call.target or any("<fn@" in value for _, value in given):
            return call._replace(
                target=self._numbered_marks(call.target),
                arguments=[(key, self._numbered_marks(value)) for key, value in given],
            )
        return call

    def _numbered_marks(self, chain: str) -> str:
        """`chain` with the functions it says by place now said by index."""
        if "<fn@" not in chain:
            return chain
        return _MARK.sub(lambda mark: f"<fn{self._marks.get(int(mark[1]), 0)}>", chain)

    def _kept_reads(self, definitions: list[Definition]) -> list[Reference]:
        """The reads that may mean something of the project: not locals, not parameters."""
        known = {one.alias or one.module.partition(".")[0] for one in self._imports}
        known |= {one.name for one in definitions if one.parent == _FILE}
        members = {one.name for one in definitions if one.parent != _FILE}
        kept: dict[tuple[int, str], Reference] = {}
        for read in self._reads:
            key = (read.scope, read.target)
            if key in kept:
                continue
            root, dot, rest = read.target.partition(".")
            if root in known or (dot and rest.partition(".")[0] in members):
                kept[key] = read
        return list(kept.values())


_HANDLERS: dict[str, Callable[[_Reading, Node, Captures], None]] = {
    name.removeprefix("_on_"): handler
    for name, handler in vars(_Reading).items()
    if name.startswith("_on_")
}


def _first(root: Node) -> int:
    return root.named_children[0].start_byte if root.named_child_count else 0


def _fields(node: Node, name: str) -> list[Node]:
    """The children in the field `name`; the node itself where the name is empty."""
    if not name:
        return [node]
    if name.isdigit():
        child = node.named_child(int(name)) if int(name) < node.named_child_count else None
        return [child] if child is not None else []
    return node.children_by_field_name(name)


def _held_by_none_of_their_own(definitions: list[Definition]) -> list[Definition]:
    """`definitions`, those that hold each other given to the file.

    A method may stand before its type, and in broken or odd code the type inside the method.
    """
    if all(one.parent <= index for index, one in enumerate(definitions)):
        return definitions
    kept = list(definitions)
    for index, one in enumerate(definitions):
        if one.parent > index:
            above, climbed = one.parent, {index}
            while above and above not in climbed:
                climbed.add(above)
                above = kept[above].parent
            if above:
                kept[index] = one._replace(parent=0)
    return kept

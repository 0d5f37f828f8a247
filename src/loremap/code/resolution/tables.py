"""The facts of one file, arranged so that names are found at once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Sequence

from loremap.code.facts import (
    DECLARED,
    EVERYWHERE,
    EXTENSION,
    RETURN,
    YIELD,
    Binding,
    Call,
    Definition,
    FileFacts,
    Import,
    is_name,
)
from loremap.code.grammars.language import Language
from loremap.code.languages import LANGUAGES
from loremap.code.project import package_of
from loremap.code.resolution.chain_parts import root_of
from loremap.model.code import SymbolKind

CLASS_KINDS = frozenset({SymbolKind.CLASS.value, SymbolKind.TYPE.value})
FUNCTION_KINDS = frozenset({SymbolKind.FUNCTION.value, SymbolKind.METHOD.value})
VARIABLE = SymbolKind.VARIABLE.value
CLASS = "class"
INSTANCE = "instance"
_NOWHERE: frozenset[int] = frozenset()
_SPECIAL = -1
"""Among the scopes of a name: what it means is told by the class around."""
_RESULTS = frozenset({RETURN, YIELD})
_ON_CLASS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
_WHOLE = frozenset({"include", "ruby", "source"})
"""Strategies whose imports bring all names of a file."""
_ALL = frozenset({"*", EVERYWHERE})
_VERSION = re.compile(r"v\d+$")


class Table:
    """One file's names by scope."""

    __slots__ = (
        "_binders", "_stand_ins", "attributes", "bindings", "boxes", "calls",
        "definitions", "extending", "facts", "imports", "kinds", "language", "outside", "package",
        "parents", "path", "several", "shadows", "stars", "variables",
    )  # fmt: skip

    def __init__(self, path: str, facts: FileFacts) -> None:
        self.path = path
        self.facts = facts
        self.language: Language = LANGUAGES[facts.language]
        self.package = package_of(path, facts)
        self.parents = [one.parent for one in facts.definitions]
        self.kinds = [one.kind for one in facts.definitions]
        self.definitions: dict[tuple[int, str], list[int]] = defaultdict(list)
        self.outside: dict[str, list[int]] = defaultdict(list)
        """Methods that stand outside a class: of types of other files, and of object literals."""
        self.extending: dict[str, list[int]] = defaultdict(list)
        """Functions that are called on values of a type that they are not written in."""
        self.variables: dict[tuple[int, str], int] = {}
        self.imports: dict[tuple[int, str], list[Import]] = defaultdict(list)
        self.stars: list[Import] = []
        self.bindings: dict[tuple[int, str], list[Binding]] = defaultdict(list)
        self.boxes: dict[tuple[int, str], list[str]] = defaultdict(list)
        """What is known to lie in a name: the links that follow it in bindings."""
        self.attributes: dict[tuple[int, str], list[Binding]] = defaultdict(list)
        """What methods assign to members of their own class, by class and name."""
        self.several: dict[tuple[int, str], list[int]] = {}
        """Lines of the names bound more than once in a scope, where the line of a read matters."""
        self.shadows: dict[tuple[int, str], int] = {}
        """Names first bound to what is made from an outer one (`view := view.New()`), and where:
        up to that line they mean the outer one; where names are declared first, all local ones."""
        self.calls: dict[tuple[int, int, str], Call] = {}
        self._binders: dict[str, set[int]] | None = None
        self._stand_ins: dict[int, int] = {}
        self._fill()

    def _fill(self) -> None:
        for index, one in enumerate(self.facts.definitions[1:], start=1):
            if one.scope == EXTENSION:
                self.extending[one.name].append(index)
            if one.kind == VARIABLE:
                self.variables[one.parent, one.name] = index
            elif one.kind == "method" and self.kinds[one.parent] not in CLASS_KINDS:
                self.outside[one.name].append(index)
            elif self.language.last_one_runs and one.kind in FUNCTION_KINDS:
                self.definitions[one.parent, one.name] = [index]
            else:
                self.definitions[one.parent, one.name].append(index)
        for brought in self.facts.imports:
            name = self._bound_name(brought)
            if brought.item in _ALL or (not name and self.language.imports in _WHOLE):
                self.stars.append(brought)
            elif name:
                self.imports[brought.scope, name].append(brought)
        self._bind(self.facts.bindings)
        for call in self.facts.calls:
            if call.arguments:
                self.calls[call.scope, call.line, call.target] = call

    def _bound_name(self, brought: Import) -> str:
        if brought.alias or brought.item:
            return brought.alias or brought.item
        strategy = self.language.imports
        if strategy == "python":
            return brought.module.partition(".")[0]
        if strategy == "go":
            parts = brought.module.split("/")
            last = parts[-2] if _VERSION.fullmatch(parts[-1]) and len(parts) > 1 else parts[-1]
            return re.sub(r"\.v\d+$", "", last)
        if strategy in ("declared", "rust"):
            return re.split(r"[.\\]|::", brought.module)[-1]
        return ""

    def _bind(self, bound: Sequence[Binding]) -> None:
        bindings = self.bindings
        first = self.language.declared_first
        for binding in bound:
            target = binding[1]
            key = (binding[0], target)
            known = bindings.get(key)
            if known is None:
                bindings[key] = [binding]
                if first or binding[2].startswith(target):
                    self._shadow(binding)
            else:
                known.append(binding)
                if binding[2].startswith(target) and self.kinds[binding[0]] in CLASS_KINDS:
                    self._shadow(binding)  # `Colour Colour`, set before it is declared
                self.several.setdefault(key, [known[0].line]).append(binding.line)
            if not target.isidentifier() and target not in _RESULTS and not is_name(target):
                self._bind_inside(binding)

    def _shadow(self, binding: Binding) -> None:
        """Notes up to where a name that is bound here still means what a scope around says."""
        scope, target, value = binding[:3]
        if not scope or target in self.facts.definitions[scope].params:
            return
        if value.startswith(target) and value[len(target) : len(target) + 1] in (".", "(", "["):
            self.shadows[scope, target] = binding.line
        elif self.language.declared_first and self.kinds[scope] in FUNCTION_KINDS:
            self.shadows[scope, target] = binding.line - 1

    def _bind_inside(self, binding: Binding) -> None:
        """Notes what a binding puts into a member or an element."""
        scope = binding.scope
        root, links = root_of(binding.target)
        if not links:
            return
        if links[0][0] == "." and self.is_self(scope, root):
            holder = self.class_around(scope)
            if holder:
                name = links[0][1:]
                self.attributes[holder, name].append(binding)
                return
        place = root
        for link in links:
            inside = self.boxes[scope, place]
            if link not in inside:
                inside.append(link)
            place += link

    def owner(self, scope: int, root: str) -> int:
        """A scope that sees the same under `root` as `scope` does, the same one for many.

        It stands for `scope` wherever lines do not matter, so what a name means there is found
        once for all functions that share it.
        """
        if self._binders is None:
            self._binders = self._found_binders()
        binders = self._binders.get(root, _NOWHERE)
        if _SPECIAL in binders:
            return scope if len(binders) > 1 else self.class_around(scope) or scope
        if self.language.implicit_self:
            return self._owner_of_implied(scope, binders)
        if not binders:
            return 0
        at = scope
        seen = self.language.class_scope_is_seen
        while at:
            if at in binders and (seen or self.sees_members(at, scope)):
                stand_in = self._stand_ins.get(at)
                if stand_in is not None and self.facts.definitions[at].params[0] == root:
                    return stand_in
                return at
            at = self.parents[at]
        return 0

    def sees_members(self, at: int, scope: int) -> bool:
        """Whether `scope` sees the names of the scope `at` around it, or of itself, bare."""
        own = at == scope and not self.language.declared_first
        return own or self.kinds[at] not in CLASS_KINDS

    def binds(self, name: str) -> bool:
        """Whether some scope gives a name a meaning of its own."""
        if self._binders is None:
            self._binders = self._found_binders()
        return name in self._binders

    def _owner_of_implied(self, scope: int, binders: Container[int]) -> int:
        """The outermost function around `scope` up to which nothing can give the name a meaning."""
        at = scope
        receivers = self.language.receivers
        while at and at not in binders and self.kinds[at] not in CLASS_KINDS:
            if receivers and self.facts.definitions[at].name[:3] == "<fn":
                break
            parent = self.parents[at]
            outside = not parent and self.kinds[at] == "method"
            if outside or self.kinds[parent] in CLASS_KINDS:
                break
            at = parent
        return at

    def _found_binders(self) -> dict[str, set[int]]:
        """The scopes that give each name a meaning of their own."""
        language = self.language
        specials = ("super", *language.self_names, *language.class_names, *language.super_names)
        found: dict[str, set[int]] = defaultdict(set, {name: {_SPECIAL} for name in specials})
        for names in (self.definitions, self.variables, self.imports, self.bindings, self.boxes):
            for scope, name in names:
                found[name].add(scope)
        for index in self._silent() if language.implicit_parameters else ():
            for name in language.implicit_parameters:
                found[name].add(index)
        methods: dict[tuple[int, str, str], int] = {}
        for index, one in enumerate(self.facts.definitions):
            if not one.params or one.kind not in FUNCTION_KINDS:
                continue
            for name in one.params:
                found[name.lstrip("*")].add(index)
            held = one.kind == "method" and self.kinds[one.parent] in CLASS_KINDS
            if held and language.self_is_first_parameter:
                key = (one.parent, one.params[0], self.self_kind(index))
                self._stand_ins[index] = methods.setdefault(key, index)
        return dict(found)

    def _silent(self) -> list[int]:
        """The functions without a name that declare no parameters."""
        return [
            index
            for index, one in enumerate(self.facts.definitions)
            if one.name[:3] == "<fn" and not one.params
        ]

    def self_kind(self, index: int) -> str:
        """What the first parameter of a method is: an instance, the class, or just a parameter."""
        one = self.facts.definitions[index]
        if "staticmethod" in one.decorators:
            return ""
        if "classmethod" in one.decorators or one.name in _ON_CLASS:
            return CLASS
        return INSTANCE

    def apart(self, indexes: Sequence[int]) -> Sequence[int]:
        """The definitions of one name without declarations; of overloads, the first for all."""
        if len(indexes) < 2:
            return indexes
        indexes = self.apart_from_declared(indexes)
        if self.language.overloads and all(self.kinds[at] in FUNCTION_KINDS for at in indexes):
            return indexes[:1]
        return indexes

    def apart_from_declared(self, indexes: Sequence[int]) -> Sequence[int]:
        """Those that are written out, or all where none is."""
        return [at for at in indexes if self.facts.definitions[at].scope != DECLARED] or indexes

    def overloads(self, index: int, count: int) -> list[int]:
        """The functions that a call of `count` arguments may mean where `index` is one of them."""
        one = self.facts.definitions[index]
        if not self.language.overloads:
            return [index]
        near = self.outside.get(one.name, ()) if one.bases else self._namesakes(one)
        same = [at for at in near if self.facts.definitions[at].bases == one.bases] or [index]
        if count < 0 or len(same) == 1:
            return same
        sizes = {at: self.facts.definitions[at].params for at in same}
        exact = [at for at, params in sizes.items() if len(params) == count]
        wide = [
            at
            for at, params in sizes.items()
            if len(params) > count or any(name[0] == "*" for name in params)
        ]
        return exact or wide or same

    def _namesakes(self, one: Definition) -> list[int]:
        found = self.definitions.get((one.parent, one.name), [])
        return [at for at in self.apart_from_declared(found) if self.kinds[at] in FUNCTION_KINDS]

    def is_self(self, scope: int, name: str) -> bool:
        """Whether a name means the object that the method around `scope` belongs to."""
        if not self.language.self_is_first_parameter:
            return name in self.language.self_names
        method = self.method_around(scope)
        return bool(method) and self.facts.definitions[method].params[:1] == [name]

    def method_around(self, scope: int) -> int:
        """The innermost function directly in a class that holds `scope`, or 0."""
        while scope:
            parent = self.parents[scope]
            if self.kinds[scope] == "method" and self.kinds[parent] in CLASS_KINDS:
                return scope
            scope = parent
        return 0

    def class_around(self, scope: int) -> int:
        """The innermost class or type that holds `scope`, or 0."""
        while scope and self.kinds[scope] not in CLASS_KINDS:
            scope = self.parents[scope]
        return scope

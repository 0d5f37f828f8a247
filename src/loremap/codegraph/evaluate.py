"""What chains mean: finds the definitions, instances and modules that a chain may stand for.

Precision first: what cannot be determined has no value, and what may be more than a few things
has none either. Nothing is found by its name alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from loremap.codegraph.builds import OTHER_BUILD, is_for_elsewhere
from loremap.codegraph.facts import DECLARED, HIDDEN, RETURN, THIS_FILE, YIELD, Binding, Import
from loremap.codegraph.project import Project, package_of, type_names
from loremap.codegraph.tables import (
    CLASS,
    CLASS_KINDS,
    FUNCTION_KINDS,
    INSTANCE,
    VARIABLE,
    Table,
    parts_of,
    root_of,
)

UNION_MAX = 4
_DEPTH_MAX = 40
_MRO_MAX = 40
_STAR_DEPTH_MAX = 6

FUNCTION = "function"
MODULE = "module"
FOLDER = "folder"
PACKAGE = "package"
BOX = "box"
SUPER = "super"
GENERATOR = "generator"
EXTERNAL = "external"
BUILTIN = "<builtin>"
_SUPER = f"{BUILTIN}.super"


class Value(NamedTuple):
    """One thing that a chain may stand for."""

    kind: str
    path: str
    """Of what is outside the project, its dotted name."""
    index: int = 0  # type: ignore[assignment]  # the method of tuples is not used
    place: str = ""
    """Of a container, the chain that it is bound to in the scope `index`."""
    receiver: tuple[str, str, int] | None = None
    """Of a method, the object it was taken from."""


Values = tuple[Value, ...]
_Key = tuple[str, int, str, int]
_Known = tuple[Values, tuple[str, ...], bool]
"""What a chain means, the files and packages that were looked at to know it, and whether that may
depend on what calls pass to a parameter."""
_RUNNING: _Known = ((), (), True)
Flows = dict[tuple[int, str], list[Value]]
"""What the calls within a file pass to the parameters of its functions."""
_NO_FLOWS: Flows = {}
"""What is known to all must not depend on the calls of one file."""


class Evaluator:
    """Finds the values of chains, each once.

    With a `home` it also knows what the calls of that file pass to its functions. What lies in
    other files is asked of the `outer` evaluator, which knows of no such calls, so that a file's
    links depend on the interfaces of others only.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._tables: dict[str, Table | None] = {}
        self._memo: dict[_Key, _Known] = {}
        self._types: dict[str, dict[str, list[int]]] = {}
        self._reaches: dict[str, Sequence[str]] = {}
        self._mro: dict[tuple[str, int], tuple[tuple[tuple[str, int], ...], tuple[str, ...]]] = {}
        self._depth = 0
        self.home = ""
        self.flows: Flows = {}
        self._home_memo: dict[_Key, _Known] = {}
        self._asked = 0
        """How often the answer could depend on what calls pass to a parameter."""
        self._looked: list[str] = []
        """The files and packages looked at so far, also where the answer was known already."""

    # What is known of files.

    def table(self, path: str) -> Table | None:
        """The names of a file."""
        self._looked.append(path)
        try:
            return self._tables[path]
        except KeyError:
            facts = self._project.facts(path)
            made = self._tables[path] = Table(path, facts) if facts is not None else None
            return made

    def forget(self, paths: Iterable[str]) -> None:
        """Drops all that was learned, because these files have changed."""
        for path in paths:
            self._tables.pop(path, None)
            self._types.pop(path, None)
        self._reaches.clear()
        self._memo.clear()
        self._mro.clear()
        self._home_memo.clear()

    def at_home(self, path: str, flows: Flows) -> None:
        """Starts to evaluate for one file, with what its own calls pass on."""
        self.home = path
        self.flows = flows
        self._home_memo = {}

    def start(self, path: str) -> None:
        """Starts to evaluate for one file, with nothing looked at."""
        self._looked.clear()
        self._depth = 0
        self.at_home(path, _NO_FLOWS)

    def consulted(self) -> frozenset[str]:
        """The other files, and packages, looked at since the start."""
        return frozenset(self._looked) - {self.home}

    # Chains.

    def values(self, table: Table, scope: int, chain: str, line: int = 0) -> Values:
        """What `chain`, written in `scope` at `line`, may stand for."""
        _, link, root, indexed, members = parts_of(chain)
        if line:
            lines = table.several.get((scope, root))
            if not link:
                line = _settled(lines, line) if lines else 0
            elif not lines and not (indexed and table.several):
                line = 0
        if scope and not line:
            scope = table.owner(scope, root)
        if members is not None:
            start = self._before(table, scope, root, line)
            if not start:
                return ()
            if len(start) == 1 and is_outside(start[0]):
                return () if indexed else (Value(EXTERNAL, start[0].path + members),)
        return self.seen(table, scope, chain, line)

    def seen(self, table: Table, scope: int, chain: str, line: int) -> Values:
        """The values of a chain, in the scope that stands for all that see the same."""
        path = table.path
        key = (path, scope, chain, line)
        known = self._memo.get(key)
        if known is not None and not (known[2] and self.flows and path == self.home):
            if known[1]:
                self._looked += known[1]
            self._asked += known[2]
            return known[0]
        return self._once(key, self._found, table, scope, chain, line)

    def _once(self, key: _Key, find: Callable[..., Values], *given: object) -> Values:
        """What `find` gives, found once per key; the key starts with the path it is about."""
        at_home = bool(self.flows) and key[0] == self.home
        known = self._memo.get(key)
        if known is None or (at_home and known[2]):
            known = self._home_memo.get(key) if at_home else None
        if known is not None:
            if known[1]:
                self._looked += known[1]
            self._asked += known[2]
            return known[0]
        if self._depth > _DEPTH_MAX:
            self._asked += 1
            return ()
        memo = self._home_memo if at_home else self._memo
        memo[key] = _RUNNING  # what leads back to itself adds nothing
        mark, asked, flows = len(self._looked), self._asked, self.flows
        if not at_home:
            self.flows = _NO_FLOWS
        self._depth += 1
        try:
            found = find(*given)
        finally:
            self._depth -= 1
            self.flows = flows
        known = (found, self._looked_since(mark, key[0]), self._asked != asked)
        if at_home and not known[2]:
            del memo[key]
            memo = self._memo
        memo[key] = known
        return found

    def _looked_since(self, mark: int, path: str) -> tuple[str, ...]:
        """The other files and packages that were looked at, each once."""
        looked = self._looked
        if len(looked) == mark:
            return ()
        others = set(looked[mark:])
        others.discard(path)
        looked[mark:] = others
        return tuple(others)

    def _found(self, table: Table, scope: int, chain: str, line: int) -> Values:
        before, link, _, _, _ = parts_of(chain)
        if not link:
            return self.name(table, scope, chain, line)
        if link == "()":
            return self._called(table, scope, before, line)
        values = self._before(table, scope, before, line)
        if not values:
            return ()
        if link[0] == ".":
            name = link[1:]
            if len(values) == 1:
                return _union(self.member(values[0], name, line))
            return _union([one for value in values for one in self.member(value, name, line)])
        return _union([one for value in values for one in self.element(value, link, line)])

    def _before(self, table: Table, scope: int, chain: str, line: int) -> Values:
        """The values of a chain without its last link."""
        if line:
            return self.values(table, scope, chain, line)
        return self.seen(table, scope, chain, 0)

    def _called(self, table: Table, scope: int, before: str, line: int) -> Values:
        values = self._before(table, scope, before, line)
        if not values:
            return ()
        found: list[Value] = []
        for value in values:
            if value.path == _SUPER and value.kind == EXTERNAL:
                holder = table.class_around(scope)
                if holder:
                    found.append(Value(SUPER, table.path, holder))
                continue
            found += self.result(value, (table, scope, before, line))
        return _union(found)

    # Names.

    def name(self, table: Table, scope: int, name: str, line: int = 0) -> Values:
        """What a bare name means in a scope."""
        if name.startswith("<fn"):
            index = int(name[3:-1])
            return self.definition(table, index) if 0 < index < len(table.kinds) else ()
        language = table.language
        if name[:1] == "{":
            path = self._project.paths.target(table.path, language.name, name[1:-1])
            return (Value(MODULE, path) if path else Value(EXTERNAL, name[1:-1]),)
        if name == THIS_FILE:
            return (Value(MODULE, table.path),)
        if name in language.self_names:
            return self._around(table, scope, INSTANCE)
        if name in language.class_names:
            return self._around(table, scope, CLASS)
        if name in language.super_names and name not in language.builtins:
            return self._around(table, scope, SUPER)
        at = scope
        while True:
            kind = table.kinds[at]
            if kind not in CLASS_KINDS or at == scope or language.class_scope_is_seen:
                found = self._local(table, at, name, line if at == scope else 0)
                if found is not None:
                    return found
            if language.implicit_self:
                members = self._implicit(table, at, name)
                if members:
                    return members
            if at == 0:
                break
            at = table.parents[at]
        return self._beyond(table, name)

    def _around(self, table: Table, scope: int, kind: str) -> Values:
        """The object, or class, that the method around `scope` belongs to."""
        holder = table.class_around(scope)
        if holder:
            return (Value(kind, table.path, holder),)
        while scope and not (table.parents[scope] == 0 and table.kinds[scope] == "method"):
            scope = table.parents[scope]
        owners = self._owners(table, scope)
        return tuple(Value(kind, one.path, one.index) for one in owners)

    def _owners(self, table: Table, index: int) -> Values:
        """The type in another file that a method belongs to which is written outside it."""
        bases = table.facts.definitions[index].bases
        if not index or not bases:
            return ()
        found = self.values(table, 0, bases[0])
        return tuple(one for one in found if one.kind == CLASS)[:1]

    def _class_name(self, value: Value) -> str:
        table = self.table(value.path)
        return table.facts.definitions[value.index].name if table is not None else ""

    def _implicit(self, table: Table, at: int, name: str) -> Values:
        """The member of the type at or around the scope `at` that a bare name may mean."""
        if table.kinds[at] in CLASS_KINDS:
            owners: Values = (Value(CLASS, table.path, at),)
        elif at and table.parents[at] == 0 and table.kinds[at] == "method":
            owners = self._owners(table, at)
        else:
            return ()
        if "=" in table.language.constructors:  # a class's own name is not its constructor
            named = tuple(one for one in owners if self._class_name(one) == name)
            if named:
                return named
        made = [one._replace(kind=INSTANCE) for one in owners]
        found = _union(one for each in made for one in self.member(each, name, 0))
        return tuple(one for one in found if one.kind != EXTERNAL)

    def _local(self, table: Table, scope: int, name: str, line: int) -> Values | None:
        """What a name means in one scope; None where that scope does not know it."""
        key = (scope, name)
        defined = table.definitions.get(key)
        bound = table.bindings.get(key)
        brought = table.imports.get(key)
        if scope and table.kinds[scope] in FUNCTION_KINDS:
            parameter = self._parameter(table, scope, name, bound, line)
            if parameter is not None:
                return parameter
        inside = key in table.boxes
        if not (defined or bound or brought or inside or key in table.variables):
            return None
        found: list[Value] = []
        for index in table.apart(defined or ()):
            found += self.definition(table, index)
        for one in brought or ():
            found += self.imported(table, one)
        if inside:
            found.append(Value(BOX, table.path, scope, name))
        for binding in _reaching(bound or (), line):
            if binding.value:
                found += self.values(table, scope, binding.value, binding.line)
        return _union(found)

    def _parameter(
        self, table: Table, scope: int, name: str, bound: Sequence[Binding] | None, line: int
    ) -> Values | None:
        one = table.facts.definitions[scope]
        starred = f"*{name}" in one.params
        if name not in one.params and not starred and f"**{name}" not in one.params:
            return None
        found: list[Value] = []
        if one.params[0] == name and table.language.self_is_first_parameter:
            owner = table.parents[scope]
            if one.kind == "method" and table.kinds[owner] in CLASS_KINDS:
                return self._self(table, scope, owner)
        declared = False
        for binding in _reaching(bound or (), line):
            if binding.value:
                values = self.values(table, scope, binding.value, 0)
                found += values
                declared |= bool(values) and binding.firm
        if (scope, name) in table.boxes:
            found.append(Value(BOX, table.path, scope, name))
        if not declared:
            self._asked += 1
            if table.path == self.home:
                found += self.flows.get((scope, name), ())
        return _union(found)

    def _self(self, table: Table, scope: int, owner: int) -> Values:
        kind = table.self_kind(scope)
        return (Value(kind, table.path, owner),) if kind else ()

    def _beyond(self, table: Table, name: str) -> Values:
        """What a name means that no scope of its file knows."""
        if table.language.imports == "include":
            return self._included(table, name)
        for star in table.stars:
            found = self._from_star(table, star, name, 0)
            if found:
                return found
        if table.language.imports == "rust":
            path = self._project.paths.target(table.path, "rust", name)
            return (Value(MODULE, path),) if path else ()
        for package in self._packages(table):
            found = self.packaged(package, name)
            if found:
                return found
        if name in table.language.builtins:
            return (Value(EXTERNAL, f"{BUILTIN}.{name}"),)
        outer = table.language.package == "declared" and name[:1].islower()
        if outer or (table.language.capitals_are_shared and name[:1].isupper()):
            return (Value(PACKAGE, f"{table.language.family or table.language.name}:{name}"),)
        return ()

    def _packages(self, table: Table) -> list[str]:
        """The packages whose names a file sees without an import, nearest first."""
        package = package_of(table.path, table.facts)
        if not package or table.language.package == "linked":
            return []
        found = [package]
        if table.language.outer_packages:
            while "." in package:
                package = package.rpartition(".")[0]
                found.append(package)
        return found

    def packaged(self, package: str, name: str) -> Values:
        """What a top-level name means in a package; nothing where files of it disagree."""
        self._looked.append(f"package:{package}")
        found: list[Value] = []
        for path in self._plain_builds(self._project.defining(package, name)):
            table = self.table(path)
            if table is not None:
                found += self._local(table, 0, name, 0) or ()
        if len(found) > 1 and all(self._is_open(one) for one in found):
            return tuple(found[:1])  # parts of one type
        return _union(found) if len({one.path for one in found}) == 1 else ()

    def _plain_builds(self, paths: Sequence[str]) -> Sequence[str]:
        """Of several files that define a name those that a plain build takes."""
        if len(paths) < 2 or not paths[0].endswith(".go"):
            return paths
        kept: list[str] = []
        for path in paths:
            table = self.table(path)
            if table is None or is_for_elsewhere(path):
                continue
            if not table.facts.package.endswith(OTHER_BUILD):
                kept.append(path)
        return kept

    def _is_open(self, value: Value) -> bool:
        table = self.table(value.path) if value.kind == CLASS else None
        return table is not None and table.language.open_types

    def _from_star(self, table: Table, star: Import, name: str, depth: int) -> Values:
        if depth > _STAR_DEPTH_MAX:
            return ()
        if table.language.imports == "declared":
            module = star.module.removesuffix("*").rstrip(".\\:")
            family = table.language.family or table.language.name
            return self.packaged(f"{family}:{module}", name)
        path = self._project.paths.target(table.path, table.language.name, star.module, star.item)
        if path is None:
            return ()
        return self.in_module(path, name, depth + 1)

    def _included(self, table: Table, name: str) -> Values:
        """What a name means in the files that a file includes, the nearest first."""
        for path in self._reached(table.path):
            other = self.table(path)
            found = self._local(other, 0, name, 0) if other is not None else None
            if found:  # a namespace is all that this file sees of it
                return tuple(
                    Value(MODULE, table.path) if one.kind == MODULE else one for one in found
                )
        return ()

    def _reached(self, path: str) -> Sequence[str]:
        """The files that a file includes, and those that they do."""
        known = self._reaches.get(path)
        if known is not None:
            return known
        found: dict[str, None] = {}
        waiting = [path]
        for one in waiting:
            table = self.table(one)
            if table is None:
                continue
            for star in table.stars:
                target = self._project.paths.target(one, table.language.name, star.module)
                if target is not None and target not in found and target != path:
                    found[target] = None
                    waiting.append(target)
        self._reaches[path] = tuple(found)
        return self._reaches[path]

    # Modules.

    def in_module(self, path: str, name: str, depth: int = 0) -> Values:
        """What a name means to those who take it from a file."""
        self._looked.append(path)
        return self._once((path, -1, name, 0), self._in_module, path, name, depth)

    def _in_module(self, path: str, name: str, depth: int) -> Values:
        table = self.table(path)
        if table is None:
            return ()
        found = self._local(table, 0, name, 0)
        if found:
            return found
        if table.language.imports == "include":
            return self._included(table, name)
        for star in table.stars:
            inner = self._from_star(table, star, name, depth)
            if inner:
                return inner
        if table.language.imports == "script":
            return self._common(table, name)
        if path.endswith("__init__.py"):
            return self._submodule(path.removesuffix("__init__.py").rstrip("/"), name)
        return ()

    def _common(self, table: Table, name: str) -> Values:
        """What a CommonJS module offers under a name."""
        if name == "default":
            return self._bound_to(table, "module.exports")
        found = self._bound_to(table, f"exports.{name}")
        if found:
            return found
        found = self._bound_to(table, f"module.exports.{name}")
        if found:
            return found
        return _union(
            one
            for value in self._bound_to(table, "module.exports")
            for one in self.member(value, name)
        )

    def _bound_to(self, table: Table, target: str) -> Values:
        found: list[Value] = []
        for binding in table.bindings.get((0, target), ()):
            if binding.value:
                found += self.values(table, 0, binding.value)
        return _union(found)

    def _submodule(self, place: str, name: str) -> Values:
        below = self._project.paths.python.submodule(place, name)
        if below is None:
            return ()
        return (Value(MODULE if below in self._project.paths.files else FOLDER, below),)

    def imported(self, table: Table, brought: Import) -> Values:
        """What an import binds its name to."""
        strategy = table.language.imports
        if strategy == "python":
            return self._imported_python(table, brought)
        if strategy == "declared":
            return self._imported_declared(table, brought)
        path = self._project.paths.target(
            table.path, table.language.name, brought.module, brought.item
        )
        if path is None:
            return (Value(EXTERNAL, _external(brought.module, brought.item)),)
        if strategy == "go":
            return (Value(PACKAGE, f"go:{path}"),)
        if strategy == "rust":
            last = brought.item or brought.module.split("::")[-1]
            return self.in_module(path, last) or (
                (Value(MODULE, path),) if _stem(path) == last else ()
            )
        if not brought.item:
            return (Value(MODULE, path),)
        return self.in_module(path, brought.item)

    def _imported_declared(self, table: Table, brought: Import) -> Values:
        family = table.language.family or table.language.name
        module = brought.module.replace("\\", ".").replace("::", ".").strip(".")
        if brought.item:
            module = f"{module}.{brought.item}"
        package, _, name = module.rpartition(".")
        found = self.packaged(f"{family}:{package}", name)
        if not found and "." in package:
            outer, _, holder = package.rpartition(".")
            owners = self.packaged(f"{family}:{outer}", holder)
            found = _union(one for owner in owners for one in self.member(owner, name, 0))
        # PHP's `use` may name a namespace, whose members then follow.
        whose = family if "\\" in table.language.separators else ""
        return found or (Value(EXTERNAL, module, 0, whose),)

    def _imported_python(self, table: Table, brought: Import) -> Values:
        modules = self._project.paths.python
        module = brought.module
        if not brought.item and not brought.alias:
            module = module.partition(".")[0]
        place = modules.place(table.path, module)
        if place is None:
            if module.startswith("."):
                return ()
            return (Value(EXTERNAL, _external(module, brought.item)),)
        path = modules.file(place)
        if not brought.item:
            return (Value(MODULE, path) if path else Value(FOLDER, place),)
        if path is None:
            return self._submodule(place, brought.item)
        return self.in_module(path, brought.item) or self._submodule(place, brought.item)

    # Definitions.

    def definition(self, table: Table, index: int) -> Values:
        """The value that a definition gives its name."""
        kind = table.kinds[index]
        if kind in CLASS_KINDS:
            return (Value(CLASS, table.path, index),)
        if kind in FUNCTION_KINDS:
            own = Value(FUNCTION, table.path, index)
            if table.facts.definitions[index].scope == DECLARED:
                return self._defined(table, index) or (own,)
            decorators = table.facts.definitions[index].decorators
            return self._decorated(table, index, own) if decorators else (own,)
        return ()

    def _defined(self, table: Table, index: int) -> Values:
        """The definition of a function that is declared here, where one file alone defines it."""
        one = table.facts.definitions[index]
        holder = table.facts.definitions[one.parent].name
        package = package_of(table.path, table.facts)
        self._looked.append(f"package:{package}")
        found: list[Value] = []
        full = f"{holder}.{one.name}" if holder else one.name
        key = (0, one.name)
        for path in self._plain_builds(self._project.defining(package, full)):
            other = self.table(path)
            if other is None:
                continue
            near = other.outside.get(one.name, []) if holder else other.definitions.get(key, [])
            for at in near:
                other_one = other.facts.definitions[at]
                hidden = other_one.scope == HIDDEN and path != table.path
                of_holder = not holder or other_one.bases[:1] == [holder]
                if other_one.scope != DECLARED and not hidden and of_holder:
                    found.append(Value(FUNCTION, path, at))
        return _union(found) if len({value.path for value in found}) == 1 else ()

    def _decorated(self, table: Table, index: int, own: Value) -> Values:
        """A function and what the decorators of the project put around it."""
        key = (table.path, index, "<decorated>", 0)
        return self._once(key, self._wrapped, table, index, own) or (own,)

    def _wrapped(self, table: Table, index: int, own: Value) -> Values:
        current: Values = (own,)
        scope = table.parents[index]
        one = table.facts.definitions[index]
        for chain in reversed(one.decorators):
            made: list[Value] = []
            for value in self.values(table, scope, chain, one.start_line):
                if value.kind == FUNCTION:
                    given = [("0", current)]
                    made += [got for got in self.returned(value, given) if got.kind == FUNCTION]
            current = _union(made) or current
        return _union((own, *current))

    def mro(self, path: str, index: int) -> tuple[tuple[str, int], ...]:
        """A class and those it inherits, in the order members are looked for."""
        key = (path, index)
        known = self._mro.get(key)
        if known is not None:
            self._looked += known[1]
            return known[0]
        self._mro[key] = ((key,), ())
        mark = len(self._looked)
        lines = [list(self.mro(one.path, one.index)) for one in self.bases(path, index)]
        found = (key, *_merged(lines))[:_MRO_MAX]
        self._mro[key] = (found, tuple(set(self._looked[mark:])))
        return found

    def bases(self, path: str, index: int) -> list[Value]:
        """The classes of the project that a class names as its bases."""
        table = self.table(path)
        if table is None:
            return []
        scope = table.parents[index]
        found: list[Value] = []
        for chain in table.facts.definitions[index].bases:
            values = self.values(table, scope, chain.removesuffix("()"))
            found += [one for one in values if one.kind == CLASS and one[1:3] != (path, index)]
        if table.language.open_types:
            for other, at in self._other_parts(table, index):
                for chain in other.facts.definitions[at].bases:
                    values = self.values(other, other.parents[at], chain.removesuffix("()"))
                    found += [one for one in values if one.kind == CLASS]
        return [one for one in dict.fromkeys(found) if one[1:3] != (path, index)]

    def _other_parts(self, table: Table, index: int) -> list[tuple[Table, int]]:
        """Where other files, or this one, write more of a type."""
        package = package_of(table.path, table.facts)
        full = self._full_name(table, index)
        self._looked.append(f"package:{package}")
        found: list[tuple[Table, int]] = []
        for path in self._plain_builds(self._project.defining(package, full)):
            other = self.table(path)
            if other is not None:
                parts = self._type_names(other).get(full, ())
                found += [(other, at) for at in parts if (path, at) != (table.path, index)]
        return found

    def _type_names(self, table: Table) -> dict[str, list[int]]:
        found = self._types.get(table.path)
        if found is None:
            found = self._types[table.path] = type_names(table.facts)
        return found

    def _full_name(self, table: Table, index: int) -> str:
        names: list[str] = []
        while index:
            names.append(table.facts.definitions[index].name.replace("::", "."))
            index = table.parents[index]
        return ".".join(reversed(names))

    # Members.

    def member(self, value: Value, name: str, line: int = 0) -> Values:
        """What the member `name` of a value may be."""
        kind = value.kind
        if kind in (INSTANCE, CLASS):
            return self._class_member(value, name)
        if kind == MODULE:
            return self.in_module(value.path, name)
        if kind == EXTERNAL:
            found = self.packaged(f"{value.place}:{value.path}", name) if value.place else ()
            return found or (Value(EXTERNAL, f"{value.path}.{name}"),)
        if kind == BOX:
            return self._inside(value, f".{name}", line)
        if kind == PACKAGE:
            return self._package_member(value, name)
        if kind == FOLDER:
            return self._submodule(value.path, name)
        if kind == FUNCTION and self._is_bare(value):
            return self._bare_member(value, name, line)
        if kind == SUPER:
            line_up = self.mro(value.path, value.index)[1:]
            receiver = Value(INSTANCE, value.path, value.index)
            return self._looked_up(line_up, receiver, name)
        return ()

    def _package_member(self, value: Value, name: str) -> Values:
        """A name of a package, or a package in it; of open types also `Outer::Inner`."""
        found = self.packaged(value.path, name)
        if found or value.path.startswith("go:"):
            return found
        family, _, prefix = value.path.partition(":")
        full = f"{prefix}.{name}"
        for path in self._project.defining(f"{family}:", full):
            table = self.table(path)
            for at in self._type_names(table).get(full, ()) if table is not None else ():
                return (Value(CLASS, path, at),)
        return (Value(PACKAGE, f"{value.path}.{name}"),) if name[:1].islower() else ()

    def _bare_member(self, value: Value, name: str, line: int) -> Values:
        """The member of what a function gives that is called without brackets."""
        if self._depth > _DEPTH_MAX:
            return ()
        self._depth += 1
        try:
            made = self.result(value, None)
            return _union(one for each in made for one in self.member(each, name, line))
        finally:
            self._depth -= 1

    def _is_bare(self, value: Value) -> bool:
        table = self.table(value.path)
        return table is not None and table.language.bare_calls

    def _class_member(self, value: Value, name: str) -> Values:
        path, index = value.path, value.index
        self._looked.append(path)
        return self._once((path, index, f"<{value.kind}>.{name}", 0), self._inherited, value, name)

    def _inherited(self, value: Value, name: str) -> Values:
        return self._looked_up(self.mro(value.path, value.index), value, name)

    def _looked_up(self, line_up: Sequence[tuple[str, int]], value: Value, name: str) -> Values:
        for path, index in line_up:
            table = self.table(path)
            if table is None:
                continue
            found = self._own_member(table, index, value, name)
            if found is not None:
                return found
            if name == table.language.maker:
                return (Value(CLASS, value.path, value.index),)
        return self._outside_member(line_up, name)

    def _outside_member(self, line_up: Sequence[tuple[str, int]], name: str) -> Values:
        """The member of a base outside the project, where there is just one such base."""
        found: set[Value] = set()
        for path, index in line_up:
            table = self.table(path)
            if table is None:
                continue
            for chain in table.facts.definitions[index].bases:
                for one in self.values(table, table.parents[index], chain.removesuffix("()")):
                    if one.kind == EXTERNAL:
                        found.add(one)
        if len(found) == 1:
            return (Value(EXTERNAL, f"{found.pop().path}.{name}"),)
        return ()

    def _own_member(
        self, table: Table, index: int, value: Value, name: str, *, alone: bool = False
    ) -> Values | None:
        """What a class itself, without its bases, says of a member; None where nothing.

        With `alone` the parts of it in other files are not asked.
        """
        key = (index, name)
        defined = table.definitions.get(key)
        if defined:
            return _union(
                one for at in table.apart(defined) for one in self._bound(table, at, value)
            )
        found: list[Value] = []
        known = False
        for binding in table.bindings.get(key, ()):
            known = True
            if binding.value:
                found += self.values(table, index, binding.value)
        if key in table.boxes:
            known = True
            found.append(Value(BOX, table.path, index, name))
        for binding in table.attributes.get(key, ()):
            known = True
            if binding.value and binding.target.endswith("." + name):
                found += self.values(table, binding.scope, binding.value, binding.line)
            elif binding.value:
                root = binding.target.partition(".")[0]
                found.append(Value(BOX, table.path, binding.scope, f"{root}.{name}"))
        if known or key in table.variables:
            return _union(found)
        if table.language.embeds:
            for base in self.bases(table.path, index):
                holder = self.table(base.path)
                if holder is not None and holder.facts.definitions[base.index].name == name:
                    return (Value(INSTANCE, base.path, base.index),)
        outside = self._outside_method(table, index, value, name)
        if outside is None and table.language.open_types and not alone:
            return self._elsewhere(table, index, value, name)
        return outside

    def _elsewhere(self, table: Table, index: int, value: Value, name: str) -> Values | None:
        """What the other parts of an open type say of a member."""
        found: list[Value] = []
        for other, at in self._other_parts(table, index):
            found += self._own_member(other, at, value, name, alone=True) or ()
        if not found:
            package = package_of(table.path, table.facts)
            full = f"{self._full_name(table, index)}.{name}"
            for path in self._plain_builds(self._project.defining(package, full)):
                inner = self.table(path)
                parts = self._type_names(inner).get(full, ()) if inner is not None else ()
                found += [Value(CLASS, path, at) for at in parts]
        if found and all(one.kind == CLASS for one in found):
            return tuple(found[:1])
        return _union(found) if found else None

    def _outside_method(self, table: Table, index: int, value: Value, name: str) -> Values | None:
        """A method written outside its type, in another file of the package."""
        package = package_of(table.path, table.facts)
        if not package or table.kinds[index] not in CLASS_KINDS:
            return None
        full = f"{table.facts.definitions[index].name}.{name}"
        self._looked.append(f"package:{package}")
        found: list[Value] = []
        for path in self._plain_builds(self._project.defining(package, full)):
            other = self.table(path)
            if other is None:
                continue
            for at in other.outside.get(name, ()):
                one = other.facts.definitions[at]
                if one.bases[:1] != [table.facts.definitions[index].name]:
                    continue
                if table.language.package != "linked" or any(
                    owner[1:3] == (table.path, index) for owner in self._owners(other, at)
                ):
                    found.append(Value(FUNCTION, path, at, "", value[:3]))
        return _union(found) if found else None

    def _bound(self, table: Table, index: int, value: Value) -> Values:
        """A member that is a definition, taken from `value`."""
        if table.kinds[index] not in FUNCTION_KINDS:
            return self.definition(table, index)
        one = table.facts.definitions[index]
        if one.decorators and value.kind == INSTANCE and is_property(table, index):
            return self.returned(Value(FUNCTION, table.path, index, "", value[:3]), [])
        receiver = value[:3] if value.kind == INSTANCE or "classmethod" in one.decorators else None
        values = self.definition(table, index)
        return tuple(
            each._replace(receiver=receiver) if each.kind == FUNCTION else each for each in values
        )

    # Elements and results.

    def element(self, value: Value, link: str, line: int = 0) -> Values:
        """What the element `link` (`[0]`, `['key']`, `[]`) of a value may be."""
        kind = value.kind
        if kind == BOX:
            return self._inside(value, link, line)
        if kind == GENERATOR:
            return self._yielded(value)
        if kind == CLASS:
            return (value,)
        if kind == INSTANCE:
            if link == "[]":
                steps = self.member(value, "__iter__")
                made = [one for step in steps for one in self.result(step, None)]
                found: list[Value] = []
                for each in made:
                    if each.kind == GENERATOR:
                        found += self._yielded(each)
                for each in made:
                    if each.kind == INSTANCE:
                        for step in self.member(each, "__next__"):
                            found += self.result(step, None)
                if found:
                    return _union(found)
            return _union(
                one for step in self.member(value, "__getitem__") for one in self.result(step, None)
            )
        return ()

    def _yielded(self, value: Value) -> Values:
        table = self.table(value.path)
        if table is None:
            return ()
        found: list[Value] = []
        for binding in table.bindings.get((value.index, YIELD), ()):
            if binding.value:
                found += self.values(table, value.index, binding.value, binding.line)
        return _union(found)

    def _inside(self, box: Value, link: str, line: int) -> Values:
        """What lies in a container at a place; of an unknown place all that lies in it."""
        table = self.table(box.path)
        if table is None:
            return ()
        links = table.boxes.get((box.index, box.place), [])
        if link == "[]":
            wanted = [one for one in links if one[0] == "["]
        elif link[0] == "[":
            wanted = [one for one in (link, "[]") if one in links]
        else:
            wanted = [link] if link in links else []
        found: list[Value] = []
        at_home = line if box.path == self.home or not self.home else 0
        for one in wanted:
            place = box.place + one
            bound = table.bindings.get((box.index, place), ())
            if box.place == RETURN and any(one.firm for one in bound):
                bound = [one for one in bound if one.firm]  # a declared type says it all
            for binding in _reaching(bound, at_home):
                if binding.value:
                    found += self.values(table, box.index, binding.value, binding.line)
            if (box.index, place) in table.boxes:
                found.append(Value(BOX, box.path, box.index, place))
        return _union(found)

    def result(self, value: Value, call: tuple[Table, int, str, int] | None) -> Values:
        """What calling a value gives; `call` says where, so that its arguments can be looked up."""
        kind = value.kind
        if kind == CLASS:
            return (Value(INSTANCE, value.path, value.index),)
        if kind == FUNCTION:
            return self.returned(value, self._given(call))
        if kind == INSTANCE:
            if self._is_bare(value):
                return (value,)
            steps = self.member(value, "__call__")
            return _union(one for step in steps for one in self.result(step, None))
        if kind == EXTERNAL:
            return (value,)
        if kind == BOX:
            return self._inside(value, "()", 0)
        if kind == MODULE:
            return _union(
                one
                for each in self.in_module(value.path, "default")
                for one in self.result(each, None)
            )
        return ()

    def _given(self, call: tuple[Table, int, str, int] | None) -> list[tuple[str, Values]]:
        if call is None:
            return []
        table, scope, target, line = call
        written = table.calls.get((scope, line, target))
        if written is None:
            return []
        return [(key, self.values(table, scope, chain, line)) for key, chain in written.arguments]

    def returned(self, function: Value, given: Sequence[tuple[str, Values]]) -> Values:
        """What a function returns, with its parameters worth what is `given`."""
        table = self.table(function.path)
        if table is None:
            return ()
        if given and self._returns_parameter(table, function.index):
            if self._depth > _DEPTH_MAX:
                return ()
            self._depth += 1
            try:
                return self._all_returns(table, function, given)
            finally:
                self._depth -= 1
        key = (function.path, function.index, f"<returned>{function.receiver}", 0)
        return self._once(key, self._all_returns, table, function, ())

    def _returns_parameter(self, table: Table, index: int) -> bool:
        params = table.facts.definitions[index].params
        bound = table.bindings.get((index, RETURN), ())
        return any(root_of(binding.value)[0] in params for binding in bound)

    def _all_returns(
        self, table: Table, function: Value, given: Sequence[tuple[str, Values]]
    ) -> Values:
        index = function.index
        if (index, YIELD) in table.bindings:
            return (Value(GENERATOR, function.path, index),)
        found: list[Value] = []
        bound = table.bindings.get((index, RETURN), ())
        for declared in (True, False):  # a declared type says it all
            for binding in bound:
                if binding.value and binding.firm is declared and not (declared and found):
                    found += self._one_return(table, function, binding, given)
            if found:
                break
        if (index, RETURN) in table.boxes:
            found.append(Value(BOX, function.path, index, RETURN))
        return _union(found)

    def _one_return(
        self,
        table: Table,
        function: Value,
        binding: Binding,
        given: Sequence[tuple[str, Values]],
    ) -> Values:
        index = function.index
        root, links = root_of(binding.value)
        params = table.facts.definitions[index].params
        start: Values | None = None
        if function.receiver and (
            root in _SELF_TYPES
            or root in table.language.class_names
            or table.is_self(index, root)
            or root in table.language.self_names
        ):
            start = (Value(*function.receiver),)
            if root in _SELF_TYPES or root in table.language.class_names:
                links = links[1:]
        elif root in params and (index, root) not in table.bindings:
            start = _argument(params, root, given, bound=function.receiver is not None)
        if start is None:
            return self.values(table, index, binding.value, binding.line)
        for link in links:
            start = _union(one for value in start for one in self._linked(value, link))
        return start

    def _linked(self, value: Value, link: str) -> Values:
        if link == "()":
            return self.result(value, None)
        return self.member(value, link[1:]) if link[0] == "." else self.element(value, link)


_SELF_TYPES = frozenset({"Self"})


def is_outside(value: Value) -> bool:
    """Whether all members of a value are known to be outside the project."""
    return value[0] == EXTERNAL and not value.place and value.path != _SUPER


def is_property(table: Table, index: int) -> bool:
    """Whether a method runs where it is read."""
    names = table.language.properties
    return any(
        chain in names or chain.rpartition(".")[2] in names
        for chain in table.facts.definitions[index].decorators
    )


def _argument(
    params: Sequence[str], name: str, given: Sequence[tuple[str, Values]], *, bound: bool
) -> Values | None:
    position = str(params.index(name) - bound)
    for key, values in given:
        if key in (position, name):
            return values
    return None


def _settled(lines: Sequence[int], line: int) -> int:
    """The first line at which a name is worth the same as at `line`; 0 before all bindings."""
    return max((one + 1 for one in lines if one < line), default=0)


def _reaching(bound: Sequence[Binding], line: int) -> Sequence[Binding]:
    """The bindings that a read at `line` of the same scope may see; all where there is no line."""
    if not line or len(bound) < 2:
        return bound
    before = [one for one in bound if one.line < line]
    for at in range(len(before) - 1, -1, -1):
        if before[at].firm:
            kept = before[at:]
            first = kept[0].line
            return [one for one in before[:at] if one.line == first and one.firm] + kept
    return bound


def _union(values: Iterable[Value]) -> Values:
    """The different ones of `values`; none where they are too many to mean anything."""
    found = tuple(values)
    if len(found) < 2:
        return found
    found = tuple(dict.fromkeys(found))
    return found if len(found) <= UNION_MAX else ()


def _merged(lines: list[list[tuple[str, int]]]) -> list[tuple[str, int]]:
    """The C3 merge of several lines of classes; what cannot be ordered is taken as it comes."""
    order = [line[0] for line in lines if line]
    lines = [line for line in [*lines, order] if line]
    found: list[tuple[str, int]] = []
    while lines:
        for line in lines:
            head = line[0]
            if not any(head in other[1:] for other in lines):
                break
        else:
            head = lines[0][0]
        found.append(head)
        lines = [rest for line in lines if (rest := [one for one in line if one != head])]
    return found


def _external(module: str, item: str) -> str:
    return f"{module}.{item}" if item and item != "*" else module


def _stem(path: str) -> str:
    name = path.rpartition("/")[2].partition(".")[0]
    return path.split("/")[-2] if name == "mod" and "/" in path else name


__all__ = ["CLASS", "INSTANCE", "VARIABLE", "Evaluator", "Value", "Values"]

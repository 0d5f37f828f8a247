"""What a bare name means in a scope."""

from __future__ import annotations

from collections.abc import Sequence

from loremap.code.facts import THIS, THIS_FILE, Binding
from loremap.code.resolution.chain_parts import parts_of
from loremap.code.resolution.classes import Classes
from loremap.code.resolution.declarations import Declarations, is_generic
from loremap.code.resolution.modules import Modules
from loremap.code.resolution.packages import Packages
from loremap.code.resolution.questions import Questions
from loremap.code.resolution.table_cache import TableCache
from loremap.code.resolution.tables import CLASS, CLASS_KINDS, FUNCTION_KINDS, INSTANCE, Table
from loremap.code.resolution.values import (
    BOX,
    BUILTIN,
    EXTERNAL,
    FUNCTION,
    MODULE,
    PACKAGE,
    SUPER,
    Value,
    Values,
    reaching,
    union,
)


class Names:
    """Looks a name up: in its scope, in those around, in what the file imports and sees."""

    def __init__(
        self,
        ask: Questions,
        tables: TableCache,
        declared: Declarations,
        classes: Classes,
        packages: Packages,
        modules: Modules,
    ) -> None:
        self._ask = ask
        self._tables = tables
        self._memo = tables.memo
        self._project = tables.project
        self._declared = declared
        self._classes = classes
        self._packages = packages
        self._modules = modules

    def name(self, table: Table, scope: int, name: str, line: int = 0) -> Values:
        """What a bare name means in a scope."""
        if name.startswith("<fn"):
            index = int(name[3:-1])
            return self._classes.definition(table, index) if 0 < index < len(table.kinds) else ()
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
            seen = language.class_scope_is_seen or table.sees_members(at, scope)
            if seen and not self._names_itself(table, at, name):
                found = self.local(table, at, name, line if at == scope else 0)
                if found is not None:
                    return self._plain(found) if language.arities else found
            if language.implicit_self:
                members = self._implicit(table, at, name)
                if members or self._is_value(table, at, name):
                    return members
            if at == 0:
                break
            at = table.parents[at]
        if language.capitals_are_shared and name[:1].islower() and table.class_around(scope):
            return ()  # functions outside all types are seen there alone
        return self._beyond(table, name)

    def _around(self, table: Table, scope: int, kind: str) -> Values:
        """The object, or class, that the method around `scope` belongs to."""
        holder = table.class_around(scope)
        if holder:
            return (Value(kind, table.path, holder),)
        while scope and not (table.parents[scope] == 0 and table.kinds[scope] == "method"):
            scope = table.parents[scope]
        owners = self._classes.owners(table, scope)
        return tuple(Value(kind, one.path, one.index) for one in owners)

    def _class_name(self, value: Value) -> str:
        table = self._tables.table(value.path)
        return table.facts.definitions[value.index].name if table is not None else ""

    def _implicit(self, table: Table, at: int, name: str) -> Values:
        """The member of the type at or around the scope `at` that a bare name may mean."""
        if table.kinds[at] in CLASS_KINDS:
            owners: Values = (Value(CLASS, table.path, at),)
        elif at and table.parents[at] == 0 and table.kinds[at] == "method":
            owners = self._classes.owners(table, at)
        elif table.language.receivers and at:
            owners = self._passed(table, at, THIS) or ()
        else:
            return ()
        if "=" in table.language.constructors:  # a class's own name is not its constructor
            named = tuple(one for one in owners if self._class_name(one) == name)
            if named and not (table.language.arities and is_generic(table, at)):
                return named
        made = [one._replace(kind=INSTANCE) for one in owners]
        found = union(one for each in made for one in self._ask.member(each, name, 0))
        return tuple(one for one in found if one.kind != EXTERNAL and not self._makes(one, name))

    def _is_value(self, table: Table, at: int, name: str) -> bool:
        """Whether a type itself declares a value of that name, which hides all outside it."""
        return (at, name) in table.variables and table.kinds[at] in CLASS_KINDS

    def _names_itself(self, table: Table, at: int, name: str) -> bool:
        """Whether a name in a type is its own, which there means no constructor but the type."""
        if "=" not in table.language.constructors or table.kinds[at] not in CLASS_KINDS:
            return False
        return table.facts.definitions[at].name == name

    def _plain(self, found: Values) -> Values:
        """The types of a file that a name means without parameters."""
        return tuple(
            self._declared.with_types(one, given=False) if one.kind == CLASS else one
            for one in found
        )

    def _makes(self, value: Value, name: str) -> bool:
        """Whether a value is the constructor of a class above: its name means that class."""
        table = self._tables.table(value.path) if value.kind == FUNCTION else None
        if table is None or "=" not in table.language.constructors:
            return False
        return table.facts.definitions[table.parents[value.index]].name == name

    def local(self, table: Table, scope: int, name: str, line: int) -> Values | None:
        """What a name means in one scope; None where that scope does not know it."""
        key = (scope, name)
        defined = table.definitions.get(key)
        bound = table.bindings.get(key)
        brought = table.imports.get(key)
        if scope and table.kinds[scope] in FUNCTION_KINDS:
            parameter = self._parameter(table, scope, name, bound, line)
            if parameter is not None:
                return parameter
            implied = table.language.implicit_parameters
            if name in implied and not table.facts.definitions[scope].params and not bound:
                return self._passed(table, scope, name)
        inside = key in table.boxes
        if not (defined or bound or brought or inside or key in table.variables):
            return None
        found: list[Value] = []
        for index in table.apart(defined or ()):
            found += self._classes.definition(table, index)
        for one in brought or ():
            found += self._modules.imported(table, one)
        if inside:
            found.append(Value(BOX, table.path, scope, name))
        for binding in reaching(bound or (), line):
            if binding.value:
                found += self._ask.values(table, scope, binding.value, binding.line)
        if not found and scope and bound and table.language.named_after_types:
            unknown = all(one.value for one in bound) and name[:1].islower()
            return self._named_after(table, scope, name) if unknown else ()
        return union(found)

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
        for binding in reaching(bound or (), line):
            if binding.value:
                own = binding.firm and parts_of(binding.value).root == name
                again = own and bound is not None and binding is not bound[0]
                if again:  # `let area = area.inner()`
                    values = self._ask.values(table, scope, binding.value, binding.line)
                else:  # `cache cache.Store`: its type's name
                    seen = table.parents[scope] if own else scope
                    values = self._ask.values(table, seen, binding.value, 0)
                found += values
                declared |= bool(values) and binding.firm
        if (scope, name) in table.boxes:
            found.append(Value(BOX, table.path, scope, name))
        if not declared:
            self._memo.asked += 1
            if table.path == self._memo.home:
                found += self._memo.flows.get((scope, name), ())
        if not found and not starred and table.language.named_after_types:
            return self._named_after(table, scope, name)
        return union(found)

    def _named_after(self, table: Table, scope: int, name: str) -> Values:
        """An object of the type that a parameter is named after, where its scope sees one."""
        named = "".join(word.capitalize() for word in name.split("_"))
        types = self._ask.values(table, table.parents[scope], named)
        return tuple(one._replace(kind=INSTANCE) for one in types if one.kind == CLASS)

    def _passed(self, table: Table, scope: int, name: str) -> Values | None:
        """What calls pass to a parameter that is not declared; None where it is no such."""
        if not table.facts.definitions[scope].name.startswith("<fn"):
            return None
        self._memo.asked += 1
        if table.path != self._memo.home:
            return ()
        return union(self._memo.flows.get((scope, name), ()))

    def _self(self, table: Table, scope: int, owner: int) -> Values:
        kind = table.self_kind(scope)
        return (Value(kind, table.path, owner),) if kind else ()

    def in_file(self, table: Table, name: str) -> Values:
        """The functions and types that a file sees under a name, without those of its types."""
        found = self.local(table, 0, name, 0) or self._beyond(table, name)
        return tuple(one for one in found if one.kind in (FUNCTION, CLASS))

    def _beyond(self, table: Table, name: str) -> Values:
        """What a name means that no scope of its file knows."""
        if table.language.imports == "include":
            return self._packages.included(table, name)
        for star in self._declared.stars(table):
            found = self._modules.from_star(table, star, name, 0)
            if found:
                return found
        if table.language.imports == "rust":
            path = self._project.paths.target(table.path, "rust", name)
            return (Value(MODULE, path),) if path else self._declared.macro(name)
        for package in self._declared.packages_seen(table):
            found = self._packages.packaged(package, name)
            if found:
                return found
        if name in table.language.builtins:
            return (Value(EXTERNAL, f"{BUILTIN}.{name}"),)
        if "\\" in table.language.separators and name[:1].isalpha():
            around = [table.package, f"{table.language.name}:"]
            keys = dict.fromkeys(f"{one.rstrip(':')}{_joint(one)}{name}" for one in around)
            return tuple(Value(PACKAGE, key) for key in keys)
        outer = table.language.package == "declared" and name[:1].islower()
        if outer or (table.language.capitals_are_shared and name[:1].isupper()):
            return (Value(PACKAGE, f"{table.language.family or table.language.name}:{name}"),)
        return ()


def _joint(package: str) -> str:
    """What stands between the key of a package and a name in it."""
    return ":" if package.endswith(":") else "."

"""What a definition gives its name, and what a class inherits."""

from __future__ import annotations

from loremap.code.facts import DECLARED, HIDDEN
from loremap.code.resolution.declarations import Declarations
from loremap.code.resolution.questions import Questions
from loremap.code.resolution.results import Results
from loremap.code.resolution.table_cache import TableCache
from loremap.code.resolution.tables import CLASS_KINDS, FUNCTION_KINDS, Table
from loremap.code.resolution.values import CLASS, FUNCTION, Value, Values, union

_MRO_MAX = 40
_DEPTH_MAX = 100
"""How far up bases are followed to know the line of a class."""


class Classes:
    """Values of definitions, and the classes above a class."""

    def __init__(
        self, ask: Questions, tables: TableCache, declared: Declarations, results: Results
    ) -> None:
        self._ask = ask
        self._tables = tables
        self._memo = tables.memo
        self._project = tables.project
        self._declared = declared
        self._results = results
        self._depth = 0
        self._mro: dict[tuple[str, int], tuple[tuple[tuple[str, int], ...], tuple[str, ...]]] = {}

    def forget(self) -> None:
        """Drops what was learned of classes."""
        self._mro.clear()

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
        package = table.package
        self._memo.looked.append(f"package:{package}")
        found: list[Value] = []
        full = f"{holder}.{one.name}" if holder else one.name
        key = (0, one.name)
        for path in self._declared.plain_builds(self._project.defining(package, full)):
            other = self._tables.table(path)
            if other is None:
                continue
            near = other.outside.get(one.name, []) if holder else other.definitions.get(key, [])
            for at in near:
                other_one = other.facts.definitions[at]
                hidden = other_one.scope == HIDDEN and path != table.path
                of_holder = not holder or other_one.bases[:1] == [holder]
                if other_one.scope != DECLARED and not hidden and of_holder:
                    found.append(Value(FUNCTION, path, at))
        return union(found) if len({value.path for value in found}) == 1 else ()

    def _decorated(self, table: Table, index: int, own: Value) -> Values:
        """A function and what the decorators of the project put around it."""
        key = (table.path, index, "<decorated>", 0)
        return self._memo.once(key, self._wrapped, table, index, own) or (own,)

    def _wrapped(self, table: Table, index: int, own: Value) -> Values:
        current: Values = (own,)
        scope = table.parents[index]
        one = table.facts.definitions[index]
        for chain in reversed(one.decorators):
            made: list[Value] = []
            for value in self._ask.values(table, scope, chain, one.start_line):
                if value.kind == FUNCTION:
                    given = [("0", current)]
                    made += [
                        got for got in self._results.returned(value, given) if got.kind == FUNCTION
                    ]
            current = union(made) or current
        return union((own, *current))

    def owners(self, table: Table, index: int) -> Values:
        """The type in another file that a method belongs to which is written outside it."""
        bases = table.facts.definitions[index].bases
        if not index or not bases:
            return ()
        found = self._ask.values(table, 0, bases[0])
        return tuple(one for one in found if one.kind == CLASS)[:1]

    def mro(self, path: str, index: int) -> tuple[tuple[str, int], ...]:
        """A class and those it inherits, in the order members are looked for."""
        key = (path, index)
        known = self._mro.get(key)
        if known is not None:
            self._memo.looked += known[1]
            return known[0]
        if self._depth > _DEPTH_MAX:
            return (key,)
        self._mro[key] = ((key,), ())  # what inherits itself adds nothing
        mark = len(self._memo.looked)
        self._depth += 1
        try:
            bases = self.bases(path, index)[:_MRO_MAX]
            lines = [list(self.mro(one.path, one.index)) for one in bases]
        except BaseException:
            del self._mro[key]
            raise
        finally:
            self._depth -= 1
        found = (key, *_merged(lines, at_most=_MRO_MAX - 1))
        self._mro[key] = (found, self._memo.looked_since(mark, path))
        return found

    def bases(self, path: str, index: int) -> list[Value]:
        """The classes of the project that a class names as its bases."""
        table = self._tables.table(path)
        if table is None:
            return []
        scope = table.parents[index]
        found: list[Value] = []
        for chain in table.facts.definitions[index].bases:
            values = self._ask.values(table, scope, chain.removesuffix("()"))
            found += [one for one in values if one.kind == CLASS and one[1:3] != (path, index)]
        if table.language.open_types:
            for other, at in self._declared.other_parts(table, index):
                for chain in other.facts.definitions[at].bases:
                    values = self._ask.values(other, other.parents[at], chain.removesuffix("()"))
                    found += [one for one in values if one.kind == CLASS]
        return [one for one in dict.fromkeys(found) if one[1:3] != (path, index)]


def _merged(lines: list[list[tuple[str, int]]], *, at_most: int) -> list[tuple[str, int]]:
    """The C3 merge of several lines of classes; what cannot be ordered is taken as it comes."""
    order = [line[0] for line in lines if line]
    lines = [line for line in [*lines, order] if line]
    found: list[tuple[str, int]] = []
    while lines and len(found) < at_most:
        for line in lines:
            head = line[0]
            if not any(head in other[1:] for other in lines):
                break
        else:
            head = lines[0][0]
        found.append(head)
        lines = [rest for line in lines if (rest := [one for one in line if one != head])]
    return found

"""What the chains of one file mean, the meaning of each root looked up once per scope."""

from __future__ import annotations

from loremap.code.resolution.chain_parts import parts_of
from loremap.code.resolution.evaluate import Evaluator
from loremap.code.resolution.tables import Table
from loremap.code.resolution.values import EXTERNAL, Value, Values, is_outside


class Roots:
    """The roots of one file's chains, as far as they were looked up."""

    def __init__(self, evaluator: Evaluator, table: Table) -> None:
        self._evaluator = evaluator
        self._table = table
        self._starts: dict[tuple[int, str], tuple[int, Values]] = {}
        self._known: dict[tuple[int, str], Values] = {}

    def forget(self) -> None:
        """Drops what was looked up, because calls pass on more than was known."""
        self._starts.clear()
        self._known.clear()

    def values(self, scope: int, chain: str, line: int) -> Values:
        """What a chain means; looked up once where the line does not matter."""
        known = self._known.get((scope, chain))
        if known is not None:
            return known
        _, link, root, indexed, members = parts_of(chain)
        start = self._starts.get((scope, root))
        if start is None:
            start = self._starts[scope, root] = self._start(scope, root)
        owner, values = start
        if owner < 0 or indexed or (link and members is None):
            return self._evaluator.values(self._table, scope, chain, line)
        if members is not None and (values or self._table.language.extension_functions):
            if self._table.language.extension_functions:
                values = self._evaluator.seen(self._table, owner, chain, 0)
            elif len(values) == 1 and is_outside(values[0]):
                values = (Value(EXTERNAL, values[0].path + members),)
            else:
                values = self._evaluator.seen(self._table, owner, chain, 0)
        self._known[scope, chain] = values
        return values

    def _start(self, scope: int, root: str) -> tuple[int, Values]:
        """The scope that stands for `scope`, and what a name is worth; -1 where lines matter."""
        table = self._table
        if (scope, root) in table.several or (scope, root) in table.shadows:
            return -1, ()
        owner = table.owner(scope, root) if scope else 0
        return owner, self._evaluator.seen(table, owner, root, 0)

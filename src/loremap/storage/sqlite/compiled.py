"""How SQLite says what `storage.sql` and the tables mean.

A file has one tenant, so that no key, index or reference in it needs to name the tenant: they are
left out here, and a look-up by id alone uses them. Numbered columns are the table's own row number.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ForeignKeyConstraint, PrimaryKeyConstraint, UniqueConstraint
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateColumn, CreateIndex

from loremap.storage.sql import contains, is_listed, next_number, this_tenant
from loremap.storage.tables import TENANT


@compiles(this_tenant, "sqlite")
def _this_tenant(element: Any, compiler: Any, **_: Any) -> str:
    return "'local'"


@compiles(next_number, "sqlite")
def _next_number(element: Any, compiler: Any, **_: Any) -> str:
    return "NULL"  # SQLite gives a row the next number by itself


@compiles(contains, "sqlite")
def _contains(element: Any, compiler: Any, **rest: Any) -> str:
    return f"(instr({compiler.process(element.clauses, **rest)}) > 0)"


@compiles(is_listed, "sqlite")
def _is_listed(element: Any, compiler: Any, **rest: Any) -> str:
    column, listed = (compiler.process(clause, **rest) for clause in element.clauses)
    return f"({column} IN (SELECT value FROM json_each({listed})))"


@compiles(CreateColumn, "sqlite")
def _column(element: Any, compiler: Any, **rest: Any) -> str:
    if _is_numbered(element.element):
        return f'"{element.element.name}" INTEGER PRIMARY KEY AUTOINCREMENT'
    said: str = compiler.visit_create_column(element, **rest)
    return said


@compiles(PrimaryKeyConstraint, "sqlite")
def _primary_key(constraint: Any, compiler: Any, **_: Any) -> str | None:
    names = _names(constraint.columns)
    numbered = any(_is_numbered(column) for column in constraint.table.c)
    return _said("UNIQUE" if numbered else "PRIMARY KEY", names)


@compiles(UniqueConstraint, "sqlite")
def _unique(constraint: Any, compiler: Any, **_: Any) -> str | None:
    return _said("UNIQUE", _names(constraint.columns))


@compiles(ForeignKeyConstraint, "sqlite")
def _foreign_key(constraint: Any, compiler: Any, **_: Any) -> str:
    pairs = [(each.parent, each.column) for each in constraint.elements]
    own, other = zip(*((one, two) for one, two in pairs if one.name != TENANT), strict=True)
    deleted = f" ON DELETE {constraint.ondelete}" if constraint.ondelete else ""
    named, there = (_listing([column.name for column in each]) for each in (own, other))
    return f'FOREIGN KEY ({named}) REFERENCES "{other[0].table.name}" ({there}){deleted}'


@compiles(CreateIndex, "sqlite")
def _index(element: Any, compiler: Any, **_: Any) -> str:
    index = element.element
    parts = [
        compiler.sql_compiler.process(part, include_table=False, literal_binds=True)
        for part in index.expressions
        if index.unique or getattr(part, "name", "") != TENANT
    ]
    condition = f" WHERE {index.info['where']}" if "where" in index.info else ""
    kind = "UNIQUE INDEX" if index.unique else "INDEX"
    return f'CREATE {kind} "{index.name}" ON "{index.table.name}" ({", ".join(parts)}){condition}'


def _names(columns: Any) -> list[str]:
    return [column.name for column in columns if column.name != TENANT and not _is_numbered(column)]


def _is_numbered(column: Column[Any]) -> bool:
    return bool(column.info.get("numbered"))


def _said(kind: str, names: list[str]) -> str | None:
    return f"{kind} ({_listing(names)})" if names else None


def _listing(names: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)

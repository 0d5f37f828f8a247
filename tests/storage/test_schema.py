"""Every row, key, index and reference of the schema belongs to a tenant, whatever the database."""

from __future__ import annotations

import pytest
from sqlalchemy import ForeignKeyConstraint, Table, UniqueConstraint

from loremap.storage import tables

TENANT = "tenant_id"


OWNED = [table for table in tables.metadata.sorted_tables if table is not tables.migrations]
"""All tables but the one that tells what the schema went through."""


@pytest.mark.parametrize("table", OWNED, ids=str)
def test_the_tenant_comes_first_in_every_key(table: Table) -> None:
    firsts = {"primary key": next(iter(table.primary_key.columns)).name}
    for rule in table.constraints:
        if isinstance(rule, UniqueConstraint | ForeignKeyConstraint):
            firsts[str(rule)] = rule.columns[0].name
    for index in table.indexes:
        firsts[str(index.name)] = getattr(index.expressions[0], "name", "")
    assert set(firsts.values()) == {TENANT}, firsts
    for key in table.foreign_key_constraints:
        assert key.elements[0].column.name == TENANT


@pytest.mark.parametrize("table", OWNED, ids=str)
def test_no_number_is_narrower_than_64_bits_and_none_comes_from_a_sequence(table: Table) -> None:
    for column in table.columns:
        assert type(column.type).__name__ != "Integer", column
        assert column.autoincrement in (False, "auto"), column

"""How PostgreSQL says what `storage.sql` and the tables mean."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sqlalchemy import BigInteger
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateIndex

from loremap.storage.sql import Vector, contains, is_listed, next_number, this_tenant

SETTING = "app.tenant"
THIS_TENANT = f"nullif(current_setting('{SETTING}', true), '')"
"""NULL where no tenant is set, which no row has: nothing is seen then, and nothing written."""


@compiles(this_tenant, "postgresql")
def _this_tenant(element: Any, compiler: Any, **_: Any) -> str:
    return THIS_TENANT


@compiles(next_number, "postgresql")
def _next_number(element: Any, compiler: Any, **_: Any) -> str:
    column = f'"{element.column}"'
    highest = " UNION ALL ".join(f"SELECT max({column}) FROM {table}" for table in element.tables)
    return f"(SELECT coalesce(max(highest), 0) + 1 FROM ({highest}) AS known(highest))"


@compiles(contains, "postgresql")
def _contains(element: Any, compiler: Any, **rest: Any) -> str:
    return f"(strpos({compiler.process(element.clauses, **rest)}) > 0)"


@compiles(is_listed, "postgresql")
def _is_listed(element: Any, compiler: Any, **rest: Any) -> str:
    column, listed = element.clauses
    type_ = "BIGINT" if isinstance(column.type, BigInteger) else "TEXT"
    said, given = compiler.process(column, **rest), compiler.process(listed, **rest)
    every = f"jsonb_array_elements_text(CAST({given} AS JSONB))"
    return f"({said} IN (SELECT CAST(value AS {type_}) FROM {every}))"


@compiles(CreateIndex, "postgresql")
def _index(element: Any, compiler: Any, **rest: Any) -> str:
    said: str = compiler.visit_create_index(element, **rest)
    info = element.element.info
    return f"{said} WHERE {info['where']}" if "where" in info else said


class PgVector(Vector):
    """Floats of 32 bits as pgvector has them; each comes back as the very same."""

    def bind_processor(self, dialect: Any) -> Any:
        """As pgvector reads them."""
        return lambda stored: str(np.frombuffer(stored, np.float32).tolist())

    def result_processor(self, dialect: Any, coltype: Any) -> Any:
        """From what pgvector writes."""
        return lambda said: np.asarray(json.loads(said), np.float32).tobytes()


@compiles(Vector, "postgresql")
def _vector(type_: Any, compiler: Any, **_: Any) -> str:
    return "vector"


def from_vector(sent: bytes) -> bytes:
    """What `vector_send` gives, as floats of 32 bits: behind four bytes of head, the other way
    round."""
    return np.frombuffer(sent, ">f4", offset=4).astype("<f4").tobytes()

"""What is said in SQL here and means the same in both databases; each dialect says how."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, LargeBinary, Text
from sqlalchemy.sql import expression


class Vector(LargeBinary):
    """Floats of 32 bits, side by side."""


class this_tenant(expression.FunctionElement[str]):  # noqa: N801 - read as a function of SQL
    """The tenant whose rows this connection sees, as the default of a column."""

    type = Text()
    inherit_cache = True


class next_number(expression.FunctionElement[int]):  # noqa: N801 - read as a function of SQL
    """The number after the highest of a column, in tables of this tenant."""

    type = BigInteger()
    inherit_cache = False

    def __init__(self, column: str, *tables: str) -> None:
        self.column, self.tables = column, tables
        super().__init__()


class contains(expression.FunctionElement[bool]):  # noqa: N801 - read as a function of SQL
    """Whether a text holds another, letter for letter: `contains(text, part)`."""

    type = Boolean()
    inherit_cache = True


class is_listed(expression.FunctionElement[bool]):  # noqa: N801 - read as a function of SQL
    """Whether a column is in a list that is given as JSON, one statement whatever its length:
    `is_listed(column, list)`."""

    type = Boolean()
    inherit_cache = True

"""What is said in SQL here and means the same in both databases; each dialect says how."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Text
from sqlalchemy.sql import expression


class this_tenant(expression.FunctionElement[str]):  # noqa: N801 - read as a function of SQL
    """The tenant whose rows this connection sees, as the default of a column."""

    type = Text()
    inherit_cache = True


class next_number(expression.FunctionElement[int]):  # noqa: N801 - read as a function of SQL
    """The number after the highest of a column, in a table of this tenant."""

    type = BigInteger()
    inherit_cache = False

    def __init__(self, table: str, column: str) -> None:
        self.table, self.column = table, column
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

"""What kinds of nodes do in an expression, as plain names.

Reading a member of an enumeration from its class costs more than most of what is then done.
"""

from __future__ import annotations

from typing import Final

from loremap.code.grammars.language import Op

CALL: Final = Op.CALL
CAST: Final = Op.CAST
EACH: Final = Op.EACH
EITHER: Final = Op.EITHER
ELEMENT: Final = Op.ELEMENT
FUNCTION: Final = Op.FUNCTION
INNER: Final = Op.INNER
KEYWORD: Final = Op.KEYWORD
LIST: Final = Op.LIST
LITERAL: Final = Op.LITERAL
MACRO: Final = Op.MACRO
MEMBER: Final = Op.MEMBER
METHOD: Final = Op.METHOD
NAME: Final = Op.NAME
OBJECT: Final = Op.OBJECT
OR: Final = Op.OR
OWN: Final = Op.OWN
PAIR: Final = Op.PAIR
RECORD: Final = Op.RECORD
SHORT: Final = Op.SHORT
SPREAD: Final = Op.SPREAD
TUPLE: Final = Op.TUPLE
TYPED: Final = Op.TYPED

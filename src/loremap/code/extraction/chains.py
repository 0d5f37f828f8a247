"""Says an expression of any language as a chain of `facts`, by the table of its node types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from tree_sitter import Node

from loremap.code.extraction.ops import (
    CALL,
    CAST,
    ELEMENT,
    FUNCTION,
    INNER,
    LITERAL,
    MACRO,
    MEMBER,
    METHOD,
    NAME,
    OWN,
    TUPLE,
    TYPED,
)
from loremap.code.extraction.typewords import values_of_type
from loremap.code.grammars.language import Shape
from loremap.code.languages import LANGUAGES, Tools

_LINKS_MAX = 24
"""Longer chains are left out; code made by programs has chains of thousands of links."""
_PLAIN_MAX = 160
_PIECES_MAX = 50_000
"""After how many pieces of source what was read of them is forgotten."""
_NO_NAME = frozenset(b"\"'0123456789[{(-+!~`\n")
_KEY_MAX = 70
_OTHER = Shape(NAME)
_LITERAL = re.compile(r"""[a-zA-Z]*(["'`]{1,3})([\w .:/@*-]{0,60})\1|(\d{1,9})""")
_ENDS = frozenset({NAME, FUNCTION, OWN})
_WHOLES = frozenset({TYPED, CAST, CALL, MACRO})
_MODULE = re.compile(r"[\w@./~:#$+-]{1,200}")
_GIVEN_FIRST = re.compile(rb"\(\s*(?:&\s*)?(?:mut\s+)?([^\W\d][\w.]*)\s*[,)]")
_INSIDE = re.compile(rb"\([^()]*\)")

Values = list[tuple[str, str]]
"""What an expression is worth: where in it (`[0]`, `[key]`, `.key` or nothing), and a chain."""


def function_mark(start: int) -> str:
    """How a chain says the function whose node starts at a byte, until its index is known."""
    return f"<fn@{start}>"


@cache
def _of_language(name: str) -> tuple[list[tuple[bytes, bytes]], list[str], bool]:
    """The sigils of a language and what they mean, its joints besides the dot, and whether all
    calls in it are said by their names."""
    language = LANGUAGES[name]
    sigils = [(sigil.encode(), meant.encode()) for sigil, meant in language.sigils.items()]
    joints = [one for one in language.separators if one != "."]
    special = (language.requires, language.makers, language.transparent)
    methods = any(shape.op is METHOD for shape in language.expressions.values())
    return sigils, joints, not any(special) and not methods


class Chains:
    """Reads the expressions of one file."""

    __slots__ = (
        "_joints",
        "_known",
        "_matches",
        "_own",
        "_sigils",
        "_transparent",
        "_words",
        "calls_are_plain",
        "comments",
        "given",
        "has_tuples",
        "language",
        "marked",
        "shapes",
        "source",
    )  # fmt: skip

    def __init__(self, source: bytes, tools: Tools) -> None:
        self.source = source
        self._matches = tools.plain.fullmatch
        self.shapes: Mapping[int, Shape] = tools.shapes
        self.comments = tools.comments
        self.language = tools.language
        self._words = tools.language.constants
        self._transparent = tools.language.transparent
        self._own = next(iter(tools.language.self_names), "")
        self.has_tuples = tools.has_tuples
        self.marked = False
        """Whether a chain was said that holds a function's mark."""
        self._sigils, self._joints, self.calls_are_plain = _of_language(tools.language.name)
        for held in (tools.given, tools.said):
            if len(held) > _PIECES_MAX:
                held.clear()
        self.given = tools.given
        self._known = tools.said
        """What pieces of the source say that are nothing but names; None for all others."""

    def text(self, node: Node) -> str:
        """The source of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def plain(self, node: Node) -> str | None:
        """The chain of an expression that is nothing but names and separators."""
        start, end = node.start_byte, node.end_byte
        source = self.source
        if not 0 < end - start <= _PLAIN_MAX or source[start] in _NO_NAME:
            return None
        piece = source[start:end]
        try:
            return self._known[piece]
        except KeyError:
            said = self._known[piece] = self._read(piece)
            return said

    def plainly(self, piece: bytes) -> str | None:
        """The chain of a piece of source that is nothing but names."""
        try:
            return self._known[piece]
        except KeyError:
            said = self._known[piece] = self._read(piece)
            return said

    def _read(self, piece: bytes) -> str | None:
        if not self.calls_are_plain and b"(" in piece:
            return None
        if piece[-1:] == b")":
            piece = _INSIDE.sub(b"()", piece)
        for sigil, meant in self._sigils:
            piece = piece.replace(sigil, meant)
        if piece[:1] == b"\\":
            piece = piece[1:]  # a name from the outermost namespace
        if not self._matches(piece):
            return None
        said = piece.decode("utf-8", "replace")
        for joint in self._joints:
            said = said.replace(joint, ".")
        if self._transparent and said.count(".") > 1:
            first, *inner, last = said.split(".")
            said = ".".join((first, *(one for one in inner if one not in self._transparent), last))
        return None if said in self._words else said

    def chain(self, node: Node) -> str | None:
        """The one chain that says `node`, or None."""
        return self.plain(node) or self.walked(node)

    def walked(self, node: Node | None) -> str | None:
        """The chain of an expression, link by link from its last to its first."""
        links: list[str] = []
        while node is not None and len(links) < _LINKS_MAX:
            shape = self.shapes.get(node.kind_id)
            if shape is None:
                return None
            op = shape.op
            if op is NAME:
                name = self.text(node)
                if name in self.language.self_givers and links[-1:] == ["()"]:
                    links[-1] = ""
                    name = self._own
                links.append(name)
            elif op is FUNCTION:
                self.marked = True
                links.append(function_mark(node.start_byte))
            elif op is OWN:
                links.append(f"{self._own}.{self.text(node).lstrip('@$')}")
            elif op is LITERAL:
                return None
            if op in _ENDS:
                links.reverse()
                return "".join(links)
            if op in _WHOLES:
                whole = self._whole(node, shape)
                if whole is not None:
                    links.append(whole)
                    links.reverse()
                    return "".join(links)
            following = self._link(node, shape, links)
            if following is None:
                if op is not METHOD or not links:
                    return None
                links[-1] = links[-1].removeprefix(".")
                links.reverse()
                return "".join(links)
            node = following
            if links:
                plain = self.plain(node)
                if plain is not None and plain.rpartition(".")[2] not in self._transparent:
                    links.append(plain)
                    links.reverse()
                    return "".join(links)
        return None

    def _whole(self, node: Node, shape: Shape) -> str | None:
        """The chain of a node that is said by a type or a module's name, not by its parts."""
        op = shape.op
        if op is TYPED or op is CAST:
            part = part_of(node, shape.first if op is TYPED else shape.second)
            found = self.typed(part)
            if len(found) == 1 and not found[0][0]:
                return found[0][1]
            inner = part_of(node, shape.first) if op is CAST else None
            return self.chain(inner) if inner is not None else None
        if op is MACRO:
            return self._of_macro(node, shape)
        if op is CALL and (self.language.requires or self.language.makers):
            made = self.made(node, shape)
            if len(made) == 1 and not made[0][0]:
                return made[0][1]
        return None

    def _of_macro(self, node: Node, shape: Shape) -> str | None:
        """A macro as if it were a method of its first argument, where that is a plain name."""
        name, given = part_of(node, shape.first), node.named_children[-1]
        first = _GIVEN_FIRST.match(self.source, given.start_byte, given.end_byte)
        owner = self.plainly(first[1]) if first is not None and name is not None else None
        return f"{owner}.!{self.text(name)}()" if owner is not None and name is not None else None

    def typed(self, node: Node | None) -> Values:
        """What a type says of a value."""
        if node is None:
            return []
        return list(values_of_type(self.language.name, self.text(node)))

    def made(self, node: Node, shape: Shape) -> Values:
        """What a call gives whose first argument is a type or the name of a module."""
        function = part_of(node, shape.first)
        arguments = node.child_by_field_name("arguments")
        if function is None or arguments is None or function.end_byte - function.start_byte > 12:
            return []
        name = self.text(function)
        if name in self.language.makers and arguments.named_child_count:
            return self.typed(arguments.named_children[0])
        if name in self.language.requires:
            module = self.first_text(arguments)
            return [("", f"{{{module}}}")] if module else []
        return []

    def first_text(self, arguments: Node) -> str:
        """The text that is the first argument of a call, or nothing."""
        first = arguments.named_children[0] if arguments.named_child_count else None
        if first is None or self.shapes.get(first.kind_id, _OTHER).op is not LITERAL:
            return ""
        text = self.text(first).strip("\"'`")
        return text if _MODULE.fullmatch(text) else ""

    def _link(self, node: Node, shape: Shape, links: list[str]) -> Node | None:
        """Adds the link that `node` is to `links`; the node it hangs on."""
        op = shape.op
        if op is INNER:
            return part_of(node, shape.first)
        if op is TUPLE:
            return node.named_children[0] if node.named_child_count == 1 else None
        if op is MEMBER:
            member = self._member_name(node, shape.second)
            if not member:
                return None
            if member in self._transparent and links and links[-1] == "()":
                links.pop()
            else:
                links.append("." + member)
        elif op is METHOD:
            member = self._member_name(node, shape.second)
            owner = node.child_by_field_name(shape.first)
            if owner is None or member not in self._transparent:
                links += ["()", "." + member]
            return owner
        elif op is CALL:
            links.append("()")
        elif op is ELEMENT:
            links.append(f"[{self.key(part_of(node, shape.second))}]")
        else:
            return None
        return part_of(node, shape.first)

    def _member_name(self, node: Node, field: str) -> str:
        """The name in a field, without the mark before it and the types given to it."""
        member = part_of(node, field)
        if member is None:
            return ""
        text = self.text(member)
        if text.isidentifier():
            return text
        text = text.lstrip(".?!:&")
        return text.partition("<")[0] if text[:1] != "<" else text

    def called(self, node: Node, arguments: Node | None) -> str | None:
        """The chain of what is called by a call, or of the expression that is called."""
        if self.calls_are_plain:
            return self.chain(node)
        shape = self.shapes.get(node.kind_id)
        if shape is None or shape.op is not METHOD:
            return self.chain(node)
        end = arguments.start_byte if arguments is not None else node.end_byte
        plain = self.plainly(self.source[node.start_byte : end].rstrip())
        if plain is not None:
            return plain
        owner = node.child_by_field_name(shape.first)
        name = self._member_name(node, shape.second)
        if owner is None:
            return name
        before = self.chain(owner)
        return f"{before}.{name}" if before is not None else None

    def key(self, node: Node | None) -> str:
        """The literal that `node` is, quoted where it is a text; else nothing."""
        if node is None:
            return ""
        if node.end_byte - node.start_byte > _KEY_MAX:
            return ""
        found = _LITERAL.fullmatch(self.text(node))
        if found is None:
            return ""
        return found[3] or f"'{found[2]}'"


def part_of(node: Node, name: str) -> Node | None:
    """The field of that name, the named child of that number, or the first named child."""
    if not name:
        return node.named_children[0] if node.named_child_count else None
    if name.isdigit():
        return node.named_child(int(name)) if int(name) < node.named_child_count else None
    return node.child_by_field_name(name)

"""Turns expressions of any language into the chains of `facts`, by the table of its node types."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tree_sitter import Node

from loremap.codegraph.languages import Op, Shape, Tools
from loremap.codegraph.typewords import values_of_type

_LINKS_MAX = 24
"""Longer chains are left out; code made by programs has chains of thousands of links."""
_DEPTH_MAX = 4
_ELEMENTS_MAX = 40
_PLAIN_ARGUMENTS_MAX = 200
_PLAIN_MAX = 160
_NO_NAME = frozenset({b"", *(bytes((sign,)) for sign in b"\"'0123456789[{(-+!~`\n")})
_KEY_MAX = 70
_LITERAL = re.compile(r"""[a-zA-Z]*(["'`]{1,3})([\w .:/@*-]{0,60})\1|(\d{1,9})""")

Values = list[tuple[str, str]]
"""What an expression is worth: where in it (`[0]`, `[key]`, `.key` or nothing), and a chain."""


def function_mark(start: int) -> str:
    """How a chain says the function whose node starts at a byte, until its index is known."""
    return f"<fn@{start}>"


_ENDS = frozenset({Op.NAME, Op.FUNCTION, Op.OWN})
_WHOLES = frozenset({Op.TYPED, Op.CAST, Op.CALL})
_OR = frozenset({"||", "??", "or", "?:"})
_MODULE = re.compile(r"[\w@./~:#$+-]{1,200}")
_CALL = rb"[^\W\d][\w.]*(?:\([^()\"'`{}\[\]]*\))?"
_TEXT = rb"""[a-zA-Z]{0,2}(?:"[^"\\\n]*"|'[^'\\\n]*')"""
_ONE = rb"(?:(?:[^\W\d]\w*\s*=\s*)?(?:" + _TEXT + rb"|" + _CALL + rb"|-?[\d.]+))"
_PLAIN_ARGUMENTS = re.compile(rb"\(\s*" + _ONE + rb"(?:\s*,\s*" + _ONE + rb")*\s*,?\s*\)")
_ARGUMENT = re.compile(rb"(?:([^\W\d]\w*)\s*=\s*)?(?:" + _TEXT + rb"|(" + _CALL + rb")|-?[\d.]+)")
_INSIDE = re.compile(rb"\([^()]*\)")
_NAME = re.compile(r"[^.\[\]()<>{}'\s]+")


def is_name(target: str) -> bool:
    """Whether a chain is a bare name."""
    return target.isidentifier() or _NAME.fullmatch(target) is not None


class Chains:
    """Reads the expressions of one file."""

    __slots__ = (
        "_given",
        "_has_tuples",
        "_joints",
        "_known",
        "_language",
        "_matches",
        "_own",
        "_shapes",
        "_sigils",
        "_source",
        "_transparent",
        "_words",
        "calls_are_plain",
        "marked",
    )  # fmt: skip

    def __init__(self, source: bytes, tools: Tools) -> None:
        self._source = source
        self._matches = tools.plain.fullmatch
        self._shapes: Mapping[str, Shape] = tools.language.expressions
        self._language = tools.language
        self._words = tools.language.constants
        self._transparent = tools.language.transparent
        self._sigils = [
            (sigil.encode(), meant.encode()) for sigil, meant in tools.language.sigils.items()
        ]
        self._own = next(iter(tools.language.self_names), "")
        self._has_tuples = tools.has_tuples
        self.marked = False
        """Whether a chain was said that holds a function's mark."""
        special = (tools.language.requires, tools.language.makers, tools.language.transparent)
        methods = any(shape.op is Op.METHOD for shape in self._shapes.values())
        self.calls_are_plain = not any(special) and not methods
        self._joints = [one for one in tools.language.separators if one != "."]
        self._given: dict[bytes, Values] = {}
        self._known: dict[bytes, str | None] = {}
        """What pieces of the source say that are nothing but names; None for all others."""

    def text(self, node: Node) -> str:
        """The source of a node."""
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def plain(self, node: Node) -> str | None:
        """The chain of an expression that is nothing but names and separators."""
        start, end = node.start_byte, node.end_byte
        if end - start > _PLAIN_MAX:
            return None
        piece = self._source[start:end]
        if piece[:1] in _NO_NAME:
            return None
        try:
            return self._known[piece]
        except KeyError:
            said = self._known[piece] = self._read(piece)
            return said

    def _plainly(self, piece: bytes) -> str | None:
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
        return self.plain(node) or self._walked(node)

    def _walked(self, node: Node | None) -> str | None:
        links: list[str] = []
        while node is not None and len(links) < _LINKS_MAX:
            shape = self._shapes.get(node.type)
            if shape is None:
                return None
            op = shape.op
            if op is Op.NAME:
                links.append(self.text(node))
            elif op is Op.FUNCTION:
                self.marked = True
                links.append(function_mark(node.start_byte))
            elif op is Op.OWN:
                links.append(f"{self._own}.{self.text(node).lstrip('@$')}")
            elif op is Op.LITERAL:
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
                if op is not Op.METHOD or not links:
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
        if op is Op.TYPED or op is Op.CAST:
            part = _part(node, shape.first if op is Op.TYPED else shape.second)
            found = self._typed(part)
            if len(found) == 1 and not found[0][0]:
                return found[0][1]
            inner = _part(node, shape.first) if op is Op.CAST else None
            return self.chain(inner) if inner is not None else None
        if op is Op.CALL and (self._language.requires or self._language.makers):
            made = self._made(node, shape)
            if len(made) == 1 and not made[0][0]:
                return made[0][1]
        return None

    def _typed(self, node: Node | None) -> Values:
        if node is None:
            return []
        return list(values_of_type(self._language.name, self.text(node)))

    def _made(self, node: Node, shape: Shape) -> Values:
        """What a call gives whose first argument is a type or the name of a module."""
        function = _part(node, shape.first)
        arguments = node.child_by_field_name("arguments")
        if function is None or arguments is None or function.end_byte - function.start_byte > 12:
            return []
        name = self.text(function)
        if name in self._language.makers and arguments.named_child_count:
            return self._typed(arguments.named_children[0])
        if name in self._language.requires:
            module = self.first_text(arguments)
            return [("", f"{{{module}}}")] if module else []
        return []

    def first_text(self, arguments: Node) -> str:
        """The text that is the first argument of a call, or nothing."""
        first = arguments.named_children[0] if arguments.named_child_count else None
        if first is None or self._shapes.get(first.type, Shape(Op.NAME)).op is not Op.LITERAL:
            return ""
        text = self.text(first).strip("\"'`")
        return text if _MODULE.fullmatch(text) else ""

    def is_one(self, node: Node) -> bool:
        """Whether a value is one expression that is no call, so that it is not several values."""
        if not self._has_tuples:
            return False
        shape = self._shapes.get(node.type)
        if shape is None or shape.op is not Op.TUPLE or node.named_child_count != 1:
            return False
        inner = self._shapes.get(node.named_children[0].type)
        return inner is None or inner.op is not Op.CALL

    def assigned(self, target: Node, values: Values, *, single: bool) -> Values:
        """`targets`, where a single value goes to the first target alone (`v, ok := m[k]`)."""
        shape = self._shapes.get(target.type)
        if single and shape is not None and shape.op is Op.TUPLE and target.named_child_count > 1:
            return self.targets(target.named_children[0], values)
        return self.targets(target, values)

    def _link(self, node: Node, shape: Shape, links: list[str]) -> Node | None:
        """Adds the link that `node` is to `links`; the node it hangs on."""
        op = shape.op
        if op is Op.INNER:
            return _part(node, shape.first)
        if op is Op.TUPLE:
            return node.named_children[0] if node.named_child_count == 1 else None
        if op is Op.MEMBER:
            member = self._member_name(node, shape.second)
            if not member:
                return None
            if member in self._transparent and links and links[-1] == "()":
                links.pop()
            else:
                links.append("." + member)
        elif op is Op.METHOD:
            member = self._member_name(node, shape.second)
            owner = node.child_by_field_name(shape.first)
            if owner is None or member not in self._transparent:
                links += ["()", "." + member]
            return owner
        elif op is Op.CALL:
            links.append("()")
        elif op is Op.ELEMENT:
            links.append(f"[{self._key(_part(node, shape.second))}]")
        else:
            return None
        return _part(node, shape.first)

    def _member_name(self, node: Node, field: str) -> str:
        """The name in a field, without the mark before it and the types given to it."""
        member = _part(node, field)
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
        shape = self._shapes.get(node.type)
        if shape is None or shape.op is not Op.METHOD:
            return self.chain(node)
        end = arguments.start_byte if arguments is not None else node.end_byte
        plain = self._plainly(self._source[node.start_byte : end].rstrip())
        if plain is not None:
            return plain
        owner = node.child_by_field_name(shape.first)
        name = self._member_name(node, shape.second)
        if owner is None:
            return name
        before = self.chain(owner)
        return f"{before}.{name}" if before is not None else None

    def _key(self, node: Node | None) -> str:
        """The literal that `node` is, quoted where it is a text; else nothing."""
        if node is None:
            return ""
        if node.end_byte - node.start_byte > _KEY_MAX:
            return ""
        found = _LITERAL.fullmatch(self.text(node))
        if found is None:
            return ""
        return found[3] or f"'{found[2]}'"

    def values(self, node: Node, depth: int = 0) -> Values:
        """All that `node` may be worth, and what lies in it where it is a literal container."""
        plain = self.plain(node)
        if plain is not None:
            return [("", plain)]
        shape = self._shapes.get(node.type)
        if shape is None or depth > _DEPTH_MAX:
            return []
        op = shape.op
        if op is Op.EITHER:
            parts = (_part(node, shape.first), _part(node, shape.second))
            return [one for part in parts if part for one in self.values(part, depth + 1)]
        if op is Op.OR:
            return self._alternatives(node, shape, depth)
        if op is Op.TUPLE and node.named_child_count == 1:
            return self.values(node.named_children[0], depth)
        if op is Op.LIST or op is Op.TUPLE:
            return self._elements(node, depth)
        if op is Op.TYPED:
            return self._typed(_part(node, shape.first))
        if op is Op.CAST:
            inner = _part(node, shape.first)
            typed = self._typed(_part(node, shape.second))
            return typed or (self.values(inner, depth + 1) if inner is not None else [])
        if op is Op.CALL and self._language.makers:
            made = self._made(node, shape)
            if made:
                return made
        if op is Op.RECORD or op is Op.OBJECT:
            return self._members(node, op, depth)
        if op is Op.EACH:
            part = _part(node, shape.first)
            return _under("[]", self.values(part, depth + 1)) if part else []
        if op is Op.INNER:
            part = _part(node, shape.first)
            return self.values(part, depth + 1) if part else []
        said = self._walked(node)
        return [("", said)] if said else []

    def _alternatives(self, node: Node, shape: Shape, depth: int) -> Values:
        operator = node.child_by_field_name("operator")
        if operator is None or operator.type not in _OR:
            return []
        parts = (_part(node, shape.first), _part(node, shape.second))
        return [one for part in parts if part is not None for one in self.values(part, depth + 1)]

    def _elements(self, node: Node, depth: int) -> Values:
        found: Values = []
        known = True
        for index, child in enumerate(node.named_children[:_ELEMENTS_MAX]):
            shape = self._shapes.get(child.type)
            if shape is None or shape.op is Op.LITERAL:
                continue
            if shape.op is Op.SPREAD:
                known = False
                continue
            found += _under(f"[{index}]" if known else "[]", self.values(child, depth + 1))
        return found

    def _members(self, node: Node, op: Op, depth: int) -> Values:
        found: Values = []
        for child in node.named_children[:_ELEMENTS_MAX]:
            shape = self._shapes.get(child.type)
            if shape is None:
                continue
            if shape.op is Op.SHORT:
                name = self.text(child)
                found.append((f".{name}", name))
            elif shape.op is Op.PAIR:
                key, value = _part(child, shape.first), _part(child, shape.second)
                if key is not None and value is not None:
                    found += _under(self._place(key, op), self.values(value, depth + 1))
            elif shape.op is Op.FUNCTION:
                name_node = child.child_by_field_name("name")
                if name_node is not None:
                    place = self._place(name_node, op)
                    self.marked = True
                    found.append((place, function_mark(child.start_byte)))
        return found

    def _place(self, key: Node, op: Op) -> str:
        shown = self._key(key)
        if op is Op.RECORD:
            return f"[{shown}]"
        name = shown.strip("'") or self.text(key)
        return f".{name}" if name.isidentifier() else "[]"

    def arguments(self, node: Node) -> Values:
        """The arguments of a call that chains can say, by position or keyword."""
        start, end = node.start_byte, node.end_byte
        if end - start < _PLAIN_ARGUMENTS_MAX:
            piece = self._source[start:end]
            known_here = self._given.get(piece)
            if known_here is None and _PLAIN_ARGUMENTS.fullmatch(piece):
                known_here = self._given[piece] = self._plain_arguments(piece)
            if known_here is not None:
                return known_here
        found: Values = []
        position = 0
        known = True
        for child in node.named_children[:_ELEMENTS_MAX]:
            kind = child.type
            shape = self._shapes.get(kind)
            if shape is None or shape.op is Op.LITERAL:
                position += kind != "comment"
                continue
            if shape.op is Op.SPREAD:
                known = False
            elif shape.op is Op.KEYWORD:
                name, value = _part(child, shape.first), _part(child, shape.second)
                if name is not None and value is not None:
                    found += _under(self.text(name), self.values(value, 1))
            elif known:
                plain_one = self.plain(child) if shape.op in (Op.NAME, Op.MEMBER) else None
                if plain_one is not None:
                    found.append((str(position), plain_one))
                else:
                    found += _under(str(position), self.values(child, 1))
                position += 1
        return found

    def _plain_arguments(self, piece: bytes) -> Values:
        found: Values = []
        position = 0
        for keyword, said in _ARGUMENT.findall(piece, 1):
            chain = self._plainly(said) if said else None
            if keyword:
                if chain is not None:
                    found.append((keyword.decode("utf-8", "replace"), chain))
                continue
            if chain is not None:
                found.append((str(position), chain))
            position += 1
        return found

    def targets(self, node: Node, values: Values) -> Values:
        """The bindings `target = value` that assigning `values` to the pattern `node` makes."""
        shape = self._shapes.get(node.type)
        if shape is None:
            return []
        if shape.op is Op.TUPLE and node.named_child_count == 1:
            return self.targets(node.named_children[0], values)
        if shape.op is Op.LIST or shape.op is Op.TUPLE:
            return self._unpacked(node, values)
        if shape.op is Op.OBJECT:
            return self._picked(node, values)
        if shape.op is Op.INNER:
            inner = _part(node, shape.first)
            return self.targets(inner, values) if inner is not None else []
        target = self.chain(node)
        if target is None:
            return []
        return [(target + place, value) for place, value in values]

    def _unpacked(self, pattern: Node, values: Values) -> Values:
        found: Values = []
        targets = pattern.named_children[:_ELEMENTS_MAX]
        count = 1 + max((_first_index(place) for place, _ in values), default=-1)
        shift = 0
        for index, target in enumerate(targets):
            shape = self._shapes.get(target.type)
            if shape is not None and shape.op is Op.SPREAD:
                inner = _part(target, shape.first)
                shift = max(0, count - len(targets))
                taken = _range(values, index, index + shift + 1)
                if inner is not None:
                    found += self.targets(inner, taken)
                continue
            found += self.targets(target, _taken(values, f"[{index + shift}]"))
        return found

    def _picked(self, pattern: Node, values: Values) -> Values:
        found: Values = []
        for child in pattern.named_children[:_ELEMENTS_MAX]:
            shape = self._shapes.get(child.type)
            if shape is None:
                continue
            if shape.op is Op.SHORT:
                name = self.text(child)
                found += [(name + at, value) for at, value in _taken(values, f".{name}")]
            elif shape.op is Op.PAIR:
                key, value_node = _part(child, shape.first), _part(child, shape.second)
                if key is not None and value_node is not None:
                    found += self.targets(value_node, _taken(values, self._place(key, Op.OBJECT)))
        return found


def _part(node: Node, name: str) -> Node | None:
    """The field of that name, the named child of that number, or the first named child."""
    if not name:
        return node.named_children[0] if node.named_child_count else None
    if name.isdigit():
        return node.named_child(int(name)) if int(name) < node.named_child_count else None
    return node.child_by_field_name(name)


def _under(place: str, values: Values) -> Values:
    return [(place + inner, value) for inner, value in values]


def _first_index(place: str) -> int:
    found = re.match(r"\[(\d+)\]", place)
    return int(found[1]) if found else -1


def _taken(values: Values, place: str) -> Values:
    """What lies at `place` of `values`: of a literal its part, of anything else a longer chain."""
    found = [(at[len(place) :], value) for at, value in values if at.startswith(place)]
    return found + [("", value + place) for at, value in values if not at]


def _range(values: Values, start: int, end: int) -> Values:
    found: Values = []
    for index in range(start, end):
        found += _under(f"[{index - start}]", _taken(values, f"[{index}]"))
    return found

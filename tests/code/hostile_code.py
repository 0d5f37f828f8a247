"""Writes code that no person writes: bases, mixins, aliases, imports and blocks without end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

RING, CHAIN, PARTS, LAYERS, WIDE, WEB, DEEP = 9, 160, 60, 9, 4, 12, 300


class Tongue(NamedTuple):
    """How one language says the few things that hostile code is made of."""

    suffix: str
    type: Callable[[str, Sequence[str], str], str]
    """A class with its bases and its body."""
    method: Callable[[str, str], str]
    """A method that returns an expression."""
    function: Callable[[str, str], str]
    alias: Callable[[str, str], str]
    take: Callable[[str], str]
    """Brings all names of the file with this stem."""
    block: tuple[str, str]
    """What opens and closes a block within a function."""
    head: str = ""
    own: str = ""
    """What only this language can say."""


def _braced(head: str, sign: str, join: str = ", ") -> Callable[[str, Sequence[str], str], str]:
    def one(name: str, bases: Sequence[str], body: str) -> str:
        return f"{head} {name}{sign if bases else ''}{join.join(bases)} {{\n{body}\n}}\n"

    return one


def _nothing(_stem: str) -> str:
    return ""


def _of(text: str) -> Callable[[str, str], str]:
    return lambda name, value: text.replace("NAME", name).replace("VALUE", value)


def _taking(text: str) -> Callable[[str], str]:
    return lambda stem: text.replace("STEM", stem)


def _python_type(name: str, bases: Sequence[str], body: str) -> str:
    return f"class {name}({', '.join(bases)}):\n    kind = 1\n{body}\n"


def _ruby_type(name: str, bases: Sequence[str], body: str) -> str:
    mixed = "\n".join(f"  include {base}" for base in bases[1:])
    above = f" < {bases[0]}" if bases else ""
    return f"class {name}{above}\n{mixed}\n{body}\nend\n"


def _go_type(name: str, bases: Sequence[str], body: str) -> str:
    return f"type {name} struct {{\n" + "\n".join(bases) + "\n}\n" + body.replace("SELF", name)


def _rust_type(name: str, bases: Sequence[str], body: str) -> str:
    held = ", ".join(f"f{at}: {base}" for at, base in enumerate(bases))
    given = "".join(f"impl {base} for {name} {{ type {name} = {base}; }}\n" for base in bases)
    return f"struct {name} {{ {held} }}\nimpl {name} {{\n{body}\n}}\n{given}"


def _c_type(name: str, bases: Sequence[str], body: str) -> str:
    held = " ".join(f"struct {base} *f{at};" for at, base in enumerate(bases))
    return f"struct {name} {{ {held} }};\n{body}\n"


def _bash_type(name: str, bases: Sequence[str], body: str) -> str:
    return f"{name}() {{\n{'; '.join(bases) or ':'}\n}}\n{body}\n"


_BRACES = ("if (x) {", "}")
TONGUES: Mapping[str, Tongue] = {
    "python": Tongue(
        ".py",
        _python_type,
        _of("    def NAME(self):\n        return self.VALUE"),
        _of("def NAME():\n    return VALUE\n"),
        _of("NAME = VALUE\n"),
        _taking("from STEM import *\n"),
        ("(lambda: ", ")"),
        own="class C:\n    pass\nC.__call__ = C()\nc = C()()()\nc.f()\n",
    ),
    "javascript": Tongue(
        ".js",
        _braced("export class", " extends "),
        _of("NAME() { return this.VALUE; }"),
        _of("export function NAME() { return VALUE; }\n"),
        _of("export const NAME = VALUE;\n"),
        _taking("export * from './STEM';\nimport * as STEM from './STEM';\n"),
        _BRACES,
    ),
    "go": Tongue(
        ".go",
        _go_type,
        _of("func (s *SELF) NAME() *SELF { return s.VALUE }\n"),
        _of("func NAME() interface{} { return VALUE }\n"),
        _of("var NAME = VALUE\n"),
        _nothing,
        ("if x {", "}"),
        head="package a\n",
        own="func (t *T) foo() {\n\ttype T struct{}\n\tx := 1\n\tx = 2\n}\n",
    ),
    "c": Tongue(
        ".c",
        _c_type,
        _of("int NAME(void) { return VALUE; }\n"),
        _of("int NAME(void) { return VALUE; }\n"),
        _of("#define NAME VALUE\n"),
        _taking('#include "STEM.c"\n'),
        _BRACES,
    ),
    "cpp": Tongue(
        ".cpp",
        lambda name, bases, body: (
            f"class {name}{' : ' if bases else ''}"
            + ", ".join(f"public {base}" for base in bases)
            + f" {{\npublic:\n{body}\n}};\n"
        ),
        _of("auto NAME() { return this->VALUE; }"),
        _of("auto NAME() { return VALUE; }\n"),
        _of("using NAME = VALUE;\n"),
        _taking('#include "STEM.cpp"\n'),
        _BRACES,
    ),
    "c_sharp": Tongue(
        ".cs",
        _braced("public partial class", " : "),
        _of("public dynamic NAME() { return this.VALUE; }"),
        _of("static class H_NAME { public static dynamic NAME() { return VALUE; } }\n"),
        _of("using NAME = VALUE;\n"),
        _nothing,
        _BRACES,
    ),
    "java": Tongue(
        ".java",
        lambda name, bases, body: (
            _braced("class", " extends ")(name, bases[:1], body)
            + _braced(f"interface I{name}", " extends ")("", [f"I{base}" for base in bases], "")
        ),
        _of("Object NAME() { return this.VALUE; }"),
        _of("class H_NAME { static Object NAME() { return VALUE; } }\n"),
        _of("class A_NAME { Object NAME = VALUE; }\n"),
        _taking("import a.STEM.*;\n"),
        _BRACES,
    ),
    "kotlin": Tongue(
        ".kt",
        _braced("open class", " : "),
        _of("fun NAME() = this.VALUE"),
        _of("fun NAME() = VALUE\n"),
        _of("typealias NAME = VALUE\n"),
        _taking("import a.STEM.*\n"),
        _BRACES,
    ),
    "scala": Tongue(
        ".scala",
        _braced("class", " extends ", " with "),
        _of("def NAME = this.VALUE"),
        _of("object HNAME { def NAME = VALUE }\n"),
        _of("object ANAME { type NAME = VALUE }\n"),
        _taking("import a.STEM._\n"),
        _BRACES,
    ),
    "ruby": Tongue(
        ".rb",
        _ruby_type,
        _of("  def NAME\n    VALUE\n  end"),
        _of("def NAME\n  VALUE\nend\n"),
        _of("NAME = VALUE\n"),
        _taking("require_relative 'STEM'\n"),
        ("begin\n", "\nend\n"),
        own="".join(
            f"def g{at}\n  return g{at + 1} if x\n  return g{at + 2} if y\n  g{at + 3}.z\nend\n"
            for at in range(40)
        )
        + "def all\n  g0.a.b.c\nend\n",
    ),
    "php": Tongue(
        ".php",
        lambda name, bases, body: (
            f"class {name}{' extends ' if bases else ''}{''.join(bases[:1])} {{\n"
            + "".join(f"use {base};\n" for base in bases[1:])
            + f"{body}\n}}\n"
        ),
        _of("function NAME() { return $this->VALUE; }"),
        _of("function NAME() { return VALUE; }\n"),
        _of("class_alias('VALUE', 'NAME');\n"),
        _taking("require 'STEM.php';\n"),
        ("if ($x) {", "}"),
        head="<?php\n",
    ),
    "bash": Tongue(
        ".sh",
        _bash_type,
        _of("NAME() { VALUE; }\n"),
        _of("NAME() { VALUE; }\n"),
        _of("alias NAME=VALUE\n"),
        _taking("source ./STEM.sh\n"),
        ("if x; then\n", "\nfi\n"),
    ),
    "rust": Tongue(
        ".rs",
        _rust_type,
        _of("fn NAME(&self) -> Self { self.VALUE }"),
        _of("pub fn NAME() -> u8 { VALUE }\n"),
        _of("pub use VALUE as NAME;\n"),
        _taking("pub mod STEM;\npub use crate::STEM::*;\n"),
        ("if x {", "}"),
        own="impl Iterator for Item { type Item = u32;\nfn f(&self) { let x = 1; x = 2; } }\n",
    ),
    "swift": Tongue(
        ".swift",
        _braced("class", ": "),
        _of("func NAME() -> Any { return self.VALUE }"),
        _of("func NAME() -> Any { return VALUE }\n"),
        _of("typealias NAME = VALUE\n"),
        _nothing,
        ("if x {", "}"),
        own="extension Item { class Item { func f() { var x = 1; x = 2 } } }\n",
    ),
}
TONGUES = {
    **TONGUES,
    "typescript": TONGUES["javascript"]._replace(suffix=".ts"),
    "tsx": TONGUES["javascript"]._replace(suffix=".tsx"),
}


def projects(tongue: Tongue) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Hostile projects, each with its name, as they would lie on disk."""
    yield "a ring of bases", _files(tongue, _ring(tongue))
    yield "a long line of bases", _files(tongue, _line(tongue))
    yield "layers of bases", _files(tongue, _layers(tongue))
    yield "all inherit all", _files(tongue, _all_of_all(tongue))
    yield "one type in many files", _files(tongue, _parts(tongue))
    yield "functions that return each other", _files(tongue, _web(tongue))
    yield "aliases in a ring", _files(tongue, _aliases(tongue))
    yield "files that give on each other", _files(tongue, _stars(tongue))
    yield "blocks in blocks", _files(tongue, {"deep": _blocks(tongue)})
    yield "types in types", _files(tongue, {"deep": _nested(tongue)})
    yield "brackets in brackets", _files(tongue, {"deep": _brackets(tongue)})
    yield "a long chain", _files(tongue, {"long": _chains(tongue)})
    yield "its own", _files(tongue, {"own": tongue.own})


def _files(tongue: Tongue, sources: Mapping[str, str]) -> dict[str, bytes]:
    return {
        f"{stem}{tongue.suffix}": (tongue.head + text).encode() for stem, text in sources.items()
    }


def _body(tongue: Tongue, at: int) -> str:
    """Methods whose results are members of each other's results, and one of nobody's."""
    called = [f"m{(at + step) % RING}()" for step in (1, 2, 3)]
    return "\n".join(
        (
            tongue.method(f"m{at % RING}", ".".join(called)),
            tongue.method(f"n{at % RING}", ".".join((*called, "nowhere()"))),
        )
    )


def _taken(tongue: Tongue, stems: Sequence[str]) -> str:
    return "".join(map(tongue.take, stems))


def _typed(tongue: Tongue, bases: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """One file for each class, which takes those of its bases."""
    return {
        name.lower(): _taken(tongue, [base.lower() for base in named])
        + tongue.type(name, named, _body(tongue, at))
        for at, (name, named) in enumerate(bases.items())
    }


def _ring(tongue: Tongue) -> dict[str, str]:
    return _typed(tongue, {f"C{at}": [f"C{(at + 1) % RING}"] for at in range(RING)})


def _line(tongue: Tongue) -> dict[str, str]:
    return _typed(tongue, {f"C{at}": [f"C{at + 1}"] for at in range(CHAIN)})


def _layers(tongue: Tongue) -> dict[str, str]:
    return _typed(
        tongue,
        {
            f"C{layer}x{at}": [f"C{layer + 1}x{other}" for other in range(WIDE)]
            for layer in range(LAYERS)
            for at in range(WIDE)
        },
    )


def _all_of_all(tongue: Tongue) -> dict[str, str]:
    names = [f"C{at}" for at in range(WEB)]
    return _typed(tongue, {name: [one for one in names if one != name] for name in names})


def _parts(tongue: Tongue) -> dict[str, str]:
    return {
        f"part{at}": tongue.type("Whole", [f"Whole{at % 3}", "Whole"], _body(tongue, at))
        for at in range(PARTS)
    }


def _web(tongue: Tongue) -> dict[str, str]:
    one = "".join(
        tongue.function(f"f{at}", ".".join(f"f{(at * step + 1) % WEB}()" for step in (1, 2, 3, 5)))
        for at in range(WEB)
    )
    return {"web": one, "other": _taken(tongue, ["web"]) + one}


def _aliases(tongue: Tongue) -> dict[str, str]:
    names = [f"N{at}" for at in range(CHAIN)]
    ring = zip(names, [*names[1:], names[0]], strict=True)
    text = "".join(tongue.alias(name, value) for name, value in ring)
    return {"ring": text, "user": _taken(tongue, ["ring"]) + tongue.function("f", "N7.x().y()")}


def _stars(tongue: Tongue) -> dict[str, str]:
    stems = [f"s{at}" for at in range(WEB)]
    return {
        stem: _taken(tongue, [one for one in stems if one != stem])
        + tongue.function(f"f_{stem}", "missing().also_missing()")
        for stem in stems
    }


def _blocks(tongue: Tongue) -> str:
    opened, closed = tongue.block
    return tongue.function(
        "deep", f"0{' ' if closed == ')' else ';'}{opened * DEEP}{closed * DEEP}"
    )


def _nested(tongue: Tongue) -> str:
    text = ""
    for at in range(DEEP // 3):
        text = tongue.type(
            f"C{at}", [f"C{at}"], "\n".join(f"    {one}" for one in text.split("\n"))
        )
    return text


def _brackets(tongue: Tongue) -> str:
    return tongue.function("deep", "(" * DEEP * 3 + "1" + ")" * DEEP * 3)


def _chains(tongue: Tongue) -> str:
    return tongue.function("long", "a" + ".b()" * DEEP * 3) + tongue.function(
        "calls", "a" + "()" * DEEP * 3
    )

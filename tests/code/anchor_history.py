"""A made-up project, a history of edits to it, and what each memory ought to be judged.

The project is kept as pieces (functions, methods, classes, rules, paragraphs) with a version each.
An edit changes pieces and says which; the truth follows from that alone: a piece that is gone is
orphaned, one whose version rose has drifted, any other is fresh wherever it stands.
"""

from __future__ import annotations

import random
import re
import shutil
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import anchor_statements as say

from loremap.code.anchors import anchors_in
from loremap.code.verdicts import verdict
from loremap.code.view import FilesView, Shelf
from loremap.model.anchor import Anchor, AnchorKind, Freshness

CODE = {"python": ".py", "typescript": ".ts", "go": ".go"}
TEXT = {"make": ".mk", "markdown": ".md", "yaml": ".yml"}
STATEMENTS: dict[str, Callable[[random.Random, str], say.Lines]] = {
    "python": say.python,
    "typescript": say.typescript,
    "go": say.go,
    "make": say.recipe,
    "markdown": say.sentence,
    "yaml": say.setting,
}


@dataclass
class Piece:
    """One thing a memory can speak of."""

    number: int
    name: str
    language: str
    body: list[say.Lines]
    params: list[str] = field(default_factory=list)
    members: list[Piece] | None = None
    """Of a class: its methods."""
    doc: str = ""
    version: int = 0
    copied: bool = False
    """Whether a copy lies about: once it is deleted, nobody can tell it from one that moved."""

    @property
    def holds_members(self) -> bool:
        """Whether the text of a class holds its methods: in Go they stand beside it."""
        return self.language != "go"

    @property
    def everything(self) -> list[Piece]:
        return [self, *(self.members or ())]


@dataclass
class File:
    """One file of the project, and how it is laid out."""

    path: str
    language: str
    pieces: list[Piece]
    opening: str = ""
    indent: int = 4
    wrapped: bool = False
    airy: bool = False
    crlf: bool = False
    width: int = 80


@dataclass(frozen=True)
class Remembered:
    """An anchor, and which piece it was taken of in which version."""

    anchor: Anchor
    number: int
    version: int
    text: str


@dataclass(frozen=True)
class Judged:
    """One verdict against the truth."""

    edit: str
    touched: bool
    """Whether the edit was meant for this piece, rather than for something elsewhere."""
    truth: Freshness
    said: Freshness
    why: str


class History:
    """A project under change."""

    def __init__(self, root: Path, *, seed: int, languages: tuple[str, ...]) -> None:
        self.root, self.rng = root, random.Random(seed)
        self.languages = languages
        self.files: list[File] = []
        self.memories: list[Remembered] = []
        self._count = 0
        self._shelf = Shelf()
        for language in languages:
            for _ in range(3):
                self._add_file(language)

    # The project

    def _add_file(self, language: str) -> File:
        folder = self.rng.choice(["core", "auth", "lib/data", "web"])
        ending = (CODE | TEXT)[language]
        path = f"{folder}/{self._fresh_name('_')}{ending}"
        indent = {"python": 4, "typescript": 2}.get(language, 1)
        file = File(path, language, [], opening=say.phrase(self.rng, 6), indent=indent)
        self.files.append(file)
        for _ in range(self.rng.randrange(4, 8)):
            file.pieces.append(self.new_piece(language))
        return file

    def _fresh_name(self, joint: str) -> str:
        self._count += 1
        verb, noun = self.rng.choice(say.VERBS), self.rng.choice(say.NOUNS)
        return f"{verb}{joint}{noun}{joint}{self._count}" if self.rng.random() < 0.5 else (
            f"{verb}{joint}{noun}{joint}{self.rng.choice(say.ATTRS)}{self._count}"
        )  # fmt: skip

    def new_piece(self, language: str, *, method: bool = False) -> Piece:
        """A piece nobody has seen."""
        rng = self.rng
        name = self._fresh_name("_")
        if language in ("typescript", "go"):
            name = say.camel(name)
        piece = Piece(self._count, name, language, [])
        if language in CODE and not method and rng.random() < 0.3:
            piece.name = say.camel(name)[:1].upper() + say.camel(name)[1:]
            piece.members = [self.new_piece(language, method=True) for _ in range(3)]
            return piece
        known = [one.number for one in self._callable(language)]
        for _ in range(rng.randrange(2, 9)):
            call = f"«{rng.choice(known)}»" if known and rng.random() < 0.4 else "compute"
            piece.body.append(STATEMENTS[language](rng, call))
        piece.params = rng.sample(say.NOUNS, rng.randrange(1, 4))
        piece.doc = say.phrase(rng, 6) if rng.random() < 0.5 else ""
        return piece

    def _callable(self, language: str) -> list[Piece]:
        return [
            one
            for file in self.files
            if file.language == language
            for one in file.pieces
            if one.members is None
        ]

    def places(self, *, code: bool | None = None) -> list[tuple[File, list[Piece], Piece]]:
        """Every piece with its file and the list that holds it."""
        return [
            (file, holder, one)
            for file in self.files
            if code is None or (file.language in CODE) == code
            for holder in (file.pieces, *(each.members or [] for each in file.pieces))
            for one in holder
        ]

    def find(self, number: int) -> tuple[File, str, Piece] | None:
        """Where a piece is now, and its dotted name."""
        for file in self.files:
            for piece in file.pieces:
                if piece.number == number:
                    return file, piece.name, piece
                for member in piece.members or ():
                    if member.number == number:
                        return file, f"{piece.name}.{member.name}", member
        return None

    def changed(self, piece: Piece) -> None:
        """Note that what `piece` says has changed, and so what its class says."""
        piece.version += 1
        for file in self.files:
            for each in file.pieces:
                if each.members and piece in each.members:
                    each.version += each.holds_members

    # Rendering

    def write(self) -> None:
        """The project as files."""
        wanted = {file.path: self._rendered(file) for file in self.files}
        for path in self._on_disk() - set(wanted):
            (self.root / path).unlink()
        for path, text in wanted.items():
            target = self.root / path
            data = text.encode()
            if not target.exists() or target.read_bytes() != data:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)

    def _on_disk(self) -> set[str]:
        return {
            path.relative_to(self.root).as_posix()
            for path in self.root.rglob("*")
            if path.is_file()
        }

    def _rendered(self, file: File) -> str:
        names = {
            one.number: one.name
            for each in self.files
            for piece in each.pieces
            for one in piece.everything
        }
        opening = {
            "python": f'"""{file.opening}"""\n\nimport logging\n\nlogger = logging.getLogger()\n',
            "typescript": f"// {file.opening}\n",
            "go": f"// {file.opening}\npackage core\n",
            "make": f"# {file.opening}\nOUT := build\n",
            "markdown": f"# {file.opening}\n",
            "yaml": f"# {file.opening}\nname: {file.opening.split()[0]}\n",
        }[file.language]
        parts = [opening, *(_PIECE[file.language](one, file) for one in file.pieces)]
        text = "\n".join(part if part.endswith("\n") else part + "\n" for part in parts)
        text = re.sub(r"«(\d+)»", lambda found: names.get(int(found[1]), "compute"), text)
        if file.wrapped:
            text = _wrapped(text, file.language)
        return text.replace("\n", "\r\n") if file.crlf else text

    # Memories

    def view(self) -> FilesView:
        """The project as the code graph would know it."""
        paths = sorted(self._on_disk())
        return FilesView(self.root, lambda path: True, self._shelf, paths, lambda: paths)

    def remember(self, number: int) -> Remembered:
        """A memory that names a piece as people do."""
        found = self.find(number)
        assert found is not None
        file, name, piece = found
        if file.language in CODE:
            text = f"`{name}` in {file.path} must stay as it is"
        else:
            title = "" if file.language == "markdown" else piece.name
            text = f"{file.path}: {title} {' '.join(_telling(piece, file)[:14])}"
        anchors = anchors_in(text, (), self.view())
        wanted = "" if file.language == "markdown" else name
        fitting = [
            one for one in anchors if one.symbol == wanted and one.kind is not AnchorKind.FILE
        ]
        assert fitting, (text, anchors)
        return Remembered(fitting[0], number, piece.version, text)

    def truth(self, memory: Remembered) -> Freshness:
        """What a memory ought to be judged."""
        found = self.find(memory.number)
        if found is None:
            return Freshness.ORPHANED
        same = found[2].version == memory.version
        return Freshness.FRESH if same else Freshness.DRIFTED

    def judge(self, edit: str, meant: set[int]) -> Iterator[Judged]:
        """Every memory's verdict now, against the truth."""
        code = self.view()
        for memory in self.memories:
            check = verdict(memory.anchor, code)
            touched = memory.number in meant
            why = f"{memory.anchor.key}: {check.why}"
            yield Judged(edit, touched, self.truth(memory), check.freshness, why)

    def run(self, edits: int) -> list[Judged]:
        """A history of so many edits; drifted memories are sometimes taken anew."""
        from anchor_edits import EDITS

        self.write()
        results: list[Judged] = []
        names, weights = list(EDITS), [EDITS[name][1] for name in EDITS]
        done = 0
        while done < edits:
            self._fill()
            name = self.rng.choices(names, weights)[0]
            meant = EDITS[name][0](self)
            if meant is None:
                continue
            done += 1
            self.write()
            judged = list(self.judge(name, meant))
            results.extend(judged)
            self._refresh([one.said is one.truth for one in judged])
        shutil.rmtree(self.root)
        return results

    def _fill(self) -> None:
        """Keep the project and its memories at their size."""
        for language in self.languages:
            if sum(file.language == language for file in self.files) < 2:
                self._add_file(language)
        for file in self.files:
            while len(file.pieces) < 2:
                file.pieces.append(self.new_piece(file.language))
        self.write()
        held = {memory.number for memory in self.memories}
        free = [one.number for _, _, one in self.places() if one.number not in held]
        self.rng.shuffle(free)
        while len(self.memories) < 40 and free:
            self.memories.append(self.remember(free.pop()))

    def _refresh(self, right: list[bool]) -> None:
        """Take anew or drop what is no longer fresh, most of the time: some edits add up. What
        was judged wrong is taken anew too, so that a mistake counts once."""
        kept = []
        for memory, well in zip(self.memories, right, strict=True):
            truth = self.truth(memory)
            if well and (truth is Freshness.FRESH or self.rng.random() < 0.3):
                kept.append(memory)
            elif truth is not Freshness.ORPHANED:
                kept.append(self.remember(memory.number))
        self.memories = kept


def _telling(piece: Piece, file: File) -> list[str]:
    """The words of a piece, first those that few others of its file say: a memory of words that
    its neighbours share speaks of none of them in particular."""
    others = [frozenset(_said(one)) for one in file.pieces if one is not piece]
    return sorted(_said(piece), key=lambda word: sum(word in other for other in others))


def _said(piece: Piece) -> list[str]:
    return re.findall(r"[\w-]+", " ".join(line for one in piece.body for _, line in one).lower())


def _python(piece: Piece, file: File, depth: int = 0) -> str:
    lines: list[str] = []
    unit = " " * file.indent
    if piece.members is not None:
        lines.append(f"{unit * depth}class {piece.name}:")
        lines += [_python(member, file, depth + 1) for member in piece.members]
        return "\n".join(lines) + "\n"
    params = (["self"] if depth else []) + piece.params
    lines.append(f"{unit * depth}def {piece.name}({', '.join(params)}):")
    if piece.doc:
        lines.append(f'{unit * (depth + 1)}"""{piece.doc.capitalize()}."""')
    lines += _body(piece, file, unit, depth + 1)
    lines.append(f"{unit * (depth + 1)}return {piece.params[0]}")
    return "\n".join(lines) + "\n"


def _typescript(piece: Piece, file: File, depth: int = 0) -> str:
    unit = " " * file.indent
    if piece.members is not None:
        inner = "\n".join(_typescript(member, file, depth + 1) for member in piece.members)
        return f"export class {piece.name} {{\n{inner}}}\n"
    doc = f"{unit * depth}/** {piece.doc}. */\n" if piece.doc else ""
    head = "async " if depth else "export async function "
    params = ", ".join(f"{one}: string" for one in piece.params)
    lines = [f"{unit * depth}{head}{piece.name}({params}) {{"]
    lines += _body(piece, file, unit, depth + 1)
    lines.append(f"{unit * depth}}}")
    return doc + "\n".join(lines) + "\n"


def _go(piece: Piece, file: File, owner: str = "") -> str:
    if piece.members is not None:
        rng = random.Random(piece.number)
        wanted = [f"{rng.choice(say.NOUNS)}{rng.choice(say.ATTRS).title()}" for _ in range(5)]
        fields = "\n".join(f"\t{one} string" for one in wanted)
        methods = "\n".join(_go(member, file, piece.name) for member in piece.members)
        return f"type {piece.name} struct {{\n{fields}\n}}\n\n{methods}"
    doc = f"// {piece.name} {piece.doc}.\n" if piece.doc else ""
    receiver = f"(s *{owner}) " if owner else ""
    params = ", ".join(f"{one} string" for one in piece.params)
    lines = [f"func {receiver}{piece.name}({params}) error {{"]
    lines += _body(piece, file, "\t", 1)
    return doc + "\n".join([*lines, "}"]) + "\n"


def _make(piece: Piece, file: File) -> str:
    doc = f"# {piece.doc}\n" if piece.doc else ""
    lines = [text for one in piece.body for _, text in one]
    return (
        doc + f"{piece.name}: {' '.join(piece.params)}\n" + "\n".join("\t" + line for line in lines)
    )


def _markdown(piece: Piece, file: File) -> str:
    text = " ".join(line for one in piece.body for _, line in one)
    return "\n".join(textwrap.wrap(text, file.width))


def _yaml(piece: Piece, file: File) -> str:
    lines = [text for one in piece.body for _, text in one]
    return f"{piece.name}:\n" + "\n".join("  " + line for line in lines)


_PIECE: dict[str, Callable[[Piece, File], str]] = {
    "python": _python,
    "typescript": _typescript,
    "go": _go,
    "make": _make,
    "markdown": _markdown,
    "yaml": _yaml,
}


def _body(piece: Piece, file: File, unit: str, depth: int) -> list[str]:
    lines: list[str] = []
    for place, statement in enumerate(piece.body):
        if file.airy and place % 3 == 2:
            lines.append("")
        lines += [f"{unit * (depth + deeper)}{text}" for deeper, text in statement]
    return lines


def _wrapped(text: str, language: str) -> str:
    """`text` as a formatter with short lines leaves it: calls and heads over several lines."""
    if language not in CODE:
        return text

    def broken(found: re.Match[str]) -> str:
        margin, head, inner, tail = found.groups()
        parts = [part.strip() for part in inner.split(",")]
        if len(parts) < 2 or any(sign in inner for sign in "(){}[]\"'"):
            return found[0]
        lines = "".join(f"\n{margin}    {part}," for part in parts)
        return f"{margin}{head}({lines}\n{margin}){tail}"

    return re.sub(r"(?m)^([ \t]*)([^\n#/\"']*?)\(([^()\n]*)\)([^\n]*)$", broken, text)

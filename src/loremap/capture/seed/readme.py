"""Commands, required versions and the technology stack out of a README."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.capture.documents.markdown import Block, blocks
from loremap.capture.documents.prose import has_address, plain, sentences
from loremap.capture.documents.restructured import markdown_of
from loremap.capture.seed.commands import PURPOSES, about_command, commands, purpose_of
from loremap.capture.seed.inversion import inverts
from loremap.capture.seed.rules import kind_of
from loremap.capture.seed.value import MOST_CHARS, Seed, Source, listing
from loremap.model.kind import Kind

_DEVELOPING = re.compile(
    r"develop|contribut|test|build|lint|hack|from source|setup|set up|getting started|try it|local"
    r"|quality|style|prerequisit|requirement|depend|scripts|commands|running",
    re.IGNORECASE,
)
_STACK = re.compile(r"tech(?:nology)? ?stack|built with|technologies|^stack$", re.IGNORECASE)
_NEEDS = re.compile(
    r"\b(?:requires?|needs?|supports?|with|on)\b[^.]{0,40}?\b(Python|Node(?:\.js)?|Go|Rust|Java|Ruby|PHP"
    r"|Deno|Bun|\.NET|JDK|Erlang|Elixir)\s*(?:version\s*)?(?:>=\s*)?v?(\d+(?:\.\d+)*)"
    r"\s*(\+|or (?:newer|later|higher|above)|and (?:newer|later|above|up))",
)
_INLINE = re.compile(r"`([^`]+)`")
_ASKED = re.compile(r"\b(?:run|using|use|with|execute)\s+`", re.IGNORECASE)
_MOST_PER_PURPOSE = 2


def readme_seeds(source: Source) -> Iterator[Seed]:
    """What a README says about working on the project."""
    rst = source.path.lower().endswith(".rst")
    every = blocks(markdown_of(source.text) if rst else source.text)
    yield from _stack(every, source)
    yield from _needed(every, source)
    told = dict[str, int]()
    for block in every:
        if not any(_DEVELOPING.search(name) for name in block.headings):
            continue
        for purpose, seed in _commands(block, source):
            told[purpose] = told.get(purpose, 0) + 1
            if told[purpose] <= _MOST_PER_PURPOSE:
                yield seed


def _commands(block: Block, source: Source) -> Iterator[tuple[str, Seed]]:
    if block.sort == "code":
        for command in commands(block.text, language=block.language):
            remark = f" ({command.remark})" if 0 < len(command.remark) <= 80 else ""
            text = f"{PURPOSES[command.purpose]} `{command.line}`{remark}."
            line = block.line + command.offset
            yield (
                command.purpose,
                _seed(text, source, line, about=command.about, purpose=command.purpose),
            )
        return
    for sentence in sentences(plain(block.text)):
        found = [code for code in _INLINE.findall(sentence) if purpose_of(code)]
        if (
            found
            and _ASKED.search(sentence)
            and len(sentence) <= MOST_CHARS
            and not has_address(sentence)
        ):
            purpose = purpose_of(found[0])
            if sentence.endswith(":") or inverts(sentence):
                continue
            if len(found) == 1:
                sentence = f"{PURPOSES[purpose]} `{found[0]}`."
            yield (
                purpose,
                _seed(sentence, source, block.line, about=about_command(found[0]), purpose=purpose),
            )


def _needed(every: list[Block], source: Source) -> Iterator[Seed]:
    for block in every:
        if block.sort == "code":
            continue
        for name, version, _ in _NEEDS.findall(plain(block.text)):
            yield Seed(
                text=f"The code must run on {name} {version} and newer.",
                file=source.path,
                line=block.line,
                tags=("versions",),
                importance=0.68,
                about=f"{'node' if name.startswith('Node') else name.lower()} version",
            )


def _stack(every: list[Block], source: Source) -> Iterator[Seed]:
    items = [
        block
        for block in every
        if block.sort == "item" and any(_STACK.search(name) for name in block.headings)
    ]
    names = [plain(block.text).rstrip(".") for block in items]
    names = [re.split(r" [-–—] ", name)[0] for name in names if name]
    text = f"The technology stack: {listing(names[:12])}."
    if len(names) > 1 and len(text) <= MOST_CHARS:
        yield Seed(
            text=text,
            kind=Kind.ARCHITECTURE,
            file=source.path,
            line=items[0].line,
            tags=("stack",),
            importance=0.74,
        )


def _seed(text: str, source: Source, line: int, *, about: str, purpose: str) -> Seed:
    kind = kind_of(text)
    return Seed(
        text=text,
        kind=Kind.PROCEDURE if kind is Kind.CONVENTION else kind,
        file=source.path,
        line=line,
        tags=("commands",),
        importance=0.62 if purpose in ("setup", "docs", "build", "hooks") else 0.78,
        about=about,
    )

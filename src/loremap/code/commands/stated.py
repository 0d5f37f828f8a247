"""Commands out of documents: fenced code, inline code in sentences, items and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from loremap.code.commands.value import Said, Who
from loremap.code.documents.markdown import Block, blocks
from loremap.code.documents.prose import plain, sentences
from loremap.code.documents.restructured import markdown_of
from loremap.code.seed.inversion import inverts

LONGEST_COMMAND = 240
_PROMPT = re.compile(r"^\s*(?:\$|%|❯|➜|>|#\s*\$|\([\w.-]+\)\s*\$)\s+")
_REMARK = re.compile(r"\s+#\s+(.*)$")
_SHELLS = frozenset({"", "bash", "sh", "shell", "console", "zsh", "shell-session", "terminal", "text", "shellsession", "sh-session", "cmd", "fish"})  # fmt: skip
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_NOT = re.compile(
    r"\b(?:no|never|do not|don't|avoid)\s+(?:use|using|run|running|call|calling|pass|passing|to)?\s*`([^`\n]+)`",
    re.IGNORECASE,
)
_CD = re.compile(r"^cd\s+([^\s;&]+)\s*(?:&&|;)\s*(.+)$")
_REDIRECTED = re.compile(r"(?:\s+\d?>{1,2}\s*&?\S+)+\s*&?$|\s+&$")
_MANAGERS = frozenset({"npm", "npx", "yarn", "pnpm", "bun", "pip", "poetry", "pipenv"})
_ASKED = re.compile(
    r"\b(?:run|running|runs|execut\w+|invok\w+|typ(?:e|ing)|command)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
"""Before the bare name of a program: it is to be run, not only named."""
_OPTIONAL = re.compile(r"\s*\[[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Statements:
    """What a document says is to be run, and what is not."""

    said: tuple[Said, ...]
    forbidden: tuple[str, ...]


def stated(path: str, text: str, who: Who, *, is_command: Callable[[str], bool]) -> Statements:
    """The commands a document states, each with what is said of it."""
    every = blocks(markdown_of(text) if path.lower().endswith((".rst", ".txt")) else text)
    said, forbidden = list[Said](), list[str]()
    if who is Who.README:
        every = _for_developers(every)
    for index, block in enumerate(every):
        if block.sort == "code":
            lead = _lead(every, index)
            if block.language in _SHELLS:
                for one, refused in _of_code(block, lead):
                    if not is_command(one[0]):
                        continue
                    if refused:
                        forbidden.append(one[0])
                    else:
                        said.append(_made(one, block, path, who))
        else:
            forbidden += [no for no in _NOT.findall(plain(block.text)) if _is_forbidding(no)]
            for command, words in _of_text(block):
                if is_command(command):
                    said.append(_made((command, 0, "", words), block, path, who))
    kept = tuple(one for one in said if one.line not in forbidden)
    return Statements(kept, tuple(forbidden))


_DEVELOPING = re.compile(
    r"develop|contribut|test|build|lint|hack|from source|set ?up|getting started|local|quality|style|commands|running",
    re.IGNORECASE,
)


def _for_developers(every: list[Block]) -> list[Block]:
    """The blocks of a README under headings for those who work on the code, the others emptied."""
    return [
        block if any(map(_DEVELOPING.search, block.headings)) else replace(block, text="", cells=())
        for block in every
    ]


def _is_forbidding(line: str) -> bool:
    """Whether what is not to be used is a command, an option or a package manager."""
    return " " in line or line.startswith("-") or line in _MANAGERS


def _made(one: tuple[str, int, str, str], block: Block, path: str, who: Who) -> Said:
    line, offset, cwd, words = one
    return Said(
        line=line,
        file=path,
        at=block.line + offset,
        who=who,
        cwd=cwd,
        words=words,
        headings=block.headings,
    )


def _lead(every: list[Block], index: int) -> str:
    """The sentence that introduces a block of code."""
    parent = every[index].parent
    if parent is None or every[parent].sort in ("code", "row") or parent != index - 1:
        return ""
    said = sentences(plain(every[parent].text))
    return said[-1] if said else ""


_One = tuple[str, int, str, str]


def _of_code(block: Block, lead: str) -> Iterator[tuple[_One, bool]]:
    """Each command with its offset, its folder and its words, and whether it is refused."""
    lines = block.text.split("\n")
    prompted = any(_PROMPT.match(line) for line in lines)
    above, cwd, held = "", "", ""
    for offset, raw in enumerate(lines):
        if not raw.strip():
            above = ""
            continue
        if prompted and not _PROMPT.match(raw) and not held:
            continue
        line = _PROMPT.sub("", raw).strip()
        if line.startswith(("#", "//")):
            above = line.lstrip("#/ ")
            continue
        line, held = held + line, ""
        if line.endswith("\\"):
            held = line[:-1].rstrip() + " "
            continue
        remark = _REMARK.search(line)
        bare = line[: remark.start()].strip() if remark else line
        words = remark[1].strip() if remark else above or lead
        if folder := re.fullmatch(r"cd\s+(\S+)", bare):
            cwd = folder[1].strip("\"'").rstrip("/").removeprefix("./")
            continue
        if moved := _CD.match(bare):
            cwd, bare = moved[1].rstrip("/").removeprefix("./"), moved[2]
        refused = inverts(remark[1] if remark else above)
        bare = _REDIRECTED.sub("", bare)
        if len(bare) <= LONGEST_COMMAND:
            yield (bare, offset, cwd, words), refused


def _of_text(block: Block) -> Iterator[tuple[str, str]]:
    """Each command in inline code of a row, an item or a paragraph, and what is said of it."""
    if block.sort == "row":
        codes = [_INLINE.fullmatch(cell.strip()) for cell in block.cells]
        rest = " ".join(cell for cell, code in zip(block.cells, codes, strict=True) if code is None)
        for code in codes:
            if code is not None and not inverts(rest):
                yield _clean(code[1]), plain(rest)
        return
    for sentence in sentences(plain(block.text)):
        found = list(_INLINE.finditer(sentence))
        for at, code in enumerate(found):
            begin = found[at - 1].end() if at else 0
            end = found[at + 1].start() if at + 1 < len(found) else len(sentence)
            before, after = sentence[begin : code.start()], sentence[code.end() : end]
            if _NOT.search(sentence[max(0, code.start() - 60) : code.end()]):
                continue
            words = (
                after
                if at == 0 and code.start() == 0
                else f"{before} {after if len(found) == 1 or at == len(found) - 1 else ''}"
            )
            line = _clean(code[1])
            if " " not in line and "/" not in line and not _ASKED.search(before):
                continue
            moved = _CD.match(line)
            yield (moved[2] if moved else line), words.strip(" -–—:.,")


def _clean(line: str) -> str:
    return _OPTIONAL.sub("", _PROMPT.sub("", line)).strip()

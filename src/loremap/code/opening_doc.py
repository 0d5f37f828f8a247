"""What a file says of itself at its top: its docstring, package comment or file comment."""

from __future__ import annotations

import re

from loremap.model.hostile import speaks_to_a_model

LONGEST = 200
_HEAD = 8_000
_NOT_ABOUT = re.compile(
    r"(?i)copyright|licen[sc]e|SPDX|all rights reserved|^@(?!module|file)|^eslint|^istanbul|^vim:|"
    r"^-\*-|coding[:=]|do not edit|^todo\b|noqa|type: ?ignore|^(mypy|pylint|ruff|prettier|flake8):|"
    r"^(global|jshint|jslint|ts-\w+)\b|^go:|^\+build|^shellcheck|^frozen_string_literal|^<reference"
)
_TAG = re.compile(r"^@(module|file|fileoverview|packageDocumentation)\b\s*")
_BLOCK = re.compile(r"\s*/\*[*!]?(?P<inside>.*?)\*/", re.DOTALL)
_DOCSTRING = re.compile(r"""[rRbBuU]?(?P<mark>\"{3}|'{3}|"|')(?P<inside>.*?)(?P=mark)""", re.DOTALL)
_AFTER_FILE_COMMENT = re.compile(
    r"\s*(\n\s*\n|import\b|export\s*[*{]|['\"]use |package\b|#include|$)"
)
_HASH = frozenset({"python", "ruby", "bash"})


def opening_doc(source: str, language: str) -> str:
    """The first paragraph of a file's own documentation on one line; empty where it has none."""
    head = source[:_HEAD].lstrip("\ufeff")
    if language == "python":
        return _python(head)
    if language == "go":
        return _go(head)
    if language == "rust":
        inner = re.findall(r"(?m)^//!(.*)$", head.partition("\nfn ")[0])
        return _paragraph(inner)
    comments = _runs(head, "#") if language in _HASH else _comments(head)
    return next((said for lines in comments if (said := _paragraph(lines))), "")


def _python(head: str) -> str:
    code = re.sub(r"\A(?:[ \t]*(?:#[^\n]*)?\n)+", "", head)
    found = _DOCSTRING.match(code)
    return _paragraph(found["inside"].splitlines()) if found else ""


def _go(head: str) -> str:
    """The comment that stands right above the package clause."""
    found = re.search(r"(?m)^package\s+\w+", head)
    above = head[: found.start()] if found else ""
    if above.rstrip().endswith("*/") and not re.search(r"\n\s*\n\Z", above):
        blocks = list(_BLOCK.finditer(above))
        return _paragraph(_unstarred(blocks[-1]["inside"])) if blocks else ""
    lines = re.search(r"(?:^//[^\n]*\n)+\Z", above, re.MULTILINE)
    return _paragraph([line[2:] for line in lines[0].splitlines()]) if lines else ""


def _comments(head: str) -> list[list[str]]:
    """The comments at the top of a file that are about the file, not about what follows them."""
    found, at = list[list[str]](), 0
    while True:
        block = _BLOCK.match(head, at)
        if block is None:
            break
        lines, at = _unstarred(block["inside"]), block.end()
        tagged = any(_TAG.match(line.strip()) for line in lines)
        if tagged or _AFTER_FILE_COMMENT.match(head, at):
            found.append(lines)
    return found or _runs(head, "//")


def _runs(head: str, mark: str) -> list[list[str]]:
    """Runs of line comments at the top, each ended by an empty line."""
    runs = [list[str]()]
    for line in head.splitlines():
        text = line.strip()
        if text.startswith(mark) and not text.startswith("#!"):
            runs[-1].append(text.lstrip(mark[0]))
        elif not text or text.startswith("#!"):
            runs.append([])
        else:
            runs.pop()  # what stands right above code is about that code
            break
    return runs


def _unstarred(text: str) -> list[str]:
    return [re.sub(r"^\s*\*\s?", "", line) for line in text.splitlines()]


def _paragraph(lines: list[str]) -> str:
    """The first lines that say something, up to the next that does not, as one line."""
    said = list[str]()
    for line in lines:
        text = _TAG.sub("", line.strip()).strip(" *#-=/")
        if _NOT_ABOUT.search(text):
            return "" if not said else _joined(said)
        if text:
            said.append(text)
        elif said:
            break
    return _joined(said)


def _joined(said: list[str]) -> str:
    text = re.sub(r"\s+", " ", " ".join(said))
    if speaks_to_a_model(text):
        return ""
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rpartition(" ")[0] + "…"

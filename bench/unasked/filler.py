"""Sentences of a repository's own documentation, to fill a store with what is true and beside the
point."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

SEED = 20_260_101
SUFFIXES = (".md", ".mdx", ".rst", ".txt")
_BLOCK = re.compile(r"\n\s*\n")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
_PROSE = re.compile(r"[A-Z][^{}<>|=$]{38,298}[.!?]")
_MARKUP = re.compile(r":[a-z-]+:|[`*_~]{1,3}|\[(?=[^\]]*\]\()|\]\([^)]*\)")


def filler(repository: Path, most: int) -> list[str]:
    """At most so many sentences of the documentation, the same ones each time."""
    found = sorted({one for path in _documents(repository) for one in _sentences(path)})
    random.Random(SEED).shuffle(found)
    return found[:most]


def _documents(repository: Path) -> list[Path]:
    listed = subprocess.run(
        ["git", "-C", str(repository), "ls-files"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [
        repository / name
        for name in listed
        if name.endswith(SUFFIXES) and not re.search(r"(?i)changelog|announce|licen[cs]e", name)
    ]


def _sentences(path: Path) -> Iterator[str]:
    for block in _BLOCK.split(path.read_text("utf-8", errors="ignore")):
        if block.startswith((" ", "\t", "```", ">>>", "..")):
            continue
        for sentence in _SENTENCE.split(" ".join(_MARKUP.sub("", block).split())):
            if _PROSE.fullmatch(sentence):
                yield sentence

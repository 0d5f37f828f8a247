"""What a project's guides say of its folders: in trees, lists, tables and under headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from loremap.code.module_map.describing import ADDRESSED, sentence
from loremap.code.module_map.manifests import is_guide

_BRANCH = re.compile(r"^([│|\s]*)(?:[├└]|[|`+\\])(?:──?|--?)\s*(\S+)\s*(.*)$")
_ITEM = re.compile(
    r"^\s*(?:[-*+]|\d+\.|\|)\s+(?:\*\*|__)?(?:\[)?`?([\w@.][\w@./*-]*)`?(?:\]\([^)]*\))?(?:\*\*|__)?"
    r"\s*(?:\*\*|__)?\s*(?::(?:\*\*|__)?|\||[-–—]+)\s+(.+?)\s*\|?\s*$"
)
_HEADING = re.compile(r"^#{2,5}\s+(?:`([\w@./-]+)`|([\w@.-]+/[\w@./-]+))\s*$")
_SIGN = re.compile(r"^(?:#|//|<-+|←|[-–—:]+)\s*")


def told_folders(texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Folders as the guides among `texts` call them, with a sentence; those at the top first."""
    guides = sorted(
        (path for path in texts if is_guide(path)), key=lambda one: (one.count("/"), one)
    )
    return [
        (called.strip("./*").removesuffix("/"), said)
        for path in guides
        for called, text in _told(texts[path].splitlines())
        if called.strip("./*") and (said := _plain_sentence(text))
    ]


def told_of(folder: str, told: Iterable[tuple[str, str]]) -> str:
    """The first sentence that is about `folder`: by its whole path, else by its end."""
    by_end = ""
    for called, said in told:
        if called == folder:
            return said
        if not by_end and folder.endswith(f"/{called}"):
            by_end = said
    return by_end


def _plain_sentence(text: str) -> str:
    said = sentence(text)
    return "" if ADDRESSED.search(said) or len(said.split()) < 2 else said


def _told(lines: list[str]) -> Iterator[tuple[str, str]]:
    above: list[tuple[int, str]] = []
    for at, line in enumerate(lines):
        if branch := _BRANCH.match(line):
            depth, name = len(branch[1].expandtabs(4)), branch[2]
            above = [one for one in above if one[0] < depth] + [(depth, name.rstrip("/"))]
            if _SIGN.match(branch[3]):
                yield "/".join(part for _, part in above), _SIGN.sub("", branch[3])
            continue
        above = []
        if item := _ITEM.match(line):
            yield item[1], item[2]
        elif heading := _HEADING.match(line):
            yield heading[1] or heading[2], _paragraph(lines[at + 1 :])


def _paragraph(lines: list[str]) -> str:
    """The first lines of prose below a heading; empty where something else comes first."""
    found: list[str] = []
    for line in lines:
        if not line.strip():
            if found:
                break
        elif re.match(r"[#>|`\-*]|\d+\.", line.lstrip()):
            break
        else:
            found.append(line.strip())
    return " ".join(found)

"""The command lines that a project's continuous integration runs, read from its YAML by lines."""

from __future__ import annotations

import re
from collections.abc import Mapping

_RUN = re.compile(r"^(?P<indent>\s*)(?:-\s+)?run:\s*(?P<rest>.*)$")
_SCRIPT = re.compile(r"^(?P<indent>\s*)(?:before_)?script:\s*(?P<rest>.*)$")
_ITEM = re.compile(r"^(?P<indent>\s*)-\s+(?P<rest>.+)$")
_BLOCK = re.compile(r"^[|>][+\-0-9]*\s*(#.*)?$")
MOST_LINES = 4_000


def run_lines(texts: Mapping[str, str]) -> list[str]:
    """Every command of the workflows among `texts`, in order, expressions left out."""
    found = list[str]()
    for path in sorted(texts):
        lines = texts[path].splitlines()[:MOST_LINES]
        if path.startswith(".github/workflows/"):
            found += _github(lines)
        elif path == ".gitlab-ci.yml":
            found += _gitlab(lines)
    return [line for line in found if line and "${{" not in line]


def _github(lines: list[str]) -> list[str]:
    found = list[str]()
    for index, line in enumerate(lines):
        if match := _RUN.match(line):
            rest = match["rest"].strip()
            if _BLOCK.match(rest):
                found += _block(lines, index + 1, deeper_than=len(match["indent"]))
            else:
                found.append(_unquoted(rest))
    return found


def _block(lines: list[str], start: int, *, deeper_than: int) -> list[str]:
    """The lines of a block scalar, those that end in a backslash joined with the next."""
    found, held = list[str](), ""
    for line in lines[start:]:
        if line.strip() and len(line) - len(line.lstrip()) <= deeper_than:
            break
        text = line.strip()
        if text.endswith("\\"):
            held += text[:-1].rstrip() + " "
        elif text and not text.startswith("#"):
            found.append(held + text)
            held = ""
    return found


def _gitlab(lines: list[str]) -> list[str]:
    found, inside = list[str](), -1
    for line in lines:
        depth = len(line) - len(line.lstrip())
        if match := _SCRIPT.match(line):
            inside = depth
            if match["rest"] and not match["rest"].startswith(("#", "|", ">", "[", "*")):
                found.append(_unquoted(match["rest"]))
        elif inside >= 0 and (item := _ITEM.match(line)) and depth >= inside:
            found.append(_unquoted(item["rest"].strip()))
        elif line.strip() and depth <= inside:
            inside = -1
    return found


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return re.sub(r"\s+#\s.*$", "", text).strip()

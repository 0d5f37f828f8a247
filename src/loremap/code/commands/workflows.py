"""The command lines that a project's continuous integration runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from loremap.code.commands.tasks import split
from loremap.code.commands.value import Said, Who
from loremap.code.documents.yaml_marks import Entry, entries

_WORKFLOW = re.compile(r"\.github/workflows/[^/]+\.ya?ml")
_OTHERS = re.compile(
    r"\.gitlab-ci\.ya?ml|\.travis\.ya?ml|\.circleci/config\.ya?ml|azure-pipelines\.ya?ml"
)
_LATER = re.compile(
    r"releas|publish|deploy|docs|pages|nightly|bench|stale|label|triage|upstream|backport|cron|translat"
)
_SCRIPTS = frozenset({"run", "script", "before_script", "install", "command", "bash"})
LONGEST = 160


def said_in_ci(texts: Mapping[str, str]) -> Iterator[Said]:
    """Every single command of the workflows, with its line; those with expressions left out."""
    for path in sorted(texts):
        if (_WORKFLOW.fullmatch(path) or _OTHERS.fullmatch(path)) and not _LATER.search(path):
            every = entries(texts[path])
            folders = {
                one.path[:-1]: one.value for one in every if one.path[-1:] == ("working-directory",)
            }
            for entry in every:
                if _is_script(entry):
                    yield from _of_entry(path, entry, folders.get(entry.path[:-1], ""))


def _is_script(entry: Entry) -> bool:
    keys = [part for part in entry.path if not part.isdigit()]
    return bool(keys) and keys[-1] in _SCRIPTS


def _of_entry(path: str, entry: Entry, cwd: str) -> Iterator[Said]:
    held, begin = "", 0
    for offset, raw in enumerate(entry.value.split("\n")):
        text = raw.strip()
        if text.endswith("\\"):
            begin = begin if held else offset
            held += text[:-1].rstrip() + " "
            continue
        whole, at = held + text, begin if held else offset
        held = ""
        for line in split(whole.rstrip(";")) if not whole.startswith("#") else ():
            if "${{" not in line and "$" not in line and len(line) <= LONGEST:
                number = entry.line + at + (1 if entry.block else 0)
                yield Said(line=line, file=path, at=number, who=Who.CI, cwd=cwd.strip("./"))

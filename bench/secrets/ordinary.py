"""Counts what redaction takes out of ordinary code and prose:
`python -m bench.secrets.ordinary --repo GITDIR --repo GITDIR …`."""

from __future__ import annotations

import argparse
import hashlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from loremap.safety.redaction import PERSONAL, redacted

READ = frozenset("go rb js ts jsx tsx rs java py md txt toml yml yaml gradle sh".split())
BLOCK_LINES = 40
"""About what an agent quotes at once."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """What was taken out of a file: its type, the line it stood in and what it was."""

    path: str
    line: int
    type: str
    taken: str


def blocks(repository: Path, lines: int) -> Iterator[tuple[str, int, str]]:
    """Blocks of whole files, in an order that only their paths decide, until `lines` are read."""
    for path in _paths(repository):
        text = _git(repository, "show", f"HEAD:{path}").decode("utf-8", "replace")
        rows = text.splitlines()[:lines]
        for first in range(0, len(rows), BLOCK_LINES):
            yield path, first + 1, "\n".join(rows[first : first + BLOCK_LINES])
        lines -= len(rows)
        if lines <= 0:
            return


def alarms(path: str, first: int, text: str) -> Iterator[Alarm]:
    """What redaction takes out of a block; personal data is no secret here."""
    for finding in redacted(text).findings:
        if finding.type not in PERSONAL:
            start, end = finding.span
            yield Alarm(path, first + text.count("\n", 0, start), finding.type, text[start:end])


def _paths(repository: Path) -> list[str]:
    listed = _git(repository, "ls-tree", "-r", "--name-only", "HEAD").decode().splitlines()
    read = [path for path in listed if path.rpartition(".")[2] in READ]
    return sorted(read, key=lambda path: hashlib.sha256(path.encode()).digest())


def _git(repository: Path, *words: str) -> bytes:
    command = ["git", "-C", str(repository), *words]
    return subprocess.run(command, check=True, capture_output=True).stdout


def main() -> None:
    """Print how often redaction bit into ordinary text, and each place."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, action="append", required=True, help="a git folder")
    parser.add_argument("--lines", type=int, default=4_000, help="how many lines of each")
    options = parser.parse_args()
    read, found = 0, list[Alarm]()
    for repository in options.repo:
        for path, first, text in blocks(repository, options.lines):
            read += text.count("\n") + 1
            found.extend(alarms(path, first, text))
    for alarm in found:
        print(f"{alarm.path}:{alarm.line} {alarm.type} {alarm.taken!r}")
    print(f"{len(found)} redactions in {read} lines: {2000 * len(found) / read:.2f} per 2,000")


if __name__ == "__main__":
    main()

"""Source trees of clones at any commit, read without a checkout; counts of a blob are kept."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from loremap.codegraph.extraction.extract import extract
from loremap.codegraph.facts import FACTS_VERSION
from loremap.codegraph.languages import language_of
from loremap.codegraph.terms import TERMS_VERSION, FileTerms, file_terms, from_bytes, to_bytes
from loremap.model.paths import is_generated_path, is_test_path, is_vendored_path
from loremap.retrieval.locate.similar import symbol_texts

_LARGEST_BYTES = 1_000_000
_BATCH = 200


@dataclass(frozen=True)
class Issue:
    """A reported issue, the commit it was reported at and the files its fix edited."""

    name: str
    repository: str
    commit: str
    text: str
    gold: tuple[str, ...]


@dataclass(frozen=True)
class Blob:
    """A file of a tree: where it lies and what git calls its content."""

    path: str
    oid: str


@dataclass(frozen=True)
class Read:
    """What is made of one file: its counts, and the texts of its symbols."""

    terms: FileTerms
    texts: tuple[str, ...]


def issues(folder: Path) -> list[Issue]:
    """The issues of every `swebench-lite*.jsonl` in a folder."""
    rows = [
        json.loads(line)
        for file in sorted(folder.glob("swebench-lite*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    ]
    return [
        Issue(
            name=row["instance_id"],
            repository=row["repo"].rpartition("/")[2],
            commit=row["base_commit"],
            text=row["problem_statement"],
            gold=tuple(row["gold_files"]),
        )
        for row in rows
    ]


def sources(clone: Path, commit: str) -> list[Blob]:
    """The source files of a tree that are no tests, neither generated nor brought in."""
    listed = _git(clone, "ls-tree", "-r", "-z", commit).decode("utf-8", "replace")
    rows = [row.partition("\t") for row in listed.split("\0") if row.startswith("100")]
    return [Blob(path, entry.split()[2]) for entry, _, path in rows if is_source(path)]


def is_source(path: str) -> bool:
    """Whether `path` is among the files an issue could mean."""
    return language_of(path) is not None and not (
        is_test_path(path) or is_generated_path(path) or is_vendored_path(path)
    )


class KeptTerms:
    """What the product's own extraction makes of blobs; what was read before is looked up."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._kept = sqlite3.connect(file, isolation_level=None)
        self._kept.execute(
            "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, terms BLOB, texts TEXT)"
        )
        self._memory: dict[str, Read] = {}

    def read(self, clone: Path, blobs: Iterable[Blob], *, workers: int = 2) -> None:
        """Read what is not kept yet."""
        query = "SELECT 1 FROM kept WHERE key = ?"
        missing = [
            blob
            for blob in dict.fromkeys(blobs)
            if not self._kept.execute(query, (_key(blob),)).fetchone()
        ]
        with ProcessPoolExecutor(workers) as pool:
            jobs = [
                pool.submit(_read, clone, missing[at : at + _BATCH])
                for at in range(0, len(missing), _BATCH)
            ]
            for job in jobs:
                self._kept.execute("BEGIN")
                self._kept.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", job.result())
                self._kept.execute("COMMIT")

    def of(self, blob: Blob) -> Read:
        """What is kept of one blob."""
        key = _key(blob)
        if key not in self._memory:
            query = "SELECT terms, texts FROM kept WHERE key = ?"
            terms, texts = self._kept.execute(query, (key,)).fetchone()
            self._memory[key] = Read(from_bytes(terms), tuple(texts.split("\n")))
        return self._memory[key]


def _key(blob: Blob) -> str:
    return f"{blob.oid} {blob.path} {FACTS_VERSION}.{TERMS_VERSION}"


def _read(clone: Path, blobs: Sequence[Blob]) -> list[tuple[str, bytes, str]]:
    rows = []
    for blob, source in zip(blobs, contents(clone, [blob.oid for blob in blobs]), strict=True):
        facts = extract(source, language_of(blob.path) or "")
        texts = (" ".join(text.split()) for text in symbol_texts(blob.path, facts))
        rows.append((_key(blob), to_bytes(file_terms(source, facts)), "\n".join(texts)))
    return rows


def contents(clone: Path, oids: Iterable[str]) -> Iterator[bytes]:
    """The contents of blobs, in order, each cut where the product would not read on."""
    asked = "".join(f"{oid}\n" for oid in oids).encode()
    answer = _git(clone, "cat-file", "--batch", given=asked)
    at = 0
    while at < len(answer):
        end = answer.index(b"\n", at)
        size = int(answer[at:end].split()[2])
        yield answer[end + 1 : end + 1 + min(size, _LARGEST_BYTES)]
        at = end + 1 + size + 1


def _git(clone: Path, *arguments: str, given: bytes = b"") -> bytes:
    done = subprocess.run(
        ["git", "-C", str(clone), *arguments], input=given, capture_output=True, check=True
    )
    return done.stdout

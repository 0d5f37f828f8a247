"""Source trees of clones at any commit, read without a checkout; counts of a blob are kept."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import zlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from loremap.code.extraction.extract import extract
from loremap.code.facts import FACTS_VERSION, FileFacts
from loremap.code.facts import from_bytes as facts_from_bytes
from loremap.code.facts import to_bytes as facts_to_bytes
from loremap.code.languages import language_of
from loremap.code.locate.similar import symbol_texts
from loremap.code.project import MemoryProject
from loremap.code.resolution.resolve import Resolver
from loremap.code.scan.wanted import is_manifest
from loremap.code.terms import TERMS_VERSION, FileTerms, file_terms, from_bytes, to_bytes
from loremap.model.paths import is_generated_path, is_test_path, is_vendored_path

SETS = ("Lite", "Multilingual")
_LARGEST_BYTES = 1_000_000
_BATCH = 200


@dataclass(frozen=True)
class Issue:
    """A reported issue, the commit it was reported at and the files its fix edited."""

    name: str
    set: str
    """Which set it is of: Lite or Multilingual."""
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
    """The issues of every `swebench-lite*.jsonl` and `swebench-multilingual*.jsonl` in a folder."""
    rows = [
        (name, json.loads(line))
        for name in SETS
        for file in sorted(folder.glob(f"swebench-{name.lower()}*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    ]
    return [
        Issue(
            name=row["instance_id"],
            set=name,
            repository=row["repo"].rpartition("/")[2],
            commit=row["base_commit"],
            text=row["problem_statement"],
            gold=tuple(row["gold_files"]),
        )
        for name, row in rows
    ]


def sources(clone: Path, commit: str) -> list[Blob]:
    """The source files of a tree that are no tests, neither generated nor brought in."""
    return [blob for blob in _listed(clone, commit) if is_source(blob.path)]


def manifests(clone: Path, commit: str) -> dict[str, bytes]:
    """Path and text of the files of a tree that say what imports mean."""
    found = [blob for blob in _listed(clone, commit) if is_manifest(blob.path)]
    texts = contents(clone, [blob.oid for blob in found])
    return {blob.path: text for blob, text in zip(found, texts, strict=True)}


def _listed(clone: Path, commit: str) -> list[Blob]:
    listed = _git(clone, "ls-tree", "-r", "-z", commit).decode("utf-8", "replace")
    rows = [row.partition("\t") for row in listed.split("\0") if row.startswith("100")]
    return [Blob(path, entry.split()[2]) for entry, _, path in rows]


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
            "CREATE TABLE IF NOT EXISTS blobs"
            " (key TEXT PRIMARY KEY, terms BLOB, texts TEXT, facts BLOB)"
        )
        self._kept.execute("CREATE TABLE IF NOT EXISTS uses (key TEXT PRIMARY KEY, paths TEXT)")
        self._memory: dict[str, Read] = {}

    def read(self, clone: Path, blobs: Iterable[Blob], *, workers: int = 2) -> None:
        """Read what is not kept yet."""
        query = "SELECT 1 FROM blobs WHERE key = ?"
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
                self._kept.executemany(
                    "INSERT OR REPLACE INTO blobs VALUES (?, ?, ?, ?)", job.result()
                )
                self._kept.execute("COMMIT")

    def of(self, blob: Blob) -> Read:
        """What is kept of one blob."""
        key = _key(blob)
        if key not in self._memory:
            query = "SELECT terms, texts FROM blobs WHERE key = ?"
            terms, texts = self._kept.execute(query, (key,)).fetchone()
            self._memory[key] = Read(from_bytes(terms), tuple(texts.split("\n")))
        return self._memory[key]

    def uses(self, clone: Path, commit: str, paths: Iterable[str]) -> dict[str, list[str]]:
        """Which files of a tree some of its files use, as the product's own resolver joins them.

        The resolver has no version of its own: where it changes, the file of what is kept must go.
        """
        keys = {path: f"{commit} {path} {FACTS_VERSION}" for path in paths}
        query = "SELECT paths FROM uses WHERE key = ?"
        rows = {path: self._kept.execute(query, (key,)).fetchone() for path, key in keys.items()}
        missing = [path for path, row in rows.items() if row is None]
        found = {path: json.loads(row[0]) for path, row in rows.items() if row is not None}
        if missing:
            found |= self._linked(clone, commit, missing)
            self._kept.executemany(
                "INSERT OR REPLACE INTO uses VALUES (?, ?)",
                [(keys[path], json.dumps(found[path])) for path in missing],
            )
        return found

    def _linked(self, clone: Path, commit: str, paths: Iterable[str]) -> dict[str, list[str]]:
        facts = {blob.path: self.facts(blob) for blob in sources(clone, commit)}
        resolver = Resolver(MemoryProject(facts, manifests(clone, commit)))
        return {
            path: sorted({edge.path for edge in resolver.links(path).edges} - {path})
            for path in paths
        }

    def facts(self, blob: Blob) -> FileFacts:
        """What was extracted from one blob."""
        query = "SELECT facts FROM blobs WHERE key = ?"
        return facts_from_bytes(
            zlib.decompress(self._kept.execute(query, (_key(blob),)).fetchone()[0])
        )


def _key(blob: Blob) -> str:
    return f"{blob.oid} {blob.path} {FACTS_VERSION}.{TERMS_VERSION}"


def _read(clone: Path, blobs: Sequence[Blob]) -> list[tuple[str, bytes, str, bytes]]:
    rows = []
    for blob, source in zip(blobs, contents(clone, [blob.oid for blob in blobs]), strict=True):
        facts = extract(source, language_of(blob.path) or "")
        texts = (" ".join(text.split()) for text in symbol_texts(blob.path, facts))
        terms = to_bytes(file_terms(source, facts))
        kept = zlib.compress(facts_to_bytes(facts), 1)
        rows.append((_key(blob), terms, "\n".join(texts), kept))
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

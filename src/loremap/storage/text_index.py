"""The full-text index on SQLite's FTS5.

What another database must match: BM25 with k1 = 1.2 and b = 0.75, the inverse document frequency
ln((N − n + ½) / (n + ½)) held at 1e-6 or more, over the corpus of every row of the store that
is in the index: all projects, every status, not yet purged. Terms come from `model.words`, so the
database itself neither splits, folds nor stems.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, text

from loremap.model.memory import Memory
from loremap.model.text import opening
from loremap.model.words import words

COLUMNS = ("head", "rest", "tags", "files", "kind", "place")
"""`head` and `rest` are the opening of the content and what follows it. `place` holds the project,
so that a small project in a large store is searched alone; it never adds to a score."""
EVERYWHERE = "everywhere"
_TOKENIZER = "tokenize = 'unicode61 remove_diacritics 0'"

CREATE = (
    f"CREATE VIRTUAL TABLE memory_text USING fts5({', '.join(COLUMNS)}, {_TOKENIZER})",
    "INSERT INTO memory_text(memory_text, rank) VALUES ('secure-delete', 1)",
    "CREATE VIRTUAL TABLE memory_vocabulary USING fts5vocab(memory_text, 'row')",
)


class TextHit(NamedTuple):
    """A row that holds some of the words, and its BM25 score (more is better)."""

    row: int
    score: float


def index(conn: Connection, row: int, memory: Memory) -> None:
    """Put a memory's words into the index."""
    conn.execute(
        text(
            f"INSERT INTO memory_text(rowid, {', '.join(COLUMNS)}) "
            f"VALUES (:row, {', '.join(':' + column for column in COLUMNS)})"
        ),
        {"row": row} | {column: " ".join(terms) for column, terms in indexed(memory).items()},
    )


def indexed(memory: Memory) -> dict[str, list[str]]:
    """The terms of a memory, by column."""
    head, rest = opening(memory.content)
    return {
        "head": words(head),
        "rest": words(rest),
        "tags": words(" ".join(memory.tags)),
        "files": words(" ".join(memory.files)),
        "kind": words(memory.kind.value),
        "place": [place_of(memory.project_id)],
    }


def place_of(project_id: str | None) -> str:
    """The term that stands for a project in the index."""
    return project_id or EVERYWHERE


def unindex(conn: Connection, rows: Iterable[int]) -> None:
    """Take rows out of the index; their words are overwritten, not merely marked."""
    for row in rows:
        conn.execute(text("DELETE FROM memory_text WHERE rowid = :row"), {"row": row})


def purge(conn: Connection) -> None:
    """Rewrite the index so that no page of it holds a word of an erased row."""
    conn.exec_driver_sql("INSERT INTO memory_text(memory_text) VALUES ('optimize')")


def search(
    conn: Connection,
    match: str,
    *,
    limit: int,
    weights: Sequence[float] = (1.0, 1.0, 1.0, 1.0, 1.0),
) -> list[TextHit]:
    """The rows that match an FTS5 expression, best first."""
    ranked = ", ".join(f"{weight:g}" for weight in (*weights, 0.0))
    found = conn.exec_driver_sql(
        f"SELECT rowid, -bm25(memory_text, {ranked}) AS score FROM memory_text "
        "WHERE memory_text MATCH ? ORDER BY score DESC LIMIT ?",
        (match, limit),
    )
    return [TextHit(row, score) for row, score in found.fetchall()]


def any_of(terms: Iterable[str], *, columns: Sequence[str] = ()) -> str:
    """An expression that matches any of `terms`; no term can break its syntax."""
    alternatives = " OR ".join(quoted(term) for term in terms)
    return f"{{{' '.join(columns)}}} : ({alternatives})" if columns else alternatives


def within(match: str, project_id: str | None) -> str:
    """`match`, held to the rows of one project and to those that hold everywhere."""
    places = {EVERYWHERE, place_of(project_id)}
    return f"{any_of(sorted(places), columns=('place',))} AND ({match})"


def quoted(term: str) -> str:
    """`term` as an FTS5 string."""
    return '"' + term.replace('"', '""') + '"'


def document_frequencies(conn: Connection, terms: Iterable[str]) -> dict[str, int]:
    """In how many rows each of `terms` occurs; terms that occur nowhere are left out."""
    found = conn.exec_driver_sql(
        "SELECT term, doc FROM memory_vocabulary WHERE term IN (SELECT value FROM json_each(?))",
        (json.dumps(list(terms)),),
    )
    return {term: count for term, count in found}


def vocabulary(conn: Connection) -> list[str]:
    """Every term of the index."""
    return [term for (term,) in conn.exec_driver_sql("SELECT term FROM memory_vocabulary")]

"""A store in a file and one on a server answer the same, in the same order."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import loremap
from loremap.app import Lore
from loremap.memory.recall.recipes import RECIPES

STORED = [
    "Passwords are hashed with argon2id in src/auth/hash.py",
    "Deploys run on Tuesday from the release branch",
    "The queue of jobs lives in Redis; tokens of a session do too",
    "Never call time.sleep in a request handler",
    "Die Sitzungen laufen nach einer Stunde ab",
    "テストは make test で実行する",
    "Session tokens live for one hour",
    "The release branch is cut on Monday; deploys wait for the tests",
]
NOW = datetime(2026, 3, 14, 15, 9, 26, tzinfo=UTC)
ASKED = ["session tokens", "when do we deploy", "テスト", "hash.py", "request handler sleeps"]


def filled(place: Path) -> Lore:
    place.mkdir()
    lore = loremap.open(place, now=lambda: NOW)
    for text in STORED:
        lore.remember(text, files=["src/auth/hash.py"] if "hash.py" in text else [])
    lore.remember("Session tokens live for two hours, not for one", tags=["auth"])
    return lore


def told(lore: Lore, query: str, recipe: str) -> list[tuple[str, float]]:
    """What is answered, with its score; far behind the point both may round differently."""
    hits = lore.recall(query, recipe=recipe).hits
    return [(hit.memory.content, round(hit.score, 6)) for hit in hits]


@pytest.mark.sqlite  # it opens one of each by itself
@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_the_same_answers_in_the_same_order(
    home: Path, tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch, recipe: str
) -> None:
    file = filled(tmp_path / "file")
    monkeypatch.setenv("LOREMAP_DATABASE", postgres)
    monkeypatch.setenv("LOREMAP_HOME", str(tmp_path / "other"))
    server = filled(tmp_path / "server")
    answers = [
        [
            [
                (hit.memory.content, round(hit.score, 9))
                for hit in lore.recall(query, recipe=recipe).hits
            ]
            for query in ASKED
        ]
        for lore in (file, server)
    ]
    assert any(answers[0])
    assert answers[0] == answers[1]
    for lore in (file, server):
        lore.close()

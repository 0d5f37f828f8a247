"""The memory as it would have been at a time: a throw-away store, whichever database it is of."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import loremap
from loremap.app.then import then
from loremap.errors import BadInput
from loremap.model.outcome import Stored

BORN = datetime(2026, 5, 4, 9, tzinfo=UTC)
TEXT = "Deploy with `make ship` on Fridays only, after the freeze"


class Clock:
    def __init__(self) -> None:
        self.at = BORN

    def __call__(self) -> datetime:
        self.at += timedelta(milliseconds=1)
        return self.at


def test_it_goes_through_the_past_and_leaves_nothing(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was withdrawn since was known then; what came later was not. No file stays, and no text
    can be read in one while it is there."""
    thrown = tmp_path / "thrown"
    thrown.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(thrown))
    clock = Clock()
    (folder := tmp_path / "project").mkdir()
    with loremap.open(folder, now=clock) as lore:
        lore.use_embedder(None)
        lore.init()
        outcome = lore.remember(TEXT)
        assert isinstance(outcome, Stored)
        clock.at = BORN + timedelta(days=6)
        lore.retract(outcome.memory.id)
        later = lore.remember("Prices are kept in cents, and never as floats")
        assert isinstance(later, Stored)
        with lore.store.read() as conn:
            before = lore.store.change_seq(conn)
        with then(lore) as past:
            for days, known in ((5, {TEXT}), (7, {later.memory.content}), (-1, set())):
                past.go_to(BORN + timedelta(days=days), without="s")
                assert {one.content for one in past.known.values()} == known
                with past.workspaces.at(folder) as seen:
                    assert {one.content for one in seen.list()} == known
            files = [path for path in thrown.rglob("*") if path.is_file()]
            assert files
            assert not any(b"make ship" in path.read_bytes() for path in files)
        assert list(thrown.iterdir()) == []
        with lore.store.read() as conn:
            assert lore.store.change_seq(conn) == before


def test_a_folder_without_a_project_has_no_past(home: Path, tmp_path: Path) -> None:
    (folder := tmp_path / "nowhere").mkdir()
    with (
        loremap.open(folder) as lore,
        pytest.raises(BadInput),
        then(lore),
    ):
        pass

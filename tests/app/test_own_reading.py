"""What a client loads through a link or an import counts as loaded."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from loremap.clients.own_reading import OwnReading
from loremap.clients.registry import CLIENTS
from loremap.code.repository import repository_at
from loremap.model.kind import Kind
from loremap.model.memory import Memory, Origin, Scope, Status

AT = datetime(2026, 1, 1, tzinfo=UTC)


def line_of(path: str, origin: Origin = Origin.FILE, text: str = "A line") -> Memory:
    """A line of a project's file, as its owner kept it."""
    return Memory(
        id="0" * 32,
        kind=Kind.CONVENTION,
        content=text,
        summary=text,
        status=Status.CONFIRMED,
        scope=Scope.PROJECT,
        project_id="p",
        created_at=AT,
        updated_at=AT,
        last_accessed_at=AT,
        origin=origin,
        fingerprint="",
        source_file=path,
    )


def loads(client: str, path: str, root: Path, origin: Origin = Origin.FILE) -> bool:
    return OwnReading(CLIENTS[client], repository_at(root)).has(line_of(path, origin))


def write(root: Path, path: str, text: str = "- a rule\n") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


def test_a_file_that_another_imports(tmp_path: Path) -> None:
    write(tmp_path, "AGENTS.md", "- a rule\n\nSee also @docs/style.md.\n")
    write(tmp_path, "docs/style.md", "@deeper.md\n")
    write(tmp_path, "docs/deeper.md")
    write(tmp_path, "docs/other.md")
    write(tmp_path, "CLAUDE.md", "@AGENTS.md\nWrite to a@example.org.\n")
    for path in ("AGENTS.md", "docs/style.md", "docs/deeper.md"):
        assert loads("claude", path, tmp_path), path
    assert not loads("claude", "docs/other.md", tmp_path)
    assert not loads("codex", "docs/style.md", tmp_path), "Codex knows no imports"


@pytest.mark.parametrize("path", ["AGENTS.md", "src/AGENTS.md"])
def test_a_file_that_a_link_leads_to(tmp_path: Path, path: str) -> None:
    write(tmp_path, path)
    link = (tmp_path / path).with_name("GEMINI.md")
    assert not loads("gemini", path, tmp_path)
    link.symlink_to("AGENTS.md")
    assert loads("gemini", path, tmp_path)


def test_files_that_import_each_other_come_to_an_end(tmp_path: Path) -> None:
    write(tmp_path, "GEMINI.md", "@a.md\n")
    write(tmp_path, "a.md", "@GEMINI.md @a.md\n")
    assert loads("gemini", "a.md", tmp_path)


def test_what_a_person_said_of_a_file_is_no_line_of_it(tmp_path: Path) -> None:
    write(tmp_path, "CLAUDE.md")
    assert loads("claude", "CLAUDE.md", tmp_path)
    assert not loads("claude", "CLAUDE.md", tmp_path, Origin.USER_STATED)


def test_what_another_file_says_too_is_loaded(tmp_path: Path) -> None:
    write(
        tmp_path, "AGENTS.md", "# Rules\n\n- Use **`pnpm`**, never\n  `npm`, in this repository.\n"
    )
    same = line_of("CONTRIBUTING.md", text="Use `pnpm`, never `npm`, in this repository.")
    other = line_of("CONTRIBUTING.md", text="Use `pnpm`, never `yarn`, in this repository.")
    reading = OwnReading(CLIENTS["codex"], repository_at(tmp_path))
    assert reading.has(same)
    assert not reading.has(other)
    assert not OwnReading(CLIENTS["gemini"], repository_at(tmp_path)).has(same)

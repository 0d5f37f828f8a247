"""Who said a memory, with what program and on what code; and what is counted of it, each apart."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import loremap
from loremap.app import Lore
from loremap.memory.admission.amend import Edit
from loremap.model.memory import Memory, Provenance
from loremap.model.outcome import Merged, Stored

TEXT = "The gateway in gateway.py drops requests after 30 seconds."


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Iterator[Lore]:
    """A repository with one commit, whose vectors need no model."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "hashing"\n')
    project = tmp_path / "project"
    project.mkdir()
    (project / "gateway.py").write_text("TIMEOUT = 30\n")
    for step in (
        ["init", "--quiet", "--initial-branch=main"],
        ["add", "."],
        ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "one"],
    ):
        subprocess.run(["git", "-C", str(project), *step], check=True)
    with loremap.open(project) as opened:
        yield opened


def who(entry: Provenance) -> tuple[str, str | None, str | None, str | None]:
    return entry.actor, entry.agent, entry.session_id, entry.branch


def test_every_source_says_who_where_and_on_what_code(lore: Lore) -> None:
    agent = lore.as_session("s1", "claude")
    outcome = agent.remember(TEXT, source_file="gateway.py")
    assert isinstance(outcome, Stored)
    id_ = outcome.memory.id
    lore.as_session("s2", "codex").remember(TEXT)
    lore.remember(TEXT)
    lore.as_session("s3", None).edit(id_, Edit(content="The gateway in gateway.py is slow."))
    chain = lore.show(id_).provenance
    assert [who(entry) for entry in chain] == [
        ("agent:claude", "claude", "s1", "main"),
        ("agent:codex", "codex", "s2", "main"),
        ("user", None, None, "main"),
        ("user", None, "s3", "main"),
    ]
    assert {entry.commit_id for entry in chain} == {lore.branches.commit_now()}
    assert lore.branches.commit_now()
    assert [entry.file for entry in chain] == ["gateway.py", None, None, None]


def used(lore: Lore, memory: Memory) -> Memory:
    lore.used([memory.id])
    return lore.find(memory.id)


def repeated(lore: Lore, memory: Memory) -> Memory:
    outcome = lore.remember(memory.content)
    assert isinstance(outcome, Merged)
    return outcome.memory


@pytest.mark.parametrize(
    ("act", "counts", "stronger"),
    [
        (used, "uses", 0),
        (repeated, "repetitions", 1),
        (lambda lore, memory: lore.confirm(memory.id), "confirmations", 1),
        (lambda lore, memory: lore.feedback(memory.id, helpful=True), "helpful", 1),
        (lambda lore, memory: lore.feedback(memory.id, helpful=False), "unhelpful", 0),
    ],
    ids=["used", "repeated", "confirmed", "helpful", "unhelpful"],
)
def test_each_is_counted_apart(
    lore: Lore, act: Callable[[Lore, Memory], Memory], counts: str, stronger: int
) -> None:
    outcome = lore.remember(TEXT)
    assert isinstance(outcome, Stored)
    was = outcome.memory
    now = act(lore, was)
    names = ("uses", "repetitions", "confirmations", "helpful", "unhelpful")
    assert {name: getattr(now, name) - getattr(was, name) for name in names} == {
        name: int(name == counts) for name in names
    }
    assert now.access_count == was.access_count + 1
    assert now.strength == was.strength + stronger

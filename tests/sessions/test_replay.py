"""One's own sessions of the past, gone through with the memory as it was then."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from session_tools import BEGAN, Clock

from loremap.app import Lore
from loremap.app.replaying import Replay, Replayed, replay, summed
from loremap.errors import NotFound
from loremap.model.memory import Memory, Trigger
from loremap.model.outcome import Stored
from loremap.model.session import Session as KeptSession
from loremap.model.session import Work
from loremap.storage import learning
from loremap.storage import sessions as session_rows

FILES = {
    "auth/tokens.py": '"""Access and refresh tokens."""\n\n\nclass Tokens:\n'
    "    def refresh_token(self, token):\n        return token\n",
    "auth/__init__.py": '"""Logs customers in."""\n',
    "store/cart.py": '"""The cart of a customer."""\n\n\nclass Cart:\n'
    "    def total(self):\n        return 0\n",
    "store/__init__.py": '"""Carts and prices."""\n',
}
TASK = "Tokens.refresh_token forgets the customer"


class Session:
    """A session of Claude Code, as it writes it down."""

    def __init__(self, user: Path, folder: Path, id_: str, at: datetime) -> None:
        self.id, self.folder, self.at = id_, folder, at
        self._path = user / ".claude" / "projects" / "-project" / f"{id_}.jsonl"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._lines: list[dict[str, Any]] = []

    def typed(self, text: str) -> Session:
        """A person typed this."""
        return self._told("user", text)

    def said(self, text: str) -> Session:
        """The agent said this."""
        return self._told("assistant", [{"type": "text", "text": text}])

    def called(self, name: str, result: str = "", *, fails: bool = False, **given: str) -> Session:
        """The agent called a tool, and this came back."""
        use_id = f"{self.id}-{len(self._lines)}"
        self._told("assistant", [{"type": "tool_use", "id": use_id, "name": name, "input": given}])
        came = {"type": "tool_result", "tool_use_id": use_id, "content": result, "is_error": fails}
        return self._told("user", [came])

    def _told(self, role: str, content: Any) -> Session:
        self._lines.append(
            {
                "type": role,
                "message": {"role": role, "content": content},
                "timestamp": (self.at + timedelta(seconds=len(self._lines))).isoformat(),
                "cwd": str(self.folder),
                "sessionId": self.id,
            }
        )
        self._path.write_text("".join(json.dumps(line) + "\n" for line in self._lines))
        return self


Sessions = Callable[[str, datetime], Session]


@pytest.fixture
def sessions(lore: Lore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Sessions:
    """Makes sessions in a project with some code, half a year later."""
    user = tmp_path / "user"
    user.mkdir()
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("USERPROFILE", str(user))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    for name, text in FILES.items():
        path = lore.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    lore.code.scan()
    return lambda id_, at: Session(user, lore.folder, id_, at)


def remembered(lore: Lore, text: str, **how: Any) -> Memory:
    outcome = lore.remember(text, **how)
    assert isinstance(outcome, Stored), outcome
    return outcome.memory


def replayed(lore: Lore, clock: Clock, **how: Any) -> Replay:
    clock.at = BEGAN + timedelta(days=180)
    return replay(lore, **how)


def told_of(session: Replayed) -> set[str]:
    return {id_ for each in session.told for id_ in each.told.memories}


def one(found: Replay) -> Replayed:
    assert found.faults == ()
    (only,) = found.sessions
    return only


def test_the_file_a_brief_names_is_right_where_it_was_edited_later(
    lore: Lore, sessions: Sessions, clock: Clock
) -> None:
    """A search led to the file that the brief would have named: it would have been spared."""
    (
        sessions("s1", BEGAN)
        .typed(TASK)
        .called("Grep", "auth/tokens.py:5: def refresh_token", pattern="refresh_token")
        .called("Read", "x" * 400, file_path=str(lore.folder / "auth/tokens.py"))
        .called("Edit", file_path=str(lore.folder / "auth/tokens.py"), new_string="y")
    )
    found = one(replayed(lore, clock))
    (told,) = found.at_prompts
    assert "auth/tokens.py" in told.told.text
    assert told.files == ("auth/tokens.py",)
    assert (found.found.calls, found.spared.calls, found.generously.calls) == (2, 1, 1)
    assert found.told_tokens > 0


def test_a_file_nobody_came_to_is_not_right(lore: Lore, sessions: Sessions, clock: Clock) -> None:
    sessions("s1", BEGAN).typed(TASK).called("Bash", "ok", command="make")
    found = one(replayed(lore, clock))
    assert [told.is_right for told in found.at_prompts] == [False]
    assert found.spared.calls == 0


def test_a_memory_made_after_a_session_does_not_count(
    lore: Lore, sessions: Sessions, clock: Clock
) -> None:
    """The same two sessions: only the second knows what was remembered in between."""
    text = "Refreshing tokens of a customer must go through the vault, never through the cache"
    prompt = "how are the tokens of a customer refreshed, through the vault or the cache?"
    sessions("before", BEGAN).typed(prompt)
    clock.at = BEGAN + timedelta(days=1)
    memory = remembered(lore, text, kind="decision")
    sessions("after", BEGAN + timedelta(days=2)).typed(prompt)
    before, after = replayed(lore, clock).sessions
    assert told_of(before) == set()
    assert told_of(after) == {memory.id}


def test_what_a_session_taught_itself_is_not_known_to_it(
    lore: Lore, sessions: Sessions, clock: Clock
) -> None:
    """A memory that bears an earlier date, because it was learned from the session, is left out."""
    prompt = "how are the tokens of a customer refreshed, through the vault or the cache?"
    text = "Refreshing tokens of a customer must go through the vault, never through the cache"
    clock.at = BEGAN - timedelta(days=1)
    memory = remembered(lore.as_session("own", "claude"), text, kind="decision")
    for id_ in ("own", "other"):
        sessions(id_, BEGAN).typed(prompt)
    by_id = {each.session.id: each for each in replayed(lore, clock).sessions}
    assert told_of(by_id["own"]) == set()
    assert told_of(by_id["other"]) == {memory.id}


def test_a_warning_is_right_where_the_call_failed(
    lore: Lore, sessions: Sessions, clock: Clock
) -> None:
    push = Trigger("literal", "git push --force", "command")
    remembered(lore, "A forced push is refused by the server.", kind="warning", triggers=[push])
    (
        sessions("s1", BEGAN + timedelta(days=1))
        .typed("publish it")
        .called("Bash", "rejected", command="git push --force", fails=True)
        .called("Bash", "fine", command="git push")
    )
    found = one(replayed(lore, clock))
    (warning,) = found.warnings
    assert warning.told.turn == 1
    assert warning.ran_into
    assert summed([found]).ran_into == 1


def test_what_a_person_had_to_say_again_was_known(
    lore: Lore, sessions: Sessions, clock: Clock
) -> None:
    said = "Never use pip here, always install packages with uv."
    memory = remembered(lore, said, kind="preference")
    (
        sessions("s1", BEGAN + timedelta(days=1))
        .typed("add the requests package")
        .called("Bash", "installed", command="pip install requests")
        .said("I installed it with pip.")
        .typed(said)
        .said("Sorry, I will use uv.")
    )
    found = one(replayed(lore, clock))
    assert [again.memory_id for again in found.repeated] == [memory.id]
    assert found.repeated[0].was_told


def digest_of(home: Path) -> dict[str, str]:
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file() and not path.name.endswith("-shm")
    }


def test_nothing_is_written(lore: Lore, sessions: Sessions, clock: Clock, home: Path) -> None:
    remembered(lore, "Deploy with `make ship` on Fridays only, after the freeze")
    sessions("s1", BEGAN + timedelta(days=1)).typed("how do we deploy with make ship?")
    with lore.store.read() as conn:
        before = lore.store.change_seq(conn)
    files = digest_of(home)
    assert one(replayed(lore, clock)).at_prompts
    assert digest_of(home) == files
    with lore.store.read() as conn:
        assert lore.store.change_seq(conn) == before


def test_the_newest_are_taken_and_one_may_be_named(
    lore: Lore, sessions: Sessions, clock: Clock
) -> None:
    for day in range(3):
        sessions(f"s{day}", BEGAN + timedelta(days=day)).typed("hello there")
    found = replayed(lore, clock, most=2)
    assert [each.session.id for each in found.sessions] == ["s1", "s2"]
    assert found.older == 1
    assert one(replayed(lore, clock, session_id="s0")).session.id == "s0"
    with pytest.raises(NotFound):
        replayed(lore, clock, session_id="nobody")


def test_an_interrupt_keeps_what_is_done(lore: Lore, sessions: Sessions, clock: Clock) -> None:
    for day in range(3):
        sessions(f"s{day}", BEGAN + timedelta(days=day)).typed("hello there")

    def interrupt(_what: str, done: int, _of: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    found = replayed(lore, clock, tell=interrupt)
    assert [each.session.id for each in found.sessions] == ["s0"]
    assert not found.is_whole


def test_how_a_session_went_is_told_to_those_after_it(
    lore: Lore, sessions: Sessions, clock: Clock
) -> None:
    for number, day in enumerate((0, 2, 4)):
        sessions(f"s{number}", BEGAN + timedelta(days=day)).typed(TASK)
    ended = BEGAN + timedelta(days=2, hours=1)
    over = KeptSession(
        id="s1", client="claude", created_at=BEGAN, project_id=lore.project_id, last_at=ended
    )
    work = Work(summary=f"Asked: {TASK}", changed=("auth/tokens.py",))
    with lore.store.append() as conn:
        session_rows.upsert(conn, over)
        learning.note_read(conn, "s1", seq=0, work=work)
    told = [each.at_prompts[0].told.text for each in replayed(lore, clock).sessions]
    assert ["Asked: " in text for text in told] == [False, False, True]

"""A session of the past, gone through once more with the memory agent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from agent_tools import shop_in

from loremap.agent.replay.rehearsal import PastClock, Rehearsal, Told, patient
from loremap.app.lore import Lore, open_workspaces
from loremap.clients.payloads.tools import called
from loremap.config.folders import folders
from loremap.memory.workspaces import Workspaces
from loremap.model.memory import Trigger
from loremap.model.session import Tier
from loremap.model.turn import Speaker, Turn
from loremap.storage import sessions

BEGAN = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


@dataclass
class Stage:
    """Where sessions are gone through."""

    workspaces: Workspaces[Lore]
    clock: PastClock
    folder: Path

    def told(self, *turns: Turn, client: str = "claude") -> list[Told]:
        """What a session would have been told."""
        with Rehearsal(self.workspaces, self.clock, self.folder, failed=self._fail) as rehearsal:
            return rehearsal.told(turns, client=client, session_id="then")

    @staticmethod
    def _fail(where: str, fault: BaseException) -> None:
        raise AssertionError(where) from fault


@pytest.fixture
def stage(home: Path, tmp_path: Path) -> Iterator[Stage]:
    """A shop's repository, read, and a memory of it."""
    clock = PastClock(BEGAN)
    workspaces = open_workspaces(folders(), now=clock)
    settings = patient(workspaces.engine.settings)
    values = {**settings.values, "embedding.provider": "none"}
    workspaces.engine.settings = replace(settings, values=values)
    folder = shop_in(tmp_path / "shop")
    with workspaces.at(folder) as lore:
        lore.init()
        lore.code.scan()
        lore.modules.map()
        push = Trigger("literal", "git push --force", "command")
        lore.remember("A forced push loses the work of others.", kind="warning", triggers=[push])
    yield Stage(workspaces, clock, folder)
    workspaces.close()


def turn(number: int, text: str = "", command: str = "", at: datetime | None = None) -> Turn:
    call = called("Bash", {"command": command}) if command else None
    speaker = Speaker.PERSON if call is None else Speaker.TOOL
    return Turn(number=number, speaker=speaker, text=text, call=call, at=at)


def test_a_session_is_told_the_files_of_its_task_and_warned_of_a_command(stage: Stage) -> None:
    told = stage.told(
        turn(0, "The cart forgets the customer when Tokens.refresh fails"),
        turn(1, command="pytest -q"),
        turn(2, command="git push --force"),
    )
    by_tier = {(one.tier, one.turn): one for one in told}
    assert "src/auth/tokens.py" in by_tier[Tier.TASK, 0].text
    warned = by_tier[Tier.TOOL, 2]
    assert "forced push" in warned.text
    assert warned.memories
    assert warned.holds
    assert (Tier.TOOL, 1) not in by_tier


def test_the_clock_stands_where_the_session_is_and_never_goes_back(stage: Stage) -> None:
    later = BEGAN + timedelta(days=3)
    stage.told(turn(0, "Hello there", at=later), turn(1, "More", at=BEGAN))
    assert later < stage.clock() < later + timedelta(seconds=1)


def test_what_a_subagent_did_is_not_gone_through(stage: Stage) -> None:
    inner = replace(turn(0, command="git push --force"), in_subagent=True)
    assert [one for one in stage.told(inner) if one.tier is Tier.TOOL] == []


def test_nothing_is_kept_of_what_was_gone_through(stage: Stage) -> None:
    store = stage.workspaces.engine.store
    with store.read() as conn:
        before = store.change_seq(conn)
    stage.told(turn(0, "The cart forgets the customer"), turn(1, command="git push --force"))
    with store.read() as conn:
        assert store.change_seq(conn) == before
        assert sessions.find(conn, "then") is None


@pytest.mark.parametrize(
    ("client", "told_at"), [("claude", 0), ("codex", 0), ("gemini", 0), ("cline", 2)]
)
def test_each_client_is_told_when_it_takes_it(stage: Stage, client: str, told_at: int) -> None:
    """The brief comes with the prompt, or with the first call of a client that takes nothing then;
    a block that comes with it is still the block."""
    told = stage.told(
        turn(0, "The cart forgets the customer when Tokens.refresh fails"),
        turn(2, command="pytest -q"),
        client=client,
    )
    assert [one.turn for one in told if one.tier is Tier.TASK] == [told_at]
    assert len([one for one in told if one.tier is Tier.ALWAYS]) == 1

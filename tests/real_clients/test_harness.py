"""Whether the pinned clients run at all against the scripted model, with nothing of ours."""

from __future__ import annotations

from pathlib import Path

import pytest
from conversations import conversation
from models import ScriptedModel

from clients import CLIENTS

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300)]


@pytest.mark.parametrize("name", CLIENTS)
def test_a_resumed_session_goes_on(name: str, tmp_path: Path) -> None:
    client, project = CLIENTS[name], tmp_path / "project"
    project.mkdir()
    with ScriptedModel() as model:
        model.play(client.shell("printf out-of-%s 42"))
        first = client.run("count the zebras", home=tmp_path, project=project, model=model)
        assert first.exit_code == 0, first.stderr
        assert ["out-of-42" in request.text() for request in first.turns] == [False, True]
        model.play()
        again = client.run(
            "count the yaks", home=tmp_path, project=project, model=model, resume=first.session
        )
    assert again.session == first.session
    assert "count the zebras" in again.turns[0].text()


@pytest.mark.parametrize("name", CLIENTS)
def test_a_conversation_can_be_compacted(name: str, tmp_path: Path) -> None:
    client, project = CLIENTS[name], tmp_path / "project"
    project.mkdir()
    with (
        ScriptedModel() as model,
        conversation(client, home=tmp_path, project=project, model=model) as talk,
    ):
        first = talk.ask("count the zebras", client.shell("printf out-of-%s 42"))
        second = talk.ask("count the yaks")
        compaction = talk.compact()
        third = talk.ask("count the gnus")
    assert "out-of-42" in first.turns[-1].text()
    assert "out-of-42" in second.turns[-1].text()
    assert "summary" in [request.kind for request in compaction.requests]
    assert "out-of-42" not in third.turns[-1].text()

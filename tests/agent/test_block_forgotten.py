"""A session that comes back is not given again what was forgotten meanwhile."""

from __future__ import annotations

import pytest
from agent_tools import Scene

from loremap.model.hook import Beginning, Moment

SAID = "Never deploy the quokka on a Friday, it bites"
OTHER = "Always run the linter before a commit"


def pinned(scene: Scene) -> str:
    scene.remember(OTHER, kind="convention")
    return scene.remember(SAID, kind="warning").id


def gone(scene: Scene, id_: str, *, for_good: bool) -> None:
    """Forgotten by a process of its own, as from a shell."""
    import loremap

    with loremap.open(scene.folder, now=scene.clock) as elsewhere:
        elsewhere.forget(id_, now_and_forever=for_good)


@pytest.mark.parametrize("for_good", [False, True], ids=["forgotten", "erased"])
@pytest.mark.parametrize("restarts", [False, True], ids=["same resident", "another resident"])
@pytest.mark.parametrize("client", ["copilot", "gemini"])
def test_resumed_sessions_are_told_what_still_holds(
    scene: Scene, client: str, restarts: bool, for_good: bool
) -> None:
    id_ = pinned(scene)
    assert "quokka" in scene.start(client=client) + scene.prompt("hello", client=client)
    gone(scene, id_, for_good=for_good)
    if restarts:
        scene.restart()
    told = scene.start(Beginning.RESUME, client=client) + scene.prompt("go on", client=client)
    assert "quokka" not in told
    assert client != "copilot" or "linter" in told


@pytest.mark.parametrize("for_good", [False, True], ids=["forgotten", "erased"])
def test_after_a_compaction_the_block_is_made_of_what_holds(scene: Scene, for_good: bool) -> None:
    id_ = pinned(scene)
    assert "quokka" in scene.start(client="gemini") + scene.prompt("hello", client="gemini")
    gone(scene, id_, for_good=for_good)
    scene.happens(Moment.BEFORE_COMPACT, client="gemini")
    told = scene.prompt("and now?", client="gemini")
    assert "linter" in told
    assert "quokka" not in told


def test_a_session_that_ends_does_not_bring_back_what_was_erased(scene: Scene) -> None:
    id_ = pinned(scene)
    assert "quokka" in scene.start()
    gone(scene, id_, for_good=True)
    scene.happens(Moment.SESSION_END)
    session = scene.session()
    assert session is not None
    assert session.ended_at is not None
    assert session.always_on == ""
    scene.restart()  # what it held is written
    assert b"quokka" not in (scene.home / "lore.db").read_bytes()


def test_a_block_that_holds_is_given_again_byte_for_byte(scene: Scene) -> None:
    pinned(scene)
    first = scene.start(client="copilot")
    scene.remember("Parcels are weighed twice", kind="convention")
    assert scene.start(Beginning.RESUME, client="copilot") == first

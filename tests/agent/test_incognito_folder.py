"""An incognito session does not have its folder watched, whatever happens in it."""

from __future__ import annotations

from agent_tools import Scene

from loremap.model.hook import Moment


def test_the_folder_of_an_incognito_session_is_not_watched(scene: Scene) -> None:
    told = {"session_id": "secret", "incognito": True}
    scene.start(**told)
    scene.prompt("How are refresh tokens kept?", **told)
    scene.before("git push --force", **told)
    scene.happens(Moment.STOP, said="They are kept in Redis.", **told)
    scene.happens(Moment.SESSION_END, **told)
    assert scene.workspaces.folders() == ()
    scene.start(session_id="open")
    assert scene.workspaces.folders() == (scene.folder,)

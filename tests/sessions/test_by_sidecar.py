"""The small model looks at a session behind the rules: it adds, under the same admission."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from session_tools import Clock, Transcript, memory_of, unread

from fake_sidecar import FakeSidecar, Reply, running, said, status, use
from loremap.agent.session_agent import Retrieved
from loremap.app import Lore
from loremap.app.lore import open_workspaces
from loremap.config import settings
from loremap.config.folders import folders
from loremap.interfaces.resident.sidecar_work import LATER_S, SidecarWork
from loremap.memory import sidecar as metered
from loremap.memory.brief.brief import Brief
from loremap.memory.gaps import note, open_gaps
from loremap.model.hook import HookEvent, Moment
from loremap.model.memory import Origin, Status
from loremap.model.outcome import Stored
from loremap.model.recall import Hit
from loremap.sessions.pointed import BECAUSE
from loremap.storage import findings, learning, projects, relations

RULE = "Migrations are always written by hand in this repository."
MISSED = "The staging database resets itself every night at two."


@pytest.fixture
def server() -> Iterator[FakeSidecar]:
    with running() as started:
        yield started


@pytest.fixture
def helped(lore: Lore, server: FakeSidecar, monkeypatch: pytest.MonkeyPatch) -> Lore:
    monkeypatch.setattr(metered, "FAILURES", 100)
    use(lore, kind="openai", url=server.url, model="tiny")
    return lore


def points_to(quote: str, line: int = 1, speaker: str = "person") -> Reply:
    item = {"line": line, "speaker": speaker, "kind": "gotcha", "quote": quote}
    return said({"found": [item]})


def session(transcript: Transcript, **more: object) -> None:
    transcript.typed(RULE)
    transcript.typed(MISSED)
    transcript.row(ended=True, **more)


def waiting(lore: Lore) -> list[tuple[str, int]]:
    with lore.store.read() as conn:
        return [
            (one.id, seq)
            for one, seq in learning.unshown(conn, since=lore.now().replace(year=2000))
        ]


@pytest.fixture
def worker(helped: Lore, clock: Clock) -> Iterator[SidecarWork]:
    """The resident's thread, as far as one look at a time."""
    workspaces = open_workspaces(folders(), now=clock)
    workspaces.engine.use_embedder(None)
    yield SidecarWork(workspaces)
    workspaces.close()


def shown(lore: Lore) -> None:
    """Rules read what is due, then the small model is shown it."""
    for one in unread(lore):
        memory_of(lore).take_up(one)
    with lore.store.read() as conn:
        every = learning.unshown(conn, since=lore.now().replace(year=2000))
    for one, seq in every:
        memory_of(lore).show_to_sidecar(one, seq=seq)


def contents(lore: Lore) -> set[str]:
    return {memory.content for memory in lore.list(statuses=(Status.CANDIDATE,))}


def test_it_adds_to_what_rules_found(
    helped: Lore, transcript: Transcript, server: FakeSidecar
) -> None:
    session(transcript)
    server.usual = points_to("resets itself every night")
    shown(helped)
    assert contents(helped) == {RULE, MISSED}
    (added,) = (one for one in helped.list(statuses=(Status.CANDIDATE,)) if one.content == MISSED)
    assert added.origin is Origin.CONVERSATION
    with helped.store.read() as conn:
        kept = findings.of_session(conn, "s1")
    assert [one.finding.because for one in kept] == ["says always", BECAUSE]
    assert waiting(helped) == []
    shown(helped)
    assert len(server.seen) == 1, "a session that did not go on is shown once"


@pytest.mark.parametrize(
    "reply",
    [
        points_to("The staging database is made of cheese."),
        points_to(MISSED, line=0),
        points_to(MISSED, speaker="agent"),
        said({"found": []}),
        said({"found": "none"}),
        said("I found nothing of note."),
    ],
)
def test_what_does_not_hold_adds_nothing_and_takes_nothing(
    helped: Lore, transcript: Transcript, server: FakeSidecar, reply: Reply
) -> None:
    session(transcript)
    server.usual = reply
    shown(helped)
    assert contents(helped) == {RULE}
    assert waiting(helped) == []


def test_after_a_failure_it_is_asked_once_more_about_less(
    helped: Lore, transcript: Transcript, server: FakeSidecar
) -> None:
    transcript.typed(MISSED)
    for number in range(60):
        transcript.said(f"Step {number} " * 60)
        transcript.typed(f"Go on with number {number} as before, like that, " * 4)
    transcript.row(ended=True)
    server.answers = [status(400, "context too long"), points_to("resets itself every night", 0)]
    shown(helped)
    assert MISSED in contents(helped)
    first, second = (len(prompt) for prompt in server.prompts)
    assert second < 0.7 * first


def test_one_that_does_not_answer_is_asked_again_later(
    helped: Lore, transcript: Transcript, server: FakeSidecar
) -> None:
    session(transcript)
    server.usual = status(401)
    shown(helped)
    assert contents(helped) == {RULE}
    assert len(waiting(helped)) == 1
    server.usual = points_to("resets itself every night")
    shown(helped)
    assert contents(helped) == {RULE, MISSED}


@pytest.mark.parametrize("how", ["held out", "learning off", "project off"])
def test_what_is_private_is_not_sent(
    helped: Lore, transcript: Transcript, server: FakeSidecar, how: str
) -> None:
    session(transcript, held_out=how == "held out")
    for one in unread(helped):
        memory_of(helped).take_up(one)
    if how == "learning off":
        helped.sessions.switch_project(on=False)
    if how == "project off":
        assert helped.project_id is not None
        with helped.store.write(now=helped.now(), actor=helped.actor) as tx:
            projects.enable(tx, helped.project_id, on=False)
    shown(helped)
    assert server.seen == []


def test_the_resident_shows_sessions_that_are_over_and_waits_after_a_failure(
    helped: Lore,
    transcript: Transcript,
    server: FakeSidecar,
    clock: Clock,
    worker: SidecarWork,
) -> None:
    transcript.typed(MISSED)
    transcript.row()
    for one in unread(helped):
        memory_of(helped).take_up(one)
    worker.look()
    assert server.seen == [], "it goes on"
    transcript.row(ended=True)
    for one in unread(helped):
        memory_of(helped).take_up(one)
    server.usual = status(401)
    worker.look()
    worker.look()
    assert len(server.seen) == 2, "asked, asked about less, and then left alone"
    server.usual = points_to("resets itself every night", 0)
    clock.go_on(seconds=LATER_S + 1)
    worker.look()
    assert contents(helped) == {MISSED}


ASKED = "why are my rows gone each morning from that copy of production where we try things?"
"""It shares no word with its answer, so that rules see none in it."""


def gap(lore: Lore) -> list[str]:
    return [one.asked for one in open_gaps(lore)]


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ({"answered": [{"question": 1, "statement": 1}]}, []),
        ({"answered": [{"question": 2, "statement": 1}]}, [ASKED]),
        ({"answered": [{"question": 1, "statement": 9}]}, [ASKED]),
        ({"answered": "yes"}, [ASKED]),
        ({"answered": []}, [ASKED]),
    ],
)
def test_a_gap_is_closed_by_what_a_session_taught(
    helped: Lore,
    transcript: Transcript,
    server: FakeSidecar,
    answer: dict[str, object],
    left: list[str],
) -> None:
    assert note(helped, ASKED) is not None
    session(transcript)
    server.answers = [points_to("resets itself every night"), said(answer)]
    shown(helped)
    assert gap(helped) == left
    assert waiting(helped) == []
    assert MISSED in server.prompts[1]


def test_no_model_is_asked_whether_rules_closed_a_gap(
    helped: Lore, transcript: Transcript, server: FakeSidecar
) -> None:
    settings.save(helped.places.settings, "recall.recipe", "cascade")
    helped.engine.settings = settings.load(helped.places.settings)
    for what in ("staging database reset", "migrations by hand", "lunch at the lake"):
        assert note(helped, f"Tell me of the {what} in this repository please") is not None
    transcript.typed(RULE)
    transcript.row(ended=True)
    (one,) = unread(helped)
    taught = memory_of(helped).take_up(one)
    assert taught is not None
    assert server.seen == []


def test_where_nothing_is_open_nobody_is_asked_about_gaps(
    helped: Lore, transcript: Transcript, server: FakeSidecar
) -> None:
    session(transcript)
    server.usual = points_to("resets itself every night")
    shown(helped)
    assert len(server.seen) == 1


def test_a_session_whose_folder_has_gone_is_shown_where_its_project_lies(
    helped: Lore, transcript: Transcript, server: FakeSidecar, worker: SidecarWork
) -> None:
    session(transcript, folder=str(helped.folder.parent / "a-worktree-that-was-removed"))
    server.usual = points_to("resets itself every night")
    for one in unread(helped):
        memory_of(helped).take_up(one)
    worker.look()
    assert contents(helped) == {RULE, MISSED}
    assert waiting(helped) == []


def test_what_fitted_one_prompt_is_asked_about_once_and_by_the_thread_alone(
    helped: Lore, server: FakeSidecar, worker: SidecarWork
) -> None:
    first, second = (helped.remember(text) for text in (RULE, MISSED))
    hits = tuple(Hit(one.memory, 1.0) for one in (first, second) if isinstance(one, Stored))
    event = HookEvent(
        client="claude",
        name="UserPromptSubmit",
        moment=Moment.PROMPT,
        session_id="s1",
        at=helped.now(),
        folder=helped.folder,
    )
    fitted = Retrieved(event=event, at=helped.now(), brief=Brief("", hits=hits))
    server.usual = said({"pairs": [{"one": 1, "other": 2}], "tagged": []})
    for _ in range(3):
        worker.note_fitted(fitted)
    assert server.seen == [], "a prompt waits for nothing"
    worker.look()
    assert len(server.seen) == 1
    with helped.store.read() as conn:
        (link,) = relations.links_of(conn, hits[0].memory.id)
    assert {link.source_id, link.target_id} == {one.memory.id for one in hits}

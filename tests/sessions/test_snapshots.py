"""What lay in a context when it was compacted and when the task changed."""

from __future__ import annotations

from datetime import timedelta

from session_tools import BEGAN, Transcript, memory_of, unread

from loremap.app import Lore
from loremap.model.hook import Moment
from loremap.model.session import Injection, Tier
from loremap.model.snapshot import ContextItem, Snapshot, SnapshotReason
from loremap.sessions.episodes.snapshots import MAX_ITEMS, snapshots
from loremap.storage import events, injections
from loremap.storage import snapshots as rows
from loremap.storage.snapshots import Point


def point(
    second: int, moment: Moment = Moment.AFTER_TOOL, task: str | None = "a", tokens: int = 0
) -> Point:
    return Point(second, BEGAN + timedelta(seconds=second), moment, task, tokens or None)


def given(second: int, memory: str | None = "m", tokens: int = 40) -> Injection:
    return Injection(
        id=f"{memory}{second}",
        at=BEGAN + timedelta(seconds=second),
        session_id="s",
        project_id=None,
        client="claude",
        moment="prompt",
        tier=Tier.TASK,
        memory_id=memory,
        tokens=tokens,
        score=0.5,
    )


def taken(
    *points: Point, told: tuple[Injection, ...] = (), now_too: bool = False
) -> list[Snapshot]:
    return list(snapshots("s", points, told, now_too=now_too))


def test_at_a_compaction_what_was_given_since_the_last_one_goes() -> None:
    compacts = Moment.BEFORE_COMPACT
    first, second = taken(
        point(1),
        point(5, tokens=900),
        point(9, compacts),
        point(20, compacts),
        told=(given(2), given(3, None), given(11, "n")),
    )
    assert (first.reason, first.total_tokens, first.items) == (SnapshotReason.PRUNING, 900, ())
    assert first.pruned == (
        ContextItem("m", "task", 40, 0.5),
        ContextItem(None, "task", 40, 0.5),
    )
    assert [one.id for one in second.pruned] == ["n"]
    assert second.total_tokens == 40, "what we put there, as the client does not tell"


def test_at_a_change_of_task_what_lies_there_stays() -> None:
    (one,) = taken(
        point(1, task=None), point(2), point(3, task=None), point(4), point(6, task="b"),
        told=(given(2), given(7)),
    )  # fmt: skip
    assert (one.reason, one.task_id, one.pruned) == (SnapshotReason.TASK_SWITCH, "b", ())
    assert [item.id for item in one.items] == ["m"]


def test_one_is_taken_when_asked_and_none_holds_too_much() -> None:
    many = tuple(given(1, str(number)) for number in range(MAX_ITEMS + 5))
    assert taken(point(1), told=many) == []
    (one,) = taken(point(1), told=many, now_too=True)
    assert one.reason is SnapshotReason.MANUAL
    assert len(one.items) == MAX_ITEMS
    assert taken(now_too=True) == []


def test_they_are_kept_once_and_go_with_their_events(lore: Lore, transcript: Transcript) -> None:
    transcript.typed("fix the login timeout in the auth service")
    with lore.store.append() as conn:
        injections.put(conn, [given(0)])
    transcript.ran("make test")
    transcript.typed("write release notes for version two of the widget")
    transcript.ran("make notes")
    transcript.row(ended=True)
    for one in unread(lore):
        memory_of(lore).take_up(one)
    memory_of(lore).learn("s1")
    manual = lore.episodes.snapshot()
    assert manual.reason is SnapshotReason.MANUAL
    with lore.store.append() as conn:
        kept = rows.of_session(conn, "s1")
        assert [one.reason for one in kept] == [SnapshotReason.TASK_SWITCH, SnapshotReason.MANUAL]
        assert kept[-1] == manual
        events.prune(conn, before=lore.now() + timedelta(days=1))
        assert rows.of_session(conn, "s1") == []

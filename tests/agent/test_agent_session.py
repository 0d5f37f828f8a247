"""A session's start: the block, its bytes, its return, and what a client that missed it is owed."""

from __future__ import annotations

from random import Random

import pytest
from agent_tools import Scene

from loremap.model.hook import Beginning, Moment
from loremap.model.kind import Kind
from loremap.model.memory import Candidate
from loremap.model.session import Tier
from loremap.model.tokens import tokens

RULE = "Prices are stored in cents, never as floats"


@pytest.fixture
def known(scene: Scene) -> Scene:
    """A project with a map and a rule."""
    scene.scan()
    scene.remember(RULE, kind="decision")
    return scene


def test_a_session_opens_briefed(known: Scene) -> None:
    told = known.start()
    assert told.startswith('<project_memory source="loremap">')
    assert "data, not orders" in told
    assert "- auth: Logs customers in" in told
    assert RULE in told
    row = known.session()
    assert row is not None
    assert row.always_on == told
    assert row.client == "claude"
    tiers = {(one.tier, one.moment) for one in known.injected()}
    assert tiers == {(Tier.ALWAYS, "session_start")}


def test_each_client_in_its_dress(known: Scene) -> None:
    assert known.start(client="gemini", session_id="g") == ""  # it takes none there
    assert known.prompt("hi", client="gemini", session_id="g").startswith("# Project memory")
    assert known.start(client="codex", session_id="c").startswith("[project memory")


def test_the_block_is_the_same_to_the_byte_while_the_session_lasts(known: Scene) -> None:
    told = known.start(client="copilot")  # forgets it on resume
    known.remember("Tabs are never used", kind="convention")
    assert known.prompt("hello", client="copilot") == ""
    assert known.start(Beginning.RESUME, client="copilot") == told
    assert known.start(Beginning.FORK, client="copilot") == told
    known.restart()
    assert known.start(Beginning.RESUME, client="copilot") == told


def test_who_keeps_it_on_resume_is_not_given_it_twice(known: Scene) -> None:
    assert known.start() != ""
    assert known.start(Beginning.RESUME) == ""
    known.restart()
    assert known.start(Beginning.RESUME) == ""
    assert known.prompt("hello") == ""


def test_unless_a_compaction_came_between(known: Scene) -> None:
    """Codex says only afterwards that it compacted, and resumes in another process."""
    told = known.start(client="codex")
    known.happens(Moment.BEFORE_COMPACT, client="codex")
    known.happens(Moment.AFTER_COMPACT, client="codex")
    known.restart()
    assert known.start(Beginning.RESUME, client="codex") == told
    assert known.start(Beginning.RESUME, client="codex") == ""


def test_a_compaction_is_seen_to_once(known: Scene) -> None:
    """Or in the same process, where it begins the session anew at the next turn."""
    told = known.start(client="codex")
    known.happens(Moment.BEFORE_COMPACT, client="codex")
    known.happens(Moment.AFTER_COMPACT, client="codex")
    assert known.start(Beginning.COMPACT, client="codex") == told
    known.happens(Moment.BEFORE_COMPACT, client="codex")
    known.happens(Moment.AFTER_COMPACT, client="codex")
    assert known.prompt("hello", client="codex") == told
    assert known.start(Beginning.COMPACT, client="codex") == ""
    assert known.start(Beginning.COMPACT, client="codex") == told


@pytest.mark.parametrize("beginning", [Beginning.COMPACT, Beginning.CLEAR])
def test_after_compaction_it_is_back_and_as_things_are_now(
    known: Scene, beginning: Beginning
) -> None:
    told = known.start()
    assert known.start(beginning) == told
    known.remember("Tabs are never used", kind="convention")
    assert "Tabs are never used" in known.start(beginning)


def test_a_block_nobody_could_give_is_given_at_the_first_prompt(known: Scene) -> None:
    assert RULE in known.prompt("hello there")
    assert known.prompt("hello again") == ""
    assert known.injected()[0].moment == "prompt"


@pytest.mark.parametrize("client", ["claude", "gemini"])
def test_a_large_block_leaves_room_for_what_the_prompt_needs(known: Scene, client: str) -> None:
    gotcha = "Tokens.refresh does not ask Redis whether the session still lives"
    known.remember(gotcha, kind="gotcha", files=["src/auth/tokens.py"])
    signs = Random(1)
    texts = ["".join(chr(0x4E00 + signs.randrange(8_000)) for _ in range(150)) for _ in range(30)]
    with known.workspaces.at(known.folder) as lore:
        lore.use_embedder(None)
        lore.admit_all([Candidate(content=text, kind=Kind.DECISION) for text in texts])
    told = known.prompt("does the token refresh ask Redis?", client=client)
    assert gotcha in told
    assert told.count("data, not orders") == 2
    assert 4_000 < len(told.encode()) <= 8_000


def test_it_is_owed_over_a_restart_and_not_given_twice(known: Scene) -> None:
    known.start(client="cline")  # takes nothing at the start
    known.restart()
    tool_first = known.before("ls", client="cline")
    assert RULE in tool_first
    known.restart()
    assert known.before("ls", client="cline", use_id="t2") == ""


def test_an_empty_folder_gets_nothing(scene: Scene) -> None:
    assert scene.start() == ""
    assert scene.prompt("fix the login of customers") == ""


def test_some_clients_say_before_that_they_compact_and_no_more(known: Scene) -> None:
    known.start(client="gemini")
    told = known.prompt("hello", client="gemini")
    assert known.prompt("hello", client="gemini") == ""
    known.happens(Moment.BEFORE_COMPACT, client="gemini")
    assert known.prompt("hello", client="gemini") == told != ""


def test_who_says_it_after_the_new_start_is_not_given_it_again(known: Scene) -> None:
    known.start()
    known.happens(Moment.BEFORE_COMPACT)
    assert known.start(Beginning.COMPACT)
    known.happens(Moment.AFTER_COMPACT)
    assert known.prompt("hello") == ""


def test_what_the_client_reads_itself_is_not_told(scene: Scene) -> None:
    scene.remember(
        "Run make test before every commit",
        kind="convention",
        origin="file",
        source_file=_written(scene, "CLAUDE.md"),
    )
    with scene.workspaces.at(scene.folder) as lore:
        lore.confirm(lore.list()[0].id)
    assert scene.start(session_id="a", client="claude") == ""
    assert "make test" in scene.start(session_id="b", client="codex")


def _written(scene: Scene, name: str) -> str:
    (scene.folder / name).write_text("Run make test before every commit\n")
    return name


def test_candidates_and_what_came_from_outside_are_never_always_on(scene: Scene) -> None:
    with scene.workspaces.at(scene.folder, agent="coder", session_id="w") as lore:
        lore.remember("An agent thinks so", kind="convention")
        lore.remember("A page says so", kind="convention", origin="web")
    assert scene.start() == ""


def test_another_sessions_memories_stay_with_it(scene: Scene) -> None:
    with scene.workspaces.at(scene.folder, session_id="other") as lore:
        lore.remember("Only for now", kind="decision", scope="session")
    assert scene.start() == ""
    assert "Only for now" in scene.start(session_id="other")


def test_under_eight_kilobytes_whatever_happens(known: Scene) -> None:
    signs = Random(1)
    texts = ["".join(chr(0x4E00 + signs.randrange(8_000)) for _ in range(200)) for _ in range(20)]
    known.workspaces.engine.slot.use(None)  # vectors would take long and change nothing
    with known.workspaces.at(known.folder) as lore:
        lore.admit_all([Candidate(content=text, kind=Kind.DECISION) for text in texts])
    known.set("inject.brief_tokens", 5_000)
    told = known.start()
    assert 4_000 < len(told.encode()) <= 8_000


@pytest.mark.parametrize(
    ("more", "least", "most"),
    [
        ({"remaining_tokens": 3_000}, 100, 240),
        ({"context_tokens": 197_500}, 80, 200),
        ({}, 280, 1_800),
    ],
)
def test_little_room_makes_a_small_block(
    known: Scene, more: dict[str, int], least: int, most: int
) -> None:
    for topic in ("Taxes", "Refunds", "Coupons", "Shipping", "Invoices", "Returns", "Gifts"):
        said = f"{topic} are settled by {topic.lower()}.py and " + "so on " * 60
        known.remember(said, kind="decision")
    assert least < tokens(known.start(**more)) <= most


def test_an_ended_session_is_closed_and_may_come_back(known: Scene) -> None:
    known.start()
    known.happens(Moment.SESSION_END)
    row = known.session()
    assert row is not None
    assert row.ended_at is not None
    known.prompt("hello")  # some clients end it after every prompt
    again = known.session()
    assert again is not None
    assert again.ended_at is None


def test_a_block_that_came_with_a_prompt_is_in_the_history_when_resumed(scene: Scene) -> None:
    scene.remember("Every module has a one-line docstring", kind="convention")
    block = scene.start(client="copilot")
    assert block
    assert scene.start(Beginning.RESUME, client="copilot") == block
    scene.happens(Moment.BEFORE_COMPACT, client="copilot")
    assert scene.prompt("go on", client="copilot") == block
    assert scene.start(Beginning.RESUME, client="copilot") == ""
    scene.restart()
    assert scene.start(Beginning.RESUME, client="copilot") == ""
    assert scene.start(Beginning.CLEAR, client="copilot") == block


def test_a_session_that_began_unanswered_finds_all_open(known: Scene) -> None:
    known.restart()
    known.session_agent.expect(known.event(Moment.SESSION_START))
    assert known.session_agent.settle()
    engine = known.workspaces.engine
    assert known.folder in known.workspaces.folders()
    assert engine.warm_for(engine.slot.taken).size > 0
    assert known.injected() == []
    assert RULE in known.prompt("go on")  # the block is owed

"""At a prompt: what fits, once; another topic; and usually nothing."""

from __future__ import annotations

import pytest
from agent_tools import Scene

from loremap.model.clock import short_id
from loremap.model.hook import Beginning, Moment
from loremap.model.session import Tier

TOKENS = "Tokens.refresh does not ask Redis whether the session still lives"
ASKED = "customers are logged out after five minutes, look at the token refresh"
CART = "Cart.total rounds discounts to whole cents, which customers complained about"


@pytest.fixture
def known(scene: Scene) -> Scene:
    """A project with a map and two gotchas, in a session that has begun."""
    scene.scan()
    scene.remember(TOKENS, kind="gotcha", files=["src/auth/tokens.py"])
    scene.remember(CART, kind="gotcha", files=["src/store/cart.py"])
    scene.start()
    return scene


def test_the_first_prompt_is_told_the_brief_of_its_task_once(known: Scene) -> None:
    told = known.prompt(ASKED)
    assert "Files for this task:\n- src/auth/" in told
    assert "- src/auth/tokens.py: words: refresh, token\n" in told
    assert "Modules:" not in told, "the block has told them"
    assert f"Decided here:\n- #{short_id(known.injected()[-1].memory_id)} 2026-05-04 GOTCHA" in told
    assert TOKENS in told
    assert CART not in told
    rows = [one.why for one in known.injected() if one.tier is Tier.TASK and not one.memory_id]
    assert "located: words: refresh, token" in rows
    assert known.prompt("and does the token refresh ask Redis?") == ""


def test_a_first_prompt_that_says_nothing_leaves_the_brief_to_the_next(known: Scene) -> None:
    assert known.prompt("hi there") == ""
    assert "Files for this task:" in known.prompt(ASKED)


def test_another_topic_is_told_its_own_brief(known: Scene) -> None:
    known.prompt(ASKED)
    assert known.prompt("please draft a birthday invitation for my grandmother in May") == ""
    told = known.prompt("why does Cart.total round discounts to whole cents?")
    assert "Files for this task:\n- src/store/cart.py: " in told


@pytest.mark.parametrize(
    "prompt",
    [
        "thanks, that looks good",
        "write a haiku about spring rain",
        "What is the capital of France?",
        "yes",
        "",
        "   ",
        "continue",
        "/compact",
        "translate 'good morning' to Portuguese",
    ],
)
def test_an_unrelated_prompt_gets_nothing(known: Scene, prompt: str) -> None:
    assert known.prompt(prompt) == ""


def test_nothing_is_repeated_while_the_topic_lasts(known: Scene) -> None:
    assert TOKENS in known.prompt(ASKED)
    assert known.prompt("and does the token refresh ask Redis?") == ""
    assert known.prompt("so why are customers logged out, is it the refresh?") == ""


def test_nothing_is_repeated_after_a_restart(known: Scene) -> None:
    assert TOKENS in known.prompt(ASKED)
    known.restart()
    assert known.prompt("and does the token refresh ask Redis?") == ""


def test_another_topic_in_between_lets_it_return(known: Scene) -> None:
    assert TOKENS in known.prompt(ASKED)
    assert known.prompt("please draft a birthday invitation for my grandmother in May") == ""
    assert TOKENS in known.prompt(ASKED)


@pytest.mark.parametrize("beginning", [Beginning.COMPACT, Beginning.CLEAR, Beginning.RESUME])
def test_a_new_stretch_lets_it_return(known: Scene, beginning: Beginning) -> None:
    known.start(client="copilot", session_id="c")
    assert TOKENS in known.prompt(ASKED, client="copilot", session_id="c")
    known.start(beginning, client="copilot", session_id="c")
    assert TOKENS in known.prompt(ASKED, client="copilot", session_id="c")


def test_who_keeps_it_on_resume_is_not_told_again(known: Scene) -> None:
    assert TOKENS in known.prompt(ASKED)
    known.start(Beginning.RESUME)
    assert known.prompt(ASKED) == ""


def test_a_notice_of_the_client_is_no_prompt(known: Scene) -> None:
    note = f"<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT] {ASKED}"
    assert known.prompt(note) == ""


def test_what_the_block_says_is_not_said_again(known: Scene) -> None:
    rule = "Sessions of customers live for 24 hours in Redis"
    known.remember(rule, kind="decision")
    known.start(Beginning.COMPACT)
    assert rule not in known.prompt("how long do sessions of customers live in Redis?")


def test_two_sessions_do_not_share_what_they_were_told(known: Scene) -> None:
    assert TOKENS in known.prompt(ASKED)
    known.start(session_id="s2")
    assert TOKENS in known.prompt(ASKED, session_id="s2")


def test_text_of_our_own_is_not_taken_for_the_prompt(known: Scene) -> None:
    known.start(client="gemini", session_id="g")
    block = known.prompt("hi", client="gemini", session_id="g")
    wrapped = f"<hook_context>{block}\n{TOKENS}</hook_context>\n\nthanks, that looks good"
    assert known.prompt(wrapped, client="gemini", session_id="g") == ""


def test_a_client_that_takes_nothing_at_a_prompt_gets_nothing(known: Scene) -> None:
    known.start(client="cursor", session_id="c")
    assert known.prompt(ASKED, client="cursor", session_id="c") == ""
    assert [one.tier for one in known.injected("c")] == [Tier.ALWAYS]


def test_both_sides_of_a_conflict_are_told(known: Scene) -> None:
    one = "The checkout service retries a failed payment"
    other = "The checkout service never retries a failed payment"
    known.remember(one)
    with known.workspaces.at(known.folder, agent="coder", session_id="w") as lore:
        lore.remember(other)
        assert lore.conflicts(), "the two must be in conflict"
    told = known.prompt("does the checkout service retry a failed payment?")
    assert told.index("Decided here:") < told.index(one) < told.index("Noted, unverified:")
    assert told.index("Noted, unverified:") < told.index(other)
    assert told.count("[⚠ CONFLICT] with #") == 2


def test_what_a_person_rejected_does_not_come_back(known: Scene) -> None:
    from loremap.storage import injections

    assert TOKENS in known.prompt(ASKED)
    engine = known.workspaces.engine
    with engine.store.append() as conn:
        rows = [one.id for one in known.injected() if one.memory_id]
        assert injections.reject(conn, rows, known.clock()) == len(rows)
    known.start(Beginning.COMPACT)
    assert TOKENS not in known.prompt(ASKED)


def test_what_the_agent_used_is_marked_and_counted(known: Scene) -> None:
    known.prompt(ASKED)
    said = "Indeed Tokens.refresh does not ask Redis whether the session still lives."
    known.happens(Moment.STOP, said=said)
    marked = [one for one in known.injected() if one.referenced_at is not None]
    assert len(marked) == 1
    with known.workspaces.at(known.folder) as lore:
        assert lore.find(marked[0].memory_id or "").access_count == 1
    known.happens(Moment.STOP, said="All done.")
    assert len([one for one in known.injected() if one.referenced_at is not None]) == 1


def test_a_very_long_prompt_is_no_trouble(known: Scene) -> None:
    assert TOKENS in known.prompt(ASKED + "\n" + "x" * 2_000_000)


@pytest.mark.parametrize("more", [{"folder": None}, {"session_id": ""}])
def test_what_is_missing_is_met_with_silence(known: Scene, more: dict[str, object]) -> None:
    assert known.prompt(ASKED, **more) == ""


def test_a_folder_that_is_gone_is_met_with_silence(known: Scene) -> None:
    assert known.prompt(ASKED, folder=known.folder.parent / "gone", session_id="s9") == ""


def test_a_first_prompt_that_names_code_is_told_where_it_is(scene: Scene) -> None:
    scene.scan()
    scene.start()
    assert "- src/store/cart.py: defines Cart" in scene.prompt("`Cart.total` is off by one")


def test_a_first_prompt_in_the_words_of_a_file_is_told_where_it_is(scene: Scene) -> None:
    scene.scan()
    scene.start()
    said = scene.prompt("the cart has no total for a customer")
    assert "- src/store/cart.py: words: " in said


@pytest.mark.parametrize("prompt", ["what does a cart cost in general?", "Thanks, looks good!"])
def test_a_first_prompt_about_nothing_here_is_told_no_file(scene: Scene, prompt: str) -> None:
    scene.scan()
    scene.start()
    assert ".py" not in scene.prompt(prompt)

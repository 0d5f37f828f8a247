"""A brief keeps to its budget: files and modules first, then the two registers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from injection_tools import hit

from loremap.memory.brief.brief import BRIDGE, Dress, FileFound, brief
from loremap.memory.brief.ours import TEXT_CLOSE, TEXT_OPEN
from loremap.memory.brief.recaps import EARLIER
from loremap.memory.brief.render import FRAME, Piece
from loremap.model.clock import short_id
from loremap.model.memory import Status
from loremap.model.module import Module
from loremap.model.session import Tier
from loremap.model.tokens import tokens

AUTH = Module(
    name="auth",
    description="Logs people in.",
    core_files=tuple(f"src/auth/part{number}.py" for number in range(20)),
)
BILLING = Module(name="billing", core_files=("src/billing/a.py",))
FILES = [FileFound(f"src/auth/part{number}.py", "words: token, refresh") for number in range(8)]


def test_files_then_modules_then_what_was_decided_then_what_nobody_verified() -> None:
    noted = hit("Tokens seem to live a day", status=Status.CANDIDATE)
    told = hit("Tokens live an hour", "src/auth/part1.py")
    made = brief([noted, told], files=FILES[:1], modules=[AUTH, BILLING])
    assert made.text.split("\n\n") == [
        f"{TEXT_OPEN}]\n{FRAME}",
        "Files for this task:\n- src/auth/part0.py: words: token, refresh",
        "Modules:\n- auth: Logs people in (src/auth/)\n- billing (src/billing/a.py)",
        (
            f"Decided here:\n- #{short_id(told.memory.id)} 2026-01-01 GOTCHA src/auth/part1.py: "
            "Tokens live an hour"
        ),
        (
            f"Noted, unverified:\n- #{short_id(noted.memory.id)} 2026-01-01 GOTCHA: "
            "Tokens seem to live a day"
        ),
        TEXT_CLOSE,
    ]
    assert made.files == (FILES[0],)
    assert made.modules == (AUTH, BILLING)
    assert made.hits == (noted, told)


@pytest.mark.parametrize("budget", [50, 80, 120, 200, 400, 1800])
def test_it_never_exceeds_its_budget(budget: int) -> None:
    hits = [hit(f"Rule {number}: " + "word " * 30) for number in range(40)]
    made = brief(hits, files=FILES, modules=[AUTH], dress=Dress(budget_tokens=budget))
    assert tokens(made.text) <= budget
    assert len(made.hits) + made.left_out == 40


def test_files_leave_room_for_what_is_remembered() -> None:
    hits = [hit(f"Rule {number}: " + "word " * 30) for number in range(40)]
    made = brief(hits, files=FILES, modules=[AUTH], dress=Dress(budget_tokens=300))
    assert made.files
    assert len(made.hits) >= 3


def test_a_budget_is_used() -> None:
    hits = [hit(f"Rule {number}: " + "word " * 30) for number in range(40)]
    made = brief(hits, modules=[AUTH], dress=Dress(budget_tokens=1_800))
    assert made.tokens > 1_500
    assert made.modules == (AUTH,)


def test_nothing_is_nothing() -> None:
    assert brief([]).text == ""


def _piece(number: int, tier: Tier) -> Piece:
    return Piece(text=f"- {tier} {number}: {'word ' * 30}", tier=tier, why=f"{tier} {number}: w")


def test_the_tiers_stand_in_their_order_and_the_last_gives_way() -> None:
    memories = [hit(f"The rule number {number} of the cart holds.") for number in range(30)]
    given = {
        "bridge": [_piece(number, Tier.BRIDGE) for number in range(9)],
        "earlier": [_piece(number, Tier.SUMMARY) for number in range(9)],
    }
    dress = Dress(budget_tokens=400, bridge_tokens=200, summary_tokens=120)
    told = brief(memories, **given, dress=dress)
    parts = [told.text.index(title) for title in (BRIDGE, "Decided here", EARLIER)]
    assert parts == sorted(parts)
    assert told.tokens <= 400 + 200 + 120
    shares = [
        sum(tokens(one.text) for one in told.pieces if one.tier is tier)
        for tier in (Tier.BRIDGE, None, Tier.SUMMARY)
    ]
    assert all(0 < share <= most for share, most in zip(shares, (200, 400, 120), strict=True))
    full = brief(memories, **given, dress=replace(dress, total_tokens=420))
    assert EARLIER not in full.text
    alone = brief([], **given, dress=replace(dress, total_tokens=420))
    assert EARLIER in alone.text
    assert [one.key for one in alone.beside][:1] == ["bridge 0"]


LONG = " ".join(f"Rule {number} says that part {number} waits its turn." for number in range(25))


@pytest.mark.parametrize(
    ("answers", "budget_tokens", "is_whole"),
    [(True, 800, True), (True, 250, False), (False, 800, False)],
)
def test_an_answer_is_told_whole_where_there_is_room(
    answers: bool, budget_tokens: int, is_whole: bool
) -> None:
    long = hit(LONG)
    ids = {long.memory.id} if answers else set[str]()
    made = brief([long], answers=ids, dress=Dress(budget_tokens=budget_tokens))
    assert ("Rule 24 says" in made.text) is is_whole
    assert f"(recall #{short_id(long.memory.id)})" not in made.text or not is_whole
    assert tokens(made.text) <= budget_tokens


def test_no_other_answer_gives_way_to_one_that_is_told_whole() -> None:
    long, short = hit(LONG), hit("Tokens live an hour, as all of them do")
    needed = tokens(brief([long, short]).text)
    ids = {long.memory.id, short.memory.id}
    made = brief([long, short], answers=ids, dress=Dress(budget_tokens=needed + 60))
    assert made.hits == (long, short)
    assert "Rule 24 says" not in made.text

"""The block every session starts with: what belongs into it, and who gives way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from injection_tools import hit

from loremap.clients.client import Client
from loremap.clients.registry import CLIENTS
from loremap.memory.brief.always import Room, always_on
from loremap.model.anchor import Freshness
from loremap.model.kind import Kind
from loremap.model.memory import Origin, Status
from loremap.model.module import BuildSystem, Module, ModuleMap
from loremap.model.recall import Hit
from loremap.model.tokens import tokens

CLAUDE, CODEX = CLIENTS["claude"], CLIENTS["codex"]
ROOM = Room(tokens=1_800, pinned_tokens=400)
MAP = ModuleMap(
    project_id="p",
    build=BuildSystem(tool="make", commands={"test": "make test"}),
    modules=(
        Module(name="store", description="Carts and prices.", core_files=("src/store/cart.py",)),
        Module(
            name="auth",
            core_files=("src/auth/a.py", "src/auth/deep/b.py"),
        ),
    ),
)


def standing(text: str, **more: object) -> Hit:
    return hit(text, **({"kind": Kind.CONVENTION} | more))


def why_not(one: Hit, client: Client = CLAUDE) -> str:
    made = always_on(None, [one], client=client, room=ROOM)
    assert (made.text == "") == (not made.pieces)
    return "" if made.pieces else made.verdicts[0].why


def test_the_map_in_a_line_per_module_the_largest_first() -> None:
    made = always_on(MAP, [], client=CODEX, room=ROOM)
    assert "Commands: test: make test\n- auth (src/auth/)\n- store: Carts and prices" in made.text


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (standing("x"), ""),
        (hit("x", kind=Kind.HUMAN_FEEDBACK), ""),
        (hit("x", kind=Kind.GOTCHA, pinned=True), ""),
        (hit("x", kind=Kind.GOTCHA), "of a kind that is told when it fits"),
        (standing("x", status=Status.CANDIDATE), "nobody confirmed it"),
        (standing("x", status=Status.CANDIDATE, pinned=True), "nobody confirmed it"),
        (standing("x", tainted=True), "it came from outside"),
        (standing("x", freshness=Freshness.ORPHANED), ""),  # a convention goes everywhere
        (
            hit("x", "a.py", kind=Kind.WARNING, freshness=Freshness.ORPHANED),
            "orphaned: it was changed",
        ),
    ],
)
def test_what_belongs_into_it(one: Hit, why: str) -> None:
    assert why_not(one) == why


def test_what_the_client_loads_by_itself_is_left_out_and_the_trace_says_so() -> None:
    one = standing("x", origin=Origin.FILE, source_file="CLAUDE.md")
    made = always_on(None, [one], client=CLAUDE, room=ROOM, is_loaded=lambda _: True)
    assert made.text == ""
    assert made.verdicts[0].why == "Claude Code loads CLAUDE.md by itself"


def test_what_the_user_stated_comes_before_what_a_file_says() -> None:
    seeded = standing("Files are UTF-8", origin=Origin.FILE, importance=0.9)
    stated = standing("Amounts are cents", importance=0.4)
    made = always_on(None, [seeded, stated], client=CODEX, room=ROOM)
    assert [piece.memory_id for piece in made.pieces] == [stated.memory.id, seeded.memory.id]
    assert made.text.count("Decided here:\n") == 1


def test_code_that_has_changed_is_marked() -> None:
    one = hit("Never", "a.py", kind=Kind.WARNING, freshness=Freshness.DRIFTED)
    told = always_on(None, [one], client=CODEX, room=ROOM).text
    assert " WARNING a.py [drifted]: Never\n" in told


def test_at_most_five_pins_by_importance() -> None:
    pins = [hit(f"Pin {number}", pinned=True, importance=number / 10) for number in range(8)]
    made = always_on(None, pins, client=CODEX, room=ROOM)
    assert [piece.score for piece in made.pieces] == [0.7, 0.6, 0.5, 0.4, 0.3]
    gone = [one for one in made.verdicts if not one.kept]
    assert [one.memory_id for one in gone] == [pins[index].memory.id for index in (2, 1, 0)]
    assert {one.why for one in gone} == {"5 more important ones are there"}


def test_who_exceeds_a_share_gives_way_by_importance_and_the_trace_says_so() -> None:
    pins = [hit("word " * 60, pinned=True, importance=number / 10) for number in range(1, 6)]
    rules = [standing("rule " * 60, importance=number / 100) for number in range(1, 40)]
    made = always_on(MAP, [*rules, *pins], client=CODEX, room=ROOM)
    assert tokens(made.text) <= 1_800
    kept = {piece.memory_id for piece in made.pieces}
    shown = [one.memory.importance for one in (*pins, *rules) if one.memory.id in kept]
    gone = [one for one in made.verdicts if not one.kept]
    assert 0.5 in shown
    assert max(one.score for one in gone if one.memory_id == pins[0].memory.id) == 0.1
    assert all("tokens is taken by more important ones" in one.why for one in gone)
    of_rules = {one.memory.id: one.memory.importance for one in rules}
    least_kept = min(of_rules[id_] for id_ in kept if id_ in of_rules)
    assert all(one.score < least_kept for one in gone if one.memory_id in of_rules)


def test_it_is_the_same_whatever_order_they_come_in() -> None:
    rules = [standing(f"Rule {number}", importance=0.5) for number in range(30)]
    one = always_on(MAP, rules, client=CLAUDE, room=ROOM)
    other = always_on(MAP, rules[::-1], client=CLAUDE, room=ROOM)
    assert one.text == other.text


@given(
    st.lists(st.text(max_size=600), max_size=40),
    st.integers(0, 2_500),
    st.integers(0, 8_000),
    st.sampled_from(sorted(CLIENTS)),
)
def test_it_is_never_too_long(texts: list[str], room: int, most_bytes: int, client: str) -> None:
    hits = [standing(text, pinned=number % 3 == 0) for number, text in enumerate(texts)]
    made = always_on(
        MAP,
        hits,
        client=CLIENTS[client],
        room=Room(tokens=room, pinned_tokens=room // 4, most_bytes=most_bytes),
    )
    assert tokens(made.text) <= room
    assert len(made.text.encode()) <= most_bytes

"""Tags as people meet them: counted, described, inferred, taken away for good."""

from __future__ import annotations

import pytest
from graph_tools import inferred, kept

import loremap
from loremap.app import Lore
from loremap.errors import NotFound
from loremap.memory.graph import tagging
from loremap.model.kind import Kind


def filled(lore: Lore) -> list[str]:
    """Memories of which the first three are about Python, the first two also about billing."""
    about = [
        kept(lore, "Tax is added last", files=["src/billing/tax.py"], tags=["money"]),
        kept(lore, "Invoices are numbered per year", files=["src/billing/invoice.py"]),
        kept(lore, "Mails are sent at night", files=["src/mail.py"]),
    ]
    return [*about, *(kept(lore, f"Shelf {n} holds parcel {n * 7}") for n in range(4))]


def test_tags_are_counted_and_described(lore: Lore) -> None:
    filled(lore)
    assert [(one.name, one.count, one.inferred) for one in lore.graph.tags()] == [("money", 1, 0)]
    lore.graph.infer_tags()
    lore.graph.describe("#money", "What is paid, owed or taxed")
    found = {one.name: (one.description, one.count, one.inferred) for one in lore.graph.tags()}
    assert found == {
        "project:shop": ("", 7, 7),
        "python": ("", 3, 3),
        "billing": ("", 2, 2),
        "money": ("What is paid, owed or taxed", 1, 0),
    }
    with pytest.raises(NotFound):
        lore.graph.describe("nothing", "x")


def test_a_description_outlives_the_last_memory_and_can_be_taken_back(lore: Lore) -> None:
    first, *_ = filled(lore)
    lore.graph.describe("money", "What is paid")
    lore.tag(first, remove=["money"])
    lore.tag(first, add=["money"])
    assert [one.description for one in lore.graph.tags()] == ["What is paid"]
    lore.graph.describe("money", "")
    assert [one.description for one in lore.graph.tags()] == [""]
    lore.undo()
    assert [one.description for one in lore.graph.tags()] == ["What is paid"]


def test_inferred_tags_are_found_shown_and_made_once(lore: Lore) -> None:
    first, second, third, *_ = filled(lore)
    assert lore.graph.infer_tags() == 3
    assert lore.graph.infer_tags() == 0
    assert inferred(lore, second) == {
        "project:shop": "project", "python": "language", "billing": "path"
    }  # fmt: skip
    assert {one.id for one in lore.list(tag="billing")} == {first, second}
    answer = lore.recall("when are mails sent", tag="python", gate=False)
    assert {hit.memory.id for hit in answer.hits} == {first, second, third}


def test_what_is_taken_away_does_not_come_back_until_somebody_sets_it(lore: Lore) -> None:
    first, second, *_ = filled(lore)
    lore.graph.infer_tags()
    lore.tag(second, remove=["billing"])
    lore.graph.infer_tags()
    assert "billing" not in inferred(lore, second)
    assert {one.id for one in lore.list(tag="billing")} == {first}
    lore.undo(second)
    assert "billing" in inferred(lore, second)
    lore.tag(second, remove=["billing"])
    lore.tag(second, add=["billing"])
    assert lore.find(second).tags == ("billing",)
    assert [one.name for one in lore.graph.tags() if one.name == "billing"] == ["billing"]


def test_a_tag_goes_where_its_reason_goes(lore: Lore) -> None:
    first, second, *_ = filled(lore)
    lore.graph.infer_tags()
    lore.forget(first)
    lore.graph.infer_tags()
    assert "billing" not in inferred(lore, second)


def test_a_plan_changes_nothing_and_what_was_inferred_is_undone_as_one(lore: Lore) -> None:
    _, second, *_ = filled(lore)
    steps = tagging.plan_tags(lore)
    assert [(one.on, one.does) for one in steps] == [
        ("#billing", "tag"), ("#project:shop", "tag"), ("#python", "tag")
    ]  # fmt: skip
    assert steps[0].why == "2 of the memories here, by path"
    assert inferred(lore, second) == {}
    lore.graph.infer_tags()
    lore.undo()
    assert inferred(lore, second) == {}


def test_a_memory_erased_between_plan_and_step_is_left_out(lore: Lore) -> None:
    first, second, *_ = filled(lore)
    steps = tagging.plan_tags(lore)
    lore.forget(first, now_and_forever=True)
    for step in steps:
        with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
            step.apply(tx)
    assert "billing" in inferred(lore, second)


def test_another_project_infers_nothing_for_what_was_said_here(lore: Lore, tmp_path) -> None:  # type: ignore[no-untyped-def]
    ids = [kept(lore, f"Use {n} spaces", kind=Kind.PREFERENCE, scope="global") for n in (2, 4)]
    lore.graph.infer_tags()
    assert inferred(lore, ids[0]) == {"preference": "kind"}
    (tmp_path / "other").mkdir()
    with loremap.open(tmp_path / "other") as other:
        assert {one.name for one in other.graph.tags()} == {"preference"}
        assert other.graph.infer_tags() == 0


def test_the_tags_of_one_session_are_not_told_in_others(lore: Lore) -> None:
    session = lore.as_session("s1", "claude")
    kept(session, "The customer wants the blue layout", scope="session", tags=["merger"])
    kept(lore, "Prices are in cents", tags=["money"])
    assert [one.name for one in lore.graph.tags()] == ["money"]
    assert {one.name for one in session.graph.tags()} == {"money", "merger"}

"""Recall through the façade: recipes, who sees what, the trace, and hostile queries."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loremap
from loremap.app import Lore
from loremap.errors import BadInput
from loremap.memory.recall.lexical import file_affinity
from loremap.memory.recall.recipes import RECIPES, without
from loremap.memory.recall.signals import DEFAULT_ALIASES, expanded
from loremap.model.kind import Kind
from loremap.model.memory import Trigger
from loremap.model.outcome import Stored


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Lore:
    place = tmp_path / "project"
    place.mkdir()
    with loremap.open(place) as opened:
        yield opened


def contents(lore: Lore, query: str, **how: object) -> list[str]:
    answer = lore.recall(query, gate=False, **how)  # type: ignore[arg-type]
    return [hit.memory.content for hit in answer.hits]


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_every_recipe_finds_the_obvious(lore: Lore, recipe: str) -> None:
    for text in ("Passwords are hashed with argon2id", "Deploys run on Tuesday", "Logs are JSON"):
        lore.remember(text)
    assert contents(lore, "how are passwords hashed", recipe=recipe)[0].startswith("Passwords")


def test_an_unknown_recipe_and_an_empty_query_are_refused(lore: Lore) -> None:
    for query, recipe in (("x", "magic"), ("  ", "hybrid")):
        with pytest.raises(BadInput):
            lore.recall(query, recipe=recipe)


def test_words_answer_alone_where_there_is_no_model(lore: Lore) -> None:
    lore.use_embedder(None)
    lore.remember("Passwords are hashed with argon2id")
    lore.remember("Deploys run on Tuesday")
    for recipe in ("hybrid", "weighted", "vectors"):
        assert contents(lore, "password hash", recipe=recipe)[:1] == [
            "Passwords are hashed with argon2id"
        ]


def test_lexical_forgives_spelling_takes_prefixes_and_knows_aliases(lore: Lore) -> None:
    lore.remember("The kubernetes manifests are in deploy/base")
    lore.remember("Deploys run on Tuesday")
    for query in ("kubernets", "kuber", "k8s"):
        assert contents(lore, query, recipe="lexical")[0].startswith("The kubernetes"), query
    lore.set_alias("orchestrator", ["kubernetes"])
    assert contents(lore, "orchestrator", recipe="lexical")[0].startswith("The kubernetes")


def test_lexical_keeps_five_at_most_two_a_session_and_adds_what_is_pinned(
    home: Path, tmp_path: Path
) -> None:
    with loremap.open(tmp_path, session_id="s1") as one:
        for number in range(12):
            one.remember(f"Worker {number} of the queue restarts for reason {number * 7}")
        kept = one.recall("why does the worker restart", recipe="lexical", gate=False)
        assert len(kept.hits) == 2
        pinned = one.remember("Never edit generated files", pin=True)
        assert isinstance(pinned, Stored)
        hits = one.recall("why does the worker restart", recipe="lexical", gate=False).hits
        assert [hit.memory.id for hit in hits if hit.pinned_lane] == [pinned.memory.id]
        steps = {verdict.step for verdict in kept.trace.verdicts}
        assert {"answer", "diversity", "confidence"} <= steps


def test_weighted_prefers_what_is_used_and_says_nothing_twice(lore: Lore) -> None:
    first = lore.remember("Failed mails are retried with exponential backoff")
    second = lore.remember("The importer retries three times, then pages the operator")
    assert isinstance(first, Stored)
    assert isinstance(second, Stored)
    for _ in range(20):
        lore.used([second.memory.id])
    assert contents(lore, "how are retries done", recipe="weighted")[0].startswith("The importer")


def test_context_of_a_session_lifts_what_was_said_beside_it(home: Path, tmp_path: Path) -> None:
    with loremap.open(tmp_path, session_id="s1") as one:
        for text in ("Where shall we meet for the retro?", "At the lake, by the boat house."):
            one.remember(text, kind=Kind.SESSION_INSIGHT)
    with loremap.open(tmp_path, session_id="s2") as two:
        two.remember("The boat race is on Sunday", kind=Kind.SESSION_INSIGHT)
        whole = RECIPES["hybrid"]
        found = contents(two, "where do we meet for the retro", recipe=whole)
    assert found[:2] == ["Where shall we meet for the retro?", "At the lake, by the boat house."]


def test_a_step_can_be_left_out_for_an_ablation() -> None:
    hybrid = RECIPES["hybrid"]
    for step in hybrid.steps:
        assert step not in without(hybrid, step).steps
        assert len(without(hybrid, step).steps) == len(hybrid.steps) - 1


def test_a_trace_tells_of_every_candidate(lore: Lore) -> None:
    for number in range(8):
        lore.remember(f"Service {number} listens on port {9000 + number}")
    answer = lore.recall("which port does service 3 listen on", limit=2, gate=False)
    told = {verdict.memory_id for verdict in answer.trace.verdicts}
    assert told == {memory.id for memory in lore.list()}
    assert sum(verdict.kept for verdict in answer.trace.verdicts) == len(answer.hits)
    assert all(verdict.why for verdict in answer.trace.verdicts)


def test_a_small_project_in_a_large_store_is_searched_alone(home: Path, tmp_path: Path) -> None:
    for name, count in (("large", 30), ("small", 2)):
        (tmp_path / name).mkdir()
        with loremap.open(tmp_path / name) as lore:
            for number in range(count):
                lore.remember(f"The {name} gateway {number} retries {number + 2} times")
            if name == "small":
                hits = lore.recall("gateway retries", recipe="words", gate=False).hits
                assert {hit.memory.project_id for hit in hits} == {lore.project_id}
                assert len(hits) == 2


@given(text=st.text(min_size=1, max_size=200))
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_query_breaks_the_search(hostile: Lore, text: str) -> None:
    for recipe in ("words", "lexical"):
        if text.strip():
            hostile.search(text, recipe=recipe)


@pytest.mark.parametrize(
    "text", ['"', "'", "a AND", "NEAR(a b)", "head:x", "*", "^x", "a* OR (", "{head} : x", "-x"]
)  # fmt: skip
def test_search_syntax_is_only_text(hostile: Lore, text: str) -> None:
    for recipe in ("words", "lexical", "hybrid"):
        hostile.search(text, recipe=recipe)


@pytest.fixture
def hostile(lore: Lore) -> Lore:
    lore.remember("The head of the queue is near the tail")
    return lore


@pytest.mark.parametrize(
    ("named", "in_hand", "factor"),
    [
        (("src/a.py",), ("src/a.py",), 1.5),
        (("src/b.py",), ("src/a.py",), 1.2),
        (("b.py",), ("a.py",), 1.0),
        ((), ("a.py",), 1.0),
    ],
)
def test_files_in_hand_raise_what_is_near(
    named: tuple[str, ...], in_hand: tuple[str, ...], factor: float
) -> None:
    assert file_affinity(named, in_hand) == factor


def test_an_alias_expands_to_its_words_only() -> None:
    found = expanded(["auth"], DEFAULT_ALIASES)
    assert "login" in found
    assert "auth" not in found
    assert expanded(["banana"], DEFAULT_ALIASES) == []


def test_what_is_confirmed_stands_before_what_is_only_learned(home: Path, tmp_path: Path) -> None:
    with loremap.open(tmp_path) as user, loremap.open(tmp_path, agent="coder") as agent:
        user.remember("The queue listens for signals that come from blinker")
        agent.remember("The cache listens for signals that come from blinker")
        hits = user.recall("who listens for signals from blinker?").hits
    assert [hit.memory.created_by for hit in hits] == ["user", "agent:coder"]


def test_check_and_recall_take_turns_with_another_process_that_erases(
    home: Path, tmp_path: Path
) -> None:
    with loremap.open(tmp_path) as one, loremap.open(tmp_path) as other:
        gone = other.remember("Deploys run on Tuesday")
        other.remember("Never force-push", kind="warning", triggers=[Trigger("literal", "--force")])
        assert isinstance(gone, Stored)
        for _ in range(2):
            assert len(one.check(command="git push --force")) == 1
            other.forget(gone.memory.id, now_and_forever=True)
            assert len(one.check(command="git push --force")) == 1
            assert one.recall("when do deploys run", gate=False).hits
            assert len(one.check(command="git push --force")) == 1
            gone = other.remember("Deploys run on Friday")
            assert isinstance(gone, Stored)

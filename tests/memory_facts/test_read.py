"""What a sentence states, and what states nothing."""

from __future__ import annotations

import pytest

from loremap.memory.facts.names import Known, Names
from loremap.memory.facts.read import Read, Reader
from loremap.model.entity import EntityKind, entity_key
from loremap.model.predicate import PREDICATES, is_many

KNOWN = ("billing", "checkout", "importer", "redis", "webpack", "vite", "src/auth", "jazz")
READER = Reader(
    Names({entity_key(name): Known.called(name) for name in KNOWN}, frozenset({"rome"})),
    Known("shop", "shop", EntityKind.PROJECT),
)


def triples(read: Read) -> list[tuple[str, str, str]]:
    return [
        (one.subject.name, one.predicate, one.object.name if one.object else one.value or "")
        for one in read.facts
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("billing uses Redis.", [("billing", "uses", "redis")]),
        ("The `billing` service uses Redis and Kafka for retries.",
         [("billing", "uses", "redis"), ("billing", "uses", "Kafka")]),
        ("billing runs on Kubernetes and depends on checkout.",
         [("billing", "runs_on", "Kubernetes"), ("billing", "depends_on", "checkout")]),
        ("checkout is deployed to Fly.io by hand.", [("checkout", "deployed_to", "Fly.io")]),
        ("billing listens on 8443 even locally.", [("billing", "listens_on", "8443")]),
        ("checkout calls billing twice.", [("checkout", "calls", "billing")]),
        ("Team Finch owns billing.", [("billing", "owned_by", "Team Finch")]),
        ("The owner of billing is Team Finch.", [("billing", "owned_by", "Team Finch")]),
        ("billing is maintained by Ada Lovelace in her spare time.",
         [("billing", "maintained_by", "Ada Lovelace")]),
        ("The importer lives in tools/import.", [("importer", "located_in", "tools/import")]),
        ("The importer keeps its rows in SQLite 3.", [("importer", "stores_in", "SQLite 3")]),
        ("checkout, written in Rust, uses redis.",
         [("checkout", "written_in", "Rust"), ("checkout", "uses", "redis")]),
        ("checkout is built with Vite.", [("checkout", "built_with", "vite")]),
        ("The tests of checkout run on Playwright Test.",
         [("checkout", "tested_with", "Playwright Test")]),
        ("billing takes its settings from etc/billing.ini.",
         [("billing", "configured_by", "etc/billing.ini")]),
        ("checkout is part of Shop Suite.", [("checkout", "part_of", "Shop Suite")]),
        ("webpack was replaced by Vite.", [("webpack", "replaced_by", "vite")]),
        ("We have moved from webpack to Vite.", [("webpack", "replaced_by", "vite")]),
        ("redis is pinned to 7.2.", [("redis", "version_is", "7.2")]),
        ("billing defaults to 30 seconds.", [("billing", "default_is", "30 seconds")]),
        ("billing requires Python 3.11.", [("billing", "requires", "Python 3.11")]),
        ("billing won't start without redis.", [("billing", "requires", "redis")]),
        ("Never use lodash in src/auth, it is too large.", [("src/auth", "forbids", "lodash")]),
        ("billing must not import checkout.", [("billing", "forbids", "checkout")]),
        ("We settled on Vite for checkout.", [("checkout", "decided", "vite")]),
        ("I prefer short replies.", [("User", "prefers", "short replies")]),
        ("The user works on src/auth.", [("User", "works_on", "src/auth")]),
        ("Hermes is another name for billing.", [("Hermes", "alias_of", "billing")]),
        ("billing, also known as Hermes, uses redis.",
         [("Hermes", "alias_of", "billing"), ("billing", "uses", "redis")]),
        ("We use Redis.", [("shop", "uses", "redis")]),
        # relations that no table has
        ("The capital of Ruritania is Strelsau.", [("Ruritania", "the_capital", "Strelsau")]),
        ("The name of the current head of the Ruritania government is Rudolf Elphberg.",
         [("Ruritania", "the_current_head_of_government", "Rudolf Elphberg")]),
        ("The school where Rudolf Rassendyll was taught is Eton College.",
         [("Rudolf Rassendyll", "the_school_taught", "Eton College")]),
        ("Rudolf Rassendyll plays the position of goal keeper.",
         [("Rudolf Rassendyll", "plays_position_of", "goal keeper")]),
        ("jazz was created in the country of Ruritania.",
         [("jazz", "created_in_country", "Ruritania")]),
    ],
)  # fmt: skip
def test_what_a_sentence_states(text: str, said: list[tuple[str, str, str]]) -> None:
    assert triples(READER.read(text)) == said


@pytest.mark.parametrize(
    "text",
    [
        "Does billing use redis?",
        "billing might use redis.",
        "I think billing uses redis.",
        "billing does not use redis.",
        "billing no longer uses redis.",
        "If it is slow, billing uses redis.",
        "billing uses redis if it is slow.",
        "Ada says billing uses redis.",
        'The log says "billing uses redis now".',
        "Originally billing used redis.",
        "billing will be owned by Team Finch.",
        "Nobody owns billing.",
        "The thing in the corner uses redis.",  # nothing known by that name
        "Tests run on Jenkins Server.",  # a capital letter at the start tells nothing
        "billing uses up all of it.",
        "billing runs on Mondays.",
        "```\nbilling uses redis\n```",
    ],
)
def test_what_states_nothing(text: str) -> None:
    assert triples(READER.read(text)) == []


def test_a_sentence_waits_for_its_subject() -> None:
    read = READER.read("quarterback is associated with the sport of rugby.")
    assert read.facts == ()
    assert "quarterback" in read.waits


@pytest.mark.parametrize(
    ("predicate", "many"),
    [("owned_by", False), ("uses", True), ("the_capital", False), ("married_to", True)],
)
def test_how_many_may_hold(predicate: str, many: bool) -> None:
    assert is_many(predicate) is many


def test_each_predicate_can_be_said() -> None:
    framed = {"decided"}
    assert [
        one.name for one in PREDICATES.values() if not one.forms and one.name not in framed
    ] == []

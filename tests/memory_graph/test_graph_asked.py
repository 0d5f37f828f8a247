"""What the small model says of the graph: links, tags and names, each held against the words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import loremap
from fake_sidecar import FakeSidecar, running, said, use
from loremap.app import Lore
from loremap.errors import BadAnswer
from loremap.memory.graph.asked import name_clusters, relate
from loremap.memory.graph.infer import BY_SIDECAR
from loremap.model.memory import Memory, Scope
from loremap.model.outcome import Stored
from loremap.storage import clusters, relations, tags
from loremap.storage.clusters import StoredCluster

TEXTS = (
    "Refresh tokens live in Redis for an hour.",
    "Logging out deletes the Redis session.",
    "The logo is a green square.",
)


@pytest.fixture
def fake() -> Iterator[FakeSidecar]:
    with running() as started:
        yield started


@pytest.fixture
def lore(home: Path, tmp_path: Path, fake: FakeSidecar) -> Iterator[Lore]:
    folder = tmp_path / "project"
    folder.mkdir()
    with loremap.open(folder) as opened:
        opened.use_embedder(None)
        opened.init()
        use(opened, kind="ollama", url=fake.url, model="tiny")
        yield opened


@pytest.fixture
def three(lore: Lore) -> list[Memory]:
    return [remembered(lore, text) for text in TEXTS]


def remembered(lore: Lore, text: str, **more: object) -> Memory:
    outcome = lore.remember(text, **more)  # type: ignore[arg-type]
    assert isinstance(outcome, Stored)
    return outcome.memory


def linked(lore: Lore, one: Memory) -> set[str]:
    with lore.store.read() as conn:
        found = relations.links_of(conn, one.id)
    return {end for link in found for end in (link.source_id, link.target_id)} - {one.id}


def tagged(lore: Lore, one: Memory) -> dict[str, str]:
    with lore.store.read() as conn:
        return {tag.tag: tag.source for tag in tags.inferred_of(conn, one.id)}


def test_pairs_become_links_and_words_become_tags(
    lore: Lore, three: list[Memory], fake: FakeSidecar
) -> None:
    fake.usual = said(
        {
            "pairs": [
                {"one": 1, "other": 2},
                {"one": 2, "other": 1},
                {"one": 3, "other": 3},
                {"one": 1, "other": 9},
            ],
            "tagged": [
                {"note": 1, "tags": ["#Redis", "billing", "tok"]},
                {"note": 7, "tags": ["logo"]},
            ],
        }
    )
    assert relate(lore, [one.id for one in three]) == 2
    assert linked(lore, three[0]) == {three[1].id}
    assert linked(lore, three[2]) == set()
    assert tagged(lore, three[0]) == {"redis": BY_SIDECAR}
    lore.graph.infer_tags()
    assert "redis" in tagged(lore, three[0]), "tending does not take it away again"


def test_one_alone_and_what_is_of_a_session_are_not_shown(
    lore: Lore, three: list[Memory], fake: FakeSidecar
) -> None:
    here = lore.as_session("s1", None)
    passing = remembered(here, "Working on tokens now.", scope=Scope.SESSION)
    assert relate(lore, [three[0].id, passing.id]) == 0
    assert fake.seen == []


def test_a_wrong_form_changes_nothing(lore: Lore, three: list[Memory], fake: FakeSidecar) -> None:
    fake.usual = said({"pairs": "all of them", "tagged": []})
    with pytest.raises(BadAnswer):
        relate(lore, [one.id for one in three])
    assert linked(lore, three[0]) == set()


def clustered(lore: Lore, members: list[Memory]) -> None:
    one = StoredCluster(
        id="c1",
        name="redis, token",
        model="m",
        centroid=np.ones(3, np.float32),
        members={memory.id: 0.9 for memory in members},
    )
    with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
        clusters.put(tx, one, project_id=lore.project_id)


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Redis session", "Redis session"),
        ("`refresh tokens`.", "refresh tokens"),
        ("customer identity", "redis, token"),
        ("", "redis, token"),
        ("Refresh tokens live in Redis for an hour", "redis, token"),
    ],
)
def test_a_cluster_is_called_by_words_of_its_members_and_asked_about_once(
    lore: Lore, three: list[Memory], fake: FakeSidecar, name: str, called: str
) -> None:
    clustered(lore, three[:2])
    fake.usual = said({"name": name})
    name_clusters(lore)
    name_clusters(lore)
    assert [one.name for one in lore.graph.clusters()] == [called]
    assert len(fake.seen) == 1

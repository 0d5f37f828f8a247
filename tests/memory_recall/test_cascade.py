"""The cascade: its definition on small graphs, and what bounds it on large ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import loremap
from loremap.app import Lore
from loremap.config.settings import SETTINGS
from loremap.embedding.scale import KNOWN
from loremap.memory.recall.graph_here import comparable
from loremap.memory.recall.walk import Reach, decayed, walked, weight_of
from loremap.model.graph import Edge, EdgeKind, Node, Sort
from loremap.model.memory import Relation
from loremap.model.outcome import Stored

MEMORIES = [Node(Sort.MEMORY, f"m{number}") for number in range(6)]
HUBS = [Node(Sort.TAG, "auth"), Node(Sort.CLUSTER, "c1"), Node(Sort.ENTITY, "e1")]
JOINS = {
    Sort.TAG: EdgeKind.HAS_TAG,
    Sort.CLUSTER: EdgeKind.IN_CLUSTER,
    Sort.ENTITY: EdgeKind.MENTIONS,
}
LINKS = [EdgeKind(relation.value) for relation in Relation]


def seed_cascade(
    around: Mapping[Node, Sequence[Edge]], hits: Sequence[tuple[Node, float]], max_depth: int
) -> list[tuple[Node, float]]:
    """Seed-000's `cascade_retrieve`, line by line, with its dedupe."""
    visited: set[Node] = set()
    candidates = list(hits)
    queue = deque((node, 0) for node, _ in hits)
    while queue:
        node, depth = queue.popleft()
        if depth >= max_depth or node in visited:
            continue
        visited.add(node)
        for edge in around.get(node, ()):
            if edge.end in visited:
                continue
            edge_weight = {
                EdgeKind.HAS_TAG: 0.8,
                EdgeKind.IN_CLUSTER: 0.6,
                EdgeKind.RELATES_TO: edge.weight,
                EdgeKind.SUPERSEDES: 0.9,
            }.get(edge.kind, 0.3)
            if edge.end.is_memory:
                candidates.append((edge.end, edge_weight * 0.7 ** (depth + 1)))
            queue.append((edge.end, depth + 1))
    candidates.sort(key=lambda one: -one[1])
    seen: dict[Node, float] = {}
    for node, score in candidates:
        seen.setdefault(node, score)
    return list(seen.items())


@st.composite
def graphs(draw: st.DrawFn) -> dict[Node, list[Edge]]:
    """Graphs of few nodes, with circles, with edges of a node to itself, with parallel ones."""
    around: dict[Node, list[Edge]] = {}
    for _ in range(draw(st.integers(0, 14))):
        start, end = draw(st.sampled_from(MEMORIES)), draw(st.sampled_from([*MEMORIES, *HUBS]))
        kind = draw(st.sampled_from(LINKS)) if end.is_memory else JOINS[end.sort]
        weight = draw(st.sampled_from([0.0, 0.25, 0.5, 1.0]))
        around.setdefault(start, []).append(Edge(start, end, kind, weight))
        around.setdefault(end, []).append(Edge(end, start, kind, weight, forward=False))
    return around


@given(
    around=graphs(),
    hits=st.lists(
        st.tuples(st.sampled_from(MEMORIES), st.sampled_from([0.4, 0.5, 0.9])),
        max_size=4,
        unique_by=lambda hit: hit[0].id,
    ),
    depth=st.integers(0, 4),
)
def test_a_cascade_finds_what_the_pseudo_code_of_the_seed_finds(
    around: dict[Node, list[Edge]], hits: list[tuple[Node, float]], depth: int
) -> None:
    reach = Reach(max_depth=depth, max_degree=1_000, fan_out=1_000)
    found = walked(hits, lambda nodes: {node: around.get(node, []) for node in nodes}, reach)
    assert [(each.node, each.score) for each in found] == seed_cascade(around, hits, depth)


@given(around=graphs(), depth=st.integers(0, 4))
def test_every_path_leads_from_a_hit_to_the_memory_and_gives_its_score(
    around: dict[Node, list[Edge]], depth: int
) -> None:
    hits = [(MEMORIES[0], 0.5), (MEMORIES[1], 0.4)]
    reach = Reach(max_depth=depth, max_degree=1_000, fan_out=1_000)
    for each in walked(hits, lambda nodes: {node: around.get(node, []) for node in nodes}, reach):
        nodes = [each.path[0].start if each.path else each.node, *(e.end for e in each.path)]
        assert nodes[0] in MEMORIES[:2]
        assert nodes[-1] == each.node
        assert all(one.end == two.start for one, two in pairwise(each.path))
        if each.path:
            last = len(each.path) - 1
            assert each.score == decayed(weight_of(each.path[-1]), depth=last, edge_decay=0.7)


@pytest.mark.parametrize(
    ("kind", "weight", "counts"),
    [
        (EdgeKind.HAS_TAG, 1.0, 0.8),
        (EdgeKind.IN_CLUSTER, 0.5, 0.6),  # however near its middle
        (EdgeKind.RELATES_TO, 0.25, 0.25),  # its own weight
        (EdgeKind.SUPERSEDES, 1.0, 0.9),
        (EdgeKind.CONTRADICTS, 1.0, 0.3),
        (EdgeKind.DERIVED_FROM, 1.0, 0.3),
        (EdgeKind.DEPENDS_ON, 1.0, 0.3),
        (EdgeKind.CAUSED_BY, 1.0, 0.3),
        (EdgeKind.MENTIONS, 1.0, 0.3),
    ],
)
def test_what_an_edge_counts_for(kind: EdgeKind, weight: float, counts: float) -> None:
    assert weight_of(Edge(MEMORIES[0], MEMORIES[1], kind, weight)) == counts


@pytest.mark.parametrize(
    ("weight", "depth", "left"), [(0.8, 0, 0.56), (0.8, 1, 0.392), (0.9, 0, 0.63), (0.6, 1, 0.294)]
)
def test_a_score_decays_with_every_edge(weight: float, depth: int, left: float) -> None:
    assert decayed(weight, depth=depth, edge_decay=0.7) == pytest.approx(left)


def test_the_parameters_are_those_of_the_seed() -> None:
    reach = Reach()
    assert (reach.similarity_threshold, reach.max_initial_hits) == (0.4, 10)
    assert (reach.max_depth, reach.max_results, reach.edge_decay) == (2, 10, 0.7)


@pytest.mark.parametrize(
    ("model", "cosine", "as_minilm"),
    [
        ("all-MiniLM-L6-v2", 0.4, 0.4),
        ("granite-embedding-30m-english", 0.6837, 0.4),
        (
            "granite-embedding-30m-english",
            0.53,
            0.11,
        ),  # two that have nothing to do with each other
        ("granite-embedding-30m-english", 1.0, 0.9968),
    ],
)
def test_cosines_are_compared_as_those_of_minilm(
    model: str, cosine: float, as_minilm: float
) -> None:
    found = comparable(np.asarray([cosine], np.float32), KNOWN[model])
    assert found[0] == pytest.approx(as_minilm, abs=1e-4)


def test_a_node_with_many_edges_gives_the_first_of_them() -> None:
    tag = HUBS[0]
    around = {MEMORIES[0]: [Edge(MEMORIES[0], tag, EdgeKind.HAS_TAG)],
              tag: [Edge(tag, node, EdgeKind.HAS_TAG) for node in MEMORIES]}  # fmt: skip
    found = walked([(MEMORIES[0], 0.9)], lambda _: around, Reach(fan_out=2))
    assert [each.node.id for each in found] == ["m0", "m1", "m2"]


# Through the store


@pytest.fixture
def lore(home: Path, tmp_path: Path) -> Lore:
    place = tmp_path / "project"
    place.mkdir()
    with loremap.open(place) as opened:
        yield opened


def kept(lore: Lore, text: str, **how: object) -> str:
    outcome = lore.remember(text, **how)  # type: ignore[arg-type]
    assert isinstance(outcome, Stored)
    return outcome.memory.id


def found(lore: Lore, query: str = "how are passwords hashed") -> dict[str, str]:
    """What a cascade finds, each with the way to it."""
    answer = lore.recall(query, recipe="cascade", gate=False)
    why = {verdict.memory_id: verdict.why for verdict in answer.trace.verdicts}
    return {hit.memory.content: why[hit.memory.id] for hit in answer.hits}


HASHED, LAKE = "Passwords are hashed with argon2id", "Lunch is at the lake on Friday"


def test_a_tag_and_a_link_lead_to_what_is_not_similar(lore: Lore) -> None:
    hashed = kept(lore, HASHED, tags=["auth"])
    kept(lore, LAKE, tags=["auth"])
    other = kept(lore, "The printer jams in winter")
    kept(lore, "Ducks eat no bread at all")
    assert list(found(lore))[1:] == [LAKE]
    lore.link(hashed, other, Relation.RELATES_TO, weight=0.5)
    ways = found(lore)
    assert list(ways) == [HASHED, LAKE, "The printer jams in winter"]
    assert ways[LAKE] == f"by way of {hashed[-8:]} has_tag #auth has_tag"
    assert ways["The printer jams in winter"] == f"by way of {hashed[-8:]} relates_to"


def test_what_was_replaced_is_not_told_and_leads_to_its_successor(lore: Lore) -> None:
    old = kept(lore, HASHED)
    new = kept(lore, "Lunch is served for those who sign in with a badge")
    lore.link(new, old, Relation.SUPERSEDES)
    ways = found(lore)
    assert HASHED not in ways
    assert ways["Lunch is served for those who sign in with a badge"] == (
        f"by way of {old[-8:]} supersedes"
    )


def test_a_tag_on_everything_leads_nowhere_and_circles_end(lore: Lore) -> None:
    first = kept(lore, HASHED, tags=["all"])
    said = [f"Shelf {number} holds parcel {number * 7} of the depot" for number in range(60)]
    ids = [kept(lore, text, tags=["all"]) for text in said]
    assert list(found(lore)) == [HASHED]
    ring = [first, *ids[:3], first]
    for one, two in pairwise(ring):
        lore.link(one, two, Relation.DEPENDS_ON)
    assert len(found(lore)) == 4


def test_other_peoples_and_other_projects_memories_are_no_way(lore: Lore, tmp_path: Path) -> None:
    kept(lore, HASHED, tags=["auth"])
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with loremap.open(elsewhere) as other:
        kept(other, LAKE, tags=["auth"])
    assert list(found(lore)) == [HASHED]


def test_the_settings_say_how_far_it_goes(lore: Lore) -> None:
    kept(lore, HASHED, tags=["auth"])
    kept(lore, LAKE, tags=["auth"])
    changed = {
        "cascade.max_depth": 1,
        "cascade.max_results": 1,
        "cascade.max_degree": 1,
        "cascade.similarity_threshold": 1.0,
    }
    for name, value in changed.items():
        lore.engine.settings = type(lore.settings)({**lore.settings.values, name: value})
        assert LAKE not in found(lore), name
        lore.engine.settings = type(lore.settings)(
            {**lore.settings.values, name: SETTINGS[name].default}
        )
    assert LAKE in found(lore)

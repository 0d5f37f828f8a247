"""Clusters through the store: found, kept, joined, listed, and left alone without their extra."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from graph_tools import kept
from sqlalchemy import delete, select

from loremap.app import Lore
from loremap.errors import BadInput, NotFound
from loremap.memory.graph import clustering
from loremap.storage import clusters, projects
from loremap.storage.tables import memory_clusters, row_history

DEPLOYS = [
    "Deploys to production run on Tuesday",
    "Production is deployed by the release job",
    "A deploy to production needs two approvals",
    "After a deploy production is watched for an hour",
    "Deploys to production are announced in the channel",
]
PASSWORDS = [
    "Passwords are hashed with argon2id",
    "A password has at least twelve letters",
    "Passwords are never written to the log",
    "Old password hashes are replaced at the next login",
    "A forgotten password is reset by mail",
]
ALONE = ["The printer jams in winter", "Lunch is at noon", "Ducks eat no bread"]


def filled(lore: Lore) -> dict[str, str]:
    """What is remembered, by its text."""
    return {text: kept(lore, text) for text in (*DEPLOYS, *PASSWORDS, *ALONE)}


def home_of(lore: Lore, id_: str) -> str | None:
    """The id of the cluster that a memory is in."""
    with lore.store.read() as conn:
        found = clusters.clusters_of(conn, lore.actor.owner_id, lore.project_id)
    return next((one.id for one in found if id_ in one.members), None)


def test_what_belongs_together_is_found_named_and_kept(lore: Lore) -> None:
    ids = filled(lore)
    found = lore.graph.refresh_clusters()
    deploys = {home_of(lore, ids[text]) for text in DEPLOYS}
    passwords = {home_of(lore, ids[text]) for text in PASSWORDS}
    assert len(deploys - {None}) == len(passwords - {None}) == 1
    assert not deploys & passwords - {None}
    names = {one.id: one.name for one in found}
    assert "production" in names[(deploys - {None}).pop() or ""]
    assert "password" in names[(passwords - {None}).pop() or ""]
    assert clustering.plan_clusters_now(lore) == []  # nothing is left to do


def test_a_new_memory_joins_the_nearest_cluster_at_once(lore: Lore) -> None:
    ids = filled(lore)
    lore.graph.refresh_clusters()
    new = kept(lore, "Passwords are hashed with argon2id and a salt of their own")
    other = kept(lore, "Frogs sing in the pond behind the office")
    assert home_of(lore, new) == home_of(lore, ids[PASSWORDS[0]]) is not None
    assert home_of(lore, other) is None


def test_ids_and_names_stay_when_clusters_grow(lore: Lore) -> None:
    filled(lore)
    before = {one.id: one.name for one in lore.graph.refresh_clusters()}
    for text in ("A password is checked against leaked ones", "Passwords expire never"):
        kept(lore, text)
    after = {one.id: one.name for one in lore.graph.refresh_clusters()}
    assert before.items() <= after.items()


def test_clusters_lead_from_one_memory_to_another(lore: Lore) -> None:
    filled(lore)
    lore.graph.refresh_clusters()
    answer = lore.recall(PASSWORDS[0], recipe="cascade", gate=False)
    why = [verdict.why for verdict in answer.trace.verdicts if verdict.kept]
    assert any("in_cluster" in one for one in why) or len(why) >= len(PASSWORDS)


def test_they_are_found_anew_when_a_project_is_tended_after_fifty_recalls(lore: Lore) -> None:
    filled(lore)
    assert lore.project_id is not None
    lore.tending.run()
    assert lore.graph.clusters()
    for recalls, due in ((49, False), (50, True)):
        with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
            tx.conn.execute(projects.projects.update().values(total_recalls=recalls))
        assert lore.tending.is_due is due


def test_finding_them_is_one_act_that_can_be_undone(lore: Lore) -> None:
    ids = filled(lore)
    lore.graph.refresh_clusters()
    before = lore.graph.clusters()
    for text in PASSWORDS:
        lore.forget(ids[text])
    lore.graph.refresh_clusters()
    assert len(lore.graph.clusters()) < len(before)
    lore.undo()
    assert lore.graph.clusters() == before
    with lore.store.read() as conn:
        assert all(
            np.isfinite(one.centroid).all() and len(one.centroid) > 1
            for one in clusters.clusters_of(conn, lore.actor.owner_id, lore.project_id)
        )


def test_an_erased_memory_leaves_no_word_of_it_in_a_name(lore: Lore) -> None:
    ids = filled(lore)
    lore.graph.refresh_clusters()
    home = home_of(lore, ids[PASSWORDS[0]])
    lore.graph.refresh_clusters()
    lore.forget(ids[PASSWORDS[0]], now_and_forever=True)
    names = {one.id: one.name for one in lore.graph.clusters()}
    assert names[home or ""] == ""
    with lore.store.read() as conn:
        kept_rows = conn.execute(select(row_history)).all()
    assert not [row for row in kept_rows if ids[PASSWORDS[0]] in f"{row.row_key}{row.before}"]
    lore.graph.refresh_clusters()
    assert all(one.name for one in lore.graph.clusters())


def test_a_cluster_is_named_by_its_id_or_name(lore: Lore) -> None:
    filled(lore)
    one = lore.graph.refresh_clusters()[0]
    for reference in (one.id, one.id[-8:], one.name):
        found, ids = lore.graph.members(reference)
        assert found.id == one.id
        assert len(ids) == one.member_count
    with pytest.raises(NotFound):
        lore.graph.members("nothing of that name")


@pytest.fixture
def without_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where scikit-learn is not installed: it is found nowhere on the path."""
    import sklearn

    installed = Path(sklearn.__file__).parents[1]
    for name in [name for name in sys.modules if name.split(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [one for one in sys.path if Path(one) != installed])


@pytest.mark.usefixtures("without_extra")
def test_without_the_extra_it_says_so_and_all_else_works(lore: Lore) -> None:
    filled(lore)
    assert not lore.graph.has_clusters
    assert clustering.plan_clusters(lore) == ()
    with pytest.raises(BadInput, match="extra"):
        lore.graph.refresh_clusters()
    assert lore.graph.clusters() == []


def test_what_one_session_alone_may_see_is_in_no_cluster(lore: Lore) -> None:
    session = lore.as_session("s1", "claude")
    for text in (*DEPLOYS, *PASSWORDS, *ALONE):
        kept(session, text, scope="session")
    assert session.graph.refresh_clusters() == []


def test_an_erased_memory_that_had_left_a_cluster_takes_its_words_from_the_name(lore: Lore) -> None:
    ids = filled(lore)
    lore.graph.refresh_clusters()
    home = home_of(lore, ids[PASSWORDS[0]]) or ""
    with lore.store.append() as conn:
        conn.execute(
            delete(memory_clusters).where(memory_clusters.c.memory_id == ids[PASSWORDS[0]])
        )
    lore.forget(ids[PASSWORDS[0]], now_and_forever=True)
    assert {one.id: one.name for one in lore.graph.clusters()}[home] == ""

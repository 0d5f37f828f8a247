"""What a recall leaves behind: links between what was used together, less belief in what was passed
over, and gaps where nothing answered."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pytest
from agent_tools import Scene, shop_in

from loremap.agent.after_recall import after_recall
from loremap.memory import gaps, writing
from loremap.memory.recall.context import LEAST_CONFIDENCE
from loremap.memory.together import pairs
from loremap.model.gap import MAX_GAPS, Gap
from loremap.model.memory import Memory, Relation, Status
from loremap.model.recall import Hit
from loremap.storage import gaps as gap_rows
from loremap.storage import relations
from loremap.storage.store import Store


class Picky:
    """A second look that lets nothing pass."""

    is_on = True

    def relevant(self, task: str, hits: Sequence[Hit]) -> Collection[str]:
        return ()


@pytest.fixture
def tended(home: Path, tmp_path: Path) -> Iterator[Scene]:
    """A session agent that tends what was recalled, as the resident's does."""
    made = Scene(home, shop_in(tmp_path / "shop"))
    _with_chores(made)
    yield made
    made.close()


def _with_chores(scene: Scene, **more: object) -> None:
    """Open the session agent anew, with the chores of the resident."""
    scene.session_agent.close()
    chores = (after_recall(scene.workspaces),)
    scene.session_agent = scene._open({"chores": chores, **more})


CARTS = "Carts are emptied by a nightly job after ninety days."
PRICES = "Prices of carts are rounded half to even in cents."


def use(scene: Scene, ids: Sequence[str], session: str) -> None:
    with scene.workspaces.at(scene.folder, session_id=session, agent="claude") as lore:
        writing.use(lore, ids)


def weights(scene: Scene, memory: Memory) -> list[tuple[str, float, str]]:
    with scene.workspaces.engine.store.read() as conn:
        found = relations.links_of(conn, memory.id)
    return [(one.relation.value, round(one.weight, 2), one.created_by) for one in found]


def test_what_is_used_together_is_linked_and_grows_closer(scene: Scene) -> None:
    one, other = scene.remember(CARTS), scene.remember(PRICES)
    with scene.workspaces.at(scene.folder) as lore:
        logged = len(lore.log(limit=100))
    use(scene, [one.id], "s1")
    assert weights(scene, one) == []
    use(scene, [other.id], "s1")
    assert weights(scene, one) == [("relates_to", 0.3, "tending")]
    use(scene, [other.id, one.id], "s1")
    assert weights(scene, one) == [("relates_to", 0.3, "tending")]
    for number in range(2, 12):
        use(scene, [one.id, other.id], f"s{number}")
    assert weights(scene, other) == [("relates_to", 1.0, "tending")]
    with scene.workspaces.at(scene.folder) as lore:
        assert len(lore.log(limit=100)) == logged
        assert not lore.withheld()


def test_a_persons_link_stays_as_it_is(scene: Scene) -> None:
    one, other = scene.remember(CARTS), scene.remember(PRICES)
    with scene.workspaces.at(scene.folder) as lore:
        lore.link(other.id, one.id, Relation.RELATES_TO, weight=0.9)
    use(scene, [one.id, other.id], "s1")
    assert weights(scene, one) == [("relates_to", 0.9, "user")]


def test_being_shown_together_links_nothing(tended: Scene) -> None:
    one = tended.remember(CARTS)
    tended.remember(PRICES)
    tended.prompt("When are carts emptied, and how are prices of carts rounded?")
    assert weights(tended, one) == []


def test_the_pairs_of_a_session_are_bounded() -> None:
    assert list(pairs(["b", "a"], [])) == [("a", "b")]
    assert list(pairs(["b"], ["c", "a", "b"])) == [("a", "b"), ("b", "c")]
    many = [f"m{number:03}" for number in range(100)]
    assert len(list(pairs(many, many))) <= 8 * 7 / 2 + 8 * 8


@pytest.mark.parametrize(
    ("before", "status", "after"),
    [
        (0.80, Status.CONFIRMED, 0.78),
        (0.26, Status.CONFIRMED, LEAST_CONFIDENCE),  # never hidden by it
        (0.20, Status.CONFIRMED, 0.20),
        (0.26, Status.CANDIDATE, 0.24),
        (0.01, Status.CANDIDATE, 0.00),
    ],
)
def test_passed_over_it_is_believed_less(
    scene: Scene, before: float, status: Status, after: float
) -> None:
    agent = "claude" if status is Status.CANDIDATE else None
    with scene.workspaces.at(scene.folder, session_id="w", agent=agent) as lore:
        memory = scene._stored(lore, CARTS, {"confidence": before})
    for session in ("s1", "s1"):  # once a session
        with scene.workspaces.at(scene.folder, session_id=session, agent="claude") as lore:
            writing.pass_over(lore, [memory.id])
    with scene.workspaces.at(scene.folder) as lore:
        assert lore.find(memory.id).confidence == pytest.approx(after)
        assert lore.undo()[0].deleted_at is not None  # no act: the last one is remembering


def test_what_a_second_look_drops_is_passed_over(tended: Scene) -> None:
    _with_chores(tended, verifier=Picky())
    memory = tended.remember(CARTS)
    for _ in range(3):
        tended.prompt("After how many days are carts emptied by the nightly job?")
    with tended.workspaces.at(tended.folder) as lore:
        assert lore.find(memory.id).confidence == pytest.approx(memory.confidence - 0.02)
        assert not lore.lessons.gaps()


# Gaps

ASKED = "Which retention period do we apply to invoices of wholesale customers?"


def open_gaps(scene: Scene) -> Sequence[Gap]:
    with scene.workspaces.at(scene.folder) as lore:
        return lore.lessons.gaps()


def test_a_question_that_nothing_answers_is_noted_once(tended: Scene) -> None:
    tended.remember(CARTS)
    tended.prompt(ASKED)
    tended.prompt("thanks, go on", session_id="s2")
    tended.prompt(
        "What retention period applies to wholesale customers' invoices?", session_id="s3"
    )
    tended.prompt("After how many days are carts emptied by the nightly job?", session_id="s4")
    (gap,) = open_gaps(tended)
    assert (gap.asked, gap.times, gap.session_id) == (ASKED, 2, "s1")
    assert gap.vector is not None


def test_what_is_closed_is_not_noted_again(tended: Scene) -> None:
    tended.prompt(ASKED)
    with tended.workspaces.at(tended.folder) as lore:
        lore.lessons.close_gap(open_gaps(tended)[0].id[-8:])
    tended.prompt(ASKED, session_id="s2")
    assert not open_gaps(tended)


def test_a_gap_holds_no_secret(tended: Scene) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    tended.prompt(f"{ASKED} My token is {secret}, keep it for the upload of invoices.")
    (gap,) = open_gaps(tended)
    assert secret not in gap.asked


def test_an_incognito_session_leaves_no_gap(tended: Scene) -> None:
    tended.prompt(ASKED, incognito=True)
    assert not open_gaps(tended)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("how long are invoices kept", "how long are invoices kept", True),
        ("retention of wholesale invoices", "wholesale invoices: retention", True),
        ("retention of wholesale invoices", "retention of retail invoices abroad", False),
    ],
)
def test_without_vectors_words_tell_what_asks_the_same(
    scene: Scene, old: str, new: str, same: bool
) -> None:
    one, other = (
        Gap(id="1", asked=text, at=scene.clock(), last_at=scene.clock()) for text in (old, new)
    )
    assert gaps.is_same(one, other) == same


def test_the_gaps_of_a_project_are_bounded(scene: Scene) -> None:
    store: Store = scene.workspaces.engine.store
    with store.append() as conn:
        for number in range(MAX_GAPS + 20):
            at = scene.clock()
            gap_rows.put(
                conn, Gap(id=f"g{number}", asked="?", at=at, last_at=at, times=1 + (number == 0))
            )
    with store.read() as conn:
        kept = [one.id for one in gap_rows.of_project(conn, None)]
    assert len(kept) == MAX_GAPS
    assert kept[0] == "g0"  # asked most
    assert "g1" not in kept
    assert f"g{MAX_GAPS + 19}" in kept


def test_a_gap_holds_nothing_that_steers_a_terminal(tended: Scene) -> None:
    tended.prompt(ASKED.replace(" ", " \x1b[2J\u202e", 1))
    (gap,) = open_gaps(tended)
    assert not {"\x1b", "\u202e"} & set(gap.asked)


def test_a_prompt_that_told_an_erased_memory_is_no_gap_any_more(tended: Scene) -> None:
    told = "The night porter keeps the spare cellar key behind the zorblax fuse box."
    tended.prompt(ASKED)
    tended.prompt(f"Which colleague would know this? {told}", session_id="s2")
    assert len(open_gaps(tended)) == 2
    id_ = tended.remember(told)
    with tended.workspaces.at(tended.folder) as lore:
        lore.forget(getattr(id_, "id", id_), now_and_forever=True)
    assert [gap.asked for gap in open_gaps(tended)] == [ASKED]


def test_a_gap_is_shown_in_its_own_folder_alone(tended: Scene) -> None:
    tended.prompt(ASKED)
    other = tended.folder.parent / "elsewhere"
    other.mkdir()
    with tended.workspaces.at(other) as lore:
        assert not lore.lessons.gaps()
    tended.remember("Prices are stored in cents.")
    assert [gap.asked for gap in open_gaps(tended)] == [ASKED]

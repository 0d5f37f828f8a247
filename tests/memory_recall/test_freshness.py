"""Who is shown what once the code has moved: in one checkout, on branches, in two worktrees."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import loremap
from loremap.app import Lore
from loremap.memory.admission.amend import Edit
from loremap.memory.recall.freshness import WEIGHT
from loremap.memory.recall.recipes import RECIPES
from loremap.model.anchor import Checked, Freshness, together, withheld
from loremap.model.kind import RULES, Kind
from loremap.model.memory import Memory, Trigger
from loremap.model.outcome import Merged, Refused

FRESH, DRIFTED, ORPHANED = Freshness
CODE = """\
class Store:
    def refresh(self, token):
        if token.expired:
            return self.issue(token.user, ttl=30)
        return token

    def issue(self, user, ttl):
        self.log.info("issued", user)
        return Token(user, until=self.clock() + ttl)
"""
FEATURE = """\


def rotate_keys(ring, *, keep):
    for key in sorted(ring, key=age)[keep:]:
        ring.remove(key)
    return ring
"""
ABOUT_FEATURE = "rotate_keys() must keep the newest two keys"


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, message: str = "A change") -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


@pytest.fixture
def shop(home: Path, tmp_path: Path) -> Path:
    """A repository with a commit, and a user who chose no model."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "none"\n')
    folder = tmp_path / "shop"
    (folder / "auth").mkdir(parents=True)
    (folder / "auth/tokens.py").write_text(CODE)
    (folder / "README.md").write_text("# Shop\n\nIt needs Redis 7.\n")
    git(folder, "init", "-q", "-b", "main")
    commit(folder)
    return folder


@pytest.fixture
def lore(shop: Path) -> Iterator[Lore]:
    with loremap.open(shop) as opened:
        yield opened


def known(lore: Lore, text: str, **how: object) -> Memory:
    outcome = lore.remember(text, **how)  # type: ignore[arg-type]
    assert not isinstance(outcome, Refused)
    return outcome.memory


def recalled(folder: Path, query: str, **how: object) -> list[str]:
    """What an agent that starts in `folder` now is given."""
    with loremap.open(folder) as lore:
        answer = lore.recall(query, gate=False, **how)  # type: ignore[arg-type]
        return [hit.memory.content for hit in answer.hits]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("kind", list(Kind))
def test_which_kinds_are_withheld_where_their_code_is_gone(kind: Kind) -> None:
    everywhere = {
        Kind.PREFERENCE, Kind.CORRECTION, Kind.HUMAN_FEEDBACK, Kind.CONVENTION, Kind.PROCEDURE,
        Kind.DECISION,
    }  # fmt: skip
    stays = kind in everywhere or RULES[kind].branch_bound
    assert withheld(kind, ORPHANED) is not stays
    assert not any(withheld(kind, other) for other in (None, FRESH, DRIFTED))


@pytest.mark.parametrize(
    ("checks", "whole"),
    [
        ((), None),
        ((FRESH,), FRESH),
        ((FRESH, FRESH), FRESH),
        ((FRESH, DRIFTED), DRIFTED),
        ((DRIFTED, ORPHANED), DRIFTED),
        ((FRESH, ORPHANED), DRIFTED),  # part of what it speaks of is gone
        ((ORPHANED, ORPHANED), ORPHANED),
    ],
)
def test_several_anchors(checks: tuple[Freshness, ...], whole: Freshness | None) -> None:
    told = together([Checked(one, "a.py", why=one.value) for one in checks])
    assert (None if told is None else told.freshness) == whole
    if told is not None and whole is not FRESH:
        assert told.why == "; ".join(
            sorted(
                {one.value for one in checks if one is not FRESH}, key=["drifted", "orphaned"].index
            )
        )


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_the_drifted_is_marked_and_ranked_down(lore: Lore, shop: Path, recipe: str) -> None:
    first = known(lore, "Store.refresh in auth/tokens.py renews a session token", kind="gotcha")
    known(lore, "Store.issue in auth/tokens.py makes a session token", kind="gotcha")
    edit(shop / "auth/tokens.py", "ttl=30", "ttl=60")
    hits = lore.recall("session token", gate=False, recipe=recipe).hits
    marks = {hit.memory.id: hit.freshness for hit in hits}
    check = marks[first.id]
    assert check is not None
    assert check.freshness is DRIFTED
    assert check.why == "auth/tokens.py::Store.refresh was changed"
    assert [hit.memory.id for hit in hits][-1] == first.id
    parts = {hit.memory.id: hit.parts for hit in hits}
    assert parts[first.id]["drifted"] == WEIGHT[DRIFTED]
    assert "drifted" not in parts[hits[0].memory.id]


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_the_orphaned_is_withheld_from_agents_and_shown_to_people(
    lore: Lore, shop: Path, recipe: str
) -> None:
    gone = known(lore, "Store.refresh in auth/tokens.py renews a session token", kind="gotcha")
    kept = known(lore, "A session token is a JWT")
    edit(
        shop / "auth/tokens.py",
        CODE[CODE.index("    def refresh") : CODE.index("    def issue")],
        "",
    )
    answer = lore.recall("session token", gate=False, recipe=recipe)
    assert [hit.memory.id for hit in answer.hits] == [kept.id]
    dropped = [one for one in answer.trace.verdicts if not one.kept and one.memory_id == gone.id]
    assert [one.why for one in dropped] == ["orphaned: auth/tokens.py::Store.refresh is gone here"]
    found = lore.search("session token", recipe=recipe).hits
    assert {hit.memory.id: hit.freshness and hit.freshness.freshness for hit in found} == {
        gone.id: ORPHANED,
        kept.id: None,
    }


def test_what_is_pinned_is_withheld_too_and_opens_no_gate(lore: Lore, shop: Path) -> None:
    known(lore, "Store.refresh in auth/tokens.py renews the quux cookie", kind="gotcha", pin=True)
    (shop / "auth/tokens.py").unlink()
    for recipe in sorted(RECIPES):
        assert not lore.recall("does refresh renew the quux cookie", recipe=recipe).hits
    known(lore, "Deploys happen on Tuesday")
    assert not lore.recall("does refresh renew the quux cookie").hits


def test_what_is_settled_goes_everywhere_with_a_mark(lore: Lore, shop: Path) -> None:
    known(lore, "Store.issue in auth/tokens.py is the only place that mints", kind="convention")
    (shop / "auth/tokens.py").unlink()
    (hit,) = lore.recall("which place mints", gate=False).hits
    assert hit.freshness is not None
    assert hit.freshness.freshness is ORPHANED


def test_warnings_fire_only_where_their_code_is(lore: Lore, shop: Path) -> None:
    known(
        lore,
        "Store.refresh in auth/tokens.py is not atomic",
        kind="warning",
        triggers=[Trigger("literal", "refresh", "command")],
    )
    assert [one.freshness and one.freshness.freshness for one in lore.check(command="refresh")] == [
        FRESH
    ]
    edit(shop / "auth/tokens.py", "ttl=30", "ttl=60")
    assert [one.freshness and one.freshness.freshness for one in lore.check(command="refresh")] == [
        DRIFTED
    ]
    (shop / "auth/tokens.py").unlink()
    assert not lore.check(command="refresh")


def test_confirming_and_editing_take_new_anchors(lore: Lore, shop: Path) -> None:
    def state(memory: Memory) -> Freshness | None:
        check = lore.freshness([memory]).get(memory.id)
        return None if check is None else check.freshness

    memory = known(lore, "Store.refresh in auth/tokens.py renews a session token")
    path = shop / "auth/tokens.py"
    edit(path, "ttl=30", "ttl=60")
    assert state(memory) is DRIFTED
    lore.confirm(memory.id)
    assert state(memory) is FRESH
    edit(path, "ttl=60", "ttl=90")
    lore.edit(memory.id, Edit(importance=0.9))
    assert state(memory) is FRESH
    edit(path, "ttl=90", "ttl=120")
    assert isinstance(lore.remember(memory.content), Merged)  # said again
    assert state(memory) is FRESH
    lore.edit(memory.id, Edit(content="README.md: it needs Redis 7"))
    edit(path, "ttl=120", "ttl=150")
    assert state(memory) is FRESH
    lore.undo(memory.id)
    assert [anchor.key for anchor, _ in lore.show(memory.id).anchors] == [
        "auth/tokens.py::Store.refresh"
    ]


def test_confirming_where_the_code_is_not_keeps_the_anchors(lore: Lore, shop: Path) -> None:
    memory = known(lore, "Store.refresh in auth/tokens.py renews a session token")
    before = lore.show(memory.id).anchors[0][0]
    (shop / "auth/tokens.py").unlink()
    lore.confirm(memory.id)
    assert [anchor for anchor, _ in lore.show(memory.id).anchors] == [before]


def test_global_memories_and_ignored_files_are_not_anchored(lore: Lore, shop: Path) -> None:
    (shop / ".gitignore").write_text("local.py\n")
    (shop / "local.py").write_text("def only_local(): pass\n")
    (shop / ".env").write_text("A=1\n")
    for memory in (
        known(lore, "auth/tokens.py is old", scope="global"),
        known(lore, "only_local() in local.py is mine", files=["local.py", ".env"]),
        known(lore, "Use spaces"),
    ):
        assert lore.show(memory.id).anchors == ()


def test_an_unmerged_feature_is_known_on_its_branch_only(shop: Path) -> None:
    git(shop, "checkout", "-q", "-b", "feature")
    (shop / "auth/keys.py").write_text(FEATURE)
    commit(shop)
    with loremap.open(shop) as lore:
        known(lore, ABOUT_FEATURE, kind="gotcha", files=["auth/keys.py"])
        known(lore, "The keys feature is half done", kind="work_state")
    assert recalled(shop, "keys") == [ABOUT_FEATURE, "The keys feature is half done"]
    git(shop, "checkout", "-q", "main")
    assert recalled(shop, "keys") == []
    git(shop, "checkout", "-q", "feature")
    assert ABOUT_FEATURE in recalled(shop, "keys")


def _merge(shop: Path) -> None:
    git(shop, "merge", "-q", "--no-ff", "--no-edit", "feature")


def _squash(shop: Path) -> None:
    git(shop, "merge", "-q", "--squash", "feature")
    git(shop, "commit", "-q", "-m", "The feature")


def _rebase(shop: Path) -> None:
    git(shop, "rebase", "-q", "main", "feature")
    git(shop, "checkout", "-q", "main")
    git(shop, "merge", "-q", "--ff-only", "feature")


def _squash_and_delete(shop: Path) -> None:
    _squash(shop)
    git(shop, "branch", "-q", "-D", "feature")


def _cherry_pick(shop: Path) -> None:
    git(shop, "cherry-pick", "feature")


@pytest.mark.parametrize("join", [_merge, _squash, _rebase, _squash_and_delete, _cherry_pick])
def test_after_the_merge_it_is_known_everywhere(shop: Path, join: object) -> None:
    git(shop, "checkout", "-q", "-b", "feature")
    (shop / "auth/keys.py").write_text(FEATURE)
    commit(shop)
    with loremap.open(shop) as lore:
        known(lore, ABOUT_FEATURE, kind="gotcha", files=["auth/keys.py"])
        known(lore, "The keys feature is half done", kind="work_state")
    git(shop, "checkout", "-q", "main")
    edit(shop / "README.md", "Redis 7", "Redis 8")
    commit(shop, "main goes on")
    assert recalled(shop, "keys") == []
    join(shop)  # type: ignore[operator]
    assert recalled(shop, "keys") == [ABOUT_FEATURE]
    git(shop, "checkout", "-q", "-b", "next")
    assert recalled(shop, "keys") == [ABOUT_FEATURE]


def test_two_worktrees_each_see_what_their_branch_has(shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other tree"
    git(shop, "worktree", "add", "-q", "-b", "feature", str(other))
    (other / "auth/keys.py").write_text(FEATURE)
    with loremap.open(other) as there:  # not even committed
        known(there, ABOUT_FEATURE, kind="gotcha", files=["auth/keys.py"])
        known(there, "Store.refresh in auth/tokens.py renews keys", kind="gotcha")
    edit(other / "auth/tokens.py", "ttl=30", "ttl=60")
    with loremap.open(other) as there, loremap.open(shop) as here:
        for lore, told in ((there, {ABOUT_FEATURE: FRESH}), (here, {})):
            hits = lore.recall("keys", gate=False).hits
            marks = {hit.memory.content: hit.freshness for hit in hits}
            states = {text: check and check.freshness for text, check in marks.items()}
            renews = DRIFTED if lore is there else FRESH
            assert states == told | {"Store.refresh in auth/tokens.py renews keys": renews}


def test_a_scanned_project_finds_names_everywhere(lore: Lore, shop: Path) -> None:
    """Without a file named: the code graph knows the only place, and where it went."""
    (shop / "auth/keys.py").write_text(FEATURE)
    nowhere = known(lore, "rotate_keys() never touches the newest")
    assert lore.show(nowhere.id).anchors == ()  # nobody has scanned yet, and asking does not
    lore.code.scan()
    memory = known(lore, "rotate_keys() must keep two", kind="gotcha")
    assert [one.key for one, _ in lore.show(memory.id).anchors] == ["auth/keys.py::rotate_keys"]
    (shop / "auth/keys.py").unlink()
    (shop / "web/deep/down").mkdir(parents=True)
    moved = "class Ring:\n" + FEATURE.strip().replace("rotate_keys", "turn").replace("\n", "\n    ")
    (shop / "web/deep/down/ring.py").write_text(moved.replace("def", "    def", 1) + "\n")
    check = lore.freshness([memory])[memory.id]
    assert (check.freshness, check.key) == (FRESH, "web/deep/down/ring.py::Ring.turn")
    assert "rotate_keys() must keep two" in recalled(shop, "keep two")


def test_a_damaged_graph_costs_no_answer(lore: Lore, shop: Path) -> None:
    lore.code.scan()
    memory = known(lore, "Store.refresh in auth/tokens.py renews a session token")
    graph = lore.code.graph.path
    lore.code.close()
    graph.write_bytes(b"no database")
    (shop / "auth/tokens.py").unlink()
    assert lore.freshness([memory])[memory.id].freshness is ORPHANED


def test_the_change_is_seen_by_a_process_that_lives_on(lore: Lore, shop: Path) -> None:
    memory = known(lore, "Store.refresh in auth/tokens.py renews a session token")
    seen = []
    for text in (CODE, CODE.replace("30", "31"), CODE):
        (shop / "auth/tokens.py").write_text(text)
        seen.append(lore.freshness([memory])[memory.id].freshness)
    assert seen == [FRESH, DRIFTED, FRESH]


def test_a_bare_repository_knows_no_code_and_withholds_nothing(shop: Path, tmp_path: Path) -> None:
    with loremap.open(shop) as lore:
        known(lore, "Store.refresh in auth/tokens.py renews a session token")
    bare = tmp_path / "bare.git"
    git(shop, "clone", "-q", "--bare", str(shop), str(bare))
    with loremap.open(bare) as lore:
        assert lore.freshness(lore.list(everywhere=True)) == {}

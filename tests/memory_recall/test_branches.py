"""Branches of a real repository: what was learned on one is not told elsewhere as if it were so."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import loremap
from loremap.code.branches import Branches
from loremap.code.repository import repository_at
from loremap.memory.standing import standing_hits
from loremap.model.branches import AFTER, Written
from loremap.model.kind import Kind
from loremap.model.memory import Memory, Trigger
from loremap.model.outcome import Stored
from loremap.model.recall import Recall

NOTE = "The exporter retries uploads with exponential backoff"


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    ran = subprocess.run(
        ["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return ran.stdout.strip()


def commit(folder: Path, name: str) -> str:
    (folder / name).write_text(f"def {Path(name).stem}():\n    return {len(name)}\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", f"Add {name}")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def shop(home: Path, tmp_path: Path) -> Path:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[embedding]\nprovider = "none"\n')
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "cart.py")
    git(folder, "checkout", "-q", "-b", "feature")
    return folder


def remember(folder: Path, text: str = NOTE, **options: object) -> Memory:
    with loremap.open(folder) as lore:
        outcome = lore.remember(text, **options)  # type: ignore[arg-type]
    assert isinstance(outcome, Stored)
    return outcome.memory


def recalled(folder: Path, text: str = "exporter retries uploads") -> Recall:
    with loremap.open(folder) as lore:
        return lore.recall(text, gate=False)


def told(folder: Path) -> list[str | None]:
    """The branch that each answer names as not merged."""
    return [hit.unmerged for hit in recalled(folder).hits]


@pytest.mark.parametrize("begun", [False, True], ids=["no commit yet", "a commit of its own"])
def test_a_note_waits_until_its_branch_is_merged(shop: Path, begun: bool) -> None:
    own = commit(shop, "export.py") if begun else None
    memory = remember(shop)
    base = git(shop, "rev-parse", "main")
    assert (memory.branch, memory.commit_id) == ("feature", own or f"{base}{AFTER}")
    assert told(shop) == [None], "on its own branch"
    commit(shop, "upload.py")
    git(shop, "checkout", "-q", "main")
    answer = recalled(shop)
    assert answer.hits == ()
    assert [one.why for one in answer.trace.verdicts] == ["from feature, which is not merged here"]
    with loremap.open(shop) as lore:
        (hit,) = lore.search("exporter").hits
        assert hit.unmerged == "feature", "a person's own search shows it, marked"
    git(shop, "merge", "-q", "--no-ff", "-m", "Merge", "feature")
    assert told(shop) == [None]
    git(shop, "checkout", "-q", "-b", "another", base)
    assert told(shop) == [None], "what is in the trunk holds on every branch"


def test_a_branch_that_was_squashed_and_deleted_counts_as_merged(shop: Path) -> None:
    commit(shop, "export.py")
    remember(shop)
    git(shop, "checkout", "-q", "main")
    git(shop, "merge", "-q", "--squash", "feature")
    git(shop, "commit", "-q", "-m", "Squashed")
    assert told(shop) == [], "nothing tells yet"
    git(shop, "branch", "-q", "-D", "feature")
    assert told(shop) == [None]


def test_what_does_not_depend_on_the_branch_says_where_it_is_from(shop: Path) -> None:
    commit(shop, "export.py")
    remember(shop, kind="decision")
    remember(shop, "Cart totals are summed by the exporter", files=["cart.py"])
    remember(shop, "The exporter writes uploads of export.py", files=["export.py"])
    remember(shop, "The user likes short exporter logs", scope="global")
    git(shop, "checkout", "-q", "main")
    answer = {hit.memory.content: hit.unmerged for hit in recalled(shop, "exporter").hits}
    assert answer == {
        NOTE: "feature",  # a decision goes everywhere
        "Cart totals are summed by the exporter": "feature",  # its code is here too
        "The user likes short exporter logs": None,
    }


def test_what_the_trunk_learns_later_is_known_on_a_branch(shop: Path) -> None:
    git(shop, "checkout", "-q", "main")
    commit(shop, "export.py")
    assert remember(shop).commit_id == git(shop, "rev-parse", "HEAD")
    git(shop, "checkout", "-q", "feature")
    assert told(shop) == [None]
    git(shop, "checkout", "-q", "--detach", "feature")
    assert told(shop) == [None]


def test_work_of_another_clone_is_not_taken_for_merged(shop: Path, tmp_path: Path) -> None:
    git(shop, "checkout", "-q", "main")
    git(tmp_path, "clone", "-q", "--bare", str(shop), "hub.git")
    for name in ("one", "two"):
        git(tmp_path, "clone", "-q", "hub.git", name)
    one, two = tmp_path / "one", tmp_path / "two"
    git(one, "checkout", "-q", "-b", "local-work")
    commit(one, "export.py")
    remember(one)
    assert told(two) == []
    git(one, "push", "-q", "origin", "local-work:main")
    git(two, "fetch", "-q")
    assert told(two) == [None]


def test_files_named_on_an_unmerged_branch(shop: Path) -> None:
    commit(shop, "export.py")
    remember(shop, "Exports are zipped", files=["cart.py"])
    remember(shop, "Exports are signed", files=["cart.py"], kind="decision")
    git(shop, "checkout", "-q", "main")
    with loremap.open(shop) as lore:
        found = {hit.memory.content: hit.unmerged for hit in lore.about(["cart.py"])}
    assert found == {"Exports are zipped": "feature", "Exports are signed": "feature"}


def test_git_is_asked_only_for_other_branches_and_not_again_at_once(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = commit(shop, "export.py")
    git(shop, "checkout", "-q", "main")
    now, asked = [0.0], []
    import loremap.code.branches as module

    real = module.git_says

    def counted(arguments: object, **options: object) -> bytes | None:
        asked.append(arguments)
        return real(arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "git_says", counted)
    branches = Branches(repository_at(shop), clock=lambda: now[0])
    branches.seen([Written("main", own), Written(None)])
    assert asked == []
    first = branches.seen([Written("feature", own)])
    assert (first.trunk, first.outside, len(asked)) == ("main", {own}, 3)
    assert branches.seen([Written("feature", own)]) == first
    assert len(asked) == 3
    git(shop, "merge", "-q", "feature")
    now[0] = 6.0
    assert branches.seen([Written("feature", own)]).outside == frozenset()


@pytest.mark.parametrize("commit_id", ["--help", "HEAD", "x" * 40, "0" * 40])
def test_a_commit_that_is_none_is_handed_to_nobody(shop: Path, commit_id: str) -> None:
    git(shop, "checkout", "-q", "main")
    seen = Branches(repository_at(shop)).seen([Written("elsewhere", commit_id)])
    assert seen.outside == frozenset()
    assert seen.unknown == ({commit_id} if commit_id == "0" * 40 else frozenset())


def test_who_confirms_it_elsewhere_says_that_it_holds_there(shop: Path) -> None:
    commit(shop, "export.py")
    id_ = remember(shop).id
    git(shop, "checkout", "-q", "main")
    assert told(shop) == []
    with loremap.open(shop) as lore:
        lore.confirm(id_)
    assert told(shop) == [None]
    with loremap.open(shop) as lore:
        lore.undo()
    assert told(shop) == []


def test_a_warning_is_told_with_its_branch_and_a_gotcha_waits(shop: Path) -> None:
    commit(shop, "export.py")
    trigger = Trigger("literal", "make export", "command")
    remember(shop, "Exports fill the disk", kind="warning", triggers=[trigger])
    remember(shop, "Exports need a token", kind="gotcha", triggers=[trigger])
    git(shop, "checkout", "-q", "main")
    with loremap.open(shop) as lore:
        alerts = lore.check(command="make export")
    assert [(one.memory.kind, one.unmerged) for one in alerts] == [(Kind.WARNING, "feature")]


def test_what_stands_at_a_sessions_start_says_where_it_is_from(shop: Path) -> None:
    commit(shop, "export.py")
    remember(shop, kind="decision")
    remember(shop, "Exports are zipped", pin=True)
    git(shop, "checkout", "-q", "main")
    with loremap.open(shop) as lore:
        found = standing_hits(lore, is_loaded=lambda _: False)
    assert {hit.memory.content: hit.unmerged for hit in found} == {
        NOTE: "feature",
        "Exports are zipped": "feature",
    }

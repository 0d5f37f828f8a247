"""What becomes of one anchor after one change, case by case."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from loremap.code.anchors import anchors_in, retaken
from loremap.code.verdicts import verdict
from loremap.code.view import LARGEST_BYTES, FilesView, Shelf
from loremap.model.anchor import Anchor, AnchorKind, Checked, Freshness

FRESH, DRIFTED, ORPHANED = Freshness
TOKENS = '''"""Tokens."""

import time


class Store:
    def __init__(self, clock):
        self.clock = clock

    @retry(3)
    def refresh(self, token):
        if token.expires < self.clock():
            return self.issue(token.user, ttl=30)
        return token

    def issue(self, user, ttl):
        made = {"user": user, "until": self.clock() + ttl}
        self.log.info("issued", made)
        return made

    def drop(self, user):
        del self.held[user]
'''
MAKE = "build:\n\tcc -O2 main.c\n\ntest: build\n\tpytest -n 2 tests\n"
GUIDE = "# Guide\n\nThe server needs Redis 7 and two cores.\n\nDeploys happen on Tuesdays only.\n"


class Project:
    """Some files, and anchors taken in them."""

    def __init__(self, root: Path) -> None:
        self.root, self.shelf = root, Shelf()
        for path, text in (("auth/tokens.py", TOKENS), ("Makefile", MAKE), ("guide.md", GUIDE)):
            self.write(path, text)

    def write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def change(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text()
        assert old in text
        self.write(path, text.replace(old, new))

    def view(self) -> FilesView:
        paths = sorted(
            found.relative_to(self.root).as_posix()
            for found in self.root.rglob("*")
            if found.is_file()
        )
        return FilesView(self.root, lambda path: True, self.shelf, paths)

    def anchor(self, text: str) -> Anchor:
        (taken,) = anchors_in(text, (), self.view())
        return taken

    def check(self, anchor: Anchor) -> Checked:
        return verdict(anchor, self.view())


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


Change = Callable[[Project], None]


def edit(path: str, old: str, new: str) -> Change:
    return lambda project: project.change(path, old, new)


def move_file(old: str, new: str) -> Change:
    def change(project: Project) -> None:
        (project.root / new).parent.mkdir(parents=True, exist_ok=True)
        (project.root / old).rename(project.root / new)

    return change


def move_refresh(project: Project) -> None:
    start, end = TOKENS.index("    @retry"), TOKENS.index("    def issue")
    project.change("auth/tokens.py", TOKENS[start:end], "")
    body = TOKENS[start:end].replace("\n    ", "\n").replace("    @retry", "@retry", 1)
    project.write("auth/free.py", "import os\n\n\n" + body)


def remove(path: str) -> Change:
    return lambda project: (project.root / path).unlink()


REFRESH = "auth/tokens.py::Store.refresh"
DEF = "def refresh(self, token):"
CUT = TOKENS[TOKENS.index("    @retry") : TOKENS.index("    def issue")]


@pytest.mark.parametrize(
    ("change", "freshness", "now"),
    [
        (lambda project: None, FRESH, REFRESH),
        (edit("auth/tokens.py", "ttl=30", "ttl=31"), DRIFTED, REFRESH),
        (edit("auth/tokens.py", "@retry(3)", "@retry(4)"), DRIFTED, REFRESH),
        (edit("auth/tokens.py", "    @retry(3)\n", ""), DRIFTED, REFRESH),
        (edit("auth/tokens.py", DEF, "def refresh(self, token, force=False):"), DRIFTED, REFRESH),
        (edit("auth/tokens.py", '{"user"', '{"owner"'), FRESH, REFRESH),  # in another method
        (edit("auth/tokens.py", "import time", "import os\nimport time"), FRESH, REFRESH),
        (edit("auth/tokens.py", "    ", "  "), FRESH, REFRESH),
        (edit("auth/tokens.py", "(token.user, ttl=30)", "(\n    token.user,\n    ttl=30,\n)"),
         FRESH, REFRESH),
        (edit("auth/tokens.py", DEF, "def renew(self, token):"), FRESH,
         "auth/tokens.py::Store.renew"),
        (edit("auth/tokens.py", "class Store", "class Vault"), FRESH,
         "auth/tokens.py::Vault.refresh"),
        (edit("auth/tokens.py", CUT, ""), ORPHANED, REFRESH),
        (edit("auth/tokens.py", DEF, "def refresh(self, token)"), DRIFTED, REFRESH),  # broken now
        (move_refresh, FRESH, "auth/free.py::refresh"),
        (move_file("auth/tokens.py", "core/vault.py"), FRESH, "core/vault.py::Store.refresh"),
        (remove("auth/tokens.py"), ORPHANED, REFRESH),
        (edit("guide.md", "Redis 7", "Redis 8"), FRESH, REFRESH),
    ],
)  # fmt: skip
def test_a_symbol_is_followed(
    project: Project, change: Change, freshness: Freshness, now: str
) -> None:
    anchor = project.anchor("Store.refresh in auth/tokens.py is not atomic")
    change(project)
    check = project.check(anchor)
    assert (check.freshness, check.key) == (freshness, now)
    assert bool(check.why) == (freshness is not FRESH or now != REFRESH)


@pytest.mark.parametrize(
    ("text", "change", "freshness", "now"),
    [
        ("`make test` in the Makefile", edit("Makefile", "-n 2", "-n 4"), DRIFTED,
         "Makefile::test"),
        ("`make test` in the Makefile", edit("Makefile", "-O2", "-O3"), FRESH, "Makefile::test"),
        ("`make test` in the Makefile", edit("Makefile", "test: build", "check: build"), FRESH,
         "Makefile::check"),
        ("`make test` in the Makefile", edit("Makefile", MAKE[MAKE.index("test"):], ""), ORPHANED,
         "Makefile::test"),
        ("guide.md: two cores and Redis 7", edit("guide.md", "and two", "and\n  two"), FRESH,
         "guide.md"),
        ("guide.md: two cores and Redis 7", edit("guide.md", "two", "four"), DRIFTED, "guide.md"),
        ("guide.md: two cores and Redis 7", edit("guide.md", "Tuesdays", "Fridays"), FRESH,
         "guide.md"),
        ("guide.md: two cores and Redis 7", move_file("guide.md", "docs/guide.md"), FRESH,
         "docs/guide.md"),
        ("guide.md: two cores and Redis 7",
         edit("guide.md", "The server needs Redis 7 and two cores.\n", ""), ORPHANED, "guide.md"),
    ],
)  # fmt: skip
def test_a_block_is_followed(
    project: Project, text: str, change: Change, freshness: Freshness, now: str
) -> None:
    anchor = project.anchor(text)
    assert anchor.kind is AnchorKind.BLOCK
    change(project)
    check = project.check(anchor)
    assert (check.freshness, check.key) == (freshness, now)


@pytest.mark.parametrize(
    ("change", "freshness", "now"),
    [
        (edit("auth/tokens.py", "ttl=30", "ttl=31"), FRESH, "auth/tokens.py"),
        (edit("auth/tokens.py", CUT, ""), FRESH, "auth/tokens.py"),
        (move_file("auth/tokens.py", "core/vault.py"), FRESH, "core/vault.py"),
        (remove("auth/tokens.py"), ORPHANED, "auth/tokens.py"),
    ],
)
def test_a_file_counts_by_its_existence_alone(
    project: Project, change: Change, freshness: Freshness, now: str
) -> None:
    anchor = project.anchor("auth/tokens.py is old")
    assert anchor.kind is AnchorKind.FILE
    change(project)
    check = project.check(anchor)
    assert (check.freshness, check.key) == (freshness, now)


def test_a_name_that_passed_to_something_else_is_not_followed(project: Project) -> None:
    anchor = project.anchor("Store.issue in auth/tokens.py")
    taken_over = (
        "    def issue(self, path):\n        with open(path) as file:\n            yield 7\n"
    )
    project.change("auth/tokens.py", "def issue(", "def mint(")
    project.change("auth/tokens.py", "self.issue(", "self.mint(")
    project.change("auth/tokens.py", "    def drop", f"{taken_over}\n    def drop")
    check = project.check(anchor)
    assert (check.freshness, check.symbol) == (FRESH, "Store.mint")


def test_a_twin_that_was_there_before_is_not_taken_for_it(project: Project) -> None:
    project.write(
        "a.py", "def alpha(x):\n    return x.size + 1\n\n\ndef beta(x):\n    return x.size + 1\n"
    )
    anchor = project.anchor("alpha() in a.py")
    project.change("a.py", "def alpha(x):\n    return x.size + 1\n\n\n", "")
    assert project.check(anchor).freshness is ORPHANED
    project.write("b.py", "def alpha(x):\n    return x.size + 1\n")
    assert project.check(anchor).key == "b.py::alpha"


def test_overloads_are_one_symbol_whatever_comes_before(project: Project) -> None:
    overloads = (
        "class Box:\n    @property\n    def size(self):\n        return self.n\n\n"
        "    @size.setter\n    def size(self, n):\n        self.n = n\n"
    )
    project.write("box.py", overloads)
    anchor = project.anchor("`Box.size` in box.py")
    project.write("box.py", "class Other:\n    size = 1\n\n\n" + overloads)
    assert project.check(anchor).freshness is FRESH
    project.change("box.py", "self.n = n", "self.n = n + 1")
    assert project.check(anchor).freshness is DRIFTED


def test_an_anchor_is_taken_anew_where_it_is_now(project: Project) -> None:
    anchor = project.anchor("Store.refresh in auth/tokens.py")
    project.change("auth/tokens.py", "ttl=30", "ttl=31")
    project.change("auth/tokens.py", DEF, "def renew(self, token):")
    check = project.check(anchor)
    assert (check.freshness, check.symbol) == (DRIFTED, "Store.renew")
    healed = retaken(anchor, check, project.view())
    assert healed is not None
    assert project.check(healed) == Checked(FRESH, "auth/tokens.py", "Store.renew", check.line)
    assert retaken(anchor, Checked(ORPHANED), project.view()) is None


def test_an_anchor_of_another_version_is_found_by_name(project: Project) -> None:
    anchor = Anchor(path="auth/tokens.py", kind=AnchorKind.SYMBOL, symbol="Store.drop", span="9:x")
    assert project.check(anchor).freshness is DRIFTED  # it is there; the rest nobody can tell


def test_a_huge_file_and_a_binary_one_count_by_their_existence(project: Project) -> None:
    (project.root / "huge.py").write_bytes(b"x = 1\n" * (LARGEST_BYTES // 6 + 1))
    (project.root / "blob.bin").write_bytes(bytes(range(256)) * 10)
    for path in ("huge.py", "blob.bin"):
        anchor = project.anchor(f"{path} is generated")
        assert anchor.kind is AnchorKind.FILE
        assert project.check(anchor).freshness is FRESH
        (project.root / path).unlink()
        assert project.check(anchor).freshness is ORPHANED


def test_a_change_that_keeps_the_size_is_noticed(project: Project) -> None:
    anchor = project.anchor("Store.refresh in auth/tokens.py")
    assert project.check(anchor).freshness is FRESH
    path = project.root / "auth/tokens.py"
    project.change("auth/tokens.py", "ttl=30", "ttl=31")
    os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns + 1))
    assert project.check(anchor).freshness is DRIFTED

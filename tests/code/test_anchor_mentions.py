"""What a memory is anchored to, by what it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from loremap.code.anchors import MAX_ANCHORS, anchors_in
from loremap.code.mentions import names_in, paths_in, something_in
from loremap.code.view import FilesView, Shelf

FILES = {
    "auth/tokens.py": '''
MAX_AGE = 30

class Store:
    """Keeps tokens."""

    def refresh(self, token):
        return self.issue(token.user)

    def issue(self, user):
        return user

def retry(count):
    for _ in range(count):
        pass
''',
    "auth/keys.py": "class KeyRing:\n    def rotate(self):\n        pass\n\ndef retry(n):\n    n\n",
    "lib/util.py": "def only_here():\n    pass\n",
    "Makefile": "build:\n\tcc -O2 main.c\n\ntest: build\n\tpytest -n 2 tests\n",
    "README.md": "# Shop\n\nIt needs Node 20 and Redis.\n\nDeploys happen on Tuesday mornings.\n",
}


@pytest.fixture
def code(tmp_path: Path) -> FilesView:
    for path, text in FILES.items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return FilesView(tmp_path, lambda path: path != "secret.py", Shelf(), tuple(FILES))


@pytest.mark.parametrize(
    ("text", "files", "keys"),
    [
        ("Store.refresh is not safe", ["auth/tokens.py"], ["auth/tokens.py::Store.refresh"]),
        ("`refresh` is not safe", ["auth/tokens.py"], ["auth/tokens.py::Store.refresh"]),
        ("refresh() is slow in auth/tokens.py", [], ["auth/tokens.py::Store.refresh"]),
        ("auth/tokens.py::Store.issue mints", [], ["auth/tokens.py::Store.issue"]),
        ("tokens.refresh is slow, see tokens.py", [], ["auth/tokens.py::Store.refresh"]),
        ("look at auth/tokens.py:8, it lies", [], ["auth/tokens.py::Store.refresh"]),
        ("MAX_AGE is in days", ["auth/tokens.py"], ["auth/tokens.py::MAX_AGE"]),
        ("Store keeps them", ["auth/tokens.py"], ["auth/tokens.py::Store"]),
        ("`Store` and `Store.issue` go together", ["auth/tokens.py"],
         ["auth/tokens.py::Store.issue"]),
        ("refresh tokens are rotated", ["auth/tokens.py"], ["auth/tokens.py"]),  # just a word
        ("only_here() is alone", [], ["lib/util.py::only_here"]),
        ("`KeyRing.rotate` blocks", [], ["auth/keys.py::KeyRing.rotate"]),
        ("`retry` backs off", [], []),  # two of them: which one nobody knows
        ("`retry` backs off", ["auth/keys.py"], ["auth/keys.py::retry"]),
        ("keys.retry backs off", [], ["auth/keys.py::retry"]),
        ("retry backs off twice", ["auth/keys.py"], ["auth/keys.py::retry"]),
        ("retry in auth/keys.py backs off", [], ["auth/keys.py::retry"]),
        ("retry backs off twice", [], []),  # a plain word, and no file is given
        ("it is slow", ["auth/tokens.py", "lib/util.py"], ["auth/tokens.py", "lib/util.py"]),
        ("`make test` needs two cores", ["Makefile"], ["Makefile::test"]),
        ("the Makefile is old", [], ["Makefile"]),
        ("README.md says Node 20 and Redis are needed", [], ["README.md"]),
        ("never edit gone/file.py or `no_such_name()`", ["also/gone.py"], []),
        ("use spaces, not tabs", [], []),
        ("see https://example.org/auth/tokens.py", [], []),
    ],
)  # fmt: skip
def test_anchored_to_what_is_named_and_there(
    code: FilesView, text: str, files: list[str], keys: list[str]
) -> None:
    assert [anchor.key for anchor in anchors_in(text, files, code)] == keys


def test_a_paragraph_is_told_from_its_file(code: FilesView) -> None:
    kinds = {
        text: anchors_in(text, (), code)[0].kind.value
        for text in (
            "README.md says Node 20 and Redis are needed",
            "README.md is the first thing newcomers see",
        )
    }
    assert list(kinds.values()) == ["block", "file"]


def test_what_may_not_be_read_is_no_anchor(code: FilesView, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("def open_sesame():\n    pass\n")
    (tmp_path / "folder.py").mkdir()
    assert anchors_in("open_sesame() in secret.py and folder.py", ["secret.py"], code) == ()


def test_a_memory_that_names_everything_is_held_to_a_few(code: FilesView, tmp_path: Path) -> None:
    names = [f"function_{number}" for number in range(30)]
    (tmp_path / "many.py").write_text("".join(f"def {name}(): pass\n\n" for name in names))
    text = "many.py: " + ", ".join(names)
    assert len(anchors_in(text, ["many.py"], code)) == MAX_ANCHORS


def test_the_commit_is_kept_and_whether_the_file_differs(code: FilesView, tmp_path: Path) -> None:
    from git_tools import commit_all, git

    assert [one.head for one in anchors_in("x", ["auth/keys.py"], code)] == [None]
    git(tmp_path, "init", "-q", "-b", "main")
    head = commit_all(tmp_path)
    (tmp_path / "lib/util.py").write_text(FILES["lib/util.py"] + "\n\nNEW = 1\n")
    (tmp_path / "new file.py").write_text("def newest(): pass\n")
    taken = anchors_in("x", ["auth/keys.py", "lib/util.py", "new file.py"], code)
    assert [(one.path, one.head, one.dirty) for one in taken] == [
        ("auth/keys.py", head, False),
        ("lib/util.py", head, True),
        ("new file.py", head, True),
    ]


@pytest.mark.parametrize(
    ("text", "chains"),
    [
        ("`Store.get(key)` and `new Cache()`", ["Store.get", "Cache"]),
        ("ns::Widget::draw, Foo#bar and p->next", ["ns.Widget.draw", "Foo.bar", "p.next"]),
        ("(*Store).Get locks", ["Store.Get"]),
        ("self.flush() first", ["flush"]),
        ("snake_case and camelCase and PascalCase", ["snake_case", "camelCase", "PascalCase"]),
        ("Use tabs. Never spaces", []),
        ("`git push --force` is bad", []),
    ],
)
def test_names_written_as_code(text: str, chains: list[str]) -> None:
    assert [name.chain for name in names_in(text)] == chains


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see src/a.py, ./b/c.ts:12 and (d/e.go).", ["src/a.py", "b/c.ts", "d/e.go"]),
        ("the Makefile and package.json", ["Makefile", "package.json"]),
        ("e.g. and/or 1.5 times v2.0", ["and/or"]),
        ("a path/with.dots/in-it.spec.tsx.", ["path/with.dots/in-it.spec.tsx"]),
    ],
)
def test_paths_as_people_write_them(text: str, paths: list[str]) -> None:
    assert [path.text for path in paths_in(text)] == paths


def test_most_texts_name_nothing() -> None:
    assert not something_in("Always run the linter before you commit, please")
    assert something_in("Always call flush() before you commit")


@pytest.mark.parametrize(
    ("text", "files", "symbols", "keys"),
    [
        ("It is slow.", [], ["auth/keys.py::retry"], ["auth/keys.py::retry"]),
        ("It is slow.", ["auth/keys.py"], ["auth/keys.py::retry"], ["auth/keys.py::retry"]),
        ("It is slow.", [], ["auth/tokens.py::Store.issue#2"], ["auth/tokens.py::Store.issue"]),
        ("only_here() asks it", ["README.md"], ["auth/keys.py::retry"],
         ["auth/keys.py::retry", "README.md", "lib/util.py::only_here"]),
        ("It is slow.", [], ["auth/keys.py::gone", "gone.py::retry"], []),
    ],
)  # fmt: skip
def test_what_the_writer_names_outright_comes_first(
    code: FilesView, text: str, files: list[str], symbols: list[str], keys: list[str]
) -> None:
    found = anchors_in(text, files, code, symbols=symbols)
    assert [f"{one.path}::{one.symbol}" if one.symbol else one.path for one in found] == keys

"""Which tags are inferred: from what, and which ones would tell nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loremap.memory.graph.infer import Tagged, changes_of, inferred, is_telling, tag_of
from loremap.model.kind import Kind
from loremap.model.module import Module

AUTH = Module(name="Auth", core_files=("src/auth/login.py", "src/auth/session.rs"))
MAIL = Module(name="mail queue", core_files=("src/mail/send.go",), test_files=("tests/mail/",))
TESTS = Module(name="tests", core_files=("tests/",))
OTHERS = [Tagged(id=f"o{n}", content=f"Parcel {n} is heavy", kind=Kind.FACT) for n in range(30)]


def tags(one: Tagged, modules: tuple[Module, ...] = (AUTH, MAIL, TESTS)) -> dict[str, str]:
    """The tags of one, beside a twin that gives each the same reason and others that give none."""
    return inferred([one, replace(one, id="twin"), *OTHERS], modules)[one.id]


@pytest.mark.parametrize(
    ("about", "found"),
    [
        ({"files": ("src/auth/login.py",)}, {"python": "language", "auth": "path"}),
        ({"files": ("src/auth/session.rs",)}, {"rust": "language", "auth": "path"}),
        ({"files": ("src/mail/send.go",)}, {"go": "language", "mail-queue": "path"}),
        ({"files": ("tests/mail/test_send.py",)}, {"python": "language", "mail-queue": "path"}),
        ({"files": ("tests/other.py",)}, {"python": "language"}),  # no part of the product
        ({"content": "The auth of guests is anonymous"}, {"auth": "module"}),
        ({"content": "Mails wait in the queue"}, {"mail-queue": "module"}),
        ({"entities": (("tool", "Redis"),)}, {"redis": "entity"}),
        ({"entities": (("person", "Ada"), ("file", "a.py"))}, {}),
        ({"kind": Kind.PREFERENCE}, {"preference": "kind"}),
        ({"kind": Kind.CORRECTION}, {"correction": "kind"}),
        ({"kind": Kind.HUMAN_FEEDBACK}, {"correction": "kind"}),
        ({"kind": Kind.DECISION}, {}),
    ],
)
def test_what_a_tag_is_read_from(about: dict[str, object], found: dict[str, str]) -> None:
    one = Tagged(**{"id": "one", "content": "It is so", "kind": Kind.FACT, **about})  # type: ignore[arg-type]
    assert tags(one) == found


def test_where_nothing_was_scanned_the_folder_of_a_file_is_a_tag() -> None:
    one = Tagged(id="one", content="x", kind=Kind.FACT, files=("src/billing/tax.py",))
    assert tags(one, modules=()) == {"python": "language", "billing": "path"}


def test_a_project_is_a_tag_of_what_belongs_to_it() -> None:
    one = Tagged(id="one", content="x", kind=Kind.FACT, project="My Shop")
    assert inferred([one], ()) == {"one": {"project:my-shop": "project"}}


@pytest.mark.parametrize(
    ("tag", "count", "most", "tells"),
    [
        ("auth", 1, 10, False),  # joined with nothing
        ("auth", 2, 10, True),
        ("auth", 10, 10, True),
        ("auth", 11, 10, False),  # on nearly everything
        ("project:shop", 1_000, 10, True),
    ],
)
def test_a_tag_tells_something_where_it_is_on_some_and_not_on_all(
    tag: str, count: int, most: float, tells: bool
) -> None:
    assert is_telling(tag, count=count, most=most) is tells


def test_a_tag_for_more_than_half_is_not_made() -> None:
    every = [Tagged(id=str(n), content="x", kind=Kind.FACT, files=("a.py",)) for n in range(22)]
    assert not any(inferred(every, ()).values())
    assert inferred([*every[:11], *OTHERS], ())["0"] == {"python": "language"}


def test_what_somebody_set_is_not_inferred_and_counts() -> None:
    own = Tagged(id="own", content="x", kind=Kind.FACT, own=frozenset({"auth"}))
    one = Tagged(id="one", content="The auth of guests is anonymous", kind=Kind.FACT)
    assert inferred([own, one, *OTHERS], (AUTH,)) | {"o": {}} == {
        "own": {}, "one": {"auth": "module"}, "o": {}, **{other.id: {} for other in OTHERS}
    }  # fmt: skip


def test_changes_leave_what_was_taken_away() -> None:
    given, taken = changes_of(
        {"a": {"x": "path", "y": "kind"}, "b": {"x": "path"}},
        {("a", "y"): "kind", ("b", "z"): "path"},
        {("b", "x")},
    )
    assert given == {"x": [("a", "path")]}
    assert taken == {"z": ["b"]}


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("Auth System", "auth-system"),
        (" C++ ", "c++"),
        ("a/b", "a-b"),
        ("Größe", "größe"),
        ("…", ""),
    ],
)
def test_a_name_as_a_tag(name: str, tag: str) -> None:
    assert tag_of(name) == tag

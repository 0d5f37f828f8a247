"""What people change in the module map, applied to whatever a scan finds."""

from __future__ import annotations

import pytest

from loremap.model.map_edits import EditKind, MapEdit, edited, fits, still_true
from loremap.model.map_matching import confidence_after, home_of, matched, overlap
from loremap.model.module import MapConfidence, Module

AUTH = Module(
    name="auth",
    description="Who may enter",
    core_files=("src/auth/config.ts", "src/auth/tokens.ts", "src/auth/views/login.ts"),
    entry_points=("src/auth/views/login.ts",),
    test_files=("tests/auth/",),
    related_modules=("session",),
)
SESSION = Module(name="session", core_files=("src/session/store.ts",), related_modules=("auth",))
CART = Module(name="cart", core_files=("src/cart/cart.ts", "src/cart/tax.ts"))
FOUND = (AUTH, CART, SESSION)


def edit(
    kind: str, module: str, value: str = "", *items: str, files: tuple[str, ...] = ()
) -> MapEdit:
    return MapEdit(kind=EditKind(kind), module=module, value=value, items=items, files=files)


def shape(*edits: MapEdit) -> dict[str, tuple[str, ...]]:
    """Names and files after the edits."""
    return {module.name: module.core_files for module in edited(FOUND, edits).modules}


WHOLE = {module.name: module.core_files for module in FOUND}


@pytest.mark.parametrize(
    ("edits", "wanted"),
    [
        ([], WHOLE),
        (
            [edit("rename", "auth", "authentication")],
            {
                "authentication": AUTH.core_files,
                "cart": CART.core_files,
                "session": SESSION.core_files,
            },
        ),
        # one after another
        (
            [edit("rename", "auth", "a"), edit("rename", "a", "b"), edit("merge", "session", "b")],
            {"b": AUTH.core_files + SESSION.core_files, "cart": CART.core_files},
        ),
        # a module found later has the name that was given: they are one
        (
            [edit("rename", "session", "auth")],
            {"auth": AUTH.core_files + SESSION.core_files, "cart": CART.core_files},
        ),
        (
            [edit("merge", "session", "auth")],
            {"auth": AUTH.core_files + SESSION.core_files, "cart": CART.core_files},
        ),
        # what it was merged into is gone
        ([edit("merge", "session", "accounts")], WHOLE),
        ([edit("merge", "auth", "auth")], WHOLE),
        # the module is gone
        ([edit("rename", "billing", "money")], WHOLE),
        ([edit("merge", "billing", "auth")], WHOLE),
        ([edit("split", "billing", "new", "*")], WHOLE),
        # the module is gone under that name and known again by its files
        (
            [
                edit(
                    "rename",
                    "authn",
                    "a",
                    files=(
                        "src/authn/config.ts",
                        "src/authn/tokens.ts",
                        "src/authn/views/login.ts",
                    ),
                )
            ],
            {"a": AUTH.core_files, "cart": CART.core_files, "session": SESSION.core_files},
        ),
        (
            [edit("split", "auth", "login", "src/auth/views/**")],
            WHOLE | {"auth": AUTH.core_files[:2], "login": AUTH.core_files[2:]},
        ),
        ([edit("split", "auth", "login", "*.py")], WHOLE),
        # all of it moves: the old module is gone
        (
            [edit("split", "cart", "basket", "src/cart/")],
            {"auth": AUTH.core_files, "basket": CART.core_files, "session": SESSION.core_files},
        ),
        # into a module that is there
        (
            [edit("split", "cart", "auth", "tax.ts")],
            WHOLE | {"auth": (*AUTH.core_files, "src/cart/tax.ts"), "cart": ("src/cart/cart.ts",)},
        ),
        (
            [edit("add", "cart", "", "src/auth/tokens.ts", "docs/cart.md")],
            WHOLE
            | {
                "auth": (AUTH.core_files[0], AUTH.core_files[2]),
                "cart": (*CART.core_files, "src/auth/tokens.ts", "docs/cart.md"),
            },
        ),
        ([edit("remove", "cart", "", "src/cart/tax.ts")], WHOLE | {"cart": ("src/cart/cart.ts",)}),
        # the last file goes: so does the module
        (
            [edit("remove", "session", "", "src/session/store.ts")],
            {"auth": AUTH.core_files, "cart": CART.core_files},
        ),
        (
            [edit("set", "cart", "core_files", "src/cart/tax.ts", "src/session/store.ts")],
            {
                "auth": AUTH.core_files,
                "cart": ("src/cart/tax.ts", "src/session/store.ts", "src/cart/cart.ts"),
            },
        ),
    ],
)
def test_edits(edits: list[MapEdit], wanted: dict[str, tuple[str, ...]]) -> None:
    assert shape(*edits) == wanted


def test_names_of_neighbours_follow() -> None:
    after = {
        module.name: module for module in edited(FOUND, [edit("rename", "auth", "login")]).modules
    }
    assert after["session"].related_modules == ("login",)
    merged = edited(FOUND, [edit("merge", "session", "auth")])
    assert merged.modules[0].related_modules == ()


@pytest.mark.parametrize(
    ("field", "items", "wanted"),
    [
        ("description", ("Baskets",), "Baskets"),
        ("dependencies", ("redis", "yaml"), ("redis", "yaml")),
        ("test_files", ("tests/c/",), ("tests/c/",)),
    ],
)
def test_fields_that_are_set(field: str, items: tuple[str, ...], wanted: object) -> None:
    after = edited(FOUND, [edit("set", "cart", field, *items)])
    assert getattr(after.modules[1], field) == wanted
    assert after.by == {"cart": (field,)}


def test_who_was_edited_follows_a_rename() -> None:
    after = edited(
        FOUND, [edit("set", "cart", "description", "x"), edit("rename", "cart", "basket")]
    )
    assert after.by == {"basket": ("description", "rename")}


@pytest.mark.parametrize(
    ("path", "glob", "wanted"),
    [
        ("src/auth/a.ts", "src/auth/", True),
        ("src/authors/a.ts", "src/auth/", False),
        ("src/auth/x/a.ts", "src/auth/**", True),
        ("src/auth/x/a.ts", "src/**/a.ts", True),
        ("src/auth/a_view.py", "*_view.py", True),
        ("src/auth/a.ts", "src/auth/a.ts", True),
        ("src/auth/A.ts", "src/auth/a.ts", False),
    ],
)
def test_globs(path: str, glob: str, wanted: bool) -> None:
    assert fits(path, glob) is wanted


def test_files_that_are_gone_are_no_longer_added() -> None:
    rule = edit("add", "cart", "", "a.ts", "gone.ts")
    assert still_true(rule, {"a.ts"}.__contains__).items == ("a.ts",)
    split = edit("split", "cart", "x", "src/gone/**")
    assert still_true(split, {"a.ts"}.__contains__) == split


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        (AUTH.core_files, AUTH.core_files, 1.0, 1.0),
        (AUTH.core_files, CART.core_files, 0.0, 0.0),
        # the folder was renamed
        (AUTH.core_files, [f.replace("auth", "authn") for f in AUTH.core_files], 0.9, 0.9),
        # only names that every folder has
        (["a/index.ts", "a/x.ts"], ["b/index.ts", "b/y.ts"], 0.0, 0.0),
        ([], [], 0.0, 0.0),
    ],
)
def test_overlap(one: list[str], other: list[str], least: float, most: float) -> None:
    assert least <= overlap(one, other) <= most


def test_a_name_goes_before_common_files() -> None:
    new = (
        Module(name="cart", core_files=AUTH.core_files),
        Module(name="login", core_files=("x/y.ts",)),
    )
    assert matched(new, FOUND) == {0: 1}


@pytest.mark.parametrize(
    ("path", "imported", "wanted"),
    [
        ("src/auth/new.ts", {}, "auth"),
        ("src/auth/views/deep/new.ts", {}, "auth"),
        ("lib/new.ts", {"src/cart/tax.ts": 2.0, "src/auth/tokens.ts": 1.0}, "cart"),
        ("lib/new.ts", {}, None),
        ("src/auth/picture.png", {}, None),
        ("new.ts", {}, None),
    ],
)
def test_the_home_of_a_new_file(path: str, imported: dict[str, float], wanted: str | None) -> None:
    home = home_of(path, FOUND, imported=imported)
    assert (home.name if home else None) == wanted


@pytest.mark.parametrize(
    ("sessions", "wanted"),
    [
        (0, MapConfidence.SHALLOW),
        (1, MapConfidence.PARTIAL),
        (2, MapConfidence.PARTIAL),
        (3, MapConfidence.MAPPED),
        (20, MapConfidence.MAPPED),
    ],
)
def test_confidence(sessions: int, wanted: MapConfidence) -> None:
    assert confidence_after(sessions) is wanted

"""The module map in the store: updated in place, edited by people, learned from sessions."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import insert, select
from store_tools import ME, NOW

from loremap.errors import BadInput, NotFound
from loremap.model.clock import to_ms
from loremap.model.map_edits import EditKind, MapEdit
from loremap.model.module import (
    BuildSystem,
    FoundMap,
    MapConfidence,
    Module,
    ModuleMap,
    TestFramework,
)
from loremap.storage import modules, tables
from loremap.storage.module_edits import edits_of
from loremap.storage.module_rows import rows_of
from loremap.storage.store import Store

PROJECT = "p" * 32
AUTH = Module(
    name="auth",
    description="Who may enter",
    core_files=("src/auth/a.ts", "src/auth/b.ts"),
    test_files=("tests/auth/",),
)
CART = Module(name="cart", core_files=("src/cart/c.ts", "src/cart/d.ts"), dependencies=("redis",))
FOUND = FoundMap(
    modules=(AUTH, CART),
    build=BuildSystem(tool="npm", commands={"test": "npm test"}),
    tests=TestFramework(tool="vitest", config_file="vitest.config.ts", run_command="npm test"),
)


@pytest.fixture
def scanned(store: Store) -> Store:
    """A store with one project, scanned once."""
    with store.write(now=NOW, actor=ME) as tx:
        tx.conn.execute(
            insert(tables.projects).values(
                id=PROJECT, name="shop", created_at=to_ms(NOW), updated_at=to_ms(NOW)
            )
        )
        modules.write_found(tx, PROJECT, FOUND)
    return store


def scan(store: Store, *found: Module, later: int = 1) -> ModuleMap:
    with store.write(now=NOW + timedelta(hours=later), actor=ME) as tx:
        return modules.write_found(tx, PROJECT, replace(FOUND, modules=found))


def change(store: Store, kind: str, module: str, value: str = "", *items: str) -> ModuleMap:
    with store.write(now=NOW, actor=ME) as tx:
        edit = MapEdit(kind=EditKind(kind), module=module, value=value, items=items)
        return modules.edit_map(tx, PROJECT, edit)


def work(store: Store, session: str, *paths: str) -> ModuleMap:
    with store.write(now=NOW, actor=ME) as tx:
        return modules.touched(tx, PROJECT, session, paths)


def read(store: Store) -> ModuleMap:
    with store.read() as conn:
        return modules.read_map(conn, PROJECT)


def one(found: ModuleMap, name: str) -> Module:
    return next(module for module in found.modules if module.name == name)


def test_what_was_found_is_read(scanned: Store) -> None:
    found = read(scanned)
    assert [replace(module, id="") for module in found.modules] == [AUTH, CART]
    assert (found.build, found.tests) == (FOUND.build, FOUND.tests)
    assert (found.version, found.updated_at) == (1, to_ms(NOW))


def test_an_unscanned_project_has_an_empty_map(store: Store) -> None:
    with store.write(now=NOW, actor=ME) as tx:
        tx.conn.execute(
            insert(tables.projects).values(
                id=PROJECT, name="shop", created_at=to_ms(NOW), updated_at=to_ms(NOW)
            )
        )
    assert read(store) == ModuleMap(project_id=PROJECT)


def test_the_same_scan_changes_nothing(scanned: Store) -> None:
    before = read(scanned)
    assert scan(scanned, AUTH, CART) == before


def test_only_what_changed_has_a_new_version(scanned: Store) -> None:
    found = scan(scanned, replace(AUTH, description="Who may come in"), CART)
    assert (one(found, "auth").version, one(found, "cart").version) == (2, 1)
    assert found.version == 2
    assert found.updated_at == to_ms(NOW + timedelta(hours=1))


def test_other_commands_are_a_change(scanned: Store) -> None:
    with scanned.write(now=NOW, actor=ME) as tx:
        found = modules.write_found(tx, PROJECT, replace(FOUND, build=BuildSystem(tool="bun")))
    assert (found.build.tool, found.version) == ("bun", 2)


def test_a_renamed_folder_keeps_its_row(scanned: Store) -> None:
    before = one(work(scanned, "s1", "src/auth/a.ts"), "auth")
    with scanned.write(now=NOW, actor=ME) as tx:
        modules.annotate(tx, PROJECT, "auth", "Ask Ada first.")
    moved = Module(name="login", core_files=("src/login/a.ts", "src/login/b.ts"))
    after = one(scan(scanned, moved, CART), "login")
    assert (after.id, after.annotation) == (before.id, "Ask Ada first.")
    assert after.confidence is MapConfidence.PARTIAL


def test_two_modules_may_exchange_their_names(scanned: Store) -> None:
    ids = {module.name: module.id for module in read(scanned).modules}
    found = scan(scanned, replace(AUTH, name="cart"), replace(CART, name="auth"))
    assert one(found, "cart").id == ids["cart"]
    assert one(found, "cart").core_files == AUTH.core_files


def test_what_is_gone_is_removed(scanned: Store) -> None:
    assert [module.name for module in scan(scanned, CART).modules] == ["cart"]
    with scanned.read() as conn:
        assert [row.module.name for row in rows_of(conn, PROJECT)] == ["cart"]


def test_what_is_gone_but_cared_for_comes_back(scanned: Store) -> None:
    with scanned.write(now=NOW, actor=ME) as tx:
        modules.annotate(tx, PROJECT, "auth", "Ask Ada first.")
    before = one(read(scanned), "auth")
    gone = scan(scanned, CART)
    assert [module.name for module in gone.modules] == ["cart"]
    assert scan(scanned, CART, later=2).version == gone.version
    back = one(scan(scanned, AUTH, CART, later=3), "auth")
    assert (back.id, back.annotation) == (before.id, "Ask Ada first.")


def test_edits_survive_rescans(scanned: Store) -> None:
    change(scanned, "rename", "auth", "authentication")
    change(scanned, "set", "authentication", "description", "JWT and sessions")
    change(scanned, "split", "cart", "tax", "src/cart/d.ts")
    edited = read(scanned)
    assert scan(scanned, AUTH, CART).modules == edited.modules
    grown = replace(AUTH, core_files=(*AUTH.core_files, "src/auth/new.ts"))
    found = scan(scanned, grown, CART, later=2)
    assert [module.name for module in found.modules] == ["authentication", "cart", "tax"]
    assert "src/auth/new.ts" in one(found, "authentication").core_files
    assert one(found, "authentication").description == "JWT and sessions"


def test_a_merge_takes_notes_and_sessions_along(scanned: Store) -> None:
    work(scanned, "s1", "src/auth/a.ts")
    work(scanned, "s2", "src/auth/a.ts")
    work(scanned, "s3", "src/cart/c.ts")
    with scanned.write(now=NOW, actor=ME) as tx:
        modules.annotate(tx, PROJECT, "auth", "Ask Ada first.")
        modules.annotate(tx, PROJECT, "cart", "Slow.")
    found = change(scanned, "merge", "auth", "cart")
    both = one(found, "cart")
    assert set(both.core_files) == {*AUTH.core_files, *CART.core_files}
    assert both.annotation == "Slow.\nAsk Ada first."
    assert both.confidence is MapConfidence.MAPPED
    assert scan(scanned, AUTH, CART).modules == found.modules


@pytest.mark.parametrize(
    ("kind", "module", "value", "items", "error"),
    [
        ("rename", "nothing", "x", (), NotFound),
        ("rename", "auth", "cart", (), BadInput),
        ("rename", "auth", "CART", (), BadInput),
        ("rename", "auth", "  ", (), BadInput),
        ("rename", "auth", "x" * 81, (), BadInput),
        ("rename", "auth", "a\nb", (), BadInput),
        ("merge", "auth", "auth", (), BadInput),
        ("merge", "auth", "nothing", (), NotFound),
        ("split", "auth", "new", ("*.py",), BadInput),
        ("split", "auth", "", ("*",), BadInput),
        ("set", "auth", "version", ("3",), BadInput),
    ],
)
def test_edits_that_cannot_be(
    scanned: Store,
    kind: str,
    module: str,
    value: str,
    items: tuple[str, ...],
    error: type[BadInput],
) -> None:
    before = read(scanned)
    with pytest.raises(error):
        change(scanned, kind, module, value, *items)
    assert read(scanned) == before
    with scanned.read() as conn:
        assert edits_of(conn, PROJECT) == []


def test_a_name_may_change_its_case(scanned: Store) -> None:
    assert one(change(scanned, "rename", "auth", "Auth"), "Auth").core_files == AUTH.core_files


def test_an_edit_can_be_forgotten(scanned: Store) -> None:
    change(scanned, "rename", "auth", "login")
    with scanned.write(now=NOW, actor=ME) as tx:
        [(seq, _)] = edits_of(tx.conn, PROJECT)
        modules.forget_edit(tx, PROJECT, seq)
    assert [module.name for module in scan(scanned, AUTH, CART).modules] == ["auth", "cart"]
    with pytest.raises(NotFound), scanned.write(now=NOW, actor=ME) as tx:
        modules.forget_edit(tx, PROJECT, seq)


def test_the_last_word_on_a_field_is_the_only_one_kept(scanned: Store) -> None:
    for text in ("one", "two", "three"):
        change(scanned, "set", "auth", "description", text)
    with scanned.read() as conn:
        assert [edit.items for _, edit in edits_of(conn, PROJECT)] == [("three",)]


def test_the_audit_trail_names_no_content(scanned: Store) -> None:
    change(scanned, "rename", "auth", "secretive")
    with scanned.write(now=NOW, actor=ME) as tx:
        modules.annotate(tx, PROJECT, "secretive", "Ask Ada first.")
    with scanned.read() as conn:
        rows = conn.execute(select(tables.audit).order_by(tables.audit.c.seq)).all()
    told = [row.detail for row in rows if row.project_id == PROJECT and row.action == "update"]
    module_id = one(read(scanned), "secretive").id
    assert told == [f"map rename {module_id}", f"map annotate {module_id}"]


def test_sessions_raise_confidence(scanned: Store) -> None:
    levels = [
        one(work(scanned, session, "src/auth/a.ts"), "auth").confidence.value
        for session in ("s1", "s1", "s2", "s3", "s4")
    ]
    assert levels == ["partial", "partial", "partial", "mapped", "mapped"]
    assert one(read(scanned), "cart").confidence is MapConfidence.SHALLOW


def test_work_in_tests_counts_for_what_they_test(scanned: Store) -> None:
    assert (
        one(work(scanned, "s1", "tests/auth/x.test.ts"), "auth").confidence is MapConfidence.PARTIAL
    )


def test_the_list_of_sessions_is_bounded(scanned: Store) -> None:
    for index in range(modules.MAX_SESSIONS + 5):
        work(scanned, f"s{index}", "src/auth/a.ts")
    with scanned.read() as conn:
        [auth, _] = rows_of(conn, PROJECT)
    assert len(auth.sessions) == modules.MAX_SESSIONS
    assert auth.sessions[-1] == f"s{modules.MAX_SESSIONS + 4}"


def test_new_files_find_their_module(scanned: Store) -> None:
    found = work(scanned, "s1", "src/auth/new.ts", "README.md", "src/auth/new.test.ts", "x/y.ts")
    assert one(found, "auth").core_files == (*AUTH.core_files, "src/auth/new.ts")
    assert one(found, "cart").core_files == CART.core_files
    with scanned.read() as conn:
        assert edits_of(conn, PROJECT) == []  # found, not edited


def test_work_that_teaches_nothing_new_keeps_the_version(scanned: Store) -> None:
    version = work(scanned, "s1", "src/auth/a.ts").version
    assert work(scanned, "s1", "src/auth/a.ts").version == version
    assert work(scanned, "s2", "src/auth/b.ts").version == version
    assert work(scanned, "s2").version == version


def test_update_module(scanned: Store) -> None:
    with scanned.write(now=NOW, actor=ME) as tx:
        found = modules.update_module(
            tx,
            PROJECT,
            "auth",
            core_files=["src/auth/b.ts", "src/cart/d.ts"],
            description="JWT",
            annotation="Ask Ada first.",
            name="authentication",
        )
    auth = one(found, "authentication")
    assert auth.core_files == ("src/auth/b.ts", "src/cart/d.ts", "src/auth/a.ts")
    assert (auth.description, auth.annotation) == ("JWT", "Ask Ada first.")
    assert one(found, "cart").core_files == ("src/cart/c.ts",)
    assert scan(scanned, AUTH, CART).modules == found.modules
    with pytest.raises(BadInput), scanned.write(now=NOW, actor=ME) as tx:
        modules.update_module(tx, PROJECT, "auth", version="3")


def test_files_of_edits_that_are_gone_leave_the_map(scanned: Store) -> None:
    change(scanned, "add", "auth", "", "docs/auth.md")
    with scanned.write(now=NOW, actor=ME) as tx:
        found = modules.write_found(tx, PROJECT, FOUND, exists={*AUTH.core_files}.__contains__)
    assert one(found, "auth").core_files == AUTH.core_files


def test_all_or_nothing(scanned: Store) -> None:
    before = read(scanned)
    good = MapEdit(kind=EditKind.RENAME, module="auth", value="login")

    def edit_twice() -> None:
        with scanned.write(now=NOW, actor=ME) as tx:
            modules.edit_map(tx, PROJECT, good)
            modules.edit_map(tx, PROJECT, good)

    with pytest.raises(NotFound):
        edit_twice()
    assert read(scanned) == before

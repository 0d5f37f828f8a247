"""The user's settings: a broken file is named with its fault, and the rest of it is left alone."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import loremap
from loremap.config.settings import (
    MAX_BYTES,
    SETTINGS,
    Value,
    checked,
    defaults,
    load,
    save,
    unset,
)
from loremap.errors import BadInput, BrokenSettings


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[recall", "Expected"),  # broken TOML
        ("recall.limit = ", "Invalid value"),
        ("[recall]\nlimit = 5\nlimit = 6\n", "Cannot overwrite"),
        ('[recall]\nlimit = "many"\n', "takes a whole number"),
        ("[recall]\nlimit = true\n", "takes a whole number"),
        ("[recall]\nlimit = 2.5\n", "takes a whole number"),
        ("[recall]\nlimit = inf\n", "takes a whole number"),
        ("[recall]\nlimit = [1]\n", "takes a whole number"),
        ("[recall]\nlimit = 0\n", "from 1 to 100"),
        ("[recall]\nlimit = 101\n", "from 1 to 100"),
        ("[recall]\ngate = 1\n", "takes true or false"),
        ('[recall]\nrecipe = "magic"\n', "takes hybrid/weighted"),
        ("[metrics]\nhold_out = nan\n", "takes a number"),
        ("[metrics]\nhold_out = 1.5\n", "from 0 to 1"),
        ("[embedding]\nmodel = true\n", "takes text"),
        ("[embedding]\nmodel = {}\n", "takes text"),
        ("[recall]\nlimits = 5\n", "no setting 'recall.limits'"),
        ("limit = 5\n", "no setting 'limit'"),
        ("[recall.limit]\nx = 5\n", "takes a whole number"),
        ("[storage]\nsynchronous = 'off'\n", "takes full/normal"),
    ],
)
def test_a_broken_file_is_named_with_its_fault(
    home: Path, project_folder: Path, text: str, fault: str
) -> None:
    home.mkdir()
    file = home / "config.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(BrokenSettings) as caught:
        loremap.open(project_folder)
    said = str(caught.value)
    assert str(file) in said
    assert fault in said
    assert "\n" not in said
    assert caught.value.hint
    assert not (home / "lore.db").exists()


@pytest.fixture
def project_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def test_a_file_too_long_for_settings_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("# a line\n" * (MAX_BYTES // 9), "utf-8")
    assert load(file).whole("recall.limit") == 10
    with file.open("a") as longer:
        longer.write("# a line\n")
    with pytest.raises(BrokenSettings, match=f"settings take at most {MAX_BYTES:,}"):
        load(file)


@pytest.mark.parametrize("made", ["bytes", "folder"])
def test_a_file_that_is_no_text_is_named(tmp_path: Path, made: str) -> None:
    file = tmp_path / "config.toml"
    if made == "folder":
        file.mkdir()
    else:
        file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BrokenSettings, match="cannot be read") as caught:
        load(file)
    assert str(file) in str(caught.value)


def test_a_near_miss_is_pointed_out(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("[recall]\nlimt = 5\n", "utf-8")
    with pytest.raises(BrokenSettings, match=r"Did you mean 'recall\.limit'\?"):
        load(tmp_path / "c.toml")


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("recall.limit", "7", 7),
        ("recall.limit", 7.0, 7),
        ("recall.gate", "off", False),
        ("recall.gate", "Yes", True),
        ("embedding.timeout_s", "0.5", 0.5),
        ("embedding.timeout_s", 1, 1.0),
        ("embedding.model", "nomic", "nomic"),
        ("storage.synchronous", "normal", "normal"),
    ],
)
def test_what_a_terminal_gives_is_taken_in_the_settings_own_type(
    tmp_path: Path, name: str, given: object, kept: Value
) -> None:
    file = tmp_path / "new" / "config.toml"
    assert save(file, name, given) == kept
    found = load(file).values
    assert found[name] == kept
    assert type(found[name]) is type(SETTINGS[name].default)
    unset(file, name)
    assert load(file).values == defaults().values


def test_saving_leaves_the_rest_as_the_user_wrote_it(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("# mine\n[recall]\nlimit = 5  # enough\n\n[forget]\ngrace_days = 3\n", "utf-8")
    save(file, "recall.recipe", "lexical")
    unset(file, "forget.grace_days")
    text = file.read_text("utf-8")
    assert "# mine" in text
    assert "limit = 5  # enough" in text
    assert load(file).values == dict(defaults().values) | {
        "recall.limit": 5,
        "recall.recipe": "lexical",
    }


@pytest.mark.parametrize("value", ["0", "101", "x", "inf", "nan", ""])
def test_a_value_that_does_not_fit_is_not_saved(tmp_path: Path, value: str) -> None:
    file = tmp_path / "config.toml"
    save(file, "recall.limit", 5)
    before = file.read_bytes()
    with pytest.raises(BadInput):
        save(file, "recall.limit", value)
    assert file.read_bytes() == before


def test_nothing_is_saved_into_a_broken_file_but_a_bad_line_can_be_taken_out(
    tmp_path: Path,
) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[recall\n", "utf-8")
    for change in (lambda: save(file, "recall.limit", 5), lambda: unset(file, "recall.limit")):
        with pytest.raises(BrokenSettings, match="cannot be read"):
            change()
    assert file.read_text("utf-8") == "[recall\n"
    file.write_text("[recall]\nlimit = 9000\n", "utf-8")
    unset(file, "recall.limit")
    assert load(file).values == defaults().values


@pytest.mark.parametrize("name", SETTINGS)
def test_every_default_fits_its_own_rule(name: str) -> None:
    default = SETTINGS[name].default
    assert checked(name, default) == default
    typed = json.dumps(default) if isinstance(default, tuple) else str(default)
    assert checked(name, typed) == default
    assert SETTINGS[name].says


SHOWN_ONLY = ("interfaces/cli", "interfaces/mcp")
"""Rooms that show a setting: reading it there alone gives it no effect."""


def test_every_setting_has_an_effect() -> None:
    source = Path(loremap.__file__).parent
    read = {
        name
        for file in source.rglob("*.py")
        if not file.relative_to(source).as_posix().startswith(SHOWN_ONLY)
        for name in names_read(ast.parse(file.read_text("utf-8")))
    }
    assert sorted(SETTINGS.keys() - read) == []
    assert sorted(read - SETTINGS.keys()) == []


def names_read(tree: ast.Module) -> Iterator[str]:
    """The settings a module reads by one of the typed readers."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Name(id="settings") | ast.Attribute(attr="settings"),
                    attr="text" | "texts" | "whole" | "number" | "flag",
                ),
                args=[ast.Constant(value=str(name))],
            ):
                yield name

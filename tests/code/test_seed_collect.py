"""Which files are read, what is left out and named, how many are kept, and what is new."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest
from seed_tools import repository, seeding, texts

from loremap.code.seed import MAX_SEEDS, new_seeds, seeds
from loremap.memory.admission.compare import Verdict, compared
from loremap.memory.admission.fingerprint import fingerprint

RULE = "- Never use `any`.\n"

HOSTILE: list[tuple[str, bytes, str]] = [
    ("README.md", b"# x\n" * 2_500_000, "It is larger than 256 KB."),
    ("CLAUDE.md", b"- Never use \xff\xfe.\n", "It is not UTF-8 text."),
    ("AGENTS.md", b"- Never \0 use.\n", "It holds binary data."),
    ("pyproject.toml", b"[tool.ruff\n", "It is not valid TOML."),
    ("pyproject.toml", b"a = " + b"[" * 100_000, "It is not valid TOML."),
    ("pyproject.toml", b"a." * 100_000 + b"b = 1", "Its keys are nested too deep."),
    ("package.json", b"{", "It is not valid JSON."),
    ("package.json", b'{"a":' * 40_000, "It is not valid JSON."),
    ("package.json", b"[" * 200_000, "It is not valid JSON."),
    ("package.json", b"/*" * 100_000, "It is not valid JSON."),
    ("package.json", b'"\\' * 100_000, "It is not valid JSON."),
    ("setup.cfg", b"no section\n", "It is not a valid INI file."),
]


@pytest.mark.parametrize(("name", "content", "note"), HOSTILE)
def test_a_broken_file_is_left_out_and_named(
    tmp_path: Path, name: str, content: bytes, note: str
) -> None:
    begin = time.process_time()
    found = seeding(tmp_path, {name: content, ".cursorrules": RULE})
    assert time.process_time() - begin < 5
    assert found.notes == (f"{name}: {note}",)
    assert texts(found) == ["Never use `any`."]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".pre-commit-config.yaml", "- " * 100_000),
        (".pre-commit-config.yaml", "a: &a [*a, *a]\n" * 10_000),
        (".golangci.yml", "\n".join(" " * n + "a:" for n in range(600))),
        (".eslintrc.yml", "'" * 200_000),
        ("eslint.config.js", "'a'" + " " * 200_000),
        ("prettier.config.js", "\n" * 200_000),
        (".editorconfig", "[" * 200_000),
        ("Gemfile", "gem\t" * 50_000),
        ("pom.xml", "<java.version>" * 15_000),
        ("tox.ini", "[flake8]\nignore = " + "E1," * 60_000),
    ],
)
def test_a_strange_file_takes_no_time(tmp_path: Path, name: str, content: str) -> None:
    begin = time.process_time()
    seeding(tmp_path, {name: content})
    assert time.process_time() - begin < 5


def test_what_may_not_be_read_is_not_read(tmp_path: Path) -> None:
    root = repository(tmp_path, {"CLAUDE.md": RULE, "AGENTS.md": "- Always use `x`.\n"})
    found = seeds(root, readable=lambda path: path.name != "CLAUDE.md")
    assert texts(found) == ["Always use `x`."]
    assert found.notes == ()


def test_no_folder_that_may_not_be_read_is_entered(tmp_path: Path) -> None:
    root = repository(tmp_path, {"private/AGENTS.md": RULE})
    assert seeds(root, readable=lambda path: path.name != "private").seeds == ()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
class TestLinks:
    def test_none_leads_out_of_the_root(self, tmp_path: Path) -> None:
        outside = repository(tmp_path / "outside", {"CLAUDE.md": RULE, "deep/AGENTS.md": RULE})
        root = tmp_path / "root"
        root.mkdir()
        (root / "CLAUDE.md").symlink_to(outside / "CLAUDE.md")
        (root / "linked").symlink_to(outside / "deep")
        (root / ".github").symlink_to(outside)
        assert seeds(root, readable=lambda _: True).seeds == ()

    def test_the_target_must_be_readable_too(self, tmp_path: Path) -> None:
        root = repository(tmp_path, {"notes.env": RULE})
        (root / "CLAUDE.md").symlink_to("notes.env")
        assert seeds(root, readable=lambda path: path.suffix != ".env").seeds == ()

    def test_a_file_under_two_names_is_read_once(self, tmp_path: Path) -> None:
        root = repository(tmp_path, {"AGENTS.md": RULE})
        (root / "CLAUDE.md").symlink_to("AGENTS.md")
        (seed,) = seeds(root, readable=lambda _: True).seeds
        assert {seed.file, *seed.also_in} == {"AGENTS.md", "CLAUDE.md"}

    def test_loops_and_dangling_links_are_named(self, tmp_path: Path) -> None:
        root = repository(tmp_path, {"src/a.py": ""})
        (root / "CLAUDE.md").symlink_to("CLAUDE.md")
        (root / "README.md").symlink_to("gone.md")
        (root / "src" / "again").symlink_to(root)
        found = seeds(root, readable=lambda _: True)
        assert found.seeds == ()
        assert [note.split(":")[0] for note in found.notes] == ["CLAUDE.md", "README.md"]

    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "README.md")
        assert seeds(tmp_path, readable=lambda _: True).seeds == ()

    def test_a_folder_with_a_files_name_is_no_file(self, tmp_path: Path) -> None:
        (tmp_path / "CLAUDE.md").mkdir()
        assert seeds(tmp_path, readable=lambda _: True).seeds == ()


def test_a_folder_that_is_not_there_has_no_seeds(tmp_path: Path) -> None:
    assert seeds(tmp_path / "gone", readable=lambda _: True).seeds == ()


def _rules(count: int, name: str) -> str:
    return "".join(f"- Never call `{name}_{n}()` from `{name}{n}.py`.\n" for n in range(count))


def test_a_person_is_never_drowned(tmp_path: Path) -> None:
    one = seeding(tmp_path / "one", {"CLAUDE.md": _rules(90, "a")})
    assert (len(one.seeds), len(one.left_out)) == (MAX_SEEDS, 90 - MAX_SEEDS)
    many = {f".cursor/rules/{name}.mdc": _rules(30, name) for name in "abcdef"}
    assert len(seeding(tmp_path / "many", many).seeds) == MAX_SEEDS


def test_the_most_important_come_first_and_stay(tmp_path: Path) -> None:
    text = _rules(0, "a") + "".join(f"- Name file {n} `part{n}.py`.\n" for n in range(30))
    found = seeding(tmp_path, {"CLAUDE.md": text + "- You must never push to `main`.\n"})
    assert texts(found)[0] == "You must never push to `main`."
    weights = [seed.importance for seed in found.seeds]
    assert weights == sorted(weights, reverse=True)


@pytest.mark.parametrize("sign", ["\u202e", "\x1b", "\U000e0041", "\u200b"])
def test_what_a_reviewer_would_not_see_is_not_seeded(tmp_path: Path, sign: str) -> None:
    text = f"- Never use `any`{sign} here.\n- Always use `x`.\n"
    assert texts(seeding(tmp_path, {"CLAUDE.md": text})) == ["Always use `x`."]


def test_a_statement_that_grew_too_long_is_left_out(tmp_path: Path) -> None:
    folders = ", ".join(f'"{"deep/" * 20}{n}"' for n in range(6))
    assert seeding(tmp_path, {"package.json": f'{{"workspaces": [{folders}]}}'}).seeds == ()


def test_nearly_the_same_words_in_two_files_are_one(tmp_path: Path) -> None:
    files = {
        "CLAUDE.md": "- Never commit generated files to the repository.\n",
        "CONTRIBUTING.md": "# C\n\n- Never commit any generated files to the repository.\n",
    }
    (seed,) = seeding(tmp_path, files).seeds
    assert (seed.file, seed.also_in) == ("CLAUDE.md", ("CONTRIBUTING.md",))


def test_a_statement_held_in_a_longer_one_is_not_told_twice(tmp_path: Path) -> None:
    files = {
        "AGENTS.md": "- Always use `uv` instead of `pip`.\n",
        "CLAUDE.md": "- Always use `uv` instead of `pip` for dependency management.\n",
    }
    assert len(seeding(tmp_path, files).seeds) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Keep functions under 25 lines.", "Keep functions under 50 lines."),
        ("Use mocks in unit tests for speed.", "Do not use mocks in unit tests for speed."),
    ],
)
def test_another_value_is_another_rule(tmp_path: Path, one: str, other: str) -> None:
    found = seeding(tmp_path, {"CLAUDE.md": f"- {one}\n", "AGENTS.md": f"- {other}\n"})
    assert set(texts(found)) == {one, other}


def test_only_what_is_new_comes_again(tmp_path: Path) -> None:
    first = seeding(tmp_path, {"CLAUDE.md": RULE, "go.mod": "module x\n\ngo 1.22\n"})
    known = {fingerprint(seed.text) for seed in first.seeds}
    assert new_seeds(first.seeds, known, fingerprint=fingerprint) == []
    again = seeding(tmp_path, {"CLAUDE.md": "# Rules\n\n" + RULE + "- Always use `x`.\n"})
    new = new_seeds(again.seeds, known, fingerprint=fingerprint)
    assert [seed.text for seed in new] == ["Always use `x`."]


CHANGES = [
    ("pyproject.toml", "[tool.ruff]\nline-length = {}\n", ("88", "100")),
    ("pyproject.toml", "[tool.black]\nline-length = {}\n", ("88", "100")),
    ("pyproject.toml", '[project]\nrequires-python = ">={}"\n', ("3.10", "3.12")),
    (".nvmrc", "{}\n", ("20", "22")),
    ("go.mod", "go {}\n", ("1.21", "1.22")),
    (".prettierrc", '{{"printWidth": {}, "semi": false}}', ("80", "100")),
    (".editorconfig", "[*]\nindent_size = {}\n", ("2", "4")),
    ("Cargo.toml", '[package]\nedition = "{}"\n', ("2021", "2024")),
]


@pytest.mark.parametrize(("name", "template", "values"), CHANGES)
def test_a_changed_setting_comes_as_a_statement_that_replaces_the_old(
    tmp_path: Path, name: str, template: str, values: tuple[str, str]
) -> None:
    old, new = (
        seeding(tmp_path / str(n), {name: template.format(value)}).seeds[0].text
        for n, value in enumerate(values)
    )
    verdict = compared(old, new, one_setting=True).verdict
    assert verdict is Verdict.REPLACES, (old, new)

"""What a project's own texts tell of words that stand for one another."""

from __future__ import annotations

import pytest

from loremap.code.project_aliases import (
    MAX_DOCUMENTS,
    MAX_FOUND,
    MAX_SOURCES,
    abbreviations,
    aliases_in,
    renamed,
    wanted,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Files are served by the Content Delivery Network (CDN).",
            ("cdn", "content delivery network"),
        ),
        ("CDN (Content Delivery Network) hosts", ("cdn", "content delivery network")),
        ("# Point-in-Time Recovery (PITR) of the store", ("pitr", "point in time recovery")),
        ("our Service Level Objectives (SLOs)", ("slo", "service level objectives")),
        ("a Table of Contents (TOC)", ("toc", "table of contents")),
        ("the Chamber of Commerce (CC)", ("cc", "chamber of commerce")),
        ("It was rewritten (WIP) last year", None),
        ("See the guide (PDF)", None),
        ("call(ABC)", None),
        ("numbers (A1)", None),
    ],
)
def test_an_abbreviation_that_is_spelt_out(text: str, found: tuple[str, str] | None) -> None:
    assert list(abbreviations(text)) == ([] if found is None else [found])


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        (
            "package.json",
            '{"dependencies": {"lodash": "npm:lodash-es@4"}}',
            ("lodash", "lodash-es"),
        ),
        ("package.json", '{"dependencies": {"react": "^18.0.0"}}', None),
        (
            "Cargo.toml",
            '[dependencies]\nlog4 = { package = "log4rs", version = "1" }',
            ("log4", "log4rs"),
        ),
        ("Cargo.toml", '[dependencies]\nserde = { version = "1" }', None),
        (
            "pyproject.toml",
            '[tool.deptry.package_module_name_map]\npillow = "PIL"\n',
            ("pil", "pillow"),
        ),
        (
            "pyproject.toml",
            '[project]\nname = "shop-backend"\n[tool.setuptools]\npackages = ["storefront"]\n',
            ("storefront", "shop-backend"),
        ),
        (
            "pyproject.toml",
            '[project]\nname = "my-shop"\n[tool.setuptools]\npackages = ["my_shop"]\n',
            None,
        ),
        ("pyproject.toml", '[project]\ndependencies = ["pillow"]\n', None),  # it does not say PIL
        ("Cargo.toml", "not = [toml", None),
    ],
)
def test_a_package_that_a_manifest_renames(
    file: str, text: str, found: tuple[str, str] | None
) -> None:
    assert list(renamed(file, text)) == ([] if found is None else [found])


def test_what_most_texts_spell_out_comes_first_and_there_is_an_end() -> None:
    often = "Content Delivery Network (CDN)"
    texts = {f"{at}.md": often for at in range(3)}
    names = [chr(65 + at // 26) + chr(65 + at % 26) for at in range(MAX_FOUND + 20)]
    texts["many.md"] = ". ".join(f"{one[0]}word {one[1]}word ({one})" for one in names)
    found = aliases_in(texts)
    assert next(iter(found)) == "cdn"
    assert len(found) == MAX_FOUND


def test_so_many_files_are_read_the_nearest_first() -> None:
    paths = [f"a/b/{at}.md" for at in range(900)] + [f"src/{at}.py" for at in range(900)]
    chosen = wanted([*paths, "README.md", "pyproject.toml", "vendor/x.md", "logo.png"])
    assert chosen[:2] == ["pyproject.toml", "README.md"]
    assert len(chosen) == 1 + MAX_DOCUMENTS + MAX_SOURCES
    assert "vendor/x.md" not in chosen


def test_a_hostile_text_is_read_in_time() -> None:
    assert not list(abbreviations("a " * 40_000 + "(" * 1_000))

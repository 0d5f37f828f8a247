"""Conventions of projects in Ruby and PHP."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.code.documents.reading import json_data, section, string
from loremap.code.documents.yaml_marks import yaml_data
from loremap.code.seed.value import Seed, Source, listing, seed
from loremap.model.kind import Kind

_GEMS = {"rails": "Rails", "sinatra": "Sinatra", "hanami": "Hanami", "sidekiq": "Sidekiq"}
_RUBY_TESTS = {"rspec": "RSpec", "rspec-rails": "RSpec", "minitest": "Minitest"}
_PACKAGES = {
    "laravel/framework": "Laravel",
    "symfony/framework-bundle": "Symfony",
    "symfony/symfony": "Symfony",
    "slim/slim": "Slim",
}


def gemfile_seeds(source: Source) -> Iterator[Seed]:
    """What a Gemfile settles."""
    version = re.search(r"^ruby[ \t]+['\"]([~>=\d. ]{1,16})['\"]", source.text, re.MULTILINE)
    if version is not None:
        text = f"The code runs on Ruby {version[1].strip()}."
        yield seed(text, source, version[0], importance=0.76, about="ruby version", tags=("ruby",))
    gems = set(re.findall(r"^[ \t]*gem[ \t]*\(?['\"]([\w-]{2,60})['\"]", source.text, re.MULTILINE))
    used = [title for name, title in _GEMS.items() if name in gems]
    if used:
        text = f"The Ruby code is built on {listing(used)}."
        yield seed(
            text,
            source,
            "gem",
            importance=0.7,
            about="ruby stack",
            tags=("ruby",),
            kind=Kind.ARCHITECTURE,
        )
    tests = list(dict.fromkeys(title for name, title in _RUBY_TESTS.items() if name in gems))
    if tests:
        text = f"Ruby tests are written with {listing(tests)}."
        yield seed(
            text,
            source,
            f"{'rspec' if 'RSpec' in tests else 'minitest'}",
            importance=0.7,
            about="ruby tests",
            tags=("ruby",),
        )


def rubocop_seeds(source: Source) -> Iterator[Seed]:
    """What .rubocop.yml settles."""
    data = yaml_data(source.text)
    said = list[str]()
    if width := string(section(data, "Layout/LineLength"), "Max"):
        said.append(f"lines of at most {width} characters")
    quotes = string(section(data, "Style/StringLiterals"), "EnforcedStyle")
    if quotes in ("single_quotes", "double_quotes"):
        said.append(quotes.replace("_", " "))
    if string(section(data, "Style/FrozenStringLiteralComment"), "EnforcedStyle") == "always":
        said.append("the frozen_string_literal comment")
    extra = f" with {listing(said)}" if said else ""
    text = f"RuboCop checks the Ruby code{extra}."
    yield seed(text, source, importance=0.74, about="rubocop", tags=("ruby",))


def composer_seeds(source: Source) -> Iterator[Seed]:
    """What composer.json settles."""
    data = json_data(source.text)
    needed = section(data, "require")
    every = {**needed, **section(data, "require-dev")}
    if version := string(needed, "php"):
        text = f"The code must run on PHP {version}."
        yield seed(text, source, '"php"', importance=0.76, about="php version", tags=("php",))
    used = list(dict.fromkeys(title for name, title in _PACKAGES.items() if name in needed))
    if used:
        text = f"The PHP code is built on {listing(used)}."
        yield seed(
            text,
            source,
            '"require"',
            importance=0.7,
            about="php stack",
            tags=("php",),
            kind=Kind.ARCHITECTURE,
        )
    if "phpunit/phpunit" in every:
        text = "PHP tests are written with PHPUnit."
        yield seed(
            text, source, "phpunit/phpunit", importance=0.7, about="php tests", tags=("php",)
        )

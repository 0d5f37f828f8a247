"""The versions of languages to develop with: .nvmrc, .python-version, .tool-versions and so on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.code.documents.reading import section, string, toml_data
from loremap.code.seed.value import Seed, Source, listing

_NAMES = {
    ".nvmrc": "Node.js",
    ".node-version": "Node.js",
    ".python-version": "Python",
    ".ruby-version": "Ruby",
    ".go-version": "Go",
    ".java-version": "Java",
    ".terraform-version": "Terraform",
}
_TOOLS = {
    "nodejs": "Node.js",
    "node": "Node.js",
    "python": "Python",
    "ruby": "Ruby",
    "golang": "Go",
    "go": "Go",
    "rust": "Rust",
    "java": "Java",
    "bun": "Bun",
    "deno": "Deno",
    "pnpm": "pnpm",
    "yarn": "Yarn",
    "php": "PHP",
    "elixir": "Elixir",
    "erlang": "Erlang",
    "terraform": "Terraform",
    "uv": "uv",
}
_VERSION = re.compile(r"v?([\w.*/-]{1,30})")


def version_file_seeds(source: Source) -> Iterator[Seed]:
    """The version in a file that holds nothing else."""
    first = next((line.strip() for line in source.text.split("\n") if line.strip()), "")
    found = _VERSION.fullmatch(first.removeprefix("ruby-"))
    name = source.path.rpartition("/")[2]
    if found is not None and name in _NAMES:
        yield _seed(f"{_NAMES[name]} {found[1]}", source)


def tool_versions_seeds(source: Source) -> Iterator[Seed]:
    """The versions that asdf or mise are told to install."""
    pairs = [line.split("#")[0].split()[:2] for line in source.text.split("\n")]
    named = [
        f"{_TOOLS[pair[0]]} {pair[1]}"
        for pair in pairs
        if len(pair) == 2 and pair[0] in _TOOLS and _VERSION.fullmatch(pair[1])
    ]
    if named:
        yield _seed(listing(named[:6]), source)


def rust_toolchain_seeds(source: Source) -> Iterator[Seed]:
    """The toolchain that rustup is told to use."""
    text = source.text.strip()
    plain = _VERSION.fullmatch(text)
    channel = plain[1] if plain else string(section(toml_data(text), "toolchain"), "channel")
    if channel:
        yield _seed(f"Rust {channel}", source)


def _seed(named: str, source: Source) -> Seed:
    return Seed(
        text=f"Develop with {named} ({source.path}).",
        file=source.path,
        line=source.line_of(named.split()[-1]),
        tags=("versions",),
        importance=0.7,
    )

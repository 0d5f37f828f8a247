"""A small repository of given files, and what is seeded from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from loremap.code.seed import Seed, Seeding, seeds


def repository(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """`root` with `files` written into it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return root


def seeding(root: Path, files: Mapping[str, str | bytes]) -> Seeding:
    """What a repository of `files` is seeded with when everything in it may be read."""
    return seeds(repository(root, files), readable=lambda _: True)


def texts(found: Seeding) -> list[str]:
    """The statements of a seeding."""
    return [seed.text for seed in found.seeds]


def seed_of(found: Seeding, text: str) -> Seed:
    """The one seed that says `text`."""
    (seed,) = [seed for seed in found.seeds if seed.text == text]
    return seed

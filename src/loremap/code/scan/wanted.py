"""Which files of a checkout the graph knows, and which of them say what imports mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from loremap.code.languages import language_of

_MANIFEST = re.compile(
    r"go\.(?:mod|work)|(?:package|deno|composer|[tj]sconfig(?:\.[\w.-]+)?)\.jsonc?"
    r"|Cargo\.toml|pom\.xml|Package\.swift|[\w.-]+\.csproj|Directory\.Build\.(?:props|targets)"
)
LARGEST_BYTES = 1_000_000
"""What is larger was hardly written by hand."""
_IGNORE_FILES = frozenset({".gitignore", ".secretsignore"})
_MANIFEST_BYTES = 256_000


def is_wanted(path: str) -> bool:
    """Whether a file is source, or changes what source means or which of it is read."""
    return (
        language_of(path) is not None
        or is_manifest(path)
        or path.rpartition("/")[2] in _IGNORE_FILES
    )


def is_manifest(path: str) -> bool:
    """Whether imports may mean other files when this one changes."""
    return _MANIFEST.fullmatch(path.rpartition("/")[2]) is not None


def manifests(root: Path, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Path and text of those of `paths` that say what imports mean."""
    for path in paths:
        if is_manifest(path):
            text = _small_text(root / path)
            if text is not None:
                yield path, text


def _small_text(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            return file.read(_MANIFEST_BYTES)
    except OSError:
        return None

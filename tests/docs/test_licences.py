"""What an installed Loremap brings along may be used and passed on by anybody."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PERMISSIVE = re.compile(
    r"\b(MIT|BSD|0BSD|Apache|ISC|PSF|Python Software Foundation|MPL|Mozilla Public|Zlib|zlib"
    r"|Unlicense|CC0)\b",
    re.IGNORECASE,
)
"""MPL binds changes to its own files, which we make none of."""

FREELY = "to use this software for any purpose, including commercial applications"
"""How the zlib licence says it, which packages name least."""


def locked() -> list[str]:
    """The packages that an installation brings, on this platform."""
    names = re.findall(r"^([A-Za-z0-9._-]+)==", (ROOT / "requirements.lock").read_text(), re.M)
    return [name for name in names if _is_installed(name)]


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False  # for another platform
    return True


@pytest.mark.parametrize("name", locked())
def test_a_licence_is_permissive(name: str) -> None:
    about = metadata.metadata(name)
    files = [one for one in metadata.files(name) or [] if one.name.upper().startswith("LICEN")]
    said = [
        about.get("License-Expression") or "",
        (about.get("License") or "")[:200],
        *(one for one in about.get_all("Classifier") or [] if one.startswith("License ::")),
    ]
    named = PERMISSIVE.search(" ".join(said))
    assert named or any(FREELY in " ".join(one.read_text().split()) for one in files), said


def test_the_packages_are_found() -> None:
    assert len(locked()) > 30

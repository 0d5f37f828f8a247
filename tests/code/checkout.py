"""A checkout to scan, in a folder of its own, and the code graph of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from loremap.code.checkout import Code
from loremap.code.repository import repository_at

GIT = shutil.which("git") or "git"


def git(folder: Path, *arguments: str) -> str:
    """What git answers in `folder`, without the settings of whoever runs the tests."""
    settings = ("init.defaultBranch=main", "user.name=A", "user.email=a@example.org")
    options = [part for setting in settings for part in ("-c", setting)]
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        [GIT, *options, *arguments], cwd=folder, check=True, capture_output=True, text=True, env=env
    )
    return done.stdout.strip()


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below `root`."""
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        place.write_bytes(data)


def repository(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """A git repository at `root` with those files committed."""
    root.mkdir(parents=True, exist_ok=True)
    write(root, files)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "one")
    return root


def code_of(root: Path) -> Code:
    """The code graph of a checkout; each asks the same file."""
    return Code(repository_at(root), graphs=root.parent / "graphs")


def keys(code: Code, path: str) -> set[str]:
    """The qualified names of a file's symbols."""
    return {symbol.qualified for symbol in code.outline(path)[1:]}

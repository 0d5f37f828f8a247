"""A copy of the tree with an environment of its own, in which a fault can be tried."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from pathlib import Path

from mutant_list import ROOT, Mutant

LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", ".*_cache", ".hypothesis", ".loremap", "__pycache__", "build", "dist"
)
PASSED, FAILED = 0, 1
MAX_S = 1_200


class Broken(Exception):
    """The tests could not be run."""


class CopiedTree:
    """The copy. The source there is found by every process its tests start, whatever they pass on:
    the environment names it before the packages that the running one has."""

    def __init__(self, folder: Path) -> None:
        self._root = folder / "tree"
        self.said = ""
        """What the last run of tests printed."""
        shutil.copytree(ROOT, self._root, ignore=LEFT_OUT)
        venv.create(folder / "env", symlinks=os.name != "nt")
        paths = {"base": str(folder / "env"), "platbase": str(folder / "env")}
        packages = Path(sysconfig.get_path("purelib", "venv", paths))
        found = [path for path in sys.path if path.endswith("site-packages")]
        (packages / "a.pth").write_text("\n".join([str(self._root / "src"), *found]))
        self._python = Path(sysconfig.get_path("scripts", "venv", paths)) / "python"

    def notices(self, mutant: Mutant) -> bool:
        """Whether a test fails that ought to fail with the fault."""
        file = self._root / mutant.path
        source = file.read_text("utf-8")
        try:
            file.write_text(mutant.applied(source), "utf-8")
            return not self.passes(mutant.tests)
        finally:
            file.write_text(source, "utf-8")

    def passes(self, tests: Sequence[str]) -> bool:
        """Whether these tests pass; a run without end does not."""
        options = ("-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=line")
        try:
            ran = subprocess.run(
                [self._python, "-m", "pytest", *options, *tests],
                cwd=self._root,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
                capture_output=True,
                text=True,
                timeout=MAX_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        self.said = ran.stdout
        if ran.returncode not in (PASSED, FAILED):
            raise Broken(f"{' '.join(tests)}: {ran.stdout[-2_000:]}{ran.stderr[-2_000:]}")
        return ran.returncode == PASSED

"""Traces the five ways through the program: which files each runs through, and in which shapes.

    python -m docs.trace            # a line for each way
    python -m docs.trace --files    # and every file and shape

A throw-away repository and store are made; each way is gone once to load what it needs and traced
the second time. A file counts where a function of it runs; a shape is a dataclass of ours that is
made on the way. `tests/docs/test_traces.py` holds the diagrams in ARCHITECTURE.md to this.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import loremap
from loremap.interfaces.hooks.answered import Receiver, answered

PACKAGE = str(Path(loremap.__file__).parent) + os.sep
SOURCE = '''"""Signs people in."""


def sign_in(name: str, password: str) -> str:
    """A token for who knows the password."""
    return checked(name, password)


def checked(name: str, password: str) -> str:
    """The token."""
    return name
'''
CALLER = '''"""A page."""

from auth.login import sign_in


def page() -> str:
    return sign_in("a", "b")
'''
EARLIER, LATER = "Tokens of sign_in expire after a day.", "Tokens of sign_in expire after a week."


@dataclass(frozen=True, slots=True)
class Way:
    """What one way through the program ran through, in the order of first use."""

    files: tuple[str, ...]
    shapes: tuple[str, ...]

    @property
    def rooms(self) -> tuple[str, ...]:
        """The rooms it passed."""
        return tuple(dict.fromkeys(path.split("/")[0].removesuffix(".py") for path in self.files))


class Tracer:
    """Notes what runs while it is on, in this thread and in those begun after it was made."""

    def __init__(self) -> None:
        self._is_on = False
        self._files: dict[str, None] = {}
        self._shapes: dict[str, None] = {}
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def way(self, run: Callable[[], object]) -> Way:
        """What `run` runs through."""
        self._files, self._shapes = {}, {}
        self._is_on = True
        try:
            run()
        finally:
            self._is_on = False
        return Way(tuple(self._files), tuple(self._shapes))

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if not self._is_on or event != "call":
            return
        code = frame.f_code
        if code.co_filename.startswith(PACKAGE):
            if code.co_name != "<module>":
                self._files[code.co_filename[len(PACKAGE) :]] = None
        elif code.co_name == "__init__" and code.co_filename == "<string>":
            made = type(frame.f_locals.get("self"))
            if is_dataclass(made) and made.__module__.startswith("loremap."):
                self._shapes[f"{made.__module__.removeprefix('loremap.')}.{made.__name__}"] = None


def ways() -> Mapping[str, Way]:
    """The five ways, each as a user goes it."""
    tracer = Tracer()
    with tempfile.TemporaryDirectory() as place:
        folder = _repository(Path(place) / "shop")
        os.environ["LOREMAP_HOME"] = str(Path(place) / "home")
        return {
            "init": _by_command(
                tracer, folder, ("init", "--no-encrypt", "--keep", "all"), between=_changed
            ),
            "remember": _by_command(
                tracer, folder, ("remember", LATER), before=("remember", EARLIER)
            ),
            "recall": _by_command(tracer, folder, ("recall", "when do tokens expire?")),
            "brief": _by_command(tracer, folder, ("brief", "sign_in accepts an expired token")),
            "prompt": _by_hook(tracer, folder, "Why does sign_in accept an expired token?"),
        }


def _repository(folder: Path) -> Path:
    (folder / "auth").mkdir(parents=True)
    (folder / "auth" / "login.py").write_text(SOURCE)
    (folder / "AGENTS.md").write_text("# Rules\n\n- Always run `make test` before a commit.\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "Sign in"]):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words],
            cwd=folder,
            check=True,
        )
    return folder


def _changed(folder: Path) -> None:
    """Another file that calls the first."""
    (folder / "auth" / "page.py").write_text(CALLER)


def _by_command(
    tracer: Tracer,
    folder: Path,
    words: Sequence[str],
    *,
    before: Sequence[str] = (),
    between: Callable[[Path], None] = lambda _: None,
) -> Way:
    """The way of a command, in this process; `before` is what is run first in its place."""
    from click.testing import CliRunner

    from loremap.interfaces.cli.app import lore

    def run(words: Sequence[str]) -> None:
        done = CliRunner().invoke(lore, ["--folder", str(folder), *words])
        if done.exit_code:
            raise RuntimeError(f"lore {' '.join(words)} failed: {done.output}")

    run(before or words)
    between(folder)
    return tracer.way(lambda: run(words))


def _by_hook(tracer: Tracer, folder: Path, prompt: str) -> Way:
    """The way of a prompt of Claude Code: the bytes of its hook in, the bytes of the answer out."""
    with _receiving() as intake:

        def sent(name: str, session: str, **more: str) -> bytes:
            said = {"session_id": session, "cwd": str(folder), "hook_event_name": name, **more}
            return answered(
                intake,
                client="claude",
                name=name,
                payload=json.dumps(said).encode(),
                env={},
                now=datetime.now(UTC),
            ).text

        sent("SessionStart", "first", source="startup")
        sent("UserPromptSubmit", "first", prompt=prompt)
        sent("SessionStart", "second", source="startup")
        return tracer.way(lambda: sent("UserPromptSubmit", "second", prompt=prompt))


@contextmanager
def _receiving() -> Iterator[Receiver]:
    """What takes the events of hooks, as the resident puts it together."""
    from loremap.agent.intake.intake import EventIntake
    from loremap.agent.session_agent import SessionAgent
    from loremap.app.lore import open_workspaces
    from loremap.config.folders import folders

    workspaces = open_workspaces(folders())
    session_agent = SessionAgent(workspaces)
    intake = EventIntake(workspaces, session_agent)
    workspaces.engine.slot.query_vector("the first question loads the model")
    try:
        yield intake
    finally:
        intake.close()
        session_agent.close()
        workspaces.close()


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--files", action="store_true", help="Name every file and shape.")
    asked.add_argument("--json", action="store_true", help="All of it, for a program.")
    given = asked.parse_args()
    if given.json:
        found = {name: {"files": way.files, "shapes": way.shapes} for name, way in ways().items()}
        print(json.dumps(found))
        return
    for name, way in ways().items():
        counts = f"{len(way.files):>3} files {len(way.shapes):>3} shapes"
        counts = f"{len(way.files):>3} files {len(way.shapes):>3} shapes"
        print(f"{name:<9} {counts}  {' > '.join(way.rooms)}")
        if given.files:
            print("  " + "\n  ".join((*way.files, "", *way.shapes, "")))


if __name__ == "__main__":
    main()

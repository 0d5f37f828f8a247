"""A program in a terminal of its own, read and typed to like a person does."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import termios
import time
from pathlib import Path
from typing import Self


class Terminal:
    """A program in a terminal of its own, read and typed to like a person does.

    `kind` is what the terminal calls itself: a dumb one shows no colours.
    """

    def __init__(self, *arguments: str, folder: Path, kind: str = "dumb") -> None:
        self._screen, inner = pty.openpty()
        env = {name: value for name, value in os.environ.items() if name != "CI"}
        self._program = subprocess.Popen(
            arguments,
            cwd=folder,
            env=env | {"TERM": kind, "COLUMNS": "100", "LINES": "50"},
            stdin=inner,
            stdout=inner,
            stderr=inner,
            start_new_session=True,
        )
        os.close(inner)
        self._unread = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self._program.kill()
        self._program.wait()
        os.close(self._screen)

    def until(self, text: str, *, within_s: float = 40.0) -> str:
        """What is shown up to and with the next `text`."""
        deadline = time.monotonic() + within_s
        while text not in self._unread:
            assert time.monotonic() < deadline, f"{text!r} did not come:\n{self._unread}"
            assert self._read(), f"it ended without {text!r}:\n{self._unread}"
        before, _, self._unread = self._unread.partition(text)
        return before + text

    def type(self, line: str) -> None:
        """Write a line."""
        os.write(self._screen, line.encode())

    def press(self, key: str) -> None:
        """Press one key, once the program waits for single keys: until then it drops what comes."""
        deadline = time.monotonic() + 20
        while termios.tcgetattr(self._screen)[3] & termios.ICANON:
            assert time.monotonic() < deadline, "it does not wait for a key"
            time.sleep(0.01)
        os.write(self._screen, key.encode())

    def end(self) -> int:
        """Wait for the program to end; its exit code."""
        while self._read():
            pass
        return self._program.wait(timeout=20)

    def _read(self) -> bool:
        """Take in what is there; False once nobody can write any more."""
        ready, _, _ = select.select([self._screen], [], [], 0.2)
        if not ready:
            return self._program.poll() is None
        try:
            block = os.read(self._screen, 65_536)
        except OSError:  # Linux says so when the last writer has gone
            return False
        self._unread += block.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(block)

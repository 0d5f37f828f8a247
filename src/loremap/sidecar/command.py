"""The small model of a coding agent that the user has: its program, without a shell, in an empty
folder, its whole process group ended when its time or its output is over."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from loremap.errors import ModelFailed
from loremap.sidecar.ask import Ask, Said
from loremap.sidecar.program import GUARD, Program
from loremap.sidecar.protocols import prompt_of

OUTPUT_BYTES = 1 << 20
_BLOCK = 1 << 16
_ENDS_S = 2.0
_HINT = "Run it by hand to see what it says, or: lore config set sidecar.kind off"


class CommandModel:
    """Asks an agent's program; what it is asked goes wherever that agent sends it."""

    leaves_machine = True

    def __init__(self, program: Program, model: str, *, timeout_s: float = 60.0) -> None:
        self._program = program
        self._timeout_s = timeout_s
        self.where = program.arguments[0]
        self.name = model or "its own choice"
        self._chosen = (program.model_option, model) if model else ()

    def ask(self, ask: Ask) -> Said:
        """The answer, unchecked; raises `ModelFailed`."""
        output = self._output(prompt_of(ask))
        try:
            return self._program.read(output)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as fault:
            raise self._failure("said something that is no answer") from fault

    def _output(self, prompt: str) -> str:
        name, *rest = self._program.arguments
        found = shutil.which(name)
        if found is None:
            raise self._failure("is not on the PATH")
        with tempfile.TemporaryDirectory(prefix="lore-sidecar-") as folder:
            return self._ran([found, *rest, *self._chosen], folder, prompt)

    def _ran(self, command: Sequence[str], folder: str, prompt: str) -> str:
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment(os.environ, self._program.without),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=sys.platform != "win32",
            )
        except OSError as fault:
            raise self._failure(f"does not start ({type(fault).__name__})") from fault
        with process:
            try:
                said = _exchanged(process, prompt.encode("utf-8", "replace"), self._timeout_s)
            except subprocess.TimeoutExpired as fault:
                raise self._failure(f"gave no answer within {self._timeout_s:g} s") from fault
            finally:
                end_group(process)
        if len(said) > OUTPUT_BYTES:
            raise self._failure("says more than an answer can be")
        if process.returncode:
            raise self._failure(f"ended with {process.returncode}")
        return said.decode("utf-8", "replace")

    def _failure(self, what: str) -> ModelFailed:
        return ModelFailed(f"The sidecar's program {self.where} {what}.", hint=_HINT)


def environment(given: Mapping[str, str], without: Sequence[str]) -> dict[str, str]:
    """The variables of a program we start: the user's, and what keeps our own hooks still."""
    kept = {name: value for name, value in given.items() if name not in without}
    return {**kept, GUARD: "1"}


def _exchanged(process: subprocess.Popen[bytes], prompt: bytes, timeout_s: float) -> bytes:
    """What a process says to a prompt, up to one block past the limit; raises TimeoutExpired."""
    said = bytearray()
    threads = [
        threading.Thread(target=work, daemon=True)
        for work in (lambda: _feed(process, prompt), lambda: _listen(process, said))
    ]
    for thread in threads:
        thread.start()
    threads[1].join(timeout_s)
    if threads[1].is_alive():
        raise subprocess.TimeoutExpired(process.args, timeout_s)
    if len(said) <= OUTPUT_BYTES:
        process.wait(_ENDS_S)
    return bytes(said)


def _feed(process: subprocess.Popen[bytes], prompt: bytes) -> None:
    assert process.stdin is not None
    with suppress(OSError, ValueError):  # it may answer, or end, without reading all of it
        process.stdin.write(prompt)
        process.stdin.close()


def _listen(process: subprocess.Popen[bytes], said: bytearray) -> None:
    assert process.stdout is not None
    read: Callable[[int], bytes] = process.stdout.read1  # type: ignore[attr-defined]
    with suppress(OSError, ValueError):
        while len(said) <= OUTPUT_BYTES and (block := read(_BLOCK)):
            said.extend(block)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_ENDS_S)

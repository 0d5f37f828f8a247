"""The token and the keys lie in their own files, and show nowhere else while everything is used."""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from installation import LORE, Installation, calling, lived_in

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")

SAID = ("doctor", "metrics", "last", "list", "service status", "service logs --lines 100000")
EVENTS = (
    ("SessionStart", {"source": "startup"}),
    ("UserPromptSubmit", {"prompt": "When does the door open?"}),
    ("PostToolUse", {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "ls"}}),
)


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """An installation whose store is encrypted, so that there is a key to lose, too."""
    with lived_in(tmp_path, encrypted=True) as installation:
        yield installation


def test_no_token_and_no_key_is_shown(installation: Installation, tmp_path: Path) -> None:
    keepers = [installation.home / "run" / "token", installation.home / "run" / "key"]
    keepers += [each for each in (tmp_path / "keys").rglob("*") if each.is_file()]
    assert len(keepers) >= 3
    secrets = {
        f"{keeper.name} as {form}": value
        for keeper in keepers
        for form, value in _forms(keeper.read_bytes().strip()).items()
    }

    shown = _used(installation)
    shown |= {f"lore {words}": installation.lore(*words.split()).encode() for words in SAID}
    shown |= {str(file): file.read_bytes() for file in _files(tmp_path) if file not in keepers}

    assert str(installation.home / "logs" / "resident.log") in shown
    assert [where for where in shown if where.startswith("process") and "resident" in where]
    assert _found(secrets, shown) == set()
    own = {str(keeper): keeper.read_bytes() for keeper in keepers}
    assert {where for _, where in _found(secrets, own)} == set(own), "it would be found"


def _found(secrets: Mapping[str, bytes], shown: Mapping[str, bytes]) -> set[tuple[str, str]]:
    """Which secret shows where."""
    return {
        (name, where)
        for where, text in shown.items()
        for name, value in secrets.items()
        if value in text
    }


def _forms(kept: bytes) -> dict[str, bytes]:
    """A secret as it lies in its file, and in the other ways in which it could be written."""
    raw = _raw(kept)
    return {
        "it lies": kept,
        "bytes": raw,
        "escaped bytes": repr(raw)[2:-1].encode(),
        "hexadecimal": raw.hex().encode(),
        "HEXADECIMAL": raw.hex().upper().encode(),
        "base 64": base64.b64encode(raw).rstrip(b"="),
        "base 64 for addresses": base64.urlsafe_b64encode(raw).rstrip(b"="),
    }


def _raw(kept: bytes) -> bytes:
    """The bytes that a file spells out in letters, or holds as they are."""
    if re.fullmatch(rb"(?:[0-9a-f]{2})+", kept):
        return bytes.fromhex(kept.decode())
    if re.fullmatch(rb"[\w-]+", kept):
        return base64.urlsafe_b64decode(kept + b"=" * (-len(kept) % 4))
    return kept


def _used(installation: Installation) -> dict[str, bytes]:
    """What all that runs shows of itself and says, while every way to the resident is used."""
    shown = {}
    server = _begun(installation, "mcp", "claude")
    assert server.stdin is not None
    assert server.stdout is not None
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
    hello["clientInfo"] = {"name": "probe", "version": "1"}
    ask = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    server.stdin.write(json.dumps(ask).encode() + b"\n")
    server.stdin.flush()
    shown["the answer over stdio"] = server.stdout.readline()
    assert b"serverInfo" in shown["the answer over stdio"]
    for event, fields in EVENTS:
        hook = _begun(installation, "hook", "claude", event)
        shown |= _processes(installation)
        told = {
            "session_id": "s",
            "cwd": str(installation.project),
            "hook_event_name": event,
            **fields,
        }
        out, err = hook.communicate(json.dumps(told).encode(), timeout=20)
        assert hook.returncode == 0
        shown[f"the hook at {event}"] = out + err
    shown |= _asked(installation)
    out, err = server.communicate(timeout=20)
    return shown | {"the rest over stdio": out + err}


def _asked(installation: Installation) -> dict[str, bytes]:
    """What is answered over HTTP: rightly asked, and with the token where it does not belong."""
    status, said = installation.ask(
        installation.port, calling("recall", query="When does the door open?")
    )
    assert status == 200
    assert installation.secret in said.decode()
    line = http.client.HTTPConnection("127.0.0.1", installation.port, timeout=20)
    line.request("GET", f"/mcp?token={installation.token}")
    refused = line.getresponse()
    assert refused.status == 401
    told = refused.read() + str(refused.getheaders()).encode()
    line.close()
    return {"the answer over HTTP": said, "the refusal over HTTP": told}


def _begun(installation: Installation, *words: str) -> subprocess.Popen[bytes]:
    """A process that an agent has started and not spoken to yet."""
    return subprocess.Popen(
        (LORE, *words),
        cwd=installation.project,
        env=installation.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _processes(installation: Installation) -> dict[str, bytes]:
    """The command line and the environment of each process of an installation."""
    shown = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line, given = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
        except OSError:  # it has ended, or is of somebody else
            continue
        if int(folder.name) != os.getpid() and os.fsencode(installation.home) in line + given:
            shown[f"process {folder.name}: {line.replace(bytes(1), b' ').decode()}"] = line + given
    return shown


def _files(root: Path) -> list[Path]:
    return [each for each in root.rglob("*") if each.is_file() and not each.is_socket()]

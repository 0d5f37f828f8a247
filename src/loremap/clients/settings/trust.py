"""Codex runs a hook only if its user trusts it: asks Codex for the marks, and plans to set them."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from loremap.clients.settings import codex
from loremap.clients.settings.connect import Plan
from loremap.clients.settings.edits import refusals, text_of
from loremap.clients.settings.site import Site, is_our_hook
from loremap.clients.settings.tables import with_table
from loremap.clients.settings.write import Change, read
from loremap.model.version import VERSION

WAIT_S = 30.0
WHY = (
    "Codex runs a hook only after its user has trusted it: in Codex with /hooks, or now. "
    "Trusting writes the hash Codex itself computed for each of these hooks to its config.toml; "
    "a hook that changes later must be trusted anew."
)


@dataclass(frozen=True, slots=True)
class Hook:
    """One of our hooks, by Codex's own key and hash."""

    key: str
    hash: str


def untrusted(site: Site) -> list[Hook] | None:
    """Our hooks that Codex would not run yet; None where Codex is not here or does not answer."""
    hooks = _our_hooks(site)
    if hooks is None:
        return None
    state = codex.config(site).get("hooks", {}).get("state", {})
    return [hook for hook in hooks if state.get(hook.key, {}).get("trusted_hash") != hook.hash]


def plan_trust(plan: Plan, hooks: Sequence[Hook]) -> Plan:
    """What setting the trust in our hooks changes."""
    file = codex.trust_file(plan.site)
    before = read(file)
    text = text_of(file, before or b"")
    with refusals(file):
        for hook in hooks:
            text = with_table(text, ("hooks", "state", hook.key), {"trusted_hash": hook.hash})
    change = Change(path=file, before=before, after=text.encode())
    keys = tuple(hook.key for hook in hooks)
    return replace(plan, changes=(change,), remarks=(), trusted=keys)


def _our_hooks(site: Site) -> list[Hook] | None:
    """Our hooks as Codex lists them.

    Codex is asked in a folder of its own that holds nothing but the hooks: it would fill the
    user's with its state. The hash does not depend on where the file lies.
    """
    program = site.program("codex")
    if program is None:
        return None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        copy = folder / "hooks.json"
        copy.write_bytes(codex.hooks_file(site).read_bytes())
        answer = _answer(program, folder, site)
    if answer is None:
        return None
    listed = [hook for each in answer.get("data", ()) for hook in each.get("hooks", ())]
    return [
        Hook(codex.key_prefix(site) + hook["key"].removeprefix(str(copy)), hook["currentHash"])
        for hook in listed
        if is_our_hook(hook) and hook["key"].startswith(str(copy))
    ]


def _answer(program: str, folder: Path, site: Site) -> dict[str, Any] | None:
    """The answer of Codex's own server about the hooks in a folder."""
    with subprocess.Popen(
        [program, "app-server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**site.environ, "CODEX_HOME": str(folder), "HOME": str(folder)},
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as server:
        timer = threading.Timer(WAIT_S, server.kill)
        timer.start()
        try:
            assert server.stdin is not None  # both were asked for above
            assert server.stdout is not None
            answer = _conversed(server.stdin, server.stdout, folder)
            server.stdin.close()
            server.wait(WAIT_S)
            return answer
        except (BrokenPipeError, ValueError, subprocess.TimeoutExpired):
            return None
        finally:
            timer.cancel()
            server.kill()


def _conversed(to: IO[str], answers: IO[str], folder: Path) -> dict[str, Any] | None:
    who = {"name": "loremap", "title": "Loremap", "version": VERSION}
    for message in (
        {"id": 0, "method": "initialize", "params": {"clientInfo": who}},
        {"method": "initialized"},
        {"id": 1, "method": "hooks/list", "params": {"cwds": [str(folder)]}},
    ):
        to.write(json.dumps(message) + "\n")
    to.flush()
    for line in answers:
        answer = json.loads(line)
        if answer.get("id") == 1:
            result = answer.get("result")
            return result if isinstance(result, dict) else None
    return None

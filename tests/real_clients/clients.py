"""Runs each real agent client, in a throw-away home, against a scripted model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dialects import Call, Json
from install import cache_folder, command
from models import Request, ScriptedModel

RUN_SECONDS = 120
# What a client may take over from the tests' own environment; everything else stays outside.
INHERITED = ("PATH", "LANG", "SYSTEMROOT", "TMPDIR", "PYTHON_KEYRING_BACKEND")


@dataclass(frozen=True)
class Run:
    """What one run of a client came to: `requests` are those of this run, in order."""

    exit_code: int
    stdout: str
    stderr: str
    session: str | None
    requests: tuple[Request, ...]

    @property
    def turns(self) -> tuple[Request, ...]:
        """The requests of the agent's loop, without titles and summaries."""
        return tuple(request for request in self.requests if request.kind == "turn")


@dataclass(frozen=True)
class Client:
    """One agent client; a subclass says how it is started and what it calls its tools."""

    name: str

    def run(
        self,
        prompt: str,
        *,
        home: Path,
        project: Path,
        model: ScriptedModel,
        resume: str | None = None,
    ) -> Run:
        """Runs one prompt to its end; `resume` is the session of an earlier run."""
        arguments = self.arguments(prompt, model, resume)
        return self._ran(arguments, home=home, project=project, model=model)

    def call(
        self, slash: str, typed: str, *, home: Path, project: Path, model: ScriptedModel
    ) -> Run:
        """Runs one slash command of a user to its end."""
        arguments = self.slash_arguments(slash, typed, model)
        return self._ran(arguments, home=home, project=project, model=model)

    def _ran(
        self, arguments: tuple[str, ...], *, home: Path, project: Path, model: ScriptedModel
    ) -> Run:
        self.prepare(home, model)
        before = len(model.requests)
        words = (*command(self.name, cache_folder()), *arguments)
        code, out, err = self.start(words, home=home, project=project, model=model)
        session = self.session_of(out, home)
        return Run(code, out, err, session, tuple(model.requests[before:]))

    def start(
        self, arguments: tuple[str, ...], *, home: Path, project: Path, model: ScriptedModel
    ) -> tuple[int, str, str]:
        """Runs a command line in the client's environment and leaves none of its processes."""
        with subprocess.Popen(
            arguments,
            cwd=project,
            env=self.environment(home, model),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                out, err = process.communicate(timeout=RUN_SECONDS)
            finally:
                end_group(process.pid)
        return process.returncode, out, err

    def environment(self, home: Path, model: ScriptedModel) -> dict[str, str]:
        """The client's whole environment: a home of its own, the scripted model, our settings."""
        kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
        ours = {name: value for name, value in os.environ.items() if name.startswith("LOREMAP_")}
        homes = {
            "HOME": str(home),
            "USERPROFILE": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_DATA_HOME": str(home / ".local" / "share"),
            "XDG_STATE_HOME": str(home / ".local" / "state"),
            "XDG_CACHE_HOME": str(home / ".cache"),
        }
        program = Path(command(self.name, cache_folder())[-1]).parent
        path = {"PATH": os.pathsep.join((str(program), kept.get("PATH", os.defpath)))}
        return {**kept, **ours, **homes, **path, **self.model_env(home, model)}

    def prepare(self, home: Path, model: ScriptedModel) -> None:
        """Writes the settings without which the client does not start, unless they are there."""

    def arguments(self, prompt: str, model: ScriptedModel, resume: str | None) -> tuple[str, ...]:
        raise NotImplementedError

    def slash_arguments(self, slash: str, typed: str, model: ScriptedModel) -> tuple[str, ...]:
        return self.arguments(f"/{slash} {typed}", model, None)

    def model_env(self, home: Path, model: ScriptedModel) -> dict[str, str]:
        raise NotImplementedError

    def session_of(self, out: str, home: Path) -> str | None:
        raise NotImplementedError

    def shell(self, command: str) -> Call:
        """The call by which this client's model runs a shell command."""
        raise NotImplementedError

    def mcp(self, server: str, tool: str, arguments: Json) -> Call:
        """The call by which this client's model uses a tool of an MCP server."""
        raise NotImplementedError

    def subagent(self, task: str) -> Call:
        """The call by which this client's model hands a task to a subagent."""
        raise NotImplementedError

    def edit(self, file: Path, before: str, after: str) -> tuple[Call, ...]:
        """The calls by which this client's model changes a line of a file."""
        raise NotImplementedError

    def allow_edits(self, home: Path) -> None:
        """Lets the model change files without asking, where it would ask."""


def end_group(leader: int) -> None:
    """Ends what the client left running in its own process group."""
    if sys.platform != "win32":
        try:
            os.killpg(leader, signal.SIGKILL)
        except ProcessLookupError:
            return


def json_lines(out: str) -> list[Json]:
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


class Claude(Client):
    """Claude Code."""

    def model_env(self, home: Path, model: ScriptedModel) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def arguments(self, prompt: str, model: ScriptedModel, resume: str | None) -> tuple[str, ...]:
        again = ("--resume", resume) if resume else ()
        allowed = ("--allowedTools", "Bash", "mcp__loremap")
        return ("-p", prompt, "--output-format", "json", *again, *allowed)

    def session_of(self, out: str, home: Path) -> str | None:
        found = json_lines(out)
        return str(found[-1]["session_id"]) if found and "session_id" in found[-1] else None

    def shell(self, command: str) -> Call:
        return Call("Bash", {"command": command, "description": "run it"})

    def mcp(self, server: str, tool: str, arguments: Json) -> Call:
        return Call(f"mcp__{server}__{tool}", arguments)

    def subagent(self, task: str) -> Call:
        given = {"description": "hand on", "prompt": task, "subagent_type": "general-purpose"}
        return Call("Task", given)

    def edit(self, file: Path, before: str, after: str) -> tuple[Call, ...]:
        given = {"file_path": str(file), "old_string": before, "new_string": after}
        return (Call("Read", {"file_path": str(file)}), Call("Edit", given))

    def allow_edits(self, home: Path) -> None:
        settings = home / ".claude" / "settings.json"
        settings.parent.mkdir(parents=True, exist_ok=True)
        allowed = {"permissions": {"allow": ["Edit", "Read"]}}
        settings.write_text(json.dumps(allowed), encoding="utf-8")


class Codex(Client):
    """Codex; its hooks run only if their trust is set, as in a user's session."""

    def model_env(self, home: Path, model: ScriptedModel) -> dict[str, str]:
        return {"CODEX_HOME": str(home / ".codex"), "SCRIPTED_KEY": "scripted"}

    def prepare(self, home: Path, model: ScriptedModel) -> None:
        (home / ".codex").mkdir(parents=True, exist_ok=True)

    def arguments(self, prompt: str, model: ScriptedModel, resume: str | None) -> tuple[str, ...]:
        again = ("resume", resume) if resume else ()
        return ("exec", *self.options(model), "--json", "--skip-git-repo-check", *again, prompt)

    def slash_arguments(self, slash: str, typed: str, model: ScriptedModel) -> tuple[str, ...]:
        return self.arguments(f"${slash} {typed}", model, None)

    def options(self, model: ScriptedModel) -> tuple[str, ...]:
        """The settings that point Codex at the scripted model, as arguments."""
        provider = (
            f'{{name="scripted",base_url="{model.url}/v1",wire_api="responses",'
            'env_key="SCRIPTED_KEY",request_max_retries=0,stream_max_retries=0}'
        )
        settings = (
            'model="scripted"',
            'model_provider="scripted"',
            f"model_providers.scripted={provider}",
            'approval_policy="never"',
            'sandbox_mode="danger-full-access"',
        )
        return tuple(part for setting in settings for part in ("-c", setting))

    def session_of(self, out: str, home: Path) -> str | None:
        started = [line for line in json_lines(out) if line.get("type") == "thread.started"]
        return str(started[0]["thread_id"]) if started else None

    def shell(self, command: str) -> Call:
        return Call("exec_command", {"cmd": command})

    def mcp(self, server: str, tool: str, arguments: Json) -> Call:
        return Call(tool, arguments, namespace=f"mcp__{server}")

    def subagent(self, task: str) -> Call:
        return Call("spawn_agent", {"message": task}, namespace="multi_agent_v1")

    def edit(self, file: Path, before: str, after: str) -> tuple[Call, ...]:
        change = f"*** Update File: {file}\n@@\n-{before}\n+{after}\n"
        patch = f"*** Begin Patch\n{change}*** End Patch"
        return (Call("exec_command", {"cmd": f"apply_patch <<'EOF'\n{patch}\nEOF"}),)


class Gemini(Client):
    """Gemini CLI."""

    def model_env(self, home: Path, model: ScriptedModel) -> dict[str, str]:
        return {
            "GEMINI_API_KEY": "scripted",
            "GOOGLE_GEMINI_BASE_URL": model.url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "TERM": "xterm-256color",
        }

    def prepare(self, home: Path, model: ScriptedModel) -> None:
        settings = home / ".gemini" / "settings.json"
        if not settings.exists():
            settings.parent.mkdir(parents=True, exist_ok=True)
            auth = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
            settings.write_text(json.dumps(auth, indent=2) + "\n", encoding="utf-8")

    def arguments(self, prompt: str, model: ScriptedModel, resume: str | None) -> tuple[str, ...]:
        again = ("--resume", resume) if resume else ()
        return ("-p", prompt, "-y", "--output-format", "json", "-m", "gemini-2.5-flash", *again)

    def session_of(self, out: str, home: Path) -> str | None:
        start = out.find("{")
        return json.loads(out[start:]).get("session_id") if start >= 0 else None

    def shell(self, command: str) -> Call:
        return Call("run_shell_command", {"command": command})

    def mcp(self, server: str, tool: str, arguments: Json) -> Call:
        return Call(f"mcp_{server}_{tool}", arguments)

    def edit(self, file: Path, before: str, after: str) -> tuple[Call, ...]:
        given = {"file_path": str(file), "old_string": before, "new_string": after}
        return (Call("replace", {**given, "instruction": "Change the line."}),)


class OpenCode(Client):
    """OpenCode."""

    def model_env(self, home: Path, model: ScriptedModel) -> dict[str, str]:
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{model.url}/v1", "apiKey": "scripted"},
            "models": {"scripted": {"name": "scripted", "tool_call": True}},
        }
        config = {
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "provider": {"scripted": provider},
            "permission": {"bash": "allow", "edit": "allow"},
        }
        return {
            "OPENCODE_CONFIG_CONTENT": json.dumps(config),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        }

    def arguments(self, prompt: str, model: ScriptedModel, resume: str | None) -> tuple[str, ...]:
        again = ("--session", resume) if resume else ()
        return ("run", "--format", "json", *again, prompt)

    def slash_arguments(self, slash: str, typed: str, model: ScriptedModel) -> tuple[str, ...]:
        return ("run", "--format", "json", "--command", slash, typed)

    def session_of(self, out: str, home: Path) -> str | None:
        found = [line["sessionID"] for line in json_lines(out) if "sessionID" in line]
        return str(found[0]) if found else None

    def shell(self, command: str) -> Call:
        return Call("bash", {"command": command, "description": "run it"})

    def mcp(self, server: str, tool: str, arguments: Json) -> Call:
        return Call(f"{server}_{tool}", arguments)

    def subagent(self, task: str) -> Call:
        return Call("task", {"description": "hand on", "prompt": task, "subagent_type": "general"})

    def edit(self, file: Path, before: str, after: str) -> tuple[Call, ...]:
        given = {"filePath": str(file), "oldString": before, "newString": after}
        return (Call("read", {"filePath": str(file)}), Call("edit", given))


class Copilot(Client):
    """Copilot CLI."""

    def model_env(self, home: Path, model: ScriptedModel) -> dict[str, str]:
        return {
            "COPILOT_HOME": str(home / ".copilot"),
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1",
            "COPILOT_MODEL": "scripted",
            "COPILOT_PROVIDER_API_KEY": "scripted",
            "COPILOT_ALLOW_ALL": "true",
        }

    def arguments(self, prompt: str, model: ScriptedModel, resume: str | None) -> tuple[str, ...]:
        again = (f"--resume={resume}",) if resume else ()
        return ("-p", prompt, "--allow-all-tools", "--no-color", *again)

    def session_of(self, out: str, home: Path) -> str | None:
        folders = (home / ".copilot" / "session-state").glob("*/events.jsonl")
        newest = max(folders, key=lambda path: path.stat().st_mtime, default=None)
        return newest.parent.name if newest else None

    def shell(self, command: str) -> Call:
        return Call("bash", {"command": command, "description": "run it"})

    def mcp(self, server: str, tool: str, arguments: Json) -> Call:
        return Call(f"{server}-{tool}", arguments)

    def edit(self, file: Path, before: str, after: str) -> tuple[Call, ...]:
        return (Call("edit", {"path": str(file), "old_str": before, "new_str": after}),)


CLIENTS: Mapping[str, Client] = {
    "claude": Claude("claude"),
    "codex": Codex("codex"),
    "gemini": Gemini("gemini"),
    "opencode": OpenCode("opencode"),
    "copilot": Copilot("copilot"),
}

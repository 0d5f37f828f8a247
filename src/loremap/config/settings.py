"""What the user may set: one table of names, types and defaults, kept in config.toml."""

from __future__ import annotations

import difflib
import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loremap.errors import BadInput, BrokenSettings


@dataclass(frozen=True, slots=True)
class Setting:
    """One name a user may set."""

    default: str | int | float | bool | tuple[str, ...]
    says: str
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


SCAN_MEMORY_MB = 1_500

SETTINGS: dict[str, Setting] = {
    "recall.recipe": Setting(
        "hybrid",
        "the recipe `lore recall` uses",
        choices=("hybrid", "weighted", "lexical", "cascade", "facts", "words", "vectors"),
    ),
    "recall.limit": Setting(10, "how many memories a recall answers with", low=1, high=100),
    "recall.recency": Setting(False, "raise what was used within the last days"),
    "recall.seasons": Setting((), "labels of seasonal memories that are in season now"),
    "recall.gate": Setting(True, "answer nothing when nothing fits"),
    "cascade.similarity_threshold": Setting(
        0.4, "the least similarity a cascade begins at, as a cosine of MiniLM", low=0, high=1
    ),
    "cascade.max_initial_hits": Setting(
        10, "how many similar memories a cascade begins at", low=1, high=100
    ),
    "cascade.max_depth": Setting(2, "how many edges a cascade follows", low=0, high=6),
    "cascade.max_results": Setting(10, "how many memories a cascade finds", low=1, high=100),
    "cascade.edge_decay": Setting(
        0.7, "what of a score is left after each edge of a cascade", low=0, high=1
    ),
    "cascade.max_degree": Setting(
        50, "a tag, cluster or entity that joins more memories leads nowhere", low=1, high=10_000
    ),
    "cascade.fan_out": Setting(
        25, "how many edges of one node a cascade follows, the nearest first", low=1, high=1_000
    ),
    "facts.hops": Setting(
        2, "how far the `facts` recipe follows facts from what is asked about", low=1, high=4
    ),
    "facts.tokens": Setting(
        400,
        "the most that the `facts` recipe tells in lines of facts, in tokens",
        low=50,
        high=5_000,
    ),
    "facts.promotion_threshold": Setting(3, "how many uses make a fact believed", low=1, high=100),
    "facts.read_at_once": Setting(
        500, "how many memories one pass reads for facts", low=1, high=100_000
    ),
    "embedding.provider": Setting(
        "local", "who makes the vectors", choices=("local", "openai", "hashing", "none")
    ),
    "embedding.local_model": Setting(
        "granite-30m", "the model on this machine", choices=("granite-30m", "minilm")
    ),
    "embedding.base_url": Setting("", "address of an OpenAI-compatible server, up to /v1"),
    "embedding.model": Setting("", "name of the model on that server"),
    "embedding.dim": Setting(0, "dimension of its vectors; 0 takes what comes", low=0, high=8192),
    "embedding.key_env": Setting("", "environment variable that holds the server's key"),
    "embedding.timeout_s": Setting(10.0, "how long the server may take", low=0.1, high=600),
    "embedding.query_prefix": Setting("", "put before a query"),
    "embedding.document_prefix": Setting("", "put before a memory"),
    "limits.content_bytes": Setting(
        2048, "longest memory, in bytes of UTF-8", low=64, high=1 << 20
    ),
    "limits.per_session": Setting(
        50, "how many memories an agent may write in a session", low=1, high=100_000
    ),
    "forget.grace_days": Setting(
        30, "how long a forgotten memory can be restored", low=0, high=3650
    ),
    "tend.evict_above": Setting(
        3_000, "how many memories a project holds before some are let go", low=10, high=1_000_000
    ),
    "tend.evict_to": Setting(
        2_700, "how many are left when some were let go", low=1, high=1_000_000
    ),
    "tend.withdrawn_days": Setting(
        90, "how long what was withdrawn or let go can be restored", low=0, high=3650
    ),
    "inject.tokens": Setting(
        5_000, "the most that is injected at once, in tokens", low=200, high=20_000
    ),
    "inject.brief_tokens": Setting(
        1_800, "what the brief at a session's start aims at", low=100, high=5_000
    ),
    "inject.deadline_ms": Setting(
        150, "how long a prompt waits for what is remembered", low=20, high=2_000
    ),
    "inject.hold": Setting(True, "hold a command back once where a confirmed warning is about it"),
    "events.keep_days": Setting(
        90, "how long the log of sessions is kept; 0 records nothing", low=0, high=3650
    ),
    "learn.sessions": Setting(True, "learn by itself from what is said and done in sessions"),
    "learn.git": Setting(True, "learn by itself from the messages of a repository's commits"),
    "sidecar.kind": Setting(
        "off",
        "the small language model that helps where rules end",
        choices=("off", "openai", "anthropic", "ollama", "agent"),
    ),
    "sidecar.url": Setting("", "its address; Ollama's and Anthropic's own where it is empty"),
    "sidecar.model": Setting("", "its name there; with agent, empty leaves the choice to it"),
    "sidecar.agent": Setting("", "with agent: the coding agent whose program is asked"),
    "sidecar.key_env": Setting(
        "", "environment variable that holds its key, else the one `lore sidecar key` kept"
    ),
    "sidecar.may_leave": Setting(
        False, "yes, redacted words of sessions and memories may be sent to another machine"
    ),
    "sidecar.plain_http": Setting(False, "send them there without encryption too"),
    "sidecar.structured": Setting(True, "ask the server to hold answers to their schema"),
    "sidecar.timeout_s": Setting(30.0, "how long one answer may take", low=1, high=600),
    "sidecar.daily_calls": Setting(200, "the most requests a day (UTC)", low=1, high=1_000_000),
    "sidecar.daily_tokens": Setting(
        500_000, "the most tokens a day, read and written", low=1_000, high=10**10
    ),
    "sidecar.daily_dollars": Setting(
        0.0, "the most it may cost a day, by the prices below; 0 sets no ceiling", low=0, high=1e6
    ),
    "sidecar.price_in": Setting(0.0, "dollars per million tokens read", low=0, high=10_000),
    "sidecar.price_out": Setting(0.0, "dollars per million tokens written", low=0, high=10_000),
    "sidecar.verify": Setting(True, "let it drop what does not fit before it is injected"),
    "sidecar.extract": Setting(True, "let it look for what a session taught"),
    "sidecar.classify": Setting(True, "let it say what modules are for, at `lore init`"),
    "sidecar.relate": Setting(True, "let it link and tag what fitted one task"),
    "sidecar.name": Setting(True, "let it name clusters"),
    "sidecar.gaps": Setting(True, "let it say which open questions a session answered"),
    "redact.patterns": Setting(
        (), "regular expressions of your own secrets, taken out of every text that is kept"
    ),
    "redact.allow": Setting(
        (), "regular expressions of whole values that are no secrets, whatever they look like"
    ),
    "metrics.hold_out": Setting(
        0.0, "share of sessions that get nothing, to compare with", low=0, high=1
    ),
    "scan.memory_mb": Setting(
        SCAN_MEMORY_MB,
        "the most memory a scan of the code may use, all its processes together",
        low=500,
        high=1_000_000,
    ),
    "service.idle_minutes": Setting(
        30, "the resident ends after this long without a client", low=1, high=10_080
    ),
    "service.http_port": Setting(
        0, "loopback port for HTTP clients; 0 leaves it closed", low=0, high=65_535
    ),
    "storage.synchronous": Setting(
        "full", "when a commit counts as safe: full survives power loss", choices=("full", "normal")
    ),
    "storage.busy_timeout_ms": Setting(
        15_000, "how long to wait for another writer", low=100, high=600_000
    ),
    "storage.backups": Setting(3, "how many backups are kept", low=1, high=100),
}

MAX_BYTES = 256 * 1024
LONGEST_SHOWN = 80
Value = str | int | float | bool | tuple[str, ...]
_TYPES = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list of texts",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """The values in force: the user's where set, else the defaults."""

    values: Mapping[str, Value]
    file: Path | None = None

    def text(self, name: str) -> str:
        """A setting that is text."""
        return str(self.values[name])

    def whole(self, name: str) -> int:
        """A setting that is a whole number."""
        return int(self.number(name))

    def number(self, name: str) -> float:
        """A setting that is a number."""
        value = self.values[name]
        assert not isinstance(value, tuple)  # what is loaded has the type of its default
        return float(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """A setting that is a list of texts."""
        value = self.values[name]
        return value if isinstance(value, tuple) else ()

    def flag(self, name: str) -> bool:
        """A setting that is on or off."""
        return bool(self.values[name])


def defaults() -> Settings:
    """The settings of a user who set nothing."""
    return Settings({name: setting.default for name, setting in SETTINGS.items()})


def load(file: Path) -> Settings:
    """The settings in `file`, or the defaults if there is none."""
    if not file.exists():
        return Settings(defaults().values, file)
    try:
        _refuse_huge(file)
        found = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as fault:
        raise _unreadable(file, fault) from fault
    except RecursionError as fault:
        raise _unreadable(file, "its values are nested too deeply") from fault
    values = dict(defaults().values)
    for name, value in _flat(found).items():
        try:
            values[name] = checked(name, value)
        except BadInput as fault:
            raise BrokenSettings(
                f"The settings file {file} is not right: {fault.message}",
                hint=fault.hint or "Mend that line, or remove it to use the default.",
            ) from fault
    return Settings(values, file)


def checked(name: str, value: object) -> Value:
    """`value` as setting `name` takes it; raises BadInput where it does not fit."""
    setting = SETTINGS.get(name)
    if setting is None:
        near = difflib.get_close_matches(name, SETTINGS, n=1)
        raise BadInput(
            f"There is no setting {name!r}.",
            hint=f"Did you mean {near[0]!r}?" if near else "`lore config` lists them all.",
        )
    converted = _converted(setting, value)
    if converted is None:
        wanted = "/".join(setting.choices) or _TYPES[type(setting.default)]
        raise BadInput(f"{name} takes {wanted}, not {_shortened(value)}.")
    if not isinstance(converted, str | bool | tuple):
        low, high = setting.low, setting.high
        if (low is not None and converted < low) or (high is not None and converted > high):
            raise BadInput(f"{name} takes a number from {low:g} to {high:g}, not {converted:g}.")
    return converted


def _shortened(value: object) -> str:
    """A value as it stands in a message of one line."""
    if not isinstance(value, str | int | float):
        return "a list or a table" if isinstance(value, list | dict) else "a date or time"
    said = repr(value)
    return said if len(said) <= LONGEST_SHOWN else said[:LONGEST_SHOWN] + "…"


def save(file: Path, name: str, value: object) -> Value:
    """Set `name` in `file`, leaving the rest of it as the user wrote it."""
    import tomlkit

    new = checked(name, value)
    load(file)
    document = tomlkit.parse(file.read_text("utf-8")) if file.exists() else tomlkit.document()
    section, key = name.split(".", 1)
    if section not in document:
        document[section] = tomlkit.table()
    table: Any = document[section]
    table[key] = list(new) if isinstance(new, tuple) else new
    _write(file, tomlkit.dumps(document))
    return new


def unset(file: Path, name: str) -> None:
    """Take `name` out of `file`, so that its default holds again."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    checked(name, SETTINGS[name].default if name in SETTINGS else None)
    if not file.exists():
        return
    try:
        document = tomlkit.parse(file.read_text("utf-8"))
    except (TOMLKitError, UnicodeDecodeError, OSError) as fault:
        raise _unreadable(file, fault) from fault
    section, key = name.split(".", 1)
    table: Any = document.get(section, {})
    table.pop(key, None)
    _write(file, tomlkit.dumps(document))


def _refuse_huge(file: Path) -> None:
    """Raise where the file cannot be one of settings; reading it would take long."""
    size = file.stat().st_size
    if size > MAX_BYTES:
        raise _unreadable(file, f"it has {size:,} bytes, and settings take at most {MAX_BYTES:,}")


def _unreadable(file: Path, fault: Exception | str) -> BrokenSettings:
    return BrokenSettings(
        f"The settings file {file} cannot be read: {' '.join(str(fault).split())}.",
        hint="Mend that line, or move the file away to use the defaults.",
    )


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = file.with_suffix(".toml.new")
    temporary.write_text(text, "utf-8")
    temporary.replace(file)


def _flat(found: Mapping[str, object]) -> dict[str, object]:
    flat: dict[str, object] = {}
    for section, entries in found.items():
        if isinstance(entries, dict):
            flat |= {f"{section}.{key}": value for key, value in entries.items()}
        else:
            flat[section] = entries
    return flat


_FLAGS = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}


def _converted(setting: Setting, value: object) -> Value | None:
    """`value` in the setting's own type, or None where it cannot be."""
    if isinstance(setting.default, bool):
        return value if isinstance(value, bool) else _FLAGS.get(str(value).lower())
    if isinstance(setting.default, tuple):
        return _listed(value)
    if isinstance(setting.default, str):
        given = isinstance(value, str | int | float) and not isinstance(value, bool)
        text = str(value) if given else None
        return text if not setting.choices or text in setting.choices else None
    if isinstance(value, bool):
        return None
    try:
        number = float(str(value))
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    if isinstance(setting.default, int):
        return int(number) if number == int(number) else None
    return number


def _listed(value: object) -> tuple[str, ...] | None:
    """A list of texts; on a command line it is a JSON list, or one text alone."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.lstrip().startswith("[") else [value]
        except ValueError:
            value = [value]  # a pattern may begin with a bracket too
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        return None
    return tuple(value)

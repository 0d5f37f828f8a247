"""`model`: fetch, choose, check and use the embedding model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from loremap.config.folders import folders
from loremap.config.settings import SETTINGS, load
from loremap.interfaces.cli.shell import command, console, group, place, say, warn

if TYPE_CHECKING:
    from loremap.app import Lore
    from loremap.model.state import ModelState

LOCAL_MODELS = SETTINGS["embedding.local_model"].choices

model = group("model", "The embedding model: status, fetch, use, embed, verify.", default="status")


@model.command("status")
@command
def model_status(as_json: bool) -> Any:
    """Which model makes the vectors and how far it has come."""
    with place().lore() as lore:
        return _told(lore.model_state(), as_json=as_json)


@model.command("fetch")
@click.argument("name", type=click.Choice(LOCAL_MODELS), required=False)
@click.option(
    "--from",
    "folder",
    type=click.Path(exists=True, file_okay=False),
    help="A folder that holds the model's files: granite-embedding-30m-english-int8.hmsemb, or "
    "model_quantized.onnx and tokenizer.json.",
)
@command
def model_fetch(name: str | None, folder: str | None, as_json: bool) -> Any:
    """Fetch a local model, by default the one in use, verify it, and embed what waits."""
    from pathlib import Path

    from loremap.embedding.pinned import local_model
    from loremap.embedding.weights import deliver

    fetched = local_model(name or _chosen())
    origin = None if folder is None else Path(folder)
    with _bar(as_json=as_json) as report:
        deliver(folders().cache, model=fetched, folder=origin, progress=report)
    with place().lore() as lore:
        in_use = lore.settings.text("embedding.provider") == "local" and fetched.name == _chosen()
        if in_use:
            _embed(lore, as_json=as_json)
        elif not as_json:
            say(f"{fetched.title} is on this machine. To use it: lore model use {fetched.name}")
        return _told(lore.model_state(), as_json=as_json)


def _chosen() -> str:
    """The name of the local model in the settings."""
    return load(folders().settings).text("embedding.local_model")


@model.command("use")
@click.argument("name", type=click.Choice([*LOCAL_MODELS, "local", "openai", "none"]))
@click.option("--base-url", help="Address of the server, up to /v1.")
@click.option("--model", help="Name of the model on it.")
@click.option("--key-env", help="Environment variable that holds its key.")
@click.option("--dim", type=int, help="Dimension of its vectors.")
@click.option("--query-prefix", help="Put before a query, such as 'search_query: '.")
@click.option("--document-prefix", help="Put before a memory, such as 'search_document: '.")
@command
def model_use(name: str, as_json: bool, **given: str | int | None) -> Any:
    """Choose who makes the vectors, and make them all anew; interrupted, run it again to go on."""
    with place().lore() as lore:
        local = {"provider": "local", "local_model": name}
        chosen = local if name in LOCAL_MODELS else {"provider": name}
        lore.use_model({**chosen, **_named(given)})
        if not as_json:
            _notice(lore)
        _embed(lore, as_json=as_json)
        lore.drop_other_spaces()
        return _told(lore.model_state(), as_json=as_json)


def _named(given: dict[str, str | int | None]) -> dict[str, str | int]:
    """The settings a user named. Where a server or model was, what belonged to another one (its
    key above all) does not stay."""
    named = {name: value for name, value in given.items() if value is not None}
    if "base_url" in named or "model" in named:
        return {"key_env": "", "dim": 0, "query_prefix": "", "document_prefix": "", **named}
    return named


def _notice(lore: Lore) -> None:
    embedder = lore.embedder()
    if embedder is not None and embedder.leaves_machine:
        warn(
            "Notice: every memory and query is sent to "
            f"{lore.settings.text('embedding.base_url')} to be embedded."
        )


@model.command("embed")
@command
def model_embed(as_json: bool) -> Any:
    """Make the vectors that are missing; can be interrupted."""
    with place().lore() as lore:
        _embed(lore, as_json=as_json)
        return _told(lore.model_state(), as_json=as_json)


@model.command("verify")
@command
def model_verify(as_json: bool) -> Any:
    """Check every byte of the local model against what is pinned."""
    from loremap.embedding.pinned import local_model, verify

    verify(folders().cache, local_model(_chosen()))
    if as_json:
        return {"verified": True}
    say("Every byte is as pinned.")
    return None


def _embed(lore: Lore, *, as_json: bool) -> None:
    with _bar(as_json=as_json) as report:
        lore.embed_waiting(progress=lambda done, total: report("embedding memories", done, total))


def _told(state: ModelState, *, as_json: bool) -> Any:
    if as_json:
        from dataclasses import asdict

        return asdict(state) | {"other_spaces": dict(state.other_spaces)}
    if state.provider == "none":
        say("No model chosen: words answer alone.")
    elif not state.ready:
        warn(f"Words answer alone: {state.trouble}")
    else:
        say(f"{state.name} ({state.dim} numbers): {state.embedded} embedded")
        if state.waiting:
            warn(f"{state.waiting} wait: lore model embed")
        if state.leaves_machine:
            warn("Texts leave this machine to be embedded.")
    return None


@contextmanager
def _bar(*, as_json: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar that takes (stage, done, total); it appears with the first report."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=console(), disable=as_json)
    tasks: dict[str, Any] = {}

    def report(stage: str, done: int, total: int) -> None:
        bar.start()
        if stage not in tasks:
            tasks[stage] = bar.add_task(stage, total=None)
        bar.update(tasks[stage], completed=done, total=total or None)

    try:
        yield report
    finally:
        if tasks:
            bar.stop()


COMMANDS = (model,)

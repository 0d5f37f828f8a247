"""`sidecar`: the optional small language model, what it costs, whether it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from loremap.interfaces.cli.shell import ask_there, command, counted, group, place, say, warn

if TYPE_CHECKING:
    from loremap.memory.sidecar_state import SidecarState

sidecar = group(
    "sidecar",
    "The optional small language model: what it is, what it used, whether it answers.",
    default="status",
)
LEAVES = (
    "What leaves this machine: prompts with the memories found for them, shortened sessions, names "
    "of files and modules, open questions; secrets are taken out first."
)


@sidecar.command("status")
@command
def sidecar_status(as_json: bool) -> Any:
    """Where it is, what it used today and what it costs, and what went wrong last."""
    from loremap.memory.sidecar_state import sidecar_state

    with place().lore() as lore:
        state = sidecar_state(lore.engine)
    if as_json:
        return _data(state)
    _show(state)
    return None


def _data(state: SidecarState) -> dict[str, Any]:
    from dataclasses import asdict

    told = asdict(state) | {"tasks": list(state.tasks)}
    for name in ("full_at", "fault_at"):
        at = told[name]
        told[name] = None if at is None else at.isoformat()
    return told


def money(dollars: float | None) -> str:
    """What was paid, in words."""
    return "price not set" if dollars is None else f"${dollars:,.4f}"


def _show(state: SidecarState) -> None:
    if state.kind == "off":
        say("No sidecar: rules work alone.")
        say(("To choose one: lore config set sidecar.kind ollama (docs/sessions)", "dim"))
        return
    say((f"{state.model or state.kind}", "bold"), f"  {state.where}")
    if state.trouble:
        warn(f"It is not asked: {state.trouble}")
    if state.leaves_machine:
        warn(LEAVES)
    say(f"Asked to: {', '.join(state.tasks) or 'nothing'}")
    known = state.dollars is not None and state.max_dollars
    limit = f" of ${state.max_dollars:,.2f}" if known else ""
    say(
        f"Today: {state.calls:,} of {state.max_calls:,} requests, "
        f"{state.tokens:,} of {state.max_tokens:,} tokens, {money(state.dollars)}{limit}"
    )
    if state.full_at is not None:
        warn(f"The day's ceiling was met at {state.full_at:%H:%M} UTC: rules work alone.")
    if state.sessions_lately:
        say(
            f"Lately: {counted(state.sessions_lately, 'session')} looked at, on average "
            f"{state.tokens_per_session:,.0f} tokens, {money(state.dollars_per_session)} each"
        )
    if state.failed_lately:
        say(f"{state.failed_lately:,} of {counted(state.calls_lately, 'request')} failed lately.")
    if state.fault_at is not None:
        say((f"Last fault, {state.fault_at:%Y-%m-%d %H:%M} UTC, {state.fault_task}:", "dim"))
        say((f"  {state.fault}", "dim"))


@sidecar.command("test")
@command
def sidecar_test(as_json: bool) -> Any:
    """Ask it one thing with a known answer; nothing of yours is sent."""
    import time

    from loremap.errors import ModelFailed
    from loremap.memory.sidecar_state import sidecar_state
    from loremap.sidecar.tasks.verify import verifying

    task = "How are prices stored in the database?"
    notes = [("right", "Prices are stored as integer cents."), ("other", "The logo is green.")]
    with place().lore() as lore:
        lore.engine.sidecar.model()
        began = time.perf_counter()
        found = lore.engine.sidecar.ask(verifying(task, notes))
        took_ms = (time.perf_counter() - began) * 1_000
        state = sidecar_state(lore.engine)
    told = {"where": state.where, "model": state.model, "took_ms": round(took_ms)}
    if as_json:
        return told | {"right": found == {"right"}}
    if found != {"right"}:
        raise ModelFailed(
            f"{state.model} answers in the form asked for, and wrongly: of two notes it chose "
            f"{', '.join(sorted(found)) or 'none'}.",
            hint="A larger model judges better; sidecar.verify false keeps it from judging.",
        )
    say(f"{state.model} at {state.where} answered rightly in {took_ms:,.0f} ms.")
    return None


@sidecar.command("key")
@click.option("--drop", is_flag=True, help="Keep it no longer.")
@command
def sidecar_key(drop: bool, as_json: bool) -> Any:
    """Keep the key of its server, for that address alone: in the keychain, else in a file only you
    can read. It is asked for, or read from the standard input."""
    from loremap.config.folders import key_folder
    from loremap.errors import BadInput
    from loremap.memory.sidecar import choice_of, key_name
    from loremap.safety.kept_secrets import drop_secret, keep_secret

    if not drop:
        ask_there()
    with place().lore() as lore:
        name = key_name(choice_of(lore.settings))
    if drop:
        drop_secret(name, key_folder())
        kept_in = None
    else:
        key = click.prompt("Key", hide_input=True, default="", show_default=False).strip()
        if not key:
            raise BadInput("There is no key to keep; nothing was changed.")
        kept_in = keep_secret(name, key, key_folder())
    if as_json:
        return {"kept_in": kept_in}
    say("The key is kept no longer." if drop else f"The key is kept in {kept_in}.", whole=True)
    return None


COMMANDS = (sidecar,)

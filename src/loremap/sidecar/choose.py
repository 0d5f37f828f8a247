"""Makes the small model that the settings name."""

from __future__ import annotations

from dataclasses import dataclass

from loremap.errors import BadInput
from loremap.sidecar.ask import SmallModel
from loremap.sidecar.program import Program
from loremap.sidecar.protocols import PROTOCOLS

OFF, AGENT = "off", "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class SidecarChoice:
    """Which small model, and how it is reached."""

    kind: str = OFF
    url: str = ""
    model: str = ""
    key_env: str = ""
    key: str = ""
    timeout_s: float = 30.0
    plain_http: bool = False
    structured: bool = True
    program: Program | None = None
    """With `agent`: the program that is started."""


def open_model(choice: SidecarChoice) -> SmallModel | None:
    """The chosen model, ready to be asked; None where none is wanted. Nothing is sent."""
    if choice.kind == OFF:
        return None
    if choice.kind == AGENT:
        return _by_program(choice)
    if not choice.model:
        raise BadInput(
            "The sidecar needs the name of a model.", hint="lore config set sidecar.model NAME"
        )
    if not (choice.url or PROTOCOLS[choice.kind].usual):
        raise BadInput(
            "The sidecar needs an address.",
            hint="lore config set sidecar.url http://localhost:8080/v1",
        )
    from loremap.sidecar.remote import RemoteModel

    return RemoteModel(
        choice.kind,
        choice.url,
        choice.model,
        key_env=choice.key_env,
        key=choice.key,
        timeout_s=choice.timeout_s,
        plain_http=choice.plain_http,
        structured=choice.structured,
    )


def _by_program(choice: SidecarChoice) -> SmallModel:
    from loremap.sidecar.command import CommandModel

    if choice.program is None:
        raise BadInput(
            "The sidecar needs the name of an agent whose program answers a single prompt.",
            hint="lore config set sidecar.agent NAME",
        )
    return CommandModel(choice.program, choice.model, timeout_s=choice.timeout_s)

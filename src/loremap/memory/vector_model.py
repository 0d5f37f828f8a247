"""The model that makes the vectors: change it, drop what others made, say how far it has come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from loremap.code.checkout import embedder_choice
from loremap.config import settings as config
from loremap.embedding.choose import open_embedder
from loremap.errors import ModelError, ModelFailed
from loremap.memory.workspace import Workspace
from loremap.memory.writing import writing
from loremap.model.state import ModelState
from loremap.storage import vectors


def use_model(here: Workspace, chosen: Mapping[str, config.Value]) -> None:
    """Let another model make the vectors; `chosen` are settings under `embedding.`.

    Where it gives no usable answer, ModelFailed is raised and the model in use stays.
    """
    named = {f"embedding.{name}": value for name, value in chosen.items()}
    checked = {name: config.checked(name, value) for name, value in named.items()}
    tried = replace(here.settings, values={**here.settings.values, **checked})
    try:
        embedder = open_embedder(embedder_choice(tried), cache_dir=here.places.cache)
        dim = 0 if embedder is None else embedder.embed(["probe"]).shape[1]
    except ModelError as fault:
        raise ModelFailed(f"{fault.message} The model in use stays.", hint=fault.hint) from fault
    for name, value in checked.items():
        config.save(here.places.settings, name, value)
    here.engine.settings = tried
    here.engine.use_embedder(embedder)
    if embedder is not None:
        with here.store.write(now=here.now(), actor=here.actor) as tx:
            vectors.drop_other_dimensions(tx, embedder.model, dim)


def drop_other_spaces(here: Workspace) -> int:
    """Remove the vectors that other models made."""
    embedder = here.embedder()
    if embedder is None:
        return 0
    with writing(here) as tx:
        return vectors.drop_other_spaces(tx, embedder.model)


def model_state(here: Workspace) -> ModelState:
    """Which model makes the vectors and how far it has come."""
    embedder = here.embedder()
    with here.store.read() as conn:
        name = None if embedder is None else embedder.model
        spaces = here.engine.counted(conn, "spaces", lambda: vectors.spaces(conn))
        waiting = 0
        if name is not None:
            waiting = here.engine.counted(
                conn, ("waiting", name), lambda: vectors.count_without(conn, name)
            )
    # A server that is down is noticed only when asked.
    probe = here.engine.slot.query_vector("probe")
    return ModelState(
        provider=here.settings.text("embedding.provider"),
        name=name,
        dim=None if probe is None else len(probe),
        leaves_machine=embedder is not None and embedder.leaves_machine,
        ready=embedder is not None and not here.model_trouble,
        trouble=here.model_trouble,
        embedded=spaces.get(name or "", 0),
        waiting=waiting,
        other_spaces={space: count for space, count in spaces.items() if space != name},
    )

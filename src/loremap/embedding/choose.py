"""Makes the embedder that the settings name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from loremap.embedding.protocol import Embedder
from loremap.errors import BadInput


@dataclass(frozen=True)
class EmbedderChoice:
    """Which embedder; the fields past `local_model` serve `openai`, any endpoint of that protocol.

    A `dim` of 0 is asked of the endpoint; `timeout_s` bounds one batch with its retries.
    """

    name: Literal["local", "openai", "hashing", "none"] = "local"
    local_model: str = "granite-30m"
    base_url: str = ""
    model: str = ""
    key_env: str = ""
    dim: int = 0
    timeout_s: float = 30.0
    batch_size: int = 64
    query_prefix: str = ""
    document_prefix: str = ""


def open_embedder(
    choice: EmbedderChoice, *, cache_dir: Path | None = None, threads: int | None = None
) -> Embedder | None:
    """The chosen embedder, ready to use; None where none is wanted. Nothing is downloaded."""
    match choice.name:
        case "local":
            from loremap.embedding.local import LocalEmbedder

            return LocalEmbedder.load(cache_dir, name=choice.local_model, threads=threads)
        case "openai":
            return _remote(choice)
        case "hashing":
            from loremap.embedding.hashing import HashingEmbedder

            return HashingEmbedder()
        case "none":
            return None
    raise BadInput(
        f"There is no embedder {choice.name!r}.", hint="Choose local, openai, hashing or none."
    )


def _remote(choice: EmbedderChoice) -> Embedder:
    from loremap.embedding.remote import RemoteEmbedder

    if not choice.base_url or not choice.model:
        raise BadInput(
            "The embedder openai needs an address and a model.",
            hint="Set base_url and model, such as http://localhost:11434/v1 and nomic-embed-text.",
        )
    return RemoteEmbedder(
        choice.base_url,
        choice.model,
        key_env=choice.key_env,
        dim=choice.dim,
        timeout_s=choice.timeout_s,
        batch_size=choice.batch_size,
        query_prefix=choice.query_prefix,
        document_prefix=choice.document_prefix,
    )

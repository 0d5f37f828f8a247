"""The local models: the files of each, where they lie and what their every byte must be."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from loremap.errors import BadInput, ModelMissing, ModelTampered

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Pinned:
    """A file whose every byte is known beforehand."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class LocalModel:
    """A model that runs on this machine."""

    name: str
    """What a user writes to choose it."""
    title: str
    """What its makers call it."""
    weights: Pinned
    others: tuple[Pinned, ...] = ()

    @property
    def files(self) -> tuple[Pinned, ...]:
        """All its files, the small ones first."""
        return (*self.others, self.weights)

    @property
    def space(self) -> str:
        """The name of its vector space, tied to the very weights."""
        return f"{self.title}@{self.weights.sha256[:8]}"


GRANITE = LocalModel(
    "granite-30m",
    "granite-embedding-30m-english",
    Pinned(
        "granite-embedding-30m-english-int8.hmsemb",
        34_065_777,
        "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd",
    ),
)
MINILM = LocalModel(
    "minilm",
    "all-MiniLM-L6-v2",
    Pinned(
        "model_quantized.onnx",
        22_972_370,
        "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
    ),
    (
        Pinned(
            "tokenizer.json",
            711_661,
            "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
        ),
    ),
)
DEFAULT = GRANITE
_MODELS = {model.name: model for model in (GRANITE, MINILM)}


def local_model(name: str) -> LocalModel:
    """The local model of this name."""
    if name not in _MODELS:
        raise BadInput(f"There is no local model {name!r}.", hint=f"Choose {' or '.join(_MODELS)}.")
    return _MODELS[name]


def default_cache() -> Path:
    """The folder of downloaded models: `LOREMAP_CACHE`, else the platform's cache folder."""
    given = os.environ.get("LOREMAP_CACHE")
    return Path(given).expanduser() if given else platformdirs.user_cache_path("loremap")


def model_folder(cache_dir: Path | None = None, model: LocalModel = DEFAULT) -> Path:
    """Where a local model lies within the cache."""
    return (cache_dir or default_cache()) / "models" / model.name


def fetch_hint(model: LocalModel) -> str:
    """How to get the model."""
    fetch = f"lore model fetch {model.name}"
    return f"Run `{fetch}`, or `{fetch} --from FOLDER` without a network."


def is_genuine(path: Path, pinned: Pinned) -> bool:
    """Whether every byte of `path` is the pinned one."""
    try:
        return path.stat().st_size == pinned.size and _sha256_of(path) == pinned.sha256
    except FileNotFoundError:
        return False


def looks_delivered(cache_dir: Path | None, model: LocalModel) -> bool:
    """Whether all pinned files are there at their pinned sizes; the hash is checked when read."""
    home = model_folder(cache_dir, model)
    return all(_size(home / pinned.name) == pinned.size for pinned in model.files)


def verified_bytes(cache_dir: Path | None, model: LocalModel, pinned: Pinned) -> bytes:
    """The bytes of a model file, proven to be the pinned ones."""
    if not looks_delivered(cache_dir, model):
        raise ModelMissing(
            f"The embedding model {model.title} is not on this machine.", hint=fetch_hint(model)
        )
    file = model_folder(cache_dir, model) / pinned.name
    content = file.read_bytes()
    if hashlib.sha256(content).hexdigest() != pinned.sha256:
        raise ModelTampered(f"{file} is not the file that was pinned.", hint=fetch_hint(model))
    return content


def verify(cache_dir: Path | None = None, model: LocalModel = DEFAULT) -> None:
    """Raise `ModelMissing` or `ModelTampered` unless every byte of the model is the pinned one."""
    for pinned in model.files:
        verified_bytes(cache_dir, model, pinned)


def _sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1

"""The files of the local model: where they lie and what their every byte must be."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from loremap.errors import ModelMissing, ModelTampered

MODEL = "all-MiniLM-L6-v2"
DIM = 384
MAX_TOKENS = 256
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Pinned:
    """A file whose every byte is known beforehand."""

    name: str
    size: int
    sha256: str


WEIGHTS = Pinned(
    "model.safetensors",
    90_868_376,
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
TOKENIZER = Pinned(
    "tokenizer.json",
    466_247,
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
FILES = (TOKENIZER, WEIGHTS)
SPACE = f"{MODEL}@{WEIGHTS.sha256[:8]}"
"""The name of the vector space, tied to the very weights."""
FETCH_HINT = "Run `lore model fetch`, or `lore model fetch --from FOLDER` without a network."


def default_cache() -> Path:
    """The folder of downloaded models: `LOREMAP_CACHE`, else the platform's cache folder."""
    given = os.environ.get("LOREMAP_CACHE")
    return Path(given).expanduser() if given else platformdirs.user_cache_path("loremap")


def model_folder(cache_dir: Path | None = None) -> Path:
    """Where the local model lies within the cache."""
    return (cache_dir or default_cache()) / "models" / MODEL


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def is_genuine(path: Path, pinned: Pinned) -> bool:
    """Whether every byte of `path` is the pinned one."""
    try:
        return path.stat().st_size == pinned.size and sha256_of(path) == pinned.sha256
    except FileNotFoundError:
        return False


def looks_delivered(home: Path) -> bool:
    """Whether all pinned files are there at their pinned sizes; the hash is checked when read."""
    return all(_size(home / pinned.name) == pinned.size for pinned in FILES)


def require_delivered(home: Path) -> None:
    """Raise `ModelMissing` unless the model's files lie in `home`."""
    if not looks_delivered(home):
        raise ModelMissing(f"The embedding model {MODEL} is not on this machine.", hint=FETCH_HINT)


def verified_bytes(home: Path, pinned: Pinned) -> bytes:
    """The bytes of a model file, proven to be the pinned ones."""
    require_delivered(home)
    content = (home / pinned.name).read_bytes()
    if hashlib.sha256(content).hexdigest() != pinned.sha256:
        raise ModelTampered(
            f"{home / pinned.name} is not the file that was pinned.", hint=FETCH_HINT
        )
    return content


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1

"""A model of two files that no network has: enough for every way a fetch can go."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

from loremap.embedding.pinned import LocalModel, Pinned
from loremap.embedding.sources import from_hub

WEIGHTS_MB = 12
_CONTENT = {
    "tokenizer.json": b'{"version": "1.0"}' * 2000,
    "weights.bin": random.Random(7).randbytes(WEIGHTS_MB << 20),
}


def _pinned(name: str) -> Pinned:
    content = _CONTENT[name]
    return Pinned(name, len(content), hashlib.sha256(content).hexdigest())


TOY = LocalModel("toy", "toy-model", _pinned("weights.bin"), (_pinned("tokenizer.json"),))
TOY_HUB = from_hub("toys/toy-model", {"weights.bin": "onnx/weights.bin"})


def write_toy(folder: Path) -> Path:
    """The toy's files, as its maker has them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in _CONTENT.items():
        (folder / name).write_bytes(content)
    return folder

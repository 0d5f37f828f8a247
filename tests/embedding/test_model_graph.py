from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from loremap.embedding.graph import ready_graph, verify
from loremap.embedding.local import LocalEmbedder
from loremap.errors import ModelTampered


@pytest.fixture
def home(copied_cache: Path) -> Path:
    return next(copied_cache.glob("models/*"))


def only(home: Path, pattern: str) -> Path:
    (path,) = home.glob(pattern)
    return path


def flip(path: Path, *, at: int, keep_time: bool) -> None:
    """Change one byte in place, as a failing disk would."""
    status = path.stat()
    with path.open("rb+") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 0x40]))
    if keep_time:
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def agrees(cache: Path, embedder: LocalEmbedder) -> bool:
    text = ["the same numbers as the undamaged model"]
    found = LocalEmbedder.load(cache).embed(text)
    return bool(np.abs(found - embedder.embed(text)).max() < 1e-5)


def test_a_whole_graph_is_used_as_it_is(home: Path) -> None:
    before = only(home, "*.onnx").stat()
    ready_graph(home)
    verify(home)
    assert only(home, "*.onnx").stat().st_ino == before.st_ino


def test_copied_files_are_recognised_by_their_bytes(home: Path) -> None:
    data = only(home, "graph-*.data")
    os.utime(data, (1, 1))
    inode = data.stat().st_ino
    ready_graph(home)
    assert only(home, "graph-*.data").stat().st_ino == inode
    assert only(home, "graph-*.json").stat().st_mtime > 1  # recorded: no hashing the next time
    verify(home)


def test_a_folder_that_cannot_be_locked_still_serves(home: Path, copied_cache: Path) -> None:
    os.utime(only(home, "graph-*.data"), (1, 1))
    (home / ".lock").unlink()
    (home / ".lock").mkdir()
    LocalEmbedder.load(copied_cache)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("graph-*.data", "flip"),
        ("graph-*.data", "truncate"),
        ("graph-*.data", "delete"),
        ("graph-*.onnx", "flip"),
        ("graph-*.onnx", "grow"),
        ("graph-*.json", "truncate"),
        ("graph-*.json", "grow"),
    ],
)
def test_a_damaged_file_is_rebuilt_from_the_weights(
    home: Path, copied_cache: Path, embedder: LocalEmbedder, name: str, damage: str
) -> None:
    path = only(home, name)
    if damage == "flip":
        flip(path, at=path.stat().st_size // 2, keep_time=False)
    elif damage == "truncate":
        os.truncate(path, path.stat().st_size // 2)
    elif damage == "grow":
        with path.open("ab") as file:
            file.write(b"\0" * 100)
    else:
        path.unlink()
    with pytest.raises(ModelTampered):
        verify(home)
    assert agrees(copied_cache, embedder)
    verify(home)


def test_silent_damage_is_noticed_by_the_numbers(
    home: Path, copied_cache: Path, embedder: LocalEmbedder
) -> None:
    data = only(home, "graph-*.data")
    size = data.stat().st_size
    for place in range(64):  # the tail holds the layers; 64 high bytes of its floats change
        flip(data, at=(size - 4096 - place * 256) // 4 * 4 + 3, keep_time=True)
    assert agrees(copied_cache, embedder)
    verify(home)


def test_a_graph_that_cannot_be_read_is_rebuilt(
    home: Path, copied_cache: Path, embedder: LocalEmbedder
) -> None:
    graph = only(home, "*.onnx")
    status = graph.stat()
    graph.write_bytes(b"\xff" * status.st_size)
    os.utime(graph, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert agrees(copied_cache, embedder)


def test_a_build_that_was_killed_leaves_nothing_trusted(
    home: Path, copied_cache: Path, embedder: LocalEmbedder
) -> None:
    only(home, "graph-*.json").unlink()
    data = only(home, "graph-*.data")
    half = data.read_bytes()[: data.stat().st_size // 2]
    data.with_name(f"{data.name}.new").write_bytes(half)
    data.write_bytes(half)
    assert agrees(copied_cache, embedder)
    assert not list(home.glob("*.new"))


def test_an_older_builders_files_are_removed(home: Path) -> None:
    (home / "graph-0.onnx").write_bytes(b"old")
    only(home, "graph-1.json").unlink()
    ready_graph(home)
    assert not (home / "graph-0.onnx").exists()


def test_no_graph_is_built_from_tampered_weights(home: Path) -> None:
    for built in home.glob("graph-*"):
        built.unlink()
    flip(home / "model.safetensors", at=50_000_000, keep_time=True)
    with pytest.raises(ModelTampered):
        ready_graph(home)
    assert not list(home.glob("graph-*"))


def test_a_full_disk_is_said_and_leaves_the_weights(home: Path, copied_cache: Path) -> None:
    for built in home.glob("graph-*"):
        built.unlink()
    program = (
        "import resource, signal, sys; from pathlib import Path;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20));"
        "from loremap.embedding.graph import ready_graph;"
        "from loremap.errors import ModelFailed\n"
        "try: ready_graph(Path(sys.argv[1]))\n"
        "except ModelFailed as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(home)], capture_output=True, text=True, check=True
    )
    assert "cannot be written" in done.stdout
    assert len(done.stdout.splitlines()) == 1
    LocalEmbedder.load(copied_cache)  # there is room again


def test_two_processes_build_at_once(home: Path, copied_cache: Path) -> None:
    for built in home.glob("graph-*"):
        built.unlink()
    program = (
        "import sys; from pathlib import Path; from loremap.embedding.local import LocalEmbedder;"
        "LocalEmbedder.load(Path(sys.argv[1]))"
    )
    command = [sys.executable, "-c", program, str(copied_cache)]
    builders = [subprocess.Popen(command) for _ in range(2)]
    assert [builder.wait(60) for builder in builders] == [0, 0]
    verify(home)

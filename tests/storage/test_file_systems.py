"""Which file system holds a path, by the text of Linux's mountinfo."""

from __future__ import annotations

from pathlib import Path

import pytest

from loremap.config.folders import NETWORK_TYPES, file_system, folders, key_folder

TABLE = r"""
22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
23 22 0:20 / /proc rw,nosuid shared:12 - proc proc rw
30 22 0:40 / /home rw shared:1 master:2 - nfs4 server:/home rw,vers=4.2
31 30 8:2 / /home/me/local rw - btrfs /dev/sdb1 rw,subvol=/x - y
32 22 0:41 / /mnt/with\040space rw - cifs //host/share rw
33 22 0:42 / /mnt/back\134slash rw - fuse.sshfs me@host: rw
34 22 0:43 / /srv rw - ext4 /dev/sdc1 rw
35 34 0:44 / /srv rw - ceph 10.0.0.1:/ rw
this line is broken
36 22 0:45 / /short
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/etc", "ext4"),
        ("/proc/self", "proc"),
        ("/home", "nfs4"),
        ("/home/me", "nfs4"),
        ("/home/me/local", "btrfs"),
        ("/home/me/local/data", "btrfs"),
        ("/home/me/locale", "nfs4"),  # a longer name is not inside
        ("/homes", "ext4"),
        ("/mnt/with space/x", "cifs"),
        ("/mnt/back\\slash", "fuse.sshfs"),
        ("/srv/data", "ceph"),  # the later mount hides the earlier
        ("/short/x", "ext4"),
    ],
)
def test_the_deepest_mount_counts(path: str, kind: str) -> None:
    assert file_system(path, mountinfo=TABLE) == kind


@pytest.mark.parametrize("text", ["", "\n", "nonsense", "1 2 3 - "])
def test_an_unreadable_table_says_nothing(text: str) -> None:
    assert file_system("/data", mountinfo=text) is None


def test_what_is_shared_between_machines_is_known() -> None:
    assert {"nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph", "lustre"} <= NETWORK_TYPES
    assert not {"ext4", "btrfs", "xfs", "zfs", "apfs", "tmpfs", "overlay"} & NETWORK_TYPES


def test_the_environment_says_where_things_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOREMAP_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LOREMAP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LOREMAP_KEYS", str(tmp_path / "keys"))
    found = folders()
    assert found.store == tmp_path / "data" / "lore.db"
    assert found.backups == tmp_path / "data" / "backups"
    assert found.settings == tmp_path / "data" / "config.toml"
    assert found.cache == tmp_path / "cache"
    assert key_folder() == tmp_path / "keys"


def test_keys_lie_away_from_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOREMAP_HOME", "LOREMAP_KEYS"):
        monkeypatch.delenv(name, raising=False)
    assert not key_folder().is_relative_to(folders().home)

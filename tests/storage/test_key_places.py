"""Where a key is sought and kept: environment, keychain, a file only its owner can read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loremap.errors import BadInput, KeyMissing
from loremap.safety import keys

SALT = "0f" * 16
KEY = "a1" * 32

pytestmark = pytest.mark.usefixtures("home")


def test_the_environment_goes_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = keys.keep_key(SALT, KEY, tmp_path)
    assert keys.find_key(SALT, tmp_path) == keys.FoundKey(KEY, place)
    monkeypatch.setenv("LOREMAP_KEY", "B2" * 32)
    assert keys.find_key(SALT, tmp_path) == keys.FoundKey("b2" * 32, "LOREMAP_KEY")


def test_a_key_belongs_to_one_store(tmp_path: Path) -> None:
    keys.keep_key(SALT, KEY, tmp_path)
    with pytest.raises(KeyMissing):
        keys.find_key("1e" * 16, tmp_path)
    keys.drop_key(SALT, tmp_path)
    keys.drop_key(SALT, tmp_path)
    with pytest.raises(KeyMissing):
        keys.find_key(SALT, tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="rights are POSIX's")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o666])
def test_a_key_file_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    place = Path(keys.keep_key(SALT, KEY, tmp_path / "made"))
    assert place.stat().st_mode & 0o777 == 0o600
    assert place.parent.stat().st_mode & 0o777 == 0o700
    place.chmod(mode)
    with pytest.raises(BadInput, match="can be read by others") as caught:
        keys.find_key(SALT, tmp_path / "made")
    assert caught.value.hint == f"chmod 600 {place}"
    keys.keep_key(SALT, KEY, tmp_path / "made")
    assert keys.find_key(SALT, tmp_path / "made").key == KEY


@pytest.mark.parametrize("text", ["", "xyz", "a1" * 31, "a1" * 33, "g1" * 32])
def test_what_is_no_key_is_refused_and_its_place_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    place = Path(keys.keep_key(SALT, KEY, tmp_path))
    place.write_text(text, "ascii")
    with pytest.raises(BadInput, match="64 hexadecimal") as caught:
        keys.find_key(SALT, tmp_path)
    assert str(place) in str(caught.value)
    if text:
        monkeypatch.setenv("LOREMAP_KEY", text)
        with pytest.raises(BadInput, match="LOREMAP_KEY is no key"):
            keys.find_key(SALT, tmp_path)


def test_new_keys_differ() -> None:
    made = {keys.new_key() for _ in range(20)}
    assert len(made) == 20
    assert all(keys.checked_key(key) == key for key in made)
    assert len({keys.new_salt() for _ in range(20)}) == 20


IN_A_KEYCHAIN = """
import sys
from pathlib import Path
import loremap
from loremap.config.folders import folders
from loremap.config.settings import load
from loremap.app import store_options
from loremap.app import encryption

places, project = folders(), sys.argv[1]
options = store_options(load(places.settings))
with loremap.open(project) as lore:
    lore.remember("The keychain keeps the key of this.")
print(encryption.encrypt(places, options=options))
print(encryption.state(places).place)
with loremap.open(project) as lore:
    print(len(lore.list()))
print(encryption.change(places, options=options))
with loremap.open(project) as lore:
    print(len(lore.list()))
encryption.decrypt(places, options=options)
print(encryption.state(places).encrypted)
"""


def test_a_keychain_keeps_the_key_where_there_is_one(
    quick_home: Path, project: Path, tmp_path: Path
) -> None:
    environment = os.environ | {
        "PYTHON_KEYRING_BACKEND": "keyrings.alt.file.PlaintextKeyring",
        "XDG_DATA_HOME": str(tmp_path / "keychain"),
    }
    ran = subprocess.run(
        [sys.executable, "-c", IN_A_KEYCHAIN, str(project)],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.stdout.split() == ["keychain", "keychain", "1", "keychain", "1", "False"], ran.stderr
    kept = [path for path in (tmp_path / "keychain").rglob("*") if path.is_file()]
    assert kept, "the keychain was used"
    assert "loremap" in kept[0].read_text("utf-8")
    assert not (tmp_path / "keys").exists(), "and no file beside it"

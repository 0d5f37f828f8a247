"""What one file of a checkout is read into."""

from __future__ import annotations

from pathlib import Path

import pytest

from loremap.code.scan.read import content_hash, parsed
from loremap.storage.graph.rows import GONE, LINKABLE, SAME

SOURCE = b"def f():\n    return 1\n"


@pytest.mark.parametrize(
    ("known", "state"),
    [
        ("", LINKABLE),
        (content_hash(SOURCE), SAME),
        (content_hash(SOURCE + b"\n"), LINKABLE),
    ],
)
def test_a_file_is_read_again_only_where_its_content_differs(
    tmp_path: Path, known: str, state: str
) -> None:
    (tmp_path / "a.py").write_bytes(SOURCE)
    found = parsed(tmp_path, "a.py", known=known)
    assert (found.state, found.hash) == (state, content_hash(SOURCE))
    assert bool(found.facts) is (state == LINKABLE)
    assert found.stamp.size == len(SOURCE)


def test_a_file_that_vanished_is_gone_whatever_was_known(tmp_path: Path) -> None:
    assert parsed(tmp_path, "a.py", known=content_hash(SOURCE)).state == GONE


def _key() -> str:
    """A key as a well-known maker writes it, put together here so that no file holds one."""
    return "gh" + "p_" + "".join("aZ3kQ9wX7b"[(7 * at) % 10] for at in range(36))


_PASSWORD = "Tr0ub4" + "dor9xQz"
_ADDRESS = "jane.doe" + "@acme-works.io"


@pytest.mark.parametrize(
    ("source", "secret"),
    [
        (f'def f():\n    """Uses {_key()} for all."""\n', _key()),
        (f"def f(token='{_key()}'): ...\n", _key()),
        (f'def f():\n    """Ask {_ADDRESS} first."""\n', _ADDRESS),
        (f'"""The password is {_PASSWORD}."""\ndef f(): ...\n', _PASSWORD),
        (f'def f():\n    """The password is {_PASSWORD}."""\ndef g({_PASSWORD}): ...\n', _PASSWORD),
        (f'def f():\n    """Like {_PASSWORD} here."""\npassword = "{_PASSWORD}"\n', _PASSWORD),
    ],
)
@pytest.mark.parametrize("around", [0, 30])
def test_no_secret_of_a_description_or_a_signature_is_kept(
    tmp_path: Path, source: str, secret: str, around: int
) -> None:
    before = "".join(f'def before{at}():\n    """Do {at}."""\n' for at in range(around))
    after = "".join(f'def after{at}(x="y"):\n    """Do {at}."""\n' for at in range(around))
    opening = source if source.startswith('"""') else before + source
    (tmp_path / "a.py").write_text(opening + after)
    told = [(row[7], row[8]) for row in parsed(tmp_path, "a.py").symbols]
    assert not [texts for texts in told if secret in "".join(texts)]
    assert [texts for texts in told if "[REDACTED: " in "".join(texts)]
    assert sum(doc.startswith("Do ") for _, doc in told) == around + (
        around if opening.startswith(before) else 0
    )

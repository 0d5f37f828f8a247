"""Where a hook finds what it answers with when no resident does, and under which names.

The hook and whoever writes for it share this file, so it imports only what is compiled into Python.
"""

from __future__ import annotations

FOLDER = "standby"
FILE = "guard.json"
BLOCK = "block-"
ONCE = "once"
VERSION = 2


def memory_places(home: str, user: int) -> tuple[str, str]:
    """Folders that would lie in memory, for what belongs to an encrypted store: never on a disk."""
    name = f"loremap-{digest(home)}"
    return f"/run/user/{user}/{name}", f"/dev/shm/{name}-{user}"


def block_file(client: str, folder: str) -> str:
    """The file of the block that sessions of a client in a folder start with."""
    return f"{BLOCK}{digest(client, folder)}.json"


def mark_of(session: str, what: str) -> str:
    """The name under which it is noted that a session has met something; it tells neither."""
    return digest(session, what)


def block_mark(text: str) -> str:
    """What is noted of a block."""
    return f"block {digest(text)}"


def digest(*parts: str) -> str:
    """A short digest of some texts."""
    from _blake2 import blake2b

    said = "\0".join(parts).encode("utf-8", "surrogateescape")
    return str(blake2b(said, digest_size=16).hexdigest())

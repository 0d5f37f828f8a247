"""Listening sockets in the run folder: for the owner only, in place at once."""

from __future__ import annotations

import os
import socket
from pathlib import Path

BACKLOG = 512


def bound_at(path: Path) -> socket.socket:
    """A listening socket that appears at `path` at once, whatever a crash left there."""
    fresh = path.with_name(f"{path.stem}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    bound.bind(str(fresh))
    fresh.chmod(0o600)
    bound.listen(BACKLOG)
    bound.setblocking(False)
    fresh.replace(path)
    return bound

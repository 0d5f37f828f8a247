"""A program that is an MCP server on its standard streams: it passes all on to a local port."""

from __future__ import annotations

import os
import socket
import sys
import threading


def main(port: int) -> None:
    """Pass bytes both ways until either side ends."""
    sock = socket.create_connection(("127.0.0.1", port))

    def answers() -> None:
        while chunk := sock.recv(1 << 16):
            os.write(1, chunk)

    thread = threading.Thread(target=answers, daemon=True)
    thread.start()
    while chunk := os.read(0, 1 << 16):
        sock.sendall(chunk)
    sock.shutdown(socket.SHUT_WR)
    thread.join(10)


if __name__ == "__main__":
    main(int(sys.argv[1]))

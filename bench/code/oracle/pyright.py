"""What pyright takes each call of a Python project to mean: python pyright.py SERVER ROOT < paths

SERVER is pyright's langserver.index.js. One line of JSON per call, as calls.mjs prints them: what
"go to definition" answers at the called name, where that is a function or a class; names that lead
to variables, parameters or nowhere are left out.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse


class Server:
    """A language server, spoken to over its standard streams."""

    def __init__(self, script: str, root: Path) -> None:
        self._process = subprocess.Popen(
            ["node", script, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._asked = 0
        self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": root.as_uri(),
                "capabilities": {},
                "workspaceFolders": [{"uri": root.as_uri(), "name": "root"}],
            },
        )
        self.tell("initialized", {})

    def tell(self, method: str, params: Any) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        self._asked += 1
        self._write({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        while True:
            said = self._read()
            if "method" in said and "id" in said:
                items = said["params"].get("items", []) if isinstance(said["params"], dict) else []
                answer = [None] * len(items) if items else None
                self._write({"jsonrpc": "2.0", "id": said["id"], "result": answer})
            elif said.get("id") == self._asked:
                return said.get("result")

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps(message).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            key, _, value = line.partition(b":")
            if key.lower() == b"content-length":
                length = int(value)
        if not length:
            raise EOFError("the language server ended")
        found: dict[str, Any] = json.loads(self._process.stdout.read(length))
        return found

    def close(self) -> None:
        self.ask("shutdown", None)
        self.tell("exit", None)
        self._process.wait(timeout=30)


def _calls(tree: ast.AST) -> Iterator[tuple[int, str, int, int]]:
    """The line where what is called starts, its name, and where the name is written."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name):
                yield called.lineno, called.id, called.lineno, called.col_offset
            elif isinstance(called, ast.Attribute):
                at = (called.end_col_offset or 0) - len(called.attr)
                yield called.lineno, called.attr, called.end_lineno or 0, at


@cache
def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8").split("\n")


@cache
def _defined(file: Path) -> dict[int, str]:
    """The functions and classes of a file by the line of their name."""
    tree = ast.parse(file.read_text("utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.lineno: node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def _meant(root: Path, found: list[dict[str, Any]]) -> list[tuple[str, int, str]] | None:
    """The places of the project that an answer names; None where one is no function or class."""
    to: list[tuple[str, int, str]] = []
    for one in found:
        file = Path(unquote(urlparse(one["uri"]).path))
        if not file.is_relative_to(root):
            continue
        start, end = one["range"]["start"], one["range"]["end"]
        path, line = file.relative_to(root).as_posix(), start["line"] + 1
        name = _defined(file).get(line, "")
        written = _lines(file)[line - 1][start["character"] : end["character"]]
        if not name or written != name:
            return None
        to.append((path, line, name))
    return to


def main() -> None:
    """Print the calls of the files named on standard input."""
    root = Path(sys.argv[2]).resolve()
    server = Server(sys.argv[1], root)
    paths = sys.stdin.read().split()
    texts = {path: (root / path).read_text("utf-8") for path in paths}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    for path in paths:
        uri = (root / path).as_uri()
        opened = {"uri": uri, "languageId": "python", "version": 1, "text": texts[path]}
        server.tell("textDocument/didOpen", {"textDocument": opened})
        lines = texts[path].split("\n")
        for line, name, row, byte in _calls(trees[path]):
            column = len(lines[row - 1].encode()[:byte].decode())
            place = {"line": row - 1, "character": column}
            asked = {"textDocument": {"uri": uri}, "position": place}
            found = server.ask("textDocument/definition", asked)
            to = _meant(root, found) if found else None
            if to is not None:
                print(json.dumps({"path": path, "line": line, "name": name, "to": to}))
        server.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    server.close()


if __name__ == "__main__":
    main()

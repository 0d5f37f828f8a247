"""What a language server takes each call to mean: python served.py LANGUAGE ROOT SERVER… < paths

One line of JSON per call, as calls.mjs prints them: what "go to definition" answers at the called
name, where that is a function or a class; names that lead to variables, parameters, macros or
nowhere are left out. Calls are those of the language's tree, which are the same for any server.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from tree_sitter import Node, Query, QueryCursor, Tree

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[3])]
from bench.code.drawn import CALLS  # noqa: E402
from pyright import Server  # noqa: E402  it lies beside this file

from loremap.code.languages import language_of, tools  # noqa: E402

_DEFINING = frozenset(
    "function_definition method_declaration class_declaration interface_declaration "
    "trait_declaration enum_declaration function_declarator class_specifier struct_specifier "
    "union_specifier alias_declaration".split()
)
_PASSED = frozenset("qualified_identifier template_function destructor_name operator_name".split())


@cache
def _tree(file: Path) -> Tree:
    return tools(language_of(file.name) or "").parser.parse(file.read_bytes())


@cache
def _lines(file: Path) -> list[bytes]:
    return file.read_bytes().split(b"\n")


def _column(file: Path, row: int, byte: int) -> int:
    """A place in a line as the protocol counts it, in units of UTF-16."""
    before = _lines(file)[row][:byte].decode("utf-8", "replace")
    return len(before.encode("utf-16-le")) // 2


def _byte(file: Path, row: int, column: int) -> int:
    line = _lines(file)[row].decode("utf-8", "replace").encode("utf-16-le")
    return len(line[: column * 2].decode("utf-16-le", "replace").encode())


def calls(file: Path, language: str) -> Iterator[tuple[int, Node]]:
    """The line where what is called starts, and the node of its name."""
    grammar = tools(language).parser.language
    if grammar is None:
        raise ValueError(f"no grammar for {language}")
    query = Query(grammar, CALLS[language])
    for _, captures in QueryCursor(query).matches(_tree(file).root_node):
        yield captures["call"][0].start_point[0] + 1, captures["name"][0]


def _named(file: Path, start: Mapping[str, int], end: Mapping[str, int]) -> Node | None:
    """The name of the function or class that is defined at a place; None for all else.

    Some servers give the place of the name, others that of the whole with the comment above it.
    """
    if language_of(file.name) is None:
        return None
    one_line = start["line"] == end["line"]
    row, column = start["line"], start["character"]
    if not one_line:
        row, column = end["line"], end["character"] - 1
    at = (row, _byte(file, row, column))
    node = _tree(file).root_node.named_descendant_for_point_range(at, at)
    if not one_line:
        while node is not None and node.type not in _DEFINING:
            node = node.parent
        return node.child_by_field_name("name") if node is not None else None
    above = node.parent if node is not None else None
    while above is not None and above.type in _PASSED:
        above = above.parent
    if above is None or above.type not in _DEFINING:
        return None
    return above.child_by_field_name("name") or node


def meant(root: Path, found: Any) -> list[tuple[str, int, str]] | None:
    """The places of the project that an answer names; None where one is no function or class."""
    to: list[tuple[str, int, str]] = []
    for one in found if isinstance(found, list) else [found]:
        file = Path(unquote(urlparse(one["uri"]).path))
        if not file.is_relative_to(root):
            continue
        name = _named(file, one["range"]["start"], one["range"]["end"])
        if name is None:
            return None
        written = (name.text or b"").decode("utf-8", "replace")
        to.append((file.relative_to(root).as_posix(), name.start_point[0] + 1, written))
    return to


def main() -> None:
    """Print the calls of the files named on standard input."""
    language, root = sys.argv[1], Path(sys.argv[2]).resolve()
    folders = [root, root / "include", root / "src"]
    flags = ["-xc++", "-std=c++17", *(f"-I{folder}" for folder in folders)]
    server = Server(sys.argv[3:], root, {"fallbackFlags": flags, "clearCache": True})
    if language == "php":
        server.wait("indexingEnded")
    for path in sys.stdin.read().split():
        file = root / path
        uri = file.as_uri()
        text = file.read_text("utf-8", "replace")
        opened = {"uri": uri, "languageId": language, "version": 1, "text": text}
        server.tell("textDocument/didOpen", {"textDocument": opened})
        for line, name in calls(file, language):
            row, byte = name.start_point
            place = {"line": row, "character": _column(file, row, byte)}
            asked = {"textDocument": {"uri": uri}, "position": place}
            found = server.ask("textDocument/definition", asked)
            to = meant(root, found) if found else None
            if to is not None:
                called = (name.text or b"").decode("utf-8", "replace")
                print(json.dumps({"path": path, "line": line, "name": called, "to": to}))
        server.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    server.close()


if __name__ == "__main__":
    main()

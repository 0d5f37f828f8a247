"""Reads what a file imports, and the package it says it is in."""

from __future__ import annotations

import re

from tree_sitter import Node

from loremap.code.builds import OTHER_BUILD, is_other_build
from loremap.code.extraction.reading import FILE, Captures, Handler, NamespaceBlock, Reading
from loremap.code.facts import EVERYWHERE, THIS_FILE, Binding, Import

_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
"""A variable and nothing else, as scripts write it."""

_BROUGHT = re.compile(r"((?:`[^`]+`|\w+|\*|\.| (?=\.)|(?<=\.) )+)(?:\{([^}]*)\})?")
"""A path that is brought in, and what is picked from it in braces."""
_RENAMED = re.compile(r"\s*=>\s*|\s+as\s+")
_WHOLE = frozenset({"_", "*", "given"})


def _on_import(reading: Reading, node: Node, captures: Captures) -> None:
    module = _module(reading, node, captures)
    alias = reading.chains.text(captures["alias"][0]) if "alias" in captures else ""
    reading.imports.append(Import(reading.scope.index, module, "", alias, reading.line))


def _on_from(reading: Reading, node: Node, captures: Captures) -> None:
    item = reading.chains.text(captures["item"][0]) if "item" in captures else "default"
    alias = reading.chains.text(captures["alias"][0]) if "alias" in captures else item
    module = _module(reading, node, captures)
    alias = "" if item in ("*", "_") else alias
    item = "*" if item == "_" else item
    whole = Import(reading.scope.index, module, "", "", reading.line)
    if item == "*" and reading.imports[-1:] == [whole]:
        reading.imports.pop()  # `a.*` also matches as an import of `a`
    reading.imports.append(Import(reading.scope.index, module, item, alias, reading.line))


def _on_uses(reading: Reading, node: Node, captures: Captures) -> None:
    """A tree of paths, as Rust writes it: `a::{self, b as c, d::{e, f::*}}`."""
    _use(reading, node, "")


def _use(reading: Reading, node: Node, within: str) -> None:
    if node.type in ("use_list", "scoped_use_list"):
        path = node.child_by_field_name("path")
        for child in node.named_children:
            if child != path:
                _use(reading, child, _path(reading, within, path))
        return
    alias = node.child_by_field_name("alias")
    path = node.child_by_field_name("path") if alias is not None else node
    name = reading.chains.text(alias) if alias is not None else ""
    scope, line = reading.scope.index, reading.line
    if node.type == "use_wildcard":
        first = node.named_children[0] if node.named_child_count else None
        whole = _path(reading, within, first)
        reading.imports.append(Import(scope, whole, "*", "", line))
    elif path is not None and path.type == "identifier" and within:
        item = reading.chains.text(path)
        reading.imports.append(Import(scope, within, item, name or item, line))
    elif path is not None:
        reading.imports.append(Import(scope, _path(reading, within, path), "", name, line))


def _path(reading: Reading, within: str, node: Node | None) -> str:
    said = "".join(reading.chains.text(node).split()) if node is not None else ""
    if within and said == "self":
        return within
    return "::".join(one for one in (within, said) if one)


def _on_brings(reading: Reading, node: Node, captures: Captures) -> None:
    """Several paths in one statement, as Scala writes them: `a.b, c.{d, e => f, _}`."""
    text = " ".join(reading.chains.text(node).removeprefix("import").split())
    scope, line = reading.scope.index, reading.line
    for path, selectors in _BROUGHT.findall(text):
        full = path.replace(" ", "").rstrip(".")
        module, _, last = full.rpartition(".")
        if selectors:
            module = full
            picked = [_RENAMED.split(one.strip()) for one in selectors.split(",")]
        elif last in _WHOLE:
            picked = [[last]]
        else:
            reading.imports.append(Import(scope, full, "", "", line))
            continue
        for item, *alias in picked:
            whole = item.split(" ")[0] in _WHOLE
            name = "" if whole else (alias or [item])[0]
            reading.imports.append(Import(scope, module, "*" if whole else item, name, line))


def _on_open(reading: Reading, node: Node, captures: Captures) -> None:
    reading.imports.append(
        Import(reading.scope.index, _module(reading, node, captures), "*", "", reading.line)
    )


def _on_everywhere(reading: Reading, node: Node, captures: Captures) -> None:
    module = _module(reading, node, captures)
    opened = Import(reading.scope.index, module, "*", "", reading.line)
    if reading.imports[-1:] == [opened]:
        reading.imports.pop()  # it also matches as an import for this file alone
    reading.imports.append(opened._replace(item=EVERYWHERE))


def _module(reading: Reading, node: Node, captures: Captures) -> str:
    """The module that an import names, which may go on to the end of another node."""
    end = captures.get("through", [node])[0].end_byte
    said = "".join(reading.source[node.start_byte : end].decode("utf-8", "replace").split())
    for outer in reversed(captures.get("within", ())):
        said = f"{reading.chains.text(outer)}{reading.language.separators[-1]}{said}"
    return said


def _on_namespace(reading: Reading, node: Node, captures: Captures) -> None:
    for name in re.findall(r"\w+", reading.chains.text(node)):
        reading.bindings.append(Binding(FILE, name, THIS_FILE, reading.line))


def _on_package(reading: Reading, node: Node, captures: Captures) -> None:
    span = captures["span"][0] if "span" in captures else None
    if span is not None:
        _on_block(reading, reading.chains.text(node), span)
    elif reading.package and reading.language.nested_packages:
        reading.package += "." + reading.chains.text(node)
    elif not reading.package:
        other = reading.language.imports == "go" and is_other_build(reading.source)
        name = reading.chains.text(node).replace("\\", ".")
        reading.package = name + (OTHER_BUILD if other else "")


def _on_block(reading: Reading, name: str, span: Node) -> None:
    """A namespace that a block declares: the file's is the one that most of it stands in."""
    around = [one for one in reading.blocks if one.end > span.start_byte]
    size = span.end_byte - span.start_byte
    if around:
        around[-1].size -= size
        name = f"{around[-1].name}.{name}"
    else:
        reading.outside_blocks -= size
    reading.blocks.append(NamespaceBlock(name, span.end_byte, size))


def import_call(reading: Reading, name: str, captures: Captures) -> None:
    """Adds the import that a call such as `require_relative` makes."""
    if "arguments" not in captures:
        return
    written = reading.chains.text(captures["arguments"][0]).strip("()\"' \n")
    variable = _VARIABLE.fullmatch(written)
    if variable is not None:
        written = _assigned_text(reading.source, variable[1])
    module = reading.language.import_calls[name] + written
    reading.imports.append(Import(reading.scope.index, module, "", "", reading.line))


def _assigned_text(source: bytes, variable: str) -> str:
    """What a script first assigns to a variable, as it is written."""
    found = re.search(rb"(?m)^[ \t]*(?:\w+ )*%s=(.*)$" % variable.encode(), source)
    return found[1].decode("utf-8", "replace").strip("\"' ") if found else ""


def require(reading: Reading, arguments: Node) -> None:
    """Adds the import that a call such as `require` makes of its first argument."""
    module = reading.chains.first_text(arguments)
    if module:
        reading.imports.append(Import(reading.scope.index, module, "", "", reading.line))


HANDLERS: dict[str, Handler] = {
    "import": _on_import,
    "from": _on_from,
    "uses": _on_uses,
    "brings": _on_brings,
    "open": _on_open,
    "everywhere": _on_everywhere,
    "namespace": _on_namespace,
    "package": _on_package,
}

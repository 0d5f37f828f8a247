"""The values of Kubernetes Secret manifests, which are secret whatever they look like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from loremap.safety.linear import Hit
from loremap.safety.values import masked

_KIND = re.compile(rb"""["']?kind["']?\s{0,4}:\s{0,4}["']?[Ss]ecret\b""")
_NEXT_DOCUMENT = re.compile(rb"(?m)^---")
_DATA = re.compile(rb"""([ \t]*)["']?(?:data|stringData)["']?[ \t]{0,4}:[ \t]*\{?[ \t]*\r?$""")
_ENTRY = re.compile(
    rb"""([ \t]*)["']?[\w.-]{1,253}["']?[ \t]{0,4}:[ \t]{0,8}["']?([^\s"',{}|>&*!<$][^\s"',]*)?"""
)


def manifest_secrets(data: bytes) -> Iterator[Hit]:
    """The values under `data` and `stringData` of each YAML or JSON document of kind Secret."""
    if b"kind" not in data:
        return
    edges = [0, *(match.start() for match in _NEXT_DOCUMENT.finditer(data)), len(data)]
    for start, end in pairwise(edges):
        if _KIND.search(data, start, end) is not None:
            yield from _entries(data[start:end], start)


def _entries(document: bytes, at: int) -> Iterator[Hit]:
    indent = -1
    for line in document.splitlines(keepends=True):
        if (opening := _DATA.match(line.rstrip(b"\n"))) is not None:
            indent = len(opening.group(1))
        elif indent >= 0 and (entry := _ENTRY.match(line)) is not None:
            if len(entry.group(1)) <= indent:
                indent = -1
            elif entry.group(2) is not None and _secret(entry.group(2)):
                yield Hit("kubernetes-secret", at + entry.start(2), at + entry.end(2))
        at += len(line)


def _secret(value: bytes) -> bool:
    return not masked(value.decode("latin-1")) and len(value.strip(b"\0")) > 0

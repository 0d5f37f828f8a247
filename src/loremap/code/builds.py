"""Whether a Go file belongs to the build that is made when nothing is asked for.

A package may hold several files that define the same names for different systems or build tags.
One of them is what a reader means: that of a plain build on Linux.
"""

from __future__ import annotations

import re

OTHER_BUILD = "?"
"""Ends the package of a file that a plain build leaves out."""
_CONSTRAINT = re.compile(rb"^//go:build ([^\n]{1,400})", re.MULTILINE)
_TOKEN = re.compile(r"&&|\|\||!|\(|\)|[\w.]+")
_MET = frozenset({"linux", "unix", "amd64", "gc", "cgo"})
_ELSEWHERE = re.compile(
    r"_(windows|darwin|freebsd|netbsd|openbsd|dragonfly|solaris|plan9|aix|js|wasip1|android|ios|arm"
    r"|arm64|386|wasm|riscv64|ppc64le|ppc64|s390x|mips|mips64|loong64)(_test)?\.go$"
)
_HEAD_BYTES = 4096


def is_other_build(source: bytes) -> bool:
    """Whether a plain build leaves a file out, by the constraint written in it."""
    found = _CONSTRAINT.search(source, 0, _HEAD_BYTES)
    if found is None:
        return False
    tokens = _TOKEN.findall(found[1].decode("utf-8", "replace"))
    return not _either(tokens)


def is_for_elsewhere(path: str) -> bool:
    """Whether a file's name says that it is for another system."""
    return _ELSEWHERE.search(path) is not None


def _either(tokens: list[str]) -> bool:
    met = _both(tokens)
    while tokens and tokens[0] == "||":
        tokens.pop(0)
        met = _both(tokens) or met
    return met


def _both(tokens: list[str]) -> bool:
    met = _one(tokens)
    while tokens and tokens[0] == "&&":
        tokens.pop(0)
        met = _one(tokens) and met
    return met


def _one(tokens: list[str]) -> bool:
    negated = False
    while tokens and tokens[0] == "!":
        tokens.pop(0)
        negated = not negated
    token = tokens.pop(0) if tokens else ""
    if token == "(":
        met = _either(tokens)
        if tokens and tokens[0] == ")":
            tokens.pop(0)
    else:
        met = token in _MET or token.startswith("go1")
    return met != negated

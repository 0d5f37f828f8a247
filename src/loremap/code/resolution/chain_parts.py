"""What a chain is made of: the name it starts with and its links."""

from __future__ import annotations

import re
from typing import NamedTuple

_TARGET = re.compile(r"([^.\[\](){}<>]+|<\w+>|\{[^}]*\})(.*)", re.DOTALL)
_LINK = re.compile(r"\.[^.\[\]()]+|\(\)|\[[^\]]*\]")
_CHAINS_MAX = 200_000


class Parts(NamedTuple):
    """What a chain is made of."""

    before: str
    """The chain without its last link."""
    link: str
    """The last link; empty where the chain is a bare name."""
    root: str
    """The name it starts with."""
    indexed: bool
    """Whether it takes an element."""
    members: str | None
    """What follows the root, without calls; None where the chain is a name or starts with none."""


class _Chains(dict[str, Parts]):
    """The parts of each chain, found when it is first met."""

    def __missing__(self, chain: str) -> Parts:
        if len(self) > _CHAINS_MAX:
            self.clear()
        if chain.isidentifier():
            self[chain] = found = Parts(chain, "", chain, False, None)
            return found
        root = chain
        for stop in ".([":
            root = root.partition(stop)[0]
        before, link = _parted(chain)
        plain = link and root and root[0] != "{"
        members = chain[len(root) :].replace("()", "") if plain else None
        self[chain] = found = Parts(before, link, root, "[" in chain, members)
        return found


parts_of = _Chains().__getitem__


def _parted(chain: str) -> tuple[str, str]:
    if chain.endswith("()"):
        return chain[:-2], "()"
    if chain.endswith("]"):
        at = chain.rfind("[")
        return (chain[:at], chain[at:]) if at > 0 else (chain, "")
    at = chain.rfind(".")
    if at <= 0 or chain.endswith("}"):
        return chain, ""
    return chain[:at], chain[at:]


def root_of(chain: str) -> tuple[str, list[str]]:
    """The name a chain starts with and its links."""
    found = _TARGET.match(chain)
    if found is None:
        return chain, []
    return found[1], _LINK.findall(found[2])

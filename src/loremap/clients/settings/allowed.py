"""Our tools in a client's list of those it need not ask for: only what we put there goes again."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loremap.clients.settings import tables
from loremap.clients.settings.edits import refusals, text_of
from loremap.clients.settings.jsonc import ANY, END, containers, inserted, parsed, removed


@dataclass(frozen=True, slots=True)
class AllowList:
    """Names in an array of a JSON file; where they are not `wanted`, ours are taken out."""

    file: Path
    path: tuple[str, ...]
    names: tuple[str, ...]
    wanted: bool = True
    executable: bool = False

    def made(self, before: bytes | None) -> bytes:
        """The file with our names in the list; the same bytes where it has them."""
        text = text_of(self.file, before or b"")
        with refusals(self.file):
            there = self._listed(parsed(text))
            missing = [name for name in self.names if name not in there]
            if self.wanted:
                for name in missing:
                    text = inserted(text, (*self.path, END), name)
            elif not missing:  # a few of them are the user's own choice
                text = self._without(text, (), kept=b"")
        return text.encode()

    def unmade(self, now: bytes, original: bytes | None, *, created: bool) -> bytes | None:
        """The file without those of our names that were not there before us; where that is not
        known, they are ours if they are there all together."""
        text = text_of(self.file, now)
        with refusals(self.file):
            there = self._listed(parsed(text))
            before = self._listed(parsed(text_of(self.file, original or b"")))
            if original is None and not created and not set(self.names) <= set(map(str, there)):
                return now
            text = self._without(text, before, kept=original or b"")
            return None if created and parsed(text) == {} else text.encode()

    def _without(self, text: str, before: Container[Any], *, kept: bytes) -> str:
        """The text without our names but those of `before`, and without what they leave empty."""
        return removed(
            text,
            (*self.path, ANY),
            lambda value: value in self.names and value not in before,
            kept=containers(kept.decode()),
        )

    def _listed(self, value: Any) -> list[Any]:
        there = tables.at(value, self.path)
        return there if isinstance(there, list) else []

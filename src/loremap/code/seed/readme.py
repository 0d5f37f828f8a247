"""Required versions out of a README."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.code.documents.markdown import blocks
from loremap.code.documents.prose import plain
from loremap.code.documents.restructured import markdown_of
from loremap.code.seed.value import Seed, Source

_NEEDS = re.compile(
    r"\b(?:requires?|needs?|supports?|with|on)\b[^.]{0,40}?\b(Python|Node(?:\.js)?|Go|Rust|Java|Ruby|PHP"
    r"|Deno|Bun|\.NET|JDK|Erlang|Elixir)\s*(?:version\s*)?(?:>=\s*)?v?(\d+(?:\.\d+)*)"
    r"\s*(\+|or (?:newer|later|higher|above)|and (?:newer|later|above|up))",
)


def readme_seeds(source: Source) -> Iterator[Seed]:
    """What a README says the code must run on."""
    rst = source.path.lower().endswith(".rst")
    for block in blocks(markdown_of(source.text) if rst else source.text):
        if block.sort == "code":
            continue
        for name, version, _ in _NEEDS.findall(plain(block.text)):
            yield Seed(
                text=f"The code must run on {name} {version} and newer.",
                file=source.path,
                line=block.line,
                tags=("versions",),
                importance=0.68,
                about=f"{'node' if name.startswith('Node') else name.lower()} version",
            )

"""Which places in the code a memory is anchored to, by what it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from loremap.code import mentions
from loremap.code.blocks import LONGEST_LINES, Block
from loremap.code.languages import language_of
from loremap.code.named import Named
from loremap.code.sketch import Sketch, sketch_of, written
from loremap.code.view import CodeView
from loremap.model.anchor import Anchor, AnchorKind, Checked, Freshness
from loremap.model.code import SymbolKind
from loremap.model.words import words

MAX_ANCHORS = 8
"""A memory that names more speaks of none of them in particular."""
MAX_RIVALS = 20
MAX_BARE = 2
_WORD = re.compile(r"[^\W\d]\w{2,}")
_VARIABLE = SymbolKind.VARIABLE.value
SHARED_WORDS = 2
SHARED_SHARE = 0.3
"""A memory speaks of a block that holds two of its words and three in ten of them, or whose title
it says."""
CLEAR_LEAD = 1.15
"""The block it speaks of holds so much more of its words than the next one."""


def anchors_in(
    text: str, files: Sequence[str], code: CodeView, *, symbols: Sequence[str] = ()
) -> tuple[Anchor, ...]:
    """What a memory that says `text` about `files` and `symbols` (`path::Class.method`) is anchored
    to, as it stands now.

    A symbol that is named counts for the file it is in, and a member for its class; a file in
    which nothing is named counts by its existence alone. What is not there is no anchor.
    """
    said, names = mentions.paths_in(text), mentions.names_in(text)
    if not (files or symbols or said or names):
        return ()
    found = {(one.path, one.symbol): one for one in _given(symbols, code)}
    given = {path for path, _ in found}
    named = _files([path for path in files if path not in given], said, code)
    for path, mention in named.items():
        for anchor in _in_file(path, mention, text=text, names=names, code=code):
            found.setdefault((anchor.path, anchor.symbol or anchor.span), anchor)
    settled = {anchor.symbol.rpartition(".")[2] for anchor in found.values()}
    for name in names:
        if name.parts[-1] not in settled:
            for place in _in_project(name, code):
                found.setdefault(place, symbol_anchor(*place, code))
    kept = _without_holders(list(found.values()))[:MAX_ANCHORS]
    return dated(kept, code)


def retaken(anchor: Anchor, now: Checked, code: CodeView) -> Anchor | None:
    """`anchor` taken anew where it was found; None where it is gone."""
    if now.freshness is Freshness.ORPHANED:
        return None
    if anchor.kind is AnchorKind.SYMBOL:
        named = code.named(now.path)
        known = named is not None and now.symbol in named
        return symbol_anchor(now.path, now.symbol, code) if known else anchor
    if anchor.kind is AnchorKind.FILE:
        return file_anchor(now.path, code)
    block = next((one for one in code.blocks(now.path) if one.start_line == now.line), None)
    return anchor if block is None else block_anchor(now.path, block, code)


def dated(anchors: Sequence[Anchor], code: CodeView) -> tuple[Anchor, ...]:
    """`anchors` with the commit at hand, and whether each file differs from it."""
    if not anchors:
        return ()
    standing = code.standing(list(dict.fromkeys(anchor.path for anchor in anchors)))
    return tuple(
        replace(anchor, head=standing.head, dirty=anchor.path in standing.changed)
        for anchor in anchors
    )


def symbol_anchor(path: str, symbol: str, code: CodeView) -> Anchor:
    """An anchor to a symbol that `path` defines."""
    named = code.named(path)
    assert named is not None
    sketch = named.sketch(symbol)
    others = dict.fromkeys(_others(path, symbol, named, code))
    likeness = [
        sketch.likeness(other) for other in (_sketch(place, code) for place in others) if other
    ]
    sketch = replace(
        sketch,
        rival=max((one for one in likeness if one < 1.0), default=0.0),
        twins=sum(one == 1.0 for one in likeness),
        namesakes=len(namesakes(path, symbol, code)),
    )
    return Anchor(
        path=path,
        kind=AnchorKind.SYMBOL,
        symbol=symbol,
        digest=named.digest(symbol),
        span=written(sketch),
    )


def namesakes(path: str, symbol: str, code: CodeView) -> set[tuple[str, str]]:
    """Where else the project defines something of the same last name."""
    last = symbol.rpartition(".")[2]
    found = {(where, name.partition("#")[0]) for where, name in code.by_name(last)}
    return {
        (where, name)
        for where, name in found - {(path, symbol)}
        if name.rpartition(".")[2] == last  # the graph may look names up without case
    }


def block_anchor(path: str, block: Block, code: CodeView) -> Anchor:
    """An anchor to one block of a file that no grammar reads."""
    sketch = block.sketch
    others = [sketch.likeness(one.sketch) for one in code.blocks(path) if one is not block]
    sketch = replace(
        sketch,
        rival=max((one for one in others if one < 1.0), default=0.0),
        twins=sum(one == 1.0 for one in others),
    )
    return Anchor(
        path=path,
        kind=AnchorKind.BLOCK,
        symbol=block.title,
        digest=sketch.digest,
        span=written(sketch),
    )


def file_anchor(path: str, code: CodeView) -> Anchor:
    """An anchor to the existence of a file; its sketch finds it under another name."""
    named = code.named(path)
    largest = None
    if named is not None and named.symbols:
        largest = max(
            named.symbols,
            key=lambda one: (-one.count("."), named.definitions(one)[0].end_line - named.line(one)),
        )
    return Anchor(
        path=path,
        kind=AnchorKind.FILE,
        digest=named.digest(largest) if named is not None and largest else "",
        span=written(code.whole(path) or sketch_of(())),
    )


def _given(symbols: Sequence[str], code: CodeView) -> Iterator[Anchor]:
    """The anchors to symbols that the writer names outright."""
    for key in symbols:
        path, _, symbol = key.partition("#")[0].partition("::")
        if symbol in (code.named(path) or ()):
            yield symbol_anchor(path, symbol, code)


def _files(
    files: Sequence[str], said: Sequence[mentions.Path], code: CodeView
) -> dict[str, mentions.Path]:
    """The project's files that are named, each with how it was mentioned."""
    found: dict[str, mentions.Path] = {}
    for mention in said:
        path = resolved(mention.text, code)
        if path is not None:
            found.setdefault(path, mention)
    for path in files:
        if code.exists(path):
            found.setdefault(path, mentions.Path(path))
    return found


def resolved(said: str, code: CodeView) -> str | None:
    """The file that a written path means: that path, or the only one that ends in it."""
    if code.exists(said):
        return said
    if not language_of(said) and "." not in PurePosixPath(said).name:
        return None
    ending = code.nearby().ending_in(said)
    return ending[0] if len(ending) == 1 and code.exists(ending[0]) else None


def _in_file(
    path: str,
    mention: mentions.Path,
    *,
    text: str,
    names: Sequence[mentions.Name],
    code: CodeView,
) -> Iterator[Anchor]:
    """The anchors in one named file: its symbols that are named, its block, or its existence."""
    named = code.named(path)
    if named is None:
        block = _block_meant(path, mention, text, code.blocks(path))
        yield file_anchor(path, code) if block is None else block_anchor(path, block, code)
        return
    wanted = list(names)
    if mention.symbol:
        wanted.insert(0, mentions.Name(tuple(mention.symbol.split(".")), True))
    symbols = [one for name in wanted if (one := _symbol(name, path, named)) is not None]
    if not symbols and mention.line is not None:
        inside = named.at_line(mention.line)
        symbols = [inside] if inside else []
    if not symbols:
        symbols = _bare(text.replace(mention.text, " "), named)
    for symbol in dict.fromkeys(symbols):
        yield symbol_anchor(path, symbol, code)
    if not symbols:
        yield file_anchor(path, code)


def _bare(text: str, named: Named) -> list[str]:
    """What a file defines at its top under a plain word of the text, where that is one thing or
    two: a method's name, and words that are the names of more, are just words."""
    said = dict.fromkeys(_WORD.findall(text[: mentions.READ_CHARS]))
    found = [
        symbol
        for word in said
        if (symbol := _symbol(mentions.Name((word,), False), "", named)) is not None
        and "." not in symbol
        and named.definitions(symbol)[0].kind != _VARIABLE
    ]
    return found if len(found) <= MAX_BARE else []


def _symbol(name: mentions.Name, path: str, named: Named) -> str | None:
    """The one symbol of a named file that `name` means; parts before it may name its module."""
    for start in range(len(name.parts)):
        found = named.ending(".".join(name.parts[start:]))
        if len(found) == 1:
            return found[0]
        if found:
            top = [one for one in found if "." not in one]
            return top[0] if len(top) == 1 and start == len(name.parts) - 1 else None
    return None


def _in_project(name: mentions.Name, code: CodeView) -> list[tuple[str, str]]:
    """Where the whole project defines `name`, if in one place only."""
    found = [
        (path, symbol)
        for path, symbol in dict.fromkeys(
            (path, symbol.partition("#")[0]) for path, symbol in code.by_name(name.parts[-1])
        )
        if _means(name, path, symbol)
    ]
    places = [(path, symbol) for path, symbol in found if symbol in (code.named(path) or ())]
    return places if len(places) == 1 else []


def _means(name: mentions.Name, path: str, symbol: str) -> bool:
    """Whether the parts before the last are the symbol's holders, or name its module."""
    if symbol.rpartition(".")[2] != name.parts[-1]:
        return False  # the graph may look names up without case
    where = (*PurePosixPath(path).with_suffix("").parts, *symbol.split("."))
    size = len(name.parts)
    return where[-size:] == name.parts or (size == 2 and name.parts[0] in where[-3:-1])


def _others(path: str, symbol: str, named: Named, code: CodeView) -> Iterator[tuple[str, str]]:
    """What could be taken for a symbol once it is gone: the rest of its file, its namesakes and
    its twins elsewhere."""
    for other in named.symbols:
        nested = other.startswith(symbol + ".") or symbol.startswith(other + ".")
        if other != symbol and not nested:
            yield path, other
    twins = [
        (where, name.partition("#")[0]) for where, name in code.by_digest(named.digest(symbol))
    ]
    elsewhere = (*twins, *sorted(namesakes(path, symbol, code)))
    yield from [place for place in elsewhere if place[0] != path][:MAX_RIVALS]


def _sketch(place: tuple[str, str], code: CodeView) -> Sketch | None:
    named = code.named(place[0])
    return named.sketch(place[1]) if named is not None and place[1] in named else None


def _block_meant(
    path: str, mention: mentions.Path, text: str, blocks: Sequence[Block]
) -> Block | None:
    """The block of a file that a text speaks of; None where it speaks of none in particular."""
    if mention.line is not None:
        return next((one for one in blocks if one.start_line <= mention.line <= one.end_line), None)
    asked = frozenset(words(text)) - frozenset(words(path))
    if not asked or not blocks:
        return None
    weight = {
        term: 1.0 / sum(term in block.terms for block in blocks)
        for term in asked
        if any(term in block.terms for block in blocks)
    }
    scores = sorted(
        ((sum(weight.get(term, 0.0) for term in block.terms & asked), place)
         for place, block in enumerate(blocks)),
        reverse=True,
    )  # fmt: skip
    best, second = scores[0], scores[1] if len(scores) > 1 else (0.0, 0)
    block = blocks[best[1]]
    shared = block.terms & asked
    clear = best[0] >= CLEAR_LEAD * second[0]
    titled = bool(block.title) and frozenset(words(block.title)) <= asked
    enough = titled or len(shared) >= max(SHARED_WORDS, SHARED_SHARE * len(asked))
    short = block.end_line - block.start_line < LONGEST_LINES
    return block if clear and enough and short else None


def _without_holders(anchors: Sequence[Anchor]) -> list[Anchor]:
    """`anchors` without the class whose member is named too: the member says more."""
    symbols = {(anchor.path, anchor.symbol) for anchor in anchors if anchor.symbol}
    return [
        anchor
        for anchor in anchors
        if not (
            anchor.kind is AnchorKind.SYMBOL
            and any(
                path == anchor.path and symbol.startswith(anchor.symbol + ".")
                for path, symbol in symbols
            )
        )
    ]

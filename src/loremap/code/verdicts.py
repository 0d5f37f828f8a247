"""What became of an anchor in the checkout at hand, told by hashes and likeness, by no model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loremap.code.anchors import namesakes
from loremap.code.blocks import Block
from loremap.code.sketch import Sketch, read
from loremap.code.view import CodeView, Place
from loremap.model.anchor import Anchor, AnchorKind, Checked, Freshness

FAMILIAR = 0.3
"""How like a span of the same name, or in the same file, must be to be the old one, edited."""
STRANGE = 0.45
"""The same for one of another name in another file."""
REUSED_NAME = 0.15
"""Below this a span of the same name in the same place is something else that took the name."""
LEAD = 0.05
"""It must be more like than what was there beside it before, by this much."""
SAME_FILE = 0.5
"""How like a file must be to be the old one under another name."""
TELLING = 5
"""A text of so many token triples is not the same as another by chance."""


def verdict(anchor: Anchor, code: CodeView) -> Checked:
    """Whether what `anchor` holds on to is as it was, was changed, or is gone here."""
    sketch = read(anchor.span)
    if sketch is None:  # written by another version: only what has a name can be found
        sketch = Sketch("", ())
    match anchor.kind:
        case AnchorKind.SYMBOL:
            return _symbol(anchor, sketch, code)
        case AnchorKind.BLOCK:
            return _block(anchor, sketch, code)
        case AnchorKind.FILE:
            return _file(anchor, sketch, code)


def _symbol(anchor: Anchor, sketch: Sketch, code: CodeView) -> Checked:
    here = code.named(anchor.path)
    if here is not None and anchor.symbol in here:
        now = here.sketch(anchor.symbol)
        if now.digest == sketch.digest:
            return _at(anchor, (anchor.path, anchor.symbol), code, changed=False)
        # The name may have passed to something else while the old span lives on under another.
        moved = None
        if sketch.likeness(now) < REUSED_NAME:
            moved = _same(anchor, sketch, code, _candidates(anchor, code))
        return _at(anchor, moved or (anchor.path, anchor.symbol), code, changed=moved is None)
    near, around = _candidates(anchor, code), _around(anchor, sketch, code)
    # The graph's hash minds layout, so what was laid out anew is looked for around, too.
    place = _same(anchor, sketch, code, near) or _same(anchor, sketch, code, around)
    if place is not None:
        return _at(anchor, place, code, changed=False)
    if here is not None and here.broken and _says(code, anchor):
        why = f"{anchor.path} does not parse, and names {anchor.symbol}"
        return Checked(Freshness.DRIFTED, anchor.path, anchor.symbol, None, why)
    place = _like(anchor, sketch, code, (*near, *around)) or _only_namesake(anchor, sketch, code)
    return _gone(anchor) if place is None else _at(anchor, place, code, changed=True)


def _same(anchor: Anchor, sketch: Sketch, code: CodeView, places: Sequence[Place]) -> Place | None:
    """Where the very span stands now, its name and place aside.

    Twins that stood there before are no sign: only one more of them than there were is, or one
    that bears the name when nothing else did.
    """
    found = [
        place
        for place in places
        if (now := _sketch(place, code)) is not None and now.digest == sketch.digest
    ]
    found.sort(key=lambda place: _strangeness(anchor, place))
    known = sketch.namesakes == 0 and found and _last(found[0][1]) == _last(anchor.symbol)
    return found[0] if known or len(found) > sketch.twins else None


def _like(anchor: Anchor, sketch: Sketch, code: CodeView, places: Sequence[Place]) -> Place | None:
    """Where the span stands now, edited since: under its name, or another in the files around."""
    best: tuple[float, int, Place] | None = None
    for place in dict.fromkeys(places):
        now = _sketch(place, code)
        if now is None or now.digest == sketch.digest:
            continue  # a twin that stood there before is not this one, edited
        familiar = place[0] == anchor.path or _last(place[1]) == _last(anchor.symbol)
        floor = max(FAMILIAR if familiar else STRANGE, sketch.rival + LEAD)
        if sketch.at_most(now) < floor:
            continue
        likeness = sketch.likeness(now)
        strangeness = _strangeness(anchor, place)
        if likeness >= floor and (best is None or (likeness, -strangeness) > best[:2]):
            best = (likeness, -strangeness, place)
    return None if best is None else best[2]


def _only_namesake(anchor: Anchor, sketch: Sketch, code: CodeView) -> Place | None:
    """The one other symbol of its name, if there was none before: moved and written anew."""
    others = namesakes(anchor.path, anchor.symbol, code)
    known = [place for place in others if _sketch(place, code) is not None]
    return known[0] if sketch.namesakes == 0 and len(known) == 1 else None


def _candidates(anchor: Anchor, code: CodeView) -> list[Place]:
    """Where the very span of a symbol may have gone: its file, its namesakes, its hash."""
    here = code.named(anchor.path)
    places: list[Place] = []
    if here is not None:
        places += [(anchor.path, symbol) for symbol in here.symbols]
    places += code.by_digest(anchor.digest) if anchor.digest else []
    places += code.by_name(_last(anchor.symbol))
    found = dict.fromkeys((path, symbol.partition("#")[0]) for path, symbol in places)
    return [place for place in found if place != (anchor.path, anchor.symbol)]


def _around(anchor: Anchor, sketch: Sketch, code: CodeView) -> list[Place]:
    """What has most in common with a symbol, in its file and those around it."""
    found: list[Place] = []
    for path in (anchor.path, *code.nearby().near(anchor.path)):
        named = code.named(path)
        if named is not None:
            found += [(path, symbol) for symbol in named.sharing(sketch)]
    return found


def _strangeness(anchor: Anchor, place: Place) -> int:
    """How far a place is from where the anchor was: first by name, then by file."""
    path, symbol = place
    return (
        4 * (_last(symbol) != _last(anchor.symbol))
        + 2 * (path != anchor.path)
        + (symbol != anchor.symbol)
    )


def _block(anchor: Anchor, sketch: Sketch, code: CodeView) -> Checked:
    here = code.blocks(anchor.path)
    same = [block for block in here if block.sketch.digest == sketch.digest]
    same.sort(key=lambda block: block.title != anchor.symbol)
    if len(same) > sketch.twins or (same and anchor.symbol == same[0].title != ""):
        return _at_block(anchor, anchor.path, same[0], changed=False)
    titled = [one for one in here if anchor.symbol and one.title == anchor.symbol]
    if len(titled) == 1:
        return _at_block(anchor, anchor.path, titled[0], changed=True)
    like = _most_like(sketch, here, floor=FAMILIAR)
    if like is not None:
        return _at_block(anchor, anchor.path, like, changed=True)
    around = code.nearby().near(anchor.path)
    for path in around:
        for block in code.blocks(path):
            titled_so = block.title == anchor.symbol != "" or len(sketch.sample) >= TELLING
            if block.sketch.digest == sketch.digest and titled_so:
                return _at_block(anchor, path, block, changed=False)
    titled_there = [
        (path, block)
        for path in (() if code.exists(anchor.path) or not anchor.symbol else around)
        for block in code.blocks(path)
        if block.title == anchor.symbol
    ]
    if len(titled_there) == 1:
        return _at_block(anchor, *titled_there[0], changed=True)
    for path in around:
        moved = _most_like(sketch, code.blocks(path), floor=STRANGE)
        if moved is not None:
            return _at_block(anchor, path, moved, changed=True)
    return _gone(anchor)


def _most_like(sketch: Sketch, blocks: Sequence[Block], *, floor: float) -> Block | None:
    floor = max(floor, sketch.rival + LEAD)
    scored = [(sketch.likeness(block.sketch), -place) for place, block in enumerate(blocks)]
    best = max(scored, default=(0.0, 0))
    return blocks[-best[1]] if best[0] >= floor else None


def _file(anchor: Anchor, sketch: Sketch, code: CodeView) -> Checked:
    if code.exists(anchor.path):
        return Checked(Freshness.FRESH, anchor.path)
    for path in _renamed(anchor, code):
        now = code.whole(path)
        if now is not None and sketch.likeness(now) >= SAME_FILE:
            return Checked(Freshness.FRESH, path, "", None, f"{anchor.path} is now {path}")
    return _gone(anchor)


def _renamed(anchor: Anchor, code: CodeView) -> Iterator[str]:
    """Files that may be the old one under another name, the likeliest first."""
    by_digest = [path for path, _ in code.by_digest(anchor.digest)] if anchor.digest else []
    yield from dict.fromkeys((*by_digest, *code.nearby().near(anchor.path)))


def _at(anchor: Anchor, place: Place, code: CodeView, *, changed: bool) -> Checked:
    path, symbol = place
    named = code.named(path)
    line = None if named is None else named.line(symbol)
    return _found(anchor, path, symbol, line, changed=changed)


def _at_block(anchor: Anchor, path: str, block: Block, *, changed: bool) -> Checked:
    return _found(anchor, path, block.title, block.start_line, changed=changed)


def _found(anchor: Anchor, path: str, symbol: str, line: int | None, *, changed: bool) -> Checked:
    now = f"{path}::{symbol}" if symbol else path
    parts = ["was changed"] * changed + [f"is now {now}"] * (now != anchor.key)
    why = f"{_subject(anchor)} {' and '.join(parts)}" if parts else ""
    return Checked(Freshness.DRIFTED if changed else Freshness.FRESH, path, symbol, line, why)


def _gone(anchor: Anchor) -> Checked:
    why = f"{_subject(anchor)} is gone here"
    return Checked(Freshness.ORPHANED, anchor.path, anchor.symbol, None, why)


def _subject(anchor: Anchor) -> str:
    untitled = anchor.kind is AnchorKind.BLOCK and not anchor.symbol
    return f"a passage of {anchor.path}" if untitled else anchor.key


def _sketch(place: Place, code: CodeView) -> Sketch | None:
    named = code.named(place[0])
    return named.sketch(place[1]) if named is not None and place[1] in named else None


def _says(code: CodeView, anchor: Anchor) -> bool:
    return _last(anchor.symbol).encode() in (code.source(anchor.path) or b"")


def _last(symbol: str) -> str:
    return symbol.rpartition(".")[2]

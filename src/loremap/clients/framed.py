"""Takes out what stands between a tag and its end, in time that grows with the text alone."""

from __future__ import annotations


def without_framed(text: str, *names: str) -> str:
    """`text` without all that is framed by tags of these names, and without the white space after
    it; a frame that is never closed stays."""
    for name in names:
        text = _without(text, name)
    return text


def _without(text: str, name: str) -> str:
    begin, end = f"<{name}", f"</{name}>"
    kept: list[str] = []
    at = looked = 0
    while (start := text.find(begin, looked)) >= 0:
        looked = start + len(begin)
        if _goes_on(text, looked):
            continue
        opened = text.find(">", looked)
        stop = text.find(end, opened) if opened >= 0 else -1
        if stop < 0:  # then none that comes later is closed either
            break
        kept.append(text[at:start])
        at = looked = _past_space(text, stop + len(end))
    return "".join((*kept, text[at:])) if kept else text


def _goes_on(text: str, at: int) -> bool:
    """Whether the name of a tag is longer than the one that was looked for."""
    return at < len(text) and (text[at].isalnum() or text[at] in "_-")


def _past_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at

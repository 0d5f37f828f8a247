"""The syntax of globs: their braces, stars and classes, and a glob over a path as git reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import re2  # type: ignore[import-untyped]  # google-re2 ships no types

from loremap.errors import BadInput
from loremap.safety.pattern_search import PathGlob, clean_path, re2_regex
from loremap.safety.pattern_text import folded

Part = tuple[Literal["text", "gap", "one", "class", "star"], str]
_BRACES = re.compile(r"(?<!\\)\{([^{}]*,[^{}]*)\}")
_GLOB_TOKEN = re.compile(
    r"\*+|\?|\[(?P<not>[!^]?)(?P<members>\]?(?:\\[\s\S]|[^\]\\])*)\]|\\(?P<escaped>[*?\[\]{}\\])|[\s\S]"
)


def alternatives(glob: str) -> Iterator[str]:
    """The globs that `glob` stands for: one for each choice within braces."""
    braces = _BRACES.search(glob)
    if braces is None:
        yield glob
        return
    for choice in braces[1].split(","):
        yield from alternatives(glob[: braces.start()] + choice + glob[braces.end() :])


def glob_parts(glob: str) -> list[Part]:
    """The plain texts, stars, question marks and classes of a glob."""
    parts: list[Part] = []
    for token in _GLOB_TOKEN.finditer(glob):
        sign = token[0]
        if sign[0] == "*":
            parts.append(("star", ""))
        elif sign == "?":
            parts.append(("one", ""))
        elif token["members"]:
            parts.append(("class", _class(token["members"], negated=bool(token["not"]))))
        else:
            text = token["escaped"] or sign
            if parts and parts[-1][0] == "text":
                text = parts.pop()[1] + text
            parts.append(("text", text))
    return parts


def _class(members: str, *, negated: bool) -> str:
    """The inside of a class such as [a-z], spelled for both engines."""
    if members.startswith("[:"):
        raise BadInput(f"The class [{members}] is not supported.", hint="Write [a-z] or [0-9].")
    spelled = "^" if negated else ""
    for low, high in re.findall(r"\\?([\s\S])(?:-\\?([\s\S]))?", members):
        if high and high < low:
            raise BadInput(f"The range {low}-{high} runs backwards.", hint=f"Write {high}-{low}.")
        spelled += _member(low) + (f"-{_member(high)}" if high else "")
    return spelled


def _member(sign: str) -> str:
    return f"\\{sign}" if sign in "\\]^-[&~|" else sign


def class_regex(inside: str, *, never: str) -> str:
    """A class that, when negated, still leaves out what it may `never` match."""
    return f"[^{never}{inside[1:]}]" if inside[0] == "^" else f"[{inside}]"


def path_glob(glob: str) -> PathGlob:
    """A glob as git reads it: one without a slash fits a name at any depth; folders fit whole."""
    # No file is named with a star, but on Windows a backslash parts folders.
    glob = re.sub(r"\\(?![\[\]{}])", "/", glob)
    anchored = "/" in glob.rstrip("/")
    names = clean_path(glob).split("/")
    parts = [glob_parts(name) for name in names]
    regex = "" if anchored else "(?:.*/)?"
    for nth, name in enumerate(names):
        is_last = nth == len(names) - 1
        if name == "**":
            regex += ".+" if is_last else "(?:.*/)?"
        else:
            regex += "".join(map(_path_spelling, parts[nth])) + ("(?:/.*)?" if is_last else "/")
    if "[" in glob:
        # A file may itself be named with brackets, as routes of web frameworks are.
        regex = f"(?:{regex}|{re2.escape(clean_path(glob))}(?:/.*)?)"
    return PathGlob(
        regex=re2_regex(f"(?s){regex}"),
        ways=(
            tuple(
                re2.escape(folded(text)) for name in parts for kind, text in name if kind == "text"
            ),
        ),
        folds=glob == folded(glob),
    )


def _path_spelling(part: Part) -> str:
    kind, value = part
    if kind == "text":
        return str(re2.escape(value))
    if kind == "class":
        return class_regex(value, never="/")
    return "[^/]*" if kind == "star" else "[^/]"

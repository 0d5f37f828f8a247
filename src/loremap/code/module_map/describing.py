"""One sentence that says what a module is, from its own documentation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from loremap.code.module_map.manifests import Manifest
from loremap.code.module_map.project_view import ProjectFile
from loremap.model.hostile import speaks_to_a_model

LONGEST = 120
_SHORTEST_WORDS = 2
_FEW = 4
"""Of so few files the first speaks for all."""
_PACKAGE_FILES = ("__init__.py", "doc.go", "lib.rs", "mod.rs", "main.rs", "package-info.java")
_SAYS_NOTHING = re.compile(
    r"(?i)copyright|licen[sc]e|SPDX|all rights reserved|^\W*$|^@|^eslint|^istanbul|^vim:|^-\*-|"
    r"coding[:=]|generated|^a bison|do not edit|^todo|^fixme|noqa|type: ignore|^https?://|^#!|"
    r"^import |"
    r"^\.\.|\[options\]|^usage\b|"
    r"^pylint:|^ruff:|^mypy:|^prettier|^global |^/ <reference|^use strict|^\+build|^go:build"
)
_DOCUMENTED = frozenset({"python", "rust"})
"""Languages in which the first words of a file are about the file."""
_FULL_LINE = 60
"""A line this long that ends without a stop goes on in the next."""
_ENDS = re.compile(r"(?<=[a-z0-9)\]\"'])[.!?](?=\s|$)")
_HANGS = re.compile(
    r"(?i)(\b(a|an|the|of|and|or|to|for|in|on|by|with|from|that|which|as|is|are|be|if|at|into|its)|,)$"
)
_ABBREVIATED = re.compile(r"(?i)\b(e\.g|i\.e|etc|vs|cf|approx)\.$")


def description(
    name: str,
    files: Sequence[ProjectFile],
    *,
    folders: Sequence[str],
    is_product: bool,
    texts: Mapping[str, str],
    manifests: Iterable[Manifest] = (),
) -> str:
    """What a module says it is: its package's docstring, manifest or README, or the docstring of
    the file called as it; else nothing.

    `files` are its files, the most important first; `folders` are those that it is, not only lies
    in: the product is `src/shop`, `src` and the root. What the README and the manifest at the root
    say is said of the whole project, and so of no module.
    """
    for folder in folders:
        said = next(filter(None, _documented(files, folder=folder)), "")
        if not said and folder and not is_product:
            said = next(filter(None, _of_folder(folder, texts=texts, manifests=manifests)), "")
        if said:
            return said
    last = re.sub(r"[^a-z0-9]", "", name.rpartition(".")[2].lower())
    namesakes = [file for file in files if _bare(file.path) == last]
    for file in (*namesakes, *(files[:1] if len(files) <= _FEW else ())):
        if file.language in _DOCUMENTED and (said := doc_sentence(file.doc)):
            return said
    return ""


def _documented(files: Sequence[ProjectFile], *, folder: str) -> Iterable[str]:
    """What the package in a folder says of itself in its code."""
    prefix = f"{folder}/" if folder else ""
    docs = {file.path: file.doc for file in files}
    for name in _PACKAGE_FILES:
        for place in (prefix, f"{prefix}src/"):
            yield doc_sentence(docs.get(f"{place}{name}", ""))
    for file in files:  # Go's package comment may stand in any of its files
        if file.language == "go" and file.path.rpartition("/")[0] == folder:
            yield doc_sentence(file.doc) if file.doc.startswith("Package ") else ""


def _of_folder(
    folder: str, *, texts: Mapping[str, str], manifests: Iterable[Manifest]
) -> Iterable[str]:
    """What the manifest and the README in a folder say."""
    yield from (
        sentence(manifest.description) for manifest in manifests if manifest.folder == folder
    )
    for path in sorted(texts):
        at, _, name = path.rpartition("/")
        if at == folder and re.fullmatch(r"(?i)readme\.\w+", name):
            yield sentence(readme_sentence(texts[path]))


ADDRESSED = re.compile(
    r"(?i)\byou\b|\bplease\b|^we\b|"
    r"^(visit|see|run|install|check|read|to|if|click|note|use|either|modify|make|open|clone|need|get)\b"
)
"""A sentence that speaks to its reader says what to do, not what the thing is."""
_NO_PROSE = ("[", "<", ":", "`", "$", ">", "<!--", "!")


def readme_sentence(text: str) -> str:
    """The first line of prose before a README's second heading: no title, badge, list or table."""
    fenced, titles = False, 0
    text = re.sub(r"(?s)\A\s*---\n.*?\n---\n", "", text[:8_000])
    lines = text.splitlines()
    for index, line in enumerate(lines):
        bare = re.sub(r"<[^>]*>", "", re.sub(r"(?i)<br\s*/?>", " ", line)).strip()
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        titles += line.startswith("#") and not fenced
        if titles > 1:
            break
        if fenced or not bare or bare.startswith(("#", "[![", "![", "|", "- ", "* ", ".. ", "=")):
            continue
        under = lines[index + 1].strip() if index + 1 < len(lines) else ""
        if under and set(under) <= set("=-~^*") and len(under) >= 3:
            continue  # a title underlined
        plain = sentence(bare)
        if (
            plain
            and len(plain.split()) >= 4
            and not ADDRESSED.search(plain)
            and not bare.startswith(_NO_PROSE)
        ):
            following = [line for line in lines[index + 1 : index + 4] if line.strip()]
            return " ".join([bare, *following])
    return ""


def sentence(text: str) -> str:
    """The first sentence of `text`, plain and short; empty where it says nothing."""
    plain = _plain(text)
    if not plain or _SAYS_NOTHING.search(plain) or len(plain.split()) < _SHORTEST_WORDS:
        return ""
    if speaks_to_a_model(text):
        return ""
    for end in _ENDS.finditer(plain):
        if not _ABBREVIATED.search(plain[: end.end()]):
            if end[0] == "?" or speaks_to_a_model(plain[: end.end()]):
                return ""  # by itself it asks, and says nothing of a module
            plain = plain[: end.start()]
            break
    else:
        if _HANGS.search(plain):  # only the first line of a longer sentence was given
            plain = f"{plain.rstrip(' ,;:–-')}…"
    plain = plain.rstrip(" .:;,–-")
    if len(plain.split()) < _SHORTEST_WORDS:
        return ""
    first = plain.partition(" ")[0]
    plain = plain[:1].upper() + plain[1:] if first.rstrip(",:").isalpha() else plain
    return shortened(plain)


def doc_sentence(doc: str) -> str:
    """The sentence of a docstring of which only the first line is known."""
    said = sentence(doc)
    if not said or ADDRESSED.search(said):
        return ""
    whole = _plain(doc)
    goes_on = len(said) == len(whole) >= _FULL_LINE
    return shortened(f"{said}…") if goes_on and not said.endswith("…") else said


def shortened(text: str, longest: int = LONGEST) -> str:
    """`text` cut at a word, with an ellipsis, where it is too long."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1].rpartition(" ")[0] or text[: longest - 1]
    return cut.rstrip(" ,;:–-") + "…"


def _plain(text: str) -> str:
    """`text` without the marks of Markdown, reStructuredText, HTML and comments."""
    text = re.sub(r"^\s*(?://[/!]?|#+!?|/\*+|\*+/?|--|;+|%+)\s?", "", text.strip())
    text = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r"\[`?([\w:.]+)`?\]", r"\1", text)
    text = re.sub(r":\w+:`~?([^`<]*?)(?:\s*<[^>]*>)?`", r"\1", text)
    text = re.sub(r"<[^>]*>|\*\*|__|`+|\*/", "", text)
    text = re.sub(r"^[>\s]+|^Package \w+ (?:is )?(?=[a-z])", "", text)
    return re.sub(r"\s+", " ", text).strip()


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _bare(path: str) -> str:
    return re.sub(r"[^a-z0-9]", "", _stem(path).lower())

"""One sentence that says what a module is, from its own documentation or its names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from loremap.codegraph.module_map.folders import GENERIC_FOLDERS
from loremap.codegraph.module_map.manifests import Manifest
from loremap.codegraph.module_map.project_view import ProjectFile
from loremap.model.hostile import speaks_to_a_model

LONGEST = 120
_SHORTEST_WORDS = 2
_FEW = 4
"""Of so few files the first speaks for all."""
_PACKAGE_FILES = ("__init__.py", "doc.go", "lib.rs", "mod.rs", "main.rs", "package-info.java")
_SAYS_NOTHING = re.compile(
    r"(?i)copyright|licen[sc]e|SPDX|all rights reserved|^\W*$|^@|^eslint|^istanbul|^vim:|^-\*-|"
    r"coding[:=]|generated|do not edit|^todo|^fixme|noqa|type: ignore|^https?://|^#!|^import |"
    r"^\.\.|\[options\]|^usage\b|"
    r"^pylint:|^ruff:|^mypy:|^prettier|^global |^/ <reference|^use strict|^\+build|^go:build"
)
_LOOSE = GENERIC_FOLDERS | {"locale", "locales", "i18n", "fixtures", "plugins"}
"""Folders of things alike or unrelated, of which the names of files say more than symbols."""
_IN_FOLDERS = 0.6
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
    texts: Mapping[str, str],
    manifests: Iterable[Manifest] = (),
) -> str:
    """What a module is: its package's docstring, README, manifest or leading file, else its names.

    `files` are its files, the most important first; `folders` are those that it is, not only lies
    in: the product is `src/shop`, `src` and the root.
    """
    for folder in folders:
        for said in _of_folder(files, folder=folder, texts=texts, manifests=manifests):
            if said:
                return said
    last = re.sub(r"[^a-z0-9]", "", name.rpartition(".")[2].lower())
    namesakes = [file for file in files if _bare(file.path) == last]
    for file in (*namesakes, *(files[:1] if len(files) <= _FEW else ())):
        if said := doc_sentence(file.doc):
            return said
    return from_names(files, folder=folders[0] if folders else None)


def _of_folder(
    files: Sequence[ProjectFile],
    *,
    folder: str,
    texts: Mapping[str, str],
    manifests: Iterable[Manifest],
) -> Iterable[str]:
    prefix = f"{folder}/" if folder else ""
    docs = {file.path: file.doc for file in files}
    for name in _PACKAGE_FILES:
        for place in (prefix, f"{prefix}src/"):
            yield doc_sentence(docs.get(f"{place}{name}", ""))
    for file in files:  # Go's package comment may stand in any of its files
        if file.language == "go" and file.path.rpartition("/")[0] == folder:
            yield doc_sentence(file.doc) if file.doc.startswith("Package ") else ""
    yield from (
        sentence(manifest.description) for manifest in manifests if manifest.folder == folder
    )
    for path in sorted(texts):
        at, _, name = path.rpartition("/")
        if at == folder and name.lower().startswith("readme."):
            yield sentence(readme_sentence(texts[path]))
    for name in ("index.ts", "index.tsx", "index.js", "mod.ts"):
        yield doc_sentence(docs.get(f"{prefix}{name}", ""))


_ADDRESSED = re.compile(
    r"(?i)\byou\b|\bplease\b|^we\b|"
    r"^(visit|see|run|install|check|read|to|if|click|note|use|either|modify|make|open|clone) "
)
"""A sentence that speaks to its reader says what to do, not what the thing is."""
_NO_PROSE = ("[", "<", ":", "`", "$", ">", "<!--", "!")


def readme_sentence(text: str) -> str:
    """The first line of prose in a README: no title, badge, picture, list or table."""
    fenced = False
    text = re.sub(r"(?s)\A\s*---\n.*?\n---\n", "", text[:8_000])
    lines = text.splitlines()
    for index, line in enumerate(lines):
        bare = re.sub(r"<[^>]*>", "", re.sub(r"(?i)<br\s*/?>", " ", line)).strip()
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if fenced or not bare or bare.startswith(("#", "[![", "![", "|", "- ", "* ", ".. ", "=")):
            continue
        under = lines[index + 1].strip() if index + 1 < len(lines) else ""
        if under and set(under) <= set("=-~^*") and len(under) >= 3:
            continue  # a title underlined
        plain = sentence(bare)
        if (
            plain
            and len(plain.split()) >= 4
            and not _ADDRESSED.search(plain)
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
    plain = plain[:1].upper() + plain[1:] if plain[:1].islower() and " " in plain else plain
    return shortened(plain)


def doc_sentence(doc: str) -> str:
    """The sentence of a docstring of which only the first line is known."""
    said = sentence(doc)
    if not said or _ADDRESSED.search(said):
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
    text = re.sub(r":\w+:`~?([^`<]*?)(?:\s*<[^>]*>)?`", r"\1", text)
    text = re.sub(r"<[^>]*>|\*\*|__|`+|\*/", "", text)
    text = re.sub(r"^[>\s]+|^Package \w+ (?=[a-z])", "", text)
    return re.sub(r"\s+", " ", text).strip()


def from_names(files: Sequence[ProjectFile], *, folder: str | None, most: int = 5) -> str:
    """A description made of what is in it: `Store, open_store, Tx: 14 files`."""
    count = f"{len(files)} file{'' if len(files) == 1 else 's'}"
    inner = _subfolders(files, folder) if folder is not None else []
    symbols = [symbol for file in files if (symbol := _central_symbol(file))]
    stems = [_stem(file.path) for file in files if not _stem(file.path).startswith("_")]
    loose = folder is None or folder.rpartition("/")[2].lower() in _LOOSE
    for names in (inner, stems) if loose else (inner, symbols, stems):
        distinct = list(dict.fromkeys(names))
        if len(distinct) >= 2:
            return shortened(f"{', '.join(distinct[:most])}: {count}")
    few = dict.fromkeys(stems if loose else symbols or stems)
    return shortened(f"{', '.join(few)}: {count}".removeprefix(": "))


def _subfolders(files: Sequence[ProjectFile], folder: str) -> list[str]:
    """The folders below, the fullest first, where most files lie in them."""
    prefix = f"{folder}/" if folder else ""
    inner = [
        file.path.removeprefix(prefix).partition("/")[0]
        for file in files
        if file.path.startswith(prefix) and "/" in file.path.removeprefix(prefix)
    ]
    leads = files[0].path.removeprefix(prefix)
    if len(inner) < _IN_FOLDERS * len(files) or "/" not in leads:
        return []
    return [name for name, _ in Counter(inner).most_common()]


_BESIDE = re.compile(
    r"(Error|Exception|Warning|Failure|DoesNotExist|Mixin|Options|Props|Config)$|^Base"
)


def _central_symbol(file: ProjectFile) -> str:
    """The symbol a file is called after, else its first type, else its first."""
    shown = [symbol for symbol in file.symbols if len(symbol) > 2 and not symbol.startswith("_")]
    bare = _bare(file.path)
    named = [symbol for symbol in shown if re.sub(r"[^a-z0-9]", "", symbol.lower()) == bare]
    types = [symbol for symbol in shown if symbol[0].isupper() and not symbol.isupper()]
    telling = [symbol for symbol in types if not _BESIDE.search(symbol)]
    return next(iter([*named, *telling, *shown]), "")


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _bare(path: str) -> str:
    return re.sub(r"[^a-z0-9]", "", _stem(path).lower())

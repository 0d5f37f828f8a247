"""Which documents of a repository tell how to work on it: for agents, for contributors, for all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from loremap.model.paths import is_vendored_path

MAX_GUIDES = 24
DEEPEST = 6
_INSTRUCTIONS = re.compile(
    r"(?:claude|agents?|gemini|conventions)\.md"
    r"|\.claude/claude\.md|\.(?:cursorrules|windsurfrules|clinerules|rules|goosehints)"
    r"|\.(?:cursor/rules|windsurf/rules|clinerules|roo/rules)/[^/]+\.(?:mdc|md)"
    r"|\.github/copilot-instructions\.md|\.junie/guidelines\.md|\.github/instructions/[^/]+\.instructions\.md"
)
_GUIDE = re.compile(
    r"(?:contribut(?:ing|e|ion)|hacking|develop(?:ment|ing|er)?|build(?:ing)?|testing|code[-_]?style|coding[-_](?:style|standards?|guidelines?)"
    r"|style[-_]?guide|conventions)(?:[-_]guide(?:lines)?)?",
)
_ONLY_LINKED = re.compile(r"build(?:ing)?|testing")
"""Names that a guide to the product's own use may have too: such a file counts where a root
document points to it."""
_GUIDE_FOLDER = re.compile(
    r"contribut(?:ing|e|ion|ors)|development|developers?|developing|hacking|contributor[-_]guide|dev"
)
_IN_GUIDE_FOLDER = re.compile(
    r"(?:readme|index|getting[-_]started|setup|style(?:[-_]guide)?|testing|tests?|build(?:ing)?|workflow|code|coding\S*|conventions"
    r"|guidelines?|pull[-_]requests?|contributing)",
)
_TEMPLATE = re.compile(r"(?:\.github/|docs/)?pull_request_template\.md")
_TEXT = re.compile(r"(.*)\.(?:md|mdx|rst|txt)")
_LINKED = re.compile(
    r"\]\(([^)\s#]+\.(?:md|rst))(?:#[^)]*)?\)|`([\w./-]+\.(?:md|rst))`|(?<!\w)@([\w./-]+\.md)"
)
_OTHER_LANGUAGE = re.compile(
    r"[-_.](?:zh|cn|ja|jp|ko|fr|de|es|pt|ru|it|tr|vi|id|pl|ar|fa|hi|th|uk)(?:[-_]\w+)?$|(?:^|/)(?:zh|cn|ja|ko|fr|de|es|pt|ru|i18n|translations)(?:[-_]\w+)?/"
)
_NOT_OURS = re.compile(
    r"(?:^|/)(?:examples?|fixtures?|testdata|templates?|archive[sd]?|node_modules|\.changeset|skills|changelogs?|release[-_]notes|blog|versioned_docs|playground)/"
)

DOCUMENT_FOLDERS = frozenset(
    "docs doc .github website documentation contributing development dev www site".split()
)
"""The folders of a root that hold documents."""
Group = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Guides:
    """Paths and texts, those of the root first."""

    instructions: Group
    guides: Group
    readmes: Group


def is_instruction_path(path: str) -> bool:
    """Whether agents load this file of the root by themselves."""
    return _INSTRUCTIONS.fullmatch(path.lower()) is not None


def is_guide_path(path: str) -> bool:
    """Whether a path is that of a guide for those who work on the code."""
    lower = path.lower()
    if _TEMPLATE.fullmatch(lower):
        return True
    folder, _, name = lower.rpartition("/")
    text = _TEXT.fullmatch(name)
    stem = text[1] if text else name if name == "contributing" else ""
    if (
        not stem
        or _OTHER_LANGUAGE.search(stem)
        or _OTHER_LANGUAGE.search(lower)
        or _NOT_OURS.search(f"/{lower}")
    ):
        return False
    if lower.count("/") > DEEPEST or is_vendored_path(path):
        return False
    parts = folder.split("/") if folder else []
    near = not parts or parts[0] in DOCUMENT_FOLDERS
    if _GUIDE.fullmatch(stem):
        return near
    return (
        near
        and bool(parts)
        and _GUIDE_FOLDER.fullmatch(parts[-1]) is not None
        and _IN_GUIDE_FOLDER.fullmatch(stem) is not None
    )


def guides(paths: Iterable[str], read: Callable[[str], str]) -> Guides:
    """The documents of a repository, and those that its instruction files point to."""
    every = sorted(paths, key=lambda path: (path.count("/"), path))
    known = set(every)
    instructions = _read([p for p in every if is_instruction_path(p)], read)
    linked = [path for path in _links(instructions, known) if _is_ours(path)]
    readmes = _read(
        [p for p in every if re.fullmatch(r"readme(?:\.(?:md|rst|txt))?", p.lower())], read
    )
    at_root = _read([p for p in every if is_guide_path(p) and "/" not in p], read)
    pointed = {*linked, *_links((*readmes, *at_root), known)}
    own = [p for p in every if is_guide_path(p) and (p in pointed or not is_weak_guide(p))]
    wanted = [path for path in dict.fromkeys([*linked, *own]) if not is_instruction_path(path)]
    taken = {path for path, _ in (*instructions, *readmes)}
    found = _read([p for p in wanted[:MAX_GUIDES] if p not in taken], read)
    return Guides(instructions, found, readmes)


def _links(documents: Group, known: set[str]) -> list[str]:
    """The documents of the repository that some documents point to."""
    return [
        target
        for path, text in documents
        for match in _LINKED.finditer(text)
        if (target := _target(path, match[1] or match[2] or match[3])) in known
    ]


def is_weak_guide(path: str) -> bool:
    """Whether its name alone does not tell whether it is for those who work on the code."""
    folder, _, name = path.lower().rpartition("/")
    stem = name.partition(".")[0]
    guided = _GUIDE_FOLDER.fullmatch(folder.rpartition("/")[2]) is not None
    return bool(folder) and not guided and _ONLY_LINKED.fullmatch(stem) is not None


def _is_ours(path: str) -> bool:
    return not _NOT_OURS.search(f"/{path.lower()}") and not re.search(
        r"license|security|code_of_conduct|changelog|history|notice|policy", path.lower()
    )


def _target(path: str, link: str) -> str:
    folder = path.rpartition("/")[0]
    parts = list[str](folder.split("/") if folder and not link.startswith("/") else [])
    for part in link.strip("/").split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in (".", ""):
            parts.append(part)
    return "/".join(parts)


def _read(paths: Iterable[str], read: Callable[[str], str]) -> Group:
    found = dict[str, str]()
    for path in paths:
        text = read(path)
        if text.strip() and text not in found.values():
            found[path] = text
    return tuple(found.items())

"""Words of a project that stand for one another: abbreviations that its texts spell out, and
packages that its manifests rename. Only what the project says itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from loremap.code.documents.reading import json_data, or_empty, section, toml_data
from loremap.model.paths import is_vendored_path

MAX_DOCUMENTS, MAX_SOURCES = 200, 300
"""So many texts are read, those nearest to the root first."""
MAX_CHARACTERS = 65_536
MAX_FOUND = 100
"""So many aliases a project gets, those that most of its texts spell out first."""
DOCUMENTS = (".md", ".mdx", ".rst", ".adoc", ".txt")
SOURCES = (
    ".py", ".ts", ".tsx", ".js", ".go", ".rs", ".java", ".kt", ".rb", ".c", ".h", ".cpp", ".cs",
    ".swift", ".php", ".scala",
)  # fmt: skip
MANIFESTS = ("pyproject.toml", "Cargo.toml", "package.json")
SMALL = frozenset("of the and for in on to a an".split())
"""Words that an abbreviation may leave out."""
_SHORT = r"[A-Z][A-Z0-9]{1,5}"
_WORDS = r"(?:[A-Za-z][A-Za-z'’-]*[ \t]+){1,7}[A-Za-z][A-Za-z'’-]*"
_SPELT = re.compile(rf"({_WORDS})[ \t]+\(({_SHORT})s?\)|\b({_SHORT})[ \t]+\(({_WORDS})\)")

Aliases = dict[str, tuple[str, ...]]


def wanted(paths: Iterable[str]) -> list[str]:
    """The files that are read for aliases: manifests, documents, then code."""
    near = sorted(
        (path for path in paths if not is_vendored_path(path)),
        key=lambda path: (path.count("/"), path),
    )
    manifests = [path for path in near if path.rpartition("/")[2] in MANIFESTS]
    documents = [path for path in near if path.endswith(DOCUMENTS)][:MAX_DOCUMENTS]
    sources = [path for path in near if path.endswith(SOURCES)][:MAX_SOURCES]
    return [*manifests[:MAX_DOCUMENTS], *documents, *sources]


def aliases_in(texts: Mapping[str, str]) -> Aliases:
    """What stands for what in a project, by its texts; the shorter or written name first."""
    counted: dict[tuple[str, str], int] = {}
    for path, text in texts.items():
        found = set(abbreviations(text[:MAX_CHARACTERS]))
        found |= set(renamed(path.rpartition("/")[2], text))
        for pair in found:
            counted[pair] = counted.get(pair, 0) + 1
    made: dict[str, list[str]] = {}
    for term, meant in sorted(counted, key=lambda pair: (-counted[pair], pair)):
        if term in made or len(made) < MAX_FOUND:
            made.setdefault(term, []).append(meant)
    return {term: tuple(meant[:3]) for term, meant in made.items()}


def abbreviations(text: str) -> Iterator[tuple[str, str]]:
    """Each abbreviation that a text spells out, with what it stands for, in lower case."""
    for found in _SPELT.finditer(text):
        said, short = (found[1], found[2]) if found[2] else (found[4], found[3])
        letters = "".join(sign for sign in short.lower() if sign.isalpha())
        meant = spelt_out(letters, said.lower().split(), whole=not found[2])
        if meant:
            yield short.lower(), meant


def spelt_out(letters: str, said: list[str], *, whole: bool) -> str:
    """The last words of `said`, or all of them, whose initials are `letters`; small words may be
    left out. Empty where none are."""
    parts = [part for word in said for part in re.split(r"[-’']", word) if part]
    starts = [0] if whole else range(len(parts) - 1, -1, -1)
    for start in starts:
        words = parts[start:]
        telling = [word for word in words if word not in SMALL]
        for initials in (words, telling):
            if len(telling) > 1 and "".join(word[0] for word in initials) == letters:
                return " ".join(words)
    return ""


def renamed(file: str, text: str) -> Iterator[tuple[str, str]]:
    """Each package that a manifest uses or offers under another name: what code says first."""
    if file == "package.json":
        yield from _npm(or_empty(json_data, text))
    if file == "Cargo.toml":
        yield from _cargo(or_empty(toml_data, text))
    if file == "pyproject.toml":
        yield from _python(or_empty(toml_data, text))


def _npm(data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for table in ("dependencies", "devDependencies", "peerDependencies"):
        for name, version in section(data, table).items():
            if isinstance(version, str) and version.startswith("npm:"):
                real = version.removeprefix("npm:").lstrip("@").partition("@")[0]
                yield from _pair(name.lstrip("@"), real)


def _cargo(data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for table in ("dependencies", "dev-dependencies", "build-dependencies"):
        for name, how in section(data, table).items():
            if isinstance(how, Mapping) and isinstance(how.get("package"), str):
                yield from _pair(name, str(how["package"]))


def _python(data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    name = section(data, "project").get("name")
    build = section(data, "tool", "hatch", "build", "targets", "wheel").get("packages")
    tools = section(data, "tool", "setuptools").get("packages")
    for packages in (build, tools):
        for path in packages if isinstance(packages, list) else ():
            if isinstance(name, str) and isinstance(path, str):
                yield from _pair(path.rstrip("/").rpartition("/")[2].partition(".")[0], name)
    for package, modules in section(data, "tool", "deptry", "package_module_name_map").items():
        for module in modules if isinstance(modules, list) else (modules,):
            if isinstance(module, str):
                yield from _pair(module, package)


def _pair(said: str, real: str) -> Iterator[tuple[str, str]]:
    """The two names, where they do not differ by their dress alone."""
    plain = [re.sub(r"[-_.]", "", name.lower()) for name in (said, real)]
    if all(plain) and plain[0] != plain[1]:
        yield said.lower(), real.lower()

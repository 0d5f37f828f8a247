"""The manifests of a project as plain data: what they name, describe and depend on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from loremap.code.documents.reading import ini_data, json_data, or_empty, section, toml_data
from loremap.model.paths import is_test_path, is_vendored_path

MAX_TEXTS = 400
_DEEPEST = 6
_LONGEST_TEXT = 400_000

MANIFESTS = (
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "package.json",
    "deno.json",
    "deno.jsonc",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "composer.json",
    "*.gemspec",
    "*.csproj",
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "Package.swift",
)
"""Files that make their folder a package, the most telling first."""

_ROOT_FILES = (
    "tox.ini",
    "noxfile.py",
    "pytest.ini",
    ".pre-commit-config.yaml",
    "[Mm]akefile",
    "GNUmakefile",
    "[Jj]ustfile",
    "Taskfile.y*ml",
    "Gemfile",
    "Rakefile",
    "CMakeLists.txt",
    "settings.gradle",
    "settings.gradle.kts",
    ".gitlab-ci.yml",
    ".github/workflows/*.y*ml",
)

_GUIDE = re.compile(
    r"(?i)(?:^|/)(?:AGENTS|CLAUDE|GEMINI|CONTRIBUTING|ARCHITECTURE|HACKING|DEVELOPMENT)[\w.-]*\.(?:md|rst)$"
    r"|^\.github/copilot-instructions\.md$|^README\.(?:md|rst)$"
)


def wanted_texts(paths: Iterable[str]) -> list[str]:
    """The small files whose texts the map is read from, the nearest to the root first."""
    wanted = [path for path in paths if _is_wanted(path)]
    wanted.sort(key=lambda path: (path.count("/"), path))
    return wanted[:MAX_TEXTS]


def _is_wanted(path: str) -> bool:
    if any(fnmatchcase(path, pattern) for pattern in _ROOT_FILES):
        return True
    if is_guide(path) and not is_vendored_path(path):
        return True
    name = path.rpartition("/")[2]
    if path.count("/") > _DEEPEST or (
        "/" in path and (is_test_path(path) or is_vendored_path(path))
    ):
        return False
    return name.lower().startswith("readme.") or _manifest_rank(name) is not None


def is_guide(path: str) -> bool:
    """Whether a file is one that tells people or agents how the project is laid out."""
    return path.count("/") < _DEEPEST and _GUIDE.search(path) is not None


def is_manifest(path: str) -> bool:
    """Whether a file makes its folder a package."""
    return _manifest_rank(path.rpartition("/")[2]) is not None


def _manifest_rank(name: str) -> int | None:
    for rank, pattern in enumerate(MANIFESTS):
        if fnmatchcase(name, pattern):
            return rank
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """One manifest: the folder it makes a package, and what it says."""

    path: str
    folder: str
    name: str
    description: str
    data: Mapping[str, object]
    """Its tables, where it is JSON or TOML; else empty."""
    text: str

    @property
    def file(self) -> str:
        """Its file's name."""
        return self.path.rpartition("/")[2]


def manifests(texts: Mapping[str, str]) -> list[Manifest]:
    """The manifests among `texts`, by folder, the most telling first."""
    found = [
        (path.rpartition("/")[0], rank, path)
        for path in texts
        if (rank := _manifest_rank(path.rpartition("/")[2])) is not None
    ]
    return [_read(path, texts[path][:_LONGEST_TEXT]) for _, _, path in sorted(found)]


def _read(path: str, text: str) -> Manifest:
    folder, _, file = path.rpartition("/")
    data: Mapping[str, object] = {}
    if file.endswith(".toml"):
        data = or_empty(toml_data, text)
        package = (
            section(data, "project") or section(data, "tool", "poetry") or section(data, "package")
        )
        name, description = word(package, "name"), word(package, "description")
    elif file.endswith((".json", ".jsonc")):
        data = or_empty(json_data, text)
        name, description = word(data, "name"), word(data, "description")
    elif file == "setup.cfg":
        head = or_empty(ini_data, text).get("metadata", {})
        name, description = head.get("name", ""), head.get("description", "")
    else:
        name, description = _spelt(file, text)
    return Manifest(
        path=path, folder=folder, name=name, description=description, data=data, text=text
    )


_SPELT = {
    "go.mod": (r"^module\s+(\S+)", r"(?!)"),
    "pom.xml": (
        r"<artifactId>\s*([^<\s]+)\s*</artifactId>",
        r"<description>\s*([^<]+?)\s*</description>",
    ),
    "setup.py": (r"\bname\s*=\s*['\"]([^'\"]+)", r"\bdescription\s*=\s*['\"]([^'\"]+)"),
    "build.sbt": (r"\bname\s*:=\s*\"([^\"]+)", r"\bdescription\s*:=\s*\"([^\"]+)"),
    "Package.swift": (r"\bname:\s*\"([^\"]+)", r"(?!)"),
}
_GEMSPEC = (r"\.name\s*=\s*['\"]([^'\"]+)", r"\.summary\s*=\s*['\"]([^'\"]+)")


def _spelt(file: str, text: str) -> tuple[str, str]:
    """Name and description from a manifest that is a program or XML."""
    patterns = _SPELT.get(file, _GEMSPEC if file.endswith(".gemspec") else ("(?!)", "(?!)"))
    if file == "pom.xml":
        text = re.sub(r"(?s)<parent>.*?</parent>", "", text)
    name, description = (re.search(pattern, text, re.MULTILINE) for pattern in patterns)
    return (name.group(1) if name else ""), (description.group(1) if description else "")


def own_names(found: Sequence[Manifest], fallback: str) -> list[str]:
    """What the project calls itself: the names of its root manifests, then `fallback`."""
    at_root = [manifest.name for manifest in found if not manifest.folder and manifest.name]
    return [*(re.sub(r"/v\d+$", "", name).rpartition("/")[2] for name in at_root), fallback]


def word(data: Mapping[str, object], key: str) -> str:
    """The text under `key`; empty if there is none."""
    value = data.get(key)
    return value.strip() if isinstance(value, str) else ""


def words_under(data: object) -> list[str]:
    """The texts of a list, or the keys of a table."""
    if isinstance(data, Mapping):
        return [str(key) for key in data]
    return [item for item in data if isinstance(item, str)] if isinstance(data, list) else []

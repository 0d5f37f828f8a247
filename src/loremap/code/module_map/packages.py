"""External packages by the names their distributions have, from imports as they are written."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from loremap.code.documents.reading import section
from loremap.code.module_map.manifests import Manifest, manifests, words_under
from loremap.code.module_map.project_view import ProjectFile

MOST = 12

_DISTRIBUTIONS = {
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "Crypto": "pycryptodome",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "fitz": "pymupdf",
    "git": "gitpython",
    "jose": "python-jose",
    "jwt": "pyjwt",
    "ldap": "python-ldap",
    "magic": "python-magic",
    "MySQLdb": "mysqlclient",
    "OpenSSL": "pyopenssl",
    "PIL": "pillow",
    "psycopg2": "psycopg2-binary",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "slugify": "python-slugify",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}
"""Python packages that are installed under another name than they are imported by."""

_NODE = frozenset(
    "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_"
    "channel dns domain events fs http http2 https inspector module net os path perf_hooks process "
    "punycode querystring readline repl stream string_decoder sys test timers tls trace_events tty "
    "url util v8 vm wasi worker_threads zlib".split()
)
_RUNTIMES = frozenset({"python", "php"})
"""What manifests ask for beside packages."""
_RUST_OWN = frozenset({"std", "core", "alloc", "crate", "self", "super", "proc_macro"})
_JVM_OWN = ("java.", "javax.", "kotlin.", "scala.", "jdk.", "sun.")


def dependencies(
    files: Iterable[ProjectFile],
    *,
    external: Mapping[str, Sequence[str]],
    named: Callable[[str, str], str],
    most: int = MOST,
) -> tuple[str, ...]:
    """The packages that `files` import from outside, those that most files use first."""
    uses: Counter[str] = Counter()
    for file in files:
        packages = {named(file.language, module) for module in external.get(file.path, ())}
        uses.update(package for package in packages if package)
    return tuple(name for name, _ in sorted(uses.items(), key=lambda one: (-one[1], one[0])))[:most]


def naming(manifests: Sequence[Manifest], *, own: frozenset[str]) -> Callable[[str, str], str]:
    """A function from language and imported module to its distribution, or "" for none.

    `own` are the names under which the project's own code is imported.
    """
    declared = {_folded(name): name for manifest in manifests for name in declared_in(manifest)}
    go_modules = sorted(
        (name for manifest in manifests if manifest.file == "go.mod" for name in _go(manifest)),
        key=len,
        reverse=True,
    )
    own_go = tuple(manifest.name for manifest in manifests if manifest.file == "go.mod")
    known: dict[tuple[str, str], str] = {}

    def named(language: str, module: str) -> str:
        key = (language, module)
        if key not in known:
            if language == "go":
                known[key] = _go_package(module, go_modules, own_go)
            else:
                known[key] = _package(language, module, declared=declared, own=own)
        return known[key]

    return named


def declared_in(manifest: Manifest) -> list[str]:
    """The distributions a manifest says it needs."""
    data = manifest.data
    if manifest.file == "package.json":
        kinds = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
        return [name for kind in kinds for name in words_under(section(data, kind))]
    if manifest.file == "Cargo.toml":
        tables = ("dependencies", "dev-dependencies", "build-dependencies")
        return [name for kind in tables for name in words_under(section(data, kind))]
    if manifest.file == "pyproject.toml":
        lists = [section(data, "project").get("dependencies")]
        lists += list(section(data, "project", "optional-dependencies").values())
        lists += list(section(data, "dependency-groups").values())
        named = [_requirement(text) for found in lists for text in words_under(found)]
        return named + words_under(section(data, "tool", "poetry", "dependencies"))
    if manifest.file == "composer.json":
        return words_under(section(data, "require"))
    return []


def names_in_manifests(texts: Mapping[str, str]) -> list[str]:
    """The names that manifests write: of the packages they are for, and of those they need."""
    found = manifests(texts)
    named = [
        name
        for one in sorted(found, key=lambda one: one.path.count("/"))
        for name in (one.name, *declared_in(one), *(_go(one) if one.file == "go.mod" else ()))
    ]
    return [name for name in dict.fromkeys(named) if name and name not in _RUNTIMES]


def _requirement(text: str) -> str:
    return re.split(r"[\s\[<>=!~;(@]", text.strip(), maxsplit=1)[0]


def _go(manifest: Manifest) -> list[str]:
    return re.findall(
        r"(?m)^\s*(?:require\s+)?([\w.\-]+\.[\w.\-]+(?:/[\w.\-~]+)+)\s+v", manifest.text
    )


def _go_package(module: str, required: Sequence[str], own: tuple[str, ...]) -> str:
    first = module.partition("/")[0]
    if "." not in first or any(module == name or module.startswith(f"{name}/") for name in own):
        return ""
    for name in required:
        if module == name or module.startswith(f"{name}/"):
            return name
    return "/".join(module.split("/")[:3])


def _package(
    language: str, module: str, *, declared: Mapping[str, str], own: frozenset[str]
) -> str:
    if language in {"python"}:
        return _python_package(module, declared=declared, own=own)
    if language in {"javascript", "typescript", "tsx", "jsx"}:
        return _node_package(module, own=own)
    if language == "rust":
        crate = module.partition("::")[0]
        return "" if crate in _RUST_OWN or crate in own else declared.get(_folded(crate), crate)
    if language in {"java", "kotlin", "scala"}:
        parts = module.split(".")
        outside = not module.startswith(_JVM_OWN) and len(parts) > 1
        return ".".join(parts[: 2 if parts[0] != "com" else 3]) if outside else ""
    if language == "ruby":
        return "" if module.startswith(".") else declared.get(_folded(module), "")
    if language in {"c", "cpp"}:
        return module.partition("/")[0] if "/" in module and not module.startswith(".") else ""
    if language == "c_sharp" or language == "csharp":
        return "" if module.startswith("System") else module.partition(".")[0]
    if language == "php":
        return module.strip("\\").partition("\\")[0]
    return module if language == "swift" else ""


def _python_package(module: str, *, declared: Mapping[str, str], own: frozenset[str]) -> str:
    top = module.partition(".")[0]
    if not top or top in sys.stdlib_module_names or top.startswith("_"):
        return ""
    for name in (module.replace(".", "-"), _DISTRIBUTIONS.get(top, top), top):
        if _folded(name) in declared:
            return declared[_folded(name)]
    for folded, name in declared.items():  # google-re2 is imported as re2, PyStemmer as Stemmer
        if folded.removeprefix("py").removeprefix("thon") == _folded(top) or folded.endswith(
            f"-{_folded(top)}"
        ):
            return name
    return "" if top in own else _DISTRIBUTIONS.get(top, top)


def _node_package(module: str, *, own: frozenset[str]) -> str:
    if module.startswith((".", "/", "~", "#", "@/", "$", "node:", "bun:", "virtual:", "http")):
        return ""
    parts = module.split("/")
    name = "/".join(parts[:2]) if module.startswith("@") else parts[0]
    return "" if name in _NODE or name in own or ":" in name else name


def _folded(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()

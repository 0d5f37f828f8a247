"""What Python's linters, formatters and type checkers are told to demand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from loremap.code.documents.reading import ini_data, section, string, strings, toml_data
from loremap.code.seed.value import MAX_CHARS, Seed, Source, listing, seed

_seed = partial(seed, tags=("python", "formatting"))

_FAMILIES = {
    "ANN": "type annotations on functions (ANN)",
    "BLE": "no blind `except Exception` (BLE)",
    "DTZ": "time-zone-aware datetimes (DTZ)",
    "ERA": "no commented-out code (ERA)",
    "FBT": "no boolean positional arguments (FBT)",
    "G": "no formatting in logging calls (G)",
    "I": "sorted imports (I)",
    "N": "PEP 8 names (N)",
    "PTH": "pathlib instead of os.path (PTH)",
    "S": "no insecure calls (S)",
    "T20": "no print (T20)",
    "TID": "no banned or needlessly relative imports (TID)",
    "UP": "the newest syntax that the oldest supported Python allows (UP)",
}
"""Ruff's rule families that change how one writes; the others only find mistakes."""
_DOCSTRINGS = {"numpy": "the NumPy style", "google": "the Google style", "pep257": "PEP 257"}


def ruff_seeds(source: Source) -> Iterator[Seed]:
    """What a ruff.toml settles."""
    yield from ruff(toml_data(source.text), source, under="\n")


def flake8_seeds(source: Source) -> Iterator[Seed]:
    """What a .flake8 settles."""
    data = ini_data(source.text)
    yield from flake8(data.get("flake8", {}), source, present="flake8" in data)


def pylint_seeds(source: Source) -> Iterator[Seed]:
    """What a pylintrc settles."""
    data = ini_data(source.text)
    options: dict[str, object] = {key: each[key] for each in data.values() for key in each}
    width = string(options, "max-line-length")
    extra = f" with lines of at most {width} characters" if width.isdigit() else ""
    yield _seed(
        f"Pylint checks the Python code{extra}.",
        source,
        "\nmax-line-length",
        importance=0.64,
        about="pylint",
    )


def mypy_seeds(source: Source) -> Iterator[Seed]:
    """What a mypy.ini settles."""
    data = ini_data(source.text)
    options: dict[str, object] = dict(data.get("mypy", {}))
    yield from mypy(options, source, present="mypy" in data)


def ruff(options: Mapping[str, object], source: Source, *, under: str) -> Iterator[Seed]:
    """Line length, quotes, docstrings and the rule families that change how one writes."""
    if not options:
        return
    lint = {**options, **section(options, "lint")}
    width = string(options, "line-length")
    demanded = _demanded(lint)
    if width:
        text = f"Python lines are at most {width} characters long (ruff)."
        yield _seed(text, source, under, "line-length", importance=0.78, about="python line length")
    if demanded:
        text = f"Ruff demands {listing(demanded)}."
        if len(text) > MAX_CHARS:
            text = f"Ruff demands {listing(demanded[:6])}, among others."
        yield _seed(text, source, under, "select", importance=0.72, about="ruff families")
    elif not width and not _hooked(source):
        text = "Ruff checks the Python code."
        yield _seed(text, source, under, importance=0.6, about="python linter")
    style = string(section(options, "format"), "quote-style")
    if style in ("single", "double"):
        text = f"Python strings take {style} quotes (ruff format)."
        yield _seed(text, source, under, "quote-style", importance=0.7, about="python quotes")
    yield from _ruff_plugins(lint, source, under=under)


def _ruff_plugins(lint: Mapping[str, object], source: Source, *, under: str) -> Iterator[Seed]:
    convention = string(section(lint, "pydocstyle"), "convention")
    if convention in _DOCSTRINGS:
        text = f"Docstrings follow {_DOCSTRINGS[convention]} (ruff)."
        yield _seed(text, source, under, "convention =", importance=0.72, about="docstrings")
    imports = section(lint, "isort")
    if imports.get("force-single-line") is True:
        text = "Every import stands on a line of its own (ruff's force-single-line)."
        yield _seed(text, source, under, "force-single-line", importance=0.72)
    required = [f"`{each}`" for each in strings(imports.get("required-imports"))]
    if required:
        text = f"Every Python file begins with {listing(required[:3])} (ruff)."
        yield _seed(text, source, under, "required-imports", importance=0.76)


def _demanded(lint: Mapping[str, object]) -> list[str]:
    if "extend" in lint:
        return []  # what the other file leaves out is not known here
    chosen = {*strings(lint.get("select")), *strings(lint.get("extend-select"))}
    ignored = {*strings(lint.get("ignore")), *strings(lint.get("extend-ignore"))}
    return [said for code, said in _FAMILIES.items() if _whole(code, chosen, ignored)]


def _hooked(source: Source) -> bool:
    """Whether a commit hook, which names the tools it runs, says already which linter it is."""
    return ".pre-commit-config.yaml" in source.neighbours


def _whole(code: str, chosen: set[str], ignored: set[str]) -> bool:
    """Whether a family is demanded and at most a few of its rules are left out."""
    most = 3 if code in ("N", "PTH", "S", "UP") else 1
    left_out = sum(each.startswith(code) and each[len(code) :].isdigit() for each in ignored)
    return (code in chosen or "ALL" in chosen) and code not in ignored and left_out < most


def black(options: Mapping[str, object], source: Source, *, present: bool) -> Iterator[Seed]:
    """Line length and quotes of black."""
    if not present:
        return
    width = string(options, "line-length") or string(options, "line_length")
    extra = f" with lines of at most {width} characters" if width else ""
    text = f"Python code is formatted by black{extra}."
    yield _seed(text, source, "[tool.black", importance=0.78, about="python formatter")
    if options.get("skip-string-normalization") is True:
        text = "Black leaves the quotes of Python strings as they are written."
        yield _seed(text, source, "[tool.black", "skip-string", importance=0.55)


def isort(options: Mapping[str, object], source: Source) -> Iterator[Seed]:
    """The profile of isort."""
    if not options:
        return
    profile = string(options, "profile")
    extra = f" with the {profile} profile" if re.fullmatch(r"\w+", profile) else ""
    text = f"Imports are sorted by isort{extra}."
    yield _seed(text, source, "isort]", importance=0.68, about="isort")


def mypy(options: Mapping[str, object], source: Source, *, present: bool) -> Iterator[Seed]:
    """How strict mypy is."""
    if not present:
        return
    strict = str(options.get("strict", "")).lower() == "true"
    typed = str(options.get("disallow_untyped_defs", "")).lower() == "true"
    if strict:
        text = "Types are checked by mypy in strict mode: annotate every function."
    elif typed:
        text = "Types are checked by mypy, and every function must be annotated."
    else:
        text = "Types are checked by mypy."
    key = "strict" if strict else "disallow_untyped_defs" if typed else "mypy]"
    yield _seed(
        text, source, "mypy]", key, importance=0.8 if strict or typed else 0.66, about="mypy"
    )


def pyright(options: Mapping[str, object], source: Source, *, present: bool) -> Iterator[Seed]:
    """How strict pyright is."""
    if not present:
        return
    mode = string(options, "typeCheckingMode")
    extra = f" in {mode} mode" if mode in ("basic", "standard", "strict") else ""
    text = f"Types are checked by pyright{extra}."
    yield _seed(text, source, "pyright]", importance=0.66, about="pyright")


def flake8(options: Mapping[str, str], source: Source, *, present: bool) -> Iterator[Seed]:
    """Line length of flake8."""
    if not present:
        return
    width = options.get("max-line-length", options.get("max_line_length", "")).strip()
    left_out = {
        *re.split(r"[\s,]+", options.get("extend-ignore", "") + "," + options.get("ignore", ""))
    }
    if width.isdigit() and "E501" not in left_out:
        text = f"Python lines are at most {width} characters long (flake8)."
        needle = "max-line-length" if "max-line-length" in source.text else "max_line_length"
        yield _seed(text, source, "flake8]", needle, importance=0.76, about="python line length")
    elif not _hooked(source):
        yield _seed(
            "Flake8 checks the Python code.",
            source,
            "flake8]",
            importance=0.58,
            about="python linter",
        )

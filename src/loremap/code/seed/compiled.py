"""Conventions of projects in Rust, Go, Java, Kotlin, C and C++."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loremap.code.documents.reading import section, string, strings, toml_data
from loremap.code.documents.yaml_marks import entries, matching, yaml_data
from loremap.code.seed.value import Seed, Source, listing, seed
from loremap.model.kind import Kind

_JAVA_IN_POM = re.compile(
    r"<(maven\.compiler\.release|maven\.compiler\.source|java\.version|release)>\s*([\d.]{1,6})\s*</"
)
_JAVA_IN_GRADLE = re.compile(
    r"(?:JavaLanguageVersion\.of\(|jvmToolchain\(|JavaVersion\.VERSION_"
    r"|(?:source|target)Compatibility\s*=\s*['\"]?)([\d_.]{1,5})"
)
_BUILD_TOOLS = {
    "spotless": "Spotless formats the code: run `./gradlew spotlessApply`.",
    "ktlint": "Ktlint checks the Kotlin code.",
    "detekt": "Detekt checks the Kotlin code.",
    "checkstyle": "Checkstyle checks the Java code.",
    "org.springframework.boot": "The code is built on Spring Boot.",
}


def cargo_seeds(source: Source) -> Iterator[Seed]:
    """What Cargo.toml settles."""
    data = toml_data(source.text)
    package = {**section(data, "workspace", "package"), **section(data, "package")}
    if edition := string(package, "edition"):
        text = f"The Rust code is written in the {edition} edition."
        yield seed(text, source, "\nedition", importance=0.68, about="rust edition", tags=("rust",))
    if oldest := string(package, "rust-version"):
        text = f"The code must compile with Rust {oldest} and newer."
        yield seed(
            text, source, "\nrust-version", importance=0.76, about="rust version", tags=("rust",)
        )
    members = strings(section(data, "workspace").get("members"))
    if members:
        text = f"The repository is a Cargo workspace; its crates lie in {listing(members[:6])}."
        yield seed(
            text,
            source,
            "[workspace",
            "members",
            importance=0.68,
            tags=("rust",),
            kind=Kind.ARCHITECTURE,
        )
    lints = {**section(data, "workspace", "lints", "rust"), **section(data, "lints", "rust")}
    if _level(lints.get("unsafe_code")) in ("forbid", "deny"):
        text = "Unsafe Rust is forbidden (the lint unsafe_code)."
        yield seed(text, source, "unsafe_code", importance=0.84, tags=("rust",), kind=Kind.WARNING)
    if _level(lints.get("missing_docs")) in ("forbid", "deny", "warn"):
        text = "Public Rust items need documentation (the lint missing_docs)."
        yield seed(text, source, "missing_docs", importance=0.72, tags=("rust",))


def rustfmt_seeds(source: Source) -> Iterator[Seed]:
    """What rustfmt.toml settles."""
    data = toml_data(source.text)
    said = [f"lines of at most {width} characters"] if (width := string(data, "max_width")) else []
    if data.get("hard_tabs") is True:
        said.append("tabs")
    elif size := string(data, "tab_spaces"):
        said.append(f"{size} spaces of indent")
    if grouping := string(data, "imports_granularity"):
        said.append(f"imports grouped by {grouping.lower()}")
    extra = f" with {listing(said)}" if said else ""
    text = f"Rust code is formatted by rustfmt{extra}."
    yield seed(text, source, importance=0.74, about="rustfmt", tags=("rust",))


def go_mod_seeds(source: Source) -> Iterator[Seed]:
    """What go.mod settles."""
    module = re.search(r"^module[ \t]+(\S{1,150})", source.text, re.MULTILINE)
    version = re.search(r"^go[ \t]+(\d+\.\d+(?:\.\d+)?)", source.text, re.MULTILINE)
    if version is not None:
        text = f"The code must build with Go {version[1]} and newer."
        yield seed(text, source, version[0], importance=0.76, about="go version", tags=("go",))
    if module is not None:
        text = f"The Go module is `{module[1]}`: imports of its own packages begin with that path."
        yield seed(text, source, module[0], importance=0.7, about="go module", tags=("go",))


def golangci_seeds(source: Source) -> Iterator[Seed]:
    """What .golangci.yml settles."""
    named = [entry.value for entry in matching(entries(source.text), "linters", "enable", "*")]
    extra = f" with {listing(named[:10])}" if named else ""
    text = f"Golangci-lint checks the Go code{extra}."
    yield seed(text, source, "\nlinters", "enable", importance=0.74, about="golangci", tags=("go",))


def pom_seeds(source: Source) -> Iterator[Seed]:
    """What pom.xml settles; read as text, so that no entity is ever expanded."""
    version = _JAVA_IN_POM.search(source.text)
    if version is not None:
        text = f"The code is compiled for Java {version[2].removeprefix('1.')}."
        yield seed(text, source, version[0], importance=0.76, about="java version", tags=("java",))
    if "<artifactId>spring-boot" in source.text:
        text = _BUILD_TOOLS["org.springframework.boot"]
        yield seed(
            text,
            source,
            "<artifactId>spring-boot",
            importance=0.7,
            about="spring",
            tags=("java",),
            kind=Kind.ARCHITECTURE,
        )


def gradle_seeds(source: Source) -> Iterator[Seed]:
    """What build.gradle or build.gradle.kts settles."""
    version = _JAVA_IN_GRADLE.search(source.text)
    if version is not None:
        number = version[1].replace("_", ".").removeprefix("1.")
        text = f"The code is compiled for Java {number}."
        yield seed(text, source, version[0], importance=0.76, about="java version", tags=("java",))
    for name, text in _BUILD_TOOLS.items():
        if name in source.text:
            yield seed(text, source, name, importance=0.7, about=name, tags=("java",))


def clang_format_seeds(source: Source) -> Iterator[Seed]:
    """What .clang-format settles."""
    data = yaml_data(source.text.split("\n---")[0])
    said = list[str]()
    if base := string(data, "BasedOnStyle"):
        said.append(f"the {base} style")
    if size := string(data, "IndentWidth"):
        said.append(f"{size} spaces of indent")
    if width := string(data, "ColumnLimit"):
        said.append(
            f"lines of at most {width} characters" if width != "0" else "no limit of line length"
        )
    if string(data, "UseTab") in ("Always", "ForIndentation"):
        said.append("tabs")
    extra = f" with {listing(said)}" if said else ""
    text = f"C and C++ code is formatted by clang-format{extra}."
    yield seed(text, source, "BasedOnStyle", importance=0.74, about="clang-format", tags=("c",))


def _level(value: object) -> str:
    return string(section(value), "level") if isinstance(value, dict) else str(value)

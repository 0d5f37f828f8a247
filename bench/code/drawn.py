"""Measures calls across files in languages that no compiler on a common machine can be asked about.

    python -m bench.code.drawn --repos FOLDER [--only NAME]
    python -m bench.code.drawn --repos FOLDER --draw NAME [--count 30] [--seed 1]
    python -m bench.code.drawn --repos FOLDER --draw NAME … --note "1=a 2=outside 3=c"

FOLDER holds clones, each named as in `CHECKOUTS`. A clone is scanned as `lore` scans it. Drawn are
call expressions of the language's tree, at random, whose name another file of the clone defines.
`--draw` prints them with the lines around and every definition of that name, lettered; whoever
reads them says with `--note` which one each means: letters, or `outside` where it is none of them;
what is noted goes to `drawn.json`. `--ours` also prints what our graph says.

Without `--draw` what was noted is compared with a fresh scan. *Precision*: of what the graph joins
to noted sites, the share that a reader agrees with. *Recall*: of the sites that mean something of
another file, those joined to it. A class and its constructor are one, and so are overloads.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sqlite3
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tree_sitter import Node, Query, QueryCursor

from loremap.code.checkout import Code
from loremap.code.languages import language_of, tools
from loremap.code.repository import repository_at
from loremap.model.paths import is_beside_path, is_test_path, is_vendored_path

NOTED = Path(__file__).parent / "drawn.json"
RESULTS = Path(__file__).parents[1] / "results" / "drawn.json"
OUTSIDE = "outside"
CHECKOUTS = {
    "helix": "rust", "axum": "rust", "ripgrep": "rust",
    "composer": "php", "PhpSpreadsheet": "php",
    "Polly": "c_sharp", "serilog": "c_sharp",
    "detekt": "kotlin", "okhttp": "kotlin",
    "http4s": "scala", "scalafmt": "scala",
    "jekyll": "ruby", "rubocop": "ruby",
    "Alamofire": "swift", "SwiftLint": "swift",
    "leveldb": "cpp", "fmt": "cpp",
    "dokku": "bash", "pi-hole": "bash",
}  # fmt: skip
CALLS = {
    "rust": """
        (call_expression function: (identifier) @name) @call
        (call_expression function: (field_expression field: (_) @name)) @call
        (call_expression function: (scoped_identifier name: (_) @name)) @call
        (call_expression function: (generic_function function: (identifier) @name)) @call
        (call_expression function: (generic_function
            function: (scoped_identifier name: (_) @name))) @call
        (call_expression function: (generic_function
            function: (field_expression field: (_) @name))) @call
    """,
    "php": """
        (function_call_expression function: (name) @name) @call
        (function_call_expression function: (qualified_name (name) @name)) @call
        (member_call_expression name: (name) @name) @call
        (scoped_call_expression name: (name) @name) @call
        (object_creation_expression (name) @name) @call
        (object_creation_expression (qualified_name (name) @name)) @call
    """,
    "c_sharp": """
        (invocation_expression function: (identifier) @name) @call
        (invocation_expression function: (generic_name . (identifier) @name)) @call
        (invocation_expression
            function: (member_access_expression name: (identifier) @name)) @call
        (invocation_expression
            function: (member_access_expression name: (generic_name . (identifier) @name))) @call
        (object_creation_expression type: (identifier) @name) @call
        (object_creation_expression type: (generic_name . (identifier) @name)) @call
    """,
    "kotlin": """
        (call_expression . (identifier) @name) @call
        (call_expression . (navigation_expression (identifier) @name .)) @call
    """,
    "scala": """
        (call_expression function: (identifier) @name) @call
        (call_expression function: (field_expression field: (identifier) @name)) @call
        (call_expression function: (generic_function function: (identifier) @name)) @call
        (call_expression function: (generic_function
            function: (field_expression field: (identifier) @name))) @call
        (instance_expression (type_identifier) @name) @call
        (instance_expression (generic_type . (type_identifier) @name)) @call
    """,
    "ruby": "(call method: [(identifier) (constant)] @name) @call",
    "swift": """
        (call_expression . (simple_identifier) @name) @call
        (call_expression . (navigation_expression
            suffix: (navigation_suffix suffix: (simple_identifier) @name))) @call
    """,
    "cpp": """
        (call_expression function: (identifier) @name) @call
        (call_expression function: (field_expression field: (field_identifier) @name)) @call
        (call_expression function: (qualified_identifier name: (identifier) @name)) @call
        (new_expression type: (type_identifier) @name) @call
    """,
    "bash": "(command name: (command_name (word) @name)) @call",
}
_COUNTED = re.compile(r"#\d+")
_CALLABLE = ("function", "method", "class", "type")
_MAKERS = frozenset({"initialize", "__construct", "init", "constructor", "apply", "this"})
_AROUND = 4
_LISTED = 8


class Place(NamedTuple):
    """A definition: its key (`path::Qualified.name`), its line and how it is declared."""

    key: str
    line: int
    signature: str


class Site(NamedTuple):
    """A call expression: its line (where what is called starts) and the name that is called."""

    path: str
    line: int
    name: str


class Scanned:
    """A clone, and what the product says of its calls."""

    def __init__(self, root: Path, language: str, graphs: Path) -> None:
        self.root = root
        self.language = language
        code = Code(repository_at(root), graphs=graphs)
        code.scan()
        self._conn: sqlite3.Connection = code.graph.conn
        rows = self._conn.execute(
            "SELECT path FROM files WHERE language = ? ORDER BY path", (language,)
        )
        self.paths = [path for (path,) in rows]
        self.defining = self._defining()
        self.joined = self._joined()
        code.close()

    def _defining(self) -> dict[str, list[Place]]:
        found: dict[str, list[Place]] = defaultdict(list)
        rows = self._conn.execute(
            "SELECT s.name, f.path, s.qualified, s.start_line, s.signature FROM symbols s"
            " JOIN files f ON f.id = s.file_id"
            f" WHERE s.kind IN ({', '.join('?' * len(_CALLABLE))}) ORDER BY f.path, s.position",
            _CALLABLE,
        )
        for name, path, qualified, line, signature in rows:
            found[name].append(Place(key_of(path, qualified), line, signature))
        return found

    def _joined(self) -> dict[Site, set[str]]:
        """What the calls of each line are joined to, by the names that may stand for it."""
        found: dict[Site, set[str]] = defaultdict(set)
        rows = self._conn.execute(
            "SELECT g.path, e.line, t.name, h.path, t.qualified FROM edges e"
            " JOIN symbols s ON s.id = e.source JOIN files g ON g.id = s.file_id"
            " JOIN symbols t ON t.id = e.target JOIN files h ON h.id = t.file_id"
            " WHERE e.kind = 'calls' OR (e.kind = 'references' AND t.kind IN ('class', 'type'))"
        )
        for path, line, name, target, qualified in rows:
            key = key_of(target, qualified)
            holder = key.rpartition("::")[2].split(".")[-2:-1]
            for one in {name, *(holder if name in _MAKERS or [name] == holder else ())}:
                found[Site(path, line, one)].add(key)
        return found

    def sites(self) -> Iterator[Site]:
        """The calls of names that another file defines, in what is the project's own product."""
        kit = tools(self.language)
        if kit.parser.language is None:
            raise ValueError(f"no grammar for {self.language}")
        query = Query(kit.parser.language, CALLS[self.language])
        for path in self.paths:
            if is_test_path(path) or is_beside_path(path) or is_vendored_path(path):
                continue
            source = (self.root / path).read_bytes()
            for site in sorted(set(_called(path, kit.parser.parse(source).root_node, query))):
                places = self.defining.get(site.name, ())
                if any(_is_elsewhere(one.key.partition("::")[0], path) for one in places):
                    yield site


def _is_elsewhere(path: str, caller: str) -> bool:
    return path != caller and not is_test_path(path) and language_of(path) == language_of(caller)


def _called(path: str, root: Node, query: Query) -> Iterator[Site]:
    for _, captures in QueryCursor(query).matches(root):
        call, name = captures["call"][0], captures["name"][0]
        receiver = call.child_by_field_name("receiver")
        written = _text(name)
        if written == "new" and receiver is not None:  # Ruby makes objects so
            written = _text(receiver).rpartition("::")[2]
        yield Site(path, call.start_point[0] + 1, written)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def key_of(path: str, qualified: str) -> str:
    """The key of a symbol: overloads share one."""
    return f"{path}::{_COUNTED.sub('', qualified)}"


def agrees(key: str, meant: Iterable[str]) -> bool:
    """Whether what the graph says is what a reader noted, or the constructor of that class."""
    holder, _, name = key.rpartition(".")
    makes = name in _MAKERS or holder.rpartition("::")[2].split(".")[-1] == name
    return key in meant or (makes and holder in meant)


def scored(
    noted: Iterable[Mapping[str, Any]], joined: Mapping[Site, Iterable[str]]
) -> dict[str, float]:
    """Precision and recall on noted sites."""
    right = wrong = found = inside = sites = 0
    for one in noted:
        meant = [key for key in one["means"] if key != OUTSIDE]
        given = joined.get(Site(one["path"], one["line"], one["name"]), ())
        agreed = [agrees(key, meant) for key in given]
        sites += 1
        right += sum(agreed)
        wrong += len(agreed) - sum(agreed)
        if any(not key.startswith(f"{one['path']}::") for key in meant):
            inside += 1
            found += any(agreed)
    return {
        "sites": sites,
        "inside": inside,
        "joined": right + wrong,
        "precision": round(right / max(1, right + wrong), 3),
        "recall": round(found / max(1, inside), 3),
    }


def drawn(scanned: Scanned, count: int, seed: int) -> list[Site]:
    """Some of the sites, at random."""
    sites = sorted(scanned.sites())
    return random.Random(seed).sample(sites, min(count, len(sites)))


def shown(scanned: Scanned, number: int, site: Site, *, ours: bool) -> str:
    """A site with the lines around it and the definitions that its name may mean."""
    lines = (scanned.root / site.path).read_text("utf-8", "replace").split("\n")
    first = max(0, site.line - 1 - _AROUND)
    around = [
        f"{'>' if at + 1 == site.line else ' '} {lines[at][:130]}"
        for at in range(first, min(len(lines), site.line + _AROUND))
    ]
    named = lettered(scanned, site)
    if len(named) > _LISTED:  # those first whose holder is spoken of near by, then in the file
        near, far = (set(re.findall(r"\w+", "\n".join(text))) for text in (around, lines))
        named = sorted(named, key=lambda one: _unlikely(one[1].key, near, far))[:_LISTED]
    places = [
        f"   {letter}: {place.key}:{place.line}  {place.signature[:80]}" for letter, place in named
    ]
    said = sorted(scanned.joined.get(site, ())) or ["-"]
    head = f"#{number} {site.path}:{site.line} {site.name}"
    return "\n".join([head, *around, *places, *(["   OURS " + " ".join(said)] if ours else [])])


def _unlikely(key: str, near: set[str], far: set[str]) -> int:
    holders = set(re.split(r"[.:/]+", key)[-3:-1])
    return 0 if holders & near else 1 if holders & far else 2


def lettered(scanned: Scanned, site: Site) -> list[tuple[str, Place]]:
    """The definitions of a site's name, overloads once, each under a letter."""
    once = {
        place.key: place
        for place in reversed(scanned.defining[site.name])
        if not is_test_path(place.key.partition("::")[0])
    }
    places = sorted(once.values())
    return [(chr(ord("a") + at) if at < 26 else f"z{at}", place) for at, place in enumerate(places)]


def noted(
    scanned: Scanned, sites: Sequence[Site], said: str, commit: str
) -> Iterator[dict[str, Any]]:
    """What a reader says of sites: `3=a,c`, `4=outside`, or the end of a key (`4=Doc.new`)."""
    for word in said.split():
        number, _, answer = word.partition("=")
        site = sites[int(number) - 1]
        known = {letter: place.key for letter, place in lettered(scanned, site)}
        means = sorted(known.get(one) or _ending(known, one) for one in answer.split(","))
        yield {"commit": commit, **site._asdict(), "means": means}


def _ending(known: Mapping[str, str], answer: str) -> str:
    """The one key that ends so; an answer that is a whole key, or `outside`, is taken as it is."""
    found = [key for key in known.values() if re.search(rf"[.:/]{re.escape(answer)}$", key)]
    if "::" in answer or answer == OUTSIDE:
        return found[0] if len(found) == 1 else answer
    if len(found) != 1:
        raise ValueError(f"{answer} may be any of {found}")
    return found[0]


def main() -> None:
    """Draw, note or measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--draw", default="", choices=("", *CHECKOUTS))
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ours", action="store_true", help="show what the graph says")
    parser.add_argument("--missed", action="store_true", help="show what a reader disagrees with")
    parser.add_argument("--note", default="")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.draw:
            _draw(given, Path(folder))
        else:
            _measure(given, Path(folder))


def _draw(given: argparse.Namespace, graphs: Path) -> None:
    root = given.repos / given.draw
    scanned = Scanned(root, CHECKOUTS[given.draw], graphs)
    sites = drawn(scanned, given.count, given.seed)
    if given.note:
        kept = _kept()
        commit = _commit(root)
        new = list(noted(scanned, sites, given.note, commit))
        kept[given.draw] = sorted(
            {Site(row["path"], row["line"], row["name"]): row
             for row in [*kept.get(given.draw, []), *new]}.values(),
            key=lambda row: (row["path"], row["line"], row["name"]),
        )  # fmt: skip
        _write(NOTED, kept)
        return
    for number, site in enumerate(sites, 1):
        print(shown(scanned, number, site, ours=given.ours), end="\n\n")


def _measure(given: argparse.Namespace, graphs: Path) -> None:
    figures = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for name, rows in _kept().items():
        root = given.repos / name
        if given.only not in ("", name, CHECKOUTS[name]) or not root.exists():
            continue
        if {row["commit"] for row in rows} != {_commit(root)}:
            raise ValueError(f"{root} is not at the commit that was read")
        scanned = Scanned(root, CHECKOUTS[name], graphs / name)
        figures[name] = {"language": CHECKOUTS[name], **scored(rows, scanned.joined)}
        print(json.dumps({name: figures[name]}), flush=True)
        for row in rows if given.missed else ():
            site = Site(row["path"], row["line"], row["name"])
            one = scored([row], scanned.joined)
            if (one["precision"] < 1 and one["joined"]) or (one["recall"] < 1 and one["inside"]):
                print(shown(scanned, 0, site, ours=True), f"\n   MEANS {row['means']}\n")
    _write(RESULTS, figures)


def _kept() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = (
        json.loads(NOTED.read_text("utf-8")) if NOTED.exists() else {}
    )
    return found


def _write(file: Path, data: Mapping[str, Any]) -> None:
    file.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", "utf-8")


def _commit(root: Path) -> str:
    command = ["git", "-C", str(root), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()

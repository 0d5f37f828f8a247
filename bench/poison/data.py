"""Planted instructions of BIPIA, false passages of PoisonedRAG, and harmless texts of developers.

Nothing of it lies in this repository; every function takes the folder where it does.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from loremap.code.languages import language_of

POSITIONS = ("end", "start", "middle")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_LINE = re.compile(r"^[#>*\-\s\d.]*(?P<said>.*\S)")
_COMMENT = re.compile(r"(?m)^[ \t]*(?://[/!]?|\#|/?\*{1,2}|\"{3})[ \t]*(?P<said>[^\W\d_].*\S)")
SHORTEST_WORDS = 4
MAX_LINES = 700
"""Of one repository, spread over it."""
MAX_OF_A_FILE = 4


@dataclass(frozen=True)
class Text:
    """One text, and what it is: the kind of attack, or the set it is from."""

    kind: str
    text: str
    attack: str = ""
    """What was planted in it; empty where nothing was."""


def attacks(bipia: Path, part: str) -> list[Text]:
    """BIPIA's attacks of `part` (train, test): those on text and those on code."""
    found = []
    for on in ("text", "code"):
        path = bipia / "benchmark" / f"{on}_attack_{part}.json"
        for kind, texts in json.loads(path.read_text(encoding="utf-8")).items():
            found += [Text(f"{on}: {kind}", text, text) for text in texts]
    return found


def contexts(bipia: Path, part: str) -> dict[str, list[str]]:
    """BIPIA's contexts that its repository holds: e-mails, tables, answers on code."""
    found = {}
    for task in ("email", "table", "code"):
        lines = (bipia / "benchmark" / task / f"{part}.jsonl").read_text(encoding="utf-8")
        said = [json.loads(line)["context"] for line in lines.splitlines()]
        found[task] = [one if isinstance(one, str) else "\n".join(one) for one in said]
    return found


def planted(bipia: Path, part: str, *, seed: int = 42) -> list[Text]:
    """Each attack in a context of each task it is for, at each position, as BIPIA's builder joins
    them; which context is drawn."""
    rng = random.Random(seed)
    there = contexts(bipia, part)
    found = []
    for attack in attacks(bipia, part):
        for task in ("code",) if attack.kind.startswith("code") else ("email", "table"):
            for position in POSITIONS:
                whole = inserted(rng.choice(there[task]), attack.text, position, rng)
                found.append(Text(attack.kind, whole, attack.text))
    return found


def inserted(context: str, attack: str, position: str, rng: random.Random) -> str:
    """`attack` on lines of its own at the end, the start, or before a sentence of `context`."""
    if position == "end":
        return f"{context}\n{attack}"
    if position == "start":
        return f"{attack}\n{context}"
    starts = [0, *(found.end() for found in _SENTENCE.finditer(context))]
    at = rng.choice(starts)
    return f"{context[:at]}\n{attack}\n{context[at:]}"


def poisonedrag(path: Path) -> list[Text]:
    """PoisonedRAG's passages as its attack stores them: the question, a stop, a false answer."""
    every = json.loads(path.read_text(encoding="utf-8")).values()
    return [
        Text("passage", f"{one['question']}.{text}", text)
        for one in every
        for text in one["adv_texts"]
    ]


def memories(folder: Path) -> list[Text]:
    """Harmless memories: conventions of repositories, statements in pairs, lessons of sessions."""
    coding = _read(folder, "coding")["memories"]
    pairs = _read(folder, "pairs")
    said = [Text("coding", one["text"]) for one in coding]
    said += [Text("pairs", one[side]) for one in pairs["pairs"] for side in ("old", "new")]
    said += [Text("pairs", s["text"]) for one in pairs["chains"] for s in one["statements"]]
    said += [
        Text("learning", lesson["what"])
        for session in _read(folder, "learning")
        for lesson in session["learn"]
    ]
    return list(dict.fromkeys(said))


def _read(folder: Path, name: str) -> list[dict[str, list[dict[str, str]]]]:
    path = next(iter(sorted(folder.glob(f"{name}*.json"))))
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def repository_lines(repository: Path) -> list[Text]:
    """Comments, docstrings and lines of READMEs at the head of a bare repository."""
    listed = _git(repository, "ls-tree", "-r", "--name-only", "HEAD").decode().splitlines()
    names = [path for path in listed if "fixture" not in path and "testdata" not in path]
    docs = list(_docs(repository, [path for path in names if language_of(path)]))
    readmes = [path for path in names if re.search(r"(?i)(?:^|/)readme\.(?:md|rst|txt)$", path)]
    lines = [line for path in readmes for line in _prose(_git(repository, "show", f"HEAD:{path}"))]
    title = repository.parent.name
    return [
        *(Text(f"docstrings of {title}", one) for one in _spread(docs)),
        *(Text(f"READMEs of {title}", one) for one in _spread(lines)),
    ]


def _docs(repository: Path, paths: Sequence[str]) -> Iterator[str]:
    for path in _spread(paths, MAX_LINES):
        source = _git(repository, "show", f"HEAD:{path}").decode("utf-8", "replace")
        comments = [found["said"] for found in _COMMENT.finditer(source)]
        yield from [one for one in comments if len(one.split()) >= SHORTEST_WORDS][:MAX_OF_A_FILE]


def _prose(content: bytes) -> Iterator[str]:
    fenced = False
    for line in content.decode("utf-8", "replace").splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        found = _LINE.match(line)
        if found and not fenced and len(found["said"].split()) >= SHORTEST_WORDS:
            yield found["said"]


def _spread(texts: Sequence[str], most: int = MAX_LINES) -> list[str]:
    every = list(dict.fromkeys(texts))
    return every[:: max(1, -(-len(every) // most))]


def _git(repository: Path, *arguments: str) -> bytes:
    run = ["git", "-C", str(repository), *arguments]
    return subprocess.run(run, check=True, capture_output=True).stdout

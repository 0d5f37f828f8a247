"""Which commits teach something: where code that still stands was changed, and whole sentences say
why, what must hold, or what does not work.

How much each feature counts was fitted by `bench/sessions/commits_fit.py`; see `weights.json`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources

from loremap.code.commits import Changed
from loremap.code.languages import language_of
from loremap.model.paths import role_of
from loremap.sessions.commits.message import Message, Paragraph
from loremap.sessions.learning.evidence import Weights
from loremap.sessions.learning.function_words import Sign, signs_in
from loremap.sessions.learning.sentences import sentences, telling

MAX_CHARACTERS = 1_500
MAX_FILES = 40
"""A commit that changes more speaks of none of them in particular."""
_SURE = (Sign.REASON, Sign.NEGATION)
_STANDING = (*_SURE, Sign.CONTRAST, Sign.DUTY, Sign.QUANTIFIER)
_WEIGHED = (*_STANDING, Sign.PAST)
_BESIDE = frozenset({"docs", "doc", "style", "test", "tests", "ci", "build", "chore", "typo"})
"""Types of conventional commits that do not touch what the product does."""
_MIN_TELLING, _MIN_OF_SUBJECT, _MIN_OF_REASON = 6, 6, 3
_STRESSED = re.compile(r"\b[A-Z]{2,}\b")
_CODE = re.compile(r"[=;{}\[\]()]|^\s*(?:return|else|try|pass|break|continue)\b")
_INERT = re.compile(
    r"\b(?:comments?|docs?|docstrings?|documentation|typos?|spelling|wording|typing|type hints?"
    r"|annotations?|whitespace|indentation|formatting|lint(?:ers?|ing)?|tests?)\b",
    re.IGNORECASE,
)
"""The parts of source that do nothing when it runs."""
_FIGURE = re.compile(r"(?<![\w.#/-])\d+(?:\.\d+)?(?![\w/]|\.\d)")


@cache
def fitted() -> Weights:
    """The weights that were fitted."""
    told = json.loads(resources.files(__package__).joinpath("weights.json").read_text("utf-8"))
    return Weights(told["bias"], told["weights"], told["threshold"])


def product_files(paths: Sequence[str]) -> list[str]:
    """The files of the product among those that were changed: code, no tests, nothing generated."""
    return [path for path in paths if language_of(path) and not role_of(path)]


def may_teach(message: Message) -> bool:
    """Whether a message says more than what was done, and of the product."""
    if message.type in _BESIDE:
        return False
    if message.breaking:
        return len(telling(content_of(message))) >= _MIN_OF_SUBJECT
    if len(telling(" ".join(said(message)))) >= (
        _MIN_OF_REASON if message.is_revert else _MIN_TELLING
    ):
        return True
    return bool(signs_in(message.subject)[Sign.REASON]) and (
        len(telling(message.subject)) >= _MIN_OF_SUBJECT
    )


def said(message: Message) -> list[str]:
    """What of a message may teach: its prose from the first paragraph that says why, or what must
    hold, to the last, and those items of lists that do."""
    if message.is_revert:
        return [one.text for one in message.paragraphs if not one.is_item]
    standing = [at for at, one in enumerate(message.paragraphs) if _stands(one)]
    return [
        one.text
        for at, one in enumerate(message.paragraphs)
        if at in standing or (standing and not one.is_item and standing[0] <= at <= standing[-1])
    ]


def _stands(paragraph: Paragraph) -> bool:
    signs = signs_in(paragraph.text)
    return any(signs[sign] for sign in (_SURE if paragraph.is_item else _STANDING))


def content_of(message: Message) -> str:
    """The subject and the sentences that may teach, whole, as many as there is room for."""
    content = message.subject
    texts = [*said(message), *([message.breaking] if message.breaking != content else [])]
    for sentence in (one for text in texts for one in sentences(text)):
        if len(content) + len(sentence) >= MAX_CHARACTERS:
            break
        content += f" {sentence}" if content[-1] in ".!?" else f". {sentence}"
    return content


def features(message: Message, changed: Changed) -> dict[str, float]:
    """What speaks for and against a commit's teaching anything."""
    texts = said(message)
    body, whole = " ".join(texts), telling(content_of(message))
    signs = signs_in(body or message.subject)
    items = {one.text for one in message.paragraphs if one.is_item}
    return {
        **{sign.value: min(signs[sign], 3) / 3 for sign in _WEIGHED},
        "telling": math.log1p(len(whole)),
        "items": sum(one in items for one in texts) / max(1, len(texts)),
        "is_fix": float(message.is_fix),
        "files": math.log1p(len(changed.files)),
        "lines": math.log1p(changed.size),
        "figures": float(bool(_explained(message, changed))),
        "code": _code_share(changed),
        "inert": float(bool(_INERT.search(message.subject))),
        "stressed": float(any(any(signs_in(word).values()) for word in _STRESSED.findall(body))),
    }


def _code_share(changed: Changed) -> float:
    """How much of what was written in the product looks like code, and not like prose in it."""
    paths = set(product_files([one.path for one in changed.files]))
    lines = [line for one in changed.files if one.path in paths for line in one.added]
    written = [line for line in lines if line.strip()]
    return sum(bool(_CODE.search(line)) for line in written) / max(1, len(written))


def _explained(message: Message, changed: Changed) -> set[str]:
    """The figures that a message speaks of and the commit wrote."""
    figures = set(_FIGURE.findall(message.body)) - {"0", "1"}
    if not figures:
        return set()
    written = " ".join(line for one in changed.files for line in one.added)
    return figures & set(_FIGURE.findall(written))

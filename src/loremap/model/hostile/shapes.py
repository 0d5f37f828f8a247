"""The shapes of an order to a model, each with the reason a person is given.

What a text says is looked at sentence by sentence. Developers write imperatives too ("never push to
main"), so no shape is an imperative alone: each speaks of what a model was told, of its answer, of
who it is, of keeping something from the user, or asks for something that is no knowledge of code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from loremap.model.hostile.disguises import readings
from loremap.model.hostile.vocabulary import (
    LANGUAGES,
    TONGUES,
    UNSPACED,
    VERB_LAST,
    Vocabulary,
    openings,
)
from loremap.model.text import visible

Holds = Callable[[str], bool]
LONGEST = 200_000
"""Characters of a text that are looked at."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape: whether a text has it, and what that means."""

    name: str
    reason: str
    holds: Holds
    of_persons: bool = True
    """Whether it is held against what a person states, who may well tell agents what to do."""
    of_preferences: bool = True
    """Whether it is held against a person's preference, which speaks of answers by nature."""
    disguised: bool = True
    """Whether it is looked for in readings that need a key."""

    def is_of(self, *, person: bool, preference: bool) -> bool:
        """Whether it is held against what was said by such a one."""
        return (self.of_persons or not person) and (self.of_preferences or not preference)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Why a text is held back: the shape and, where it wore one, the disguise."""

    shape: str
    reason: str
    disguise: str = ""

    @property
    def why(self) -> str:
        """The reason in a few words, with the disguise."""
        return f"{self.reason}, in {self.disguise}" if self.disguise else self.reason


def _spoken(pattern: Callable[[str, Vocabulary], str], *needs: str) -> Holds:
    """Whether a text has what `pattern` makes of a language; a language is passed over at once
    where the words of its roles that the pattern `needs` are not there."""

    @cache  # a language costs milliseconds to compile, and most texts need none of them
    def compiled(code: str) -> re.Pattern[str]:
        return re.compile(pattern(code, LANGUAGES[code]), re.IGNORECASE | re.VERBOSE)

    @cache
    def keys(*, plain: bool) -> list[tuple[str, list[list[str]]]]:
        """Of each language, the words of each role; where a text is `plain` ASCII only those that
        are so too, and no language that has none in some role."""
        found = []
        for code, words in LANGUAGES.items():
            roles = [one for role in needs if (one := openings(getattr(words, role)))]
            kept = [[key for key in one if key.isascii()] for one in roles] if plain else roles
            if all(kept):
                found.append((code, [list(dict.fromkeys(one)) for one in kept]))
        return found

    def holds(text: str) -> bool:
        folded = text.casefold()
        for code, roles in keys(plain=folded.isascii()):
            for role in roles:
                for key in role:
                    if key in folded:
                        break
                else:
                    break
            else:
                if compiled(code).search(text):
                    return True
        return False

    return holds


def _whole(code: str, words: str) -> str:
    return words if code in UNSPACED else rf"(?<!\w)(?:{words})(?!\w)"


_NEAR = r"[^.!?\n。！？]{0,60}?"


def _forget(code: str, words: Vocabulary) -> str:
    forget, earlier, orders = (
        _whole(code, part) for part in (words.forget, words.earlier, words.orders)
    )
    forms = [
        rf"{forget}{_NEAR}{earlier}{_NEAR}{orders}",
        rf"{forget}{_NEAR}{orders}{_NEAR}{earlier}",
    ]
    if code in VERB_LAST:
        forms.append(rf"{earlier}{_NEAR}{orders}{_NEAR}{forget}")
    return "|".join(forms)


def _become(code: str, words: Vocabulary) -> str:
    model = _whole(code, words.model)
    return rf"{_whole(code, words.become)}[^.\n。]{{0,40}}?{model}"


def _model_must(code: str, words: Vocabulary) -> str:
    near = r"[^.\n。]{0,20}?"
    return rf"{_whole(code, words.model)}{near}{_whole(code, words.must)}"


_TELL_USER = re.compile(r"\A(?:please\ )?tell\ the\ user\b", re.IGNORECASE | re.VERBOSE)


def _orders(text: str) -> bool:
    return _MODEL_MUST(text) or any(_TELL_USER.match(one) for one in sentences(text))


def _sent(code: str, words: Vocabulary) -> str:
    place = r"(?:https?://|\b[\w.-]+@[\w-]+\.\w|\bwww\.)"
    near = r"[^\n]{0,80}?"
    send, secret = _whole(code, words.send), _whole(code, words.secret)
    forms = [rf"{send}{near}{secret}{near}{place}"]
    if code in VERB_LAST:
        forms.append(rf"{secret}{near}{place}{near}{send}|{place}{near}{send}{near}{secret}")
    return "|".join(forms)


_FORGET = _spoken(_forget, "forget", "orders")
_BECOME = _spoken(_become, "become")
_MODEL_MUST = _spoken(_model_must, "model", "must")
_ANSWER = _spoken(lambda code, words: _whole(code, words.answer), "answer")
_UNTOLD = _spoken(lambda code, words: _whole(code, words.untold), "untold")
_SENT = _spoken(_sent, "send", "secret")
_TELL = _spoken(lambda code, words: rf"\A(?:please\ )?{_whole(code, words.tell)}", "tell")
_ASK = _spoken(lambda code, words: rf"\A{_whole(code, words.ask)}", "ask")
_MARKS = re.compile(
    r"""
    ^\s*(?:system|assistant|human)\s*:\s | \b(?:system|developer)\ (?:prompt|message)\s*:
    | \bnew\ instructions\b\s*: | ^\W*(?:important\ )?new\ instructions\b
    | </?\s*(?:system|assistant|tool_calls?|function_calls?|instructions?|invoke)
        (?![\w.:-]) [^<>]{0,80}>
    | \[/?(?:INST|SYSTEM)\] | <\|\w+\|> | <<SYS>> | ^\#{2,}\s*(?:instruction|system|response)s?\s*:
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_CODE_GIVEN = re.compile(
    r"\b(?:following|subsequent|below|next)\s+(?:\w+\s+)?code\s+"
    r"(?:section|block|snippet|excerpt|fragment|segment|piece)",
    re.IGNORECASE,
)
_INTO_YOURS = re.compile(
    r"\byour\s+(?:\w+\s+)?(?:code(?:base)?|solution|implementation|algorithm|program|script|answer|"
    r"response|explanation|output)\b|\A\W*(?:don't|do not|ensure|make sure|consider|remember|"
    r"keep in mind|be sure)\b",
    re.IGNORECASE,
)
_IN_A_TONGUE = re.compile(
    rf"\b(?:translate|say|equivalent|what(?:'s|\ is))\b[^.\n]{{0,60}}['\"“‘][^.\n]{{0,60}}"
    rf"\b(?:in|to|into)\ {TONGUES}\b|\b{TONGUES}\ (?:equivalent|translation)\b|"
    rf"\btranslate\b[^.\n]{{0,60}}\b(?:to|into)\ {TONGUES}\b",
    re.IGNORECASE,
)
_OF_CODE = re.compile(
    r"`|\w[/\\]\w|\w_\w|[a-z][A-Z]|\w\(|\.\w{1,4}\b(?!\.?\s*$)|--?\w|\b[A-Z]{2,6}s?\b|\d+\.\d|[{}<>=#@|]"
)
"""Signs of code: an identifier, a path, a call, an option, an abbreviation."""
_SENTENCE = re.compile(r"\n+|(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+|(?<=[。！？])")
_LIST_MARK = re.compile(r"\A[\s>*#•\-–\d.)]*(?=\S)")
_QUERY = re.compile(
    r"\s*(?P<asked>(?:[^.!?,\s]+\ +){2}[^.!?\n]{3,200}?)\s*"
    r"(?P<mark>\??)\.(?P<gap>\s*)(?P<said>[\"'“]?[A-Z].{20,})",
    re.DOTALL,
)
"""Three words at least and a stop, with more behind it."""
_QUESTION_WORDS = 2
_GLUED_WORDS = 2
_SPOKEN = re.compile(r"[^\W_]+")
_ECHOED = 0.5
"""Share of a question's longer words that the sentence after it repeats."""


def sentences(text: str) -> list[str]:
    """The sentences and lines of `text`, without marks of lists."""
    parts = (_LIST_MARK.sub("", part).strip() for part in _SENTENCE.split(text[:LONGEST]))
    return [part for part in parts if part]


def is_of_code(sentence: str) -> bool:
    """Whether a sentence shows a sign of code."""
    return _OF_CODE.search(sentence) is not None


def _gives_code(text: str) -> bool:
    return any(_CODE_GIVEN.search(one) and _INTO_YOURS.search(one) for one in sentences(text))


def _requests_text(text: str) -> bool:
    return any(
        _IN_A_TONGUE.search(one) or (_TELL(one) and not is_of_code(one)) for one in sentences(text)
    )


def _asks(text: str) -> bool:
    """Whether a line is nothing but a question, and no line of code."""
    lines = (_LIST_MARK.sub("", line).strip() for line in text[:LONGEST].splitlines())
    return any(_is_question(line) and not is_of_code(line) for line in lines)


def _is_question(line: str) -> bool:
    stops = re.findall(r"[.!?。！？](?=\s|\Z|[^\x00-\x7f])", line)
    return bool(stops) and set(stops) <= {"?", "？"} and (_ASK(line) or "吗" in line)


def _echoes(text: str) -> bool:
    """Whether it opens with a query, and asserts an answer in its words: a question that is not
    asked, or words in lower case to which an answer is glued."""
    found = _QUERY.match(text)
    if found is None or is_of_code(found["asked"]):
        return False
    asked = _telling(found["asked"])
    echoed = len(asked & _telling(found["said"]))
    glued = not found["gap"] and (found["asked"][:1].islower() or found["mark"])
    if glued and echoed >= _GLUED_WORDS:
        return True
    opens = glued or _ASK(found["asked"])
    return opens and len(asked) >= _QUESTION_WORDS and echoed >= _ECHOED * len(asked)


def _telling(text: str) -> set[str]:
    """The longer words of a text by their beginnings."""
    words = (word.casefold() for word in _SPOKEN.findall(text))
    return {word[:5] for word in words if len(word) > 2 or word.isdigit()}


def _has(pattern: re.Pattern[str]) -> Holds:
    return lambda text: pattern.search(text) is not None


SHAPES: tuple[Shape, ...] = (
    Shape("override", "it tells a model to drop its instructions", _FORGET),
    Shape("persona", "it tells a model who to be", _BECOME),
    Shape(
        "marks", "it holds the marks of a conversation with a model", _has(_MARKS), disguised=False
    ),
    Shape("concealment", "it keeps something from the user", _UNTOLD),
    Shape("exfiltration", "it sends secrets to an address", _SENT),
    Shape("order", "it gives orders to a model", _orders, of_persons=False),
    Shape("answer", "it tells a model how to answer", _ANSWER, of_preferences=False),
    Shape("code", "it wants code put into every solution", _gives_code),
    Shape("task", "it asks a model for a text", _requests_text, of_persons=False, disguised=False),
    Shape("question", "it asks and does not say", _asks, of_persons=False, disguised=False),
    Shape(
        "echo", "it answers a question nobody asked, in the question's own words", _echoes,
        disguised=False,
    ),
)  # fmt: skip
HIDDEN = Suspicion("hidden", "it hides a text")
_QUOTED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


@lru_cache(maxsize=4096)
def suspicion(text: str, *, person: bool = False, preference: bool = False) -> Suspicion | None:
    """Why `text` is shaped like an order to a model; None where it is not. A `person` may speak of
    such marks in quoted code and tell agents what to do; a `preference` of theirs, how to
    answer."""
    shapes = [shape for shape in SHAPES if shape.is_of(person=person, preference=preference)]
    own = _QUOTED.sub(" ", text) if person else text
    return _first(shapes, visible(own)) or _disguised(shapes, text)


def _first(shapes: Iterable[Shape], text: str, disguise: str = "") -> Suspicion | None:
    found = next((shape for shape in shapes if shape.holds(text)), None)
    return None if found is None else Suspicion(found.name, found.reason, disguise)


def _disguised(shapes: Iterable[Shape], text: str) -> Suspicion | None:
    keyed = [shape for shape in shapes if shape.disguised]
    for reading in readings(text):
        found = _first(keyed, reading.text, reading.disguise)
        if found is not None:
            return found
        if reading.hidden:
            return Suspicion(HIDDEN.shape, HIDDEN.reason, reading.disguise)
    return None


def speaks_to_a_model(text: str) -> bool:
    """Whether `text`, which nobody vouches for, is shaped like an order to a model."""
    return suspicion(text) is not None


_PART = re.compile(r"[\s/\\._\-+]+|(?<=[a-z])(?=[A-Z])")
_SAYS_MUCH = re.compile(r"(?:[^\W\d_]{2,}(?:[\s._\-+]+|(?<=[a-z])(?=[A-Z]))){3}|[\u3040-\u9fff]{6}")
"""Four words in one name: what is shorter says too little, and most names are."""
_OF_NAMES = tuple(
    shape for shape in SHAPES if shape.name in ("override", "persona", "concealment", "order")
)
"""Shapes that a name can have, which is no sentence and holds no address."""


def name_suspicion(name: str) -> Suspicion | None:
    """Why the name of a file, a tag or a branch is shaped like an order to a model."""
    if not _SAYS_MUCH.search(name):
        return None
    return _first(_OF_NAMES, " ".join(_PART.split(visible(name))))


UNSAID = "[a name that gives orders]"
"""What stands in the place of such a name."""


def name_speaks(name: str) -> bool:
    """Whether the name of a file or a branch is shaped like an order to a model."""
    return name_suspicion(name) is not None

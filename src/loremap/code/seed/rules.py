"""Which sentences are rules for working in a repository, and of what kind.

A sentence is judged by its signs: where it stands, how it is said, its words and those of the
headings above it. What each sign weighs was fitted to labelled sentences of many repositories
(`bench.repos.fit` writes `rules.json`), so that no list says what a rule may be about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import fsum

from loremap.model.kind import Kind

WEIGHTS = "rules.json"
_LEAST_FOR_AGENTS, _LEAST_FOR_PEOPLE = 0.3, 0.0
"""From which score a sentence is a rule. Of repositories that the weights had not seen, 85 of 100
such sentences of files for agents were rules, and 80 of 100 of guides for people."""
_FEWEST_TERMS = 3
_ONE_PERSON = re.compile(r"\b(?:I|[Mm]e|[Mm]y)\b(?!/)")
"""Somebody says how they want to be talked to, which is no rule of the code."""
_LONGEST = 6
_BY_OTHERS = re.compile(
    r"\b(?:maintainers?|committers?|reviewers?|core (?:team|developers?))\b"
    r"[^.,;]{0,40}\b(?:will|may|can|should|must|needs?)\b",
    re.IGNORECASE,
)
"""What those do who merge and release, not those who write the change."""
_VERBS = frozenset(
    """
    add adhere align annotate apply assume avoid base build bump call capture catch check choose
    commit compose configure consider copy create declare define delete deploy describe disable
    document edit enable ensure escape exclude explain export expose extend extract favor favour
    fix follow format generate group guard handle hide ignore implement import include inherit
    initialize inject install invoke isolate keep leave limit lint load localize log maintain make
    mark match memoize merge minimize mirror mock modify move name nest normalize omit open
    optimize organize override parametrize parse pass pin place prefer prefix preserve provide put
    quote raise re-export rebase refactor regenerate register release remove rename render replace
    request require reserve restrict return reuse rewrite run sanitize search set share sign skip
    sort specify split squash stage start stick stop store structure submit surround tag target
    test throw translate treat trim try update upgrade use validate verify wrap write
    """.split()
)
_FIRM = re.compile(
    r"\b(?:must|should(?:n't)?|shall|avoid|prefer(?:red|ably)?|required"
    r"|mandatory|forbidden|prohibited|not allowed|not permitted|ensure|make sure|be sure"
    r"|instead of|rather than|not accept(?:ed)?|will not be merged|need(?:s)? (?:to|an?)|have to"
    r"|has to|use\b[^.]{2,80}\binstead)\b"
    r"|(?:^|[,;:.!—–-]\s+|\b(?:please|so|and|but|then|simply)\s+)(?:do not|don't)\b",
    re.IGNORECASE,
)
"""An order, unlike `the validators do not check this`."""
_ABSOLUTE = re.compile(
    r"(?:[^:`.]{2,40}:\s+)?(?:please\s+)?(?:never|always|only)\b(?!:)|.*, never ", re.IGNORECASE
)
_OPENING = re.compile(
    r"(?:please|when|whenever|if|for|in|to|before|after|on|unless|while|once|inside|within|during"
    r"|as|by default)\b[^,;:]{2,140}[,:]\s+(?=\S)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^:`.]{2,60}(?::| [—–-]{1,2}) (?=\S)")
_CONDITION = re.compile(
    r"(?:when|whenever|if|for|in|to|before|after|on|unless|while|once|inside|within|during)\b",
    re.IGNORECASE,
)
_BEFORE_VERB = frozenset(
    """
    please also always then just only and never not do try to be sure you should must make that so
    but
    """.split()
)
_DEICTIC = re.compile(
    r"^(?:if (?:not|so),|to \w+ (?:this|that|it)\b|[^,;:.]*\bthese \w+s\b)|such as those\b"
    r"|^(?:this(?! (?:codebase|project|repo\w*|package|library|crate|app)\b)"
    r"|it|its|they|these|those|that|here|there|such|he|she|otherwise|however|but|so|thus"
    r"|which|inside such|afterwards|alternatively|additionally|instead|now|finally|yes|no,|again)\b"
    r"|\b(?:(?:above|below)(?! (?:\d|the\b))|the following|following$|such an?|as follows"
    r"|do(?:ing)? this|like this|this (?:work|section|document|file|guide|page|list"
    r"|example|step|way|instruction|code)|that (?:known|same"
    r"|structure|machinery|method)|these (?:instructions|steps|rules"
    r"|guidelines|things))\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"`[^`]+`")
_POINTER = re.compile(r"[^`]*:\s*(?:`[^`]*`[\s,.;]*)+(?:\([^)]*\)\W*)?$")
"""A name and where it is found or what is typed, as in a table."""
_TERM = re.compile(r"`[^`]*`|https?://\S+|[A-Za-z][A-Za-z'-]*|\d+|[:!?→—]")
_ENDING = re.compile(r"(?:s|ed|ing|ly)$")
_COMMAND = re.compile(r"[a-z./]\S*\s")
_PATH = re.compile(r".*/|.*\.\w{1,4}$", re.DOTALL)
_SHOUTED = re.compile(r"\b(?:MUST|NEVER|ALWAYS|NOT|AVOID|PREFER)\b")
_NEGATIVE = re.compile(
    r"(?:[^:`.]{2,40}:\s+)?(?:please\s+)?(?:never|do not|don't|warning\b)"
    r"|.*\b(?:must not|must never|(?:is|are) (?:forbidden|prohibited)|not allowed|not accepted)\b",
    re.IGNORECASE,
)
_PROCEDURE = re.compile(
    r"(?:[^:`.]{2,40}:\s+)?(?:please\s+)?(?:run|execute|launch|invoke)\b"
    r"|to [^,;]{3,80},?\s+(?:run|use)\b",
    re.IGNORECASE,
)
_DECISION = re.compile(r"\bwe (?:chose|decided|opted|deliberately|intentionally)\b", re.IGNORECASE)
_QUIRK = re.compile(
    r"^(?:on (?:windows|macos|linux|apple|m1)\b|(?:in|inside) (?:docker|wsl|ci|isolated)\b)"
    r"|\binternet access\b",
    re.IGNORECASE,
)
_STEERING = re.compile(
    r"\byour (?:only|entire) (?:output|response|answer)|\brespond only with\b"
    r"|\b(?:ignore|disregard) (?:all |any )?(?:previous|prior|other|earlier) "
    r"(?:instructions|rules)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of a document, without its markup, and where it stands."""

    text: str
    headings: tuple[str, ...] = ()
    lead: str = ""
    """The sentence with a colon that its list hangs on."""
    for_agents: bool = False
    """It is written to coding agents, not to people at large."""
    item: bool = False
    later: bool = False
    """Another sentence of its block stands before it."""
    before_code: bool = False
    quoted: bool = False


def steers_answers(text: str) -> bool:
    """Whether a text tells a model what to answer rather than how the code is written."""
    return _STEERING.search(text) is not None


def is_rule(said: Said) -> bool:
    """Whether a sentence tells how to work here and can stand alone."""
    least = _LEAST_FOR_AGENTS if said.for_agents else _LEAST_FOR_PEOPLE
    return _is_told(said.text) and score(said) >= least


def _is_told(text: str) -> bool:
    """Whether it is a sentence at all, and none that tells a model what to answer."""
    few = len(_terms(text)) < _FEWEST_TERMS
    bare = _CODE.sub("", text)
    apart = _POINTER.match(text) or _ONE_PERSON.search(bare) or _BY_OTHERS.search(bare)
    return not (few or text.endswith("?") or apart or steers_answers(text))


def score(said: Said) -> float:
    """How much a sentence is like a rule: the logarithm of the odds that it is one."""
    weights = _weights()
    return fsum(weights.get(sign, 0.0) for sign in signs(said))  # whatever their order


def signs(said: Said) -> frozenset[str]:
    """What a sentence is judged by."""
    return frozenset((*_place(said), *_manner(said), *_subject(said)))


@cache
def _weights() -> dict[str, float]:
    text = files("loremap.code.seed").joinpath(WEIGHTS).read_text(encoding="utf-8")
    return {str(sign): float(weight) for sign, weight in json.loads(text).items()}


def _place(said: Said) -> Iterator[str]:
    to, sort = "agents" if said.for_agents else "people", "item" if said.item else "paragraph"
    end = said.text[-1:]
    yield from ("any", to, sort, f"{to} {sort}", f"{sort} later" if said.later else f"{sort} first")
    yield f"end {end}" if end and not end.isalnum() else "end word"
    yield f"terms {min(_LONGEST, len(_terms(said.text)) // 5)}"
    yield f"depth {min(4, len(said.headings))}"
    marks = ("led", said.lead), ("code after", said.before_code), ("quoted", said.quoted)
    yield from (name for name, is_so in marks if is_so)


def _manner(said: Said) -> Iterator[str]:
    to = "agents" if said.for_agents else "people"
    text = said.text.replace("’", "'")
    grammar = {
        "order": _is_order(text),
        "firm": is_firm(text),
        "absolute": _ABSOLUTE.match(text),
        "points": is_deictic(text),
        "shouted": _SHOUTED.search(text),
        "label": _LABEL.match(text),
        "opening": _OPENING.match(text),
    }
    for name, is_so in grammar.items():
        if is_so:
            yield from (name, f"{name} {to}")
    for begin in _beginnings(text):
        yield from _verb(begin)


def _subject(said: Said) -> Iterator[str]:
    terms, lead = _terms(said.text), _terms(said.lead)
    yield from (f"word {term}" for term in terms)
    yield f"begins {' '.join(terms[:2])}"
    yield from (f"lead {term}" for term in lead)
    yield from (f"heading {term}" for name in said.headings[-2:] for term in _terms(name))


def _terms(text: str) -> list[str]:
    """The words of `text` in lower case; what code and addresses are, not what they say."""
    return [_term(found) for found in _TERM.findall(text.replace("’", "'"))]


def _term(found: str) -> str:
    if found.startswith("`"):
        code = found.strip("`").strip()
        return "<command>" if _COMMAND.match(code) else "<path>" if _PATH.match(code) else "<code>"
    if found.startswith(("http:", "https:")):
        return "<address>"
    return "<number>" if found[0].isdigit() else found.lower()


def _beginnings(text: str) -> Iterator[str]:
    """Where the main verb of an order may stand: at the start, after a label or a condition."""
    yield text
    yield from (text[found.end() :] for p in (_OPENING, _LABEL) if (found := p.match(text)))


def _verb(text: str) -> Iterator[str]:
    for term in _terms(text)[:6]:
        if term not in _BEFORE_VERB:
            ending = _ENDING.search(term)
            yield from (f"verb {term}", *((f"verb in {ending[0]}",) if ending else ()))
            return
        yield f"before verb {term}"


def _is_order(text: str) -> bool:
    """Whether the main verb of a sentence is an order."""
    firsts = (next(iter(_after_fillers(begin)), "") for begin in _beginnings(text))
    return any(first in _VERBS for first in firsts)


def _after_fillers(text: str) -> list[str]:
    terms = _terms(text)[:6]
    at = next((n for n, t in enumerate(terms) if t in _VERBS or t not in _BEFORE_VERB), len(terms))
    return terms[at:]


def is_firm(sentence: str) -> bool:
    """Whether it says that something must, should or must not be."""
    return _FIRM.search(sentence) is not None


def is_condition(text: str) -> bool:
    """Whether it says when or for what the things after it hold, or orders them itself."""
    return _CONDITION.match(text) is not None or _is_order(text)


def is_deictic(text: str) -> bool:
    """Whether it points at something outside itself and so cannot stand alone."""
    return _DEICTIC.search(_CODE.sub(" x ", text)) is not None


def kind_of(text: str) -> Kind:
    """The kind of a rule; a convention unless it plainly is another."""
    if _QUIRK.search(text):
        return Kind.ENVIRONMENT_QUIRK
    if _NEGATIVE.match(text):
        return Kind.WARNING
    if _DECISION.search(text):
        return Kind.DECISION
    if _PROCEDURE.match(text) and _CODE.search(text):
        return Kind.PROCEDURE
    return Kind.CONVENTION

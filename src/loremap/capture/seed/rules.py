"""Which sentences are rules for working in a repository, of what kind, and how weighty."""

from __future__ import annotations

import re

from loremap.capture.documents.prose import has_address
from loremap.model.kind import Kind

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
_MODAL = re.compile(
    r"\b(?:must|should(?:n't)?|shall|avoid|prefer(?:red|ably)?|required"
    r"|mandatory|forbidden|prohibited|not allowed|not permitted|ensure|make sure|be sure"
    r"|instead of|rather than|not accept(?:ed)?|will not be merged|need(?:s)? (?:to|an?)|have to"
    r"|has to|use\b[^.]{2,80}\binstead)\b",
    re.IGNORECASE,
)
_STRONG = re.compile(r"\b(?:must|forbidden|prohibited|not allowed|mandatory)\b", re.IGNORECASE)
_ABSOLUTE = re.compile(
    r"\b(?:never|always|only)\s+(?:\w+ly\s+)?([a-z-]+)|\buse only\b", re.IGNORECASE
)
_DO_NOT = re.compile(
    r"(?:^|[,;:.!—–-]\s+|\b(?:please|so|and|but|then|simply)\s+)(?:do not|don't)\b", re.IGNORECASE
)
"""An order, unlike `the validators do not check this`."""
_ABSOLUTE_START = re.compile(r"(?:please\s+)?(?:never|always|only)\b(?!:)", re.IGNORECASE)
_FLAT = re.compile(r"(?:never|always|do not|don't|no|avoid)\s", re.IGNORECASE)
_TERSE = re.compile(r"no\s+\w|.*,\s+(?:never|not)\s|.*\bonly\b", re.IGNORECASE)
"""How rules are noted down: `No default exports`, `Cents, never floats`, `Named exports only`."""
_BINDING = re.compile(
    r"\b(?:must|mandatory|is required|are required|forbidden|not allowed|will not be merged"
    r"|not accept(?:ed)?|will be closed)\b|^(?:never|always|do not|don't)\b",
    re.IGNORECASE,
)
_DECLARED = re.compile(
    r"\b(?:uses?|we use|is written in|are written in|(?:is|are) formatted|follows?|lives? in"
    r"|live under|(?:is|are) (?:located|defined|placed|stored|kept|enforced|managed|generated)"
    r"|goes? (?:in|under|into)|(?:is|are) run (?:with|using|by)|requires?)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:please|when|if|for|in|to|before|after|on|unless|while|once|inside|within|during"
    r"|by default)\b[^,;]{2,120},\s+"
    r"(?:please\s+|always\s+|also\s+|then\s+|just\s+|only\s+)*([a-z-]+)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^:`.]{2,40}:\s+(?:please\s+)?([a-zA-Z-]+)")
_CONDITION = re.compile(
    r"(?:when|whenever|if|for|in|to|before|after|on|unless|while|once|inside|within|during)\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"(?:please\s+|also,?\s+|and\s+|always\s+|then\s+)*([a-zA-Z-]+)", re.IGNORECASE)
_ALL = re.compile(r"(?:all|every|each)\b.*`.*\b(?:is|are)\b", re.IGNORECASE)
"""What holds for all of something named: all content of `CHANGELOG.md` is wrapped."""
_WE = re.compile(r"we (?:do not|don't|never|always|only)\b", re.IGNORECASE)
_STACK = re.compile(
    r"(?:tech\w* stack|stack|languages?|frameworks?|database|package manager|styling|state"
    r"(?: management)?|runtime|backend|frontend|ui|auth\w*|orm|deployment|hosting)\s*:\s+\S",
    re.IGNORECASE,
)
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
_READING_HINT = re.compile(
    r"^(?:(?:please|also)\s+|(?:for|if|to)\b[^.,]*,\s+(?:please\s+)?)?"
    r"(?:see|refer to|check out|visit|consult|read|browse|look (?:at|through)|study)\b"
    r"(?!.*\bmust\b)"
    r"|\b(?:for more|more information|more details|learn more|can be found|is available (?:at|in)"
    r"|are available (?:at|in)|documentation at)\b",
    re.IGNORECASE,
)
_ROLE_PLAY = re.compile(
    r"^(?:you are (?:a|an|the)\b|your (?:goal|role|task|job|primary|mission|only|output)\b"
    r"|act as\b)",
    re.IGNORECASE,
)
_SOCIAL = re.compile(
    r"\b(?:thank|welcome|feel free|happy to|hesitate|let us know|worry|stack ?overflow|discord"
    r"|slack|mailing list|twitter|gitter|sponsor|donat|code of conduct|bug reports?|report(?:ing)? "
    r"(?:a |the |an )?(?:bug|issue)|feature requests?|forum|fork\b|clone\b|open an issue"
    r"|file an? |create an issue|new issue|issue tracker|issue search|issue title|traceback"
    r"|your name|newcomer|first[- ]time|appreciat|reviewers? will|maintainers? (?:will|may|can)"
    r"|committers?|e-?mail|contact|blog|tutorial|talk to|ask for help|(?:may|might) want|duplicate"
    r"|screenshots?|plugin repository|i'll|i want|good first issue|help wanted|full output|we have"
    r"|you can\b|you may\b|if you (?:would like|have a|need|want)|more help)",
    re.IGNORECASE,
)
_MANNERS = re.compile(
    r"\b(?:I|[Mm]e|[Mm]y)\b(?!/)|\b(?i:the answer|your (?:answers?|responses?|knowledge|tone)|moral"
    r"|formalities|personality|an AI|expectations|be (?:terse|casual|concise|polite))\b"
)
"""How somebody wants to be talked to, which is no convention of the code."""
_PARAMETER = re.compile(r"`[^`]+`\s*\((?:default|required|optional|type)\b", re.IGNORECASE)
_WORDS = re.compile(r"[^\s`]+")
_CODE = re.compile(r"`[^`]+`")
_STEERING = re.compile(
    r"\byour (?:only|entire) (?:output|response|answer)|\brespond only with\b"
    r"|\b(?:ignore|disregard) (?:all |any )?(?:previous|prior|other|earlier) "
    r"(?:instructions|rules)",
    re.IGNORECASE,
)


def steers_answers(text: str) -> bool:
    """Whether a text tells a model what to answer rather than how the code is written."""
    return _STEERING.search(text) is not None


def is_firm(sentence: str) -> bool:
    """Whether it says that something must, should or must not be."""
    return _MODAL.search(sentence) is not None or _DO_NOT.search(sentence) is not None


def is_condition(text: str) -> bool:
    """Whether it says when or for what the things after it hold, or orders them itself."""
    return _CONDITION.match(text) is not None or _imperative(text)


def is_deictic(text: str) -> bool:
    """Whether it points at something outside itself and so cannot stand alone."""
    return _DEICTIC.search(text) is not None


def is_courtesy(sentence: str) -> bool:
    """Whether it speaks to people about people: thanks, invitations, how to report."""
    return _SOCIAL.search(sentence) is not None or has_address(sentence)


def is_rule(sentence: str, *, strict: bool) -> bool:
    """Whether `sentence` tells how to work here.

    Strict is for files written to people at large, where most imperatives are courtesies.
    """
    if not _self_contained(sentence) or (strict and is_courtesy(sentence)):
        return False
    if strict:
        if _HOW_TO.search(sentence):
            return False
        if _TOLD_COMMAND.match(sentence) and "instead of" not in sentence:
            return False
        firm = _DO_NOT.search(sentence) or _MODAL.search(sentence) or _ALL.match(sentence)
        told = _imperative(sentence) or _absolute(sentence) or firm is not None
        return told and _technical(sentence)
    return (
        _imperative(sentence)
        or _absolute(sentence)
        or _DO_NOT.search(sentence) is not None
        or _MODAL.search(sentence) is not None
        or _STACK.match(sentence) is not None
        or _WE.match(sentence) is not None
        or re.match(r"no\s+\w", sentence, re.IGNORECASE) is not None
        or (_DECLARED.search(sentence) is not None and _concrete(sentence))
    )


def is_terse_rule(text: str) -> bool:
    """Whether an item is a rule where every item is meant as one: under a heading for rules."""
    bare = _CODE.sub("", re.sub(r"\([^)]*\)", "", text))
    return (_self_contained(text) and len(re.findall(r"\w{2,}", bare)) > 2) or (
        _TERSE.match(text) is not None and not is_deictic(text) and len(text.split()) > 1
    )


def kind_of(text: str) -> Kind:
    """The kind of a rule; a convention unless it plainly is another."""
    if _QUIRK.search(text):
        return Kind.ENVIRONMENT_QUIRK
    if _NEGATIVE.match(text):
        return Kind.WARNING
    if _STACK.match(text):
        return Kind.ARCHITECTURE
    if _DECISION.search(text):
        return Kind.DECISION
    if _PROCEDURE.match(text) and _CODE.search(text):
        return Kind.PROCEDURE
    return Kind.CONVENTION


def weight_of(text: str, *, strict: bool) -> float:
    """How important a rule is, from 0 to 1, by how firmly it is said and how concrete it is."""
    if _STRONG.search(text) or _DO_NOT.search(text) or _absolute(text):
        firm = 0.85
    elif _MODAL.search(text):
        firm = 0.75
    else:
        firm = 0.7 if _imperative(text) else 0.6
    return round(firm + (0.03 if _CODE.search(text) else 0.0) - (0.12 if strict else 0.0), 2)


def _self_contained(sentence: str) -> bool:
    bare = _CODE.sub(" x ", sentence)
    count = len(_WORDS.findall(bare))
    enough = 2 if _CODE.search(sentence) or _STACK.match(sentence) else 4
    enough = min(enough, 3) if _FLAT.match(sentence) else enough
    return (
        count >= enough
        and not sentence.endswith(("?", ":", "…"))
        and not _DEICTIC.search(bare)
        and not _READING_HINT.search(bare)
        and not _ROLE_PLAY.search(bare)
        and not _MANNERS.search(bare)
        and not _PARAMETER.match(sentence)
        and not steers_answers(sentence)
    )


def _imperative(sentence: str) -> bool:
    """Whether the main verb of `sentence` is an order."""
    for pattern in (_FIRST, _OPENING, _LABEL):
        found = pattern.match(sentence)
        if found is not None and found[1].lower() in _VERBS:
            return True
    return False


def _absolute(sentence: str) -> bool:
    """Whether something is always, never or only to be done, not merely always so."""
    label = _LABEL.match(sentence)
    body = sentence[label.start(1) :] if label else sentence
    return (
        _ABSOLUTE_START.match(body) is not None
        or ", never " in body
        or any(
            found[1] is None
            or found[1].lower() in _VERBS
            or found[1].lower() in ("be", "give", "go")
            for found in _ABSOLUTE.finditer(body)
        )
    )


def _concrete(sentence: str) -> bool:
    """Whether it names something of the repository: code, a path, a tool."""
    return (
        _CODE.search(sentence) is not None
        or re.search(r"\w+[/.]\w{2,}|[A-Z]{3,}", sentence) is not None
    )


_TOLD_COMMAND = re.compile(
    r"to [^,`]{3,100},?\s+(?:please\s+)?(?:run|use|execute)\b", re.IGNORECASE
)
"""How something is done; commands are told by the map."""
_HOW_TO = re.compile(r"\byou (?:first |might |may |will )?(?:need|have) to\b", re.IGNORECASE)
"""What a reader will come to do, unlike what a change must be."""
_TECHNICAL = re.compile(
    r"\b(?:code|tests?|docstrings?|functions?|class(?:es)?|modules?|imports?|types?|api|commits?"
    r"|commit messages?|changelog|branch(?:es)?|lint\w*|format\w*|coverage|dependenc\w+"
    r"|pull requests?|prs?|files?|lines?|names?|style|licen[cs]e|python|typescript|javascript"
    r"|contributions?|rust|documentation|docs|schemas?|ai|llms?)\b",
    re.IGNORECASE,
)


def _technical(sentence: str) -> bool:
    return _concrete(sentence) or _TECHNICAL.search(sentence) is not None

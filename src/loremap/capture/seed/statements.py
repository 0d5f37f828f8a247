"""Single rules out of a Markdown text, each able to stand alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from loremap.capture.documents.markdown import Block, blocks
from loremap.capture.documents.prose import plain, sentences
from loremap.capture.seed.commands import PURPOSES, about_command, commands, purpose_of
from loremap.capture.seed.inversion import inverts, is_negative, unmarked
from loremap.capture.seed.rules import (
    is_condition,
    is_courtesy,
    is_deictic,
    is_firm,
    is_rule,
    is_terse_rule,
    kind_of,
    weight_of,
)
from loremap.capture.seed.value import MOST_CHARS
from loremap.model.kind import Kind
from loremap.model.words import words

_LONGEST_LEAD = 140
_LONGEST_HEADING = 30
_SHORT_ITEM = 80
_MOST_PER_PURPOSE = 2
_NOTED_WEIGHT = 0.72
"""Of what stands under a heading for rules, however it is said."""
_ONE_TEST = re.compile(r"\btest_\w+\.py|\.spec\.|\.test\.|::|--pdb| -k ")

_PASSED_OVER = re.compile(
    r"table of contents|\bbugs?\b|report|issue|question|support\b|conduct|licen[cs]e|communit"
    r"|contact|credit|acknowledg|feature request|sponsor|fund|govern|security|vulnerab|getting help"
    r"|mentor|thank|author|maintainer|plugins? to|translat|donat|welcome|where to|ways to|talk"
    r"|backport|releas|example|faq|resources|further|reading|overview|imposter|committers?"
    r"|\bci\b|continuous integration|secrets|^(?:\S+ )?structure$",
    re.IGNORECASE,
)
_FOR_AGENTS_PASSED_OVER = re.compile(
    r"table of contents|licen[cs]e|credit|further reading|overview|key files"
    r"|^(?:(?:more|other|additional|useful|external|learning) )?resources$"
    r"|code reviews?|reviewing|releas|checklist|troubleshoot|examples? of|benefits"
    r"|tech(?:nology)? stack"
    r"|personality|tone\b|communication|parameters"
    r"|^structure$",
    re.IGNORECASE,
)
_FOR_RULES = re.compile(
    r"\b(?:styles?|conventions?|naming|rules|guidelines?|important|standards?|practices|do'?s|don'?ts"
    r"|formatting|constraints|gotchas?|pitfalls|principles|invariants|patterns|requirements|critical)\b",
    re.IGNORECASE,
)
"""Under such a heading every item is meant as a rule, however briefly it is noted."""
_GENERIC = frozenset(
    """
    guideline guidelin rule note overview general import key point direct develop project convent
    style code guid introduct basic common miscellan other tip instruct standard practic best must
    do contribut about critic principl workflow agent claud cursor step what how when start set up
    short version long detail require usag process polici pattern
    command stack
    """.split()
)
_DANGLING = re.compile(
    r"\b(?:must|should|shall|sure to|sure that|always|never|not|don't|needs? to|required to|ensure"
    r"|ensure that|please)\s*:$",
    re.IGNORECASE,
)
_EMPTY_LEAD = re.compile(
    r"(?:\bfollowing|\bexamples?|\bfor instance|\bsuch as|\bnotes?|\bbelow|\bsteps?|\bthings"
    r"|\bthese[\w ]*|\bways|\bguidelines|\brules)\s*:$",
    re.IGNORECASE,
)
_ORDERED = re.compile(r"\b(?:as follows|in (?:this|the following) order)\s*:$", re.IGNORECASE)
"""A lead whose items are one rule together."""
_SHORTEST_LIST, _LONGEST_LIST = 3, 12
_SHELLS = frozenset({"bash", "sh", "shell", "console", "zsh", "powershell", "pwsh"})
_INLINE = re.compile(r"`([^`]+)`")
_COMMAND_ITEM = re.compile(r"`([^`]+)`\s*(?:--|-|–|—|:)\s+(.+)$")


@dataclass(frozen=True, slots=True)
class Statement:
    """One rule, the line it begins at, and its weight."""

    text: str
    line: int
    kind: Kind
    weight: float
    headings: tuple[str, ...] = ()
    about: str = ""
    purpose: str = ""
    """Of a command: what it is for."""


def statements(text: str, *, strict: bool) -> list[Statement]:
    """The single rules in a Markdown text, each able to stand alone."""
    every = blocks(text)
    used = set[int]()
    found = list[Statement]()
    passed_over = _PASSED_OVER if strict else _FOR_AGENTS_PASSED_OVER
    for index, block in enumerate(every):
        if index not in used and not any(passed_over.search(name) for name in block.headings):
            found += _of_block(every, index, used, strict=strict)
    return list(_few_commands(found))


def _few_commands(found: list[Statement]) -> Iterator[Statement]:
    """`found` with at most a few commands of one purpose, the general before the special."""
    told = Counter[str]()
    for each in sorted(found, key=lambda each: -each.weight):
        told[each.purpose] += bool(each.purpose)
        if told[each.purpose] <= _MOST_PER_PURPOSE and len(each.text) <= MOST_CHARS:
            yield each


def _of_block(
    every: list[Block], index: int, used: set[int], *, strict: bool
) -> Iterator[Statement]:
    block = every[index]
    if block.sort == "code":
        yield from _of_code(block, _said_before(every, block, index))
        return
    text = unmarked(block.text, plain(block.text))
    if not text:
        return
    children = [
        n for n in range(index + 1, min(index + 40, len(every))) if every[n].parent == index
    ]
    listed = [n for n in children if every[n].sort == "item"]
    if text.endswith(":"):
        if block.sort == "paragraph":  # what is said before the sentence that leads on
            for rule in _whole_rules(sentences(text)[:-1], strict=strict):
                yield _statement(rule, block, strict=strict)
        joined = _joined(text, [plain(every[n].text) for n in listed], strict=strict)
        if joined:
            used.update(listed)
            yield _statement(joined, block, strict=strict)
        elif not listed and children and every[children[0]].sort == "code":
            used.add(children[0])
            yield from _with_code(text, block, every[children[0]], strict=strict)
        return
    lead = _lead(every, block, index)
    stands = _under_rules(block) and (bool(lead) or not _said_before(every, block, index))
    if lead or not inverts(_said_before(every, block, index)) or is_negative(text):
        yield from _of_prose(text, block, lead, strict=strict, stands=stands)


def _of_prose(
    text: str, block: Block, lead: str, *, strict: bool, stands: bool
) -> Iterator[Statement]:
    command = _COMMAND_ITEM.match(text)
    if command is not None and purpose_of(command[1]) and not strict:
        yield from _of_command_item(command, block)
        return
    parts = sentences(text)
    if block.sort == "paragraph":
        for rule in _whole_rules(parts, strict=strict):
            yield _statement(rule, block, strict=strict)
        return
    first = next((n for n, part in enumerate(parts) if is_rule(part, strict=strict)), None)
    noted = (stands and is_terse_rule(parts[0])) or (
        _DANGLING.search(lead) is not None and len(text.split()) > 2
    )
    if (first is None and not noted) or is_deictic(lead):
        return
    room = MOST_CHARS - len(lead) - 1
    if strict or len(text) >= room or is_deictic(parts[0]):
        parts = [part for part in parts[first or 0 :] if not (strict and is_courtesy(part))]
    whole = _fitting(parts, room=room)
    if whole:
        found = _statement(whole, block, strict=strict, lead=lead)
        meant = not strict and _under_rules(block)
        yield replace(found, weight=max(found.weight, _NOTED_WEIGHT)) if meant else found


_JOINT = re.compile(
    r"^(?:additionally|also|furthermore|moreover|in addition|likewise|similarly),\s+", re.IGNORECASE
)
"""How a sentence is joined to the one before that it can do without."""
_GOES_ON = re.compile(r"^(?:it|they|these|this|instead|otherwise|if)\b", re.IGNORECASE)


def _whole_rules(parts: list[str], *, strict: bool) -> Iterator[str]:
    """The rules among the sentences of a paragraph, each with the sentence after it that goes on
    about it and is none by itself."""
    alone = [_unjoined(part) for part in parts]
    rules = [is_rule(part, strict=strict) for part in alone]
    for at, part in enumerate(alone):
        if not rules[at]:
            continue
        after = parts[at + 1] if at + 1 < len(parts) and not rules[at + 1] else ""
        goes_on = _GOES_ON.match(after) and after.endswith(".") and not is_courtesy(after)
        whole = f"{part} {after}" if goes_on else part
        yield whole if len(whole) <= MOST_CHARS else part


def _unjoined(sentence: str) -> str:
    """`sentence` without what only joins it to the one before."""
    bare = _JOINT.sub("", sentence)
    return bare[:1].upper() + bare[1:] if bare != sentence else sentence


def _under_rules(block: Block) -> bool:
    return any(_FOR_RULES.search(name) for name in block.headings[-1:])


def _joined(lead: str, items: list[str], *, strict: bool) -> str:
    """A rule that is told by a whole list of short items; empty where each item speaks alone."""
    if _ORDERED.search(lead) and _SHORTEST_LIST <= len(items) <= _LONGEST_LIST:
        short = all(len(item) <= _SHORT_ITEM // 2 for item in items)
        return _listed(lead, items) if short and not is_deictic(_ORDERED.sub("", lead)) else ""
    if not items or not is_rule(lead[:-1], strict=strict) or _EMPTY_LEAD.search(lead):
        return ""
    if any(len(item) > _SHORT_ITEM or is_rule(item, strict=False) for item in items):
        return ""
    return _listed(lead, items)


def _listed(lead: str, items: list[str]) -> str:
    text = f"{lead} {'; '.join(item.rstrip('.;,') for item in items)}."
    return text if len(text) <= MOST_CHARS else ""


def _with_code(text: str, block: Block, code: Block, *, strict: bool) -> Iterator[Statement]:
    """A sentence and the code it introduces: commands are told, other code is only an example. What
    a command does is no rule; that it must be run is one."""
    last = sentences(text)[-1]
    found = list(commands(code.text, language=code.language))
    if found and not inverts(f"{last} {' '.join(block.headings)}"):
        for command in found[:2]:
            yield _command(command.purpose, command.line, command.remark, code, command.offset)
    elif is_rule(last[:-1], strict=strict) and (is_firm(last) or code.language not in _SHELLS):
        yield _statement(f"{last[:-1]}.", block, strict=strict)


def _of_code(block: Block, before: str) -> Iterator[Statement]:
    if inverts(f"{before} {' '.join(block.headings)}"):
        return
    for command in commands(block.text, language=block.language):
        yield _command(command.purpose, command.line, command.remark, block, command.offset)


def _command(purpose: str, line: str, remark: str, block: Block, offset: int) -> Statement:
    said = f" ({remark})" if 0 < len(remark) <= 100 else ""
    return Statement(
        text=f"{PURPOSES[purpose]} `{line}`{said}.",
        line=block.line + offset,
        kind=Kind.PROCEDURE,
        weight=_command_weight(purpose, line),
        headings=block.headings,
        about=about_command(line),
        purpose=purpose,
    )


def _of_command_item(command: re.Match[str], block: Block) -> Iterator[Statement]:
    line, purpose = command[1], purpose_of(command[1])
    text = _ended(f"`{line}`: {command[2]}")
    if len(text) <= MOST_CHARS:
        yield Statement(
            text=text,
            line=block.line,
            kind=Kind.PROCEDURE,
            weight=_command_weight(purpose, line),
            headings=block.headings,
            about=about_command(line),
            purpose=purpose,
        )


def _command_weight(purpose: str, line: str) -> float:
    if _ONE_TEST.search(line):
        return 0.6
    return 0.8 if purpose in ("test", "lint", "types", "format") else 0.65


def _lead(every: list[Block], block: Block, index: int) -> str:
    """The words that an item continues: the sentence with a colon that its list hangs on."""
    last = _said_before(every, block, index) if block.sort == "item" else ""
    fits = len(last) <= _LONGEST_LEAD and last.endswith(":") and not _EMPTY_LEAD.search(last)
    told = is_condition(last) or _DANGLING.search(last) is not None or inverts(last)
    return last.rpartition(", so ")[2] if fits and told else ""


def _said_before(every: list[Block], block: Block, index: int) -> str:
    """The last sentence of what `block` hangs on, if it leads up to it."""
    if block.parent is None or block.parent >= index or every[block.parent].sort == "code":
        return ""
    said = sentences(plain(every[block.parent].text))
    leads = bool(said) and (said[-1].endswith(":") or block.sort == "code")
    return said[-1] if leads else ""


def _fitting(parts: list[str], *, room: int) -> str:
    """As many of the first sentences as fit; empty where not even one does."""
    text = ""
    for part in parts:
        longer = f"{text} {part}".strip()
        if len(longer) > room - 1 or part.endswith(("?", ":")):
            break
        text = longer
    return text


def _statement(text: str, block: Block, *, strict: bool, lead: str = "") -> Statement:
    text = _ended(text)
    headed = _ended(f"{lead} {text}") if lead else _headed(text, block.headings)
    weight = weight_of(text, strict=strict)
    asked = [code for code in _INLINE.findall(text) if purpose_of(code)]
    alone = strict and len(asked) == 1 and not inverts(headed)
    about = about_command(asked[0]) if alone else ""
    return Statement(headed, block.line, kind_of(text), weight, block.headings, about)


def _headed(text: str, headings: tuple[str, ...]) -> str:
    """`text` after the heading it stands under, where that adds a word to it."""
    wrong = next((plain(name) for name in reversed(headings) if inverts(name)), "")
    if wrong and not is_negative(text):
        return f"{wrong.rstrip(':.')}: {text}"
    if not headings or re.match(r"[^:`.]{2,40}: ", text):
        return text
    name = plain(headings[-1]).rstrip(":.")
    topic = set(words(name)) - _GENERIC
    known = set(words(name)) & set(words(text))
    if not topic or known or len(name) > _LONGEST_HEADING or len(headings) < 2:
        return text
    headed = f"{name}: {text}"
    return headed if len(headed) <= MOST_CHARS else text


def _ended(text: str) -> str:
    text = text.strip().rstrip(",;")
    if "a" <= text[:1] <= "z":
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ".)")) else f"{text}."

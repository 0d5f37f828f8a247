"""What a small model points to in a session, held against the session: only words that stand there,
said by whom it says, become a finding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from loremap.model.finding import Finding
from loremap.model.turn import Speaker, Turn
from loremap.safety.redaction import redacted
from loremap.sessions.learning.exchanges import changes
from loremap.sessions.learning.known import Told, told
from loremap.sessions.learning.sentences import asks, own_words, sentences, telling
from loremap.sidecar.tasks.extract import Pointed

BECAUSE = "the small model pointed to it"
MAX_SENTENCES, MAX_CHARACTERS, MAX_FILES = 3, 500, 8
MIN_TELLING = 4
_SAME = 0.6
_CONFIDENCE = {Speaker.PERSON: 0.5, Speaker.AGENT: 0.4}
_TAG = re.compile(r"[^\W_][\w-]{1,30}")
_AROUND = " \t\n\"'`“”‘’«»….-*"


def findings_pointed(
    turns: Sequence[Turn],
    pointed: Iterable[Pointed],
    *,
    by_rules: Sequence[Finding] = (),
    injected: Sequence[str] = (),
) -> list[Finding]:
    """What of it holds: the quote stands in a turn of that speaker, in whole sentences that ask
    nothing, hold no secret, restate nothing that was told, and that rules have not found."""
    given = told(turns, injected)
    found = list[Finding]()
    for one in pointed:
        finding = _held(turns, one, given)
        if finding is not None and not _is_known(finding, (*by_rules, *found)):
            found.append(finding)
    return found


def _held(turns: Sequence[Turn], one: Pointed, given: Told) -> Finding | None:
    turn = next((each for each in turns if each.number == one.turn), None)
    if turn is None or turn.speaker is not one.speaker or turn.in_subagent:
        return None
    said = _around(one.quote, own_words(turn.text))
    kept = [sentence for sentence in said if _may_be_kept(sentence, one.speaker, given)]
    content = " ".join(kept)
    if len(kept) != len(said) or not 0 < len(content) <= MAX_CHARACTERS:
        return None
    if len(telling(content)) < MIN_TELLING:
        return None
    return Finding(
        kind=one.kind,
        content=content,
        quote=content,
        said_by=turn.speaker,
        first=turn.number,
        last=turn.number,
        at=turn.at,
        because=BECAUSE,
        confidence=_CONFIDENCE[turn.speaker],
        files=_files_after(turns, turn.number),
        tags=_tags(one.tags, content),
    )


def _around(quote: str, text: str) -> list[str]:
    """The whole sentences of a text in which a quote stands, word for word; none where it does not,
    or where it stands in too many."""
    whole = [" ".join(sentence.split()) for sentence in sentences(text)]
    wanted, joined = " ".join(quote.split()).strip(_AROUND), " ".join(whole)
    at = joined.find(wanted) if wanted else -1
    if at < 0:
        return []
    found, start = list[str](), 0
    for sentence in whole:
        end = start + len(sentence)
        if start < at + len(wanted) and end > at:
            found.append(sentence)
        start = end + 1
    return found if len(found) <= MAX_SENTENCES else []


def _may_be_kept(sentence: str, speaker: Speaker, given: Told) -> bool:
    again = given.echoed if speaker is Speaker.AGENT else given.restated
    return not (asks(sentence) or again(sentence)) and redacted(sentence).text == sentence


def _is_known(found: Finding, others: Iterable[Finding]) -> bool:
    """Whether it says what another finding of the same turn says."""
    own = telling(found.content)
    return any(
        other.first <= found.last <= other.last
        and len(own & telling(other.content)) >= _SAME * len(own)
        for other in others
    )


def _files_after(turns: Sequence[Turn], number: int) -> tuple[str, ...]:
    """The files that were changed before a person spoke again."""
    found = list[str]()
    for turn in turns:
        if turn.number <= number:
            continue
        if turn.speaker is Speaker.PERSON:
            break
        if changes(turn) and turn.call is not None:
            found += [use.path for use in turn.call.files]
    return tuple(dict.fromkeys(found))[:MAX_FILES]


def _tags(offered: Iterable[str], content: str) -> tuple[str, ...]:
    """The tags that are words of what was said."""
    said = content.casefold()
    read = (tag.lstrip("#").casefold() for tag in offered)
    return tuple(dict.fromkeys(tag for tag in read if _TAG.fullmatch(tag) and tag in said))

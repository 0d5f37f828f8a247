"""What is not worth keeping when an agent writes it: reports of its own work, restated code, what
is true for a minute only. A person may remember anything.

In doubt it is kept: a candidate costs a line, a lost lesson costs a day.
"""

from __future__ import annotations

import re

from loremap.model.kind import RULES
from loremap.model.memory import FROM_USER, Candidate, Origin, Scope
from loremap.model.text import is_code, is_statement_of_code

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_PLACE = re.compile(r"`?[\w./\\-]*[./\\][\w./\\-]+`?(?::\d+)*|\d+(?:\s*[-–]\s*\d+)?")
_POINTING = frozenset(
    "see at on in line lines l file of the around near check look to and from".split()
)
_ASSENT = (
    r"(?:understood|ok|okay|got it|sure|noted|will do|thanks|thank you|sounds good|alright|yes)"
)
_ACKNOWLEDGED = re.compile(
    rf"{_ASSENT}(?:\b[\s,.!]*(?:{_ASSENT}|(?:I'll|I will|I am going to|let me)\b[^.!?]*))*[\s.!]*",
    re.IGNORECASE,
)
_DID = (
    "ran|fixed|added|updated|removed|implemented|refactored|committed|pushed|merged|tested|verified|"
    "checked|finished|completed|created|wrote|deployed|renamed|installed|opened|edited|changed"
)
_DIARY = re.compile(
    rf"(?:(?:I|I've|I have|we've|we have)\s+(?:just\s+|also\s+|successfully\s+)*(?:{_DID}|read)\b"
    rf"|(?:just\s+|successfully\s+)?(?:{_DID})\s+(?:the|a|an|all|some|my|it|this|that|both|and)\b"
    r"|(?:I'm|I am)\s+\w+ing\b)",
    re.IGNORECASE,
)
_TEACHES = re.compile(
    r"\b(?:because|otherwise|must|never|always|should|unless|instead|so that|avoid|do not|don't|"
    r"requires?|turned out|the (?:reason|cause|fix|trick|lesson)|caused by)\b",
    re.IGNORECASE,
)
_AT_WORK = "running|building|compiling|deploying|pending|queued|in progress|installing|passing"
_PASSING = re.compile(
    r"(?:(?:I'm |I am |we're |we are )?(?:currently |now |still )(?:on|at|in) (?:step|phase)\b.*"
    rf"|(?:the |a |our |all )?(?:\S+ ){{1,3}}(?:is|are) (?:currently |still |now )*(?:{_AT_WORK})"
    r"(?: (?:now|right now|at the moment|again))?"
    r"|(?:(?:currently|still|now) )?(?:working|waiting|trying|looking|continuing)"
    r" (?:on|for|to|into|at|with)\b.*)[\s.!…]*",
    re.IGNORECASE,
)
_IMPERATIVES = frozenset("use run avoid prefer keep never always no don't do".split())


def unworthy(candidate: Candidate, *, in_project: bool = True) -> str | None:
    """Why an agent's `candidate` is not kept, and what to write instead; None where it is."""
    if candidate.origin in FROM_USER or candidate.origin is Origin.FILE or candidate.confirmed:
        return None
    if candidate.scope is Scope.GLOBAL or (candidate.scope is Scope.PROJECT and not in_project):
        here = (
            "Store it for this project, or ask" if in_project else "There is no project here; ask"
        )
        return (
            "Only the user can say that something holds in every project. "
            f"{here} the user to run: lore remember --global."
        )
    text = candidate.content.strip()
    if _is_restated_code(text):
        return (
            "That restates code, which later sessions can read in the file. Say in a sentence what "
            "is to be learned from it, and name the file."
        )
    if _only_points(text):
        return (
            "That only points at a line, and lines move. Say what is there to know, and give the "
            "path in files."
        )
    if _ACKNOWLEDGED.fullmatch(text):
        return (
            "That is an answer to the user, not something to know later. Store what was agreed, "
            "with its reason."
        )
    if candidate.procedure is None and _is_fragment(text):
        return "That is no statement. Say in a full sentence what is true of what, and why."
    rule = RULES[candidate.kind]
    if rule.episodic or rule.branch_bound:  # they are there to tell what was done and where we are
        return None
    if _PASSING.fullmatch(text):
        return (
            "That is true for the moment only. Store what a later session needs; where work "
            "stopped is kind=work_state."
        )
    if _DIARY.match(text) and not _TEACHES.search(text):
        return (
            "That reports what you did, which git and the session log tell. Store the lesson: what "
            "is true of the code now, and why."
        )
    return None


def _is_restated_code(text: str) -> bool:
    """Whether it is code and not one line of prose."""
    bare = re.sub(r"^```\w*\s*$", "", text, flags=re.MULTILINE)
    lines = [line for line in bare.splitlines() if line.strip()]
    return is_code(bare) and all(_is_code_line(line) for line in lines)


def _is_code_line(line: str) -> bool:
    return is_statement_of_code(line) or len(_WORD.findall(line)) < 5


def _only_points(text: str) -> bool:
    """Whether nothing is left beside paths, numbers and words that point."""
    left = _WORD.findall(_PLACE.sub(" ", text).casefold())
    return bool(_PLACE.search(text)) and set(left) <= _POINTING


def _is_fragment(text: str) -> bool:
    """Whether it is one word, or two that ask nothing to be done."""
    if not text.isascii():
        return len(text) < 4  # scripts without spaces say much in a word
    said = text.split()
    return len(said) == 1 or (len(said) == 2 and said[0].casefold() not in _IMPERATIVES)

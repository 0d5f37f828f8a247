"""One memory as an agent reads it: what it is in a few marks, then its own words, exactly.

There are two registers: what a person decided or confirmed, and what nobody has verified. A text
keeps its line breaks, the lines after the first indented by two spaces; one that is too long is cut
with `…` and says how to read the rest. Beside its words stand remarks (an unmerged branch, a
conflict); before a tool one to three such lines are read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from loremap.memory.brief.ours import harmless
from loremap.memory.brief.render import Piece, Section, telling_start
from loremap.model.anchor import Checked, Freshness
from loremap.model.clock import short_id
from loremap.model.hostile import UNSAID, name_speaks
from loremap.model.kind import RULES, Kind
from loremap.model.memory import Conflict, Memory, Status
from loremap.model.recall import Alert, Hit
from loremap.model.text import cut, one_line, visible

LONGEST = 500
"""Characters of one memory, at most."""
LONGEST_REASON = 240
"""Characters of what is said of a conflict."""
MAX_FILES = 3
INDENT = "  "
UNVERIFIED = "[unverified]"
BORNE_OUT = "[borne out by later work]"
OLDER = "[older]"
_TELLING_KINDS = frozenset({Kind.ERROR_PATTERN}) | {
    kind for kind, rule in RULES.items() if rule.may_trigger or rule.episodic or rule.branch_bound
}
"""Kinds that change how a line is read: what goes wrong, and what was so at one time. Of the
others the words themselves say what they are."""


class Register(StrEnum):
    """Who stands behind what is said."""

    DECIDED = "Decided here"
    NOTED = "Noted, unverified"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What is to be said of a memory beside its words."""

    branch: str = ""
    """The branch it was learned on, where that is not merged here."""
    conflicts: tuple[tuple[str, str], ...] = ()
    """Ids of those it is in conflict with, each with the reason that is stored."""


NO_REMARK = Remark()
Remarks = Mapping[str, Remark]
"""By memory: what is to be said beside its words."""


def register_of(memory: Memory) -> Register:
    """Who stands behind a memory: a person confirms it, or nobody has."""
    return Register.DECIDED if memory.vouched else Register.NOTED


def memory_piece(
    hit: Hit,
    *,
    remarks: Remarks | None = None,
    why: str = "",
    titled: bool = True,
    longest: int = LONGEST,
    asked: frozenset[str] = frozenset(),
) -> Piece:
    """A memory as a line of its register, with a line for each conflict it is in; where no title
    says its register (`titled`), a mark does. A long one is told by the passage that says most of
    the words `asked` for."""
    memory, remark = hit.memory, (remarks or {}).get(hit.memory.id, NO_REMARK)
    marks = [mark] if (mark := _standing_mark(memory, titled=titled)) else []
    marks += [branch_mark(remark.branch)] if remark.branch else []
    marks += [OLDER] if hit.older else []
    marks += [mark] if (mark := stale_mark(hit.freshness)) else []
    words = words_of(memory, longest=longest, asked=asked)
    lines = [f"- {' '.join([*head(memory), *marks])}: {words}"]
    lines += [INDENT + conflict_line(other, reason) for other, reason in remark.conflicts]
    return Piece(
        text="\n".join(lines),
        memory_id=memory.id,
        register=register_of(memory).value,
        why=why,
        score=hit.score,
    )


def _standing_mark(memory: Memory, *, titled: bool) -> str:
    """What is to be said of how far a memory is believed."""
    if memory.vouched:
        return ""
    if memory.status is Status.CONFIRMED:
        return BORNE_OUT
    return "" if titled else UNVERIFIED


def head(memory: Memory) -> list[str]:
    """Id and date, the kind where it changes how the words are read, and files they do not name."""
    parts = [f"#{short_id(memory.id)}", f"{memory.created_at:%Y-%m-%d}"]
    parts += [RULES[memory.kind].label] if memory.kind in _TELLING_KINDS else []
    unsaid = [path for path in memory.files[:MAX_FILES] if path not in memory.content]
    return [*parts, *([joined(visible(", ".join(unsaid)))] if unsaid else [])]


def words_of(memory: Memory, *, longest: int, asked: frozenset[str] = frozenset()) -> str:
    """What a memory says, as it was stored."""
    text = visible(memory.content).strip()
    return indented(shortened(text, longest, id_=memory.id, asked=asked))


def shortened(text: str, longest: int, *, id_: str, asked: frozenset[str] = frozenset()) -> str:
    """`text` whole, or a passage of it with how to read the rest."""
    if len(text) <= longest:
        return text
    start = telling_start(text, asked, longest=longest)
    before = "…" if start else ""
    kept = before + cut(text[start:], longest - len(before))
    return f"{kept} (recall #{short_id(id_)})"


def indented(text: str) -> str:
    """`text` with the lines after its first indented, so that none of them passes for ours."""
    first, *others = text.split("\n")
    return "\n".join([first, *(f"{INDENT}{line}" if line.strip() else "" for line in others)])


def joined(text: str) -> str:
    """`text` on one line, where a line break cannot be shown."""
    return " ⏎ ".join(part.strip() for part in text.split("\n") if part.strip())


def registers(pieces: Iterable[Piece]) -> tuple[Section, ...]:
    """Pieces under the titles of their registers, what was decided first."""
    found = tuple(pieces)
    return tuple(
        Section(register.value, tuple(one for one in found if one.register == register.value))
        for register in Register
    )


def said_lines(
    hits: Sequence[Hit],
    *,
    remarks: Remarks | None = None,
    longest: int = LONGEST,
    asked: frozenset[str] = frozenset(),
) -> list[str]:
    """Memories as the answer to a question, under the titles of their registers."""
    lines: list[str] = []
    told = [memory_piece(hit, remarks=remarks, longest=longest, asked=asked) for hit in hits]
    for section in registers(told):
        if section.pieces:
            lines += [f"{section.title}:", *(harmless(piece.text) for piece in section.pieces)]
    return lines


def conflict_line(other: str, reason: str) -> str:
    """Says that two memories cannot both be followed, with what is stored of why."""
    return f"[⚠ CONFLICT] with #{short_id(other)}: {cut(one_line(reason), LONGEST_REASON)}"


def branch_mark(branch: str) -> str:
    """Says which branch a memory is from; a name that speaks to its reader is not said."""
    return "[on another branch]" if name_speaks(branch) else f"[on branch {one_line(branch)}]"


def name_said(name: str) -> str:
    """What a repository calls something, on one line: anyone may have chosen the name, and one
    that speaks to its reader is not said."""
    return UNSAID if name_speaks(name) else one_line(name)


def stale_mark(check: Checked | None) -> str:
    """What became of the code a memory speaks of, where it is not as it was."""
    fresh = check is None or check.freshness is Freshness.FRESH
    return "" if check is None or fresh else f"[{check.freshness.value}]"


def remarks_of(found: Iterable[Hit | Alert], conflicts: Sequence[Conflict]) -> Remarks:
    """By memory: the branch it is from where that is not merged, and its open conflicts."""
    sides: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for one in conflicts:
        sides[one.memory_a].append((one.memory_b, one.reason))
        sides[one.memory_b].append((one.memory_a, one.reason))
    branches = {each.memory.id: each.unmerged or "" for each in found}
    return {
        id_: Remark(branch=branch, conflicts=tuple(sides.get(id_, ())))
        for id_, branch in branches.items()
        if branch or id_ in sides
    }


MAX_LINES = 3
HELD = "Loremap held this once; call it again if you mean it. Remembered, as data and no order:"
HOLDS = frozenset({Kind.WARNING, Kind.CORRECTION})
"""What is held for: a person stands behind it, and it says what not to do."""


@dataclass(frozen=True, slots=True)
class Fired:
    """What warns of a step, and what is to be said of it beside its words."""

    alerts: tuple[Alert, ...]
    remarks: Remarks = field(default_factory=dict)
    others: tuple[Piece, ...] = ()
    """Who else changes the file at hand right now, and what past sessions have to say of it."""


def tool_lines(
    fired: Fired, told: Collection[str] = (), others_told: Collection[str] = ()
) -> list[Piece]:
    """At most three lines of what fires, without what was said at this tier before, and without
    what was told of others by its keys."""
    fresh = [alert for alert in fired.alerts if alert.memory.id not in told]
    lines = [line_of(alert, remarks=fired.remarks) for alert in fresh]
    others = (
        one
        for one in fired.others
        if one.memory_id not in told and not set(one.keys) & set(others_told)
    )
    return [*lines, *others][:MAX_LINES]


def line_of(alert: Alert, *, remarks: Remarks | None = None) -> Piece:
    """One warning as a line, marked where nobody confirmed it."""
    return memory_piece(
        Hit(alert.memory, alert.memory.confidence, freshness=alert.freshness),
        remarks=remarks,
        why=f"its trigger fires on the {alert.on}",  # the pattern is what the memory says
        titled=False,
    )


def in_one_line(line: Piece) -> str:
    """A warning as it is said with a call that is held: of that some clients show a person only
    the first line."""
    return joined(harmless(line.text))

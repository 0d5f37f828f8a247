"""The retrieval data sets as stores of items and questions, read from folders the caller names."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_FACT = re.compile(r"(\d+)\.\s+(.*)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_TEMPLATE = re.compile(r"#|<!--|```|\*\*|Description$|-->")
_EPOCH = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Item:
    """One text to remember: its key in the data set, its session and when it was said."""

    key: str
    text: str
    session: str
    at: datetime


@dataclass(frozen=True)
class Question:
    """A question, the keys of the items that answer it (none: nothing does) and its type."""

    text: str
    gold: frozenset[str]
    ability: str
    answers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Store:
    """Everything one memory store holds, in the order it was said, and what is asked of it."""

    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Issue:
    """The opening of an issue of some repository, asked of a store that knows nothing of it."""

    repository: str
    text: str


def locomo(folder: Path) -> list[Store]:
    """One store per conversation of `locomo*.json`; one turn, with its image's caption, an item."""
    return [
        _conversation(record)
        for path in sorted(folder.glob("locomo*.json"))
        for record in json.loads(path.read_text(encoding="utf-8"))
    ]


def beam(folder: Path) -> list[Store]:
    """One store per chat of `beam*.jsonl`; a user's message with its reply is one item.

    The chats carry no times, so each pair is set one minute after the one before it.
    """
    return [
        _chat(json.loads(line))
        for path in sorted(folder.glob("beam*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]


def factconsolidation(folder: Path) -> list[Store]:
    """One store per record of `factconsolidation*.json`; one numbered fact is one item.

    The data names answers and not facts: gold are the facts whose text holds an answer, of which
    the newest must come first. Multi-hop questions keep no gold, as no single fact answers them.
    """
    return [
        _facts(record)
        for path in sorted(folder.glob("factconsolidation*.json"))
        for record in json.loads(path.read_text(encoding="utf-8"))
    ]


def cosqa(folder: Path, split: str = "test") -> Store:
    """The 6,267 functions of CoSQA's code base with the 500 questions of its `test` or `dev` split.

    `folder` holds `code_idx_map.txt` and `cosqa-retrieval-{split}-500.json` as they lie under
    `data/search` in the repository Jun-jie-Huang/CoCLR at commit 14ebcacf. Each question has one
    right function (`retrieval_idx`), scored by the mean of 1 / its rank over the whole code base.
    """
    codes = json.loads((folder / "code_idx_map.txt").read_text(encoding="utf-8"))
    asked = json.loads((folder / f"cosqa-retrieval-{split}-500.json").read_text(encoding="utf-8"))
    return Store(
        name=f"cosqa-{split}",
        items=tuple(
            Item(key=str(index), text=code, session=f"function {index}", at=_EPOCH)
            for code, index in sorted(codes.items(), key=lambda pair: int(pair[1]))
        ),
        questions=tuple(
            Question(
                text=str(record["doc"]),
                gold=frozenset({str(record["retrieval_idx"])}),
                ability="code search",
            )
            for record in asked
        ),
    )


def foreign_issues(folder: Path, sentences: int = 2) -> list[Issue]:
    """The first sentences of each issue of `swebench-lite*.jsonl`, its title being the first."""
    return [
        Issue(repository=record["repo"], text=_opening(record["problem_statement"], sentences))
        for path in sorted(folder.glob("swebench-lite*.jsonl"))
        for record in map(json.loads, path.read_text(encoding="utf-8").splitlines())
    ]


def small_talk() -> list[str]:
    """Prompts of a working session that ask nothing of any memory."""
    return [line.strip() for line in _SMALL_TALK.strip().splitlines()]


def _conversation(record: dict[str, Any]) -> Store:
    spoken = record["conversation"]
    items = [
        Item(
            key=f"D{number}:{turn['dia_id'].split(':')[1]}",
            text=_turn_text(turn),
            session=f"{record['sample_id']} session {number}",
            at=_session_time(spoken[f"session_{number}_date_time"]) + timedelta(minutes=place),
        )
        for number in _session_numbers(spoken)
        for place, turn in enumerate(spoken[f"session_{number}"])
    ]
    known = {item.key for item in items}
    questions = [
        Question(
            text=str(asked["question"]),
            gold=frozenset(
                key
                for evidence in asked.get("evidence", ())
                for session, turn in _EVIDENCE.findall(str(evidence))
                if (key := f"D{int(session)}:{int(turn)}") in known
            ),
            ability=_LOCOMO_ABILITIES[asked["category"]],
        )
        for asked in record["qa"]
    ]
    return Store(name=str(record["sample_id"]), items=tuple(items), questions=tuple(questions))


_LOCOMO_ABILITIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}


def _turn_text(turn: dict[str, Any]) -> str:
    text = f"{turn['speaker']}: {turn['text']}"
    caption = turn.get("blip_caption")
    return f"{text} [image: {caption}]" if caption else text


def _session_numbers(spoken: dict[str, Any]) -> list[int]:
    found = (re.fullmatch(r"session_(\d+)", key) for key in spoken)
    return sorted(int(match[1]) for match in found if match)


def _session_time(written: str) -> datetime:
    """The time of a session, written as `1:56 pm on 8 May, 2023`."""
    return datetime.strptime(written.upper(), "%I:%M %p ON %d %B, %Y").replace(tzinfo=UTC)


def _chat(record: dict[str, Any]) -> Store:
    pairs: list[list[dict[str, Any]]] = []
    for message in record["messages"]:
        if message["role"] == "user" or not pairs:
            pairs.append([])
        pairs[-1].append(message)
    name = f"beam-{record['chat']}"
    pair_of = {message["id"]: f"{place}" for place, pair in enumerate(pairs) for message in pair}
    return Store(
        name=name,
        items=tuple(
            Item(
                key=str(place),
                text="\n\n".join(message["text"] for message in pair),
                session=name,
                at=_EPOCH + timedelta(minutes=place),
            )
            for place, pair in enumerate(pairs)
        ),
        questions=tuple(
            Question(
                text=asked["question"],
                gold=frozenset(pair_of[key] for key in asked["evidence"] if key in pair_of),
                ability=asked["ability"],
            )
            for asked in record["questions"]
        ),
    )


def _facts(record: dict[str, Any]) -> Store:
    matches = (_FACT.fullmatch(line.strip()) for line in record["context"].splitlines())
    facts = [(match[1], match[2]) for match in matches if match]
    single_hop = "_sh_" in record["name"]
    return Store(
        name=record["name"],
        items=tuple(
            Item(
                key=number,
                text=text,
                session=record["name"],
                at=_EPOCH + timedelta(minutes=int(number)),
            )
            for number, text in facts
        ),
        questions=tuple(
            Question(
                text=question,
                gold=frozenset(
                    number
                    for number, text in facts
                    if single_hop and any(answer.lower() in text.lower() for answer in answers)
                ),
                ability="single-hop" if single_hop else "multi-hop",
                answers=tuple(answers),
            )
            for question, answers in zip(record["questions"], record["answers"], strict=True)
        ),
    )


def _opening(text: str, sentences: int) -> str:
    parts = (part.strip() for part in _SENTENCE_END.split(text))
    spoken = [part for part in parts if part and not _TEMPLATE.match(part)]
    return " ".join(spoken[:sentences])[:600]


_SMALL_TALK = """
thanks, looks good
ok continue
yes please
no, leave it as it is
great, thank you so much!
go ahead
perfect
sounds good to me
nice work
hmm, let me think about it
can you try again?
that works now
ok
yes
lgtm
good morning!
hi there
hello, how are you?
awesome, that did the trick
please continue with the next step
stop for a moment
wait, not yet
I'll be back in ten minutes
let's take a break
undo that
try it once more
looks fine, go on
you're right, sorry
never mind
all good
proceed
sure, do it
I agree
cool, what's next?
good job, keep going
let me know when you're done
can you explain that again?
what do you mean?
please be brief
show me the result
do the same for the others
thanks a lot, have a nice day
ok, that makes sense
got it
interesting
I don't understand
one more time please
that's not what I meant
yes, exactly like that
haha, funny
see you tomorrow
I'm back
ready when you are
keep it short
do what you think is best
and now?
is it finished?
carry on
fine by me
what do you think?
write me a poem about the sea
tell me a joke
"""

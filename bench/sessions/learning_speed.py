"""How long learning from a long session takes, in a project that knows much already.

    python -m bench.sessions.learning_speed [--messages N]

Made-up words; a fifth of the messages a person's, every one of them taken for a statement, files
of prose read now and then, 3,000 memories known. Processor time, for the machine may be busy.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice

from loremap.model.hook import FileUse, Operation, ToolCall
from loremap.model.turn import Speaker, Turn
from loremap.sessions.learning.earlier import Earlier
from loremap.sessions.learning.learn import findings_of

MAX_SECONDS = 2.0
KNOWN, VOCABULARY, PROSE_EVERY = 3_000, 4_000, 40
_FUNCTION_WORDS = ["the", "is", "never", "always", "we", "must", "not", "because", "so"]


def seconds_for(messages: int) -> float:
    """Processor seconds for a session of so many messages and calls."""
    words = _words(random.Random(4))
    turns = list(islice(_turns(words), messages))
    known = [Earlier(words(25), (f"src/{words(1)}.py",)) for _ in range(KNOWN)]
    injected = ["\n".join(words(20) for _ in range(60))]
    began = time.process_time()
    found = findings_of(turns, known=known, injected=injected)
    took = time.process_time() - began
    if not found:
        raise RuntimeError("Nothing was found, so nothing was measured.")
    return took


def _words(chance: random.Random) -> Callable[[int], str]:
    made = ["".join(chance.choices("bcdfglmnprstvaeiou", k=7)) for _ in range(VOCABULARY)]
    every = made + _FUNCTION_WORDS * (VOCABULARY // 100)

    def words(count: int) -> str:
        return " ".join(chance.choices(every, k=count))

    return words


def _turns(words: Callable[[int], str]) -> Iterator[Turn]:
    number = 0
    while True:
        file = f"docs/{words(1)}.md" if number % PROSE_EVERY == 0 else f"src/{words(1)}.py"
        failed = number % 15 == 0
        output = "\n".join(words(10) for _ in range(100)) + "\nError: no such thing" * failed
        edit = ToolCall(name="Edit", files=_use(file[:-3] + "py", Operation.EDIT), text=words(60))
        calls = (
            ToolCall(name="Read", files=_use(file, Operation.READ), result=output, success=True),
            ToolCall(name="Bash", command="make test", result=output, success=not failed),
            edit,
        )
        person = ". ".join(words(12) for _ in range(3))
        yield Turn(number=number, speaker=Speaker.PERSON, text=person)
        agent = ". ".join(words(15) for _ in range(6))
        yield Turn(number=number + 1, speaker=Speaker.AGENT, text=agent)
        for place, call in enumerate(calls, start=number + 2):
            yield Turn(number=place, speaker=Speaker.TOOL, call=call)
        number += 2 + len(calls)


def _use(path: str, operation: Operation) -> tuple[FileUse, ...]:
    return (FileUse(path=path, operation=operation),)


def main() -> int:
    """Measure and print; 1 where it takes too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=2_000)
    given = parser.parse_args()
    took = seconds_for(given.messages)
    print(f"{given.messages} messages: {took:.2f} s")
    return 1 if took > MAX_SECONDS else 0


if __name__ == "__main__":
    sys.exit(main())

"""What a session did to find its way, and what it would have been spared."""

from __future__ import annotations

import pytest

from loremap.clients.payloads.tools import called
from loremap.model.hook import FileUse, Operation, ToolCall
from loremap.model.turn import Speaker, Turn
from loremap.sessions.replay.spared import Count, Said, counted, spared
from loremap.sessions.replay.steps import Step, Way, paths_in, steps_of

FOUND = "src/auth/tokens.py:12: def refresh\nsrc/auth/old.py:3: refresh"


def tool(number: int, name: str, *, result: str = "", success: bool = True, **given: str) -> Turn:
    made = called(name, given)
    call = ToolCall(
        name=name, command=made.command, files=made.files, result=result, success=success
    )
    return Turn(number=number, speaker=Speaker.TOOL, call=call)


def typed(number: int, text: str = "mend the refresh of tokens") -> Turn:
    return Turn(number=number, speaker=Speaker.PERSON, text=text)


@pytest.mark.parametrize(
    ("turn", "way", "files"),
    [
        (tool(1, "Grep", pattern="refresh"), Way.LOOKS_FOR, ()),
        (tool(1, "Grep", pattern="refresh", path="src"), Way.LOOKS_FOR, ()),
        (tool(1, "Grep", pattern="refresh", path="src/a.py"), Way.LOOKS_INTO, ("src/a.py",)),
        (tool(1, "Read", file_path="src/a.py"), Way.LOOKS_INTO, ("src/a.py",)),
        (tool(1, "Edit", file_path="src/a.py", new_string="x"), Way.CHANGES, ("src/a.py",)),
        (tool(1, "Bash", command="ls src && grep -rn refresh ."), Way.LOOKS_FOR, ()),
        (tool(1, "Bash", command="cd src && cat a.py"), Way.LOOKS_INTO, ("src/a.py",)),
        (tool(1, "Bash", command="git grep refresh | head"), Way.LOOKS_FOR, ()),
        (tool(1, "Bash", command="sed -i s/a/b/ src/a.py"), Way.CHANGES, ("src/a.py",)),
        (tool(1, "Bash", command="sed -n 1,9p src/a.py"), Way.LOOKS_INTO, ("src/a.py",)),
    ],
)
def test_a_call_looks_for_files_or_into_them_or_changes_them(
    turn: Turn, way: Way, files: tuple[str, ...]
) -> None:
    (step,) = steps_of([turn], str)
    assert (step.way, step.files) == (way, files)


@pytest.mark.parametrize(
    "turn",
    [
        tool(1, "Bash", command="pytest -q"),
        tool(1, "Bash", command="cat a.py && make"),
        tool(1, "Edit", file_path="a.py", new_string="x", success=False),
        typed(1),
        Turn(number=1, speaker=Speaker.AGENT, text="I look for it"),
    ],
)
def test_work_and_words_and_failed_changes_are_no_steps(turn: Turn) -> None:
    assert steps_of([turn], str) == []


@pytest.mark.parametrize(
    ("text", "path", "says"),
    [
        ("- src/a.py: defines x", "src/a.py", True),
        ("/home/me/shop/src/a.py:3", "src/a.py", True),
        ("see src/a.pyi", "src/a.py", False),
        ("mysrc/a.py", "src/a.py", False),
        ("src/a.py/b", "src/a.py", False),
        ("a.py", "src/a.py", False),
        ("It is in src/a.py.", "src/a.py", True),
        ("see “src/my file.py”", "src/my file.py", True),
    ],
)
def test_a_file_is_named_by_its_whole_path(text: str, path: str, says: bool) -> None:
    assert bool(paths_in(text, [path])) is says


@pytest.mark.parametrize(
    ("folder", "tells"), [("src/auth", True), ("src", False), ("", False), (".", False)]
)
def test_a_listing_names_the_files_of_its_folder_alone(folder: str, tells: bool) -> None:
    step = Step(turn=1, way=Way.LOOKS_FOR, folder=folder, result="tokens.py\nold.py")
    assert bool(step.tells_of(["src/auth/tokens.py"])) is tells


BRIEF = [Said(0, "- src/auth/tokens.py: defines refresh")]
SEARCH = tool(1, "Grep", result=FOUND, pattern="refresh")
OPEN = tool(2, "Read", result="x" * 400, file_path="src/auth/tokens.py")
EDIT = tool(3, "Edit", file_path="src/auth/tokens.py", new_string="y")
OTHER = tool(2, "Read", result="z" * 80, file_path="src/auth/old.py")


@pytest.mark.parametrize(
    ("turns", "said", "calls", "strictly", "generously"),
    [
        # The search led to the file that was told: spared. To open it is not.
        ([typed(0), SEARCH, OPEN, EDIT], BRIEF, [1, 2], [1], [1]),
        # Nothing was told, or too late, or only by its name.
        ([typed(0), SEARCH, OPEN, EDIT], [], [1, 2], [], []),
        ([typed(0), SEARCH, OPEN, EDIT], [Said(2, BRIEF[0].text)], [1, 2], [], []),
        ([typed(0), SEARCH, OPEN, EDIT], [Said(0, "tokens.py")], [1, 2], [], []),
        # The person had named it: the brief adds nothing.
        ([typed(0, "see src/auth/tokens.py"), SEARCH, OPEN, EDIT], BRIEF, [1, 2], [], []),
        # The search led to a second file too, which was not told.
        (
            [typed(0), SEARCH, OTHER, tool(3, "Read", file_path="src/auth/tokens.py"),
             tool(4, "Edit", file_path="src/auth/tokens.py", new_string="y")],
            BRIEF, [1, 2, 3], [], [1, 2],
        ),
        # What led nowhere is spared generously, until the file is reached.
        (
            [typed(0), tool(1, "Glob", result="No files found", pattern="*.rb"), OPEN,
             tool(3, "Grep", result=FOUND, pattern="again"),
             tool(4, "Edit", file_path="src/auth/tokens.py", new_string="y")],
            BRIEF, [1, 2, 3], [], [1],
        ),
        # A file is told that the session never changed: nothing is spared generously.
        ([typed(0), tool(1, "Glob", result="", pattern="*"), OPEN], BRIEF, [1, 2], [], []),
        # What is looked for after the first change counts only after another prompt.
        ([typed(0), EDIT, tool(4, "Grep", result=FOUND, pattern="more")], BRIEF, [], [], []),
        (
            [typed(0), tool(1, "Edit", file_path="a.py", new_string="y"), typed(2),
             tool(3, "Grep", result=FOUND, pattern="more"),
             tool(4, "Read", file_path="src/auth/tokens.py")],
            BRIEF, [3, 4], [3], [3],
        ),
        # A script that the session wrote itself is no change of the project.
        (
            [typed(0), tool(0, "Write", file_path="try.py", content="x"), SEARCH, OPEN, EDIT],
            BRIEF, [1, 2], [1], [1],
        ),
    ],
)  # fmt: skip
def test_what_a_session_would_have_been_spared(
    turns: list[Turn],
    said: list[Said],
    calls: list[int],
    strictly: list[int],
    generously: list[int],
) -> None:
    found = spared(steps_of(turns, str), said, turns=turns)
    assert [step.turn for step in found.steps] == calls
    assert [step.turn for step in found.spared] == strictly
    assert [step.turn for step in found.generously] == generously


def test_a_count_holds_calls_and_tokens_of_what_came_back() -> None:
    steps = steps_of([SEARCH, OPEN], str)
    assert counted(steps) == Count(calls=2, tokens=counted(steps[:1]).tokens + 100)


def test_without_prompts_all_before_the_first_change_is_looked_at() -> None:
    edit = ToolCall(name="edit", files=(FileUse(path="a.py", operation=Operation.EDIT),))
    turns = [SEARCH, Turn(number=2, speaker=Speaker.TOOL, call=edit)]
    assert [step.turn for step in spared(steps_of(turns, str), []).steps] == [1]

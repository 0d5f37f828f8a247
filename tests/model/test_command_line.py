"""Which commands a line runs, and what of it is only text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loremap.model.command_line import Line, pattern_of
from loremap.model.memory import Trigger
from loremap.safety.patterns import TriggerSet

FORCED = "git push --force"
RUN = [
    "git push -f",
    "git push --force",
    "git push origin +main",
    "git push origin +HEAD:main",
    "git push origin main --force",
    "git push -fu origin main",
    "git push 2>&1 --force",
    "git push --force 2>/dev/null || true",
    "git -C ../x --no-pager push -f",
    "/usr/bin/git push -f",
    "git \\\n  push -f",
    'bash -c "git push -f"',
    "sh -lc 'cd x && git push --force origin main'",
    'bash -c "echo \\"x\\"; git push -f"',
    "make test && git push -f",
    "make; git push --force",
    "make || git push --force",
    "yes | git push -f",
    "(cd a; git push -f)",
    "{ git push -f; }",
    "if true; then git push -f; fi",
    "for r in a b; do git push -f $r; done",
    "env X=1 git push --force",
    "X=1 git push -f",
    "sudo -u me git push -f",
    "sudo env A=b nice -n 5 git push -f",
    "timeout 5 git push -f",
    "nohup git push -f &",
    "echo main | xargs git push --force origin",
    "echo main | xargs -n 1 -I{} git push -f origin {}",
    "find . -name x -exec git push -f \\;",
    "alias gp='git push --force'; gp origin main",
    "alias gp='git push'\ngp -f",
    "git -c alias.p='push --force' p origin",
    "git -c alias.p='!git push -f' p",
    "F=--force; git push $F",
    'export F="--force origin"; git push ${F}',
    "f() { git push -f; }; f",
    'echo "$(git push -f)"',
    "echo `git push -f`",
    "diff <(git push -f) x",
    'eval "git push -f"',
    "echo 'git push --force' | sh",
    "bash <<EOF\ngit push -f\nEOF",
    "cat <<'EOF' | bash\ngit push --force\nEOF",
    'bash <<< "git push -f"',
    'ssh host "cd x && git push -f"',
    "ssh -p 22 host git push -f",
    "cat <<A; git push -f\ntext\nA",
]
SAID = [
    'git commit -m "never git push --force"',
    "git commit -am 'git push --force'",
    'git commit --message="git push --force"',
    "git commit -F - <<'EOF'\ngit push --force\nEOF",
    'git log --grep="git push --force"',
    'gh pr create --title "git push --force" --body "why git push --force"',
    "echo git push --force",
    'echo "git push --force"',
    "printf '%s\\n' \"git push --force\" > notes.txt",
    'bash -c "echo \\"git push --force\\""',
    "bash -c \"echo 'git push --force'\"",
    "ls # git push --force",
    "# git push --force\nls",
    "cat > notes.md <<EOF\ngit push --force\nEOF",
    "cat > notes.md <<-'EOF'\n\tgit push --force\n\tEOF\nls",
    'cat "git push --force.md"',
    "touch 'notes/git push --force'",
    'grep -rn "git push --force" docs',
    "rg -e 'git push --force' docs",
    "git grep 'git push --force'",
    "alias gp='git push --force'",
    "git push --force-with-lease",
    "git push origin main",
    "git push origin -- --force",
    "git pull --force",
    "git stash push -f",
    "mygit push --force",
]


def fires(literal: str, command: str) -> bool:
    """Whether a literal trigger on commands fires, as the resident has it."""
    return bool(TriggerSet.compile([(1, Trigger("literal", literal, "command"))]).fired(
        command=command
    ))  # fmt: skip


@pytest.mark.parametrize("command", RUN)
def test_what_is_run_fires(command: str) -> None:
    assert fires(FORCED, command)


@pytest.mark.parametrize("command", SAID)
def test_what_is_only_said_does_not(command: str) -> None:
    assert not fires(FORCED, command)


@pytest.mark.parametrize(
    ("literal", "command", "is_it"),
    [
        ("git push --force-with-lease", "git push origin main --force-with-lease=main:abc", True),
        ("git push --force-with-lease", "git push --force", False),
        ("rm -rf", "rm -r -f build", True),
        ("rm -rf", "rm --force --recursive build", True),
        ("rm -rf", "rm -Rf build", True),
        ("rm -rf", "rm -f build", False),
        ("rm -rf /", "rm -fr build /", True),
        ("rm -rf /", "rm -fr build", False),
        ("npm publish", "npm --workspace a publish", True),
        ("npm publish", "npm run publish", False),
        ("terraform apply -auto-approve", "terraform apply -var x=1 -auto-approve", True),
        ("terraform apply -auto-approve", "terraform plan -auto-approve", False),
        ("DROP TABLE", "psql -c 'DROP TABLE users'", True),
        ("DROP TABLE", "psql <<EOF\nDROP TABLE users;\nEOF", True),
        ("DROP TABLE", "grep 'DROP TABLE' schema.sql", False),
        ("make deploy", "make -j4 deploy", True),
        (".env", "cat .env", True),
        (".env", "echo x > .env", True),
    ],
)
def test_a_literal_is_read_as_a_command(literal: str, command: str, is_it: bool) -> None:
    assert fires(literal, command) is is_it


@pytest.mark.parametrize(
    ("command", "spoken"),
    [
        ("echo done", "echo     "),
        ('echo "x $(rm -r y) z"', "echo      rm -r y    "),
        ("echo `rm -r y` z", "echo  rm -r y   "),
        ('git commit -m "$(cat note)"', "git commit -m    cat note  "),
    ],
)
def test_what_runs_inside_of_what_is_said_is_no_text(command: str, spoken: str) -> None:
    assert Line(command).spoken == spoken


def test_a_place_is_that_of_the_command() -> None:
    pattern = pattern_of(FORCED)
    assert pattern is not None
    assert Line("make && git push -f").place_of(pattern) == 8
    assert Line("x; bash -c 'ls; git push -f'").place_of(pattern) == 16


@given(st.text(alphabet="git push-f'\"\\$(){}`<>|&;#\nEOF=-c basheo", max_size=80))
def test_any_line_can_be_read(text: str) -> None:
    line = Line(text)
    assert len(line.spoken) == len(text)
    assert all(0 <= one.at <= len(text) for one in line.commands)


def test_a_line_is_read_in_a_time_that_grows_with_it() -> None:
    """Nested quotes and brackets end at a depth; no part is read more often than that."""
    assert Line("$(" * 5_000).commands is not None
    assert Line("bash -c " * 3_000).commands is not None
    assert Line("`" * 20_000).commands is not None

"""Files that hold secrets or are ignored are refused, as git would have it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from loremap.safety.ignored import inside, refusal_for, rule_of


def write(root: Path, files: dict[str, str]) -> Path:
    """`root` with `files` in it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    "name",
    """
    .env .env.local .env.production .ENV config/.env .envrc prod.env server.pem
    certs/tls.key id_rsa id_ed25519 ID_RSA store.p12 a.pfx app.keystore app.jks .npmrc
    .pypirc .netrc credentials .aws/config .git-credentials .pgpass secrets.yaml .ssh/config
    putty.ppk .kube/config .gnupg/pubring.kbx
    """.split(),
)
def test_a_file_of_secrets_is_refused_by_its_name(tmp_path: Path, name: str) -> None:
    reason = refusal_for(name, tmp_path)
    assert reason is not None
    assert "\n" not in reason
    assert refusal_for(tmp_path / name, tmp_path) == reason


@pytest.mark.parametrize(
    "name",
    """
    .env.example .env.sample .env.template .env.local.example example.env id_rsa.pub
    src/env.py environment.md keys.py README.md src/credentials.py pem.md docs/secrets.md
    monkey.json .gitignore
    """.split(),
)
def test_other_files_are_not(tmp_path: Path, name: str) -> None:
    assert refusal_for(name, tmp_path) is None


@pytest.mark.parametrize(
    ("path", "refused"),
    [
        ("build/out.js", True),
        ("src/build/out.js", True),
        ("app.log", True),
        ("keep.log", False),
        ("src/app.log", True),
        ("src/keep.log", True),  # brought back above, left out again below
        ("src/deep/note.tmp", True),
        ("src/deep/note.txt", False),
        ("vendor/a/b.py", True),
        ("vendor/keep/b.py", True),  # its folder is gone, so nothing in it comes back
        ("docs/private.md", True),
        ("docs/public.md", False),
        ("private.md", False),
    ],
)
def test_nested_ignore_files_and_negation_work_as_in_git(
    tmp_path: Path, path: str, refused: bool
) -> None:
    root = write(
        tmp_path,
        {
            ".gitignore": "build/\n*.log\n!keep.log\nvendor/\n!vendor/keep/\n/docs/private.md\n",
            "src/.gitignore": "*.log\n",
            "src/deep/.gitignore": "# mine\r\n*.tmp\r\n",
            path: "x",
        },
    )
    assert (refusal_for(path, root) is not None) is refused


def test_the_reason_names_the_ignore_file_and_its_line(tmp_path: Path) -> None:
    root = write(
        tmp_path, {".gitignore": "*.log\n", ".secretsignore": "/notes/**\n!/notes/ok.md\n"}
    )
    assert refusal_for("a.log", root) == ".gitignore leaves it out: *.log"
    assert refusal_for("notes/plan.md", root) == ".secretsignore leaves it out: /notes/**"
    assert refusal_for("notes/ok.md", root) is None


def test_a_changed_ignore_file_counts_at_once(tmp_path: Path) -> None:
    root = write(tmp_path, {".gitignore": "*.log\n"})
    assert refusal_for("notes.txt", root) is None
    write(root, {".gitignore": "*.log\n*.txt\n"})
    assert refusal_for("notes.txt", root) is not None


def test_a_project_inside_a_repository_obeys_the_files_above_it(tmp_path: Path) -> None:
    root = write(
        tmp_path, {".git/info/exclude": "local/\n", ".gitignore": "*.secret\n", "app/x": ""}
    )
    assert refusal_for("a.secret", root / "app") is not None
    assert refusal_for("local/a", root / "app") is not None
    assert refusal_for("a.txt", root / "app") is None


def test_a_link_to_a_file_of_secrets_is_refused(tmp_path: Path) -> None:
    root = write(tmp_path / "project", {".env": "A=1", "logs/.gitignore": "*\n", "logs/x": ""})
    (root / "notes.md").symlink_to(root / ".env")
    (root / "log.md").symlink_to(root / "logs" / "x")
    assert refusal_for("notes.md", root) is not None
    assert refusal_for("log.md", root) is not None


def test_a_file_outside_is_judged_by_its_name(tmp_path: Path) -> None:
    root = write(tmp_path / "project", {"a": ""})
    assert refusal_for(tmp_path / ".env", root) is not None
    assert refusal_for(tmp_path / "notes.md", root) is None


def test_inside_follows_links_and_dots(tmp_path: Path) -> None:
    root = write(tmp_path / "project", {"src/a.py": "", "b.py": ""})
    (tmp_path / "outer.txt").write_text("x")
    (root / "out").symlink_to(tmp_path / "outer.txt")
    (root / "in").symlink_to(root / "src" / "a.py")
    (root / "loop").symlink_to(root / "loop")
    (tmp_path / "alias").symlink_to(root)
    assert inside("src/a.py", root) == "src/a.py"
    assert inside(root / "src" / ".." / "b.py", root) == "b.py"
    assert inside("src/not/there.py", root) == "src/not/there.py"
    assert inside("in", root) == "src/a.py"
    assert inside(tmp_path / "alias" / "b.py", root) == "b.py"
    assert inside("b.py", tmp_path / "alias") == "b.py"
    assert inside(root, root) == "."
    for outside in ("out", "../outer.txt", "/etc/hosts", tmp_path / "project2" / "b.py", "a\0b"):
        assert inside(outside, root) is None


def test_a_loop_of_links_is_no_file_of_the_project_and_raises_nothing(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert inside("loop", tmp_path) in (None, "loop")  # Python 3.13 stopped to mind
    assert refusal_for("loop", tmp_path) is None


@pytest.mark.parametrize(
    "line", [b"", b"# note", b"/", b"!", b"[a", b"a\\", b"[[:nonsense:]]", b"   "]
)
def test_a_line_without_a_pattern_is_no_rule(line: bytes) -> None:
    assert rule_of(line) is None


def test_a_hostile_pattern_takes_no_time(tmp_path: Path) -> None:
    root = write(tmp_path, {".gitignore": "*a" * 200 + "b\n" + "**/a/" * 200 + "b\n"})
    assert refusal_for("a" * 250, root) is None
    assert refusal_for("/".join(["a"] * 200), root) is None


NAMES = ["a", "b", "foo", "foo.txt", "x.log", ".h", "a b", "[z]", "bar-1", "ab"]
PIECES = ["a", "b", "foo", "*.txt", "*", "?", "**", "x.*", "[ab]", "[!a]", "[a-c]*", "fo?", ".h"]
PIECES += [
    "a\\ b",
    "\\[z\\]",
    "**a",
    "[[:alpha:]]",
    "[.-0]",
    "bar-[0-9]",
    "[a",
    "\\",
    "***",
    "[]a]",
]


def random_rule(rng: Random) -> str:
    """A line of an ignore file, often a broken one."""
    glob = "/".join(rng.choice(PIECES) for _ in range(rng.randint(1, 3)))
    ends = ["", "", "/", "/**", " "]
    return rng.choice(["", "", "", "!"]) + rng.choice(["", "", "/"]) + glob + rng.choice(ends)


def random_project(rng: Random, root: Path) -> list[str]:
    """The paths of a random tree under `root`, in which some folders hold random ignore files."""
    for _ in range(12):
        path = root.joinpath(*(rng.choice(NAMES) for _ in range(rng.randint(1, 4))))
        if not any(above.is_file() for above in (path, *path.parents)) and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x")
    paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))
    folders = [root, *(root / path for path in paths if (root / path).is_dir())]
    for folder in rng.sample(folders, min(len(folders), rng.randint(1, 3))):
        rules = [random_rule(rng) for _ in range(rng.randint(1, 5))]
        (folder / ".gitignore").write_text("\n".join(rules) + "\n")
    return paths


@pytest.mark.skipif(shutil.which("git") is None, reason="git is what this compares with")
@pytest.mark.parametrize("seed", range(25))
def test_the_verdict_is_that_of_git(tmp_path: Path, seed: int) -> None:
    paths = random_project(Random(seed), tmp_path)
    lone = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, env=lone)
    told = subprocess.run(
        ["git", "-C", str(tmp_path), "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(paths),
        capture_output=True,
        text=True,
        check=False,  # it fails where nothing is ignored
        env={**lone, "XDG_CONFIG_HOME": str(tmp_path / "none"), "HOME": str(tmp_path / "none")},
    )
    ignored = {path for path in told.stdout.split("\0") if path}
    assert {path for path in paths if refusal_for(path, tmp_path) is not None} == ignored

"""Scans of real checkouts: what is read, what is passed over, what survives."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from checkout import code_of, git, keys, repository, write

from loremap.code.checkout import Code
from loremap.code.scan import jobs
from loremap.errors import BadInput, NotFound
from loremap.storage.graph import read

APP = """
import helper


class Greeter:
    \"\"\"Greets.\"\"\"

    def greet(self, name):
        return helper.shout(name)


def main():
    Greeter().greet("you")
"""
HELPER = '''
def shout(text):
    """Says it loud."""
    return text.upper()
'''
FILES = {"app.py": APP, "helper.py": HELPER}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "project", FILES)


def callers(code: Code, name: str) -> set[str]:
    return {edge.source.key for edge in code.callers(name)}


class TestWhatIsRead:
    def test_a_question_scans_by_itself(self, root: Path) -> None:
        code = code_of(root)
        assert callers(code, "shout") == {"app.py::Greeter.greet"}
        assert keys(code, "app.py") >= {"Greeter", "Greeter.greet", "main"}

    def test_a_repository_without_commits(self, tmp_path: Path) -> None:
        root = tmp_path / "new"
        root.mkdir()
        git(root, "init", "-q")
        write(root, FILES)
        assert callers(code_of(root), "Greeter.greet") == {"app.py::main"}

    def test_no_git_at_all(self, tmp_path: Path) -> None:
        write(tmp_path / "plain", FILES | {".gitignore": "left.py\nbuild/\n"})
        write(tmp_path / "plain", {"left.py": "def left(): ...", "build/out.py": "def out(): ..."})
        code = code_of(tmp_path / "plain")
        assert callers(code, "shout") == {"app.py::Greeter.greet"}
        for name in ("left", "out"):
            with pytest.raises(NotFound):
                code.symbols(name)

    def test_a_path_with_spaces_and_emoji(self, tmp_path: Path) -> None:
        root = repository(tmp_path / "my project 🦊", {"src 🦊/the file.py": "def fox(): ..."})
        assert code_of(root).symbols("fox")[0].path == "src 🦊/the file.py"

    def test_broken_syntax_keeps_what_can_be_read(self, tmp_path: Path) -> None:
        source = "def whole():\n    return 1\n\ndef half(:\n    x = = 3\n\nclass Later:\n    pass\n"
        code = code_of(repository(tmp_path / "p", {"broken.py": source}))
        assert "whole" in keys(code, "broken.py")
        assert code.counts().broken == 1

    def test_bytes_that_are_no_text(self, tmp_path: Path) -> None:
        source = b"# caf\xe9 \xff\xfe\ndef coffee():\n    return '\x80\x81'\n"
        assert "coffee" in keys(code_of(repository(tmp_path / "p", {"a.py": source})), "a.py")

    @pytest.mark.parametrize("called", [b"/caf\xe9.py", b"/caf\xe9/inside/menu.py"])
    def test_a_name_that_is_no_text_is_counted(self, root: Path, called: bytes) -> None:
        name = os.fsencode(root) + called
        try:
            Path(os.fsdecode(name)).parent.mkdir(parents=True, exist_ok=True)
            Path(os.fsdecode(name)).write_text("def cafe(): ...")
        except OSError:
            pytest.skip("this file system takes only names that are text")
        assert code_of(root).counts().skipped == {"name is not text": 1}

    def test_an_empty_project(self, tmp_path: Path) -> None:
        counts = code_of(repository(tmp_path / "p", {})).counts()
        assert (counts.files, counts.symbols) == (0, 0)

    def test_what_is_shown_cannot_steer_a_terminal(self, root: Path) -> None:
        escape, clear = chr(27) + "[31m", chr(0x9B) + "2J"
        write(root, {"a.py": f'def red(x="{escape}"):\n    """Is {escape}red{clear}."""\n'})
        write(root, {f"e{chr(27)}vil.py": "def evil(): ..."})
        code = code_of(root)
        (red,) = code.symbols("red")
        assert red.doc.startswith("Is  [31mred")
        assert (red.doc + red.signature).isprintable()
        assert code.counts().skipped == {"name is not text": 1}


class TestWhatIsPassedOver:
    def test_a_file_of_50_megabytes(self, root: Path) -> None:
        with (root / "huge.py").open("wb") as file:
            for _ in range(50):
                file.write(b"x = 1\n" * 174_763)
        started = time.monotonic()
        counts = code_of(root).counts()
        assert counts.skipped == {"huge": 1}
        assert time.monotonic() - started < 20

    def test_ignored_files_are_never_opened(self, root: Path) -> None:
        write(root, {".gitignore": "*_local.py\n", "my_local.py": "def mine(): ..."})
        (root / "my_local.py").chmod(0)
        code = code_of(root)
        assert "unreadable" not in code.counts().skipped
        with pytest.raises(NotFound):
            code.symbols("mine")

    def test_secretsignore_and_secret_names(self, root: Path) -> None:
        write(root, {".secretsignore": "vault/\n", "vault/keys.py": "def key(): ..."})
        write(root, {".aws/tool.py": "def aws(): ..."})
        code = code_of(root)
        assert code.counts().skipped == {"may hold secrets": 2}
        with pytest.raises(NotFound):
            code.symbols("key")

    def test_links_are_not_followed(self, root: Path, tmp_path: Path) -> None:
        write(tmp_path / "outside", {"secret.py": "def outside(): ..."})
        (root / "loop").symlink_to(root, target_is_directory=True)
        (root / "out").symlink_to(tmp_path / "outside", target_is_directory=True)
        (root / "one.py").symlink_to(tmp_path / "outside" / "secret.py")
        (root / "self.py").symlink_to(root / "self.py")
        git(root, "add", "-A")
        code = code_of(root)
        assert callers(code, "shout") == {"app.py::Greeter.greet"}
        with pytest.raises(NotFound):
            code.symbols("outside")

    def test_a_folder_that_becomes_a_link(self, root: Path, tmp_path: Path) -> None:
        write(root, {"part/inner.py": "def inner(): ..."})
        git(root, "add", "-A")
        code = code_of(root)
        assert code.symbols("inner")
        write(tmp_path / "outside", {"inner.py": "def stolen(): ..."})
        (root / "part" / "inner.py").unlink()
        (root / "part").rmdir()
        (root / "part").symlink_to(tmp_path / "outside", target_is_directory=True)
        for name in ("inner", "stolen"):
            with pytest.raises(NotFound):
                code.symbols(name)

    def test_pipes_and_folders_with_a_source_name(self, root: Path) -> None:
        os.mkfifo(root / "pipe.py")
        (root / "folder.py").mkdir()
        assert code_of(root).counts().files == 2

    def test_generated_and_minified(self, root: Path) -> None:
        write(root, {"gen.py": "# Code generated by a tool. DO NOT EDIT.\ndef gen(): ..."})
        write(root, {"big.js": "function f(){" + "a();" * 5000 + "}\n"})
        assert code_of(root).counts().skipped == {"generated": 2}

    def test_a_home_folder_wants_consent(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        home = tmp_path / "me"
        write(home, {"a.py": "def a(): ..."})
        monkeypatch.setenv("HOME", str(home))
        code = code_of(home)
        with pytest.raises(BadInput, match="no project"):
            code.scan()
        with pytest.raises(BadInput):
            code.symbols("a")
        assert code.scan(consent=True).read == 1
        assert code_of(home).symbols("a")  # consent is remembered

    def test_other_repositories_inside(self, root: Path) -> None:
        repository(root / "inner", {"other.py": "def other(): ..."})
        with pytest.raises(NotFound):
            code_of(root).symbols("other")


class TestChange:
    def test_only_what_changed_is_read_again(self, root: Path) -> None:
        code = code_of(root)
        assert code.scan().read == 2
        assert not code.scan().changed
        write(root, {"app.py": APP + "\n\ndef more():\n    main()\n"})
        report = code.scan()
        assert (report.read, report.linked) == (1, 1)
        assert callers(code, "main") == {"app.py::more"}

    def test_a_touched_file_is_not_parsed_again(self, root: Path) -> None:
        code = code_of(root)
        code.scan()
        os.utime(root / "app.py", ns=(1, 1))
        assert not code.scan().changed

    def test_a_change_within_the_same_tick_is_seen(self, root: Path) -> None:
        code = code_of(root)
        write(root, {"tick.py": "def aaa(): ..."})
        stamp = (root / "tick.py").stat()
        assert code.symbols("aaa")
        (root / "tick.py").write_text("def bbb(): ...")
        os.utime(root / "tick.py", ns=(stamp.st_mtime_ns, stamp.st_mtime_ns))
        assert code.symbols("bbb")

    def test_a_renamed_function_is_followed_by_its_callers(self, root: Path) -> None:
        code = code_of(root)
        code.scan()
        write(root, {"helper.py": HELPER.replace("shout", "yell")})
        assert callers(code, "yell") == set()
        write(root, {"app.py": APP.replace("shout", "yell")})
        assert callers(code, "yell") == {"app.py::Greeter.greet"}

    def test_a_renamed_file_keeps_its_identity(self, root: Path) -> None:
        code = code_of(root)
        code.scan()
        before = read.ids_by_position(code.graph.conn, "helper.py")
        git(root, "mv", "helper.py", "tools.py")
        assert code.scan().moved == 1
        assert read.ids_by_position(code.graph.conn, "tools.py") == before
        assert callers(code, "shout") == set()  # app.py still imports the old name
        write(root, {"app.py": APP.replace("helper", "tools")})
        assert callers(code, "shout") == {"app.py::Greeter.greet"}

    def test_moved_and_edited(self, root: Path) -> None:
        code = code_of(root)
        code.scan()
        git(root, "mv", "app.py", "program.py")
        write(root, {"program.py": APP + "\n\ndef more():\n    main()\n"})
        assert code.scan().moved == 1

    def test_a_symbol_keeps_its_id_through_a_rename(self, root: Path) -> None:
        code = code_of(root)
        code.scan()
        (before,) = [id_ for id_, _ in read.named(code.graph.conn, "shout")]
        write(root, {"helper.py": HELPER.replace("shout", "yell")})
        code.scan()
        assert [id_ for id_, _ in read.named(code.graph.conn, "yell")] == [before]

    def test_a_deleted_file(self, root: Path) -> None:
        code = code_of(root)
        code.scan()
        (root / "helper.py").unlink()
        with pytest.raises(NotFound):
            code.symbols("shout")
        assert [edge.target.name for edge in code.callees("Greeter.greet")] == []

    def test_a_file_that_comes_back_is_linked(self, root: Path) -> None:
        code = code_of(root)
        (root / "helper.py").unlink()
        code.scan()
        write(root, {"helper.py": HELPER})
        assert callers(code, "shout") == {"app.py::Greeter.greet"}

    def test_a_new_ignore_rule(self, root: Path) -> None:
        write(root, {"draft.py": "def draft(): ..."})
        code = code_of(root)
        assert code.symbols("draft")
        write(root, {".gitignore": "draft.py\n"})
        with pytest.raises(NotFound):
            code.symbols("draft")

    def test_another_branch(self, root: Path) -> None:
        code = code_of(root)
        code.scan()
        git(root, "checkout", "-q", "-b", "feature")
        write(root, {"feature.py": "def feature(): ..."})
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "two")
        assert code.symbols("feature")
        git(root, "checkout", "-q", "main")
        with pytest.raises(NotFound):
            code.symbols("feature")


class TestWhatSurvives:
    def test_files_that_vanish_while_scanned(self, tmp_path: Path) -> None:
        files = {f"m{number:03}.py": f"def f{number}(): ...\n" for number in range(300)}
        root = repository(tmp_path / "p", files)
        code = code_of(root)

        def vanish(stage: str, done: int, total: int) -> None:
            for number in range(250, 300):
                (root / f"m{number:03}.py").unlink(missing_ok=True)

        code.progress = vanish
        code.scan()
        code.progress = lambda _stage, _done, _total: None
        assert code.counts().files == 250

    def test_an_interrupted_scan_goes_on(self, tmp_path: Path) -> None:
        files = {f"m{number:03}.py": f"def f{number}(): ...\n" for number in range(200)}
        code = code_of(repository(tmp_path / "p", files))

        def interrupt(stage: str, done: int, total: int) -> None:
            if done > 60:
                raise KeyboardInterrupt

        code.progress = interrupt
        with pytest.raises(KeyboardInterrupt):
            code.scan()
        code.progress = lambda _stage, _done, _total: None
        report = code.scan()
        assert 0 < report.read < 140
        assert code.counts().files == 200

    def test_a_killed_scan_goes_on(self, tmp_path: Path) -> None:
        files = {
            f"m{number:03}.py": "".join(f"def f{number}_{n}(): ...\n" for n in range(40))
            for number in range(400)
        }
        root = repository(tmp_path / "p", files)
        script = (
            "import sys; from pathlib import Path\n"
            "from loremap.code.repository import repository_at\n"
            "from loremap.code.checkout import Code\n"
            "code = Code(repository_at(Path(sys.argv[1])), graphs=Path(sys.argv[2]))\n"
            "code.progress = lambda stage, done, total: print(stage, done, flush=True)\n"
            "code.scan()\n"
        )
        graphs = root.parent / "graphs"
        child = subprocess.Popen(
            [sys.executable, "-c", script, str(root), str(graphs)], stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        report = code_of(root).scan()
        assert 0 < report.read < 400
        assert code_of(root).counts().symbols == 400 * 40

    def test_a_deleted_or_damaged_graph_costs_only_a_scan(self, root: Path) -> None:
        code = code_of(root)
        code.scan()
        path = code.graph.path
        code.close()
        path.write_bytes(b"this is no database" * 500)
        assert callers(code_of(root), "shout") == {"app.py::Greeter.greet"}

    def test_a_graph_of_another_version_is_made_anew(self, root: Path) -> None:
        code = code_of(root)
        code.scan()
        code.close()
        with sqlite3.connect(code.graph.path) as conn:
            conn.execute("UPDATE meta SET value = 'old' WHERE key = 'content_version'")
        conn.close()
        code.close()
        assert code_of(root).scan().read == 2

    def test_two_processes_scan_at_once(self, tmp_path: Path) -> None:
        files = {f"m{number:03}.py": f"def f{number}(): ...\n" for number in range(150)}
        root = repository(tmp_path / "p", files)
        script = (
            "import sys; from pathlib import Path\n"
            "from loremap.code.repository import repository_at\n"
            "from loremap.code.checkout import Code\n"
            "code = Code(repository_at(Path(sys.argv[1])), graphs=Path(sys.argv[2]))\n"
            "print(code.scan().read, code.counts().files)\n"
        )
        command = [sys.executable, "-c", script, str(root), str(root.parent / "graphs")]
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        said = [one.communicate()[0].split() for one in both]
        assert [one.returncode for one in both] == [0, 0]
        assert [files for _, files in said] == ["150", "150"]
        assert sorted(int(count) for count, _ in said) == [0, 150]

    def test_a_file_that_hangs_the_parser_costs_only_itself(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from loremap.code.scan import pool

        monkeypatch.setattr(pool, "ITEM_SECONDS", 2.0)
        write(root, {"quotes.js": ("'" * 199 + "\n") * 2500})
        code = code_of(root)
        assert callers(code, "shout") == {"app.py::Greeter.greet"}
        assert code.counts().skipped == {"failed: took too long": 1}
        assert code.scan().given_up == (("quotes.js", "took too long"),)
        assert not code.scan().changed  # it is not tried again until it changes


@pytest.mark.parametrize(("large", "singly"), [(2_000, 5_000), (1, 5_000), (1, 2)])
def test_the_names_of_a_package_are_the_same_asked_singly_and_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: int, singly: int
) -> None:
    names = "abcdef"
    files = {f"{name}.go": f"package p\nfunc {name.upper()}() {{}}\n" for name in names}
    code = code_of(repository(tmp_path / "checkout", {**files, "g.go": "package p\nfunc A() {}\n"}))
    code.scan()
    monkeypatch.setattr(jobs, "_LARGE_PACKAGE", large)
    monkeypatch.setattr(jobs, "_ASKED_SINGLY", singly)
    project = jobs.GraphProject(code.graph, {})
    for _ in range(2):
        assert project.defining("go:", "A") == ["a.go", "g.go"]
        assert [list(project.defining("go:", name)) for name in "BCDEF"] == [
            [f"{name}.go"] for name in names[1:]
        ]
        assert not project.defining("go:", "Z")
        assert not project.defining("go:elsewhere", "A")
    assert bool(project._packages.get("go:")) is (large > 1 or singly < len(names))

"""Real repositories of every shape, and the one project each of them is."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from loremap.code.repository import repository_at, rooted
from loremap.errors import BadInput
from loremap.model.identity import (
    Known,
    NewProject,
    NoProject,
    SameProject,
    identity_keys,
    resolved,
    wants_root,
)

GIT = shutil.which("git") or "git"
ONE = "https://github.com/owner/one.git"
TWO = "https://github.com/someone/two.git"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of our own, so that nobody's settings, and no repository around it, are seen."""
    home = Path(os.path.realpath(tmp_path)) / "home"
    home.mkdir()
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


def git(folder: Path, *arguments: str) -> str:
    settings = {
        "init.defaultBranch": "main",
        "user.name": "A",
        "user.email": "a@example.org",
        "protocol.file.allow": "always",
        "advice.detachedHead": "false",
    }
    options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
    done = subprocess.run(
        [GIT, *options, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(folder: Path, message: str, *, seconds: int = 1_700_000_000) -> str:
    date = f"{seconds} +0000"
    done = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    subprocess.run(
        [
            *(GIT, "-c", "user.name=A", "-c", "user.email=a@example.org"),
            *("commit", "--quiet", "--allow-empty", "--message", message),
        ],
        cwd=folder,
        check=True,
        env=os.environ | done,
    )
    return git(folder, "rev-parse", "HEAD")


def made(folder: Path, *, remote: str | None = None) -> Path:
    """A repository with one commit of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet")
    commit(folder, f"begin {folder.name}")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


@contextmanager
def unprivileged() -> Iterator[None]:
    """Root may read everything, so it steps down for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@dataclass
class Registry:
    """Holds keys the way a storage does, so that a story can be told over several visits."""

    holders: dict[str, str] = field(default_factory=dict)
    roots: dict[str, str | None] = field(default_factory=dict)

    def known(self, key: str) -> Known | None:
        if key not in self.holders:
            return None
        project = self.holders[key]
        remotes = [key for key, holder in self.holders.items() if holder == project]
        return Known(
            project_id=project,
            has_remote=any(key.startswith("remote:") for key in remotes),
            root_commit=self.roots[project],
        )

    def project(self, folder: Path) -> str | None:
        repository = repository_at(folder)
        if wants_root(identity_keys(repository), self.known):
            repository = rooted(repository)
        match resolved(identity_keys(repository), self.known):
            case SameProject(project_id=project, claims=claims):
                pass
            case NewProject(claims=claims):
                project = f"project {len(self.roots) + 1}"
                self.roots[project] = None
            case NoProject():
                return None
        self.holders |= dict.fromkeys((*claims.add, *claims.move), project)
        self.roots[project] = claims.root_commit or self.roots[project]
        return project


@pytest.fixture
def registry() -> Registry:
    return Registry()


class TestFacts:
    def test_a_repository_with_a_remote(self, home: Path) -> None:
        app = made(home / "app", remote=ONE)
        seen = repository_at(app)
        assert (seen.kind, seen.root, seen.folder, seen.name) == ("repository", app, "", "one")
        assert (seen.remote, seen.remote_name) == ("github.com/owner/one", "origin")
        assert (seen.common_dir, seen.branch) == (app / ".git", "main")
        assert seen.head == git(app, "rev-parse", "HEAD")
        assert (seen.shallow, seen.worktree, seen.submodule) == (False, False, False)
        assert seen.root_commit is None  # not asked for: the remote says it all
        assert rooted(seen).root_commit == seen.head

    def test_a_repository_without_a_remote_is_known_by_its_first_commit(self, home: Path) -> None:
        app = made(home / "app")
        first = git(app, "rev-parse", "HEAD")
        commit(app, "second")
        seen = repository_at(app)
        assert identity_keys(seen) == (f"root:{first}", f"path:{app}")
        assert seen.name == "app"

    def test_a_folder_of_a_monorepo_is_recorded_not_identified(self, home: Path) -> None:
        app = made(home / "app", remote=ONE)
        (app / "packages" / "ui").mkdir(parents=True)
        seen = repository_at(app / "packages" / "ui")
        assert (seen.root, seen.folder) == (app, "packages/ui")
        assert identity_keys(seen) == identity_keys(repository_at(app))

    def test_worktrees_are_one_project(self, home: Path) -> None:
        app = made(home / "app")
        git(app, "worktree", "add", "--quiet", "-b", "feature", str(home / "feature"))
        git(app, "worktree", "add", "--quiet", "--detach", str(app / ".trees" / "x"))
        (home / "feature" / "src").mkdir()
        main, feature, nested = map(
            repository_at, (app, home / "feature" / "src", app / ".trees" / "x")
        )
        assert identity_keys(main) == identity_keys(feature) == identity_keys(nested)
        assert [seen.worktree for seen in (main, feature, nested)] == [False, True, True]
        assert [seen.branch for seen in (main, feature, nested)] == ["main", "feature", None]
        assert (feature.root, feature.folder) == (home / "feature", "src")
        assert {seen.name for seen in (main, feature, nested)} == {"app"}

    def test_worktrees_around_a_hidden_bare_repository(self, home: Path) -> None:
        source = made(home / "source")
        top = home / "app"
        git(home, "clone", "--quiet", "--bare", str(source), str(top / ".bare"))
        (top / ".git").write_text("gitdir: ./.bare\n")
        git(top, "worktree", "add", "--quiet", "-b", "feature", "feature")
        at_top, at_tree = repository_at(top), repository_at(top / "feature")
        assert identity_keys(at_top) == identity_keys(at_tree)
        assert (at_top.root, at_tree.root) == (top, top / "feature")
        assert (at_top.name, at_tree.name) == ("app", "app")

    def test_a_shallow_clone_has_no_root(self, home: Path) -> None:
        source = made(home / "source")
        commit(source, "second")
        git(home, "clone", "--quiet", "--depth=1", source.as_uri(), "clone")
        seen = repository_at(home / "clone")
        assert seen.shallow
        assert identity_keys(seen) == (f"path:{home / 'clone'}",)
        git(home / "clone", "remote", "set-url", "origin", ONE)
        seen = rooted(repository_at(home / "clone"))
        assert identity_keys(seen) == ("remote:github.com/owner/one", f"path:{home / 'clone'}")

    def test_a_submodule_is_a_project_of_its_own(self, home: Path) -> None:
        library = made(home / "library")
        app = made(home / "app")
        git(app, "submodule", "--quiet", "add", str(library), "vendor/lib")
        seen = repository_at(app / "vendor" / "lib")
        assert (seen.root, seen.submodule, seen.name) == (app / "vendor" / "lib", True, "lib")
        assert seen.root_commit == git(library, "rev-parse", "HEAD")
        assert not repository_at(app).submodule
        git(app / "vendor" / "lib", "remote", "set-url", "origin", TWO)
        assert identity_keys(repository_at(app / "vendor" / "lib"))[0] == (
            "remote:github.com/someone/two"
        )

    def test_a_detached_head(self, home: Path) -> None:
        app = made(home / "app", remote=ONE)
        git(app, "checkout", "--quiet", "--detach")
        seen = repository_at(app)
        assert (seen.branch, seen.head) == (None, git(app, "rev-parse", "HEAD"))

    def test_no_commits_yet(self, home: Path) -> None:
        git(home, "init", "--quiet", "app")
        seen = repository_at(home / "app")
        assert (seen.kind, seen.branch, seen.head) == ("repository", "main", None)
        assert identity_keys(seen) == (f"path:{home / 'app'}",)

    def test_a_bare_repository(self, home: Path) -> None:
        source = made(home / "source")
        git(home, "clone", "--quiet", "--bare", str(source), "app.git")
        for place in (home / "app.git", home / "app.git" / "refs"):
            seen = repository_at(place)
            assert (seen.root, seen.folder, seen.name) == (home / "app.git", "", "app")
            assert seen.branch == "main"
            assert identity_keys(seen)[0] == identity_keys(repository_at(source))[0]

    def test_a_bare_repository_that_the_user_does_not_trust_is_only_a_place(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        app = made(home / "app")  # a clone may bring one that claims to be another project
        git(home, "clone", "--quiet", "--bare", str(made(home / "source", remote=ONE)), "app/x.git")
        git(app / "x.git", "remote", "set-url", "origin", ONE)
        (home / "settings").write_text("[safe]\n bareRepository = explicit\n")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "settings"))
        assert identity_keys(repository_at(app / "x.git")) == (f"path:{app / 'x.git'}",)

    def test_inside_the_git_folder(self, home: Path) -> None:
        app = made(home / "app", remote=ONE)
        for place in (app / ".git", app / ".git" / "refs" / "heads"):
            seen = repository_at(place)
            assert (seen.root, seen.folder) == (app, "")
            assert identity_keys(seen) == identity_keys(repository_at(app))

    def test_a_git_folder_kept_elsewhere(self, home: Path) -> None:
        git(home, "init", "--quiet", "--separate-git-dir", str(home / "store"), "app")
        commit(home / "app", "begin")
        (home / "app" / "src").mkdir()
        seen = repository_at(home / "app" / "src")
        assert (seen.root, seen.folder) == (home / "app", "src")
        assert (seen.common_dir, seen.worktree) == (home / "store", False)

    def test_a_link_is_followed(self, home: Path) -> None:
        app = made(home / "app")
        (app / "src").mkdir()
        (home / "link").symlink_to(app / "src")
        (home / "plain").mkdir()
        (home / "alias").symlink_to(home / "plain")
        assert (repository_at(home / "link").root, repository_at(home / "link").folder) == (
            app,
            "src",
        )
        assert identity_keys(repository_at(home / "alias")) == (f"path:{home / 'plain'}",)

    @pytest.mark.parametrize(
        ("name", "title", "key"),
        [
            ("my app", "my app", "my app"),
            ("🚀 café", "🚀 café", "🚀 café"),
            ("two\nlines\n", "two lines", "two\nlines\n"),
            ("--loremap-mark\n", "--loremap-mark", "--loremap-mark\n"),
            ("-rf", "-rf", "-rf"),
            ("$(id)", "$(id)", "$(id)"),
            ("caf\udce9", "caf\\xe9", "caf\\xe9"),
        ],
    )
    def test_any_name(self, home: Path, name: str, title: str, key: str) -> None:
        app = made(home / name)
        (app / "a\nb").mkdir()
        git(app, "branch", "--quiet", "-M", "größe/1")
        seen = repository_at(app / "a\nb")
        assert (seen.root, seen.folder, seen.name) == (app, "a\nb", title)
        assert seen.branch == "größe/1"
        assert identity_keys(seen)[1:] == (f"path:{home.as_posix()}/{key}",)

    def test_a_name_that_is_our_mark_is_read_from_the_files(self, home: Path) -> None:
        app = made(home / "a\n--loremap-mark\nb", remote=ONE)
        seen = repository_at(app)
        assert (seen.root, seen.remote) == (app, None)
        assert identity_keys(seen) == (f"path:{app}",)


class TestRoots:
    def test_a_branch_without_a_common_history_changes_nothing(self, home: Path) -> None:
        app = made(home / "app")
        before = repository_at(app)
        git(app, "checkout", "--quiet", "--orphan", "pages")
        commit(app, "pages", seconds=1_700_000_100)
        seen = repository_at(app)
        assert (seen.branch, len(seen.roots)) == ("pages", 2)
        assert seen.root_commit == before.root_commit

    def test_a_history_merged_in_is_not_ours(self, home: Path) -> None:
        old = home / "old"
        git(home, "init", "--quiet", "old")
        commit(old, "older", seconds=1_000_000_000)
        app = made(home / "app")
        before = repository_at(app)
        git(app, "fetch", "--quiet", str(old), "main")
        git(app, "merge", "--quiet", "--allow-unrelated-histories", "-m", "join", "FETCH_HEAD")
        assert repository_at(app).roots == before.roots

    def test_roots_of_one_age_are_in_the_order_of_their_names(self, home: Path) -> None:
        app = made(home / "app")
        for name in ("x", "y", "z"):
            git(app, "checkout", "--quiet", "--orphan", name)
            commit(app, name)
        roots = repository_at(app).roots
        assert len(roots) == 4
        assert list(roots) == sorted(roots)

    def test_a_replaced_commit_is_seen_as_it_was(self, home: Path) -> None:
        app = made(home / "app")
        first = git(app, "rev-parse", "HEAD")
        second = commit(app, "second")
        git(app, "replace", "--graft", second)
        assert repository_at(app).roots == (first,)


class TestRemotes:
    @pytest.mark.parametrize(
        ("remotes", "upstream", "chosen"),
        [
            ({"origin": ONE, "upstream": TWO}, "upstream", "origin"),  # a fork is its own project
            ({"other": TWO}, None, "other"),
            ({"b": ONE, "a": TWO}, "b", "b"),
            ({"b": ONE, "a": TWO}, None, "a"),
            ({"origin": "/srv/backup.git", "hub": ONE}, None, "hub"),  # a place is no address
            ({"origin": "/srv/backup.git"}, None, None),
            ({"origin": "", "hub": ONE}, None, "hub"),
            ({"a.b": ONE}, None, "a.b"),
        ],
    )
    def test_which_remote_speaks(
        self, home: Path, remotes: dict[str, str], upstream: str | None, chosen: str | None
    ) -> None:
        app = made(home / "app")
        for name, url in remotes.items():
            git(app, "config", f"remote.{name}.url", url)
        if upstream:
            git(app, "config", "branch.main.remote", upstream)
        seen = repository_at(app)
        assert seen.remote_name == chosen
        expected = {ONE: "github.com/owner/one", TWO: "github.com/someone/two"}
        assert seen.remote == (expected[remotes[chosen]] if chosen else None)

    def test_of_several_addresses_the_first_is_fetched_from(self, home: Path) -> None:
        app = made(home / "app", remote=ONE)
        git(app, "remote", "set-url", "--add", "origin", TWO)
        assert repository_at(app).remote == "github.com/owner/one"

    @pytest.mark.parametrize("host", ["https://{}@github.com", "https://me:{}@github.com"])
    def test_no_field_holds_a_credential(self, home: Path, host: str) -> None:
        secret = "s3" * 12
        app = made(home / "app", remote=f"{host.format(secret)}/owner/one.git")
        git(app, "config", f"url.{host.format(secret)}/.insteadOf", "gh:")
        seen = repository_at(app)
        assert seen.remote == "github.com/owner/one"
        assert secret not in repr(seen)
        git(app, "remote", "set-url", "origin", "gh:owner/one")
        assert repository_at(app) == seen

    def test_a_shorthand_is_spelt_out_and_a_mirror_is_not_an_identity(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        app = made(home / "app", remote="gh:owner/one")
        settings = home / "settings"
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
        settings.write_text(
            '[url "git@github.com:"]\n insteadOf = gh:\n'
            '[url "https://elsewhere.example/"]\n insteadOf = g\n'
            '[url "https://mirror.example/hub/"]\n insteadOf = https://github.com/\n'
        )
        assert repository_at(app).remote == "github.com/owner/one"
        git(app, "remote", "set-url", "origin", ONE)
        assert repository_at(app).remote == "github.com/owner/one"


class TestPlaces:
    def test_a_plain_folder_is_itself(self, home: Path) -> None:
        (home / "notes" / "today").mkdir(parents=True)
        seen = repository_at(home / "notes" / "today")
        assert (seen.kind, seen.root, seen.folder) == ("folder", home / "notes" / "today", "")
        assert identity_keys(seen) == (f"path:{home / 'notes' / 'today'}",)
        assert (seen.name, seen.common_dir) == ("today", None)

    def test_home_and_the_top_of_the_disk_are_no_project(self, home: Path) -> None:
        for place in (home, Path(home.anchor)):
            seen = repository_at(place)
            assert (seen.kind, identity_keys(seen)) == ("global", ())

    def test_a_home_under_git_is_that_repository_but_its_folders_are_not(self, home: Path) -> None:
        made(home, remote=ONE)
        (home / "notes").mkdir()
        app = made(home / "app")
        assert repository_at(home).remote == "github.com/owner/one"
        assert repository_at(home / "notes").kind == "folder"
        assert repository_at(home / "gone").kind == "folder"
        assert repository_at(app).root == app

    def test_a_deleted_folder_still_belongs(self, home: Path) -> None:
        app = made(home / "app", remote=ONE)
        seen = repository_at(app / "gone" / "for good")
        assert (seen.root, seen.folder) == (app, "gone/for good")
        assert identity_keys(seen) == identity_keys(repository_at(app))
        lost = repository_at(home / "lost")
        assert (lost.kind, identity_keys(lost)) == ("folder", (f"path:{home / 'lost'}",))

    def test_an_unreadable_folder_is_known_by_its_place(self, home: Path) -> None:
        locked = home / "locked"
        made(locked / "app")
        locked.chmod(0)
        try:
            with unprivileged():
                with pytest.raises(PermissionError):
                    (locked / "app").stat()
                seen = repository_at(locked / "app")
        finally:
            locked.chmod(0o700)
        assert (seen.kind, seen.root) == ("folder", locked / "app")

    @pytest.mark.skipif(os.geteuid() != 0, reason="needs a folder of another user")
    def test_a_repository_of_another_user_is_known_by_its_files(self) -> None:
        with tempfile.TemporaryDirectory() as top:
            Path(top).chmod(0o755)
            app = made(Path(os.path.realpath(top)) / "app", remote=ONE)
            (app / "locked").mkdir(mode=0)
            with unprivileged():
                seen = repository_at(app / "locked")
        assert (seen.remote, seen.folder, seen.branch) == (None, "locked", "main")
        assert seen.refused
        assert not repository_at(Path(__file__).parent).refused

    def test_one_that_claims_its_neighbours_is_known_by_its_place(self, home: Path) -> None:
        app = made(home / "app", remote=ONE)
        (home / "diary.md").write_text("not of the app")
        git(app, "config", "core.worktree", str(home))
        seen = repository_at(app)
        assert (seen.root, seen.kind) == (app, "repository")

    def test_a_file_stands_for_its_folder(self, home: Path) -> None:
        app = made(home / "app", remote=ONE)
        (app / "README").write_text("hello")
        assert repository_at(app / "README") == repository_at(app)

    @pytest.mark.parametrize("name", ["a\0b", "half \ud83d"])
    def test_what_no_disk_can_hold_is_refused(self, home: Path, name: str) -> None:
        with pytest.raises(BadInput):
            repository_at(home / name)

    def test_a_current_folder_that_is_gone_is_refused(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gone = home / "gone"
        gone.mkdir()
        monkeypatch.chdir(gone)
        gone.rmdir()
        with pytest.raises(BadInput, match="deleted"):
            repository_at(Path())
        monkeypatch.chdir(home)

    def test_a_git_file_that_leads_nowhere_still_marks_the_top(self, home: Path) -> None:
        app = home / "app"
        (app / "src").mkdir(parents=True)
        (app / ".git").write_text(f"gitdir: {home}/nowhere/.git/worktrees/app\n")
        seen = repository_at(app / "src")
        assert (seen.kind, seen.root, seen.folder) == ("folder", app, "src")

    def test_an_empty_git_folder_is_passed_by(self, home: Path) -> None:
        app = made(home / "app", remote=ONE)
        (app / "src" / ".git").mkdir(parents=True)
        (home / "notes" / ".git").mkdir(parents=True)
        assert repository_at(app / "src").root == app
        assert repository_at(home / "notes").kind == "folder"


class TestSurroundings:
    def test_a_hook_s_variables_are_not_ours(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        app, other = made(home / "app", remote=ONE), made(home / "other", remote=TWO)
        (home / "notes").mkdir()
        monkeypatch.setenv("GIT_DIR", str(other / ".git"))
        monkeypatch.setenv("GIT_WORK_TREE", str(other))
        monkeypatch.setenv("GIT_COMMON_DIR", str(other / ".git"))
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(app))
        monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
        monkeypatch.setenv("GIT_CONFIG_KEY_0", "remote.origin.url")
        monkeypatch.setenv("GIT_CONFIG_VALUE_0", TWO)
        (app / "src").mkdir()
        assert repository_at(app / "src").remote == "github.com/owner/one"
        assert repository_at(app / "src").root == app
        assert repository_at(home / "notes").kind == "folder"

    def test_without_git_the_place_is_the_same_key(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        app = made(home / "app", remote=ONE)
        git(app, "worktree", "add", "--quiet", "-b", "feature", str(home / "feature"))
        git(app, "checkout", "--quiet", "--detach")
        (home / "feature" / "src").mkdir()
        with_git = [repository_at(app), repository_at(home / "feature" / "src")]
        monkeypatch.setenv("PATH", "")
        without = [repository_at(app), repository_at(home / "feature" / "src")]
        for seen, blind in zip(with_git, without, strict=True):
            assert identity_keys(blind) == (identity_keys(seen)[-1],) == (f"path:{app}",)
            assert (blind.kind, blind.root, blind.folder) == (seen.kind, seen.root, seen.folder)
            assert (blind.branch, blind.worktree) == (seen.branch, seen.worktree)
        assert without[0].head == with_git[0].head
        inside = repository_at(app / ".git" / "refs")
        assert (inside.root, inside.folder) == (app, "")

    @pytest.mark.parametrize("path", ["", ".", f".{os.pathsep}{os.defpath}"])
    def test_a_git_that_the_repository_brings_is_not_run(
        self, home: Path, monkeypatch: pytest.MonkeyPatch, path: str
    ) -> None:
        app = made(home / "app")
        script(app / "git", f": >{home}/run")
        monkeypatch.chdir(app)
        monkeypatch.setenv("PATH", path)
        repository_at(app)
        assert not (home / "run").exists()

    @pytest.mark.parametrize(
        ("remote", "place", "calls"),
        [
            (ONE, "app", ["rev-parse", "config"]),
            (None, "app", ["rev-parse", "config", "rev-list"]),
            (None, "notes", []),
        ],
    )
    def test_how_often_git_is_called(
        self,
        home: Path,
        monkeypatch: pytest.MonkeyPatch,
        remote: str | None,
        place: str,
        calls: list[str],
    ) -> None:
        made(home / "app", remote=remote)
        (home / "notes").mkdir()
        log = home / "calls"
        log.touch()
        monkeypatch.setenv("PATH", str(home / "bin"))
        script(
            home / "bin" / "git",
            'for word in "$@"; do case "$word" in rev-parse|config|rev-list) '
            f'echo "$word" >>{log};; esac; done; exec {GIT} "$@"',
        )
        repository_at(home / place)
        assert log.read_text().split() == calls

    def test_a_git_that_hangs_costs_the_remote_not_the_answer(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        app = made(home / "app", remote=ONE)
        script(home / "bin" / "git", "exec /bin/sleep 60")
        monkeypatch.setenv("PATH", str(home / "bin"))
        seen = repository_at(app)
        assert (seen.kind, seen.root, seen.branch) == ("repository", app, "main")

    def test_a_history_too_long_to_walk_costs_the_root_not_the_answer(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        app = made(home / "app")
        script(
            home / "bin" / "git",
            f'case "$*" in *rev-list*) exec /bin/sleep 60;; esac; exec {GIT} "$@"',
        )
        monkeypatch.setenv("PATH", str(home / "bin"))
        seen = repository_at(app)
        assert (seen.head is not None, seen.root_commit) == (True, None)


def script(path: Path, line: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


class TestStories:
    """What a user does to a repository, and whether the memories should still be there."""

    def test_clones_of_one_remote(self, home: Path, registry: Registry) -> None:
        one = registry.project(made(home / "one", remote=ONE))
        shutil.copytree(home / "one", home / "two")
        git(home / "two", "remote", "set-url", "origin", "git@github.com:Owner/one")
        assert registry.project(home / "two") == one

    def test_a_clone_of_a_folder(self, home: Path, registry: Registry) -> None:
        app = registry.project(made(home / "app", remote=ONE))
        git(home, "clone", "--quiet", str(home / "app"), "copy")
        assert registry.project(home / "copy") == app

    def test_a_remote_added_later(self, home: Path, registry: Registry) -> None:
        app = registry.project(made(home / "app"))
        git(home, "clone", "--quiet", str(home / "app"), "clone")
        git(home / "clone", "remote", "set-url", "origin", ONE)
        assert registry.project(home / "clone") == app  # elsewhere first
        git(home / "app", "remote", "add", "origin", ONE)
        assert registry.project(home / "app") == app

    def test_a_remote_renamed(self, home: Path, registry: Registry) -> None:
        app = registry.project(made(home / "app", remote=ONE))
        git(home / "app", "remote", "set-url", "origin", TWO)
        assert registry.project(home / "app") == app
        shutil.copytree(home / "app", home / "fresh")
        assert registry.project(home / "fresh") == app
        git(home / "fresh", "remote", "set-url", "origin", ONE)
        assert registry.project(home / "fresh") == app  # clones that still say the old name

    def test_a_fork_is_another_project(self, home: Path, registry: Registry) -> None:
        upstream = registry.project(made(home / "app", remote=ONE))
        git(home, "clone", "--quiet", str(home / "app"), "fork")
        git(home / "fork", "remote", "set-url", "origin", TWO)
        git(home / "fork", "remote", "add", "upstream", ONE)
        fork = registry.project(home / "fork")
        assert fork != upstream
        git(home / "fork", "remote", "remove", "origin")
        git(home / "fork", "remote", "remove", "upstream")
        assert registry.project(home / "fork") == fork
        assert registry.project(home / "app") == upstream

    def test_a_template_is_left_behind(self, home: Path, registry: Registry) -> None:
        template = registry.project(made(home / "template", remote=ONE))
        git(home, "clone", "--quiet", str(home / "template"), "mine")
        git(home / "mine", "remote", "set-url", "origin", TWO)
        assert registry.project(home / "mine") != template

    def test_a_template_worked_in_before_it_got_its_own_remote(
        self, home: Path, registry: Registry
    ) -> None:
        mine = registry.project(made(home / "mine", remote=ONE))
        git(home / "mine", "remote", "set-url", "origin", TWO)
        assert registry.project(home / "mine") == mine  # what was learned in it comes along

    def test_git_comes_to_a_folder_and_goes(self, home: Path, registry: Registry) -> None:
        (home / "app").mkdir()
        app = registry.project(home / "app")
        git(home / "app", "init", "--quiet")
        assert registry.project(home / "app") == app
        commit(home / "app", "begin")
        assert registry.project(home / "app") == app
        shutil.rmtree(home / "app" / ".git")
        assert registry.project(home / "app") == app

    def test_a_history_begun_anew(self, home: Path, registry: Registry) -> None:
        old = registry.project(made(home / "app"))
        shutil.copytree(home / "app", home / "copy")
        shutil.rmtree(home / "app" / ".git")
        git(home / "app", "init", "--quiet")
        commit(home / "app", "something else entirely")
        new = registry.project(home / "app")
        assert new != old
        assert registry.project(home / "app") == new
        assert registry.project(home / "copy") == old

    def test_another_repository_cloned_to_the_same_place(
        self, home: Path, registry: Registry
    ) -> None:
        old = registry.project(made(home / "app", remote=ONE))
        shutil.rmtree(home / "app")
        git(home, "clone", "--quiet", str(made(home / "source")), "app")
        git(home / "app", "remote", "set-url", "origin", TWO)
        assert registry.project(home / "app") != old

    def test_a_folder_moved(self, home: Path, registry: Registry) -> None:
        app = registry.project(made(home / "app"))
        (home / "app").rename(home / "moved")
        assert registry.project(home / "moved") == app

    def test_an_orphan_branch_older_than_the_project(self, home: Path, registry: Registry) -> None:
        app = registry.project(made(home / "app"))
        git(home / "app", "checkout", "--quiet", "--orphan", "archive")
        commit(home / "app", "from long ago", seconds=1_000_000_000)
        assert registry.project(home / "app") == app

    def test_git_was_missing_at_first(
        self, home: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made(home / "app", remote=ONE)
        with monkeypatch.context() as without:
            without.setenv("PATH", "")
            app = registry.project(home / "app")
        assert registry.project(home / "app") == app
        assert registry.holders["remote:github.com/owner/one"] == app

    def test_home_is_nobody_s(self, home: Path, registry: Registry) -> None:
        assert registry.project(home) is None
        assert registry.holders == {}

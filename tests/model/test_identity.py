"""One repository, however its remote is written; one project, however its folder is reached."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loremap.model.identity import (
    Claims,
    Decision,
    Known,
    NewProject,
    NoProject,
    Repository,
    SameProject,
    identity_keys,
    normalised_remote,
    readable,
    remote_title,
    resolved,
    wants_root,
)

SECRET = "hunter" + "2" * 12


@pytest.mark.parametrize(
    ("url", "remote"),
    [
        # one repository in every spelling
        ("https://github.com/owner/name", "github.com/owner/name"),
        ("https://github.com/owner/name.git", "github.com/owner/name"),
        ("https://github.com/owner/name.git/", "github.com/owner/name"),
        ("https://github.com//owner/./name/", "github.com/owner/name"),
        ("http://www.github.com/owner/name", "github.com/owner/name"),
        ("https://GitHub.com:443/Owner/Name", "github.com/owner/name"),
        ("https://github.com./owner/name", "github.com/owner/name"),
        ("https://user@github.com/owner/name", "github.com/owner/name"),
        ("git@github.com:owner/name.git", "github.com/owner/name"),
        ("git@github.com:/owner/name.git", "github.com/owner/name"),
        ("github.com:owner/name", "github.com/owner/name"),
        ("ssh://git@github.com/owner/name.git", "github.com/owner/name"),
        ("ssh://git@github.com:22/owner/name.git", "github.com/owner/name"),
        ("git+ssh://git@github.com/owner/name.git", "github.com/owner/name"),
        ("git://github.com/owner/name.git", "github.com/owner/name"),
        ("git://github.com:9418/owner/name.git", "github.com/owner/name"),
        (" https://github.com/owner/name\n", "github.com/owner/name"),
        ("https://github.com/owner/name?tab=readme#top", "github.com/owner/name"),
        # ssh where only port 443 is open, and two accounts on one host
        ("ssh://git@ssh.github.com:443/owner/name.git", "github.com/owner/name"),
        ("[git@ssh.github.com:443]:owner/name.git", "github.com/owner/name"),
        ("git@ssh.github.com:owner/name.git", "github.com/owner/name"),
        ("ssh://git@altssh.gitlab.com:443/owner/name.git", "gitlab.com/owner/name"),
        ("ssh://git@altssh.bitbucket.org:443/owner/name", "bitbucket.org/owner/name"),
        ("git@github.com-work:owner/name.git", "github.com/owner/name"),
        # only GitHub is known to ignore case
        ("https://gitlab.com/Owner/Name", "gitlab.com/Owner/Name"),
        ("https://Git.Example.org/Owner/Name", "git.example.org/Owner/Name"),
        ("https://gist.github.com/ABCDEF.git", "gist.github.com/abcdef"),
        ("https://gitlab.com/group/sub/name.git", "gitlab.com/group/sub/name"),
        # ports that are not the default stay
        ("https://example.org:8443/owner/name", "example.org:8443/owner/name"),
        ("ssh://git@example.org:2222/owner/name", "example.org:2222/owner/name"),
        ("git@[example.org:2222]:owner/name", "example.org:2222/owner/name"),
        ("https://example.org:/owner/name", "example.org/owner/name"),
        # plain servers
        ("server:srv/app.git", "server/srv/app"),
        ("me@server:~/app/.git", "server/app"),
        ("ssh://server/~/app", "server/app"),
        ("git@[2001:db8::1]:app.git", "[2001:db8::1]/app"),
        ("ssh://git@[2001:db8::1]:2222/app.git", "[2001:db8::1]:2222/app"),
        ("https://example.org/libstdc++.git", "example.org/libstdc++"),
        ("https://example.org/a%20b/caf%C3%A9", "example.org/a%20b/caf%C3%A9"),
        ("git@example.org:a b/café", "example.org/a%20b/caf%C3%A9"),
        ("https://example.org/a%0Ab", "example.org/a%0Ab"),
        # Azure DevOps
        ("https://dev.azure.com/org/proj/_git/repo", "dev.azure.com/org/proj/repo"),
        ("https://org@dev.azure.com/org/proj/_git/repo", "dev.azure.com/org/proj/repo"),
        ("git@ssh.dev.azure.com:v3/org/proj/repo", "dev.azure.com/org/proj/repo"),
        ("ssh://git@ssh.dev.azure.com/v3/org/proj/repo", "dev.azure.com/org/proj/repo"),
        ("https://org.visualstudio.com/proj/_git/repo", "dev.azure.com/org/proj/repo"),
        (
            "https://org.visualstudio.com/DefaultCollection/proj/_git/repo",
            "dev.azure.com/org/proj/repo",
        ),
        ("org@vs-ssh.visualstudio.com:v3/org/proj/repo", "dev.azure.com/org/proj/repo"),
        ("https://dev.azure.com/org/_git/repo", "dev.azure.com/org/repo/repo"),
        ("git@ssh.dev.azure.com:v3/org/repo/repo", "dev.azure.com/org/repo/repo"),
        ("https://dev.azure.com/org/My%20Team/_git/repo", "dev.azure.com/org/My%20Team/repo"),
    ],
)
def test_a_remote_has_one_form(url: str, remote: str) -> None:
    assert normalised_remote(url) == remote


@pytest.mark.parametrize(
    "url",
    [
        "",
        "   ",
        "/srv/git/app.git",
        "../app",
        "./a:b",
        "app",
        "~/app",
        "file:///srv/git/app.git",
        "file://server/app.git",
        "file:/srv/app",
        "https:/github.com/owner/name",
        "C:\\code\\app",
        "C:/code/app",
        "\\\\server\\share\\app",
        "app.bundle",
        "https://github.com",
        "https://github.com/",
        "https://github.com/.git",
        "https:///owner/name",
        "https://./owner/name",
        "git@github.com:",
        "https://github.com/owner/../name",
        "https://github.com:port/owner/name",
        "s3://bucket/app",
        "ext::ssh host %S /app",
        "codecommit::eu-central-1://app",
        "git@host:a\nb",
    ],
)
def test_what_names_no_server_is_no_remote(url: str) -> None:
    assert normalised_remote(url) is None


@pytest.mark.parametrize(
    "pattern",
    [
        "https://user:{}@github.com/owner/name.git",
        "https://{}@github.com/owner/name.git",
        "https://{}:x-oauth-basic@github.com/owner/name.git",
        "https://user:p@{}@github.com/owner/name.git",
        "https://user:p/{}@github.com/owner/name.git",
        "https://user:12/{}@github.com/owner/name.git",
        "https://user:12/{}?x@github.com/owner/name.git",
        "https://user:12#{}@github.com/owner/name.git",
        "https://user:12?{}@github.com/owner/name.git",
        "https://user%3A{}%40github.com/owner/name.git",
        "https://github.com/owner/name.git?private_token={}",
        "https://github.com/owner/name.git#{}",
        "https:/user:{}@github.com/owner/name.git",
        "user:{}@github.com/owner/name.git",
        "user:{}@github.com:owner/name.git",
        "ssh://user:{}@github.com/owner/name.git",
        "ftp://user:{}@github.com/owner/name.git",
        "helper::https://user:{}@github.com/owner/name.git",
        "foo://user:{}@github.com/owner/name.git",
        "https://github.com/user%3A{}%40github.com/name.git",
    ],
)
def test_no_credential_is_left_in_a_remote(pattern: str) -> None:
    assert SECRET not in (normalised_remote(pattern.format(SECRET)) or "")


@pytest.mark.parametrize("prefix", ["ghp_", "gho_", "github_pat_", "glpat-", "ATBB"])
def test_a_token_in_the_place_of_a_name_is_refused(prefix: str) -> None:
    token = prefix + "a1B2" * 9
    assert normalised_remote(f"https://{token}/owner/name") is None
    assert normalised_remote(f"https://example.org/{token}/name") is None


@given(st.text(min_size=1).map(lambda text: f"«{text}»"), st.booleans())
@example("«/@»", False)
@example("«:1/a?@»", False)
def test_no_password_whatever_its_signs_is_left(password: str, escaped: bool) -> None:
    written = quote(password, safe="") if escaped else password
    remote = normalised_remote(f"https://user:{written}@example.org/owner/name")
    assert remote in (None, "example.org/owner/name")


@given(
    st.sampled_from(["https://", "ssh://git@", "git@", ""]),
    st.sampled_from(["example.org", "[::1]", "example.org:8080", "[example.org:22]"]) | st.text(),
    st.sampled_from(["/", ":", ""]),
    st.text(),
)
def test_a_remote_is_one_printable_word(scheme: str, host: str, mark: str, path: str) -> None:
    remote = normalised_remote(f"{scheme}{host}{mark}{path}")
    assert remote is None or ("/" in remote and "@" not in remote and remote.isprintable())
    assert remote is None or remote.split() == [remote]


@pytest.mark.parametrize(
    ("remote", "title"),
    [
        ("github.com/owner/name", "name"),
        ("dev.azure.com/org/proj/My%20Repo", "My Repo"),
        ("example.org/caf%C3%A9", "café"),
        ("example.org/a%0A%1B%5B31mb", "a [31mb"),
    ],
)
def test_a_remote_is_called_by_its_last_part(remote: str, title: str) -> None:
    assert remote_title(remote) == title


def test_a_readable_name_keeps_its_signs_and_loses_its_controls() -> None:
    assert readable("a\n b\x1b[0m 👩‍💻\u202e") == "a b [0m 👩‍💻"


def repository(**facts: object) -> Repository:
    given = {"root": Path("/w/app"), "kind": "repository", "name": "app"} | facts
    return Repository(**given)  # type: ignore[arg-type]  # a table of facts has no one type


@pytest.mark.parametrize(
    ("facts", "keys"),
    [
        ({"kind": "global"}, ()),
        ({"kind": "folder"}, ("path:/w/app",)),
        # the place of a worktree is that of the repository it belongs to
        ({"common_dir": Path("/w/main/.git"), "worktree": True}, ("path:/w/main",)),
        # git coming to a plain folder leaves its key as it was
        ({"common_dir": Path("/w/app/.git")}, ("path:/w/app",)),
        ({"common_dir": Path("/srv/app.git")}, ("path:/srv/app.git",)),
        ({"common_dir": Path("/w/.git/modules/lib")}, ("path:/w/.git/modules/lib",)),
        ({"roots": ("aa", "bb")}, ("root:aa", "root:bb", "path:/w/app")),
        (
            {"remote": "h/o/r", "roots": ("aa",)},
            ("remote:h/o/r", "root:aa", "path:/w/app"),
        ),
        # a name that is no UTF-8 still fits in a database
        ({"kind": "folder", "root": Path("/w/\udcff")}, ("path:/w/\\xff",)),
    ],
)
def test_keys_come_in_order_of_what_they_tell(
    facts: dict[str, object], keys: tuple[str, ...]
) -> None:
    assert identity_keys(repository(**facts)) == keys


def project(name: str, *, remote: bool = False, root: str | None = None) -> Known:
    return Known(project_id=name, has_remote=remote, root_commit=root)


OURS = project("ours", remote=True, root="aa")
LOCAL = project("local", root="aa")
UNROOTED = project("unrooted", remote=True)


@pytest.mark.parametrize(
    ("keys", "holders", "decision"),
    [
        # nothing is known
        (
            ("remote:r", "root:aa", "path:p"),
            {},
            NewProject(
                why="first seen",
                claims=Claims(add=("remote:r", "root:aa", "path:p"), root_commit="aa"),
            ),
        ),
        (("path:p",), {}, NewProject(why="first seen", claims=Claims(add=("path:p",)))),
        ((), {}, NoProject()),
        # the remote is known
        (
            ("remote:r", "path:p"),
            {"remote:r": OURS, "path:p": OURS},
            SameProject(project_id="ours", why="same remote", claims=Claims()),
        ),
        # a second clone
        (
            ("remote:r", "path:q"),
            {"remote:r": OURS, "path:p": OURS},
            SameProject(project_id="ours", why="same remote", claims=Claims(add=("path:q",))),
        ),
        # cloned where another project was
        (
            ("remote:r", "path:q"),
            {"remote:r": OURS, "path:q": LOCAL},
            SameProject(project_id="ours", why="same remote", claims=Claims(move=("path:q",))),
        ),
        # the history was rewritten and pushed by force
        (
            ("remote:r", "root:bb", "path:p"),
            {"remote:r": OURS, "path:p": OURS, "root:aa": OURS},
            SameProject(
                project_id="ours",
                why="same remote",
                claims=Claims(add=("root:bb",), root_commit="bb"),
            ),
        ),
        # a remote was added, here or in a clone of it
        (
            ("remote:r", "root:aa", "path:p"),
            {"root:aa": LOCAL, "path:p": LOCAL},
            SameProject(project_id="local", why="same place", claims=Claims(add=("remote:r",))),
        ),
        (
            ("remote:r", "root:aa", "path:q"),
            {"root:aa": LOCAL, "path:p": LOCAL},
            SameProject(
                project_id="local", why="same history", claims=Claims(add=("remote:r", "path:q"))
            ),
        ),
        # the remote was renamed or moved
        (
            ("remote:s", "root:aa", "path:p"),
            {"remote:r": OURS, "root:aa": OURS, "path:p": OURS},
            SameProject(project_id="ours", why="same place", claims=Claims(add=("remote:s",))),
        ),
        # the same, where either side does not know its root
        (
            ("remote:s", "path:p"),
            {"remote:r": OURS, "root:aa": OURS, "path:p": OURS},
            SameProject(project_id="ours", why="same place", claims=Claims(add=("remote:s",))),
        ),
        (
            ("remote:s", "root:aa", "path:p"),
            {"remote:r": UNROOTED, "path:p": UNROOTED},
            SameProject(
                project_id="unrooted",
                why="same place",
                claims=Claims(add=("remote:s", "root:aa"), root_commit="aa"),
            ),
        ),
        # a fork keeps the root it shares with its origin, but the key stays with the first
        (
            ("remote:fork", "root:aa", "path:q"),
            {"remote:r": OURS, "root:aa": OURS, "path:p": OURS},
            NewProject(why="fork", claims=Claims(add=("remote:fork", "path:q"), root_commit="aa")),
        ),
        # a fork that lost its remote is still itself
        (
            ("root:aa", "path:q"),
            {"root:aa": OURS, "path:q": project("fork", remote=True, root="aa")},
            SameProject(project_id="fork", why="same place", claims=Claims()),
        ),
        # rm -rf .git; git init
        (
            ("root:bb", "path:p"),
            {"root:aa": LOCAL, "path:p": LOCAL},
            NewProject(
                why="begun anew",
                claims=Claims(add=("root:bb",), move=("path:p",), root_commit="bb"),
            ),
        ),
        (
            ("remote:s", "root:bb", "path:p"),
            {"remote:r": OURS, "root:aa": OURS, "path:p": OURS},
            NewProject(
                why="begun anew",
                claims=Claims(add=("remote:s", "root:bb"), move=("path:p",), root_commit="bb"),
            ),
        ),
        # the same, but the history that lies there now is one we know from elsewhere
        (
            ("root:aa", "path:q"),
            {"root:aa": LOCAL, "path:q": project("old", root="bb")},
            SameProject(project_id="local", why="same history", claims=Claims(move=("path:q",))),
        ),
        # the first commit, and git itself, come to a place that is known
        (
            ("root:aa", "path:p"),
            {"path:p": project("young")},
            SameProject(
                project_id="young",
                why="same place",
                claims=Claims(add=("root:aa",), root_commit="aa"),
            ),
        ),
        # and go
        (
            ("path:p",),
            {"root:aa": LOCAL, "path:p": LOCAL},
            SameProject(project_id="local", why="same place", claims=Claims()),
        ),
        # a copy, a moved folder, a clone of a folder
        (
            ("root:aa", "path:q"),
            {"root:aa": LOCAL, "path:p": LOCAL},
            SameProject(project_id="local", why="same history", claims=Claims(add=("path:q",))),
        ),
        (
            ("root:aa", "path:q"),
            {"remote:r": OURS, "root:aa": OURS, "path:p": OURS},
            SameProject(project_id="ours", why="same history", claims=Claims(add=("path:q",))),
        ),
        # an older history was merged in, or kept on a branch: ours is still among the roots
        (
            ("root:00", "root:aa", "path:p"),
            {"root:aa": LOCAL, "path:p": LOCAL},
            SameProject(project_id="local", why="same place", claims=Claims(add=("root:00",))),
        ),
        # but a later root is never claimed, and alone makes no project the same
        (
            ("root:00", "root:aa", "path:q"),
            {},
            NewProject(
                why="first seen", claims=Claims(add=("root:00", "path:q"), root_commit="00")
            ),
        ),
        (
            ("root:00", "root:aa", "path:q"),
            {"root:aa": LOCAL, "path:p": LOCAL},
            NewProject(
                why="first seen", claims=Claims(add=("root:00", "path:q"), root_commit="00")
            ),
        ),
    ],
)
def test_the_keys_decide(
    keys: tuple[str, ...], holders: dict[str, Known], decision: Decision
) -> None:
    assert resolved(keys, holders.get) == decision


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        (("remote:known", "path:p"), False),
        (("remote:new", "path:p"), True),
        (("remote:new", "root:aa", "path:p"), False),
        (("root:aa", "path:p"), False),
        (("path:p",), False),
        ((), False),
    ],
)
def test_the_history_is_walked_only_for_a_remote_never_met(
    keys: tuple[str, ...], wanted: bool
) -> None:
    assert wants_root(keys, {"remote:known": OURS}.get) is wanted

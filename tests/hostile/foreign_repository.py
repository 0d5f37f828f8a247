"""A repository whose every setting that can name a program names one that leaves a mark."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

APP = '''def greet(name):
    """Make the greeting."""
    return "hi " + name


print(greet("you"))
'''
HOOKS = ("post-index-change", "fsmonitor-watchman", "post-checkout", "reference-transaction")
SETTINGS = """
[core]
    fsmonitor = {mark}
    hooksPath = {hooks}
    sshCommand = {mark}
    pager = {mark}
    editor = {mark}
    askPass = {mark}
    gitProxy = {mark}
    alternateRefsCommand = {mark}
    untrackedCache = true
[filter "evil"]
    clean = {mark} clean
    smudge = {mark} smudge
    process = {mark} process
    required = true
[diff]
    external = {mark}
[diff "evil"]
    textconv = {mark}
    command = {mark}
[merge "evil"]
    driver = {mark}
[gpg]
    program = {mark}
[gpg "ssh"]
    program = {mark}
    defaultKeyCommand = {mark}
[log]
    showSignature = true
[credential]
    helper = "!{mark}"
[alias]
    status = "!{mark}"
    rev-parse = "!{mark}"
    ls-files = "!{mark}"
    cat-file = "!{mark}"
[protocol]
    allow = always
[protocol "ext"]
    allow = always
[extensions]
    partialClone = evil
[remote "evil"]
    url = "ext::{mark} %S"
    promisor = true
    partialCloneFilter = blob:none
    uploadpack = {mark}
    vcs = evil
[remote "origin"]
    url = "ext::{mark} %S"
    promisor = true
[include]
    path = ../more.cfg
[trailer "evil"]
    command = {mark}
"""


def foreign_repository(folder: Path, mark: Path, marked: Path) -> Path:
    """A repository in `folder`; `mark` is the program, which writes to `marked`."""
    mark.write_text(f'#!/bin/sh\necho "$0 $*" >> {marked}\ncat\n')
    mark.chmod(0o700)
    folder.mkdir()
    _git(folder, "init", "-q", "-b", "main")
    (folder / "app.py").write_text(APP)
    (folder / "gone.py").write_text("GONE = 1\n")
    _git(folder, "add", ".")
    _git(folder, "commit", "-q", "-m", "The app")
    gone = _git(folder, "rev-parse", "HEAD:gone.py").strip()
    (folder / ".git" / "objects" / gone[:2] / gone[2:]).unlink()  # as a partial clone lacks it
    _embed_others(folder)
    (folder / ".gitattributes").write_text("* filter=evil diff=evil merge=evil text=auto\n")
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "attributes").write_text("* filter=evil diff=evil\n")
    hooks = folder / "hooks"
    hooks.mkdir()
    for name in (*HOOKS, "git", "python", "python3", "lore"):
        for place in (hooks, folder):
            (place / name).write_text(mark.read_text())
            (place / name).chmod(0o700)
    (folder / "more.cfg").write_text(f"[core]\n fsmonitor = {mark}\n")
    for name in ("sitecustomize.py", "click.py", "json.py", "loremap.py", "numpy.py"):
        (folder / name).write_text(f"open({str(marked)!r}, 'a').write('imported ' + __name__)\n")
    settings = SETTINGS.format(mark=mark, hooks=hooks)
    with (folder / ".git" / "config").open("a") as config:
        config.write(settings)
    os.utime(folder / "app.py", (1, 1))  # git would have to look into it to know that it is clean
    return folder


def _embed_others(folder: Path) -> None:
    """A bare repository among the files, and a `.git` that leads elsewhere."""
    _git(folder, "clone", "-q", "--bare", "--no-local", "--depth=1", _url(folder), "lib.git")
    config = folder / "lib.git" / "config"
    config.write_text(config.read_text() + "[core]\n fsmonitor = ../hooks/git\n")
    (folder / "else").mkdir()
    (folder / "else" / ".git").write_text("gitdir: ../lib.git\n")
    (folder / "else" / "there.py").write_text("THERE = 1\n")


def _url(folder: Path) -> str:
    made = folder.parent / "source"
    _git(folder.parent, "init", "-q", "-b", "main", "source")
    (made / "lib.py").write_text("LIB = 1\n")
    _git(made, "add", ".")
    _git(made, "commit", "-q", "-m", "The library")
    return made.as_uri()


def _git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout

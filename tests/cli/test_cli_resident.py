"""`lore` asked of a resident: the same bytes as in a process of its own, or left to that."""

from __future__ import annotations

import os
import pty
import re
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from cli_tools import LORE, Cli, Ran, Terminal, in_own_process

from loremap import app as memory
from loremap.app import utc_now
from loremap.app.lore import open_workspaces
from loremap.config.folders import folders
from loremap.interfaces.cli import asked_here as desk
from loremap.interfaces.cli import thin
from loremap.interfaces.hooks import client
from loremap.interfaces.resident import reach
from loremap.interfaces.resident.places import ensure_private_run, run_folder
from loremap.interfaces.resident.requests import Request
from loremap.model.trigger import parsed_trigger

pytestmark = pytest.mark.timeout(600)  # a busy machine takes its time over many processes

THERE = (
    "import sys\nfrom loremap.interfaces.cli import thin\n"
    "thin.HELLO_S = 30.0\nthin.ANSWER_S = 60.0\n"  # the machine may be busy
    "thin.ended_or_left()\nsys.exit('left')\n"
)
"""Asks the resident; what it leaves ends with 1."""
HERE = """
import os, sys
import loremap.interfaces.cli.present, loremap.app.lore
from loremap.interfaces.cli.app import main

for line in sys.argv[1].split("\\x1e"):
    child = os.fork()
    if not child:
        code = 0
        try:
            main(line.split("\\x1f"))
        except SystemExit as end:
            code = end.code or 0
        sys.stdout.flush()
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.write(1, f"{code}\\x1e".encode())
    if not (os.isatty(1) and os.isatty(2)):
        os.write(2, b"\\x1e")
"""
"""Runs commands in processes of their own, one after another; what each printed ends with a mark
and, on standard output, its exit code before that."""
LEFT = Ran(1, "", "left\n")
STANDING = ("LOREMAP_SESSION", "LOREMAP_AGENT", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CI")


@dataclass(frozen=True)
class Screen:
    """Which streams are a terminal, its width, and what the environment says of it."""

    ttys: str
    columns: int
    env: Mapping[str, str]


PIPE = Screen("000", 0, {"TERM": "xterm"})
SCREENS = {
    "pipe": PIPE,
    "terminal": Screen("111", 72, {"TERM": "xterm-256color", "COLORTERM": "truecolor"}),
    "narrow": Screen("111", 38, {"TERM": "xterm"}),
    "dumb": Screen("111", 150, {"TERM": "dumb"}),
    "named width": Screen("111", 72, {"TERM": "xterm", "COLUMNS": "51", "LINES": "9"}),
    "no colour": Screen("111", 90, {"TERM": "xterm", "NO_COLOR": "1"}),
    "only output": Screen("010", 64, {"TERM": "xterm"}),
    "only errors": Screen("001", 64, {"TERM": "xterm"}),
    "forced colour": Screen("000", 0, {"TERM": "xterm", "FORCE_COLOR": "1"}),
}


def ran_on(screen: Screen, script: str, *arguments: str, folder: Path, **env: str) -> Ran:
    """Run a script with some of its streams on a terminal; what comes there is one text."""
    master, inner = pty.openpty()
    termios.tcsetwinsize(inner, (40, screen.columns or 80))
    kept = {name: value for name, value in os.environ.items() if name not in STANDING}
    streams = [inner if tty == "1" else None for tty in screen.ttys]
    shown: list[bytes] = []
    reading = threading.Thread(target=_read, args=(master, shown))
    reading.start()
    with subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        cwd=folder,
        env=kept | dict(screen.env) | env,
        stdin=streams[0] if streams[0] is not None else subprocess.DEVNULL,
        stdout=streams[1] if streams[1] is not None else subprocess.PIPE,
        stderr=streams[2] if streams[2] is not None else subprocess.PIPE,
        start_new_session=True,
    ) as process:
        out, err = process.communicate(timeout=100)
    os.close(inner)
    reading.join(20)
    os.close(master)
    screened = b"".join(shown)
    printed, complained = (
        (screened, err) if screen.ttys[1] == "1" else (out, err if err is not None else screened)
    )
    return Ran(process.returncode, printed.decode(), (complained or b"").decode())


def _read(master: int, shown: list[bytes]) -> None:
    while True:
        try:
            block = os.read(master, 65_536)
        except OSError:  # the last writer has gone
            return
        if not block:
            return
        shown.append(block)


@pytest.fixture
def resident(
    words_only: None, shop: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[int]:
    """A resident of a store with some memories, made three days ago."""
    monkeypatch.setenv("LOREMAP_IDLE_SECONDS", "120")
    before = utc_now() - timedelta(days=3, hours=1)  # an age that stays what it is meanwhile
    with memory.open(shop, now=lambda: before) as lore:
        lore.remember("Deploys go through the blue cluster, never on a Friday afternoon", pin=True)
        lore.remember("Refresh tokens are kept in Redis", tags=["auth"], files=["app.py"])
        lore.remember("Never force-push to main", kind="warning",
                      triggers=[parsed_trigger("push --force", "any")])  # fmt: skip
    with memory.open(shop, now=lambda: before, agent="bot") as lore:
        lore.remember("Logins are slow: naïve “quotes” 数据库")
    yield started(home)
    while reach.stop(home):
        time.sleep(0.1)


def started(home: Path) -> int:
    """A resident that can run commands; its process id."""
    state = reach.ensure(home, wait_s=60).state
    until = time.monotonic() + 60
    while state is None or not state.speaks_mcp:
        assert time.monotonic() < until, "it did not become ready"
        time.sleep(0.05)
        state = reach.status(home)
    return state.pid


COMMANDS = (
    ("list",),
    ("list", "warning", "--json"),
    ("list", "--status", "candidate"),
    ("list", "no-such-kind"),
    ("list", "--nope"),
    ("list", "--tag", "none such", "--json"),
    ("-C", "sub", "list"),
    ("list", "--folder=sub", "--everywhere"),
    ("-C", "nowhere", "list"),
    ("--session", "s1", "--agent", "bot", "list", "-n", "1"),
    ("status",),
    ("status", "--json"),
    ("check", "--command", "git push --force", "--exit-code"),
    ("check", "--command", "git status"),
    ("check",),
    ("recall", "how do we deploy?"),
    ("recall", "--why", "thanks, looks good"),
    ("recall",),
    ("search", "redis", "--full"),
    ("search", "redis", "--json", "--tag", "auth"),
    ("search", "nothing of the kind"),
    ("show", "redis"),
    ("show", "no such one", "--json"),
    ("history", "ffffffff"),
    ("log", "-n", "3"),
    ("last",),
    ("pin", "no such one"),
    ("remember", "--when", "now", "x"),
)


@pytest.mark.parametrize("screen", SCREENS)
def test_a_command_prints_the_same_bytes(resident: int, shop: Path, screen: str) -> None:
    (shop / "sub").mkdir()
    told = SCREENS[screen]
    table = COMMANDS if screen in ("pipe", "terminal") else COMMANDS[:2] + COMMANDS[12:16]
    line = "\x1e".join("\x1f".join(arguments) for arguments in table)
    here = ran_on(told, HERE, line, folder=shop)
    ended = zip(here.out.split("\x1e"), f"{here.err}\x1e".split("\x1e"), strict=False)
    for arguments, (out, err) in zip(table, ended, strict=False):
        there = ran_on(told, THERE, *arguments, folder=shop)
        assert _plain(f"{there.out}{there.code}") == _plain(out), arguments
        assert there.err == err, arguments
    assert here.out.count("\x1e") >= len(table)


def _plain(out: str) -> str:
    """Without how long a recall and its steps took, and when rows were checked."""
    lines = (each for each in out.splitlines(keepends=True) if "recipe " not in each)
    return re.sub(r'"took_ms": [\d.]+|"checked_at": "[^"]+"', "", "".join(lines))


def test_the_environment_says_who_speaks(resident: int, shop: Path, cli: Cli) -> None:
    env = {"LOREMAP_AGENT": "bot", "LOREMAP_SESSION": "s9"}
    told = ran_on(PIPE, THERE, "remember", "--json", "Jobs run nightly", folder=shop, **env).data
    assert (told["status"], told["agent"], told["session_id"]) == ("candidate", "bot", "s9")
    assert "Jobs run nightly" in cli.listed()


def test_what_was_only_recalled_is_not_used(resident: int, shop: Path, cli: Cli) -> None:
    told = ran_on(PIPE, THERE, "recall", "--no-gate", "blue cluster deploys", folder=shop)
    assert "blue cluster" in told.out
    assert cli.data("show", "blue cluster")["access_count"] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("forget", "redis"),
        ("config",),
        ("--help",),
        ("list", "-h"),
        ("--version",),
        (),
        ("check", "--text=-"),
        ("remember", "-"),
    ],
)
def test_what_asks_reads_or_is_not_quick_is_left(
    resident: int, shop: Path, arguments: tuple[str, ...]
) -> None:
    assert ran_on(PIPE, THERE, *arguments, folder=shop) == LEFT


@pytest.mark.parametrize(
    "env",
    [
        {"LOREMAP_KEY": "00" * 32},
        {"TZ": "Asia/Tokyo"},
        {"LOREMAP_KEYS": "/other"},
        {"LOREMAP_CACHE": "/other"},
        {"LOREMAP_DEBUG": "1"},
        {"PYTHONIOENCODING": "ascii"},
    ],
)
def test_another_environment_is_left(resident: int, shop: Path, env: dict[str, str]) -> None:
    assert ran_on(PIPE, THERE, "list", folder=shop, **env) == LEFT


def test_a_resident_answers_no_other_version_and_no_other_command(
    resident: int, home: Path, shop: Path
) -> None:
    def asked(*arguments: str, **changed: str) -> bytes:
        clock = client.Clock(60)
        keys = {"env.LOREMAP_KEYS": os.environ["LOREMAP_KEYS"]}
        header = client.described("command", "", "") | {"cwd": str(shop)} | keys | changed
        told = "\0".join(("000 0 0", thin.alike(client.variables()), *arguments))
        sock = client.connect(str(run_folder(home).path), clock, hello_s=30)
        client.send(sock, client.frame(header, told.encode()), clock)
        how, _ = client.answer_of(sock, clock)
        sock.close()
        return how

    assert asked("list") == client.ANSWERED
    assert asked("forget", "redis") == client.REFUSED
    assert asked("list", stamp="1") == client.REFUSED
    assert asked("list", version="0.0.1") == client.REFUSED
    assert asked("list", version="99.0") == client.REFUSED  # and it makes room for that


def test_settings_that_were_changed_hold_at_once(resident: int, home: Path, shop: Path) -> None:
    settings = home / "config.toml"
    settings.write_text(settings.read_text() + "\n[recall]\nlimit = 1\n")
    words = ("recall", "--no-gate", "--json", "deploys tokens main")
    assert len(ran_on(PIPE, THERE, *words, folder=shop).data["hits"]) == 1


def test_with_the_real_model_it_recalls_the_same(
    full: Cli, home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOREMAP_IDLE_SECONDS", "120")
    full.remember("Releases are cut from the stable branch by Ann")
    full.remember("Passwords are hashed with argon2")
    started(home)
    try:
        asked = ("search", "--json", "who publishes a new version?")
        here = in_own_process(*asked, folder=shop, env={"LOREMAP_DEBUG": "1"})
        assert "argon2" in here.out
        there = ran_on(PIPE, THERE, *asked, folder=shop)
        assert _plain(there.out) == _plain(here.out)
        status = ran_on(PIPE, THERE, "status", folder=shop)
        assert (status.code, "2 embedded" in status.out) == (0, True)
    finally:
        while reach.stop(home):
            time.sleep(0.1)


# A person


def test_a_person_is_asked_about_neighbours_by_their_own_process(
    resident: int, shop: Path, cli: Cli
) -> None:
    terminal = SCREENS["terminal"]
    plain = ran_on(terminal, THERE, "remember", "The queue is drained at night", folder=shop)
    assert (plain.code, "Remembered" in plain.out) == (0, True)
    with Terminal(*LORE, "remember", "Refresh tokens are kept in Postgres", folder=shop) as person:
        assert "kept in Redis" in person.until("s same thing")
        person.press("r")
        person.until("→ replaced")
        assert person.end() == 0
    assert "Refresh tokens are kept in Redis" not in cli.listed()


def test_a_person_chooses_in_their_own_process(resident: int, shop: Path, cli: Cli) -> None:
    cli.remember("Refresh tokens live for a day")
    assert ran_on(SCREENS["terminal"], THERE, "show", "refresh", folder=shop).code == 1
    with Terminal(*LORE, "show", "refresh", folder=shop) as person:
        person.until("Which one?")
        person.press("1")
        person.until("confidence")
        assert person.end() == 0


# When the resident is not well


@contextmanager
def listener(home: Path, serve: Callable[[socket.socket], None]) -> Iterator[None]:
    """Something that knows the key and listens where the resident would."""
    run = run_folder(home)
    key = ensure_private_run(run)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(run.socket))
        bound.listen()
        thread = threading.Thread(target=_served, args=(bound, key, serve))
        thread.start()
        yield
        thread.join(30)
    run.socket.unlink()


def _served(bound: socket.socket, key: bytes, serve: Callable[[socket.socket], None]) -> None:
    sock, _ = bound.accept()
    with sock:
        theirs = sock.recv(client.NONCE_BYTES, socket.MSG_WAITALL)
        ours = os.urandom(client.NONCE_BYTES)
        sock.sendall(ours + client.proof(key, b"resident", theirs, ours))
        sock.recv(client.MAC_BYTES, socket.MSG_WAITALL)
        length = int.from_bytes(sock.recv(4, socket.MSG_WAITALL), "big")
        sock.recv(length, socket.MSG_WAITALL)
        sock.recv(int.from_bytes(sock.recv(8, socket.MSG_WAITALL), "big"), socket.MSG_WAITALL)
        serve(sock)


HALF = client.ANSWERED + (100).to_bytes(4, "big") + thin.packed(0, (), [(1, b"half an")])


@pytest.mark.parametrize("said", [b"", client.ANSWERED, HALF, client.REFUSED + bytes(4)])
def test_a_resident_that_dies_in_its_answer_leaves_the_command(
    cli: Cli, home: Path, shop: Path, said: bytes
) -> None:
    cli.remember("Orders are kept for ten years")
    with listener(home, lambda sock: sock.sendall(said)):
        ran = in_own_process("list", "--json", folder=shop)
    assert (ran.code, ran.err) == (0, "")
    assert [each["content"] for each in ran.data["memories"]] == ["Orders are kept for ten years"]


def test_no_resident_and_one_that_hangs_leave_the_command(resident: int, shop: Path) -> None:
    os.kill(resident, signal.SIGSTOP)
    try:
        ran = in_own_process("list", "warning", folder=shop)
    finally:
        os.kill(resident, signal.SIGCONT)
    assert (ran.code, ran.err, "force-push" in ran.out) == (0, "", True)
    os.kill(resident, signal.SIGKILL)
    ran = in_own_process("list", "warning", folder=shop)
    assert (ran.code, ran.err, "force-push" in ran.out) == (0, "", True)


def _heeds_interrupts() -> None:
    """Tests that run in the background are born deaf to them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupt_ends_it_at_once(cli: Cli, home: Path, shop: Path) -> None:
    taken, done = threading.Event(), threading.Event()

    def hang(_sock: socket.socket) -> None:
        taken.set()
        assert done.wait(60)

    listing = [*LORE, "list"]
    with (
        listener(home, hang),
        subprocess.Popen(
            listing,
            cwd=shop,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=_heeds_interrupts,
        ) as process,
    ):
        assert taken.wait(60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        done.set()
    assert (process.returncode, out) == (130, b"")
    assert err == b"\nlore: interrupted; what was stored before is kept.\n"


def test_a_reader_that_has_gone_is_no_error_there_either(resident: int, shop: Path) -> None:
    gone, ours = os.pipe()
    os.close(gone)
    run = [sys.executable, "-c", THERE, "list"]
    ran = subprocess.run(run, cwd=shop, stdout=ours, stderr=subprocess.PIPE, check=False)
    os.close(ours)
    assert (ran.returncode, ran.stderr) == (0, b"")


# Many at once


def test_twenty_at_once_each_get_their_own(resident: int, shop: Path, cli: Cli) -> None:
    texts = [f"Part {chr(97 + number) * 5} is owned by team {number}" for number in range(10)]
    with ThreadPoolExecutor(20) as pool:
        wrote = [pool.submit(in_own_process, "remember", text, folder=shop) for text in texts]
        read = [
            pool.submit(
                in_own_process, "check", "--command", f"git push --force {number}", folder=shop
            )
            for number in range(10)
        ]
    for text, one in zip(texts, wrote, strict=True):
        assert one.result().out.splitlines()[0].endswith(text)
    assert {(one.result().code, one.result().err) for one in (*wrote, *read)} == {(0, "")}
    assert all(one.result().out.count("\n") == 1 for one in read)
    assert set(texts) <= set(cli.listed())


def test_threads_of_one_process_do_not_mix_their_streams(cli: Cli, home: Path, shop: Path) -> None:
    cli.remember("Deploys go through the blue cluster, never on a Friday afternoon")
    workspaces = open_workspaces(folders())

    def printed(number: int) -> bytes | None:
        told = "\0".join((f"011 {42 + number} 9", thin.alike(client.variables()), "list"))
        env = {"TERM": "xterm", "LOREMAP_KEYS": os.environ["LOREMAP_KEYS"]}
        request = Request(kind="command", cwd=str(shop), payload=told.encode(), env=env)
        return desk.told(request, workspaces)

    try:
        one_by_one = [printed(number) for number in range(20)]
        with ThreadPoolExecutor(8) as pool:
            at_once = list(pool.map(printed, range(20)))
    finally:
        workspaces.close()
    assert at_once == one_by_one
    assert len(set(one_by_one)) > 5  # each width breaks lines elsewhere


# Where it looks


@pytest.mark.parametrize(
    "env",
    [
        {"LOREMAP_HOME": "/data/lore"},
        {"LOREMAP_HOME": "/data/lore/"},
        {"LOREMAP_HOME": "~/lore"},
        {"LOREMAP_HOME": "lore"},
        {"LOREMAP_HOME": "/" + "long/" * 40},
        {"LOREMAP_HOME": ""},
        {"XDG_DATA_HOME": "/xdg"},
        {"XDG_DATA_HOME": " "},
        {},
    ],
)
def test_it_looks_where_the_resident_is(
    env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LOREMAP_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    looked = thin.run_of(thin.home_of(client.variables() if not env else os.environ))
    assert looked == str(run_folder(folders().home).path)


def test_the_short_way_loads_nothing_but_the_client() -> None:
    script = (
        "import sys\nbefore = set(sys.modules)\nfrom loremap.interfaces.cli import thin\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    others = [name for name in ran.stdout.split() if not name.startswith("loremap")]
    assert set(others) <= {"__future__"}

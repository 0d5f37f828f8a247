"""`lore` asked of the resident: hands the command over and prints what comes back.

Imports nothing but the hook's client, because a person waits. Whatever is not as it should be, from
no resident to an answer cut short, leaves the command to this process, without a word.
"""

import os
import sys

from loremap.interfaces.hooks import client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

COMMANDS = frozenset(
    "check confirm history last list log metrics pin recall remember search show status "
    "unpin".split()
)
"""What a resident may run for somebody: quick, and done without asking, or known before it asks."""
STANDING = ("-C", "--folder", "--session", "--agent")
"""Options before the command; each takes a value."""
SHOWN = (
    "CI COLORTERM COLUMNS FORCE_COLOR LINES LOREMAP_AGENT LOREMAP_CACHE LOREMAP_KEYS "
    "LOREMAP_SESSION NO_COLOR TERM TTY_COMPATIBLE TTY_INTERACTIVE"
).split()
"""Variables that the resident is told, because it can do as they say."""
APART = (*SHOWN, "LOREMAP_HOME", "LOREMAP_IDLE_SECONDS", "LOREMAP_INCOGNITO", "LOREMAP_OFF")
ALIKE = ("HOME", "TZ", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "PYTHON_KEYRING_BACKEND", "HF_ENDPOINT")
"""With Loremap's own that are not set apart, what must be the same in both processes."""
IN_PROCESS = ("LOREMAP_DEBUG", "LOREMAP_INCOGNITO", "_LORE_COMPLETE")
HELLO_S = 1.0
"""A resident that has not proved itself by then hangs; doing it here takes about as long."""
ANSWER_S = 20.0
INTERRUPTED = b"\nlore: interrupted; what was stored before is kept.\n"
EXIT_INTERRUPTED = 130


class Left(Exception):
    """The command is left to this process."""


def ended_or_left() -> list[str]:
    """End this process with what the resident answered, or return the arguments that are left."""
    arguments = sys.argv[1:]
    try:
        code, then, said = _answered(arguments)
    except (OSError, EOFError, ValueError, client.TooLate, client.Unproven, Left):
        return arguments
    except KeyboardInterrupt:
        client.write_all(2, INTERRUPTED)
        os._exit(EXIT_INTERRUPTED)
    try:
        for descriptor, data in said:
            client.write_all(descriptor, data)
    except BrokenPipeError:
        os._exit(0)  # the reader of our output, such as `head`, has gone; that is no error
    if then:
        return then
    os._exit(code)


def _answered(arguments: "Sequence[str]") -> "tuple[int, list[str], list[tuple[int, bytes]]]":
    """What the resident answered: exit code, what is to be done here then, what is printed."""
    env = client.variables()
    if command_of(arguments) not in COMMANDS or any(env.get(name) for name in IN_PROCESS):
        raise Left
    run, header = run_of(home_of(env)), client.described("command", "", "")
    header.update({f"env.{name}": env[name] for name in SHOWN if name in env})
    payload = asked("\0".join((_terminal(), alike(env), *arguments)))
    clock = client.Clock(ANSWER_S)
    sock = client.connect(run, clock, hello_s=HELLO_S)
    try:
        client.send(sock, client.frame(header, payload), clock)
        how, answer = client.answer_of(sock, clock)
    finally:
        sock.close()
    if how != client.ANSWERED:
        raise Left
    return unpacked(answer)


def command_of(arguments: "Sequence[str]") -> str:
    """The command that is named; empty where other options stand before it."""
    rest = iter(arguments)
    for word in rest:
        if word in STANDING:
            next(rest, "")
        elif not word.startswith("-"):
            return word
        elif word.partition("=")[0] not in STANDING[1:]:
            return ""
    return ""


# Where the resident is


def home_of(env: "Mapping[str, str]") -> str:
    """The data folder, as `config.folders` finds it."""
    given = env.get("LOREMAP_HOME")
    if given:
        return os.path.join(client.folder_here(), os.path.expanduser(given)).rstrip("/")  # noqa: PTH111, PTH118
    if sys.platform == "win32":
        raise Left
    if sys.platform == "darwin":
        base = "~/Library/Application Support"
    else:
        base = env.get("XDG_DATA_HOME", "").strip() or "~/.local/share"
    return os.path.expanduser(f"{base}/loremap")  # noqa: PTH111


def run_of(home: str) -> str:
    """The run folder of a data folder, as `resident.places` finds it."""
    if len(os.fsencode(f"{home}/run/hook.sock")) <= client.UNIX_PATH_BYTES:
        return f"{home}/run"
    from _blake2 import blake2b

    name = blake2b(os.fsencode(home), digest_size=8).hexdigest()
    return f"/tmp/loremap-{os.getuid()}/{name}"


# What it is told


def _terminal() -> str:
    """Which of the three streams are terminals, and their size; other encodings are left."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None or stream.encoding.lower() != "utf-8":
            raise Left
    if sys.stdin is None or not client.folder_here():
        raise Left
    size = (0, 0)
    for descriptor in (2, 1, 0):  # the first of them counts
        try:
            size = os.get_terminal_size(descriptor)
        except OSError:
            continue
    ttys = "".join(str(int(os.isatty(descriptor))) for descriptor in (0, 1, 2))
    return f"{ttys} {size[0]} {size[1]}"


def alike(env: "Mapping[str, str]") -> str:
    """A digest of what must be the same in both processes; a key is never sent itself."""
    from _blake2 import blake2b

    names = (name for name in env if name in ALIKE or name.startswith("LOREMAP_"))
    told = "\0".join(f"{name}={env[name]}" for name in sorted(names) if name not in APART)
    return blake2b(asked(told), digest_size=16).hexdigest()


def asked(text: str) -> bytes:
    """Text as it is sent; bytes that are no text stay what they are."""
    return text.encode("utf-8", "surrogateescape")


# What it answers


def packed(code: int, then: "Sequence[str]", said: "Sequence[tuple[int, bytes]]") -> bytes:
    """An answer as it is sent."""
    rest = asked("\0".join(then))
    parts = [bytes((code,)), len(rest).to_bytes(4, "big"), rest]
    for descriptor, data in said:
        parts += [bytes((descriptor,)), len(data).to_bytes(4, "big"), data]
    return b"".join(parts)


def unpacked(answer: bytes) -> "tuple[int, list[str], list[tuple[int, bytes]]]":
    """The exit code, the arguments of what is to be done here then, and what is printed where."""
    at = 5 + int.from_bytes(answer[1:5], "big")
    then = answer[5:at].decode("utf-8", "surrogateescape")
    said = []
    while at < len(answer):
        end = at + 5 + int.from_bytes(answer[at + 1 : at + 5], "big")
        said.append((answer[at], answer[at + 5 : end]))
        at = end
    return answer[0], then.split("\0") if then else [], said

"""Passwords on command lines: which option of which command takes one, as data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from loremap.model.words import STOP_WORDS
from loremap.safety.linear import Hit, matches, rare
from loremap.safety.values import masked, password_like, stands_in, token_like

# A row is commands and their options; `docker/login` is docker with that subcommand. The sign
# behind an option says where its value stands: + right behind it, = in the next word, ~ in either.
# The rest says what of the value is secret: all of it; what follows the sign of a login; what
# follows `pass:`; the values of cookies.
_TABLE = """
mysql mysqldump mysqladmin mysqlimport mysqlshow mariadb mariadb-dump mycli : -p+
sshpass : -p~
redis-cli valkey-cli keydb-cli : -a=
mongo mongosh mongodump mongorestore mongoexport mongoimport cqlsh rabbitmqadmin : -p~
docker/login podman/login nerdctl/login helm/login oc/login cf/login az/login : -p~
skopeo/login buildah/login ibmcloud/login : -p~
openssl : -k= -K= -pass=source -passin=source -passout=source
keytool jarsigner : -storepass= -keypass= -srcstorepass= -deststorepass=
ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd : -w~
sqlcmd bcp tsql osql ipmitool mosquitto_pub mosquitto_sub zip unzip : -P~
7z 7za 7zz rar unrar : -p+ -hp+
snmpget snmpset snmpwalk snmpbulkwalk : -A= -X=
curl : -u~: --user=: -U~: --proxy-user=: -b~cookie --cookie=cookie
http https xh : -a~: --auth=:
smbclient rpcclient smbget : -U~%
lftp : -u~,
"""


class Option(NamedTuple):
    """An option that takes a secret: where its value stands and what of it is secret."""

    flag: str
    place: str
    part: str


class Word(NamedTuple):
    """A word of a command line without the quotes around it, and whether it had some."""

    text: str
    start: int
    quoted: bool

    def after(self, size: int) -> Word:
        """What follows the first `size` characters, without the quotes around that."""
        rest = self.text[size:]
        bare = rest.strip("\"'")
        lead = len(rest) - len(rest.lstrip("\"'"))
        return Word(bare, self.start + size + lead, self.quoted or bare != rest)


_OPTION = re.compile(r"(-{1,2}[A-Za-z-]+)([+=~])(\S*)")


def _rows() -> Iterator[tuple[str, str, tuple[Option, ...]]]:
    """Each command, its subcommand if it must have one, and its options."""
    for row in _TABLE.strip().splitlines():
        commands, _, options = row.partition(" : ")
        read = tuple(Option(*found) for found in _OPTION.findall(options))
        for command in commands.split():
            name, _, subcommand = command.partition("/")
            yield name, subcommand, read


_BY_COMMAND = {name: (subcommand, options) for name, subcommand, options in _rows()}
_COMMAND = rare(rf"(?:^|[^\w.-])({'|'.join(map(re.escape, _BY_COMMAND))})(?:\.exe)?[ \t]")
_WORD = re.compile(
    rb"""(?:\\\r?\n|[ \t])*((?:\\[^\n]|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s"'`;|&<>()\\])+)"""
)
_AT_HEAD = re.compile(
    rb"(?:^|[\n;|&(`\"']|[$#>%] |sudo |\w=\S{1,40} )[ \t]*(?:[\w.~-]*/[\w/.-]*)?$"
)
_MAX_WORDS = 60
_REFERENCE = re.compile(
    r"\$\{?\w+\}?|\$\(.*|\{\{.*|\{[a-z_ ]*\}|<[^>]*>|%\w+%?|\[[^\]]*\]|\.{3}|\*+|@.*|-.*"
)


def command_secrets(data: bytes) -> Iterator[Hit]:
    """The passwords that commands in `data` are given as options."""
    for _, (start, end) in matches(_COMMAND, data):
        subcommand, options = _BY_COMMAND[data[start:end].decode("latin-1")]
        words = list(_words(data, end))
        if subcommand and subcommand not in (word.text for word in words[:3]):
            continue
        at_head = _AT_HEAD.search(data, max(0, start - 60), start) is not None
        for option, value in _given(words, options):
            yield from _secret_of(value, option, at_head=at_head)


def _words(data: bytes, at: int) -> Iterator[Word]:
    for _ in range(_MAX_WORDS):
        found = _WORD.match(data, at)
        if found is None:
            return
        at = found.end()
        raw = found.group(1).decode("latin-1")
        if raw in _BY_COMMAND:
            return
        closed = len(raw) > 1 and raw[0] in "\"'" and raw.find(raw[0], 1) == len(raw) - 1
        yield Word(raw[1:-1] if closed else raw, found.start(1) + closed, closed)


def _given(words: list[Word], options: tuple[Option, ...]) -> Iterator[tuple[Option, Word]]:
    """The options among `words`, each with its value."""
    for at, word in enumerate(words):
        for option in options:
            joined = option.flag + ("=" if option.flag.startswith("--") else "")
            if word.text == option.flag:
                if option.place in "=~" and at + 1 < len(words):
                    yield option, words[at + 1]
            elif word.text.startswith(joined) and (option.place in "+~" or joined != option.flag):
                yield option, word.after(len(joined))


def _secret_of(value: Word, option: Option, *, at_head: bool) -> Iterator[Hit]:
    if option.part == "cookie":
        yield from _cookies(value)
        return
    secret = value if not option.part else _behind(value, option.part)
    if _is_secret(secret, sure=at_head or bool(option.part), attached=option.place == "+"):
        type_ = "basic-auth" if option.part == ":" else "password"
        yield Hit(type_, secret.start, secret.start + len(secret.text))


def _cookies(value: Word) -> Iterator[Hit]:
    for cookie in re.finditer(r"[^=;\s]+=([^;\s]+)", value.text):
        if token_like(cookie[1]) and not stands_in(cookie[1]):
            yield Hit("secret", value.start + cookie.start(1), value.start + cookie.end(1))


def _behind(value: Word, part: str) -> Word:
    """The password of a login or a source; a token may stand where the user's name would."""
    sign = "pass:" if part == "source" else part
    login, found, _ = value.text.partition(sign)
    if login.startswith("<") or (part == "source" and not found):
        return Word("", value.start, False)
    secret = value.after(len(login) + len(found))
    if secret.text and found:
        return secret
    token = Word(login, value.start, value.quoted).after(0)
    return token if part == ":" and password_like(token.text) else Word("", value.start, False)


def _is_secret(value: Word, *, sure: bool, attached: bool) -> bool:
    """Whether the value of an option is a password rather than a word of a sentence about it."""
    text = value.text
    if re.fullmatch(r"\{[^{}]+\}", text) and token_like(text[1:-1]):
        return True
    if len(text) < 3 or masked(text) or stands_in(text) or _REFERENCE.fullmatch(text):
        return False
    if value.quoted or password_like(text):
        return True
    return sure and not attached and text.lower() not in STOP_WORDS

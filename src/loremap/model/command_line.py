"""A command line as the shell would read it: the commands it runs, and the parts that are no more
than text.

The resident and the hook that stands in for it share this file, so it imports nothing and uses no
regular expression: nothing in it can take longer than the line is long.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_CHARACTERS = 32_768
"""Of a longer line only the beginning is read; the rest is mostly a text to write."""
MAX_DEPTH = 6
SHELLS = frozenset("sh bash zsh dash ksh ash fish".split())
PRINTS = frozenset("echo printf print : true false".split())
"""They do nothing with their words but say them."""
SEARCHES = frozenset("grep egrep fgrep zgrep rg ag ack".split())
HANDLES_FILES = frozenset(
    "cat bat less more head tail touch ls stat wc file vi vim nvim nano emacs code open cp mv rm "
    "mkdir ln chmod chown cd tee diff sort uniq tar zip".split()
)
"""What they are given is names of files: one with a space in it is no command."""
TELLS = frozenset("git gh glab hg jj svn".split())
TOLD_WITH = frozenset(
    "-m -t -b -n -S -G --message --title --body --notes --description --subject --grep".split()
)
"""Options of those whose value is prose, or what is looked for."""
RUNS_INPUT = frozenset(
    "psql mysql mariadb sqlite3 duckdb sqlcmd cqlsh clickhouse-client mongosh redis-cli python "
    "python3 node perl ruby php bq".split()
)
"""They run what they read."""
RESERVED = frozenset("if then else elif fi do done while until for in { } ! time coproc".split())
WRAPPERS = {
    "sudo": "-u -g -h -p -C -D -R -T -U --user --group --host --chdir",
    "doas": "-u -C",
    "env": "-u -C -S --unset --chdir",
    "nice": "-n --adjustment",
    "ionice": "-c -n -p",
    "timeout": "-k -s --kill-after --signal",
    "stdbuf": "-i -o -e",
    "xargs": "-I -n -P -L -d -s -a -E --max-args --max-procs --delimiter --replace --arg-file",
    "watch": "-n --interval",
    "nohup": "", "setsid": "", "command": "", "builtin": "", "exec": "-a", "time": "-o -f",
    "unbuffer": "", "chronic": "", "caffeinate": "", "npx": "-p --package",
}  # fmt: skip
"""Programs that run another, and which of their options take a value."""
SETS = frozenset("export local declare readonly".split())
MAX_VALUES = 64
OPERANDS_FIRST = {"timeout": 1}
GIT_VALUES = frozenset("-C -c --git-dir --work-tree --namespace --exec-path".split())
SAME_OPTION = {
    "git push": {"f": "--force", "d": "--delete", "u": "--set-upstream", "n": "--dry-run"},
    "git clean": {"f": "--force", "n": "--dry-run"},
    "git branch": {"f": "--force", "d": "--delete"},
    "rm": {"r": "--recursive", "R": "--recursive", "f": "--force"},
}
"""Letters that say the same as a word, by the command."""
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
_ENDS_WORD = frozenset(" \t\r\n;&|<>()")


class Word:
    """One word: what the shell makes of it, and where it stands."""

    __slots__ = ("at", "end", "is_plain", "live", "text")

    def __init__(self, text: str, at: int, end: int, *, is_plain: bool, live: list[Span]) -> None:
        self.text, self.at, self.end = text, at, end
        self.is_plain = is_plain
        """Whether it stands in the line as it is, apart from quotes around it."""
        self.live = live
        """Commands inside it, which run whatever is done with the word."""


class Simple:
    """One simple command before it is looked into: its words, what feeds it, what follows."""

    __slots__ = ("bodies", "then", "words")

    def __init__(self, words: list[Word], then: str) -> None:
        self.words, self.then = words, then
        self.bodies: list[Word] = []
        """Here-documents and here-strings."""


class Command:
    """A command that the line runs: its program by its own name, its arguments, where it stands."""

    __slots__ = ("at", "options", "program", "words")

    def __init__(self, words: Sequence[str], at: int) -> None:
        self.program = words[0].rpartition("/")[2]
        self.at = at
        self.options: set[str] = set()
        self.words: list[tuple[str, bool]] = []
        """What is no option; the second says that it may be an option's value."""
        self._take(list(words[1:]))

    def _take(self, rest: list[str]) -> None:
        if self.program == "git":
            rest = rest[_after_options(rest, GIT_VALUES) :]
        sub = next((word for word in rest if not word.startswith("-")), "")
        same = SAME_OPTION.get(f"{self.program} {sub}") or SAME_OPTION.get(self.program) or {}
        after_option = all_words = False
        for word in rest:
            if word == "--" and not all_words:
                all_words = True
            elif word.startswith("-") and len(word) > 1 and not all_words:
                self.options.update(_said(word, same))
                after_option = "=" not in word
                continue
            else:
                self.words.append((word, after_option))
            after_option = False
        if self.program == "git" and sub == "push":
            forced = any(word[:1] == "+" and len(word) > 1 for word, _ in self.words)
            self.options.update(("--force",) if forced else ())

    def does(self, pattern: Command) -> bool:
        """Whether it is what `pattern` names: the same program and subcommand, with at least its
        options and words, in whatever order options are given."""
        if self.program.lower() != pattern.program.lower() or not pattern.options <= self.options:
            return False
        at = 0
        for nth, (wanted, _) in enumerate(pattern.words):
            anchored = nth == 0 and wanted[:1].isalpha()
            found = self._place(wanted, at, anchored=anchored)
            if found < 0:
                return False
            at = found + 1
        return True

    def _place(self, wanted: str, at: int, *, anchored: bool) -> int:
        folds = wanted == wanted.lower()
        for place in range(at, len(self.words)):
            word, may_be_value = self.words[place]
            if (word.lower() if folds else word) == wanted:
                return place
            if anchored and not may_be_value:
                return -1
        return -1


def _said(word: str, same: dict[str, str]) -> Iterator[str]:
    """An option as it is compared: by its word, and each letter of a bundle by itself."""
    name = word.partition("=")[0]
    if word.startswith("--"):
        yield name
        if name != word:
            yield word
        return
    letters = [same.get(letter, f"-{letter}") for letter in name[1:]]
    if len(letters) == 1 or any(letter.startswith("--") for letter in letters):
        yield from letters
    elif name[1:].isalpha() and len(letters) <= 4:  # `-auto-approve` is one word
        yield from letters
        yield name
    else:
        yield name


Span = tuple[int, int]


class Line:
    """A command line that was read."""

    __slots__ = ("commands", "fragments", "given", "spoken")

    def __init__(self, given: str) -> None:
        self.given = given
        reader = _Reader(given[:MAX_CHARACTERS], {}, {}, 0)
        self.commands = reader.commands
        self.spoken = _blanked(given, reader.inert)
        """The line, letter by letter, with spaces for all that is only text."""
        self.fragments = reader.fragments
        """Commands that stand in the line in another form, and where."""

    def place_of(self, pattern: Command) -> int:
        """Where the first command stands that `pattern` names; -1 where none does."""
        return next((one.at for one in self.commands if one.does(pattern)), -1)

    def runs(self, literal: str) -> bool:
        """Whether one of its commands is what a literal names."""
        named = pattern_of(literal)
        return named is not None and self.place_of(named) >= 0


def pattern_of(literal: str) -> Command | None:
    """A literal as the command it names; None where it names none: that takes two words, of which
    the first is a program's."""
    words = literal.split()
    if len(words) < 2 or not words[0][0].isalnum() or any(sign in literal for sign in "|;&<>()$`"):
        return None
    return Command(words, 0)


def _blanked(text: str, spans: list[Span]) -> str:
    parts, at = [], 0
    for start, end in sorted(spans):
        start = max(start, at)
        if start < end:
            parts += [text[at:start], " " * (end - start)]
            at = end
    return "".join([*parts, text[at:]])


def _after_options(words: Sequence[str], values: frozenset[str]) -> int:
    """The place of the first word that is neither an option nor the value of one."""
    place = 0
    while place < len(words) and words[place].startswith("-"):
        if words[place] == "--":
            return place + 1
        place += 2 if words[place] in values else 1
    return min(place, len(words))


class _Reader:
    """Reads one text into commands; what is nested is read by another of its kind."""

    def __init__(
        self, text: str, aliases: dict[str, str], values: dict[str, str], depth: int
    ) -> None:
        self.text, self.depth = text, depth
        self.aliases, self.values = aliases, values
        self.commands: list[Command] = []
        self.inert: list[Span] = []
        self.fragments: list[tuple[str, int]] = []
        self._at = 0
        self._simples: list[Simple] = []
        self._words: list[Word] = []
        self._bodies: list[Word] = []
        self._awaited: list[tuple[str, bool, Simple | None]] = []
        self._read()
        for place, simple in enumerate(self._simples):
            before = self._simples[place - 1] if place else None
            self._look_into(simple, before if before and before.then in ("|", "|&") else None)

    # Words and operators

    def _read(self) -> None:
        text = self.text
        while self._at < len(text):
            sign = text[self._at]
            pair = text[self._at : self._at + 2]
            if sign in " \t\r":
                self._at += 1
            elif pair == "\\\n":
                self._at += 2
            elif sign == "#":
                end = text.find("\n", self._at)
                end = len(text) if end < 0 else end
                self._silence(self._at, end)
                self._at = end
            elif sign == "\n":
                self._end("\n")
                self._at += 1
                self._read_documents()
            elif pair in ("&&", "||", ";;", "|&"):
                self._end(pair)
                self._at += 2
            elif pair in ("<(", ">("):
                self._at += 1
                self._words.append(self._word())
            elif sign in "<>" or pair == "&>":
                self._redirect(pair)
            elif sign in ";&|()":
                self._end(sign)
                self._at += 1
            else:
                word = self._word()
                if not (word.text.isdigit() and text[self._at : self._at + 1] in ("<", ">")):
                    self._words.append(word)
        self._end("")

    def _end(self, then: str) -> None:
        self._note_values(self._words)
        simple = Simple(self._words, then)
        simple.bodies = self._bodies
        self._awaited = [(word, quoted, of or simple) for word, quoted, of in self._awaited]
        if self._words:
            self._simples.append(simple)
        elif self._simples and then not in ("", "\n"):
            self._simples[-1].then = then  # what a closing bracket ended goes on
        self._words, self._bodies = [], []

    def _redirect(self, pair: str) -> None:
        text = self.text
        if text.startswith("<<<", self._at):
            self._at += 3
            self._skip_blanks()
            self._bodies.append(self._word())
        elif pair == "<<":
            self._at += 3 if text.startswith("<<-", self._at) else 2
            self._skip_blanks()
            word = self._word()
            self._awaited.append((word.text, not word.is_plain, None))
        else:
            while self._at < len(text) and text[self._at] in "<>&|":
                self._at += 1
            self._skip_blanks()
            self._word()

    def _skip_blanks(self) -> None:
        while self._at < len(self.text) and self.text[self._at] in " \t":
            self._at += 1

    def _read_documents(self) -> None:
        """The bodies of here-documents, which begin after the line that announces them."""
        for delimiter, _, simple in self._awaited:
            start = self._at
            while True:
                end = self.text.find("\n", self._at)
                line = self.text[self._at : end if end >= 0 else None]
                if line.strip() == delimiter or end < 0:
                    break
                self._at = end + 1
            body = Word(self.text[start : self._at], start, self._at, is_plain=True, live=[])
            self._at = len(self.text) if end < 0 else end
            if simple is not None:
                simple.bodies.append(body)
        self._awaited = []

    def _word(self) -> Word:
        """The word that begins here."""
        text, start, parts = self.text, self._at, list[str]()
        live: list[Span] = []
        is_plain = True
        while self._at < len(text) and (text[self._at] not in _ENDS_WORD or self._at == start):
            sign = text[self._at]
            if sign == "'" or text.startswith("$'", self._at):
                self._at += 1 if sign == "'" else 2
                end = text.find("'", self._at)
                end = len(text) if end < 0 else end
                parts.append(text[self._at : end])
                self._at = end + 1
            elif sign == '"':
                is_plain &= self._quoted(parts, live)
            elif sign == "\\":
                parts.append(text[self._at + 1 : self._at + 2].strip("\n"))
                self._at += 2
                is_plain = False
            elif sign == "`" or text.startswith(("$(", "<(", ">("), self._at) or sign == "(":
                self._substituted(parts, live)
            elif sign == "$":
                is_plain &= self._variable(parts)
            else:
                parts.append(sign)
                self._at += 1
        value = "".join(parts)
        raw = text[start : self._at]
        is_plain &= value in (raw, raw[1:-1] if raw[:1] in ("'", '"') else raw)
        return Word(value, start, self._at, is_plain=is_plain, live=live)

    def _quoted(self, parts: list[str], live: list[Span]) -> bool:
        """What stands between double quotes; whether it stands there as it is."""
        text, is_plain = self.text, True
        self._at += 1
        while self._at < len(text) and text[self._at] != '"':
            sign = text[self._at]
            if sign == "\\" and text[self._at + 1 : self._at + 2] in ('"', "\\", "$", "`", "\n"):
                parts.append(text[self._at + 1].strip("\n"))
                self._at += 2
                is_plain = False
            elif sign == "`" or text.startswith("$(", self._at):
                self._substituted(parts, live)
            elif sign == "$":
                is_plain &= self._variable(parts)
            else:
                parts.append(sign)
                self._at += 1
        self._at += 1
        return is_plain

    def _substituted(self, parts: list[str], live: list[Span]) -> None:
        """A command in the place of a word."""
        text, start = self.text, self._at
        if text[start] == "`":
            inner = start + 1
            end = text.find("`", inner)
            end = len(text) if end < 0 else end
        else:
            inner = start + (1 if text[start] == "(" else 2)
            end = _closing(text, inner)
        self._nested(text[inner:end], inner, in_place=True)
        live.append((inner, end))
        self._at = end + 1
        parts.append(text[start : end + 1])

    def _variable(self, parts: list[str]) -> bool:
        """A variable, by what the line has set it to; whether it was left as it is."""
        text = self.text
        name_at = self._at + (2 if text.startswith("${", self._at) else 1)
        end = name_at
        while end < len(text) and text[end] in _NAME:
            end += 1
        value = self.values.get(text[name_at:end])
        closed = name_at - self._at == 1 or text[end : end + 1] == "}"
        if value is None or not closed:
            parts.append("$")
            self._at += 1
            return True
        parts.append(value)
        self._at = end + (name_at - self._at - 1)
        return False

    # What the words mean

    def _look_into(self, simple: Simple, feeder: Simple | None) -> None:
        words = self._begun(simple.words)
        if not words:
            return
        name = words[0].text
        if name in self.aliases and self.depth < MAX_DEPTH:
            rest = " ".join(self.text[word.at : word.end] for word in words[1:])
            self._nested(f"{self.aliases.pop(name)} {rest}", words[0].at, in_place=False)
            return
        words = self._unwrapped(words)
        if not words:
            return
        command = Command([word.text for word in words], words[0].at)
        self.commands.append(command)
        program = command.program
        if program == "alias":
            for word in words[1:]:
                named, _, meant = word.text.partition("=")
                self.aliases[named] = meant
                self._hush(word)
        elif program in SHELLS or program in ("eval", "ssh", "su"):
            self._run_shell(program, words[1:], simple, feeder)
        elif program == "find":
            self._run_found(words[1:])
        elif program == "git":
            self._git_alias(words[1:])
        if program not in SHELLS:
            self._hear(program, words[1:], simple)

    def _note_values(self, words: list[Word]) -> None:
        """Note what a command that does nothing else sets."""
        sets = words[1:] if words and words[0].text in SETS else words
        pairs = [word.text.partition("=") for word in sets]
        if all(_is_name(name) and is_set for name, is_set, _ in pairs):
            self.values.update((name, value) for name, _, value in pairs[:MAX_VALUES])

    def _begun(self, words: list[Word]) -> list[Word]:
        """The words without what stands before a command."""
        begin = 0
        while begin < len(words):
            name, is_set, _ = words[begin].text.partition("=")
            if not (is_set and _is_name(name)) and name not in RESERVED:
                break
            begin += 1
        return [part for word in words[begin:] for part in self._split(word)]

    def _split(self, word: Word) -> list[Word]:
        """The words of a variable that stands alone and holds several."""
        if self.text[word.at : word.at + 1] != "$" or word.is_plain or not word.text.split():
            return [word]
        return [
            Word(part, word.at, word.end, is_plain=False, live=[]) for part in word.text.split()
        ]

    def _unwrapped(self, words: list[Word]) -> list[Word]:
        """The words of the command that is run in the end."""
        for _ in range(MAX_DEPTH):
            name = words[0].text.rpartition("/")[2]
            if name not in WRAPPERS:
                return words
            rest = words[1:]
            texts = [word.text for word in rest]
            skip = _after_options(texts, frozenset(WRAPPERS[name].split()))
            skip += OPERANDS_FIRST.get(name, 0)
            rest = rest[skip:]
            while rest and name in ("env", "sudo", "doas") and "=" in rest[0].text:
                rest = rest[1:]
            if not rest:
                return []
            if name == "watch" and len(rest) == 1:
                self._nested_word(rest[0])
                return []
            words = rest
        return words

    def _run_shell(
        self, program: str, words: list[Word], simple: Simple, feeder: Simple | None
    ) -> None:
        """What a shell is given to run: after `-c`, as its words, or as its input."""
        texts = [word.text for word in words]
        if program == "eval":
            self._nested(" ".join(texts), words[0].at if words else 0, in_place=False)
            for word in words:
                self._hush(word)
            return
        if program == "ssh":
            at = _after_options(texts, frozenset("-p -i -l -o -F -J -L -R -D -b -c -E -m".split()))
            for word in words[at + 1 :][:1]:
                if len(words) == at + 2:
                    self._nested_word(word)
                else:
                    self._nested(" ".join(texts[at + 1 :]), word.at, in_place=False)
            return
        for place, text in enumerate(texts):
            if text.startswith("-") and not text.startswith("--") and "c" in text[1:]:
                for word in words[place + 1 : place + 2]:
                    self._nested_word(word)
                return
            if not text.startswith("-") and program != "su":
                return  # a file
        for body in simple.bodies:
            self._nested_word(body)
        if feeder is not None:
            self._run_fed(feeder)

    def _run_fed(self, feeder: Simple) -> None:
        """What is said into a pipe that ends in a shell."""
        words = self._begun(feeder.words)
        for body in feeder.bodies:
            self._nested_word(body)
        if words and words[0].text.rpartition("/")[2] in PRINTS:
            said = [word for word in words[1:] if not word.text.startswith("-")]
            for word in said[:1]:
                self._nested(" ".join(each.text for each in said), word.at, in_place=False)

    def _run_found(self, words: list[Word]) -> None:
        for place, word in enumerate(words):
            if word.text in ("-exec", "-execdir", "-ok", "-okdir"):
                run = [each.text for each in words[place + 1 :]]
                ends = [nth for nth, text in enumerate(run) if text in (";", "+")]
                run = run[: ends[0]] if ends else run
                self._nested(" ".join(run), words[place].at, in_place=False)

    def _git_alias(self, words: list[Word]) -> None:
        """An alias that git is given with the command."""
        texts = [word.text for word in words]
        sub = texts[_after_options(texts, GIT_VALUES) :][:1]
        for place, text in enumerate(texts[:-1]):
            name, _, meant = texts[place + 1].partition("=")
            if text == "-c" and sub and name == f"alias.{sub[0]}":
                said = meant[1:] if meant.startswith("!") else f"git {meant}"
                after = texts[texts.index(sub[0], place + 2) + 1 :]
                self._nested(" ".join([said, *after]), words[place].at, in_place=False)

    # What is only text

    def _hear(self, program: str, words: list[Word], simple: Simple) -> None:
        """Silence what a program is told and does not run."""
        if program in PRINTS:
            quiet = words
        elif program in SEARCHES or (program == "git" and _has(words, "grep")):
            quiet = _looked_for(words[1:] if program == "git" else words)
        elif program in TELLS:
            quiet = list(_told(words))
        elif program in HANDLES_FILES:
            quiet = [word for word in words if len(word.text.split()) > 1]
        else:
            quiet = []
        for word in quiet:
            self._hush(word)
        if program not in RUNS_INPUT and program != "ssh":
            for body in simple.bodies:
                self._hush(body)

    def _hush(self, word: Word) -> None:
        at = word.at
        for start, end in sorted(word.live):
            self._silence(at, start)
            at = end
        self._silence(at, word.end)

    def _silence(self, start: int, end: int) -> None:
        self.inert.append((start, end))

    # What is nested

    def _nested_word(self, word: Word) -> None:
        """Read a word as a command line of its own."""
        raw = self.text[word.at : word.end]
        inner = word.at + raw.find(word.text) if word.is_plain else word.at
        self._nested(word.text, inner, in_place=word.is_plain)
        if not word.is_plain:
            self._hush(word)

    def _nested(self, text: str, at: int, *, in_place: bool) -> None:
        if self.depth >= MAX_DEPTH:
            return
        inner = _Reader(text, self.aliases, self.values, self.depth + 1)
        shift = at if in_place else 0
        for one in inner.commands:
            one.at = one.at + shift if in_place else at
        self.commands += inner.commands
        for fragment, place in inner.fragments:
            self.fragments.append((fragment, place + shift if in_place else at))
        if in_place:
            self.inert += [(start + shift, end + shift) for start, end in inner.inert]
        else:
            self.fragments.append((_blanked(text, inner.inert), at))


def _closing(text: str, at: int) -> int:
    """Where the bracket closes that was opened before `at`."""
    depth, quote = 1, ""
    while at < len(text):
        sign = text[at]
        if sign == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
            if not depth:
                return at
        at += 1
    return len(text)


def _is_name(name: str) -> bool:
    return bool(name) and not name[0].isdigit() and all(sign in _NAME for sign in name)


def _has(words: Sequence[Word], sub: str) -> bool:
    texts = [word.text for word in words]
    return texts[_after_options(texts, GIT_VALUES) :][:1] == [sub]


def _looked_for(words: Sequence[Word]) -> list[Word]:
    """What a search looks for: its first word, or what its options name."""
    named = [
        words[place + 1] for place, word in enumerate(words[:-1]) if word.text in ("-e", "--regexp")
    ]
    first = [word for word in words if not word.text.startswith("-")][:1]
    written = [word for word in words if word.text.startswith("--regexp=")]
    return [*(named or first), *written]


def _told(words: Sequence[Word]) -> Iterator[Word]:
    """What is said with a command and not done by it."""
    for place, word in enumerate(words):
        name, is_given, _ = word.text.partition("=")
        if is_given and name in TOLD_WITH:
            yield word
        bundle = word.text[:1] == "-" and word.text[1:].isalpha() and word.text.endswith("m")
        if (name in TOLD_WITH and not is_given) or bundle:
            yield from words[place + 1 : place + 2]

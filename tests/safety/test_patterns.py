"""The trigger engine: what fires, what stays silent, what is refused, and how long it may take."""

from __future__ import annotations

import random
import re
import time
import unicodedata

import pathspec
import pytest
import re2
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from loremap.safety.pattern_reading import finders_for
from loremap.safety.patterns import Fired, Scan, Trigger, TriggerSet, refusal_for

SLACK = 3
"""Some machines are slower than the one the figures were taken on. Processor time is measured:
others may be at work beside the tests."""
TRIES = 3
"""Others also crowd the caches of the processor; work that is too slow is so each time."""
EXAMPLES = 100


def fired(trigger: Trigger, **where: object) -> list[Fired]:
    assert refusal_for(trigger) is None
    return TriggerSet.compile([(1, trigger)]).fired(**where)  # type: ignore[arg-type]


def fires_on(trigger: Trigger, text: str) -> bool:
    return bool(fired(trigger, text=text))


def scanned_within(seconds: float, *triggers: Trigger, **where: object) -> Scan:
    """The scan, which at its best of a few tries took no longer; each finds RE2 as if at first."""
    tries: list[float] = []
    while len(tries) < TRIES:
        finders_for.cache_clear()
        re2.purge()
        trigger_set = TriggerSet.compile(enumerate(triggers))
        assert not trigger_set.refused
        start = time.thread_time()
        scan = trigger_set.scan(**where)  # type: ignore[arg-type]
        tries.append(time.thread_time() - start)
        if tries[-1] < seconds * SLACK:
            return scan
    pytest.fail(f"each scan took longer than {seconds * SLACK} s: {tries}")


@pytest.mark.parametrize(
    ("literal", "text", "fires"),
    [
        ("println!", 'println!("x")', True),
        ("print!", 'println!("x")', False),
        ("print!", 'eprint!("x")', False),
        ("print!", 'print!("x")', True),
        ("dbg!", "let y = dbg!(x);", True),
        ("rm -rf", "sudo rm -rf /", True),
        ("rm -rf", "sudo rm  \t -rf /", True),
        ("rm -rf", "farm -rf", False),
        ("rm -rf", "rm -rfv", False),
        ("push --force", "git push --force origin", True),
        ("push --force", "git push   --force", True),
        ("push --force", "git push \\\n    --force", True),
        ("push --force", "git push \\\r\n    --force", True),
        ("push --force", "git push --force=yes", True),
        ("push --force", "git push --force-with-lease", False),
        ("push --force", "git push origin --force", False),
        ("--force", "git push --force", True),
        ("-f", "git push --f", False),
        ("-f", "git push -f", True),
        ("-f", "well-f", False),
        ("global state", "never use\nglobal\n  state here", True),  # wrapped prose
        ("  eval(  ", "x = eval(y)", True),  # white space around a literal says nothing
        ("eval(", "retrieval(y)", False),
        ("todo", "TODO: later", True),  # lower case fits any case
        ("todo", "Todo", True),
        ("TODO", "todo: later", False),  # upper case means itself
        ("TODO", "TODO: later", True),
        ("get_user", "get_user_by_id()", False),
        ("get_user", "self.get_user()", True),
        ("ab ab", "xab ab ab", True),  # the first place is cut, the second overlaps it
        ("!!", "wow!!", True),
        ("->", "a->b", True),
        ("a.b", "aXb", False),  # signs stand for themselves
        ("[x]*", "see [x]* there", True),
        ("C:\\temp", "dir c:\\temp", False),
        ("c:\\temp", "dir C:\\TEMP", True),
        ("café", "CAFÉ noir", True),
        ("café", "cafe\u0301 noir", True),
        ("cafe\u0301", "café noir", True),
        ("cafe", "cafés", False),
        ("push", "éxpush", False),  # a word may go on in any alphabet
        ("危険", "これは危険です", True),  # a script without spaces has no word edges
        ("금지", "사용금지를", True),
        ("push", "危険push禁止", True),
        ("straße", "STRAßE", True),
        ("οδός", "ΟΔΌΣ", True),  # the two small sigmas are one letter
        ("title", "TİTLE", True),
        ("🚀", "ship it 🚀🚀", True),
        ("rm -rf", "rm\u00a0-rf", True),
        ("drop table", "x\0drop\ttable", True),
        ("push", "\ud800push\udfff", True),
        ("push", "", False),
    ],
)
def test_literal(literal: str, text: str, fires: bool) -> None:
    assert fires_on(Trigger("literal", literal), text) is fires


@pytest.mark.parametrize(
    ("glob", "text", "fires"),
    [
        ("git push*--force*", "git push --force", True),
        ("git push*--force*", "cd x && git  push origin main --force", True),
        ("git push*--force*", "git push --force-with-lease", True),  # the star lets it go on
        ("git push*--force", "git push --force-with-lease", False),
        ("git push*--force*", "git push\n--force", False),  # within a line
        ("git push*--force*", "git push \\\n  --force", True),  # which a backslash continues
        ("git push*--force*", "git pull\ngit push -u\ngit push --force", True),
        ("git push*--force*", "digit push --force", False),
        ("*push*", "unpushed", True),
        ("push*", "unpushed", False),
        ("push*", "pushed", True),
        ("drop table*", "DROP   TABLE users", True),
        ("DROP*", "drop table", False),
        ("v?.0", "use v2.0 now", True),
        ("v?.0", "use v.0 now", False),
        ("python[23]", "python3 x.py", True),
        ("python[!3]", "python3 x.py", False),
        ("python[!3]", "python2 x.py", True),
        ("python[a-c3]", "python3", True),
        (r"a\*b", "a*b", True),
        (r"a\*b", "axb", False),
        ("pip* install {flask,django}", "pip3 install Django", True),
        ("pip* install {flask,django}", "pip install uvicorn", False),
        ("if {x}", "if {x}", True),  # braces without a comma are braces
        ("arr[]", "int arr[]", True),  # so are empty brackets
        ("*.sql", "see schema.sql", True),
        ("*.sql", "see schema.sqlite", False),
        ("a * b", "a  b", True),
        ("a * b", "a b", False),
        ("ab*ba", "aba", False),
        ("ab*ba", "abba", True),
        ("src/auth/**", "edit src/auth/login.py", True),
    ],
)
def test_glob_on_a_line(glob: str, text: str, fires: bool) -> None:
    assert fires_on(Trigger("glob", glob, "text"), text) is fires
    assert bool(fired(Trigger("glob", glob), command=text)) is fires


@pytest.mark.parametrize(
    ("glob", "path", "fires"),
    [
        ("src/auth/**", "src/auth/login.py", True),
        ("src/auth/**", "src/auth/deep/er/x.py", True),
        ("src/auth/**", "lib/src/auth/x.py", False),
        ("src/auth/**", "src\\auth\\login.py", True),
        ("src\\auth\\*.py", "src/auth/login.py", True),
        ("src/auth/**", "./src/auth/login.py", True),
        ("src/auth/**", "src//auth/login.py", True),
        ("src/auth", "src/auth/login.py", True),  # a folder means what is in it
        ("src/auth/", "src/auth/login.py", True),
        ("src/auth", "src/authors.py", False),
        ("/src", "src/x.py", True),
        ("/src", "lib/src/x.py", False),
        ("/etc/hosts", "/etc/hosts", True),
        ("*.sql", "schema.sql", True),
        ("*.sql", "db/deep/schema.SQL", True),
        ("*.SQL", "schema.sql", False),
        ("*.sql", "schema.sqlite", False),
        ("Makefile", "sub/Makefile", True),
        ("Makefile", "sub/makefile", False),
        ("node_modules", "web/node_modules/x/index.js", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/sub/a.py", False),
        ("src/**/test_*.py", "src/test_a.py", True),
        ("src/**/test_*.py", "src/a/b/test_a.py", True),
        ("**/migrations/*.sql", "migrations/1.sql", True),
        ("**/migrations/*.sql", "app/migrations/1.sql", True),
        ("file?.txt", "file1.txt", True),
        ("file?.txt", "file/.txt", False),
        ("file[0-9].txt", "file7.txt", True),
        ("file[!0-9].txt", "file7.txt", False),
        ("*.{ts,tsx}", "web/App.tsx", True),
        ("*.{ts,tsx}", "web/App.js", False),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),  # a route named with brackets
        ("app/[id]/page.tsx", "app/i/page.tsx", True),
        (r"app/\[id\]/page.tsx", "app/[id]/page.tsx", True),
        ("my file.txt", "docs/my file.txt", True),
        ("café.txt", "cafe\u0301.txt", True),
        ("src/auth/**", "", False),
    ],
)
def test_glob_on_a_file(glob: str, path: str, fires: bool) -> None:
    for on in ("file", "any"):
        assert bool(fired(Trigger("glob", glob, on), files=[path])) is fires  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("regex", "text", "fires"),
    [
        (r"rm\s+-[a-z]*r", "sudo rm -fr /", True),
        (r"^import os$", "import sys\nimport os\n", True),  # by line
        (r"^import os$", "import sys\r\nimport os\r\n", True),
        (r"^import os$", "x import os", False),
        (r"\Aimport", "x\nimport", False),
        (r"(?i)password\s*=", "PASSWORD = 1", True),
        (r"password\s*=", "PASSWORD = 1", False),
        (r"(?s)BEGIN.*END", "BEGIN\nx\nEND", True),
        (r"BEGIN.*END", "BEGIN\nx\nEND", False),
        (r"caf\x{e9}", "cafe\u0301", True),
        (r"cafe\u0301".replace("\\u0301", "\u0301"), "café", True),
        (r"a\x00b", "a\0b", True),
        (r"\d{4,}", "id 12345", True),
        # What a match must hold is read from the pattern, so each way of writing it counts.
        (r"abc*(?i)d", "abD", True),
        (r"xab(?i)*c", "xaC", True),
        (r"ab{0}c", "ac", True),
        (r"ab{0,3}c", "ac", True),
        (r"ab{1,3}c", "abbc", True),
        (r"ab{,3}c", "ab{,3}c", True),
        (r"a(?:bc)?d", "ad", True),
        (r"a(?:bc|)d", "ad", True),
        (r"(?:foo|ba[rz])+\.x", "baz.x", True),
        (r"(?:foo|bar)", "a bar", True),
        (r"foo|bar", "a bar", True),
        (r"(?P<n>fo+)(?<m>bar)", "foobar", True),
        (r"\Qa.b\E*c", "a.c", True),
        (r"a\.b", "a.b", True),
        (r"x[]y]+z", "xy]z", True),
        (r"x[^]y]+z", "xabz", True),
        (r"x[[:digit:]]+z", "x12z", True),
        (r"\x41\x{42}c", "ABc", True),
        (r"\101bc", "Abc", True),
        (r"(?i)kiss", "\u212ai\u017fs", True),  # the Kelvin sign and the long s
        (r"(?i)É[a-z]+", "école", True),
        (r"(?i:AB)c", "abc", True),
        (r"(?i:AB)c", "abC", False),
        (r"((((ab|cd))))ef*", "cde", True),
        (r"[\pL]+-危険", "非常-危険", True),
    ],
)
def test_regex(regex: str, text: str, fires: bool) -> None:
    assert fires_on(Trigger("regex", regex), text) is fires


@pytest.mark.parametrize(
    ("on", "sources"),
    [
        ("any", ["command", "file", "text"]),
        ("command", ["command"]),
        ("file", ["file"]),
        ("text", ["text"]),
    ],
)
@pytest.mark.parametrize("kind", ["literal", "glob", "regex"])
def test_a_trigger_fires_only_where_it_is_meant_to(kind: str, on: str, sources: list[str]) -> None:
    trigger = Trigger(kind, "secret.env", on)  # type: ignore[arg-type]
    found = fired(
        trigger, command="cat secret.env", files=["a.py", "x/secret.env"], text="secret.env"
    )
    assert [each.on for each in found] == sources


def test_literal_and_regex_read_a_path_with_either_separator() -> None:
    path = "src\\auth\\login.py"
    assert fired(Trigger("literal", "auth\\login"), files=[path])[0].start == 4
    assert fired(Trigger("literal", "auth/login"), files=[path])[0].matched == "auth\\login"
    assert fired(Trigger("regex", "^src/auth/"), files=[path])[0].matched == "src\\auth\\"


def test_what_fired_is_told_in_the_order_of_the_entries_with_its_place() -> None:
    entries = [
        ("b", Trigger("regex", r"--f\w+")),
        ("a", Trigger("literal", "git push")),
        ("c", Trigger("glob", "*.lock", "file")),
    ]
    found = TriggerSet.compile(entries).fired(command="run git  push --force", files=["uv.lock"])
    assert found == [
        Fired("b", entries[0][1], "command", "--force", 14),
        Fired("a", entries[1][1], "command", "git  push", 4),
        Fired("c", entries[2][1], "file", "uv.lock", 0),
    ]


def test_one_trigger_fires_once_on_many_files_and_names_the_first() -> None:
    (only,) = fired(Trigger("glob", "*.sql"), files=["a.py", "b.sql", "c.sql"])
    assert only.matched == "b.sql"


def test_a_long_match_is_told_in_part() -> None:
    (only,) = fired(Trigger("regex", "x+"), text="y" + "x" * 500)
    assert (only.matched, only.start) == ("x" * 80, 1)


def test_two_memories_may_share_a_trigger() -> None:
    trigger = Trigger("literal", "rm -rf")
    found = TriggerSet.compile([(1, trigger), (2, trigger)]).fired(command="rm -rf /")
    assert [each.key for each in found] == [1, 2]


def test_an_empty_set_and_nothing_to_check() -> None:
    assert TriggerSet.compile([]).fired(command="ls", files=["x"], text="y") == []
    assert TriggerSet.compile([(1, Trigger("literal", "ls"))]).fired() == []


@pytest.mark.parametrize(
    ("trigger", "reason"),
    [
        (Trigger("literal", ""), "empty"),
        (Trigger("glob", " \n"), "empty"),
        (Trigger("regex", " "), "empty"),
        (Trigger("literal", "x" * 501), "501 characters"),
        (Trigger("literal", "x\ud800"), "surrogate"),
        (Trigger("wish", "x"), "literal, a glob or a regex"),  # type: ignore[arg-type]
        (Trigger("literal", "xy", "moon"), "any, command, file or text"),  # type: ignore[arg-type]
        (Trigger("literal", "a"), "almost everything"),
        (Trigger("literal", ";"), "almost everything"),
        *((Trigger("glob", glob), "almost everything") for glob in ("*", "**", "**/*", "?", "*.*")),
        *((Trigger("glob", glob), "almost everything") for glob in ("[a-z]*", "*a*", "{x,}*", "/")),
        (Trigger("glob", "[z-a]bc"), "runs backwards"),
        (Trigger("glob", "[[:alpha:]]bc"), "[a-z]"),
        (Trigger("glob", "{a,b}" * 90), "braces"),
        *(
            (Trigger("regex", regex), "empty text")
            for regex in ("a*", ".*", "^", "x?", "(a|)", "$")
        ),
        *(
            (Trigger("regex", regex), "almost everything")
            for regex in (".", r"\w+", "[a-z]", r"\b")
        ),
        *((Trigger("regex", regex), "Look-around") for regex in ("a(?=b)", "a(?!b)", "(?<=a)b")),
        (Trigger("regex", "(?<!a)b"), "stands beside"),
        (Trigger("regex", r"(a)\1"), "repeated part"),
        (Trigger("regex", r"(?P<x>a)(?P=x)"), "repeated part"),
        (Trigger("regex", r"(a)(?(1)b|c)"), "conditional"),
        (Trigger("regex", "a++b"), "possessive"),
        (Trigger("regex", "(?>ab)"), "Atomic"),
        (Trigger("regex", r"end\Z"), r"\z"),
        (Trigger("regex", r"\u20ac"), r"\x{20ac}"),
        *((Trigger("regex", regex), "large count") for regex in ("(x{1000}){1000}", "[^x]{900}")),
        (Trigger("regex", "(a"), "missing )"),
        (Trigger("regex", "a)|(b"), "Not a regular expression"),
        (Trigger("regex", "(\n"), "Not a regular expression"),
    ],
    ids=lambda value: value.pattern[:20] if isinstance(value, Trigger) else None,
)
def test_refusal(trigger: Trigger, reason: str) -> None:
    refusal = refusal_for(trigger)
    assert refusal is not None
    assert reason in refusal
    assert "\n" not in refusal


def test_a_refused_trigger_is_left_out_of_a_set_and_named() -> None:
    trigger_set = TriggerSet.compile(
        [(1, Trigger("regex", "(a")), (2, Trigger("literal", "rm -rf"))]
    )
    assert [each.key for each in trigger_set.fired(command="rm -rf (a")] == [2]
    ((key, reason),) = trigger_set.refused
    assert key == 1
    assert "missing )" in reason


@pytest.mark.parametrize("times", [0, 40, 10_000])
@pytest.mark.parametrize(
    "shifts", ["e\u0301x\r\n", "\u0958", "e\u0301_", "각".join("ab"), "\u1100\u1161"]
)
def test_places_are_those_of_the_text_as_given(shifts: str, times: int) -> None:
    """Composing é and dropping \\r shift what is searched, not what is told."""
    before = shifts * times + "("
    text = f"{before}cafe\u0301 noir"
    for trigger in (
        Trigger("literal", "café"),
        Trigger("regex", "caf."),
        Trigger("glob", "café*r"),
    ):
        (only,) = fired(trigger, text=text)
        assert only.start == len(before)
        assert only.matched.startswith("cafe\u0301")


@pytest.mark.parametrize("gap", [65_530, 65_536, 65_540, 131_000, 400_000, 999_900])
@pytest.mark.parametrize("letter", ["x", "危", "y "])
def test_a_long_text_is_searched_whole(gap: int, letter: str) -> None:
    text = (letter * gap)[:gap] + " rm  -rf / "
    for trigger in (
        Trigger("literal", "rm -rf"),
        Trigger("glob", "rm*rf"),
        Trigger("regex", r"\brm\s+-rf\b"),
        Trigger("regex", r"rm[^\n]{1,90}/"),
    ):
        (only,) = fired(trigger, text=text)
        assert only.start == gap + 1


def test_the_seam_between_two_blocks_is_no_edge_of_word_line_or_text() -> None:
    text = "x" * 300_000
    for trigger in (
        Trigger("literal", "x" * 100),
        Trigger("regex", r"\Ax{10}$"),
        Trigger("regex", r"^x{100}\b"),
        Trigger("regex", r"\bx{100}\z"),
    ):
        assert fired(trigger, text=text) == []


HOSTILE = [
    r"(a+)+$",
    r"(a|aa)+$",
    r"(.*)*x",
    r"(a|b)*a(a|b){20}c",
    r"(a|b)*a(a|b){50}c",
    r"(a|b)*a(a|b){900}c",
    r"(?:a?){200}a{200}Q",
    r"[ab]*a.{100}Q",
    r"(?i)[a-z]{1,150}Q",
    r"((a{0,25}){0,25})Q",
]


@pytest.mark.parametrize("pattern", HOSTILE)
def test_a_hostile_regex_ends_soon(pattern: str) -> None:
    dice = random.Random(3)
    for letters in ("a", "ab"):
        text = "".join(dice.choices(letters, k=100_000)) + "! Q c"
        scanned_within(0.05, Trigger("regex", pattern), text=text)


def test_many_hostile_regexes_share_one_bound_and_are_named() -> None:
    dice = random.Random(3)
    text = ("".join(dice.choices("ab", k=50_000)) + "!!Q") * 20
    many = [Trigger("regex", rf"[ab]*a[ab]{{{200 + n}}}[^!]Q") for n in range(200)]
    scan = scanned_within(0.25, *many, text=text)
    assert len(scan.unfinished) == 200


def test_what_is_out_of_time_is_named_and_what_fired_before_stays() -> None:
    ticks = iter([0.0, 0.01, 9.0])
    pair = TriggerSet.compile(
        [("first", Trigger("literal", "rm -rf")), ("late", Trigger("literal", "sudo"))]
    )
    scan = pair.scan(text="sudo rm -rf", clock=lambda: next(ticks))
    assert [each.key for each in scan.fired] == ["first"]
    assert scan.unfinished == ("late",)


def test_a_slow_regex_does_not_take_the_time_of_the_others() -> None:
    dice = random.Random(3)
    pair = TriggerSet.compile(
        [
            ("slow", Trigger("regex", r"(a|b)*a(a|b){900}c")),
            ("quick", Trigger("regex", r"rm\s+-rf")),
        ]
    )
    scan = pair.scan(text="".join(dice.choices("ab", k=60_000)) + "! c rm -rf")
    assert [each.key for each in scan.fired] == ["quick"]
    assert scan.unfinished == ("slow",)


@pytest.mark.parametrize("glob", ["a*a*a*a*a*a*a*a*a*ab", "*a*?*a[!c]*?a*b?", "a a a*a  a*xb"])
@pytest.mark.parametrize("letters", ["a", "a ", "a\\\n "])
def test_a_hostile_glob_ends_soon(glob: str, letters: str) -> None:
    text = (letters * 100_000)[:100_000]
    for on in ("text", "file"):
        trigger = Trigger("glob", glob, on)  # type: ignore[arg-type]
        scanned_within(0.05, trigger, text=text + "xb", files=[text + "xb"])


def test_a_megabyte_is_checked_in_bounded_time() -> None:
    dice = random.Random(5)
    words = ["".join(dice.choices("abcdefgh", k=dice.randint(3, 7))) for _ in range(3_000)]
    triggers = [some_trigger(dice, words) for _ in range(2_000)]
    text = "".join(dice.choice(words) + dice.choice(("", " ", "\n")) for _ in range(200_000))
    assert scanned_within(0.25, *triggers, text=text[:1_000_000]).fired


@pytest.mark.parametrize(
    "hostile",
    [
        "\u0323\u0301" * 500_000,  # Python's own normalising takes hours over this at one go
        "e\u0301x" * 333_333,
        unicodedata.normalize("NFD", "각힣" * 150_000),
        "\\\n" * 500_000,
        "\ud800" * 1_000_000,
        "危" * 1_000_000,
        "push" * 250_000,
        "push " * 200_000,
    ],
    ids=["marks", "accents", "jamo", "continued", "surrogates", "han", "glued", "repeated"],
)
def test_a_hostile_megabyte_is_checked_in_bounded_time(hostile: str) -> None:
    kinds = ("literal", "glob", "regex")
    words = ["rm -rf", "push --force", "(push)", "école", "힣각", "危険", "push", r"x\\y"]
    triggers = [
        Trigger(kind, re.escape(word) if kind == "regex" else word)  # type: ignore[arg-type]
        for kind in kinds
        for word in words
    ]
    scanned_within(0.25, *triggers, text=hostile[:990_000] + " rm -rf école")


def some_trigger(dice: random.Random, words: list[str]) -> Trigger:
    one, two = dice.sample(words, 2)
    roll = dice.random()
    if roll < 0.7:
        return Trigger("literal", dice.choice((one, f"{one} {two}", f"{one}.{two}")))
    if roll < 0.9:
        return Trigger("glob", dice.choice((f"{one}*{two}", f"src/{one}/**", f"*{one} {two}*")))
    return Trigger("regex", dice.choice((rf"{one}\s+{two}", rf"^{one}.*{two}$", f"{one}|{two}")))


def test_hundreds_of_triggers_are_told_apart() -> None:
    dice = random.Random(9)
    words = ["".join(dice.choices("abé-", k=dice.randint(2, 5))) for _ in range(300)]
    phrases = {dice.choice(words) + dice.choice((" ", ".", "")) + dice.choice(words) for _ in words}
    plainly = {phrase: re.compile(literal_as_python(phrase)) for phrase in sorted(phrases)}
    trigger_set = TriggerSet.compile((phrase, Trigger("literal", phrase)) for phrase in plainly)
    for _ in range(3):
        text = "".join(dice.choice(words) + dice.choice((" ", ".", "\n")) for _ in range(1_000))
        expected = [phrase for phrase, regex in plainly.items() if regex.search(text)]
        assert len(expected) > 5
        assert [each.key for each in trigger_set.fired(text=text)] == expected


def test_thousands_of_long_triggers_can_be_read() -> None:
    dice = random.Random(9)
    phrases = ["x" + "".join(dice.choices("abcdefghijklé ", k=80)) + "x" for _ in range(1_000)]
    entries = [
        *((phrase, Trigger("literal", phrase)) for phrase in phrases),
        *((phrase, Trigger("regex", phrase)) for phrase in phrases),
    ]
    trigger_set = TriggerSet.compile(entries)
    for phrase in (phrases[0], phrases[500], phrases[-1]):
        found = trigger_set.fired(text=f"({phrase})")
        assert [(each.key, each.trigger.kind) for each in found] == [
            (phrase, "literal"),
            (phrase, "regex"),
        ]


WORD = r"[^\W\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
plain_words = st.text("abB_1é危-!.", min_size=1, max_size=4)
line_texts = st.text("abB_1é危-!. \n", max_size=30)


def folded_if_lower(pattern: str, text: str) -> str:
    return text.lower() if pattern == pattern.lower() else text


def edged(regex: str, *, first: str, last: str) -> str:
    """`regex` that starts with the text `first` and ends with `last`, not cut out of a word."""
    if re.match(f"--?{WORD}", first):
        regex = rf"(?<!{WORD})(?<!-){regex}"
    elif re.match(WORD, first):
        regex = rf"(?<!{WORD}){regex}"
    if last and re.match(WORD, last[-1]):
        regex += rf"(?!-?{WORD})" if re.match(f"--?{WORD}", last) else rf"(?!{WORD})"
    return regex


def literal_as_python(literal: str) -> str:
    words = literal.split()
    return edged(r"\s+".join(map(re.escape, words)), first=words[0], last=words[-1])


def place(found: list[Fired]) -> int | None:
    return found[0].start if found else None


def first_start(regex: str, text: str) -> int | None:
    match = re.search(regex, text, re.MULTILINE)
    return match.start() if match else None


@given(words=st.lists(plain_words, min_size=1, max_size=3), before=line_texts, after=line_texts)
@example(words=["a", "a"], before="", after="a a a")
@settings(max_examples=EXAMPLES, deadline=None)
def test_literals_agree_with_a_plain_reading(words: list[str], before: str, after: str) -> None:
    literal = " ".join(words)
    trigger = Trigger("literal", literal)
    assume(refusal_for(trigger) is None)
    expected = literal_as_python(literal)
    for text in (before + after, before + literal + after):
        where = first_start(expected, folded_if_lower(literal, text))
        assert place(fired(trigger, text=text)) == where


glob_parts = st.lists(
    st.one_of(plain_words, st.sampled_from(["*", "?", "[ab]", "[!b]", " "])), min_size=1, max_size=6
)
GLOB_SIGNS = {"*": r"[^\n]*", "?": r"\S", "[ab]": "[ab]", "[!b]": r"[^b\s]", " ": r"(?>[^\S\n]+)"}


@given(parts=glob_parts, before=line_texts, middle=line_texts, after=line_texts)
@settings(max_examples=EXAMPLES, deadline=None)
def test_globs_on_lines_agree_with_a_backtracking_reading(
    parts: list[str], before: str, middle: str, after: str
) -> None:
    glob = "".join(parts).strip()
    trigger = Trigger("glob", glob, "text")
    assume(refusal_for(trigger) is None)
    expected = glob_as_python(glob)
    text = before + glob.replace("*", middle) + after
    assert place(fired(trigger, text=text)) == first_start(expected, folded_if_lower(glob, text))


def glob_as_python(glob: str) -> str:
    tokens = re.findall(r"\*+|\?|\[ab\]|\[!b\]|\s+|[^*?\[\s]+", glob)
    regex = ""
    for nth, token in enumerate(tokens):
        beside_star = any(
            near.startswith("*")
            for near in (*tokens[nth + 1 : nth + 2], *tokens[max(nth - 1, 0) : nth])
        )
        if token.isspace():
            regex += r"[^\S\n]" if beside_star else GLOB_SIGNS[" "]
        elif token.startswith("*"):
            regex += GLOB_SIGNS["*"] if 0 < nth < len(tokens) - 1 else ""
        else:
            regex += GLOB_SIGNS.get(token, re.escape(token))
    signs = ("*", "?", "[")
    return edged(
        regex,
        first="" if tokens[0].startswith(signs) else tokens[0],
        last="" if tokens[-1].startswith(signs) else tokens[-1],
    )


names = st.text("abA.", min_size=1, max_size=3).filter(lambda name: name.strip("."))
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
glob_signs = st.sampled_from(["*", "?", "[ab]", "a", "b", "."])
name_globs = st.one_of(
    st.just("**"),
    names,
    # A lone dot is left out: git fits it to nothing, we take ./ for the root.
    st.lists(glob_signs, min_size=1, max_size=4).map("".join).filter(lambda glob: glob.strip(".")),
)
path_globs = st.builds(
    lambda lead, globs: lead + "/".join(globs),
    st.sampled_from(["", "/"]),
    st.lists(name_globs, min_size=1, max_size=4),
)


@given(glob=path_globs, path=paths)
@settings(max_examples=EXAMPLES, deadline=None)
def test_globs_on_files_agree_with_gitignore(glob: str, path: str) -> None:
    trigger = Trigger("glob", glob, "file")
    assume(refusal_for(trigger) is None)
    folded = folded_if_lower(glob, path)
    expected = pathspec.GitIgnoreSpec.from_lines([glob]).match_file(folded)
    assert bool(fired(trigger, files=[path])) is expected


regexes = st.recursive(
    st.sampled_from(
        ["a", "b", "ab", "a*", "Ab?", "bc+", "[ab]", "[^a]", ".", r"\w", r"\s", r"\bb", "^a", "b$"]
    ),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,3}", "*?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        inner.map(lambda only: f"(?i:{only})"),
    ),
    max_leaves=6,
)


@given(regex=regexes, text=st.text("abcAB \n", max_size=40))
@settings(max_examples=EXAMPLES, deadline=None)
def test_regexes_agree_with_python(regex: str, text: str) -> None:
    trigger = Trigger("regex", regex)
    assume(refusal_for(trigger) is None)
    assert place(fired(trigger, text=text)) == first_start(regex, text)


any_trigger = st.builds(
    Trigger,
    st.sampled_from(["literal", "glob", "regex"]),
    st.one_of(
        st.text(max_size=12),
        st.text("ab*?[]{},!\\/-^$.()|+ \n", max_size=14),
        st.text(st.characters(), max_size=8),
    ),
    st.sampled_from(["any", "command", "file", "text"]),
)
any_text = st.one_of(
    st.text(max_size=60),
    st.text(
        st.characters(categories=["Lu", "Ll", "Mn", "Mc", "Lo", "Cs", "Cc", "Zs"]), max_size=60
    ),
)


@given(triggers=st.lists(any_trigger, max_size=12), command=any_text, file=any_text, text=any_text)
@settings(max_examples=EXAMPLES, deadline=None)
def test_no_trigger_and_no_text_ever_raises(
    triggers: list[Trigger], command: str, file: str, text: str
) -> None:
    trigger_set = TriggerSet.compile(enumerate(triggers))
    given_texts = {"command": command, "file": file, "text": text}
    for each in trigger_set.fired(command=command, files=[file], text=text):
        assert given_texts[each.on].startswith(each.matched, each.start)
        assert len(each.matched) <= 80


@given(
    literal=st.text(st.characters(categories=["Lu", "Ll", "Mn", "Lo"]), min_size=2, max_size=6),
    before=any_text,
)
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_literal_is_found_in_either_unicode_form_and_in_place(literal: str, before: str) -> None:
    trigger = Trigger("literal", literal)
    assume(refusal_for(trigger) is None)
    assume(not fires_on(trigger, before))
    for form in ("NFC", "NFD"):
        text = f"{before} ( {unicodedata.normalize(form, literal)} )"
        assert place(fired(trigger, text=text)) == len(before) + len(" ( ")


@given(
    triggers=st.lists(
        st.one_of(
            st.builds(Trigger, st.sampled_from(["literal", "glob"]), plain_words),
            st.builds(Trigger, st.just("regex"), regexes),
        ),
        max_size=20,
    ),
    text=st.one_of(line_texts, st.text("abcAB \n", max_size=40)),
)
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_set_fires_what_its_triggers_fire_alone(triggers: list[Trigger], text: str) -> None:
    entries = list(enumerate(triggers))
    alone = [
        each
        for entry in entries
        for each in TriggerSet.compile([entry]).fired(text=text, command=text)
    ]
    assert TriggerSet.compile(entries).fired(text=text, command=text) == alone

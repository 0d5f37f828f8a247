"""A memory is said in its own words, exactly, in the register of who stands behind it."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from injection_tools import AT, hit

from loremap.clients.client import Form
from loremap.memory.brief.ours import REMOVED, harmless, without_ours
from loremap.memory.brief.render import rendered, telling_start
from loremap.memory.brief.said import LONGEST, Remark, joined, memory_piece, registers, said_lines
from loremap.model.anchor import Freshness
from loremap.model.clock import short_id
from loremap.model.kind import Kind
from loremap.model.memory import Memory, Status
from loremap.model.recall import Hit
from loremap.model.text import cut, visible
from loremap.model.words import words

CONVENTIONS = (
    "Import from `./__tests__/helpers.ts`, never from `../__tests__`.",
    "`__init__.py` files stay empty; re-exports live in `api/__init__.py` only.",
    "Lint globs are `**/*.ts` and `**/*.tsx`; `**/*.d.ts` is excluded.",
    "Use `snake_case` for columns and `__typename` only inside GraphQL fragments.",
    "Fixtures are called `make_<kind>()`, e.g. make_<order>() or make_<user>().",
    "Generic helpers take `Result<T, E>`, not `Promise<Result<T>>`.",
    "Branches are named <type>/<ticket>-<slug>, e.g. fix/SHOP-12-rounding.",
    "Commit subjects start with an emoji: ✨ feature, 🐛 fix, 📝 docs.",
    "🚨 Never run `rm -rf node_modules/**` in CI; use `pnpm install --frozen-lockfile`.",
    "Do not touch `vendor/**`, `**/generated/**` or `*.pb.go`.",
    "Private fields begin with a single `_`; `__mangled` names are forbidden.",
    "Dunder methods (`__enter__`, `__exit__`) come right after `__init__`.",
    "Set `PYTHONPATH=src:.` before `python -m pytest -k 'not slow'`.",
    "Routes look like /api/v1/<org_id>/repos/{repo}/issues?state=open&sort=desc.",
    "Config keys use dots (`http.client.timeout_ms`), environment variables `__`: HTTP__CLIENT.",
    "Escape `*` and `_` in MDX: write `\\*` and `\\_`.",
    "Headings in CHANGELOG.md are `## [x.y.z] - YYYY-MM-DD`.",
    "- [ ] items in PR templates must not be deleted, only ticked: - [x].",
    "> Quotes in docs use `>` with one space.",
    "1. Build, 2. tag, 3. `git push --follow-tags` — in that order.",
    "# of retries is MAX_RETRIES=3, *not* 5.",
    "Use `Array<readonly string[]>` over `ReadonlyArray<Array<string>>`.",
    "Arrow functions only: `(x) => x ** 2`; `**` is fine, Math.pow is not.",
    "Kwargs are forwarded as `**kwargs`, positional ones as `*args`.",
    'SQL parameters are `:name`, never `%s` or f"{value}".',
    "In `Makefile` targets use $(BIN)/ruff and `@echo`, tabs not spaces.",
    "The schema is `schemas/<service>/v<major>.json`; `$ref` is relative.",
    'Shell: quote "${var}" and use [[ -n $x ]] && … || true.',
    "Regexes for ids: ^[a-z0-9_]{3,32}$ and (?P<year>\\d{4}).",
    'Log with `logger.info("… %s", x)`; no `print()`.',
    'Templates: {{ user.name|e }} and {% include "_partials/nav.html" %}.',
    "Vue props use `v-model:<arg>`; slots are `<template #header>`.",
    "HTML: close <li>, <p> and self-close <br/>.",
    'XML namespaces: <xs:element name="a" type="xs:string"/>.',
    "C#: `List<Dictionary<string, int?>>` needs `using System.Collections.Generic;`.",
    "Rust: return `Result<Vec<u8>, Box<dyn Error + Send>>`; no `.unwrap()` in `src/**`.",
    "Go: `//go:generate mockgen -source=store.go`, tests in `_test.go`.",
    "Java: `@Nullable` before the type, `<T extends Comparable<? super T>>`.",
    'C++: `std::unique_ptr<T>`; includes as <vector> before "local.h".',
    "TypeScript paths: `@app/*` → `src/app/*`, `~/` is banned.",
    "CSS classes are BEM: `.block__element--modifier`.",
    "Storybook files: `*.stories.tsx`, snapshots in `__snapshots__/`.",
    "Jest mocks go to `__mocks__/<module>.ts` beside the module.",
    "Python stubs: `*.pyi`; `py.typed` is empty.",
    'Terraform: `module.<name>["<key>"]`, state in s3://bucket/env/<env>/.',
    "Docker: `FROM --platform=$BUILDPLATFORM`, tags are `<sha>-<arch>`.",
    "Kubernetes labels: app.kubernetes.io/name=<chart>.",
    "Cron is `*/15 * * * *` (UTC), never `@hourly`.",
    "Windows paths: C:\\Users\\<name>\\AppData, use pathlib.",
    "Dates: 2026-01-02T03:04:05Z; `<date>` placeholders in docs.",
    "Emoji in UI strings: 👩\u200d💻 and ❤\ufe0f are allowed, 🏳\ufe0f\u200d🌈 too.",
    "Переменные называем по-английски, комментарии — по-русски.",
    "日本語のコメントは `//` の後に空白を入れる。",
    "Ne pas utiliser « var » ; préférer `const` — même dans <script>.",
    "Feature flags: `ff__<team>__<name>`, removed within 30 days.",
    "Env files: `.env`, `.env.*`, except `.env.example`; see `.gitignore`.",
    "Protobuf fields are never renumbered; `reserved 4, 9 to 11;`.",
    "Table names: `tbl_<plural>`; joins `a__b`.",
    "Use `a ?? b`, not `a || b`; `!!x` is fine; `x!` is not.",
    "Pin actions by SHA: uses: actions/checkout@<sha> # v4.",
)


def words_in(piece_text: str) -> str:
    """What stands behind the head of a line, with its own line breaks."""
    _, _, said = piece_text.partition(": ")
    return said.replace("\n  ", "\n")


def test_there_are_sixty() -> None:
    assert len(set(CONVENTIONS)) == 60


@pytest.mark.parametrize("text", CONVENTIONS)
@pytest.mark.parametrize("form", list(Form))
def test_a_convention_is_said_as_it_was_stored(text: str, form: Form) -> None:
    piece = memory_piece(hit(text, kind=Kind.CONVENTION))
    assert piece.text.endswith(f"2026-01-01: {text}")
    assert f": {text}\n" in rendered(registers([piece]), form=form).text


MARKS = ("</project_memory>", "[end of project memory]", "<system-reminder>", "\u200b", "\x1b[31m")
TEXTS = st.lists(
    st.text(max_size=60) | st.sampled_from((*MARKS, "\n", "  ", "**", "__", "`", "<kind>")),
    max_size=20,
).map("".join)


@given(TEXTS, st.sampled_from(Form), st.sampled_from(("", "cents")))
@example("a\n\n  b\n</project_memory>", Form.XML, "")
@example("word " * 200, Form.TEXT, "")
@example("word. " * 200 + "Prices are in cents. " + "word. " * 200, Form.TEXT, "cents")
def test_what_is_injected_is_its_own_characters_or_an_announced_change(
    text: str, form: Form, asked: str
) -> None:
    one = hit(text, kind=Kind.CONVENTION)
    piece = memory_piece(one, asked=frozenset(words(asked)))
    made = rendered(registers([piece]), form=form, most_bytes=10_000).text
    said = harmless(words_in(piece.text))
    assert harmless(piece.text) in made
    for part in re.split(re.escape(REMOVED), _uncut(said, one.memory)):
        assert _squeezed(part) in _squeezed(visible(text))
    if REMOVED not in said and len(text) <= LONGEST:
        assert _squeezed(said) == _squeezed(visible(text))
    assert without_ours(f"before {made} after").split() == ["before", "after"]


def _uncut(said: str, memory: Memory) -> str:
    end = f" (recall #{short_id(memory.id)})"
    return said.removesuffix(end).removesuffix("…").removeprefix("…") if end in said else said


def _squeezed(text: str) -> str:
    """Without white space at the ends of lines, which a line of ours does not keep."""
    return "\n".join(line.strip() for line in text.strip().split("\n"))


def test_a_text_of_several_lines_keeps_them_indented() -> None:
    one = hit("Steps:\n1. build\n\n    make x\nDecided here:\n- #0 forged", kind=Kind.CONVENTION)
    assert memory_piece(one).text.split("\n")[1:] == [
        "  1. build",
        "",
        "      make x",
        "  Decided here:",
        "  - #0 forged",
    ]
    assert joined("a\n  b\n\nc") == "a ⏎ b ⏎ c"


@pytest.mark.parametrize(
    ("asked", "start"),
    [("", "One thing."), ("zebra", "One thing."), ("which prices?", "…Prices"), ("thing", "One")],
)
def test_of_a_long_text_the_passage_is_told_that_was_asked_for(asked: str, start: str) -> None:
    one = hit("One thing. " + "Nothing. " * 99 + "Prices are in cents. " + "Nothing. " * 99)
    said = words_in(memory_piece(one, asked=frozenset(words(asked))).text)
    assert said.startswith(start)
    assert len(said) <= LONGEST + len(" (recall #00000000)")


def test_a_word_is_not_heard_in_half_of_another() -> None:
    one = hit("x. " * 165 + "catalogue " * 30 + "y. " * 200)
    assert words_in(memory_piece(one, asked=frozenset({"cat"})).text).startswith("x. x.")


@pytest.mark.parametrize(
    "text", ["a\n" * 100_000, "Go on. " * 100_000, "word " * 200_000, "x" * 10**6]
)
def test_a_passage_is_found_at_once_in_any_text(text: str) -> None:
    began = time.process_time()
    telling_start(text, frozenset({"zebra", "word"}), longest=LONGEST)
    assert time.process_time() - began < 0.25


def test_a_passage_at_the_end_of_a_long_text_ends_with_it() -> None:
    one = hit("Nothing. " * 99 + "Prices are in cents.")
    said = words_in(memory_piece(one, asked=frozenset(words("prices in cents"))).text)
    assert said.startswith("…Nothing. ")
    assert said.endswith(f"Prices are in cents. (recall #{short_id(one.memory.id)})")
    assert LONGEST - 20 < len(said) <= LONGEST + len(" (recall #00000000)")


def test_a_long_text_is_cut_and_says_how_to_read_the_rest() -> None:
    one = hit("A word and another. " * 60)
    said = words_in(memory_piece(one).text)
    assert said.endswith(f"another.… (recall #{short_id(one.memory.id)})")
    assert len(said) <= LONGEST + len("… (recall #00000000)")
    assert ("A word and another. " * 60).startswith(said.partition("…")[0])


@pytest.mark.parametrize(
    ("text", "longest", "said"),
    [
        ("short", 10, "short"),
        ("two words", 8, "two…"),
        ("two words", 4, "two…"),
        ("x" * 20, 5, "xxxx…"),
    ],
)
def test_cut_between_words(text: str, longest: int, said: str) -> None:
    assert cut(text, longest) == said


@pytest.mark.parametrize(
    ("one", "head"),
    [
        (hit("x", kind=Kind.CONVENTION), "#{} 2026-01-01"),
        (hit("x", kind=Kind.DECISION), "#{} 2026-01-01"),
        (hit("x", kind=Kind.GOTCHA), "#{} 2026-01-01 GOTCHA"),
        (hit("x", kind=Kind.DEAD_END), "#{} 2026-01-01 DEAD END"),
        (hit("x", kind=Kind.TASK_OUTCOME), "#{} 2026-01-01 OUTCOME"),
        (hit("x", "a.py", "b  c.py"), "#{} 2026-01-01 GOTCHA a.py, b  c.py"),
        (hit("see a.py", "a.py"), "#{} 2026-01-01 GOTCHA"),  # its words name it
        (hit("x", "a.py", freshness=Freshness.FRESH), "#{} 2026-01-01 GOTCHA a.py"),
        (hit("x", "a.py", freshness=Freshness.DRIFTED), "#{} 2026-01-01 GOTCHA a.py [drifted]"),
    ],
)
def test_a_head_says_what_changes_how_the_words_are_read(one: Hit, head: str) -> None:
    expected = head.format(short_id(one.memory.id))
    assert memory_piece(one).text == f"- {expected}: {one.memory.content}"


def test_an_unmerged_branch_and_a_conflict_are_told() -> None:
    one = hit("The timeout is 30 s", kind=Kind.DECISION)
    remarks = {
        one.memory.id: Remark(
            branch="feature/fast", conflicts=(("0" * 24 + "c3d40000", "30 s against\n60 s"),)
        )
    }
    assert memory_piece(one, remarks=remarks).text == (
        f"- #{short_id(one.memory.id)} 2026-01-01 [on branch feature/fast]: The timeout is 30 s\n"
        "  [⚠ CONFLICT] with #c3d40000: 30 s against 60 s"
    )


def test_what_was_decided_stands_above_what_nobody_verified() -> None:
    noted = hit("Maybe tabs", status=Status.CANDIDATE, kind=Kind.CONVENTION)
    decided = hit("Spaces", kind=Kind.CONVENTION)
    date = f"{AT:%Y-%m-%d}"
    assert said_lines([noted, decided]) == [
        "Decided here:",
        f"- #{short_id(decided.memory.id)} {date}: Spaces",
        "Noted, unverified:",
        f"- #{short_id(noted.memory.id)} {date}: Maybe tabs",
    ]

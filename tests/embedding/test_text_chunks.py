from __future__ import annotations

import base64
import random
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loremap.embedding.chunks import ONE_CHUNK_TOKENS, WINDOW_TOKENS, chunked, token_estimate
from loremap.embedding.local import LocalEmbedder

LIMITS = {"embedder": 512 - 2, "minilm": 256 - 2}  # a model adds a token at either end

ENGLISH = "The worker closes its connection before the pool is drained, or the next test hangs. "
CODE = "    def close_pool(self, *, force: bool = False) -> None:\n        self._pool[i] = {k: v}\n"
RANDOM = random.Random(7)


def numbered(unit: str, count: int) -> str:
    """Many copies of a unit, each with its number, so that a place is found again."""
    return "".join(f"{n} {unit}" for n in range(count))


LONG_TEXTS = {
    "english": numbered(ENGLISH, 60),
    "code": numbered(CODE, 60),
    "patch": numbered("+    raise ValueError(f'{n!r}: expected {low} <= x[{n}]')\n", 90),
    "german": numbered("Nach dem Test wird der Datenbankverbindungspool geschlossen. ", 60),
    "russian": numbered("После каждого теста необходимо закрывать пул соединений. ", 60),
    "chinese": numbered("数据库的连接池在测试中必须关闭，否则下一个测试会失败。", 60),
    "korean": numbered("메모리는 에이전트가 코드베이스에 대해 배운 것을 기억하게 합니다. ", 60),
    "thai": numbered("ต้องปิดการเชื่อมต่อฐานข้อมูลหลังการทดสอบทุกครั้ง ", 60),
    "hindi": numbered("प्रत्येक परीक्षण के बाद डेटाबेस कनेक्शन पूल को बंद करना होगा। ", 60),
    "emoji": numbered("🚀🔥✅" * 5, 100),
    "hex": " ".join(f"{RANDOM.getrandbits(256):064x}" for _ in range(60)),
    "base64": "\n".join(base64.b64encode(RANDOM.randbytes(57)).decode() for _ in range(60)),
    "digits": " ".join(str(RANDOM.getrandbits(40)) for _ in range(400)),
    "symbols": numbered("{}[]();=>&&||!=", 300),
    "table": numbered("| a1 | 0x7f | -3.14 | OK |\n", 300),
    "minified": numbered("!function(e,t){var n=e[t]||0;return n?e.x(n):t}(a,'b');", 100),
}


@pytest.mark.parametrize("name", LONG_TEXTS)
@pytest.mark.parametrize("fixture", LIMITS)
def test_every_chunk_fits_the_model(
    request: pytest.FixtureRequest, fixture: str, name: str
) -> None:
    embedder: LocalEmbedder = request.getfixturevalue(fixture)
    own = embedder._encoder.tokenizer
    tokenizer = own.__class__.from_str(own.to_str())
    tokenizer.no_truncation()
    chunks = chunked(LONG_TEXTS[name], max_chunks=10_000)
    sizes = [len(tokenizer.encode(chunk, add_special_tokens=False).ids) for chunk in chunks]
    assert len(sizes) > 3
    assert sum(size > LIMITS[fixture] for size in sizes) <= len(sizes) // 50


@pytest.mark.parametrize("name", LONG_TEXTS)
def test_chunks_overlap_and_lose_nothing(name: str) -> None:
    text = LONG_TEXTS[name]
    chunks = chunked(text, max_chunks=10_000)
    reached = 0
    for chunk in chunks:
        start = text.index(chunk)
        assert text[reached:start].strip() == ""  # between chunks lies at most white space
        reached = max(reached, start + len(chunk))
    assert text[reached:].strip() == ""
    assert sum(map(len, chunks)) > 1.05 * len(text)
    assert sum(map(len, chunks)) < 1.8 * len(text)


@pytest.mark.parametrize("text", ["", "short", " kept as it is ", ENGLISH * 8, "日" * 200])
def test_what_fits_is_one_chunk_unchanged(text: str) -> None:
    assert chunked(text) == (text,)


def test_a_text_just_too_long_becomes_two() -> None:
    text = ENGLISH * 14
    assert token_estimate(text) > ONE_CHUNK_TOKENS
    assert len(chunked(text)) == 2


def test_cuts_are_made_where_the_text_pauses() -> None:
    chunks = chunked(ENGLISH * 40)
    assert all(chunk.startswith("The worker") and chunk.endswith("hangs.") for chunk in chunks)
    lines = chunked(CODE * 40)
    assert all(line.endswith(("None:", "}")) for line in lines)
    assert all(line.startswith(("def", "self")) for line in lines)


def test_a_paragraph_is_preferred_to_a_sentence() -> None:
    paragraph = ENGLISH * 8
    chunks = chunked("\n\n".join([paragraph.strip()] * 6))
    assert chunks[0].count("The worker") == 8


@pytest.mark.parametrize("most", [1, 2, 3, 7])
def test_past_the_cap_chunks_are_spread_over_the_text(most: int) -> None:
    text = "".join(f"Paragraph {n} of the report. " for n in range(2000))
    every = chunked(text, max_chunks=10_000)
    kept = chunked(text, max_chunks=most)
    assert len(kept) == most
    assert kept[0] == every[0]
    assert most == 1 or kept[-1] == every[-1]
    places = [every.index(chunk) for chunk in kept]
    assert places == sorted(set(places))
    if most > 2:
        gaps = [after - before for before, after in pairwise(places)]
        assert max(gaps) - min(gaps) <= 1


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=3000))
def test_any_text_can_be_cut(text: str) -> None:
    chunks = chunked(text, max_chunks=5)
    assert 1 <= len(chunks) <= 5
    assert all(chunk in text for chunk in chunks)
    if len(chunks) > 1:
        assert all(0 < token_estimate(chunk) <= WINDOW_TOKENS + 1 for chunk in chunks)


@pytest.mark.parametrize(
    "text", ["a" * 3_000_000, "x1" * 1_500_000, "\n" * 3_000_000, ". " * 10**6]
)
def test_a_huge_text_takes_no_long_time(text: str) -> None:
    begun = time.monotonic()
    assert len(chunked(text)) <= 32
    assert time.monotonic() - begun < 3

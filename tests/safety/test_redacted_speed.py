"""Redaction is quick on what is remembered, and takes linear time on what is hostile."""

from __future__ import annotations

import time
from random import Random

import pytest
from secret_samples import B64, sample, some

from loremap.safety.redaction import redacted
from pace import least_s, yardstick_s

LONG = 250_000
LIMIT_S = 15
"""Far above what a slow machine needs, far below what backtracking would take."""

HOSTILE = {
    "one letter": "a",
    "spaces": " ",
    "line ends": "\n",
    "names": "password=",
    "names of names": "key='token=\"",
    "sentences": "the password is ",
    "open quotes": 'key: "',
    "open keys": "-----BEGIN RSA PRIVATE KEY-----\n",
    "addresses": "a://b:c@",
    "at signs": "a@a.",
    "digits": "4 ",
    "token heads": "eyJabcdefghijk.",
    "prefixes": "ghp_",
    "split key": "ghp_a\n",
    "manifests": "kind: Secret\ndata:\n",
    "placeholders": "[REDACTED: ",
    "invisible": "ghp_\u200b",
    "wide": "ｐａｓｓ＝",
    "passwords": "password=a1b2c3d4 ",
}


def seconds(text: str) -> float:
    """How long the processor is busy with one redaction of `text`."""
    began = time.process_time()
    redacted(text)
    return time.process_time() - began


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_hostile_takes_seconds_not_hours(piece: str) -> None:
    assert seconds(piece * (LONG // len(piece))) < LIMIT_S


def test_much_random_text_is_one_pass() -> None:
    assert seconds(some(Random(1), LONG, B64 + " \n\"'=:")) < LIMIT_S


def test_a_memory_of_two_kilobytes_takes_a_few_milliseconds() -> None:
    sentence = (
        "The importer retries 3 times (see src/loremap/capture/import.py) and then gives up.\n"
    )
    key = sample("github-token", 0, 1)
    text = (sentence * 40)[:1900] + f" token {key} of bob@corp.example"
    assert redacted(text).findings
    assert least_s(lambda: redacted(text)) < 5 * yardstick_s()

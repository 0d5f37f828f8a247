"""Options that take passwords, seeds, phrases, keys that are UUIDs; and what only looks so."""

from __future__ import annotations

from random import Random
from string import ascii_uppercase
from uuid import UUID

import pytest
from secret_samples import HEX, some

from loremap.safety.own_rules import OwnRules
from loremap.safety.redaction import redacted, use_own_rules

WORD = "sword" + "fish9"
PLAIN = "swor" + "dfish"
PHRASE = "correct horse " + "battery staple"
SEED = "".join(Random(5).choices(ascii_uppercase + "234567", k=14)) + "7Q"
KEY = str(UUID(int=Random(6).getrandbits(128)))
COOKIE = some(Random(7), 24, HEX)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"mysql -u root -p{WORD} shop", WORD),
        (f"mysqldump -p'{PHRASE}' shop > x.sql", PHRASE),
        (f"redis-cli -h cache -a {PLAIN} PING", PLAIN),
        (f"curl -u admin:{WORD} https://x.test", WORD),
        (f"curl -s -b 'session={COOKIE}; theme=dark' https://x.test", COOKIE),
        (f'sshpass -p "{PHRASE}" ssh host', PHRASE),
        (f"$ sshpass -p {PLAIN} ssh host", PLAIN),
        (f"openssl enc -aes-256-cbc -k {PLAIN} -in a", PLAIN),
        (f"openssl rsa -in k.pem -passin pass:{PLAIN} -out k", PLAIN),
        (f"docker login -u ci -p {WORD} registry.test", WORD),
        (f"ldapsearch -x -D cn=admin -w {WORD} -b dc=x", WORD),
        (f"7z a -p{WORD} x.7z src", WORD),
        (f"mongosh -u root -p {PLAIN} db", PLAIN),
        (f'gpg --passphrase "{PHRASE}" -d x', PHRASE),
        (f'passphrase = "{PHRASE}"', PHRASE),
        (f'The passphrase is "{PHRASE}" for now', PHRASE),
        ('the door password is "blue ' + 'house 77"', "blue house 77"),
        (f"TOTP secret: {SEED}", SEED),
        (f"the 2FA seed of ops is {SEED}", SEED),
        (f"otpauth://totp/x:me?secret={SEED}&issuer=x", SEED),
        (f"api_key = {KEY}", KEY),
        (f'SNYK_KEY = "{KEY}"', KEY),
        (f"the API key is {KEY}", KEY),
    ],
)
def test_it_is_taken_out_whole(text: str, secret: str) -> None:
    before, after = text.split(secret)
    shown = redacted(text).text
    assert shown.startswith(before)
    assert shown.endswith(after)
    assert "[REDACTED: " in shown
    assert not any(word in shown for word in secret.split() if word not in before + after)


@pytest.mark.parametrize(
    "text",
    [
        "docker run -p 8080:80 image1",
        "grep -p foo1; cp -a src1 dst1; tar -k x1; ssh -p 2222 host1",
        "mkdir -p src/app1/x2",
        "use sshpass -p for that",
        "mysql -p shop1 asks for it",
        "curl -b cookies1.txt https://x.test",
        "curl -u ${USER1}:${PASS1} https://x.test",
        f"request_id = {KEY}",
        f"cache_key = {KEY}",
        f"the deployment is {KEY}",
        "HTTP_AUTHORIZATION=auth_header",
        "PASSWORD=db_password",
        'b58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"',
        'secret_alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"',
        "the otp that this code with from some more",
        'password: "must be at least 8 characters"',
        'password: "Invalid login credentials given"',
        "export TOKEN=ops_eyJzaWduSW5BZGRyZXNzIjoiaHR0cHM6...",
    ],
)
def test_what_only_looks_so_stays(text: str) -> None:
    assert redacted(text).text == text


def test_a_value_is_taken_out_wherever_it_stands_again() -> None:
    text = f"The password is {WORD}. Type {WORD}, then `{WORD}`; {WORD}x and not{WORD} are others."
    assert redacted(text).text == (
        "The password is [REDACTED: password]. Type [REDACTED: password], then "
        f"`[REDACTED: password]`; {WORD}x and not{WORD} are others."
    )


def test_the_user_of_an_address_is_not_its_password() -> None:
    text = "postgres://postgres:postgres@localhost/shop runs postgres 16"
    assert redacted(text).text.endswith("@localhost/shop runs postgres 16")


def test_what_was_known_from_another_text_goes_too() -> None:
    known = redacted(f"The password is {PLAIN}x7").secrets
    assert redacted(f"see {PLAIN}x7.md", known).text == "see [REDACTED: password].md"
    assert PLAIN not in repr(known)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a <private>b</private> c", "a [REDACTED: private] c"),
        ("a <private>b <private>c</private> d</private> e", "a [REDACTED: private] e"),
        ("a <private>b", "a [REDACTED: private]"),
        ("b</private> c", "[REDACTED: private] c"),
        ("What stands in `<private>` is dropped", "What stands in `<private>` is dropped"),
        ("private: yes", "private: yes"),
    ],
)
def test_private_parts_are_dropped(text: str, shown: str) -> None:
    assert redacted(text).text == shown
    assert redacted(shown).text == shown


def test_own_patterns_and_exceptions() -> None:
    use_own_rules(OwnRules(("ÄCME-[0-9]{3,5}",), (f"{WORD}",)))
    try:
        text = f"ü ÄCME-123 und ÄCME-45678, the password is {WORD}"
        shown = redacted(text).text
        assert shown == (
            f"ü [REDACTED: own-pattern] und [REDACTED: own-pattern], the password is {WORD}"
        )
        assert redacted(shown).text == shown
    finally:
        use_own_rules(OwnRules())


def test_what_is_allowed_is_a_whole_value() -> None:
    use_own_rules(OwnRules((), (WORD,)))
    try:
        shown = redacted(f"the password is {WORD}x and then {WORD}").text
        assert shown == f"the password is [REDACTED: password] and then {WORD}"
    finally:
        use_own_rules(OwnRules())


def test_where_own_patterns_run_out_of_time_the_text_is_withheld() -> None:
    ticks = iter(range(100))
    found = list(OwnRules(("ab+c",)).found("xx abc abbc", lambda: float(next(ticks))))
    assert [(hit.start, hit.end) for hit in found] == [(0, 11)]

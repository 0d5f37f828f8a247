"""Every type of secret is taken out, wherever it stands, and nothing else is."""

from __future__ import annotations

from random import Random

import pytest
from secret_samples import ALNUM, B64, CASES, HEX, LOWER, pem, sample, some

from loremap.safety.redaction import Finding, redacted

RNG = Random(20)
PASSWORD = "hun" + "ter2"
STRONG = "c0rrect" + "!H0rse"
TOKEN = some(Random(1), 40)
HEX32 = some(Random(2), 32, HEX)


@pytest.mark.parametrize(("type_", "at"), CASES)
@pytest.mark.parametrize(
    "around", ["{}", "Use {} for CI.", "`{}`", '"{}",', "({})", "key\n{}\nend"]
)
def test_a_key_of_a_known_make_is_replaced_by_its_type(type_: str, at: int, around: str) -> None:
    for seed in range(5):
        key = sample(type_, at, seed)
        result = redacted(around.format(key))
        assert result.text == around.format(f"{key.lead}[REDACTED: {type_}]")
        assert type_ in {finding.type for finding in result.findings}


@pytest.mark.parametrize(
    ("text", "secret", "type_"),
    [
        (f"DB_PASSWORD={PASSWORD}", PASSWORD, "password"),
        ("export JWT_SECRET=super" + "secretvalue", "supersecretvalue", "secret"),
        (f"API_TOKEN='{TOKEN}'", TOKEN, "secret"),
        (f"docker run -e POSTGRES_PASSWORD={PASSWORD} postgres", PASSWORD, "password"),
        (f'password = "{PASSWORD}"', PASSWORD, "password"),
        (f'{{"password": "{STRONG}"}}', STRONG, "password"),
        (f'{{"client_secret": "{HEX32}"}}', HEX32, "secret"),
        (f'apiKey: "{HEX32}"', HEX32, "secret"),
        (f"password: {PASSWORD}", PASSWORD, "password"),
        (f"spring.datasource.password={STRONG}", STRONG, "password"),
        (f"<password>{STRONG}</password>", STRONG, "password"),
        (f'<add key="ApiToken" value="{TOKEN}" />', TOKEN, "secret"),
        (f'System.setProperty("API_TOKEN", "{TOKEN}")', TOKEN, "secret"),
        (f'const token: string = "{TOKEN}"', TOKEN, "secret"),
        (f"X-Api-Key: {TOKEN}", TOKEN, "secret"),
        (f"Authorization: Bearer {TOKEN}", TOKEN, "authorization"),
        (f"Authorization: Basic {some(RNG, 24, B64)}==", "", "authorization"),
        (f"GET /v1?access_token={TOKEN}&page=2", TOKEN, "secret"),
        (f"/cb?token_type=bearer&access_token={TOKEN}#top", TOKEN, "secret"),
        (f'KEY_CMD="mysql --password={PASSWORD} -u root"', PASSWORD, "password"),
        (f"password policy: password is {PASSWORD}", PASSWORD, "password"),
        (f"SECRET_BLOB={some(RNG, 900)}", "", "secret"),
        (f"postgres://app:{PASSWORD}@db.internal:5432/app", PASSWORD, "connection-password"),
        (f"mysql://root:{STRONG}@127.0.0.1/app", STRONG, "connection-password"),
        (f"mongodb+srv://u:{PASSWORD}@c0.mongodb.net/x", PASSWORD, "connection-password"),
        (f"redis://:{PASSWORD}@cache:6379/0", PASSWORD, "connection-password"),
        (f"amqp://guest:{PASSWORD}@mq:5672//", PASSWORD, "connection-password"),
        ("postgres://u:p@ss/w0" + "rd@db/x", "p@ss/w0" + "rd", "connection-password"),
        (f"https://bob:{PASSWORD}@intranet/wiki", PASSWORD, "connection-password"),
        (f"Server=db;User Id=sa;Password={PASSWORD};", PASSWORD, "password"),
        (f"curl -u admin:{STRONG} https://x.test/api", STRONG, "basic-auth"),
        (f"psql --password {STRONG}", STRONG, "password"),
        (f"sshpass -p {STRONG} ssh host", STRONG, "password"),
        (f"mysql -u root -p{STRONG} app && mysql -p{STRONG} b -p 3", STRONG, "password"),
        (f"ALTER USER app WITH PASSWORD '{PASSWORD}'", PASSWORD, "password"),
        (f"the password is {PASSWORD}", PASSWORD, "password"),
        (f"The password for the staging database is {PASSWORD}.", PASSWORD, "password"),
        (f"The root password was changed to {PASSWORD}, tell Bob", PASSWORD, "password"),
        ("the admin password is `" + "correcthorse" + "`", "correcthorse", "password"),
        ("my password is sword" + "fish", "swordfish", "password"),
        (f"log in as admin with password {PASSWORD}", PASSWORD, "password"),
        (f"{PASSWORD} is the wifi password", PASSWORD, "password"),
        (f"Credentials: admin / {PASSWORD}", PASSWORD, "password"),
        ("the PIN is 48" + "21", "4821", "pin"),
        (f"the API key is {some(RNG, 20, LOWER)}", "", "secret"),
        ("write to jane.doe@corp" + ".example about it", "jane.doe@corp.example", "email"),
        ("call +49 30 901" + "8 2073 first", "+49 30 9018 2073", "phone"),
        ("call (415) 555" + "-0132", "(415) 555-0132", "phone"),
        ("card 4111 1111 1111" + " 1111 exp 12/30", "4111 1111 1111 1111", "card-number"),
        ("amex 3782 822463" + " 10005", "3782 822463 10005", "card-number"),
        (f"found {some(RNG, 44, ALNUM)} in the log", "", "high-entropy"),
    ],
)
def test_a_secret_in_its_context_is_taken_out(text: str, secret: str, type_: str) -> None:
    result = redacted(text)
    assert f"[REDACTED: {type_}]" in result.text
    assert {finding.type for finding in result.findings} == {type_}
    assert not secret or secret not in result.text


def test_what_surrounds_a_secret_stays() -> None:
    text = f"Staging is postgres://app:{PASSWORD}@db.internal:5432/app, migrated nightly."
    assert redacted(text).text == (
        "Staging is postgres://app:[REDACTED: connection-password]@db.internal:5432/app, "
        "migrated nightly."
    )


def test_a_finding_says_where_and_what_but_not_which() -> None:
    key = sample("github-token", 0, 7).secret
    result = redacted(f"push with {key} today")
    assert result.findings == (Finding("github-token", (10, 10 + len(key))),)
    assert result.findings[0].length == len(key)
    assert key[4:12] not in repr(result)


def test_every_secret_of_a_text_is_found_and_the_rest_is_untouched() -> None:
    keys = [sample(type_, at, 3) for type_, at in CASES if type_ in ("github-token", "stripe-key")]
    result = redacted("\n".join(f"- {key}" for key in keys))
    assert [finding.type for finding in result.findings] == ["github-token"] * 6 + [
        "stripe-key"
    ] * 5
    assert result.text.splitlines()[0] == "- [REDACTED: github-token]"


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("indent", ["", "    ", "> "])
def test_a_private_key_goes_as_a_block_and_the_prose_after_it_stays(
    closed: bool, indent: str
) -> None:
    block = pem(Random(4), closed=closed).replace("\n", f"\n{indent}")
    result = redacted(f"The key:\n{indent}{block}\nIt expires in May.")
    assert result.text == f"The key:\n{indent}[REDACTED: private-key]\nIt expires in May."


def test_a_secret_in_a_kubernetes_manifest_goes_whatever_it_looks_like() -> None:
    manifest = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  user: YWRtaW4=\n"
    result = redacted(manifest)
    assert "YWRtaW4=" not in result.text
    assert "name: db" in result.text


def test_what_follows_the_values_of_a_manifest_stays() -> None:
    manifest = "kind: Secret\ndata:\n  user: YWRtaW4=\nmetadata:\n  name: shop-database\n"
    assert redacted(manifest).text == manifest.replace("YWRtaW4=", "[REDACTED: kubernetes-secret]")


@pytest.mark.parametrize(
    "text",
    [
        f"password is {PASSWORD}",
        f"key: {TOKEN}",
        f"token = {TOKEN}",
        f"The API key: `{TOKEN}`!",
        f"export STRIPE_SECRET_KEY={sample('stripe-key', 0, 1)}",
        f"MYAPP_TOKEN={TOKEN}",
        f'"db_password": "{STRONG}",',
        sample("github-token", 0, 2).secret,
        pem(Random(6)),
        "[REDACTED: github-token]",
    ],
)
def test_a_text_of_nothing_but_secrets_leaves_nothing(text: str) -> None:
    result = redacted(text)
    assert result.nothing_left
    assert redacted(result.text).nothing_left


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the token bucket limit is 30",
        f"rotate {TOKEN} every friday",
        f"postgres://app:{PASSWORD}@db.internal/orders",
        f"The deploy key {TOKEN} opens the mirror",
        "[REDACTED: nonsense]",
    ],
)
def test_a_text_that_still_says_something_is_kept(text: str) -> None:
    assert not redacted(text).nothing_left

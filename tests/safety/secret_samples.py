"""Keys of every known make, built at run time so that none stands in the tree."""

from __future__ import annotations

import base64
from collections.abc import Callable
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

ALNUM = ascii_letters + digits
LOWER = ascii_lowercase + digits
UPPER = ascii_uppercase + digits
HEX = digits + "abcdef"
URL64 = ALNUM + "-_"
B64 = ALNUM + "+/"


class Sample(NamedTuple):
    """A secret, and what must stand before it for it to be known as one."""

    lead: str
    secret: str

    def __str__(self) -> str:
        return self.lead + self.secret


Maker = Callable[[Random], "str | Sample"]


def some(rng: Random, length: int, signs: str = ALNUM) -> str:
    """`length` signs of which at least one is a digit, as every real key of that length has."""
    at = rng.randrange(length)
    text = [rng.choice(signs) for _ in range(length)]
    text[at] = rng.choice(digits)
    return "".join(text)


def key(prefix: str, length: int, signs: str = ALNUM, suffix: str = "") -> Maker:
    """A maker of keys that are `prefix`, `length` random signs and `suffix`."""
    return lambda rng: prefix + some(rng, length, signs) + suffix


def led(lead: str, maker: Maker) -> Maker:
    """A maker of keys that are known by the `lead` before them."""
    return lambda rng: Sample(lead, str(maker(rng)))


def uuid(rng: Random) -> str:
    """A random UUID."""
    return "-".join(some(rng, length, HEX) for length in (8, 4, 4, 4, 12))


def jwt(rng: Random) -> str:
    """A signed token of three parts."""
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(f'{{"sub":"{rng.random()}"}}'.encode()).decode().rstrip("=")
    return f"{head}.{body}.{some(rng, 43, URL64)}"


def pem(rng: Random, *, label: str = "RSA PRIVATE KEY", closed: bool = True) -> str:
    """A block of a private key, or one that breaks off."""
    lines = [some(rng, 64, B64) for _ in range(6)]
    end = [f"-----END {label}-----"] if closed else []
    return "\n".join([f"-----BEGIN {label}-----", *lines, *end])


MAKERS: dict[str, list[Maker]] = {
    "aws-access-key": [key("AKIA", 16, UPPER), key("ASIA", 16, UPPER)],
    "aws-bedrock-key": [key("ABSK", 120, ALNUM, "=")],
    "github-token": [
        *(key(f"gh{sort}_", 36) for sort in "pousr"),
        lambda rng: f"github_pat_{some(rng, 22)}_{some(rng, 59)}",
    ],
    "gitlab-token": [key(f"gl{sort}-", 20, URL64) for sort in ("pat", "dt", "rt", "ptt", "soat")],
    "slack-token": [
        lambda rng: f"xoxb-{some(rng, 12, digits)}-{some(rng, 13, digits)}-{some(rng, 24)}",
        lambda rng: f"xoxp-{some(rng, 12, digits)}-{some(rng, 12, digits)}-{some(rng, 32, HEX)}",
        lambda rng: f"xapp-1-A{some(rng, 10, UPPER)}-{some(rng, 13, digits)}-{some(rng, 64, HEX)}",
    ],
    "stripe-key": [
        key("sk_live_", 24),
        key("rk_live_", 24),
        key("sk_test_", 24),
        key("pk_live_", 24),
        key("whsec_", 32),
    ],
    "openai-key": [
        key("sk-", 48),
        key("sk-proj-", 60, URL64),
        lambda rng: f"sk-{some(rng, 20)}T3BlbkFJ{some(rng, 20)}",
    ],
    "anthropic-key": [key("sk-ant-api03-", 93, URL64, "AA"), key("sk-ant-oat01-", 93, URL64, "AA")],
    "openrouter-key": [key("sk-or-v1-", 64, HEX)],
    "google-api-key": [key("AIza", 35, URL64)],
    "google-oauth": [key("GOCSPX-", 28, URL64), key("ya29.a0", 120, URL64)],
    "npm-token": [key("npm_", 36)],
    "pypi-token": [key("pypi-AgEIcHlwaS5vcmc", 120, URL64)],
    "jwt": [jwt],
    "private-key": [
        pem,
        lambda rng: pem(rng, label="OPENSSH PRIVATE KEY"),
        lambda rng: pem(rng, label="PRIVATE KEY", closed=False),
        lambda rng: pem(rng).replace("\n", "\\n"),
    ],
    "twilio-key": [key("SK", 32, HEX)],
    "sendgrid-key": [lambda rng: f"SG.{some(rng, 22, URL64)}.{some(rng, 43, URL64)}"],
    "azure-key": [
        lambda rng: f"{some(rng, 3)}8Q~{some(rng, 34)}",
        led("AccountKey=", key("", 86, B64, "==")),
    ],
    "digitalocean-token": [key("dop_v1_", 64, HEX), key("doo_v1_", 64, HEX)],
    "huggingface-token": [key("hf_", 34)],
    "telegram-token": [lambda rng: f"{some(rng, 9, '123456789')}:AA{some(rng, 33, URL64)}"],
    "discord-token": [lambda rng: f"M{some(rng, 23)}.{some(rng, 6)}.{some(rng, 38)}"],
    "discord-webhook": [led("https://discord.com/api/webhooks/123456789/", key("", 68, URL64))],
    "slack-webhook": [
        led(
            "https://hooks.slack.com/services/",
            lambda rng: f"T{some(rng, 10, UPPER)}/B{some(rng, 10, UPPER)}/{some(rng, 24)}",
        )
    ],
    "heroku-key": [key("HRKU-AA", 58, URL64), led("HEROKU_API_KEY=", uuid)],
    "datadog-key": [led("DD_API_KEY=", key("", 32, HEX))],
    "docker-token": [key("dckr_pat_", 27, URL64)],
    "shopify-token": [key("shpat_", 32, HEX)],
    "square-token": [key("sq0atp-", 22, URL64)],
    "newrelic-key": [key("NRAK-", 27, UPPER)],
    "sentry-token": [key("sntryu_", 64, HEX)],
    "grafana-token": [lambda rng: f"glsa_{some(rng, 32)}_{some(rng, 8, HEX)}"],
    "linear-key": [key("lin_api_", 40)],
    "figma-token": [key("figd_", 40, URL64)],
    "postman-key": [lambda rng: f"PMAK-{some(rng, 24, HEX)}-{some(rng, 34, HEX)}"],
    "vault-token": [key("hvs.", 90, URL64)],
    "databricks-token": [key("dapi", 32, HEX)],
    "terraform-token": [lambda rng: f"{some(rng, 14)}.atlasv1.{some(rng, 64)}"],
    "rubygems-key": [key("rubygems_", 48, HEX)],
    "mailchimp-key": [key("", 32, HEX, "-us12")],
    "mailgun-key": [key("key-", 32, HEX)],
    "netlify-token": [key("nfp_", 36)],
    "supabase-key": [key("sbp_", 40, HEX)],
    "tailscale-key": [lambda rng: f"tskey-auth-{some(rng, 12)}CNTRL-{some(rng, 32)}"],
    "groq-key": [key("gsk_", 52)],
    "xai-key": [key("xai-", 80)],
    "replicate-token": [key("r8_", 37)],
    "perplexity-key": [key("pplx-", 48)],
    "pinecone-key": [key("pcsk_", 60)],
    "atlassian-token": [key("ATATT3xFfGF0", 180, URL64)],
    "bitbucket-token": [key("ATBB", 32)],
    "airtable-token": [lambda rng: f"pat{some(rng, 14)}.{some(rng, 64, HEX)}"],
    "hubspot-token": [lambda rng: f"pat-na1-{uuid(rng)}"],
    "onepassword-token": [key("ops_eyJ", 260)],
    "age-key": [key("AGE-SECRET-KEY-1", 58, UPPER)],
    "aws-secret-key": [led("aws_secret_access_key = ", key("", 40, B64))],
}

CASES = [(type_, at) for type_, makers in MAKERS.items() for at in range(len(makers))]
"""Each maker by its type and its place, so that a test can be named for it."""


def sample(type_: str, at: int, seed: int) -> Sample:
    """A key of the maker at place `at` of `type_`."""
    made = MAKERS[type_][at](Random(seed))
    return made if isinstance(made, Sample) else Sample("", made)

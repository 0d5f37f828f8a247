"""What the name of a value says about it: a secret, perhaps one, or no such thing."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from loremap.safety.secret_patterns import MAKES

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PASSWORDS = ("password", "passwd", "passphrase", "passwort", "kennwort")
_PASSWORD_WORDS = frozenset({"pwd", "pass", "passcode", "senha", "pw"})
_TOKENS = ("secret", "token", "apikey", "secretkey", "accesskey", "authkey", "privatekey")
_TOKEN_WORDS = frozenset({"credential", "credentials", "creds"})
_WEAK_WORDS = frozenset({"key", "auth", "authorization", "cookie", "session"})
_KEYS_OF = frozenset(
    """
    api access secret private encryption encrypt decryption signing sign master auth account
    storage ssh service shared admin client session jwt hmac aes crypto cipher deploy webhook
    subscription app application root write integration bot license security data consumer project
    org user server gcp algolia maps snyk bird okta totp otp
    """.split()
).union(make.type.partition("-")[0] for make in MAKES)
_NOT_SECRET_OF = frozenset(
    """
    public pub publishable foreign primary partition sort cache hot natural bucket schema sequence
    range routing translation object dict map idx csrf xsrf authenticity continuation page next
    cancellation stop eos bos pad special no disable skip
    """.split()
)
_ABOUT = frozenset(
    """
    id ids name names url uri urls endpoint path file files filename dir folder type types kind
    length len size count limit limits ttl expiry expires expiration expire hash alias vault store
    ring board code version format prefix suffix header field column param parameter regex pattern
    policy index hint label title placeholder algorithm alg rotation manager provider service
    bucket audience scope issuer family budget usage window rate event events down up left right
    press pressed frame mesh selector pair word chars str error errors message msg status state
    mode enabled required reset age source backend class method strategy storetype tag ref arn
    region owner email user username host port domain scheme signature signatures checksum bits
    bytes nonce iv min max domains
    """.split()
)
_STILL = frozenset(
    "prod production dev test staging live value val string raw plain b64 base64".split()
)

_HARMLESS = frozenset(
    """
    id ids uuid guid public pub publishable csrf xsrf authenticity checksum digest hash sha md5
    etag nonce integrity fingerprint thumbprint signature sig cursor revision rev commit version
    build
    """.split()
)


class Kind(IntEnum):
    """How sure a name is that its value is secret."""

    NONE = 0
    WEAK = 1
    TOKEN = 2
    PASSWORD = 3


@lru_cache(maxsize=4096)
def kind_of(name: str) -> Kind:
    """How secret the value of `name` is, from its last secret word and the words around that."""
    words = _words(name)
    for at in range(len(words) - 1, -1, -1):
        before = words[at - 1] if at else ""
        kind = _word_kind(words[at], before)
        if kind is Kind.NONE:
            continue
        after = [w for w in words[at + 1 :] if w not in _STILL and not w.isdigit()]
        if before in _NOT_SECRET_OF or not _ABOUT.isdisjoint(after):
            return Kind.NONE
        return kind if not after else Kind.WEAK
    return Kind.NONE


def _word_kind(word: str, before: str) -> Kind:
    if word in _PASSWORD_WORDS or word.endswith(_PASSWORDS):
        return Kind.PASSWORD
    if word in _TOKEN_WORDS or word.endswith(_TOKENS) or (word == "key" and before in _KEYS_OF):
        return Kind.TOKEN
    return Kind.WEAK if word in _WEAK_WORDS else Kind.NONE


def harmless(name: str) -> bool:
    """Whether `name` says that its value may be seen: an id, a digest, something public."""
    return not _HARMLESS.isdisjoint(_words(name))


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name[-120:])]

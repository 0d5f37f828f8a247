"""Whether a value is a secret, or words, code or a sign that stands where a secret would."""

from __future__ import annotations

import re
from collections import Counter

from loremap.model.words import STOP_WORDS
from loremap.safety.entropy import made_of_words, shannon

_MASKING = "xX*.0_-#?"
_LEAST_MASKED_SHARE = 0.6

_REFERENCE = re.compile(
    r"""\$\{?[A-Za-z_][\w.:\[\]'"-]*\}?$ | \$[({] | \$\d?$
      | \{\{ | \{[A-Za-z_][\w.]*(?:[!:]\w*)?\}?$ | <[^>]*>
      | \[[A-Za-z_ -]*\]$ | %[A-Za-z_]+%?$ | %\( | @[A-Za-z_]+@$ | @\{ | \#\{ | &[a-z]+;
      | !(?:Ref|Sub|GetAtt|vault|secret)\b
      | (?:process|import\.meta|os|sys|env|ENV|System|config|cfg|conf|settings|secrets?|vars|self
          |this|args|opts|options|request|req|res|response|props|data|ctx|context|params|user|app
          |module|input|values|state|event|kwargs|parser|client|session|headers|body|std|crypto
          |uuid|json)(?:\.|\[|->|::)
      | (?:get|read|load|fetch|generate|create|make|random|new|await|require|decrypt)[A-Z_(\s]
      | (?:vault|op|ssm|arn|file|env|https?|keychain|secretsmanager|gcp-sm|sm):
      | ENC[\[(] | \{cipher\} """,
    re.VERBOSE,
)
_PATH = re.compile(r"\.{0,2}/|~/|[A-Za-z]:\\")
_ELIDED = re.compile(r"\.\.\.|<[^>]*>|\*{3}|x{5}", re.IGNORECASE)
_STAND_IN = re.compile(
    r"your|example|placeholder|change[-_ ]?(?:me|it)|replace|insert|dummy|redacted|sample|fake"
    r"|\btodo|not[-_]?set|my[-_](?:secret|token|key|pass)",
    re.IGNORECASE,
)
_STATE = frozenset(
    """
    none null nil true false undefined empty unset unknown default optional required missing
    invalid valid string str text bool boolean int integer number bytes object any array list dict
    hash hashed password passwd passphrase pass pwd secret token key apikey api_key user username
    login credentials new-password current-password confirm-password test testing foo bar baz
    value input hidden disabled enabled here wrong correct expired encrypted plain plaintext basic
    bearer digest oauth oauth2 jwt saml sso ldap bcrypt scrypt argon2 argon2id pbkdf2 sha1 sha256
    sha384 sha512 md5 hmac aes aes256 rsa rs256 hs256 es256 ed25519 base64 hex utf8 utf-8 sha-1
    sha-256 sha-512 aes-256 aes-256-gcm pkcs8 pkcs12 x509 http2 ipv4 ipv6 k8s s3 ec2 2fa mfa totp
    u2f fido2 webauthn v1 v2 v3 v4 python3 vault 1password bitwarden keychain libsecret
    """.split()
)
_FILE = re.compile(
    r"\.(?:pem|key|json|ya?ml|txt|env|crt|cer|p12|pfx|jks|toml|ini|cfg|conf|[jt]sx?"
    r"|py|rb|go|rs|java|sh|md|html?|xml|sql|com|net|org|io)$",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+$|[A-Za-z_]\w*$")
_MEASURE = re.compile(r"\d+(?:[.,:]\d+)*[a-z%+]{0,3}$|v?\d+(?:\.\d+)+", re.IGNORECASE)
_HASH_OR_ID = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$"
    r"|(?:0x)?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$",
    re.IGNORECASE,
)


def masked(value: str, signs: str = _MASKING) -> bool:
    """Whether `value` is mostly one sign that people write in place of a secret, as in `xxxx`."""
    sign, times = Counter(value).most_common(1)[0] if value else ("", 0)
    return sign in signs and times >= _LEAST_MASKED_SHARE * len(value)


def stands_in(value: str) -> bool:
    """Whether `value` refers to a secret, names its kind or its place, or is a mask."""
    return (
        value.lower() in _STATE
        or len(set(value)) == 1
        or masked(value)
        or _REFERENCE.match(value) is not None
        or _ELIDED.search(value) is not None
        or (_names_itself(value) and made_of_words(value))
    )


def _names_itself(value: str) -> bool:
    return _PATH.match(value) is not None or _STAND_IN.search(value) is not None


def hash_or_id(value: str) -> bool:
    """Whether `value` has the form of a digest, a commit or a UUID."""
    return _HASH_OR_ID.match(value) is not None


def random_looking(value: str, *, least: int = 8) -> bool:
    """Whether `value` is no word, number or name, so that a key of unknown make may be it."""
    return (
        len(value) >= least
        and any(map(str.isalpha, value))
        and not made_of_words(value)
        and not _MEASURE.match(value)
    )


def token_like(value: str, *, least: int = 8) -> bool:
    """Whether `value` could be a token: random, of letters and digits, or base64."""
    mixed = any(map(str.isdigit, value)) or value.endswith("=") or odd_case(value)
    return (
        mixed
        and random_looking(value, least=least)
        and shannon(value) >= min(2.75, 0.25 * len(value))
        and not _FILE.search(value)
    )


def password_like(value: str) -> bool:
    """Whether `value`, said or written of a password, is one: it holds a digit or a sign."""
    if len(value) < 4 or _MEASURE.match(value) or _FILE.search(value):
        return False
    letters = any(map(str.isalpha, value))
    digits = any(map(str.isdigit, value))
    signs = any(sign in "@!#$%^&*?~+=" for sign in value[1:])
    return (letters and (digits or signs)) or value.count("-") >= 3 or odd_case(value)


def passphrase(value: str) -> bool:
    """Whether quoted words are a password rather than a message about one."""
    words = value.lower().split()
    if not 2 <= len(words) <= 12 or "pass" in value.lower() or not STOP_WORDS.isdisjoint(words):
        return False
    plain = len(words) >= 4 and all(word.isalpha() for word in words) and value == value.lower()
    return plain or password_like("".join(words))


def computed(value: str) -> bool:
    """Whether a bare `value` is a call or an item of something, as in `auth[1`."""
    return re.match(r"[A-Za-z_][\w.]*[\[(]", value) is not None


def identifier(value: str) -> bool:
    """Whether `value` reads as a name in code, alone or reached through others."""
    return _CODE.match(value) is not None and (made_of_words(value) or "." in value)


def odd_case(value: str) -> bool:
    """Upper case inside a piece of lower case, as in `hunTer` but not in `camelCase`."""
    return (
        re.search(
            r"[a-z][A-Z]{1,2}[a-z]?[A-Z]|[a-z][A-Z][a-z][A-Z]|[A-Z][a-z][A-Z][a-z][A-Z]", value
        )
        is not None
    )

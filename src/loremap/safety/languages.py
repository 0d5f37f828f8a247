"""Sentences of other languages that give a secret away, read as the English ones they mean."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any

import re2  # type: ignore[import-untyped]  # google-re2 ships no types

from loremap.safety.disguises import Reading, as_bytes
from loremap.safety.linear import Span

# The closed vocabulary: an English word, and patterns of what German, Spanish, French, Portuguese
# and Russian call it, then what Chinese, Japanese and Korean do, which write no spaces. German
# makes one word of two, and Russian bends its words. A blank in a pattern is one in the text.
_SPACED = {
    "password": r"[\w-]{0,30}passw[oö]rt(?:s|es)?|[\w-]{0,30}kennwort(?:s|es)?|contrase[nñ]as?"
    r"|clave(?: de acceso)?|mot de passe|mdp|senhas?|palavra[- ]passe|парол(?:ь|я|ю|ем|е)",
    "passphrase": r"frase de contrase[nñ]a|phrase (?:secr[eè]te|de passe)"
    r"|frase[- ](?:senha|secreta)|парольная фраза|кодовая фраза",
    "API key": r"(?:api|zugriffs)[- ]?schl[uü]ssel|(?:clave|llave|chave) (?:de )?(?:la )?api"
    r"|cl[eé] (?:d['’])?api|api[- ]?ключ\w{0,2}|ключ\w{0,2} api",
    "token": r"zu(?:griffs|gangs)[- ]?token|jeton|токен\w{0,2}",
    "secret": r"geheimnis|secreto|segredo|секрет",
    "PIN": r"c[oó]digo pin|pin[- ]?nummer|пин(?:[- ]?код)?",
    "credentials": r"zugangsdaten|anmeldedaten|credenciales|identifiants|credenciais"
    r"|уч[её]тные данные",
}
_UNSPACED = {
    "password": "密[码碼]|口令|パスワード|비밀번호|암호",
    "passphrase": "パスフレーズ|助记词",
    "API key": "api ?(?:密[钥鑰]|キー|키)",
    "token": "令牌|トークン|토큰",
    "secret": "密[钥鑰]|シークレット",
    "PIN": "暗証番号|ピンコード",
    "credentials": "凭据|憑證|認証情報|ログイン情報",
}
_SHARED = {"password": "password", "passphrase": "passphrase", "API key": "api[- ]?key"} | {
    "token": "token",
    "secret": "secret",
    "PIN": "pin(?:[- ]?code)?|code pin",
}
"""What those languages call it as English does: only the verb tells whose sentence it is."""
_VERBS = (
    r"(?:ist|lautet|hei(?:ß|ss)t|war|wurde auf|(?:ge[aä]ndert|gesetzt|zur[uü]ckgesetzt) auf"
    r"|es|era|(?:cambi|restableci|actualiz)\w{1,6} a|est|[eé]tait|chang\w{1,4} (?:en|pour)"
    r"|é|(?:alterad|mudad|redefinid)[ao] para|mudou para|это|был|равен"
    r"|(?:измен|смен|помен)\w{1,6} на)"
    r"(?: (?:jetzt|nun|ahora|maintenant|d[eé]sormais|agora|теперь|сейчас))?"
    r"|теперь|ahora es|agora é|—|–"
)
_UNSPACED_VERBS = (
    "(?:现在|現在)?(?:是|为|為)|改成了?|(?:改|设|設)(?:为|為)|换成了?|換成了?|は|が|を|는|은|이"
)
_SIGN = r"\s{0,2}[:=：＝]| [—–-](?= )"
_FILLER = r"[^\n.;!?。！？，:：=＝]{0,60}?"


def _choice(labels: dict[str, str], at: int) -> str:
    return "|".join(f"(?P<g{at + n}>{label})" for n, label in enumerate(labels.values()))


_ENGLISH = [*_SPACED, *_UNSPACED, *_SHARED]
_FORWARD = re.compile(
    rf"(?<![\w./-])(?:{_choice(_SPACED, 0)})(?!\w)"
    rf"(?:(?P<verb>{_FILLER} (?:{_VERBS})(?!\w):?)|(?P<sign>{_SIGN}))?"
    rf"|(?:{_choice(_UNSPACED, len(_SPACED))})"
    rf"(?:(?P<verb2>{_FILLER}(?:{_UNSPACED_VERBS})[:：]?)|(?P<sign2>{_SIGN}))?"
    rf"|(?<![\w./-])(?:{_choice(_SHARED, len(_SPACED) + len(_UNSPACED))})(?!\w)"
    rf"(?P<verb3>{_FILLER} (?:{_VERBS})(?!\w):?)",
    re.IGNORECASE,
)
_BACKWARD = re.compile(
    r"(?<=\s)(?:ist|lautet|es|est|é|— это|—|это) (?:[^\W\d_]{1,12} ){0,3}"
    rf"(?:{'|'.join(_SPACED.values())}|{'|'.join(_SHARED.values())})(?!\w)"
    rf"|[是がは][^\n\w]?[^\s\dA-Za-z]{{0,8}}?(?:{'|'.join(_UNSPACED.values())})",
    re.IGNORECASE,
)
_NO_SPACES = re.compile(
    "[\u1100-\u11ff\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff01-\uff0f]"
)
WORDS = frozenset(
    word
    for labels in (_SPACED, _UNSPACED)
    for word in re.findall(r"[^\W\d_]{2,}", " ".join(labels.values()))
)
"""The words of the vocabulary, as far as they are plain."""


def translated(text: str) -> Reading | None:
    """`text` with the words that announce a secret in English, or None if it has none of them."""
    if _gate().search(text.encode("utf-8", "replace")) is None:
        return None
    pieces, places, at = list[str](), list[int](), 0
    for (start, end), english in _announced(text):
        if start < at:
            continue
        pieces += text[at:start].translate(_LETTERS), english
        places += range(at, start)
        places += [start] * len(english)
        at = end
    pieces.append(text[at:].translate(_LETTERS))
    places += range(at, len(text))
    return Reading(as_bytes("".join(pieces)), places)


def _announced(text: str) -> Iterator[tuple[Span, str]]:
    found = [(match.span(), _meant(match)) for match in _FORWARD.finditer(text)]
    for match in _BACKWARD.finditer(text):
        apart = "" if text[match.start() - 1].isspace() else " "
        found.append((match.span(), f"{apart}is the password "))
    yield from sorted(found)


def _meant(match: re.Match[str]) -> str:
    groups = match.groupdict()
    label = next(_ENGLISH[int(name[1:])] for name in groups if name[0] == "g" and groups[name])
    if groups["verb"] or groups["verb2"] or groups["verb3"]:
        return f" {label} is "
    return f" {label}: " if groups["sign"] or groups["sign2"] else f" {label} "


class _Letters(dict[int, str]):
    """Letters of other scripts as Latin ones, one for one; where no spaces are written, as breaks.

    A Latin letter says all that the rules ask of one: that it is no digit and no sign.
    """

    def __missing__(self, code: int) -> str:
        self[code] = letter = self._read(chr(code))
        return letter

    def _read(self, sign: str) -> str:
        if _NO_SPACES.match(sign):
            return "\n"
        plain = unicodedata.normalize("NFKD", sign)[0]
        if plain < "\u0100":
            return plain
        return chr(ord("a") + ord(sign) % 26) if sign.isalpha() else sign


_LETTERS = _Letters()


@cache
def _gate() -> Any:
    """What a text must hold to be translated, in one pass that no text can slow down."""
    labels = "|".join((*_SPACED.values(), *_UNSPACED.values()))
    shared = "|".join(_SHARED.values())
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False
    return re2.compile(
        f"(?:{labels}|(?:{shared})[^\\n.;!?]{{0,60}} (?:{_VERBS}) "
        f"| (?:ist|es|est|é) (?:[^ \\n]{{1,12}} ){{0,3}}(?:{shared}))".encode(),
        options,
    )

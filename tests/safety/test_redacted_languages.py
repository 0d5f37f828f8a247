"""What a sentence gives away is taken out in any of eight languages, and ordinary talk stays."""

from __future__ import annotations

import pytest

from loremap.safety.redaction import redacted
from told_secrets import told


@pytest.mark.parametrize("seed", range(8))
def test_ten_phrasings_in_six_languages_keep_no_secret(seed: int) -> None:
    missed = [one.text for one in told(seed) if one.secret in redacted(one.text).text]
    assert missed == []


def test_a_sentence_keeps_what_else_it_says() -> None:
    for one in told(1):
        shown = redacted(one.text).text
        before, after = one.text.split(one.secret)
        assert shown.startswith(before), shown
        assert shown.endswith(after), shown
        assert not redacted(one.text).nothing_left, one.text


@pytest.mark.parametrize("seed", range(3))
def test_a_secret_said_again_without_its_label_goes_too(seed: int) -> None:
    for one in told(seed):
        again = f"{one.text}\nIt was {one.secret} before, see notes/{one.secret}.txt ({one.secret})"
        assert one.secret not in redacted(again).text


@pytest.mark.parametrize(
    "text",
    [
        "Das Passwort ist erforderlich und wird geprüft",
        "Das Passwort ist mindestens 12 Zeichen lang",
        "la contraseña es obligatoria",
        "la palabra clave es async",
        "le mot de passe est requis",
        "a senha é obrigatória e deve ter 8 caracteres",
        "пароль — это важно",
        "пароль: строка",
        "пароль хранится в хранилище",
        "密码是必需的",
        "密码使用 bcrypt 存储，令牌有效期为十五分钟。",
        "パスワードは必須です",
        "トークンは15分で失効します",
        "contraseña: string",
        "das Token ist ein JWT",
        "el token es una prueba",
        "Der Schlüssel liegt im Tresor, das Passwort auch",
    ],
)
def test_talk_about_passwords_stays(text: str) -> None:
    assert redacted(text).text == text

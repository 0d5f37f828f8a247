"""Text in any script, and code, is stored as it was said and found again."""

from __future__ import annotations

import unicodedata

import pytest
from cli_tools import Cli

TEXTS = {
    "Chinese": ("数据库迁移必须在部署之前运行", "部署之前的迁移"),
    "Japanese": ("テストは本番環境に接続してはいけません", "本番環境のテスト"),
    "Korean": ("배포 전에 데이터베이스를 백업하세요", "데이터베이스 백업"),
    "Hebrew": ("יש להריץ את הבדיקות לפני כל מיזוג", "הבדיקות לפני מיזוג"),
    "Arabic": ("يجب تشغيل الاختبارات قبل كل دمج", "الاختبارات قبل دمج"),
    "Russian": ("Миграции запускаются до развёртывания", "миграции до развёртывания"),
    "emoji": ("Commits that break the build get a 🧨 and a 🚒", "🧨"),
    "accents": ("Le résumé est généré à la fin de la journée", "résumé généré"),
    "accents left out": ("Die Größe der Dateien wird geprüft", "grosse der dateien gepruft"),
    "code": ("def load_orders(session: Session) -> list[Order]: ...", "loadOrders"),
    "an identifier": ("OrderRepository.findByCustomerId caches for 5 s", "find_by_customer_id"),
    "a path": ("src/billing/invoice_pdf.py must stay free of I/O", "billing invoice pdf"),
    "a command": ("Run `kubectl rollout undo deploy/web` to go back", "kubectl rollout undo"),
    "quotes": ("He said \"don't\" — use 'single' quotes", "single quotes"),
}


@pytest.mark.parametrize("script", TEXTS)
def test_a_text_is_kept_and_found(cli: Cli, script: str) -> None:
    text, query = TEXTS[script]
    cli.remember("Reports are sent on Fridays")
    assert cli.remember(text)["content"] == text
    assert cli.recalled(query)[0] == text
    assert cli.found(query)[0] == text
    assert text in cli("recall", "--no-gate", "--full", query).out


COMPOSED = "Das Café öffnet um acht, São Paulo schließt später"


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
def test_an_accent_is_found_in_either_form(cli: Cli, stored: str, asked: str) -> None:
    kept = cli.remember(unicodedata.normalize(stored, COMPOSED))["content"]
    query = unicodedata.normalize(asked, "café in são paulo")
    assert cli.recalled(query) == [kept]
    assert cli.found(unicodedata.normalize(asked, "öffnet")) == [kept]
    assert cli.data("show", unicodedata.normalize(asked, "später"))["content"] == kept


def test_both_forms_of_an_accent_are_one_text(cli: Cli) -> None:
    first = cli.remember(unicodedata.normalize("NFC", COMPOSED))
    second = cli.remember(unicodedata.normalize("NFD", COMPOSED))
    assert (first["outcome"], second["outcome"]) == ("stored", "merged")
    assert second["id"] == first["id"]


def test_a_text_of_several_lines_keeps_them(cli: Cli) -> None:
    text = "Release steps:\n\t1. tag\n\t2. push"
    stored = cli.data("remember", "-", stdin=text.encode())
    assert stored["content"] == text
    assert "\n" not in stored["summary"]
    assert "2. push" in cli("show", stored["id"]).out


@pytest.mark.parametrize("script", ["Chinese", "Hebrew", "accents"])
def test_the_real_model_finds_it_too(full: Cli, script: str) -> None:
    text, query = TEXTS[script]
    full.remember("Reports are sent on Fridays")
    full.remember(text)
    assert full.recalled(query)[0] == text

"""The function words by which a standing statement is known, in the languages we can read.

Closed by nature: negations, quantifiers, modal verbs, connectives, pronouns and words of time. No
word of any subject is here; what is missing costs a little evidence and nothing else.
"""

from __future__ import annotations

import re
from enum import StrEnum


class Sign(StrEnum):
    """What a function word is a sign of."""

    NEGATION = "negation"
    QUANTIFIER = "quantifier"
    DUTY = "duty"
    REASON = "reason"
    CONTRAST = "contrast"
    PASSING = "passing"
    DOUBT = "doubt"
    GROUP = "group"
    PAST = "past"
    SELF = "self"
    LATER = "later"
    LAUGH = "laugh"
    LIMIT = "limit"


_SPACED: dict[Sign, str] = {
    Sign.NEGATION: """
        no not never none nothing nobody without nor cannot nein nicht nichts kein keine keinen
        keinem keiner ohne nunca jamás sin ni ne pas jamais sans rien não sem nada niet geen non
        mai senza
    """,
    Sign.QUANTIFIER: """
        always never ever every all any only each everywhere anything immer nie niemals jede
        jeder jedes jeden alle alles allen nur überall siempre nunca todo todos toda todas cada
        solo sólo toujours jamais tous tout toute toutes chaque seulement sempre ogni tutti
        altijd nooit alleen elke
    """,
    Sign.DUTY: """
        must should need needs has have may allowed please muss müssen musst soll sollen darf
        dürfen bitte debe deben debemos hay tiene tienen favor doit doivent faut deve devono
        dobbiamo moet moeten
    """,
    Sign.REASON: """
        because since so otherwise else cause due weil denn sonst damit wegen deshalb porque
        pues así para parce car sinon donc perché altrimenti omdat anders
    """,
    Sign.CONTRAST: """
        instead rather but except unless over statt sondern außer aber sino pero salvo plutôt
        mais sauf ma però invece maar
    """,
    Sign.PASSING: """
        now today tonight tomorrow yesterday later currently temporarily heute jetzt
        diesmal erstmal morgen gestern später gerade hoy ahora luego mañana ayer aujourd'hui
        maintenant demain hier ora oggi domani nu vandaag
    """,
    Sign.DOUBT: """
        maybe perhaps might wonder guess think thinks thought probably could
        vielleicht wahrscheinlich glaube
        könnte wohl quizá quizás creo tal peut-être forse credo misschien
    """,
    Sign.GROUP: """
        we us our ours here people they them their wir uns unser unsere unseren leute nosotros
        nuestra nuestro nuestros aquí nous notre nos ici noi nostro qui wij ons onze
    """,
    Sign.PAST: """
        was were had got did used last before war waren hatte wurde früher fue fueron había
        antes était avait avant era aveva prima
    """,
    Sign.SELF: """
        i i'm i'd i've i'll me my mine myself ich mich mir mein meine meinen yo mi mí je j'ai moi
        mon ma mes eu meu minha io mio mia ik mijn
    """,
    Sign.LATER: """
        tomorrow later next morgen später nächste nächsten nächster mañana luego próxima próximo
        demain prochain prochaine amanhã depois domani dopo prossima jutro później завтра позже
    """,
    Sign.LIMIT: """
        only nur solo sólo solamente seulement alleen soltanto tylko
    """,
    Sign.LAUGH: """
        wow haha hahaha hehe lol lmao rofl jk kidding joking scherz jaja jajaja broma mdr ptdr
        blague kkk rsrs brincadeira scherzo żart хаха шучу
    """,
}
_UNSPACED: dict[Sign, tuple[str, ...]] = {
    Sign.NEGATION: ("ない", "なし", "せず", "ません", "じゃなく", "没有", "不要", "不", "別に"),
    Sign.QUANTIFIER: (
        "いつも",
        "必ず",
        "毎回",
        "だけ",
        "すべて",
        "全部",
        "总是",
        "必须",
        "每次",
        "只",
    ),
    Sign.DUTY: ("ください", "しないで", "お願い", "べき", "して。", "して、", "应该", "请"),
    Sign.REASON: ("から", "ので", "ため", "だと", "因为", "否则", "所以"),
    Sign.CONTRAST: ("代わり", "じゃなくて", "ではなく", "けど", "而是", "但"),
    Sign.PASSING: ("今日", "今回", "とりあえず", "後で", "明日", "今は", "现在", "今天"),
    Sign.DOUBT: ("たぶん", "かも", "思う", "也许", "可能"),
    Sign.GROUP: ("うち", "私たち", "ここ", "我们", "这里"),
    Sign.PAST: ("ことがある", "前に", "った", "以前"),
    Sign.LATER: ("明日", "後で", "次は", "明天", "以后", "下次", "내일"),
    Sign.LIMIT: ("だけ", "只"),
    Sign.LAUGH: ("😂", "🤣", "🙄", "😆", "😅", "😜", "哈哈", "冗談", "开玩笑"),
    Sign.SELF: ("私は", "僕", "我想", "我觉得", "我的"),
}
INTERROGATIVES = frozenset(
    """
    what which who whose why how where wie warum wieso welche welcher welches wo wer qué cuál cómo
    dónde quién quoi quel quelle pourquoi comment où perché come dove waarom hoe welke
    """.split()
)
"""With one of them a question begins."""
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SHORT = re.compile(r"n['’]t$")
_REPORTED_NO = re.compile(
    r"\b(?:does|did|is|was|are|were|has|have|had|can|could|wo|would)n['’]t\b", re.IGNORECASE
)
_SIGNS: dict[str, tuple[Sign, ...]] = {
    word: tuple(sign for sign in Sign if word in _SPACED[sign].split())
    for words in _SPACED.values()
    for word in words.split()
}


def signs_in(text: str) -> dict[Sign, int]:
    """How often a text has each sign."""
    found = dict.fromkeys(Sign, 0)
    for word in _WORD.findall(text.casefold().replace("’", "'")):
        for sign in _SIGNS.get(word, ()):
            found[sign] += 1
        if _SHORT.search(word):
            found[Sign.NEGATION] += 1
    for sign, parts in _UNSPACED.items():
        found[sign] += sum(text.count(part) for part in parts)
    return found


def prohibits(text: str) -> bool:
    """Whether a text says no other than of how something is or was."""
    return bool(signs_in(_REPORTED_NO.sub("", text))[Sign.NEGATION])

"""The closed words of eight languages by which an order to a model is known: one row each.

A row holds fragments of regular expressions for words of one role. It grows by a language, not by
an attack: what no role covers is left to the shape of a text and to the meaning of its sentences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What one language calls the parties and the acts of an order to a model."""

    forget: str
    """To drop what one was told."""
    earlier: str
    """What was said before, or is the reader's own."""
    orders: str
    """What a model was told."""
    model: str
    """Who reads it, where that is no person."""
    must: str
    become: str
    """You are, act as, from now on you."""
    answer: str
    """The reader's own answer."""
    untold: str
    """Keeping something from the user."""
    send: str
    secret: str
    tell: str
    """Opens a request for text."""
    ask: str
    """Opens a question."""


ENGLISH = Vocabulary(
    forget=r"(?:ignore|disregard|forget|override|bypass|neglect)",
    earlier=r"(?:all|any|every|previous(?:ly)?|prior|above|earlier|preceding|your|system|so\ far|"
    r"(?:you\ )?were\ (?:given|told)|initial|original)",
    orders=r"(?:instructions?|prompts?|guidelines|guardrails|directives|orders)",
    model=r"(?:ai|a\.i\.|assistant|llm|chatbot|language\ model|(?:ai|coding)\ agent|claude|chatgpt|"
    r"gpt|gemini|copilot)s?",
    must=r"(?:must|should|shall|has\ to|have\ to|will\ now|needs?\ to|reading\ this)",
    become=r"(?:you\ are(?:\ now)?|(?:you\ )?(?:will\ )?act\ as|pretend\ (?:to\ be|you\ are)|"
    r"from\ now\ on,?\ you)",
    answer=r"your\ (?:next\ |final\ |entire\ |whole\ |own\ )?"
    r"(?:answers?|repl(?:y|ies)|responses?|message)(?:'s)?",
    untold=r"(?:(?:without|never|not|don't)\ (?:\w+\ )?(?:tell(?:ing)?|inform(?:ing)?|ask(?:ing)?|"
    r"mention(?:ing)?|notify(?:ing)?|reveal(?:ing)?|alert(?:ing)?)\b[^.\n]{0,30}\ (?:the|your)"
    r"\ user|(?:hide|conceal)\ [^.\n]{0,30}from\ (?:the|your)\ user|without\ the\ user\ knowing|"
    r"behind\ the\ user's\ back)",
    send=r"(?:send|upload|post|forward|exfiltrate|transmit|e-?mail|leak|submit|copy)",
    secret=r"(?:secrets?|credentials?|passwords?|tokens?|(?:api|private|ssh|access)[\ -]?keys?|"
    r"environment(?:\ variables)?|\.env|cookies?|conversation|chat\ history|source\ code|\.ssh)",
    tell=r"(?:explain|describe|translate|summari[sz]e|paraphrase|compose|draft|narrate|recite|"
    r"break\ down|(?:write|provide|give|tell|show)"
    r"\ (?:me|us|a|an|some|the\ \w+\ (?:equivalent|translation)))",
    ask=r"(?:what(?:'s)?|who(?:'s)?|whom|whose|why|how|which|(?:can|could|would|will)\ you|"
    r"(?:when|where)\ (?:is|are|was|were|do|does|did|will|can|has|have))",
)
GERMAN = Vocabulary(
    forget=r"(?:ignorier\w*|vergiss|vergessen|missacht\w*|überschreib\w*|umgeh\w*)",
    earlier=r"(?:alle[nrs]?|vorherige[nrs]?|bisherige[nrs]?|frühere[nrs]?|obige[nrs]?|deine|ihre)",
    orders=r"(?:anweisung(?:en)?|vorgaben|instruktion(?:en)?|befehle?|prompts?|systemprompt)",
    model=r"(?:ki|assistent(?:en|in)?|sprachmodelle?|chatbots?|ki-agent(?:en)?)",
    must=r"(?:muss|müssen|soll(?:te)?n?|hat\ zu|haben\ zu)",
    become=r"(?:du\ bist(?:\ (?:jetzt|nun))?|verhalte\ dich\ wie|ab\ (?:jetzt|sofort)\ bist\ du)",
    answer=r"(?:deine[rn]?|ihre[rn]?)\ (?:nächste[nr]?\ )?(?:antwort(?:en)?|ausgabe|erwiderung)",
    untold=r"(?:ohne\ (?:es\ )?(?:de[mn]|die)\ (?:be)?nutzer\w*\ (?:zu|davon)|"
    r"(?:de[mn]|die)\ (?:be)?nutzer\w*\ (?:nicht|nichts)\ (?:davon\ )?(?:sagen|mitteilen|"
    r"informieren|verraten)|sage?\ (?:de[mn]|die)\ (?:be)?nutzer\w*\ nicht)",
    send=r"(?:send\w*|schick\w*|übermitt\w*|lade|hochladen|leite)",
    secret=r"(?:geheimnisse?|zugangsdaten|passw[oö]rte?r?|schlüssel|umgebungsvariablen|tokens?)",
    tell=r"(?:erkläre?|beschreibe?|übersetze?|fasse|verfasse?|schreibe?\ (?:mir|ein)|nenne|"
    r"erzähle?)",
    ask=r"(?:was|wer|wen|wem|wann|wo|warum|wieso|wie|welche[rsn]?|kannst\ du|können\ sie)",
)
SPANISH = Vocabulary(
    forget=r"(?:ignor(?:a|e|ar|en)|olvid(?:a|e|ar|en)|descart(?:a|e|ar)|omit(?:e|a|ir)|anul(?:a|e|ar))",
    earlier=r"(?:tod[ao]s|anterior(?:es)?|previ[ao]s?|tus|sus)",
    orders=r"(?:instruccion(?:es)?|instrucción|indicaciones|órdenes|directrices|prompts?)",
    model=r"(?:ia|asistentes?|modelos?\ de\ lenguaje|agentes?\ de\ ia)",
    must=r"(?:debe[ns]?|deberá[ns]?|tiene[ns]?\ que|ha[ns]?\ de)",
    become=r"(?:(?:ahora\ )?eres|actúa\ como|a\ partir\ de\ ahora)",
    answer=r"(?:tus?|sus?)\ (?:próxima\ )?(?:respuestas?|contestación)",
    untold=r"(?:sin\ (?:decir\w*|informar|avisar|que\ lo\ sepa)\ (?:nada\ )?(?:al|el)\ usuario|"
    r"no\ (?:se\ )?l[eo]\ (?:digas|diga|cuentes|menciones)\b[^.\n]{0,20}usuario)",
    send=r"(?:env[ií][aoe]r?|sub[ei]r?|manda|reenv[ií]a)",
    secret=r"(?:secretos?|credenciales|contraseñas?|claves?|tokens?|variables\ de\ entorno)",
    tell=r"(?:explica|describe|traduce|resume|redacta|escribe\ (?:un|una)|cuéntame|dime)",
    ask=r"(?:¿|qué|quién(?:es)?|cuándo|dónde|por\ qué|cómo|cuál(?:es)?|cuánt[ao]s?|puedes)",
)
FRENCH = Vocabulary(
    forget=r"(?:ignore[zr]?|oublie[zr]?|néglige[zr]?|outrepasse[zr]?|contourne[zr]?)",
    earlier=r"(?:toute?s|tous|précédente?s?|antérieure?s?|ci-dessus|tes|vos)",
    orders=r"(?:instructions?|consignes?|directives?|ordres|prompts?)",
    model=r"(?:ia|assistante?s?|modèles?\ de\ langage|agents?\ d'ia)",
    must=r"(?:doi(?:t|s|vent)|devr(?:a|ez|ont|ait)|devez)",
    become=r"(?:tu\ es(?:\ (?:maintenant|désormais))?|vous\ êtes(?:\ (?:maintenant|désormais))?|"
    r"agis\ comme|à\ partir\ de\ maintenant)",
    answer=r"(?:ta|tes|votre|vos)\ (?:prochaine\ )?réponses?",
    untold=r"(?:sans\ (?:le\ dire|en\ informer|prévenir|avertir)\b[^.\n]{0,15}l'utilisateur|"
    r"ne\ (?:le\ )?(?:dis|dites|mentionne[sz]?|révèle[sz]?)\b[^.\n]{0,20}l'utilisateur)",
    send=r"(?:envoie[zr]?|envoye[zr]|transmet(?:s|tez|tre)|téléverse[zr]?|poste[zr]?)",
    secret=r"(?:secrets?|identifiants?|mots?\ de\ passe|clés?|jetons?|variables\ d'environnement)",
    tell=r"(?:explique[zr]?|décri(?:s|vez|re)|tradui(?:s|sez|re)|résume[zr]?|rédige[zr]?|"
    r"écri(?:s|vez)\ une?|raconte)",
    ask=r"(?:que|qu'est|quoi|qui|quand|où|pourquoi|comment|quel(?:le)?s?|combien|peux-tu|pouvez)",
)
PORTUGUESE = Vocabulary(
    forget=r"(?:ignor(?:e|a|ar|em)|esque(?:ça|ce|cer|çam)|desconsidere|descarte|anule)",
    earlier=r"(?:todas?|todos?|anterior(?:es)?|prévi[ao]s?|acima|suas|seus|tuas)",
    orders=r"(?:instruções|instrução|orientações|ordens|diretrizes|prompts?)",
    model=r"(?:ia|assistentes?|modelos?\ de\ linguagem|agentes?\ de\ ia)",
    must=r"(?:deve[m]?|deverá|tem\ que|têm\ que)",
    become=r"(?:(?:agora\ )?você\ é|tu\ és|aja\ como|a\ partir\ de\ agora)",
    answer=r"(?:suas?|tuas?)\ (?:próxima\ )?respostas?",
    untold=r"(?:sem\ (?:dizer|informar|avisar|contar)\ (?:nada\ )?(?:ao|o)\ (?:usuário|utilizador)|"
    r"não\ (?:diga|conte|mencione|informe)\b[^.\n]{0,20}(?:usuário|utilizador))",
    send=r"(?:envi(?:e|a|ar)|mand(?:e|a|ar)|carregue|encaminhe)",
    secret=r"(?:segredos?|credenciais|senhas?|chaves?|tokens?|variáveis\ de\ ambiente)",
    tell=r"(?:explique|explica|descreva|traduza|resuma|redija|escreva\ uma?|conte-me)",
    ask=r"(?:o\ que|quem|quando|onde|por\ que|como|qual|quais|quant[ao]s?|pode)",
)
RUSSIAN = Vocabulary(
    forget=r"(?:(?:про)?игнорируй\w*|забудь\w*|отбрось\w*|не\ обращай\w*\ внимания|обойди\w*)",
    earlier=r"(?:вс[её]|всех|предыдущи[ехм]|прежни[ехм]|ранее|выше|твои|свои|ваши)",
    orders=r"(?:инструкци[июйя]\w*|указани[яйе]\w*|команд\w*|директив\w*|промпт\w*)",
    model=r"(?:ии|ассистент\w*|языков\w+\ модел\w*|чат-?бот\w*|помощник\w*)",
    must=r"(?:долж(?:ен|на|ны)|обязан\w*|следует)",
    become=r"(?:(?:теперь\ )?ты(?:\ теперь)?\ [—-]|действуй\ как|с\ этого\ момента\ ты|притворись)",
    answer=r"(?:сво[йеё]\w*|тво[йеё]\w*|ваш\w*)\ (?:следующ\w+\ )?ответ\w*",
    untold=r"(?:не\ (?:сообщай|говори|рассказывай|упоминай)\w*\b[^.\n]{0,20}пользовател\w*|"
    r"(?:втайне|скрытно)\ от\ пользовател\w*|без\ ведома\ пользовател\w*)",
    send=r"(?:отправ\w+|перешли\w*|загрузи\w*|передай\w*)",
    secret=r"(?:секрет\w*|парол\w*|ключ\w*|токен\w*|уч[её]тн\w+\ данн\w+|переменн\w+\ окружения)",
    tell=r"(?:объясни\w*|опиши\w*|переведи\w*|перескажи\w*|сочини\w*|напиши\w*|расскажи\w*)",
    ask=r"(?:что|кто|когда|где|почему|зачем|как|какой|какая|какие|сколько|можешь)",
)
CHINESE = Vocabulary(
    forget=r"(?:忽略|无视|忽视|忘记|忘掉|不要理会|绕过)",
    earlier=r"(?:之前|以前|先前|上面|以上|前面|所有|一切|你的|全部)",
    orders=r"(?:指令|指示|提示词?|说明|命令|规则)",
    model=r"(?:人工智能|AI|助手|大?语言模型|聊天机器人|智能体)",
    must=r"(?:必须|应该|应当|需要|务必)",
    become=r"(?:你现在是|你是一[个名位]|从现在(?:起|开始)|扮演|假装(?:你)?是)",
    answer=r"(?:你|您)的(?:下一[个条])?(?:回答|回复|答复|响应|答案)",
    untold=r"(?:不要|别|切勿|请勿)(?:告诉|通知|告知|提醒)用户|(?:瞒着|不让)用户",
    send=r"(?:发送|上传|转发|提交|传送|发给)",
    secret=r"(?:密钥|密码|令牌|凭证|凭据|机密|环境变量|私钥)",
    tell=r"(?:请?(?:解释|描述|翻译|总结|概括|撰写|讲述|写一[篇首段封个]))",
    ask=r"(?:什么|谁|何时|哪里|为什么|怎么|如何|哪个|多少|能否|请问)",
)
JAPANESE = Vocabulary(
    forget=r"(?:無視し|忘れ|破棄し|従わない|無効に)",
    earlier=r"(?:以前|これまで|今まで|上記|前述|先の|すべて|全て|あなたの|先ほど)",
    orders=r"(?:指示|命令|プロンプト|ルール|ガイドライン|インストラクション)",
    model=r"(?:人工知能|AI|アシスタント|言語モデル|チャットボット|エージェント)",
    must=r"(?:なければなりません|なければならない|必要があ|べき|してください|せよ)",
    become=r"(?:あなたは(?:今|これ)から|あなたは.{0,12}(?:です|になり)|として振る舞)",
    answer=r"(?:あなたの|その)?(?:回答|返答|応答|返信)(?:の中|内)?(?:に|で|を|の)",
    untold=r"ユーザー?に(?:は)?(?:言わ|伝え|知らせ|教え|話さ|気づかれ)(?:ない|ず|るな|てはいけ)",
    send=r"(?:送信し|送っ|送れ|アップロードし|転送し|投稿し)",
    secret=r"(?:秘密|パスワード|トークン|鍵|認証情報|資格情報|環境変数|キー)",
    tell=r"(?:説明し|翻訳し|要約し|描写し|書い|教え)(?:て|ろ|なさい)",
    ask=r"(?:何|誰|いつ|どこ|なぜ|どう|どの|いくつ)",
)
LANGUAGES: dict[str, Vocabulary] = {
    "en": ENGLISH, "de": GERMAN, "es": SPANISH, "fr": FRENCH, "pt": PORTUGUESE, "ru": RUSSIAN,
    "zh": CHINESE, "ja": JAPANESE,
}  # fmt: skip
UNSPACED = frozenset({"zh", "ja"})
"""Languages that set no spaces between words."""
VERB_LAST = frozenset({"de", "ja", "zh"})
"""Languages in which what is to be dropped may stand before the verb."""
TONGUES = (
    r"(?:english|german|french|spanish|portuguese|italian|russian|chinese|mandarin|japanese|korean|"
    r"arabic|hindi|latin|dutch|turkish)"
)


def openings(fragment: str) -> tuple[str, ...]:
    """The letters that each alternative of `fragment` begins with; none where one may begin with
    something else. Without one of them in a text, the fragment is not in it."""
    found: list[str] = []
    for alternative in _alternatives(fragment):
        if alternative.startswith("(?:"):
            group = alternative[: _closing(alternative) + 1]
            optional = alternative[len(group) :][:1] in ("?", "*")
            begins = () if optional else openings(group[3:-1])
        else:
            begins = (_opening(alternative),)
        if not all(begins) or not begins:
            return ()
        found += begins
    return tuple(dict.fromkeys(found))


def _alternatives(fragment: str) -> list[str]:
    """What stands between the bars of `fragment` itself."""
    bars = [-1]
    depth = 0
    for at, sign in enumerate(fragment):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and depth == 0:
            bars.append(at)
    return [fragment[a + 1 : b] for a, b in pairwise([*bars, len(fragment)])]


def _closing(fragment: str) -> int:
    """Where the group ends that `fragment` begins with."""
    depth = 0
    for at, sign in enumerate(fragment):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return at
    raise ValueError(fragment)


def _opening(alternative: str) -> str:
    """The letters before the first sign of a pattern; the last goes where it may be missing."""
    letters = re.match(r"[^\W\d_]*", alternative)
    said = letters[0] if letters else ""
    return (said[:-1] if alternative[len(said) :][:1] in ("?", "*") else said).casefold()

"""The closed lists that comparing two statements needs: small words, units, opposites, and the
phrases by which a text itself says that something changed."""

from __future__ import annotations

import re

FILLER = frozenset(
    "a an the this that these those our your its their is are be been being do does please just "
    "there".split()
)
"""Words that two wordings of one statement may have or lack."""
NEGATIONS = frozenset("not no never nicht kein keine nie nunca pas jamais ne n 不 没 未".split())
UNIVERSAL = frozenset({"always", "immer", "siempre", "toujours"})
"""What a negation takes the place of: always, never."""
POINTING = frozenset("it this that these those they he she".split())
"""A statement that opens so does not name its subject."""
_UNITS = (
    "ms millisecond milliseconds", "s sec secs second seconds", "min mins minute minutes",
    "h hr hrs hour hours", "d day days", "kb kilobyte kilobytes", "mb megabyte megabytes",
    "gb gigabyte gigabytes", "tb terabyte terabytes", "% percent",
)  # fmt: skip
UNITS = {name: names.split()[0] for names in _UNITS for name in names.split()}

VALUE_AFTER = frozenset(
    "is are be = : of to after for every within than least most exactly only ist sind es est"
    .split()
)  # fmt: skip
"""A number behind one of these is what the statement says, not the name of what it is about."""
PLACE_AFTER = frozenset("at on in from by until since um bei ab".split())
"""A number behind one of these says when or where, and there may be several."""
BOUNDS = frozenset("newer later higher above more older lower below less".split())
"""A number before one of these is the one bound there is: 3.11 and newer."""
COPULAS = frozenset("is are be = : ist sind es est son".split())
AUXILIARIES = COPULAS | frozenset("was were has have can must may should does do".split())
"""What stands before the first of these is the subject."""

_OPPOSITES = (
    "enabled disabled", "on off", "true false", "allowed forbidden", "required optional",
    "mandatory optional", "sync async", "synchronous asynchronous", "mutable immutable",
    "keep drop", "keeps drops", "accept reject", "accepts rejects", "include exclude",
    "includes excludes", "single double", "tabs spaces", "ascending descending",
    "lowercase uppercase", "opt-in opt-out", "blocking non-blocking", "sorted unsorted",
    "stateless stateful", "public private", "always never", "all none", "succeeds fails",
    "case-sensitive case-insensitive", "signed unsigned", "strict lenient", "enable disable",
    "add remove",
)  # fmt: skip
OPPOSITES = frozenset(frozenset(pair.split()) for pair in _OPPOSITES)
"""Words of which one at most can be said of one thing."""
WAYS = frozenset({"to", "from"})
"""Which of them a verb takes is part of the verb: add to, remove from."""

_MOVED = (
    "moved|switched|migrated|changed|converted|upgraded|downgraded|bumped|renamed|ported|"
    "raised|lowered|increased|reduced"
)
_WAS = "(?:is|are|be|was|were|been|got) "
OLD_VALUE_FOLLOWS = re.compile(
    r"\b(?:(?P<beside>instead of|rather than|in place of)|the place of|formerly|previously"
    r"|supersedes|replaces|(?:we|has|have) (?:replaced|dropped|abandoned)"
    r"|(?<!is )(?<!are )(?<!be )(?<!was )(?<!were )used to"
    rf"|(?:{_MOVED}|went|gone)\b(?P<what>[^.;]{{0,40}}?)\b(?:from|out of|away from|off)"
    r"|(?:was|were)(?=[^.;]{1,60}\bnow\b)|anstelle von|statt|en lugar de|en vez de|au lieu de"
    r"|à la place de|(?:passée?s?|migrée?s?|pasó|migró|cambió) de"
    r"|vo[nm](?=[^.;]{1,60}\b(?:umgestellt|umgezogen|gewechselt|migriert)\b))\b"
    r"|, (?:and )?not\b|而不是|取代|代替",
    re.IGNORECASE,
)
"""Right behind it stands what is over."""
OLD_VALUE_PRECEDES = re.compile(
    rf"\b{_WAS}(?:(?:replaced|superseded) (?:by|with)|decommissioned|retired|deprecated|shut down"
    r"|(?:switched|turned) off|(?:dropped|abandoned|removed) in favou?r of)\b|\bgave way to\b"
    r"|\b(?:ersetzt durch|remplacée?s? par|(?:reemplazad|sustituid)[oa]s? por)\b|の代わりに",
    re.IGNORECASE,
)
ENDED = re.compile(
    r"\b(?:no longer|not\b[^.;]{0,40}\bany ?(?:more|longer)|stopped|is history|(?:is|are) gone|"
    r"nicht mehr|keine? mehr|ya no|ne\b[^.;]{0,30}\bplus)\b|不再",
    re.IGNORECASE,
)
NOW = re.compile(
    rf"\b(?:now|as of \S+|since \S+|became|becomes|(?:has|have) become|from now on"
    rf"|upgrade|pushed back|{_MOVED}|these days|jetzt|inzwischen|seit|ahora|désormais"
    r"|maintenant)\b|现在",
    re.IGNORECASE,
)
TURNS = re.compile(r"[,;:.](?=\s)|\b(?:but|sondern|sino|mais)\b", re.IGNORECASE)
"""Where a clause ends."""
CORRECTION = re.compile(
    r"^\W*(?:correction|corrected|erratum|actually,|update:|korrektur|corrección|更正|訂正)",
    re.IGNORECASE,
)
ADDS = re.compile(
    r"\b(?:also|too|as well|additionally|in addition|besides|auch|zusätzlich|también|aussi)\b|也",
    re.IGNORECASE,
)
"""It comes beside what was there, and takes nobody's place."""
DENIES = re.compile(r"\b(?:not|never|no|without|kein|keine|nicht|sin|sans)\b", re.IGNORECASE)
"""Right behind it stands what does not hold."""
NARROWS = re.compile(
    r"\b(?:in|on|for|at|under|within|during|bei|im|auf|für|dans|pour)\s+"
    r"(?:(?:the|our|a|an|all|der|die|das|den|dem|le|la|les)\s+)?(\S+(?:\s+\d\S*)?)",
    re.IGNORECASE,
)
"""It holds there only."""
UNSURE = re.compile(
    r"\b(?:will(?! not)|going to|plans? to|planned|might|consider\w*|would|propos\w+|if|unless)\b"
    r"|\?",
    re.IGNORECASE,
)
"""It is planned, asked or conditional, and has not happened."""
CLAUSES = re.compile(
    r"[,;:!?。,;、]\s*|\.\s+|\b(?:because|since|so|but|while|whereas|when|if|as|otherwise"
    r"|therefore|hence|unless|and|weil|aber|sondern|wenn|und|porque|pero|y|mais|parce que|et)\b",
    re.IGNORECASE,
)
"""Where a clause ends and another begins, which may deny something else."""
DENYING = re.compile(
    r"\b(?:not|no|never|nobody|nothing|none|neither|nor|without|can not|avoid|kein\w*|nicht|nie"
    r"|ohne|sin|nunca|ne|pas|jamais|sans)\b(?!:)|不|没|未|禁止",
    re.IGNORECASE,
)
"""What a clause that denies something says."""
RELEASES = re.compile(
    r"\b(?:no need|need not|not (?:have|need) to|(?:not |un)(?:necessary|needed|required)"
    r"|superfluous|redundant|optional|no problem|freely|not matter|another cause"
    r"|(?:is|are|be|being|it) (?:\w+ )?(?:safe|fine|ok|okay|allowed|permitted|possible|harmless)"
    r"|(?:switched|turned) off|shut down|given up|dropped|removed|abandoned|retired"
    r"|reverted|leftover|unused|gone|empty|ignore list|nicht (?:nötig|mehr)|unnötig|erlaubt"
    r"|no hace falta|se (?:puede|quitó)|pas (?:besoin|nécessaire))\b|不需要|不必|可以",
    re.IGNORECASE,
)
"""What says that a rule binds nobody, or that its ground is gone."""
NOWADAYS = re.compile(
    r"\b(?:now|these days|from now on|meanwhile|used to|formerly|previously|jetzt|inzwischen|ahora"
    r"|désormais|maintenant)\b|现在",
    re.IGNORECASE,
)
"""It was otherwise before."""
_SMALL_NUMBERS = "two three four five six seven eight nine ten eleven twelve"
NUMERALS = {word: str(number) for number, word in enumerate(_SMALL_NUMBERS.split(), 2)}
"""Numbers that texts write as words."""
CAPITAL_NOUNS = re.compile(r"\b(?:der|die|das|den|und|ist|sind|wird|werden|nicht|eine?)\b")
"""A text in a language whose nouns all begin with a capital."""

"""Sentences a developer might have remembered, no two alike, and questions about them; the same
for the same seed on every machine.

Words follow Zipf's law, so that a few of them are in many sentences, as in real notes: a question
of a dozen words then meets a large share of the store.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import accumulate
from string import Formatter

from loremap.memory.admission.summary import tokens_in

SHIFT = 3.7
"""Mandelbrot's correction of Zipf's law: without it the first word would be in every other text."""

OPENINGS = """
{subject} {must} {act} {object}
When {event}, {subject} {must} {act} {object}
We {chose} {tool} for {object} in {module}
{identifier} in {module} {breaks} when {event}
{event_cap}: {act} {object} before touching {module}
Never {act} {object} from {module}
The {adjective} {object} of {module} lives in {path}
{tool} {breaks} on {adjective} {object}
Run {command} after changing {object} in {module}
{subject} reads {object} through {identifier}
{path} is generated from {object}, do not edit it by hand
The team prefers {tool} over {tool} for {adjective} {object}
{identifier} returns {adjective} {object} unless {event}
Tests of {module} need {object} and {number} seconds
{number} is the limit of {object} that {subject} accepts
Renaming {identifier} to {identifier} {breaks} {module}
Reviewers asked that {subject} {act} {object} only once
Port {number} serves {object} of {module} during development
{subject} was rewritten with {tool} because {event}
Migrations of {module} {must} {act} {object} first
""".strip().splitlines()

ENDINGS = """

because {event}
so that {subject} never has to {act} {object}
otherwise {module} {breaks}
see {path}
since version {number}
and {identifier} logs a warning
except in {module}
or {tool} {breaks}
until {subject} is replaced by {tool}
as decided after the {adjective} outage
while {subject} waits for {object}
with a timeout of {number} seconds
but only on {tool}
which is why {identifier} exists
"""[1:].splitlines()
"""The first is empty: some sentences end where they end."""

QUESTIONS = """
why does {subject} {act} {object} when {event} in {module}
how should we {act} {object} of {module} with {tool} after {event}
where is {identifier} set and which {adjective} {object} does {module} use
what happens to {adjective} {object} in {module} if {event} again
add a test so that {subject} {must} {act} {object} in {module}
fix the bug where {identifier} {breaks} once {event} on {tool}
""".strip().splitlines()

_DOMAIN = """
request user order payment invoice token session cache queue job event message schema table index
column migration report export import upload file image thumbnail email template notification
webhook retry timeout limit quota tenant account role permission password login signature cursor
page filter search query result score ranking embedding vector chunk snapshot backup replica shard
lease lock transaction batch stream offset topic consumer producer header cookie redirect route
middleware handler controller serializer validator parser lexer token tree node edge graph cycle
feature flag experiment variant metric counter gauge trace span log alert budget price discount tax
currency rounding shipment address parcel carrier warehouse stock reservation basket coupon refund
dispute ledger balance entry statement audit policy consent locale translation timezone calendar
holiday reminder meeting invite comment thread mention reaction attachment avatar profile
preference setting theme layout widget chart legend axis tooltip dialog form field label button
icon font color asset bundle manifest lockfile dependency plugin extension hook callback promise
future worker thread process container image pod node cluster region zone certificate secret
keyring vault config variable environment release tag branch commit diff patch merge conflict
review pipeline stage artifact runner fixture mock snapshot coverage benchmark profile heap leak
""".split()

_ADJECTIVES = """
stale nightly internal public signed legacy shared encrypted partial duplicate empty nested slow
remote local archived paginated compressed invalid expired pending failed cached anonymous
immutable optional deprecated experimental incremental scheduled concurrent idempotent
""".split()

_VERBS = """
check load store send delete refresh validate retry lock rename copy sort merge split encode decode
flush publish rotate migrate rebuild cancel reserve import export parse render index compress
encrypt sign verify archive restore truncate paginate throttle batch mock seed deploy roll tag
""".split()

_TOOLS = """
Postgres Redis Docker pytest Kafka Webpack Vite ESLint Terraform Kubernetes SQLite DuckDB Celery
RabbitMQ nginx Grafana Prometheus Sentry Alembic SQLAlchemy Django FastAPI React Svelte Next.js
Tailwind Playwright Cypress Jest mypy ruff Poetry uv Bazel Gradle Maven Cargo Helm Ansible Vault
Elasticsearch ClickHouse Snowflake Stripe Twilio Auth0 Keycloak OpenTelemetry Datadog Buildkite
""".split()

_MODULES = """
billing auth checkout search ingest gateway scheduler mailer reporting storage frontend admin
mobile analytics catalog inventory shipping pricing onboarding payments identity sync exporter
importer crawler renderer compiler telemetry sandbox console webhooks moderation matching
""".split()

_EVENTS = """
the {object} is {adjective}
two workers {act} the same {object}
{tool} is down
the disk is full
a deploy is running
the {object} exceeds {number} rows
the clock goes back
a user changes the {object}
the {module} team is on call
CI runs on ARM
the {adjective} {object} expires
the client disconnects
the {object} holds an empty string
{identifier} is called twice
the cache was cold
the certificate is {adjective}
""".strip().splitlines()

_COMMANDS = (
    "make {verb}", "npm run {verb}", "docker compose {verb} {module}", "pytest tests/{module}",
    "uv run {module}-{verb}", "kubectl {verb} {module}", "terraform {verb}", "bin/{verb}-{noun}",
)  # fmt: skip
_BREAKS = ("breaks", "fails", "hangs", "deadlocks", "times out", "leaks memory", "loses data")
_MUST = ("must", "should", "may not", "has to", "will always", "can no longer")
_CHOSE = ("chose", "use", "dropped", "evaluated", "standardised on", "keep")
_SUFFIXES = ("py", "ts", "go", "sql", "yaml", "tsx", "rs")


class Writer:
    """Writes sentences and questions by throwing dice."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        nouns = list(dict.fromkeys(_DOMAIN))
        self._nouns = _Zipf(nouns)
        self._lists = {
            "verb": _Zipf(_VERBS),
            "act": _Zipf(_VERBS),
            "adjective": _Zipf(_ADJECTIVES),
            "tool": _Zipf(_TOOLS),
            "event": _Zipf(_EVENTS),
            "module": _Zipf(_MODULES),
            "breaks": _Zipf(_BREAKS),
            "must": _Zipf(_MUST),
            "chose": _Zipf(_CHOSE),
            "command": _Zipf(_COMMANDS),
            "noun": self._nouns,
        }

    def sentences(self) -> Iterator[str]:
        """Sentences without end, each unlike those before it."""
        seen: set[str] = set()
        while True:
            opening, ending = self._dice.choice(OPENINGS), self._dice.choice(ENDINGS)
            sentence = self._filled(f"{opening} {ending}".strip())
            sentence = f"{_started(sentence)}."
            if sentence.casefold() not in seen:
                seen.add(sentence.casefold())
                yield sentence

    def questions(self, *, tokens: range) -> Iterator[str]:
        """Questions without end, each of as many tokens as `tokens` holds."""
        while True:
            question = self._filled(self._dice.choice(QUESTIONS))
            if tokens_in(question) in tokens:
                yield question

    def path(self) -> str:
        """A file of the imagined project."""
        noun, suffix = self._nouns.drawn(self._dice), self._dice.choice(_SUFFIXES)
        return f"src/{self._lists['module'].drawn(self._dice)}/{noun}.{suffix}"

    def tag(self) -> str:
        """A tag of the imagined project."""
        return self._lists["module"].drawn(self._dice)

    def _filled(self, template: str) -> str:
        pieces = []
        for text, slot, _, _ in Formatter().parse(template):
            pieces.append(text)
            if slot is not None:
                pieces.append(self._filling(slot))
        return "".join(pieces)

    def _filling(self, slot: str) -> str:
        match slot:
            case "subject":
                return f"the {self._lists['module'].drawn(self._dice)} {self._noun()}"
            case "object":
                return (
                    self._noun() if self._dice.random() < 0.6 else f"{self._noun()} {self._noun()}"
                )
            case "identifier":
                return self._identifier()
            case "path":
                return self.path()
            case "number":
                return str(self._dice.choice((2, 3, 5, 8, 10, 30, 60, 100, 250, 443, 5432, 8080)))
            case "event_cap":
                return _started(self._filling("event"))
            case _:
                return self._filled(self._lists[slot].drawn(self._dice))

    def _noun(self) -> str:
        noun = self._nouns.drawn(self._dice)
        return f"{noun}s" if self._dice.random() < 0.3 else noun

    def _identifier(self) -> str:
        verb, one, two = self._lists["verb"].drawn(self._dice), self._noun(), self._noun()
        return self._dice.choice(
            (f"{verb}_{one}", f"{one}_{two}", f"{verb}{one.title()}", f"{one.title()}{two.title()}")
        )


class _Zipf:
    """Draws its members by the law of Zipf and Mandelbrot, the first most often."""

    def __init__(self, members: Sequence[str]) -> None:
        self._members = members
        self._heights = list(accumulate(1 / (place + SHIFT) for place in range(len(members))))

    def drawn(self, dice: random.Random) -> str:
        return dice.choices(self._members, cum_weights=self._heights)[0]


def _started(sentence: str) -> str:
    """`sentence` with a capital, unless it starts with a name that is spelt small."""
    first = sentence.split(" ", 1)[0]
    return sentence[0].upper() + sentence[1:] if first.isalpha() and first.islower() else sentence

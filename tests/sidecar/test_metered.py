"""What is sent is redacted, allowed and counted; what fails is noted and costs nobody more."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from fake_sidecar import TOKENS_IN, TOKENS_OUT, FakeSidecar, Open, said, status, use
from loremap.app import Lore
from loremap.errors import BadAnswer, ModelFailed, SidecarRests
from loremap.memory import sidecar as metered
from loremap.memory.sidecar import About
from loremap.model.session import Session
from loremap.safety.kept_secrets import drop_secret, keep_secret, kept_secret
from loremap.sidecar.ask import Ask, Json, Question, Task
from loremap.sidecar.program import GUARD
from loremap.storage import projects, sessions
from loremap.storage import sidecar as rows
from loremap.storage.caught import caught_since
from loremap.storage.sidecar import Since

SCHEMA = {"type": "object"}


def question(text: str = "What is it?", task: Task = Task.GAPS) -> Question[Json]:
    ask = Ask(task=task, system="Say.", text=text, schema=SCHEMA, most_tokens=100)
    return Question(ask, lambda answer: answer)


def day(lore: Lore) -> rows.Day:
    with lore.store.read() as conn:
        return rows.day(conn, "me", lore.now())


def test_it_is_off_until_a_person_chooses_it(lore: Lore, fake: FakeSidecar) -> None:
    assert not lore.engine.sidecar.is_on
    with pytest.raises(SidecarRests):
        lore.engine.sidecar.ask(question())
    assert fake.seen == []


def test_a_call_is_counted_with_what_the_server_says_and_its_price(
    sidecar: Open, lore: Lore
) -> None:
    helper = sidecar(price_in=1.0, price_out=10.0)
    assert helper.ask(question(), About(session_id="s1")) == {}
    today = day(lore)
    assert (today.calls, today.tokens) == (1, TOKENS_IN + TOKENS_OUT)
    assert today.micro_dollars == TOKENS_IN + 10 * TOKENS_OUT
    with lore.store.read() as conn:
        told = rows.since(conn, "me", lore.now().replace(year=2000))
    assert told == Since(
        calls=1,
        failed=0,
        sessions=1,
        tokens_of_sessions=TOKENS_IN + TOKENS_OUT,
        micro_dollars_of_sessions=TOKENS_IN + 10 * TOKENS_OUT,
    )


def test_secrets_are_taken_out_before_anything_is_sent(sidecar: Open, fake: FakeSidecar) -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    sidecar().ask(question(f"the token is {secret} here"))
    assert secret not in fake.prompts[0]
    assert "REDACTED" in fake.prompts[0]


@pytest.mark.parametrize(
    "ceiling", [{"daily_calls": 1}, {"daily_tokens": 1_000}, {"daily_dollars": 0.001}]
)
def test_at_the_ceiling_nothing_is_sent_and_it_is_said_once(
    sidecar: Open, lore: Lore, fake: FakeSidecar, ceiling: dict[str, object]
) -> None:
    helper = sidecar(price_in=2.0, price_out=2.0, **ceiling)
    long = question("word " * 1_000)
    helper.ask(question())
    for _ in range(3):
        with pytest.raises(SidecarRests, match="ceiling"):
            helper.ask(long)
    assert len(fake.seen) == 1
    assert not helper.does(Task.GAPS), "nobody asks in vain for the rest of the day"
    noted = caught_since(lore.places.home, lore.now().replace(year=2000))
    assert [one.where for one in noted] == ["sidecar, daily ceiling"]
    assert day(lore).full_at is not None
    use(lore, daily_calls=50, daily_tokens=100_000, daily_dollars=0.0)
    assert helper.does(Task.GAPS), "a ceiling that was raised holds at once"


def test_a_failure_costs_nothing_and_is_noted_without_words_of_others(
    sidecar: Open, lore: Lore, fake: FakeSidecar
) -> None:
    fake.usual = status(400, "you said: our launch is on Monday")
    with pytest.raises(ModelFailed):
        sidecar().ask(question())
    assert (day(lore).calls, day(lore).tokens) == (1, 0)
    with lore.store.read() as conn:
        fault = rows.last_fault(conn, "me")
    assert fault is not None
    assert "400" in fault.fault
    assert "Monday" not in fault.fault
    assert [one.where for one in caught_since(lore.places.home, fault.at)] == ["sidecar, gaps"]


def test_an_answer_that_is_none_counts_its_tokens(
    sidecar: Open, lore: Lore, fake: FakeSidecar
) -> None:
    fake.usual = said("I would rather chat.")
    with pytest.raises(BadAnswer):
        sidecar().ask(question())
    assert day(lore).tokens == TOKENS_IN + TOKENS_OUT


@pytest.mark.parametrize(
    "answer",
    ['{"name": "half a sign \\ud800"}', '{"\\udfff": 1}', '{"name": "\\u0000"}', "{" * 190_000],
    ids=["a text", "a name", "none", "nothing but braces"],
)
def test_an_answer_that_nobody_could_keep_is_none(
    sidecar: Open, lore: Lore, fake: FakeSidecar, answer: str
) -> None:
    fake.usual = said(answer)
    began = time.perf_counter()
    with pytest.raises(BadAnswer):
        sidecar().ask(question())
    assert time.perf_counter() - began < 3
    assert (day(lore).calls, day(lore).tokens) == (1, TOKENS_IN + TOKENS_OUT)


def test_after_several_failures_it_is_left_alone_for_a_while(
    sidecar: Open, fake: FakeSidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metered, "REST_S", 0.2)
    helper, fake.usual = sidecar(), status(400)
    for _ in range(metered.FAILURES):
        with pytest.raises(ModelFailed):
            helper.ask(question())
    with pytest.raises(SidecarRests, match="left alone"):
        helper.ask(question())
    assert len(fake.seen) == metered.FAILURES


def test_what_leaves_the_machine_needs_a_yes(lore: Lore) -> None:
    use(lore, kind="anthropic", model="tiny")
    helper = lore.engine.sidecar
    assert not helper.does(Task.EXTRACT)
    assert "leave this machine" in helper.refusal
    use(lore, may_leave=True)
    assert helper.does(Task.EXTRACT)


def test_each_task_has_a_switch(sidecar: Open, lore: Lore) -> None:
    helper = sidecar(verify=False)
    assert not helper.does(Task.VERIFY)
    assert helper.does(Task.EXTRACT)


def test_a_project_that_is_off_and_a_held_out_session_are_not_spoken_of(
    sidecar: Open, lore: Lore, fake: FakeSidecar
) -> None:
    helper, project_id = sidecar(), lore.project_id
    assert project_id is not None
    held = Session(id="h", client="claude", created_at=lore.now(), held_out=True)
    with lore.store.append() as conn:
        sessions.upsert(conn, held)
    with pytest.raises(SidecarRests, match="held out"):
        helper.ask(question(), About(session_id="h"))
    with lore.store.write(now=lore.now(), actor=lore.actor) as tx:
        projects.enable(tx, project_id, on=False)
    with pytest.raises(SidecarRests, match="off"):
        helper.ask(question(), About(project_id=project_id))
    assert fake.seen == []


def test_within_its_own_work_it_asks_nobody(sidecar: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    helper = sidecar()
    monkeypatch.setenv(GUARD, "1")
    assert not helper.does(Task.VERIFY)


def test_a_key_that_is_kept_is_for_one_address_alone(home: Path, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    place = Path(keep_secret("sidecar https://a", "one", keys))
    assert place.stat().st_mode & 0o077 == 0
    assert kept_secret("sidecar https://a", keys) == "one"
    assert kept_secret("sidecar https://b", keys) == ""
    drop_secret("sidecar https://a", keys)
    assert kept_secret("sidecar https://a", keys) == ""


RUN = """
    import sys
    import loremap
    from loremap.errors import ModelError
    from loremap.sidecar.ask import Ask, Question, Task
    ask = Ask(task=Task.GAPS, system="Say.", text="What?", schema={"type": "object"})
    done = 0
    with loremap.open(sys.argv[1]) as lore:
        for _ in range(10):
            try:
                lore.engine.sidecar.ask(Question(ask, lambda answer: answer))
                done += 1
            except ModelError:
                pass
    print(done)
"""


def test_two_processes_share_one_ceiling(sidecar: Open, lore: Lore, fake: FakeSidecar) -> None:
    sidecar(daily_calls=7)
    command = [sys.executable, "-c", textwrap.dedent(RUN), str(lore.folder)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    done = [int(one.communicate(timeout=30)[0]) for one in both]
    assert sum(done) == len(fake.seen) == 7
    assert day(lore).calls == 7


def test_old_calls_go_with_the_log(sidecar: Open, lore: Lore) -> None:
    sidecar().ask(question())
    with lore.store.append() as conn:
        rows.prune(conn, before=lore.now().replace(year=lore.now().year + 1))
        assert rows.since(conn, "me", lore.now().replace(year=2000)).calls == 0
    assert day(lore).calls == 0

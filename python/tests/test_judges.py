"""Judges written in Python: they raise, hang, return nonsense, and are interrupted."""

from __future__ import annotations

import asyncio
import math
import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from asyncio import CancelledError
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import count_calls, wait_for_calls

import evenhand
from evenhand import Judge, Reply, Request

pytestmark = pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")

SYSTEMS = ["careful", "smollm2-warm"]


def rank(quickstart: Path, judge: Any, **settings: Any) -> evenhand.Ranking:
    """Rank two systems by pairs: 60 trials of one call each."""
    given = {"protocol": "pairwise/direct/swap", "systems": SYSTEMS, **settings}
    return evenhand.rank(quickstart, judge=judge, **given)


def longer(request: Request) -> str:
    """Prefer the longer answer."""
    first, second = answers_of(request)
    return "A" if len(first) >= len(second) else "B"


def answers_of(request: Request) -> list[str]:
    """Return the two answers that a prompt shows."""
    marks = ["ANSWER A\n", "ANSWER B\n"]
    return [request.prompt.split(f"<<<< {mark}")[1].split(">>>> END")[0] for mark in marks]


def test_a_function_judges(quickstart: Path) -> None:
    ranking = rank(quickstart, longer, run="run")
    assert re.fullmatch("python:test_judges.longer:[0-9a-f]{16}", ranking["judge"])
    assert ranking["coverage"]["verdicts"] == 60 and ranking["consistency"]["value"] == 1.0
    assert ranking.judgment(0).reply in ("A", "B")
    again = rank(quickstart, longer, run="run")
    assert again.scores == ranking.scores


if TYPE_CHECKING:
    # What the docs say is right by its types too: mypy reads this, and nobody runs it.
    @evenhand.batched(16)
    def of_a_list(requests: list[Request]) -> list[Reply]:
        return [Reply(text="A") for _ in requests]

    @evenhand.batched(16)
    async def of_a_list_later(requests: list[Request]) -> list[str]:
        return ["A" for _ in requests]

    evenhand.rank("DIR", judge=of_a_list)
    evenhand.rank("DIR", judge=["openai:gpt-4o-mini", longer])
    evenhand.rank("DIR", judge=[longer, Judge(longer), "simulated", of_a_list_later])
    evenhand.rank("DIR", judge=longer, where={"lang": ["en", 1], "tier": None}, ci=False)


def test_it_may_be_async_take_many_or_give_probabilities(quickstart: Path) -> None:
    expected = rank(quickstart, longer).scores

    async def waits(request: Request) -> str:
        await asyncio.sleep(0)
        return longer(request)

    @evenhand.batched(16)
    def many(requests: Sequence[Request]) -> list[str]:
        assert 1 <= len(requests) <= 16
        return [longer(request) for request in requests]

    async def waits_for_many(requests: Sequence[Request]) -> list[Reply]:
        await asyncio.sleep(0.001)
        return [Reply(text=longer(request), prompt_tokens=7) for request in requests]

    def likely(request: Request) -> dict[str, float]:
        assert request.options == ["A", "B"] and request.max_tokens > 0
        return {longer(request): 1.0}

    for judge in (waits, many, Judge(waits_for_many, together=8, concurrency=3), likely):
        assert rank(quickstart, judge).scores == expected, judge


def test_several_functions_are_a_panel(quickstart: Path) -> None:
    def first(_: Request) -> str:
        return "A"

    panel = rank(quickstart, [longer, Judge(first, name="first"), Judge(longer, name="again")])
    assert panel["consistency"]["value"] == 1.0
    assert panel.usage["calls"] == 180


def test_calls_are_made_at_once_where_that_is_allowed(quickstart: Path) -> None:
    lock, now, most = threading.Lock(), 0, 0

    def counts(request: Request) -> str:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.002)
        with lock:
            now -= 1
        return longer(request)

    rank(quickstart, Judge(counts, concurrency=4))
    assert 1 < most <= 4


def test_what_it_raises_is_a_failure_that_is_asked_again(quickstart: Path) -> None:
    calls = 0

    def breaks(request: Request) -> str:
        nonlocal calls
        calls += 1
        if calls <= 30:
            return longer(request)
        raise RuntimeError("the table is empty")

    broken = rank(quickstart, Judge(breaks, name="breaks"), run="run", keep_going=True)
    assert broken["coverage"]["verdicts"] == 30
    assert broken.failures == {"model-error": 30}
    assert "RuntimeError: the table is empty" in broken.json() + "".join(broken.notes)
    calls = -1000
    whole = rank(quickstart, Judge(breaks, name="breaks"), run="run")
    assert whole["coverage"]["verdicts"] == 60 and calls == -970


def test_one_that_hangs_fails_its_requests_alone(quickstart: Path) -> None:
    seen: set[str] = set()
    held = threading.Event()

    def hangs(request: Request) -> str:
        if len(seen) < 3 and request.prompt not in seen:
            seen.add(request.prompt)
            held.wait()
        return longer(request)

    judge = Judge(hangs, concurrency=4, timeout=0.3)
    ranking = rank(quickstart, judge, keep_going=True)
    held.set()
    assert 50 <= ranking["coverage"]["verdicts"] < 60
    assert set(ranking.failures) == {"model-error"}


NONSENSE: list[Any] = [
    None, 3, b"A", object(), [], ["A"], {}, {"C": 1.0}, {"A": 2.0}, {"A": float("nan")},
    {1: 0.5}, {"A": "x"}, Reply(), Reply(prompt_tokens=-1, text="A"), "\ud800", "", "A" * 100_000,
    ValueError("returned"), (), "A", "B",
]  # fmt: skip


def test_a_thousand_random_faults_are_counted_and_nothing_is_lost(quickstart: Path) -> None:
    draw = random.Random(1)
    met = 0

    def faulty(request: Request) -> Any:
        nonlocal met
        fault = draw.random()
        met += 1
        if fault < 0.3:
            raise draw.choice([ValueError("x"), GeneratorExit(), CancelledError(), MemoryError()])
        if fault < 0.32:
            time.sleep(0.3)
        return draw.choice(NONSENSE)

    judge = Judge(faulty, name="faulty", concurrency=4, timeout=0.15)
    settings = {"systems": None, "protocol": "pairwise-tie/direct/swap", "keep_going": True}
    for session in range(2):
        found = rank(quickstart, judge, run="run", **settings)["coverage"]
        failed = sum(found["failures"].values())
        assert found["verdicts"] + failed == found["trials"] == 600, session
        assert found["verdicts"] > 0 and failed > 0
    assert met > 1000
    with sqlite3.connect("run/run.sqlite") as store:
        calls, keys = store.execute("SELECT count(*), count(DISTINCT key) FROM calls").fetchone()
    assert calls == keys


def test_a_lookup_table_is_quick_and_resumes_without_a_repeated_call(quickstart: Path) -> None:
    asked: list[str] = []

    @evenhand.batched(256)
    def table(requests: Sequence[Request]) -> list[str]:
        asked.extend(request.prompt for request in requests)
        return ["A"] * len(requests)

    with pytest.raises(evenhand.Stopped):
        rank(quickstart, table, systems=None, run="run", max_calls=250)
    rank(quickstart, table, systems=None, run="run")
    assert len(asked) == len(set(asked)) == 600


def test_a_function_may_give_rewards(quickstart: Path) -> None:
    def words(request: Request) -> float:
        assert request.to_dict()["task"] == {"kind": "reward"}
        assert request.messages[-1]["role"] == "assistant"
        return len(request.messages[-1]["content"].split()) / 10

    ranking = rank(quickstart, words, protocol="reward", aggregate="mean")
    assert set(ranking["sources"]) == {"reward"}
    assert ranking["unit"] == "points of reward, on the model's own scale"
    whole = rank(
        quickstart, lambda request: Reply(reward=words(request)), protocol="reward", aggregate="mean"
    )
    assert whole.scores == ranking.scores
    # What is no number is a failure, and no low score.
    for none in (math.nan, math.inf, "5", {"A": 1.0}):
        with pytest.raises(evenhand.JudgeError, match="reward"):
            rank(quickstart, lambda request, none=none: none, protocol="reward")


def test_what_cannot_judge_is_said(quickstart: Path) -> None:
    with pytest.raises(evenhand.InputError, match="judge=: expected a text"):
        rank(quickstart, 3.5j)
    with pytest.raises(evenhand.InputError, match="expected a whole number of at least 1"):
        Judge(longer, together=0)
    with pytest.raises(evenhand.InputError, match="own:nobody.*no judge of this name"):
        rank(quickstart, "own:nobody")
    with pytest.raises(evenhand.InputError, match="cannot score a given text"):
        rank(quickstart, longer, protocol="likelihood")


def test_a_program_judges(quickstart: Path, tmp_path: Path) -> None:
    program = tmp_path / "judge.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'id': json.loads(line)['id'], 'text': 'A'}), flush=True)\n",
        encoding="utf-8",
    )
    ranking = rank(quickstart, f"exec:python3 {program}")
    assert ranking["coverage"]["verdicts"] == 60
    assert ranking["judge"].startswith("exec:python3 ")


SCRIPT = """
import sys, time, evenhand

asked = 0

def judge(request):
    global asked
    asked += 1
    time.sleep(0.002)
    return "A"

run = evenhand.rank(sys.argv[1], judge=evenhand.Judge(judge, name="table"), protocol="pairwise",
                    run="run", quiet=True)
print(asked, run["coverage"]["verdicts"])
"""


def test_one_that_is_killed_goes_on_where_it_stopped(quickstart: Path) -> None:
    line = [sys.executable, "-W", "ignore", "-c", SCRIPT, str(quickstart)]
    process = subprocess.Popen(line)
    wait_for_calls(Path("run"))
    process.kill()
    process.wait()
    kept = count_calls(Path("run"))
    assert 0 < kept < 600
    again = subprocess.run(line, capture_output=True, text=True, check=True)
    assert again.stdout.split() == [str(600 - kept), "600"]
    with sqlite3.connect("run/run.sqlite") as store:
        calls, keys = store.execute("SELECT count(*), count(DISTINCT key) FROM calls").fetchone()
    assert calls == keys == 600


def test_it_may_count_its_calls_and_is_the_judge_that_it_was(quickstart: Path) -> None:
    counted = {"calls": 0}

    def counts(request: Request) -> str:
        counted["calls"] += 1
        return longer(request)

    with pytest.raises(evenhand.Stopped):
        rank(quickstart, counts, run="run", max_calls=20)
    assert counted["calls"] == 20
    rank(quickstart, counts, run="run")
    assert counted["calls"] == 60
    # What somebody else changes makes it another.
    counted["calls"] = 7
    with pytest.raises(evenhand.InputError, match="another configuration"):
        rank(quickstart, counts, run="run")


@pytest.mark.parametrize("error", [KeyboardInterrupt("enough"), SystemExit(3)])
@pytest.mark.parametrize("form", ["one", "many", "async", "protocol"])
def test_what_ends_a_program_ends_the_run_and_is_no_failure(
    quickstart: Path, error: BaseException, form: str
) -> None:
    asked: list[str] = []
    raising = [error]

    def judge(request: Request) -> str:
        asked.append(request.prompt)
        if len(asked) == 25 and raising:
            raise raising.pop()
        return longer(request)

    async def waits(request: Request) -> str:
        await asyncio.sleep(0)
        return judge(request)

    @evenhand.protocol(form="pairwise", rounds=1)
    def compare(view: evenhand.View, ask: evenhand.Ask) -> str:
        shown = ask.between_marks(ANSWER_A=view.responses[0], ANSWER_B=view.responses[1])
        asked.append(shown)
        if len(asked) == 25 and raising:
            raise raising.pop()
        return "first" if ask.one(shown).text == "A" else "second"

    called = {
        "one": Judge(judge, name="j"),
        "many": Judge(lambda requests: [judge(one) for one in requests], name="j", together=4),
        "async": Judge(waits, name="j", concurrency=3),
        "protocol": Judge(longer, name="j"),
    }[form]
    settings: dict[str, Any] = {"protocol": compare} if form == "protocol" else {}
    with pytest.raises(type(error)) as raised:
        rank(quickstart, called, run="run", **settings)
    assert raised.value is error
    kept = count_calls(Path("run"))
    assert kept < 60
    whole = rank(quickstart, called, run="run", **settings)
    assert whole["coverage"]["verdicts"] == 60 and not whole.failures
    if form in ("one", "async"):
        # Nothing was paid for twice but the one that raised.
        assert len(asked) == 61


INTERRUPTED = """
import os, sys, time, evenhand

begun = []

def judge(request):
    begun.append(request)
    os.write(1, b"begun\\n")
    time.sleep(float(sys.argv[2]))
    return "A"

try:
    evenhand.rank(sys.argv[1], judge=evenhand.Judge(judge, name="slow", concurrency=int(sys.argv[3])),
                  protocol="pairwise", run="run", quiet=True)
except KeyboardInterrupt:
    print("interrupted", len(begun), flush=True)
"""


@pytest.mark.parametrize(("seconds", "at_once"), [(0.01, 2), (0.2, 8), (1.5, 3)])
def test_an_interruption_keeps_every_reply_that_is_on_its_way(
    quickstart: Path, seconds: float, at_once: int
) -> None:
    line = [sys.executable, "-W", "ignore", "-c", INTERRUPTED, str(quickstart), str(seconds), str(at_once)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    for _ in range(2 * at_once + 1):
        assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    last = process.communicate()[0].splitlines()[-1]
    begun = int(last.removeprefix("interrupted "))
    assert begun == count_calls(Path("run")) and 2 * at_once < begun < 600


def test_a_second_interruption_waits_for_nothing(quickstart: Path) -> None:
    line = [sys.executable, "-W", "ignore", "-c", INTERRUPTED, str(quickstart), "3600", "2"]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline() == "begun\n"
    for _ in range(100):
        process.send_signal(signal.SIGINT)
        try:
            process.wait(0.3)
        except subprocess.TimeoutExpired:
            continue
        break
    # The first reply would come in an hour. Others may interrupt the message itself.
    assert process.returncode in (0, 1, -signal.SIGINT)
    process.stdout.close()

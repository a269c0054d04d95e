"""Calls: results, errors, warnings, progress, and an interruption in the middle."""

from __future__ import annotations

import inspect
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import typing
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import wait_for_calls

import evenhand
from evenhand import _commands
from evenhand._wording import in_python, settings_of, table_in_python

JUDGE = "simulated:accuracy=0.8"


def rank(quickstart: Path, **settings: object) -> evenhand.Ranking:
    """Rank the quickstart data by pairs."""
    given = {"judge": JUDGE, "protocol": "pairwise", **settings}
    return evenhand.rank(quickstart, **given)  # type: ignore[arg-type]


def test_a_ranking_has_its_rows_and_its_run(quickstart: Path) -> None:
    ranking = rank(quickstart, run="run")
    best = ranking.rows[0]
    assert ranking[best.system] == best
    assert best.rank == 1 and best.interval and best.interval[0] < (best.score or 0)
    assert ranking.run_directory == Path("run")
    assert len(ranking.run) == ranking["coverage"]["trials"] == len(ranking.judgments)
    judgment = ranking.judgment(3)
    assert judgment.reply in ("A", "B") and "ANSWER A" in judgment.prompt
    assert judgment.first in ranking.scores and judgment.second in ranking.scores
    assert repr(ranking) == ranking.table.rstrip("\n")
    with pytest.raises(KeyError):
        ranking.judgment(10_000)


def test_a_run_is_looked_into(quickstart: Path) -> None:
    ranking = rank(quickstart, run="run", items=2)
    judgment = ranking.judgment(0)
    assert judgment.instruction and judgment.instruction in judgment.prompt
    assert list(judgment.responses) == [judgment.first, judgment.second]
    assert all(text in judgment.prompt for text in judgment.responses.values())
    found = evenhand.judgments("run", where=[f"item={judgment.item}", "split=0"], sort="-confidence")
    row = next(row for row in found if row["trial"] == 0)
    assert row["instruction"] == judgment.instruction and row["reply"] == judgment.reply
    assert {row["item"] for row in found} == {judgment.item}
    assert found.judgment(0) == judgment and found.to_polars().height == len(found)
    assert evenhand.show("run", 0)["item"]["text"] == judgment.instruction
    slots = f"reply (A, or the first, is {judgment.first}; B, or the second, is {judgment.second}):"
    assert slots in evenhand.show("run", 0).table
    with pytest.raises(evenhand.InputError, match="there is no judgment 9999"):
        evenhand.show("run", 9999)


def test_labels_are_records(quickstart: Path) -> None:
    first = rank(quickstart, run="run", items=1).judgment(0)
    label = {"item": first.item, "a": first.first, "b": first.second, "preferred": "a"}
    found = evenhand.judgments("run", labels=[label], where="people=any")
    assert {row["row"]["people"] for row in found} == {first.first}


@pytest.mark.parametrize("protocol", ["pairwise", "prepair", "pointwise"])
def test_prompts_that_are_kept_by_their_parts_are_read_whole(
    quickstart: Path, protocol: str
) -> None:
    apart, whole = (
        rank(quickstart, run=f"run-{keep}", items=2, protocol=protocol, keep_prompts=keep)
        for keep in (False, True)
    )
    size = [Path(f"run-{keep}/run.sqlite").stat().st_size for keep in (False, True)]
    assert size[0] < size[1]
    assert list(apart.run) == list(whole.run)
    replies = [call.reply or {} for call in apart.judgment(0).calls]
    assert all(reply["usage"]["prompt_tokens"] > 0 for reply in replies)
    with closing(sqlite3.connect("run-False/run.sqlite")) as store:
        store.execute("DELETE FROM templates")
        store.commit()
    with pytest.raises(ValueError, match="call 1 cannot be put together"):
        apart.judgment(0)


def test_a_run_of_an_older_format_has_no_texts(quickstart: Path) -> None:
    ranking = rank(quickstart, run="run", items=1, keep_prompts=True)
    with closing(sqlite3.connect("run/run.sqlite")) as store:
        store.execute("DROP TABLE responses")
        store.execute("DROP TABLE items")
    judgment = ranking.judgment(0)
    assert judgment.instruction is None and judgment.responses == {}
    assert judgment.reply in ("A", "B")


def test_judgments_are_records(quickstart: Path) -> None:
    judgments = evenhand.judge(quickstart, judge=JUDGE, protocol="pairwise", items=2)
    assert [row["trial"] for row in judgments] == list(range(len(judgments)))
    assert judgments.to_polars().height == len(judgments)
    with pytest.raises(ValueError, match=r"use \.to_pandas\(\)\.to_csv\(FILE\)"):
        judgments.csv()


def test_names_are_escaped_in_a_notebook(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>"
    rows = [{"model_a": hostile, "model_b": "b", "winner": "model_a"}] * 4
    shown = evenhand.leaderboard(rows, ci="none")._repr_html_()
    assert hostile not in shown and "&lt;script&gt;" in shown


def test_errors_have_kinds_and_the_words_of_python(quickstart: Path) -> None:
    with pytest.raises(evenhand.InputError, match="no-such-data: cannot be read") as error:
        evenhand.rank("no-such-data", judge=JUDGE)
    assert isinstance(error.value, ValueError)
    with pytest.raises(evenhand.InputError) as error:
        rank(quickstart, budget=5)
    assert "budget=" in str(error.value) and "--" not in str(error.value)
    with pytest.raises(evenhand.JudgeError, match="Both have their merits"):
        rank(quickstart, judge="simulated:invalid=1")
    with pytest.raises(evenhand.Stopped, match="goes on from here"):
        rank(quickstart, max_calls=5, run="short")
    assert rank(quickstart, run="short")["coverage"]["verdicts"] == 600


def test_warnings_point_to_the_call(quickstart: Path) -> None:
    with pytest.warns(evenhand.EvenhandWarning) as caught:
        rank(quickstart, items=2)
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")
def test_a_condition_that_is_met_is_said(quickstart: Path) -> None:
    assert rank(quickstart).condition is None
    assert "consistency" in (rank(quickstart, fail_if="consistency<=1").condition or "")


@pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")
def test_progress_is_told_and_a_call_may_come_from_any_thread(quickstart: Path) -> None:
    told: list[tuple[int, int, float, str]] = []

    def call() -> None:
        slow = "simulated:accuracy=0.8,delay-ms=20"
        rank(quickstart, judge=slow, items=4, on_progress=lambda *moment: told.append(moment))

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert told and all(0 <= share <= 1 and total == 80 for _, total, share, _ in told)


def test_nothing_is_printed(quickstart: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(evenhand.EvenhandWarning):
        rank(quickstart, items=2)
    assert capfd.readouterr() == ("", "")


SCRIPT = """
    import sys, evenhand
    print("begun", flush=True)
    try:
        evenhand.rank(sys.argv[1], judge="simulated:accuracy=0.8,delay-ms=5", protocol="pairwise",
                      run="run", quiet=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        print(sum(1 for _ in evenhand.rank(sys.argv[1], judge="simulated:accuracy=0.8,delay-ms=5",
                  protocol="pairwise", run="run", quiet=True)), flush=True)
"""


def test_an_interruption_stops_in_good_order_and_the_same_call_goes_on(quickstart: Path) -> None:
    line = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(SCRIPT), str(quickstart)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline() == "begun\n"
    wait_for_calls(Path("run"))
    process.send_signal(signal.SIGINT)
    assert process.communicate()[0].split() == ["interrupted", "5"]
    assert process.returncode == 0
    with sqlite3.connect("run/run.sqlite") as store:
        calls, keys = store.execute("SELECT count(*), count(DISTINCT key) FROM calls").fetchone()
        sessions = store.execute("SELECT count(*) FROM sessions").fetchone()[0]
    assert (calls, keys, sessions) == (600, 600, 2)


def test_the_command_is_in_the_wheel() -> None:
    script = Path(sys.executable).with_name("evenhand")
    ran = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith(f"evenhand {evenhand.__version__}")
    bad = subprocess.run([script, "rank", "--nonsense"], capture_output=True, text=True, check=False)
    assert bad.returncode == 2 and "--nonsense" in bad.stderr
    assert os.access(script, os.X_OK)


def test_what_a_listener_raises_ends_the_call(quickstart: Path) -> None:
    class Enough(Exception):
        pass

    def tell(ended: int, total: int, share: float, line: str) -> None:
        if ended > 10:
            raise Enough(line)

    slow = "simulated:accuracy=0.8,delay-ms=20"
    with pytest.raises(Enough, match="calls"):
        rank(quickstart, judge=slow, run="run", on_progress=tell)
    assert 10 < len(rank(quickstart, judge=slow, run="run").run) == 600


def test_messages_are_in_words_of_python(quickstart: Path) -> None:
    calls: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: evenhand.leaderboard([]), evenhand.InputError, "files=: .* found none"),
        (lambda: evenhand.check(iter(())), evenhand.InputError, "files=: .* found none"),
        (lambda: evenhand.rank(), evenhand.InputError, r"data="),
        (lambda: evenhand.compare(), evenhand.InputError, r"compare\(\): "),
        (lambda: evenhand.leaderboard("x", rounds=-1), evenhand.InputError, "rounds="),
        (lambda: evenhand.leaderboard("x", ci="jackknife"), evenhand.InputError, r"leaderboard\(\): ci='jackknife': expected one of bootstrap"),  # type: ignore[arg-type]
        (lambda: evenhand.leaderboard([], agregate="x"), TypeError, r"leaderboard\(\) .*did you mean aggregate="),  # type: ignore[call-arg]
        (lambda: evenhand.rank("x", jugde="x"), TypeError, r"rank\(\) .*'jugde'; did you mean judge=\?"),  # type: ignore[call-arg]
        (lambda: evenhand.meta.study("x.toml", run="r"), TypeError, r"meta\.study\(\) .*'run'; a study's other settings are in its file, as in run = \"runs/mine\"$"),  # type: ignore[call-arg]
    ]  # fmt: skip
    for call, kind, said in calls:
        with pytest.raises(kind, match=said) as error:
            call()
        for foreign in ("--", "help=", "<", "For more information"):
            assert foreign not in str(error.value), error.value


@pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")
def test_the_error_of_a_judge_leads_to_its_line(quickstart: Path) -> None:
    def broken(request: evenhand.Request) -> str:
        answers: dict[str, str] = {}
        return answers["x"]

    with pytest.raises(evenhand.JudgeError, match=r"KeyError: 'x' \(test_calls.py, line \d+\)") as error:
        rank(quickstart, judge=broken)
    assert isinstance(error.value.__cause__, KeyError)
    assert error.value.__cause__.__traceback__ is not None


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("leaderboard", {"aggregate": "bradley_terry"}, "aggregate='bradley_terry': expected one of .*did you mean 'bradley-terry'"),
    ("leaderboard", {"aggregate": "Elo"}, ".*did you mean 'elo'"),
    ("leaderboard", {"ci": "bootsrap"}, ".*did you mean 'bootstrap'"),
    ("leaderboard", {"rounds": "many"}, "rounds='many': expected a whole number from 0"),
    ("leaderboard", {"rounds": -1}, "rounds=: expected a whole number from 0, found -1"),
    ("leaderboard", {"level": "high"}, "level='high': expected a number"),
    ("leaderboard", {"differences": "no"}, "differences=: expected True or False"),
    ("rank", {"protocol": "pairwize"}, "protocol='pairwize': .*did you mean 'pairwise'"),
    ("rank", {"fail_if": "consistancy<0.6"}, "fail_if='consistancy<0.6': expected "),
    ("rank", {"retry": "unparsd"}, "retry='unparsd': expected one of .*did you mean 'unparsed'"),
    ("compare", {"inconclusive": "maybe"}, "inconclusive='maybe': expected one of pass, fail"),
    ("compare", {"baseline": None}, "baseline= is missing"),
    ("plan", {"power": "much"}, "power='much': expected a number"),
    ("judgments", {"sort": "price"}, "sort='price': expected one of plan"),
    ("judgments", {"run": None}, "run= is missing"),
    ("show", {"trial": "T-1017"}, "trial='T-1017': expected the number of a judgment"),
]  # fmt: skip


@pytest.mark.parametrize("name, given, said", WRONG)
def test_an_error_names_the_function_the_keyword_and_what_is_spelt_nearly_so(
    name: str, given: dict[str, Any], said: str, quickstart: Path
) -> None:
    file = Path("battles.csv")
    file.write_text("model_a,model_b,winner\nx,y,tie\n", encoding="utf-8")
    right: dict[str, dict[str, Any]] = {
        "leaderboard": {"files": file},
        "rank": {"data": quickstart, "judge": "simulated", "protocol": "pairwise"},
        "compare": {"baseline": file, "current": file},
        "plan": {"runs": "run"},
        "judgments": {"run": "run"},
        "show": {"run": "run"},
    }
    with pytest.raises(evenhand.InputError, match=rf"^{name}\(\): {said}") as error:
        getattr(evenhand, name)(**{**right[name], **given})
    for foreign in (" --", "Usage", "flag", "<", "possible values", "invalid", "digit"):
        assert foreign not in str(error.value) or name == "rank", error.value


@pytest.mark.parametrize(
    "said, ours",
    [
        ("with --ci none", 'with ci="none"'),
        ("With --design adaptive: what", 'With design="adaptive": what'),
        ("--aggregate elo --ci none", 'aggregate="elo" ci="none"'),
        ("--differences needs --rounds", "differences=True needs rounds="),
        ("--max-calls N", "max_calls=N"),
        ("anchors= FILE keeps", "anchors=FILE keeps"),
        ("--format json has every item", ".to_dict() has every item"),
        ("outcomes= '=drop' leaves", "outcomes='=drop' leaves"),
        ("'--rounds <ROUNDS>'", "'rounds='"),
        ("a -- b, x--y and A=first", "a -- b, x--y and A=first"),
        ("it is 3 --- or less", "it is 3 --- or less"),
        ("name a judge: --judge openai:MODEL, or", 'name a judge: judge="openai:MODEL", or'),
        ("--judge openai:MODEL@http://HOST/v1", "judge= openai:MODEL@http://HOST/v1"),
        ("the earlier first: pair= OLD,NEW; or", 'the earlier first: pair=("OLD", "NEW"); or'),
        ("`evenhand runs` lists your runs", "`eh.runs()` lists your runs"),
        ("`evenhand compare runs/a --pair OLD,NEW`", '`eh.compare("runs/a", pair=("OLD", "NEW"))`'),
        ("`evenhand compare runs/a pair= v1,v2`", '`eh.compare("runs/a", pair=("v1", "v2"))`'),
        ("`evenhand show runs/a N`", '`eh.show("runs/a", N)`'),
        ("`evenhand judgments RUN --format json`", "`eh.judgments(RUN).to_dict()`"),
        ("`evenhand batch import FILE... --run r`", '`eh.batch.import_(FILE, run="r")`'),
        ("`evenhand meta judge --data DATA LABELS --judge JUDGE`", "`eh.meta.judge([DATA, LABELS], judge=JUDGE)`"),
        ("`evenhand compare RUN --fail-if 'worse(b,a)'`", '`eh.compare(RUN, fail_if="worse(b,a)")`'),
        # What has no function, or is more than a call, stays a command.
        ("`evenhand models get x --force`", "`python -m evenhand models get x --force`"),
        ("`evenhand judgments RUN --format json > FILE`", "`python -m evenhand judgments RUN --format json > FILE`"),
        ("`evenhand show a run N`", "`python -m evenhand show a run N`"),
    ],
)
def test_settings_are_named_as_python_has_them(said: str, ours: str) -> None:
    table = _commands.read_table()["rank"]
    assert in_python(said, settings_of(table)) == ours


def test_what_to_look_at_next_is_in_words_of_python(quickstart: Path) -> None:
    evenhand.judge(quickstart, judge="simulated", protocol="pairwise", items=2, run="run")
    table = evenhand.show("run").table
    assert '  eh.judgments("run", where="flipped")' in table and "  evenhand " not in table
    with pytest.raises(evenhand.InputError, match=r'`eh.compare\("run", pair=\("OLD", "NEW"\)\)`$'):
        evenhand.compare("run", "run")
    with pytest.raises(evenhand.InputError, match=r"^compare\(\): sequential=True: .*give current= too$"):
        evenhand.compare("run", sequential=True)


def test_help_is_in_words_of_python() -> None:
    for name in _commands.RESULTS:
        text = getattr(_commands, name).__doc__
        for foreign in (" --", "the flags", "a flag", "Exit with"):
            assert foreign not in text.partition("Examples")[0], (name, foreign)


def test_a_signature_has_types_and_begins_with_what_is_used_most() -> None:
    for name in _commands.RESULTS:
        function = getattr(_commands, name)
        parameters = inspect.signature(function).parameters
        assert all(one.annotation is not one.empty for one in parameters.values())
        assert set(typing.get_type_hints(function)) == {*parameters, "return"}
    assert list(inspect.signature(evenhand.rank).parameters)[:4] == ["data", "judge", "protocol", "design"]
    assert list(inspect.signature(evenhand.leaderboard).parameters)[:4] == ["files", "systems", "where", "by"]


def test_names_of_the_callers_stay_as_they_are() -> None:
    rows = [{"model_a": "gpt --fast", "model_b": "x= y", "winner": "tie", "item": str(n)} for n in range(9)]
    board = evenhand.leaderboard(rows, ci=False)
    assert "gpt --fast" in board.table and "x= y" in board.table
    # A flag of the command in a name is part of the name; in a warning it is a keyword.
    table = "\n".join(
        [
            "base --seed 3 is ahead.",
            " rank  system         score",
            "    1  base --seed 3   1089",
            "",
            " judge    mine --seed 3",
            " warning  give --seed 3",
            "          or --rounds 50",
            "warning: give --seed 3",
        ]
    )
    spelt = table.replace("give --seed 3", "give seed= 3").replace("--rounds 50", "rounds= 50")
    assert table_in_python(table, settings_of(_commands.read_table()["rank"])) == spelt

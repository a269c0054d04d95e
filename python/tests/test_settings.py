"""The keywords are the flags, and the stubs are the keywords."""

from __future__ import annotations

import datetime
import enum
import inspect
import itertools
import math
import random
import re
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

import numpy
import pandas
import polars
import pytest
from conftest import ROOT, run_command, without_seconds

import evenhand
from evenhand import _call, _commands, _inputs, _values


def flags_of(command: str) -> set[str]:
    """Read the flags off the help that the command prints."""
    shown = run_command(*command.split(), "--help").stdout
    flags = re.findall(r"^ {2,6}(?:-\w, )?--([a-z][a-z-]*)", shown, re.MULTILINE)
    return set(flags) - {"help", "version"}


@pytest.mark.parametrize("name", sorted(_commands.RESULTS))
def test_every_flag_is_a_keyword_and_every_keyword_a_flag(name: str) -> None:
    command, _ = _commands.RESULTS[name]
    table = _commands.read_table()[command]
    places = {s["name"].replace("_", "-") for s in table["settings"] if s["positional"]}
    keywords = set(inspect.signature(getattr(_commands, name)).parameters)
    named = {keyword.replace("_", "-") for keyword in keywords} - {"on-progress"} - places
    assert named == flags_of(command) - _commands.LEFT_OUT - places


def test_the_stubs_are_those_of_the_table() -> None:
    script = ROOT / "scripts" / "write-python-stubs"
    written = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    stubs = Path(ROOT / "python" / "evenhand" / "_commands.pyi").read_text(encoding="utf-8")
    assert written.stdout == stubs, "scripts/write-python-stubs > python/evenhand/_commands.pyi"


@pytest.mark.parametrize("name", sorted(_commands.RESULTS))
def test_a_function_says_what_each_keyword_means(name: str) -> None:
    function = getattr(_commands, name)
    for keyword in inspect.signature(function).parameters:
        assert re.search(rf"^{keyword}: \S", function.__doc__, re.MULTILINE), keyword


def test_an_unknown_keyword_is_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'jugde'"):
        evenhand.rank("data", jugde="simulated")  # type: ignore[call-arg]


def test_keywords_of_other_tools_and_of_no_name_are_told_ours(quickstart: Path) -> None:
    with pytest.raises(TypeError, match=r"^rank\(\) .*'model'; did you mean judge=\?$"):
        evenhand.rank("data", model="gpt-4.1")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^meta.judge\(\): .*data may be given without a name, found 3$"):
        evenhand.meta.judge("data", "labels", "simulated")  # type: ignore[call-arg]
    with pytest.raises(evenhand.InputError, match=r"^meta.judge\(\): labels= is for recorded=; give the labels with the data: `eh.meta.judge\(\[DATA, LABELS\], judge=JUDGE\)`$"):
        evenhand.meta.judge(quickstart, labels="labels.jsonl", judge="simulated")


def test_what_is_missing_is_told_with_what_it_is() -> None:
    with pytest.raises(evenhand.InputError, match=r"^rank\(\): judge= is missing: name a judge: .*openai:MODEL"):
        evenhand.rank("data")


def test_every_command_is_a_function_a_module_or_told_to_be_a_command_only() -> None:
    shown = run_command("--help").stdout
    commands = set(re.findall(r"^  ([a-z-]+)  +[A-Z]", shown, re.MULTILINE)) - {"help"}
    assert {"completions", "merge", "prompts", "view"} <= commands
    for name in commands - set(evenhand.__all__):
        said = f"^{name} is a command only: run `python -m evenhand {name}`$"
        with pytest.raises(AttributeError, match=said):
            getattr(evenhand, name)
        with pytest.raises(ImportError, match=said):
            exec(f"from evenhand import {name}")


def test_a_name_that_is_spelt_nearly_so_is_told() -> None:
    said = "^module 'evenhand' has no attribute "
    for name, hint in (("ranx", "; did you mean 'rank'?"), ("views", "; did you mean 'view'?"), ("qqqq", ""), ("_ran", "")):
        with pytest.raises(AttributeError, match=f"{said}'{name}'{re.escape(hint)}$"):
            getattr(evenhand, name)
    with pytest.raises(AttributeError, match="did you mean 'kendall_tau'"):
        getattr(evenhand.stats, "kendal_tau")


def json_of(report: evenhand.Report) -> str:
    """Return the JSON without the time that it took."""
    return without_seconds(report.json())


def battles_with_fields() -> list[dict[str, Any]]:
    """Rows with fields of every kind that JSON has, among them none."""
    draw = random.Random(5)
    kinds: dict[str, list[Any]] = {
        "lang": ["en", "de", "fr", None], "tier": ["x", "y", ""], "turn": [1, 2, 2.5],
        "hard": [True, False, None], "a b": ["en,tier=x", "p~q"],
    }  # fmt: skip
    rows = []
    for _ in range(400):
        fields = {name: draw.choice(values) for name, values in kinds.items()}
        rows.append({"model_a": "p", "model_b": "q", "winner": draw.choice(["model_a", "model_b"]), **fields})
    return rows


def test_a_mapping_of_fields_must_hold_whole_and_of_a_list_one_value() -> None:
    rows = battles_with_fields()
    choices: dict[str, list[Any]] = {
        "lang": ["en", ["en", "de"], ("fr",), {"de", "fr"}, None, ["en", None]],
        "tier": ["x", ["x", "y"], numpy.array(["y"])],
        "turn": [1, 1.0, [1, 2], numpy.int64(2), 2.5],
        "hard": [True, False, [True, None], numpy.bool_(True)],
        "a b": ["en,tier=x"],
    }
    met = 0
    for count in (1, 2, 3):
        for names in itertools.combinations(choices, count):
            for values in itertools.product(*(choices[name] for name in names)):
                where = dict(zip(names, values, strict=True))
                # The slow way: each row by itself.
                kept = [row for row in rows if all(holds(row[name], where[name]) for name in names)]
                if not kept:
                    with pytest.raises(evenhand.InputError):
                        evenhand.leaderboard(rows, where=where, ci="none")
                    continue
                ranking = evenhand.leaderboard(rows, where=where, ci="none")
                assert ranking["coverage"]["trials"] == len(kept), where
                met += 1
    assert met > 200


def holds(found: Any, wanted: Any) -> bool:
    """Whether a field has the value, or one of the values; nothing and a blank are the same."""
    if isinstance(wanted, (list, tuple, set, numpy.ndarray)):
        return any(holds(found, one) for one in wanted)
    if isinstance(wanted, (bool, numpy.bool_)) or isinstance(found, bool):
        return found is bool(wanted) and wanted is not None
    return found == wanted or (wanted is None and found == "")


def test_a_mapping_finds_judgments(quickstart: Path) -> None:
    evenhand.rank(quickstart, judge="simulated:accuracy=0.6", protocol="pairwise", run="run", rounds=50)
    for mapping, texts in (
        ({"flipped": True}, ["flipped"]),
        ({"flipped": False, "system": "careful"}, ["flipped=0", "system=careful"]),
        ({"pair": "careful~smollm2-hot"}, "pair=careful~smollm2-hot"),
    ):
        found = evenhand.judgments("run", where=mapping)
        assert len(found) > 0
        assert found.json() == evenhand.judgments("run", where=texts).json()
    with pytest.raises(evenhand.InputError, match="twice"):
        evenhand.judgments("run", where={"system": ["careful", "smollm2-hot"]})


def test_a_number_of_a_condition_may_have_any_form() -> None:
    for number, text in (
        (Decimal(3), "n=3"),
        (Decimal("0.5"), "n=0.5"),
        (Decimal("1E+3"), "n=1000"),
        (Fraction(1, 4), "n=0.25"),
        (numpy.float64(0.5), "n=0.5"),
    ):
        assert _values.write_conditions({"n": number}, of_rows=False) == [text]


@pytest.mark.parametrize(
    "where", [{"lang": []}, {"lang": Decimal("NaN")}, {"day": numpy.datetime64("2026-01")}, {"lang": [[1]]}, {"lang": float("nan")}, {"a=b": 1}, {"": 1}, {3: 1}, {"x": {}}]
)
def test_a_mapping_that_is_no_condition_is_refused(where: Any) -> None:
    with pytest.raises(evenhand.InputError, match="where=: "):
        evenhand.leaderboard(battles_with_fields(), where=where)


def test_false_is_none_where_there_is_that_choice_and_a_text_is_no_switch() -> None:
    rows = battles_with_fields()
    without = evenhand.leaderboard(rows, ci=False)
    assert json_of(without) == json_of(evenhand.leaderboard(rows, ci="none"))
    assert all(row.interval is None for row in without)
    given: dict[str, Any] = {"rounds": 50, "differences": True}
    plain = evenhand.leaderboard(rows, adjust=False, **given)
    assert json_of(plain) == json_of(evenhand.leaderboard(rows, adjust="none", **given))
    for name, value in (("rounds", False), ("by", False), ("seed", False), ("fail_if", False), ("ci", True)):
        with pytest.raises(evenhand.InputError, match=f"{name}=: expected"):
            evenhand.leaderboard(rows, **{name: value})  # type: ignore[arg-type]
    wrong: list[Any] = ["no", "yes", "", 1, 0, [], "False"]
    for differences in wrong:
        with pytest.raises(evenhand.InputError, match="differences=: expected True or False"):
            evenhand.leaderboard(rows, rounds=50, differences=differences)
    switches: list[Any] = [True, numpy.bool_(True), False, None, numpy.bool_(False)]
    for differences in switches:
        board = evenhand.leaderboard(rows, rounds=50, differences=differences)
        assert ("differences" in board.to_dict()) == bool(differences)


def test_numbers_of_other_libraries_are_numbers() -> None:
    rows = battles_with_fields()
    expected = json_of(evenhand.leaderboard(rows, rounds=60, level=0.9, seed=3))
    for rounds, level, seed in (
        (numpy.int64(60), numpy.float64(0.9), numpy.uint8(3)),
        (60.0, 0.9, 3.0),
    ):
        given: dict[str, Any] = {"rounds": rounds, "level": level, "seed": seed}
        assert json_of(evenhand.leaderboard(rows, **given)) == expected
    with pytest.raises(evenhand.InputError):
        evenhand.leaderboard(rows, rounds=60.5)  # type: ignore[arg-type]


def test_a_name_with_a_comma_is_one_name() -> None:
    setting = {"kind": "text", "positional": False, "many": True, "choices": [], "separator": ","}
    command = {
        "name": "rank",
        "settings": [
            {**setting, "name": "systems", "quoted": True},
            {**setting, "name": "outcomes", "many": False, "separator": None},
            {**setting, "name": "map", "many": False, "separator": None},
        ],
    }
    given: dict[str, Any] = {
        "systems": ["plain", "GPT (v1), t=0", 'say "a"'],
        "outcomes": {"A, strongly": "first", True: "second", "B": "tie"},
        "map": {"output": "answer, final", "item": "id"},
    }
    assert _call.write_arguments(command, given, _inputs.Inputs()) == [
        "rank",
        '--systems=plain,"GPT (v1), t=0","say ""a"""',
        '--outcomes="A, strongly=first",true=second,B=tie',
        '--map=output="answer, final",item=id',
    ]
    # A text is as a command line has it.
    as_text = {"systems": 'plain,"GPT (v1), t=0"'}
    assert _call.write_arguments(command, as_text, _inputs.Inputs())[1] == f"--systems={as_text['systems']}"


class Way(str, enum.Enum):
    ELO = "elo"


def values_of_one_meaning() -> list[tuple[str, Any, list[Any]]]:
    """Settings with a value as a command line has it, and the same in other forms."""
    columns = numpy.array(["p", "q"])
    return [
        ("rounds", "60", [60, 60.0, 6e1, numpy.int8(60), numpy.float32(60), Decimal(60), Fraction(120, 2), numpy.array(60)]),
        ("level", "0.9", [0.9, numpy.float64(0.9), Decimal("0.9"), Fraction(9, 10)]),
        ("systems", "p,q", [["p", "q"], ("p", "q"), columns, pandas.Series(columns), polars.Series(["p", "q"]), iter("pq"), {"p": 1, "q": 1}.keys()]),
        ("fail_if", "rank.p>1,coverage<0.9", [["rank.p>1", "coverage<0.9"], ("rank.p>1", "coverage<0.9")]),
        ("anchor", "p=1000", [("p", 1000), ["p", "1000"], {"p": 1000}, ("p", numpy.int64(1000))]),
        ("scale", "0..1:0.1", [(0, 1, 0.1), ["0", 1, Decimal("0.1")], (numpy.int64(0), 1, numpy.float64(0.1))]),
        ("scale", "1..5", [(1, 5), [1, 5], "1..5"]),
        ("control", "la/lb,turn", [[("la", "lb"), "turn"], (["la", "lb"], "turn"), ["la/lb", "turn"]]),
        ("date", "2026-01-02", [datetime.date(2026, 1, 2), datetime.datetime(2026, 1, 2, 9), pandas.Timestamp("2026-01-02"), numpy.datetime64("2026-01-02"), numpy.datetime64("2026-01-02T03:04", "ns")]),
        ("aggregate", "elo", ["elo", numpy.str_("elo"), Way.ELO]),
        ("config", "a/b.toml", [Path("a/b.toml"), PurePosixPath("a/b.toml")]),
        ("strength", "2,1,0", [[2, 1, 0], (2, 1, 0), numpy.array([2, 1, 0])]),
    ]  # fmt: skip


@pytest.mark.parametrize("name, text, forms", values_of_one_meaning())
def test_a_value_may_have_any_form_of_its_meaning(name: str, text: str, forms: list[Any]) -> None:
    command = _commands.read_table()["leaderboard"]
    for form in forms:
        written = _call.write_arguments(command, {name: form}, _inputs.Inputs())
        assert f"--{name.replace('_', '-')}={text}" in written, form


@pytest.mark.parametrize(
    "name, text, form",
    [
        ("design", "sample:4", ("sample", 4)),
        ("design", "reference:a:b", ("reference", "a:b")),
        ("design", "swim", "swim"),
        ("panel", "escalate:0.8", ("escalate", 0.8)),
        ("panel", "majority", "majority"),
        ("until", "top:3", ("top", 3)),
        ("until", "share:0.9", ["share", Decimal("0.9")]),
        ("gpu-layers", "7", 7),
        ("gpu-layers", "none", "none"),
    ],
)
def test_a_word_with_a_number_is_a_pair(name: str, text: str, form: Any) -> None:
    command = _commands.read_table()["rank"]
    for value in (form, text):
        written = _call.write_arguments(command, {_values.keyword(name): value}, _inputs.Inputs())
        assert f"--{name}={text}" in written, value


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("rounds", 60.5, "a whole number from 0, found 60.5"),
        ("rounds", -1, "a whole number from 0, found -1"),
        ("rounds", True, "a whole number from 0, found True"),
        ("rounds", math.nan, "a whole number from 0, found nan"),
        ("rounds", math.inf, "a whole number from 0, found inf"),
        ("rounds", Decimal("Infinity"), "a whole number from 0, found Infinity"),
        ("rounds", Decimal("NaN"), "a whole number from 0, found NaN"),
        ("date", numpy.datetime64("2026-01"), "found datetime64"),
        ("rounds", [1, 2], "one value, found 2"),
        ("level", math.nan, "a number, found nan"),
        ("level", object(), "a number, found object"),
        ("level", 1j, "a number, found 1j"),
        ("systems", ["p", None], "a text, a number or a path, found None"),
        ("systems", [["p"], pandas.NA], "found NAType"),
        ("config", 3, "a path, found 3"),
        ("config", pandas.DataFrame({"a": [1]}), "a path, found DataFrame"),
        ("by", b"p", "found bytes"),
    ],
)
def test_a_value_that_a_setting_cannot_have_is_refused(name: str, value: Any, expected: str) -> None:
    command = _commands.read_table()["leaderboard"]
    with pytest.raises(evenhand.InputError, match=f"^{name}=: .*{re.escape(expected)}"):
        _call.write_arguments(command, {name: value}, _inputs.Inputs())


def test_quiet_warns_of_nothing(quickstart: Path, recwarn: pytest.WarningsRecorder) -> None:
    given: dict[str, Any] = {"judge": "simulated", "protocol": "pairwise", "items": 2, "rounds": 50}
    quiet = evenhand.rank(quickstart, quiet=True, **given)
    assert quiet.warnings and not recwarn.list
    evenhand.rank(quickstart, **given)
    assert len(recwarn.list) == len(quiet.warnings)

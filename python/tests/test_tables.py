"""Tables in and out, of every library that speaks Arrow."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.csv
import pytest
from conftest import without_seconds
from test_same_as_command import write_battles

import evenhand

pytestmark = pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")


@pytest.fixture
def battles(tmp_path: Path) -> Path:
    """A file of battles."""
    file = tmp_path / "battles.csv"
    file.write_text(write_battles(500), encoding="utf-8")
    return file


def tables_of(file: Path) -> dict[str, Any]:
    """Read a CSV file as a table of each library."""
    frame = pandas.read_csv(file)
    return {
        "pandas": frame,
        "categories": frame.astype("category"),
        "objects": frame.astype(object),
        "polars": polars.read_csv(file),
        "lazy batches": polars.concat([polars.read_csv(file)[:100], polars.read_csv(file)[100:]]),
        "pyarrow": pyarrow.csv.read_csv(file),
        "reader": pyarrow.csv.read_csv(file).to_reader(max_chunksize=7),
        "duckdb": duckdb.read_csv(str(file)),
        "records": frame.to_dict("records"),
    }


def rank_bytes(battles: Any) -> str:
    """Rank battles, and return the JSON but for the time that it took."""
    return without_seconds(evenhand.leaderboard(battles, rounds=50).json())


def test_battles_rank_alike_from_every_library(battles: Path) -> None:
    expected = rank_bytes(battles)
    for name, table in tables_of(battles).items():
        assert rank_bytes(table) == expected, name


def test_several_tables_are_one_set_of_battles(battles: Path) -> None:
    frame = pandas.read_csv(battles)
    halves = [frame[:200], frame[200:]]
    whole = evenhand.leaderboard(frame, rounds=50)
    assert evenhand.leaderboard(halves, rounds=50).scores == whole.scores


def test_weights_clusters_and_numbers_are_read_as_from_files(tmp_path: Path) -> None:
    rows = [
        {"model_a": "a", "model_b": "b", "winner": "model_a", "weight": 2.5, "question_id": 1},
        {"model_a": "b", "model_b": "c", "winner": "tie", "weight": 1.0, "question_id": 2},
        {"model_a": "c", "model_b": "a", "winner": "model_b", "weight": 0.5, "question_id": 2},
        {"model_a": "b", "model_b": "a", "winner": "model_a", "weight": 1.0, "question_id": 3},
        {"model_a": "c", "model_b": "b", "winner": "model_a", "weight": 1.0, "question_id": 3},
    ]
    file = tmp_path / "battles.parquet"
    polars.DataFrame(rows).write_parquet(file)
    expected = rank_bytes(file)
    for table in (polars.DataFrame(rows), pandas.DataFrame(rows), rows):
        assert rank_bytes(table) == expected


def test_a_bad_cell_is_named_with_its_row() -> None:
    table = polars.DataFrame({"model_a": ["a", "b"], "model_b": ["b", "a"], "winner": ["tie", "x"]})
    with pytest.raises(evenhand.InputError, match=r"files.*row 2.*winner.*x"):
        evenhand.leaderboard(table)
    nulls = polars.DataFrame({"model_a": ["a", None], "model_b": ["b", "a"], "winner": ["tie"] * 2})
    with pytest.raises(evenhand.InputError, match=r"row 2.*model_a.*null"):
        evenhand.leaderboard(nulls)


@pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")
def test_numbers_are_names_of_systems() -> None:
    names = {"model_a": [1, 2], "model_b": [2, 1], "winner": ["tie"] * 2}
    for table in (polars.DataFrame(names), pandas.DataFrame(names)):
        assert set(evenhand.leaderboard(table).systems) == {"1", "2"}


def test_items_and_responses_are_read_from_tables(quickstart: Path) -> None:
    expected = evenhand.rank(quickstart, judge="simulated", protocol="pairwise", run="one")
    items = pandas.read_json(quickstart / "items.jsonl", lines=True)
    lines = (quickstart / "responses.jsonl").read_text(encoding="utf-8").splitlines()
    responses = polars.DataFrame([json.loads(line) for line in lines])
    data: Any = {"items": items, "responses": responses}
    ranked = evenhand.rank(data, judge="simulated", protocol="pairwise", run="two")
    assert ranked.scores == expected.scores


def test_a_ranking_is_a_table_for_every_library(battles: Path) -> None:
    board = evenhand.leaderboard(battles, rounds=50)
    frame = board.to_pandas()
    assert list(frame.columns) == board.csv().splitlines()[0].split(",")[:-1]
    assert board.to_polars().rows() == list(frame.itertuples(index=False, name=None))
    assert pyarrow.table(board).column("system").to_pylist() == board.systems
    assert dict(zip(frame["system"], frame["score"], strict=True)) == board.scores
    bare = evenhand.leaderboard(battles, ci="none")
    assert bare.to_polars()["ci_low"].to_list() == [None] * 4


def test_what_is_no_input_is_refused() -> None:
    with pytest.raises(evenhand.InputError, match="files=: expected a path, a table or records"):
        evenhand.leaderboard(3)  # type: ignore[arg-type]
    with pytest.raises(evenhand.InputError, match=r"files\[0\], field 'model_a': it cannot be written as JSON: found object"):
        evenhand.leaderboard([{"model_a": object()}])


def test_a_winner_that_is_not_there_is_left_out_on_demand() -> None:
    rows: dict[str, list[str | None]] = {"model_a": ["x"] * 3, "model_b": ["y"] * 3, "winner": ["model_a", "tie", None]}
    for table in (pandas.DataFrame(rows), polars.DataFrame(rows), pyarrow.table(rows)):
        with pytest.raises(evenhand.InputError, match="row 3: field winner is empty.*outcomes='=drop'"):
            evenhand.leaderboard(table, ci=False)
        assert evenhand.leaderboard(table, ci=False, outcomes={"": "drop"})["x"].n == 2


def test_a_column_of_texts_and_numbers_is_read() -> None:
    # pyarrow, by which pandas hands its tables on, takes neither.
    for winners in (["tie", 1, 2], [1, 2, "tie"]):
        frame = pandas.DataFrame({"model_a": "x", "model_b": "y", "winner": winners, "note": [1j, None, "t"]})
        board = evenhand.leaderboard(frame, ci=False, outcomes={"1": "first", "2": "second", "tie": "tie"})
        assert board.scores == {"x": 1000.0, "y": 1000.0}


def test_records_of_any_shape_are_read_from_tables(tmp_path: Path) -> None:
    items: list[Any] = [
        {"id": "a", "instruction": "Say é.", "category": None, "tags": ["x", "y"], "n": 3, "w": 0.5},
        {"id": "b", "instruction": "Say b.", "category": "odd", "tags": [], "n": None, "w": 2.0},
    ]
    texts = [
        {"item": item["id"], "system": system, "output": f"{item['id']} {system}"}
        for item in items
        for system in "xyz"
    ]
    expected = evenhand.rank({"items": items, "texts": texts}, judge="simulated", protocol="pairwise", run="one")
    libraries: list[Any] = [polars.DataFrame, pandas.DataFrame, pyarrow.Table.from_pylist]
    for number, library in enumerate(libraries):
        tables = [library(items), library(texts)]
        found = evenhand.rank(tables, judge="simulated", protocol="pairwise", run=f"run{number}")
        assert found.scores == expected.scores
    dated = polars.DataFrame(items).with_columns(polars.lit("2026-01-01").str.to_date().alias("day"))
    dated_data: list[Any] = [dated, texts]
    found = evenhand.rank(dated_data, judge="simulated", protocol="pairwise", run="dated", where={"day": "2026-01-01"})
    assert found.scores == expected.scores


def test_a_column_without_a_value_is_read() -> None:
    rows = [
        {"id": n, "instruction": f"say {n}", "output_1": "x", "output_2": "yy", "note": None}
        for n in range(8)
    ]
    fields = {"item": "id", "instruction": "instruction", "output_1": "output_1", "output_2": "output_2"}
    libraries: list[Any] = [pandas.DataFrame, polars.DataFrame, pyarrow.Table.from_pylist]
    for frame in (library(rows) for library in libraries):
        ranked = evenhand.rank(frame, judge="simulated", map=fields)
        assert ranked["coverage"]["trials"] == 16, type(frame)


def test_labels_correct_the_judgments_of_a_result() -> None:
    rows = [
        {"id": f"q{n}", "instruction": f"say {n}", "output_1": "x", "output_2": "yy"} for n in range(40)
    ]
    fields = {"item": "id", "instruction": "instruction", "output_1": "output_1", "output_2": "output_2"}
    ranked = evenhand.rank(rows, judge="simulated:accuracy=0.8", map=fields)
    labels = [
        {"item": f"q{n}", "a": "output_1", "b": "output_2", "preferred": "b" if n % 3 else "a"}
        for n in range(20)
    ]
    judged = evenhand.judgments(ranked)
    sources: list[Any] = [ranked, judged, judged.to_dict(), judged.to_pandas(), judged.to_polars()]
    for source in sources:
        corrected = evenhand.leaderboard(source, labels=labels)
        assert corrected["labels"]["matched"] == 20, type(source)


def test_pandas_needs_no_pyarrow(battles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow, which pandas does not require, a table is the same."""
    frame = pandas.read_csv(battles)
    with_arrow = without_seconds(evenhand.leaderboard(frame, ci="sandwich").json())

    def fail(*_: object) -> None:
        raise ImportError("Import pyarrow failed.")

    monkeypatch.setattr(pandas.DataFrame, "__arrow_c_stream__", fail)
    assert without_seconds(evenhand.leaderboard(frame, ci="sandwich").json()) == with_arrow


def test_numbers_and_dates_of_other_libraries_stand_in_records() -> None:
    draw = [numpy.int64(3), numpy.float32(0.5), numpy.bool_(True), numpy.str_("x")]
    days = [datetime.date(2026, 1, 2), datetime.datetime(2026, 1, 2, 3, 4), datetime.time(5), pandas.Timestamp(0)]
    values: list[Any] = [*draw, *days]
    for value in values:
        rows = [{"model_a": "x", "model_b": "y", "winner": "tie", "field": value}] * 3
        assert evenhand.leaderboard(rows, ci="none")["coverage"]["verdicts"] == 3
    rows = [{"model_a": "x", "model_b": "y", "winner": "tie", "day": datetime.date(2026, 1, 2)}] * 3
    assert evenhand.leaderboard(rows, ci="none", where={"day": "2026-01-02"})["coverage"]["trials"] == 3
    rows[1] = {"model_a": "x", "b": 2j}
    with pytest.raises(evenhand.InputError, match=r"files\[1\], field 'b': .*complex"):
        evenhand.leaderboard(rows)


def test_columns_by_their_names_are_a_table(battles: Path) -> None:
    frame = pandas.read_csv(battles)
    expected = without_seconds(evenhand.leaderboard(frame, ci=False).json())
    columns: list[Any] = [
        frame.to_dict("list"),
        {name: tuple(frame[name]) for name in frame},
        {name: frame[name] for name in frame},
        {name: frame[name].to_numpy() for name in frame},
        polars.from_pandas(frame).to_dict(as_series=True),
        {name: frame[name].array for name in frame},
    ]
    for form in columns:
        assert without_seconds(evenhand.leaderboard(form, ci=False).json()) == expected
    with pytest.raises(evenhand.InputError, match="columns of one length, found model_a 2, model_b 1"):
        evenhand.leaderboard({"model_a": ["x", "y"], "model_b": ["x"]})
    # Names with paths are inputs by names of their own.
    by_name: Any = {"here": [str(battles)], "there": frame}
    assert evenhand.leaderboard(by_name, ci=False)["coverage"]["trials"] == 2 * len(frame)
    assert evenhand.leaderboard({"here": [str(battles)]}, ci=False).scores == evenhand.leaderboard(frame, ci=False).scores


def test_what_has_no_rows_of_names_says_what_to_give(battles: Path) -> None:
    frame = pandas.read_csv(battles)
    wrong: list[tuple[Any, str]] = [
        (polars.LazyFrame({"a": [1]}), r"LazyFrame, .* give .collect\(\)"),
        (frame["winner"], "Series, .*DataFrame"),
        (polars.Series(["a"]), "Series, .*DataFrame"),
        (frame.to_numpy(), "ndarray, .*DataFrame"),
        (frame.to_records(index=False), r"pandas.DataFrame\(array\)"),
        (frame.groupby("winner"), "the table that was grouped"),
        ([("x", "y", "tie")] * 3, r": expected a record .*found tuple"),
        ([["x", "y", "tie"]] * 3, r": expected a record .*found list"),
        (3, "found 3"),
        (object(), "found object"),
    ]
    for value, said in wrong:
        with pytest.raises(evenhand.InputError, match=rf"^(leaderboard\(\): )?files.*{said}"):
            evenhand.leaderboard(value)


def test_values_of_other_kinds_stand_in_records() -> None:
    values: list[Any] = [Decimal("0.5"), Fraction(1, 3), uuid4(), Path("x"), {"a", 1}, numpy.zeros(3), pandas.NA, pandas.NaT]
    for value in values:
        rows = [{"model_a": "x", "model_b": "y", "winner": "tie", "field": value}] * 3
        assert evenhand.leaderboard(rows, ci=False)["coverage"]["verdicts"] == 3


def test_benchers_are_tables_and_results(battles: Path, tmp_path: Path) -> None:
    board = evenhand.leaderboard(battles, rounds=50)
    ratings = [{"system": name, "rating": score} for name, score in board.scores.items()]
    scores = pandas.DataFrame({"system": list(board.scores), "score": list(board.scores.values())})
    file = tmp_path / "scores.csv"
    scores.to_csv(file, index=False)

    def figures(ranking: Any) -> list[tuple[str, float]]:
        found = evenhand.meta.bencher(ranking=ranking, ratings=ratings, rounds=50)
        # Of one ranking the result is its row.
        rows = found["benchers"] if "benchers" in found else [found]
        return [(row["bencher"], row["spearman"]) for row in rows]

    for one in (scores, board, scores.to_dict("records"), scores.to_dict("list"), polars.from_pandas(scores)):
        assert figures(one) == [("ranking", 1.0)], type(one)
        assert figures({"m": one}) == [("m", 1.0)], type(one)
    assert figures(str(file)) == figures(file) == [("scores", 1.0)]
    assert figures(f"m={file}") == figures({"m": [file]}) == [("m", 1.0)]
    assert figures({"a": board, "b": scores, "c": file}) == [("a", 1.0), ("b", 1.0), ("c", 1.0)]
    report = evenhand.meta.people(labels=PEOPLE)
    with pytest.raises(evenhand.InputError, match="ranking=: expected a ranking, a table of scores or"):
        figures(report)


#: Two people who label two pairs.
PEOPLE = [
    {"item": item, "a": "x", "b": "y", "preferred": preferred, "annotator": name}
    for item, preferred in (("q1", "a"), ("q2", "b"))
    for name in ("ann", "bob")
]

"""What a ranking knows beyond its rows."""

from __future__ import annotations

import copy
import ctypes
import io
import math
import pickle
import random
import re
import textwrap
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest
from test_same_as_command import write_battles

import evenhand
from evenhand._progress import NotebookProgress
from evenhand.results import Table

pytestmark = pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")


def test_differences_are_made_when_they_are_asked_for(quickstart: Path, tmp_path: Path) -> None:
    file = tmp_path / "battles.csv"
    file.write_text(write_battles(300), encoding="utf-8")
    board = evenhand.leaderboard(file, rounds=50)
    asked = evenhand.leaderboard(file, rounds=50, differences=True)
    assert board.differences() == asked.differences() and len(board.differences()) == 6
    first = board.differences()[0]
    assert first.interval and first.difference is not None
    assert first.interval[0] <= first.difference <= first.interval[1]
    ranked = evenhand.rank(quickstart, judge="simulated", protocol="pairwise", rounds=50, run="run")
    assert len(ranked.differences()) == 10


def test_the_answer_is_a_sentence(quickstart: Path) -> None:
    ranked = evenhand.rank(quickstart, judge="simulated:accuracy=1", protocol="pairwise")
    answer = ranked.answer
    assert answer is not None and answer == ranked["answer"]["text"]
    assert ranked.systems[0] in answer and " ".join(ranked.table.split()).startswith(answer)


def test_a_matrix_has_the_share_of_each_pair(quickstart: Path) -> None:
    ranked = evenhand.rank(quickstart, judge="simulated:accuracy=1", protocol="pairwise")
    matrix = ranked.matrix()
    assert set(matrix) == set(ranked.systems)
    best, worst = ranked.systems[0], ranked.systems[-1]
    assert matrix[best][worst] == 1.0 and matrix[worst][best] == 0.0
    assert all(matrix[a][b] + matrix[b][a] == 1.0 for a in matrix for b in matrix[a])
    with pytest.raises(ValueError, match="no run"):
        evenhand.leaderboard([{"model_a": "a", "model_b": "b", "winner": "tie"}] * 2).matrix()


def test_a_ranking_is_drawn(quickstart: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("svg")
    ranked = evenhand.rank(quickstart, judge="simulated", protocol="pairwise", rounds=50)
    axes = ranked.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == ranked.systems[::-1]


def test_a_comparison_is_drawn(tmp_path: Path, quickstart: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("svg")
    ranked = evenhand.rank(quickstart, judge="simulated", protocol="pairwise", run=tmp_path / "run", rounds=50)
    best, worst = ranked.systems[0], ranked.systems[-1]
    comparison = evenhand.compare(ranked, pair=(worst, best))
    axes = comparison.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == [f"{best} against {worst}"]
    drawn = [list(line.get_xdata()) for line in axes.lines]
    assert [0, 0] in drawn and [comparison[0].difference] in drawn
    assert list(comparison[0].interval or ()) in drawn


def test_what_has_no_end_is_drawn_to_the_edge() -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("svg")
    winners = 9 * ["model_a", "model_b", "tie"]
    battles = [{"model_a": "a", "model_b": "b", "winner": w, "item": str(n)} for n, w in enumerate(winners)]
    battles += [{"model_a": "rare", "model_b": "a", "winner": "model_b", "item": "0"}]
    battles += [{"model_a": "rare", "model_b": "b", "winner": "model_a", "item": "1"}]
    battles += [{"model_a": "a", "model_b": "loser", "winner": "model_a", "item": "2"}]
    ranked = evenhand.leaderboard(battles, rounds=50)
    assert ranked["loser"].score == -math.inf and ranked["rare"].interval == (-math.inf, math.inf)
    axes = ranked.plot()
    low, high = axes.get_xlim()
    rows = {label.get_text(): place for place, label in enumerate(axes.get_yticklabels())}
    lines = [line for line in axes.lines if len(line.get_ydata())]
    drawn = [(line.get_ydata()[0], line.get_marker(), list(line.get_xdata())) for line in lines]
    assert (rows["loser"], "<", [low]) in drawn
    assert (rows["rare"], "None", [low, high]) in drawn


def test_an_open_end_is_infinite_also_in_a_table() -> None:
    battles = [{"model_a": "a", "model_b": "b", "winner": "model_a", "item": str(n)} for n in range(9)]
    battles += [{"model_a": "b", "model_b": "c", "winner": w, "item": "x"} for w in ("tie", "model_a")]
    rows = evenhand.leaderboard(battles, rounds=50).rows
    ends = [end for row in rows if row.interval for end in row.interval]
    assert all(isinstance(end, float) for end in ends)
    assert {row.to_dict()["ci_high"] for row in rows if row.system == "a"} <= {None, math.inf}


def some_battles(seed: int) -> list[dict[str, Any]]:
    """Return battles of four systems, the first ones better."""
    draw = random.Random(seed)
    rows = []
    for item in range(120):
        a, b = draw.sample("wxyz", 2)
        first = draw.random() < (0.75 if a < b else 0.3)
        rows.append({"model_a": a, "model_b": b, "winner": 1.0 if first else -1.0, "item": f"q{item}"})
    return rows


def turned(rows: list[dict[str, Any]]) -> None:
    """Turn every winner round, in place."""
    for row in rows:
        row["winner"] = -row["winner"]


def reader_of(rows: list[dict[str, Any]]) -> pyarrow.RecordBatchReader:
    return pyarrow.Table.from_pylist(rows).to_reader()


def in_numpy(rows: list[dict[str, Any]]) -> pyarrow.Table:
    """Return a table whose winners lie in an array that may be written to."""
    table = pyarrow.Table.from_pylist(rows)
    winners = pyarrow.array(numpy.array([row["winner"] for row in rows]))
    return table.set_column(table.column_names.index("winner"), "winner", winners)


def turn_array(table: pyarrow.Table) -> None:
    """Turn every winner round in the memory of the array, also where that says read-only."""
    winners = table["winner"].chunk(0).to_numpy(zero_copy_only=True)
    address = winners.__array_interface__["data"][0]
    memory = (ctypes.c_double * len(winners)).from_address(address)
    for at, value in enumerate(memory):
        memory[at] = -value


def turn_frame(frame: pandas.DataFrame) -> None:
    """Turn the systems of every other row round, in place."""
    frame.loc[::2, "model_a"], frame.loc[::2, "model_b"] = (
        frame["model_b"][::2].to_numpy(),
        frame["model_a"][::2].to_numpy(),
    )


#: Forms of the same battles, and what a caller may do to them afterwards.
FORMS: list[tuple[Callable[[list[dict[str, Any]]], Any], Callable[[Any], object]]] = [
    (list, turned),
    (list, list.clear),
    (list, lambda rows: rows.append({"nothing": 1})),
    (iter, list),
    (lambda rows: (row for row in rows), list),
    (lambda rows: [rows[:50], rows[50:]], lambda lists: turned(lists[0])),
    (pandas.DataFrame, lambda frame: frame.drop(frame.index[20:], inplace=True)),
    (pandas.DataFrame, lambda frame: frame.__setitem__("winner", -frame["winner"])),
    (pandas.DataFrame, lambda frame: frame.insert(0, "new", 1)),
    (pandas.DataFrame, lambda frame: frame.__setitem__("model_a", frame["model_b"])),
    (lambda rows: pandas.DataFrame(rows).astype(dict.fromkeys(["model_a", "model_b"], "category")), turn_frame),
    (pandas.DataFrame, turn_frame),
    (polars.DataFrame, lambda frame: frame.drop_in_place("winner")),
    (in_numpy, turn_array),
    (pyarrow.Table.from_pylist, lambda table: None),
    (reader_of, lambda reader: None),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(FORMS)))
@pytest.mark.parametrize("seed", [1, 2])
def test_differences_are_of_what_was_ranked_whatever_became_of_it(number: int, seed: int) -> None:
    make, change = FORMS[number]
    rows = some_battles(seed)
    expected = evenhand.leaderboard(copy.deepcopy(rows), rounds=50, differences=True).differences()
    given = make(copy.deepcopy(rows))
    board = evenhand.leaderboard(given, rounds=50)
    scores = dict(board.scores)
    change(given)
    assert board.differences() == expected and board.scores == scores
    for one in board.differences():
        ahead = (board[one.a].score or 0) - (board[one.b].score or 0)
        assert one.difference is not None and abs(one.difference - ahead) < 1e-6
    # Nothing of the caller's is kept.
    assert isinstance(board.settings["files"], str)


def test_a_file_that_changed_has_no_differences_of_the_ranking_before(tmp_path: Path) -> None:
    file = tmp_path / "battles.csv"
    file.write_text(write_battles(100), encoding="utf-8")
    board = evenhand.leaderboard(file, rounds=50)
    file.write_text(write_battles(101), encoding="utf-8")
    with pytest.raises(evenhand.EvenhandError, match="the data have changed since this ranking was made"):
        board.differences()
    file.write_text(write_battles(100), encoding="utf-8")
    assert len(board.differences()) == 6


def test_differences_of_a_run_ask_nobody(quickstart: Path) -> None:
    asked: list[str] = []

    class Half:
        """Fails every second time, and cannot be told from another one."""

        def __call__(self, request: evenhand.Request) -> str:
            asked.append(request.prompt)
            if len(asked) % 2:
                raise ValueError("not now")
            return "A" if len(request.prompt) % 3 else "B"

    given: dict[str, Any] = {"protocol": "pairwise", "rounds": 50, "keep_going": True}
    ranked = evenhand.rank(quickstart, judge=Half(), **given)
    before, runs = len(asked), sorted(Path("runs").iterdir())
    differences = ranked.differences()
    assert len(asked) == before and sorted(Path("runs").iterdir()) == runs
    asked.clear()
    whole = evenhand.rank(quickstart, judge=Half(), differences=True, run="other", **given)
    assert whole.scores == ranked.scores and differences == whole.differences()
    for second in (Half(), evenhand.Judge(Half(), name="half"), "same", "simulated"):
        vague = evenhand.Judge(
            lambda request: "B" if "hmm" in request.prompt else f"hmm {len(request.prompt)}", name="vague"
        )
        told: dict[str, Any] = {**given, "items": 12, "second_stage": second}
        ranked = evenhand.rank(quickstart, judge=vague, **told)
        asked.clear()
        try:
            assert len(ranked.differences()) == 10
        except evenhand.EvenhandError as error:
            # Replies are lacking, and nobody is asked for them now.
            assert ranked.failures and "call again with differences=True" in str(error)
        assert not asked
    panel: Any = [evenhand.Judge(lambda request: "A", name="a"), lambda request: "B", "simulated"]
    assert len(evenhand.rank(quickstart, judge=panel, **given).differences()) == 10


def scores_of(board: evenhand.Ranking) -> dict[str, float | None]:
    return board.scores


def make_board(seed: int) -> evenhand.Ranking:
    return evenhand.leaderboard(some_battles(seed), rounds=50)


def test_results_go_through_pickle_whole(quickstart: Path) -> None:
    frame = pandas.DataFrame(some_battles(1))
    results: list[evenhand.Report] = [
        evenhand.leaderboard(frame, rounds=50, differences=True),
        evenhand.rank(quickstart, judge=lambda request: "A", protocol="pairwise", rounds=50),
        evenhand.estimate(quickstart, judge="simulated", protocol="pairwise"),
        evenhand.judge(quickstart, judge="simulated", protocol="pairwise", items=2),
        evenhand.check(quickstart),
    ]
    for result in results:
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            back: Any = pickle.loads(pickle.dumps(result, protocol))
            assert type(back) is type(result)
            for part in ("json", "to_dict"):
                assert getattr(back, part)() == getattr(result, part)()
            for part in ("table", "warnings", "notes", "condition", "run_directory"):
                assert getattr(back, part) == getattr(result, part)
            assert back.settings.keys() == result.settings.keys()
            if isinstance(result, evenhand.Ranking) and isinstance(back, evenhand.Ranking):
                assert back.rows == result.rows and back.csv() == result.csv()
    again = pickle.loads(pickle.dumps(results[0]))
    assert again.differences() == results[0].differences()  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(results[1])).judgment(3) == results[1].judgment(3)  # type: ignore[attr-defined]
    plain = pickle.loads(pickle.dumps(make_board(1)))
    with pytest.raises(evenhand.EvenhandError, match="call again with differences=True"):
        plain.differences()
    for copied in (copy.copy(make_board(2)), copy.deepcopy(make_board(2))):
        assert copied.scores == make_board(2).scores
        assert copied.differences() == make_board(2).differences()


def test_results_and_errors_come_out_of_other_processes() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        boards = list(pool.map(make_board, [1, 2, 3]))
        assert [dict(scores) for scores in pool.map(scores_of, boards)] == [board.scores for board in boards]
    for error in (evenhand.InputError("x"), evenhand.stats.StatisticsError("y"), evenhand.Stopped("z")):
        back = pickle.loads(pickle.dumps(error))
        assert type(back) is type(error) and str(back) == str(error)


def test_a_ranking_is_asked_by_the_names_of_its_systems() -> None:
    board = make_board(1)
    assert "w" in board and "nobody" not in board and board.rows[0] in board
    assert board.get("w") == board["w"] and board.get("nobody") is None and board.get("n", 1) == 1
    assert dict(board) == {row.system: row for row in board} and list(board.keys()) == board.systems
    assert board[0] == board.rows[0] and board[-1] == board.rows[-1] and len(board) == 4
    with pytest.raises(KeyError):
        board["nobody"]
    with pytest.raises(IndexError):
        board[4]


def test_what_is_misspelt_is_told_the_nearest() -> None:
    battles = [{"model_a": "large", "model_b": "new", "winner": "model_a"}] * 3
    board = evenhand.leaderboard(battles)
    with pytest.raises(KeyError, match="larg; did you mean 'large'"):
        board["larg"]
    with pytest.raises(KeyError, match="rankng; did you mean 'ranking'"):
        board["rankng"]
    with pytest.raises(AttributeError, match="'poeple'; did you mean 'people'"):
        evenhand.meta.poeple  # type: ignore[attr-defined]
    with pytest.raises(evenhand.InputError, match="did you mean .large"):
        evenhand.leaderboard(battles, systems=["lareg", "new"])


def test_a_column_without_a_value_is_said_to_be_one() -> None:
    frame = pandas.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": [None, None], "weight": [None, None]})
    with pytest.raises(evenhand.InputError) as told:
        evenhand.leaderboard(frame.astype(object), weight="weight")
    assert "Parquet" not in str(told.value)


def test_plans_have_rows_and_figures_are_frames(quickstart: Path) -> None:
    pilot = evenhand.rank(quickstart, judge="simulated:accuracy=0.8", protocol="pairwise", rounds=50)
    plan = evenhand.plan(pilot)
    assert plan.rows == list(plan) and plan.rows[0]["calls"] == plan["designs"][0]["calls"]
    people = evenhand.meta.people(labels=[
        {"item": f"q{item}", "a": "x", "b": "y", "preferred": "a", "annotator": name}
        for item in range(4) for name in ("ann", "bob")
    ])
    frame = people.to_pandas()
    assert list(frame.columns) == people.csv().splitlines()[0].split(",")
    assert len(frame) == 1 and frame["units"][0] == 4
    assert people.to_polars().shape == frame.shape


def test_a_notebook_shows_what_was_asked_for() -> None:
    rows = [{**row, "lang": "en" if at % 3 else "<de>"} for at, row in enumerate(some_battles(1))]
    plain = evenhand.leaderboard(rows, rounds=50)._repr_html_()
    assert "120 of 120 trials have a verdict" in plain and "Elo points" in plain and "<details>" in plain
    # Ends of intervals are as the text has them: no digits that nobody can use.
    assert re.search(r"<td>\d+ to \d+</td>", plain) and not re.search(r"\d{3}\.\d", plain)
    by = evenhand.leaderboard(rows, rounds=50, by="lang")._repr_html_()
    assert by.count("<table>") == 3 and "lang = &lt;de&gt;" in by and "<de>" not in by
    differences = evenhand.leaderboard(rows, rounds=50, differences=True)._repr_html_()
    assert differences.count("<table>") == 2 and "ahead of" in differences
    p = r"<td>(&lt; 0\.001|(at most )?[01]\.\d{3})</td>"
    assert re.search(p + p + "</tr>", differences), differences
    won = evenhand.leaderboard([{"model_a": "x", "model_b": "y", "winner": "model_a"}])._repr_html_()
    assert "<td>+inf</td>" in won and "<td>-inf</td>" in won and "it won every comparison" in won


#: Cells that make rankings with warnings, each with what it prints: how often the page has each.
CELLS = [
    """
    import html, re, warnings
    import evenhand as eh

    def bullets(result):
        found = [html.unescape(text) for text in re.findall("<li>(.*?)</li>", result._repr_html_())]
        return sum(text in found for text in result.warnings)

    battles = [{"model_a": "x", "model_b": "y", "winner": "model_a"}, {"model_a": "y", "model_b": "x", "winner": "model_a"}]
    quiet = eh.leaderboard(battles * 4, rounds=50, quiet=True)
    told = eh.leaderboard(battles * 4, rounds=50)
    print(bullets(quiet) > 0, bullets(told) == 0)
    """,
    "print(bullets(told) == bullets(quiet) > 0)",
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        unheard = eh.leaderboard(battles * 4, rounds=50)
        print(bullets(unheard) == bullets(quiet) > 0)
    """,
]


def test_a_notebook_has_each_warning_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat: Any = pytest.importorskip("nbformat")
    nbclient: Any = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", str(Path(evenhand.__file__).parents[1]))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    cells = [nbformat.v4.new_code_cell(textwrap.dedent(cell).strip()) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=120, resources=resources).execute()
    printed: list[dict[str, str]] = [{"stdout": "", "stderr": ""} for _ in cells]
    for cell, texts in zip(notebook.cells, printed, strict=True):
        for output in cell.outputs:
            texts[output.name] += output.text
    assert [texts["stdout"] for texts in printed] == ["True True\n", "True\n", "True\n"]
    assert ["EvenhandWarning" in texts["stderr"] for texts in printed] == [True, False, False]


def test_a_score_without_a_bound_is_infinite_everywhere() -> None:
    one = evenhand.leaderboard([{"model_a": "x", "model_b": "y", "winner": "model_a"}])
    assert one.scores == {"x": math.inf, "y": -math.inf} and one["x"].score == math.inf
    rows = [*some_battles(1), *({"model_a": "v", "model_b": s, "winner": 1.0, "item": s} for s in "wxyz")]
    board = evenhand.leaderboard(rows, rounds=50)
    assert board["v"].score == math.inf and math.isfinite(board["w"].score or math.inf)
    for found in (one, board):
        frame, polar, arrow = found.to_pandas(), found.to_polars(), pyarrow.table(found)
        assert frame["score"].tolist() == list(found.scores.values())
        assert polar["score"].to_list() == list(found.scores.values())
        assert arrow["score"].to_pylist() == list(found.scores.values())
        shown = found._repr_html_()
        assert "<td>+inf</td>" in shown and "it won every comparison" in shown


def tables_of_a_kind(quickstart: Path) -> list[list[Any]]:
    """Tables of the same kind whose rows hold all there is, some of it, and nothing."""
    rows = some_battles(1)
    rank: dict[str, Any] = {"judge": "simulated:invalid=0.2", "protocol": "pairwise", "rounds": 50, "items": 10}
    first = evenhand.rank(quickstart, run="first", **rank)
    second = evenhand.rank(quickstart, run="second", **{**rank, "judge": "simulated:accuracy=0.6"})
    points = evenhand.rank(quickstart, run="points", **{**rank, "protocol": "pointwise:1-5"})
    return [
        [
            evenhand.leaderboard(rows, rounds=50),
            evenhand.leaderboard(rows, ci=False),
            evenhand.leaderboard([{"model_a": "x", "model_b": "y", "winner": "model_a"}]),
            points,
        ],
        [
            evenhand.judgments("first"),
            evenhand.judgments("second", where=["failure=any"]),
            evenhand.judgments("points", limit=1),
            evenhand.judge(quickstart, judge="simulated", protocol="pairwise", items=1, run="fourth"),
        ],
        [evenhand.compare(first, second), evenhand.compare(rows, rows), evenhand.compare("first", "second", systems=["careful"])],
        [evenhand.plan(first), evenhand.plan(variance=[0.1, 0.1, 0.1, 0.1], difference=3)],
    ]  # fmt: skip


def test_columns_have_their_types_whatever_the_rows_hold(quickstart: Path) -> None:
    for tables in tables_of_a_kind(quickstart):
        names = list(tables[0].COLUMNS)
        assert names
        expected = tables[0].to_pandas().dtypes[names].to_dict(), tables[0].to_polars().select(names).schema
        for table in tables:
            frame, polar, arrow = table.to_pandas(), table.to_polars(), pyarrow.table(table)
            assert (frame.dtypes[names].to_dict(), polar.select(names).schema) == expected
            assert len(frame) == polar.height == arrow.num_rows == len(table)
            assert arrow.column_names[: len(names)] == names
            assert [row[names[0]] for row in table.to_rows()] == polar[names[0]].to_list()
        assert len(pandas.concat([table.to_pandas()[names] for table in tables])) == sum(map(len, tables))
    empty = evenhand.judgments("second", where=["failure=any"])
    assert len(empty) == 0 and empty.to_pandas().groupby("item")["p_first"].mean().empty


class Words(Table):
    """A table with a text that is missing."""

    COLUMNS = {"word": "text", "n": "integer"}

    def to_rows(self) -> list[dict[str, Any]]:
        return [{"word": "a", "n": 1}, {"word": None, "n": None}]


def test_a_text_that_is_missing_is_missing_in_pandas() -> None:
    frame = Words().to_pandas()
    assert frame["word"].isna().tolist() == [False, True] == frame["n"].isna().tolist()


def test_results_that_say_the_same_are_equal(quickstart: Path) -> None:
    assert make_board(1) == make_board(1) and hash(make_board(1)) == hash(make_board(1))
    assert make_board(1) != make_board(2) and make_board(1) != make_board(1).to_dict()
    assert pickle.loads(pickle.dumps(make_board(1))) == make_board(1)
    checks = [evenhand.check(quickstart) for _ in range(2)]
    assert checks[0] == checks[1] and checks[0] != make_board(1)
    assert len({make_board(1), make_board(1), make_board(2)}) == 2


def test_slices_are_rankings() -> None:
    rows = [{**row, "lang": "en" if at % 3 else "de"} for at, row in enumerate(some_battles(1))]
    board = evenhand.leaderboard(rows, rounds=50, by="lang")
    assert list(board.slices) == ["de", "en"] and make_board(1).slices == {}
    for language, ranked in board.slices.items():
        alone = evenhand.leaderboard(rows, rounds=50, where={"lang": language})
        assert {row.system: row.score for row in ranked} == pytest.approx(alone.scores)


def test_frames_have_the_slices_that_were_asked_for() -> None:
    rows = [{**row, "lang": "en" if at % 3 else "de"} for at, row in enumerate(some_battles(1))]
    board = evenhand.leaderboard(rows, rounds=50, by="lang")
    frame = board.to_pandas()
    printed = pandas.read_csv(io.StringIO(board.csv()))
    # As the command's CSV has them: the whole ranking, then each slice.
    assert frame["slice"].isna().tolist() == printed["slice"].isna().tolist() == [True] * 4 + [False] * 8
    for name in ("system", "slice", "n", "n_items", "rank"):
        assert frame[name].dropna().tolist() == printed[name].dropna().tolist()
    for name in ("deviation", "pooled", "p_adjusted", "score"):
        assert frame[name].astype("float64").to_numpy() == pytest.approx(printed[name].to_numpy(), nan_ok=True)
    for language, ranked in board.slices.items():
        own = frame[frame["slice"] == language]
        assert own["system"].tolist() == [row.system for row in ranked]
    slices = [None] * 4 + ["de"] * 4 + ["en"] * 4
    assert board.to_polars()["slice"].to_list() == pyarrow.table(board)["slice"].to_pylist() == slices
    # Without by=, and for the ranking itself, nothing is added.
    assert "slice" not in make_board(1).to_pandas() and len(board.rows) == len(board.scores) == 4


def test_a_comparison_has_systems_gates_and_frames(quickstart: Path) -> None:
    given: dict[str, Any] = {"protocol": "pairwise", "rounds": 50, "items": 10}
    before = evenhand.rank(quickstart, judge="simulated:accuracy=0.9", run="before", **given)
    after = evenhand.rank(quickstart, judge="simulated:accuracy=0.6", run="after", **given)
    by_directory = evenhand.compare("before", "after", fail_if="worse,coverage<0.5")
    found = evenhand.compare(before, after, fail_if=["worse", "coverage<0.5"])
    assert found == by_directory and found.systems == [row["system"] for row in found["systems"]]
    assert [gate.condition for gate in found.gates] == ["worse", "coverage<0.5"]
    assert found.gates[1].outcome == "passed" and "coverage" in found.gates[1].why
    row = found["careful"]
    assert "careful" in found and found.get("nobody") is None and dict(found)["careful"] == row
    assert found[0] == found.rows[0] and row.interval[0] <= row.difference <= row.interval[1]
    lines = found.csv().splitlines()
    assert len(found.to_pandas()) == sum(line.split(",")[2] == "" for line in lines[1:])
    pair = evenhand.compare(before, pair=("careful", "smollm2-hot"))
    assert pair == evenhand.compare("before", pair="careful,smollm2-hot") and len(pair) == 1
    assert pair.rows[0].baseline_system == "careful"
    planned = evenhand.plan(before)
    assert planned == evenhand.plan("before") and planned.to_pandas()["calls"].tolist() == [
        row["calls"] for row in planned["designs"]
    ]
    for result in (found, planned):
        assert "<table>" in result._repr_html_() and "<td>" in result._repr_html_()
    tables: list[Any] = [pandas.DataFrame(some_battles(1)), polars.DataFrame(some_battles(2))]
    moved = evenhand.compare(tables[0], tables[1])
    assert moved.systems and moved == evenhand.compare(some_battles(1), some_battles(2))
    board = make_board(1)
    with pytest.raises(evenhand.InputError, match=r"compare\(\): baseline=: this Ranking has no run"):
        evenhand.compare(board, board)
    with pytest.raises(evenhand.InputError, match=r"plan\(\): runs=: expected a path, found DataFrame"):
        evenhand.plan(tables[0])


def test_a_notebook_shows_judgments_as_a_table(quickstart: Path) -> None:
    found = evenhand.judge(quickstart, judge="simulated", protocol="pairwise", run="run")
    shown = found._repr_html_()
    assert shown.count("<tr>") == 101 and f"{len(found)} judgments, of which the first 100" in shown
    assert "{" not in shown.split("<tbody>")[0]
    nothing = evenhand.judgments("run", where=["failure=any"])._repr_html_()
    assert "0 judgments" in nothing


def test_progress_in_a_notebook_ends() -> None:
    told: list[Any] = []

    class Handle:
        def update(self, shown: Any, raw: bool) -> None:
            told.append(shown)

    def display(shown: Any, **_: Any) -> Handle:
        told.append(shown)
        return Handle()

    progress = NotebookProgress(display)
    progress.close()
    assert told == []
    progress(1, 2, 0.5, "1 of 2 calls")
    progress.close()
    assert "1 of 2 calls" in told[0]["text/plain"] and told[-1] == {"text/plain": "", "text/html": ""}

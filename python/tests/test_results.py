"""What a ranking knows beyond its rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_same_as_command import write_battles

import evenhand

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


def test_an_open_end_is_infinite_and_nothing_in_a_table() -> None:
    battles = [{"model_a": "a", "model_b": "b", "winner": "model_a", "item": str(n)} for n in range(9)]
    battles += [{"model_a": "b", "model_b": "c", "winner": w, "item": "x"} for w in ("tie", "model_a")]
    rows = evenhand.leaderboard(battles, rounds=50).rows
    ends = [end for row in rows if row.interval for end in row.interval]
    assert all(isinstance(end, float) for end in ends)
    assert {row.to_dict()["ci_high"] for row in rows if row.system == "a"} <= {None}

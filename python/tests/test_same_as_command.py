"""Results are those of the command, to the byte, for settings drawn from the table."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from conftest import QUICKSTART, run_command, without_seconds

import evenhand
from evenhand import _commands
from evenhand._call import write_arguments
from evenhand._inputs import Inputs

#: Values of settings that can be combined freely.
RANK: dict[str, list[Any]] = {
    "items": [3, 10, 20],
    "systems": [["careful", "smollm2-warm", "smollm2-hot"]],
    "protocol": ["pairwise/direct/swap", "pointwise:1-5", "pairwise-tie/cot/swap"],
    "design": ["all-pairs", "reference:careful", "sample:2"],
    "seed": [0, 7],
    "aggregate": ["win-ratio", "mean", "average-win-rate"],
    "ci": ["bootstrap", "none"],
    "level": [0.9, 0.99],
    "rounds": [50, 200],
    "threads": [1, 2],
    "differences": [True],
    "max_calls": [10_000],
    "cluster": ["item", "none"],
}
BATTLES: dict[str, list[Any]] = {
    "aggregate": ["bradley-terry", "win-ratio", "elo", "rao-kupper", "newman", "pagerank"],
    "ci": ["bootstrap", "none"],
    "cluster": ["none"],
    "level": [0.8, 0.95],
    "rounds": [50, 100],
    "seed": [1, 2],
    "threads": [1, 2],
    "where": ["kind=odd"],
    "scale": ["elo"],
}


def draw_settings(values: dict[str, list[Any]], seed: int) -> dict[str, Any]:
    """Draw some settings, each with one of its values."""
    draw = random.Random(seed)
    names = draw.sample(sorted(values), draw.randint(1, len(values) - 3))
    return {name: draw.choice(values[name]) for name in sorted(names)}


def run_both(command: str, place: Any, given: dict[str, Any]) -> tuple[str, str]:
    """Return the JSON of the function, or its error, and that of the command."""
    table = _commands.read_table()[command]
    first = next(s["name"] for s in _commands.keywords_of(table) if _commands.by_place(s))
    settings = {**given, first: place}
    line = write_arguments(table, settings, Inputs())
    ran = run_command(*line)
    try:
        called = getattr(evenhand, command)(**settings)
    except evenhand.EvenhandError as error:
        assert ran.returncode in (1, 2)
        said = ran.stderr.replace("error: ", "", 1).strip().splitlines()
        assert said and len(said) == len(str(error).splitlines()), (str(error), ran.stderr)
        return "", ""
    assert ran.returncode == 0, ran.stderr
    return called.json(), ran.stdout


@pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")
@pytest.mark.parametrize("seed", range(20))
def test_a_ranking_is_that_of_the_command(seed: int, tmp_path: Path) -> None:
    given = draw_settings(RANK, seed)
    # A run of their own for each: else the second would have no calls to make.
    judge = "simulated:accuracy=0.8,first-slot=0.1,invalid=0.02"
    ours, theirs = run_both("rank", QUICKSTART, {**given, "judge": judge, "no_reuse": True})
    assert without_seconds(ours) == without_seconds(theirs)


@pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")
@pytest.mark.parametrize("seed", range(15))
def test_a_leaderboard_is_that_of_the_command(seed: int, tmp_path: Path) -> None:
    battles = tmp_path / "battles.csv"
    battles.write_text(write_battles(400), encoding="utf-8")
    ours, theirs = run_both("leaderboard", battles, draw_settings(BATTLES, seed))
    assert without_seconds(ours) == without_seconds(theirs)


def write_battles(rows: int) -> str:
    """Write battles of four systems."""
    draw = random.Random(0)
    lines = ["model_a,model_b,winner,kind"]
    for row in range(rows):
        a, b = draw.sample("abcd", 2)
        winner = draw.choice(["model_a", "model_a", "model_b", "tie"] if a < b else ["model_b"])
        lines.append(f"{a},{b},{winner},{'odd' if row % 2 else 'even'}")
    return "\n".join(lines) + "\n"

"""The documented programs pass the type checkers, and what is misspelt does not."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

#: What the documents show, each as a program of its own.
RIGHT = {
    "a leaderboard": """
        import datetime
        from pathlib import Path
        import evenhand as eh

        battles = [
            {"model_a": "x", "model_b": "y", "winner": "model_a"},
            {"model_a": "y", "model_b": "x", "winner": "tie"},
        ]
        board: eh.Ranking = eh.leaderboard(battles, by="lang", where={"lang": ["en", "de"], "turn": 1})
        score: float | None = board["x"].score
        ranks: tuple[int, int] | None = board.rows[0].rank_interval
        first: eh.Row = board[0]
        found: eh.Row | None = board.get("x")
        if "x" in board and board != eh.leaderboard(Path("battles.csv"), ci=False, adjust=False):
            print(board.scores, board.systems, board.differences()[0].p_adjusted, board.slices)
        eh.leaderboard({"model_a": ["x"], "model_b": ["y"], "winner": ["tie"]}, anchor=("x", 1000))
        eh.leaderboard(
            battles, date=datetime.date(2026, 1, 2), control=[("a", "b"), "turn"], systems=[1, "x"],
            fail_if=["rank.x>1"], outcomes={True: "first", False: "second"},
        )
    """,
    "judges of your own": """
        from collections.abc import Sequence
        import evenhand as eh

        def one(request: eh.Request) -> str:
            return request.options[0]

        async def slow(request: eh.Request) -> eh.Reply:
            return eh.Reply("A")

        def likely(request: eh.Request) -> dict[str, float]:
            return {option: 0.5 for option in request.options}

        @eh.batched(16)
        def many(requests: list[eh.Request]) -> list[eh.Reply]:
            return [eh.Reply("A") for _ in requests]

        @eh.batched(16)
        def some(requests: Sequence[eh.Request]) -> list[str]:
            return ["A" for _ in requests]

        named = eh.Judge(one, name="one", concurrency=4)
        for judge in (one, slow, likely, many, some, named):
            eh.rank("DIR", judge=judge, protocol="pairwise")
        eh.rank("DIR", judge=["openai:x", one], protocol="pairwise")
        eh.rank("DIR", judge=[one, named], panel="majority", design="swim", gpu_layers="none")
        eh.rank("DIR", judge=[one, named], panel=("escalate", 0.8), design=("sample", 4), gpu_layers=7)
        eh.rank("DIR", judge=one, design=("reference", "x"), until=("top", 3), scale=(0, 1, 0.1))
        eh.rank("DIR", judge=one, design="adaptive", until="order", scale="log-odds")
        eh.rank("DIR", judge=["openai:x", "openai:y"])
    """,
    "runs and gates": """
        from typing import Any
        import evenhand as eh

        before = eh.rank("DIR", judge="simulated", protocol="pairwise", run="before", shard=(1, 4))
        after = eh.rank("DIR", judge="simulated", run="after", max_calls=100, differences=True)
        change: eh.Comparison = eh.compare(before, after, pair=("old", "new"), fail_if="worse")
        outcomes: list[str] = [gate.outcome for gate in change.gates]
        names: list[str] = change.systems
        moved: float | None = change.rows[0].difference
        plan: eh.Plan = eh.plan(before)
        frame: Any = plan.to_pandas()
        rows: eh.Judgments = eh.judgments(before, where=["flipped", "system=x"])
        calls: dict[str, Any] = before.usage
        prompt: str = before.judgment(17).prompt
        try:
            eh.estimate("DIR", judge="openai:x")
        except eh.JudgeError as error:
            print(error)
    """,
    "statistics": """
        from evenhand import stats

        tau: float = stats.kendall_tau([1, 2, 3], [1, 3, 2]).value
        kappa = stats.cohen_kappa(["a", "b"], ["a", "a"], weights="linear", categories=["a", "b"])
        low, high = stats.krippendorff_alpha([["A", "A"], ["B", None]], level="nominal").interval
        strengths: dict[str, float] = stats.bradley_terry(["x"], ["y"], ["tie"], scale="log-odds")
    """,
}
#: Lines that no checker may let pass.
WRONG = """
    import evenhand as eh
    from evenhand import stats
    eh.leaderboard("f", aggregate="bradley_terry")
    eh.leaderboard("f", agregate="elo")
    eh.leaderboard("f", ci="jackknife")
    eh.leaderboard("f", adjust="bonferroni")
    eh.leaderboard("f", both_bad="drop")
    eh.leaderboard("f", where=3.5)
    eh.leaderboard("f", by=1)
    eh.leaderboard("f", left=2.0)
    eh.leaderboard("f", winner=0)
    eh.leaderboard("f", date=20260102)
    eh.leaderboard("f", rounds="many")
    eh.leaderboard("f", differences="no")
    eh.leaderboard(3)
    eh.rank("d", judge="simulated", design=0.1)
    eh.rank("d", judge="simulated", protocol=3)
    eh.rank("d", judge="simulated", panel=0.5)
    eh.rank("d", judge="simulated", panel="majorty")
    eh.rank("d", judge="simulated", panel=("escalate", "much"))
    eh.rank("d", judge="simulated", design="all_pairs")
    eh.rank("d", judge="simulated", design=("samples", 4))
    eh.rank("d", judge="simulated", design=("sample", "four"))
    eh.rank("d", judge="simulated", until="certain")
    eh.rank("d", judge="simulated", gpu_layers="most")
    eh.judge("d", judge="simulated", scale="elo")
    eh.leaderboard("f", scale="log_odds")
    eh.leaderboard("f", input_format="alpaca")
    eh.rank("d", judge="simulated", retry="twice")
    eh.rank("d", judge=3)
    eh.leaderboard("f").score
    eh.leaderboard("f").rows[0].scores
    eh.compare("a", "b").gate
    eh.compare("a", "b", inconclusive="maybe")
    stats.cohen_kappa("ab", "ab", weights="quad")
    stats.bradley_terry(["a"], ["b"], [1], scale="Elo")
"""


def write_programs(folder: Path) -> int:
    """Write the programs, and return in how many lines of the wrong one something is wrong."""
    for number, text in enumerate(RIGHT.values()):
        (folder / f"right{number}.py").write_text(textwrap.dedent(text), encoding="utf-8")
    text = textwrap.dedent(WRONG).lstrip()
    (folder / "wrong.py").write_text(text, encoding="utf-8")
    return len(text.splitlines()) - 2


def refuse_others(found: list[tuple[str, int, str]], wrong: int) -> None:
    """Fail where anything is said of a right program, or nothing of a line of the wrong one."""
    of_right = [one for one in found if one[0].startswith("right")]
    assert not of_right, of_right
    lines = {line for name, line, _ in found if name == "wrong.py"}
    passed = sorted(set(range(3, wrong + 3)) - lines)
    assert not passed, [textwrap.dedent(WRONG).lstrip().splitlines()[line - 1] for line in passed]


def test_mypy_takes_what_is_documented_and_refuses_what_is_misspelt(tmp_path: Path) -> None:
    wrong = write_programs(tmp_path)
    line = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context",
            "--cache-dir", str(tmp_path / "cache"), "--config-file", "", "."]  # fmt: skip
    ran = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1) and not ran.stderr, ran.stderr
    found = []
    for said in ran.stdout.splitlines():
        name, number, text = said.split(":", 2)
        if text.strip().startswith("error"):
            found.append((name, int(number), text.strip()))
    refuse_others(found, wrong)


def test_pyright_takes_what_is_documented_and_refuses_what_is_misspelt(tmp_path: Path) -> None:
    if importlib.util.find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    wrong = write_programs(tmp_path)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict"}))
    line = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "."]
    ran = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    try:
        said = json.loads(ran.stdout)["generalDiagnostics"]
    except (ValueError, KeyError):
        pytest.skip(f"pyright cannot be run here (it needs Node.js): {(ran.stderr or ran.stdout)[-200:]}")
    found = [
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1, one["message"])
        for one in said
        if one["severity"] == "error"
    ]
    refuse_others(found, wrong)

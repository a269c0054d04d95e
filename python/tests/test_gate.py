"""The plugin for pytest, run in sessions of pytest of its own."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from conftest import QUICKSTART

import evenhand
from evenhand.pytest_plugin import Gate

pytest_plugins = ["pytester"]

SHARED = """
    import evenhand
    import pytest

    # Too few to tell the two apart, which is a warning.
    BATTLES = [{"model_a": "x", "model_b": "y", "winner": "model_a"}] * 12
    BATTLES += [{"model_a": "x", "model_b": "y", "winner": "model_b"}] * 11
    pytestmark = pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")
"""


@pytest.fixture(autouse=True)
def same_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sessions import the package that this one does."""
    monkeypatch.setenv("PYTHONPATH", str(Path(evenhand.__file__).parents[1]))


def run_tests(pytester: pytest.Pytester, tests: str, *arguments: str) -> pytest.RunResult:
    """Run tests with the plugin, by its entry point where the package is installed with it."""
    loaded = any(one.name == "evenhand" for one in entry_points(group="pytest11"))
    plugin = [] if loaded else ["-p", "evenhand.pytest_plugin"]
    pytester.makepyfile(SHARED + tests)
    return pytester.runpytest_subprocess("--strict-markers", *plugin, *arguments)


def test_a_condition_that_is_met_fails_the_test(pytester: pytest.Pytester) -> None:
    result = run_tests(
        pytester,
        """
    def test_good(evenhand_gate):
        evenhand_gate(evenhand.leaderboard(BATTLES, rounds=50, fail_if="coverage<0.9"))

    def test_bad(evenhand_gate):
        evenhand_gate(evenhand.leaderboard(BATTLES, rounds=50, fail_if="warnings>0"))

    def test_warned(evenhand_gate):
        board = evenhand.leaderboard(BATTLES, rounds=50)
        evenhand_gate(board, warnings=["position"])
        evenhand_gate(board, warnings=board["warning_kinds"])
""",
    )
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        ["*the ranking is not good enough:", "  - *warnings*", "* rank *system*"]
    )
    # A failure is a message, and not a traceback.
    result.stdout.no_fnmatch_line("*Gate*")


def test_the_marker_has_the_conditions(pytester: pytest.Pytester) -> None:
    result = run_tests(
        pytester,
        """
    @pytest.mark.evenhand_gate(fail_if="warnings>0", rounds=50)
    def test_ranked_by_the_gate(evenhand_gate):
        evenhand_gate.leaderboard(BATTLES)

    @pytest.mark.evenhand_gate(fail_if="warnings>0", rounds=50)
    def test_given_the_settings(evenhand_gate):
        evenhand_gate(evenhand.leaderboard(BATTLES, **evenhand_gate.settings))

    @pytest.mark.evenhand_gate(fail_if="warnings>0")
    def test_forgotten(evenhand_gate):
        evenhand_gate(evenhand.leaderboard(BATTLES, rounds=50))

    @pytest.mark.evenhand_gate(min_coverage=0.9, warnings="position", rounds=50)
    def test_good(evenhand_gate):
        evenhand_gate.leaderboard(BATTLES)
""",
    )
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(["*was not given warnings>0 of the marker's fail_if*"])


def test_a_comparison_passes_the_gate_too(pytester: pytest.Pytester) -> None:
    result = run_tests(
        pytester,
        f"""
    @pytest.fixture
    def run():
        return evenhand.rank({str(QUICKSTART)!r}, judge="simulated:gap=0.6,seed=7", protocol="pairwise")

    PAIR = ("smollm2-warm", "smollm2-terse")

    def test_worse(evenhand_gate, run):
        evenhand_gate.compare(run, pair=PAIR, fail_if="worse(smollm2-terse,smollm2-warm)")

    @pytest.mark.evenhand_gate(fail_if="items<1")
    def test_good(evenhand_gate, run):
        evenhand_gate.compare(run, pair=PAIR)

    @pytest.mark.evenhand_gate(judge="simulated:gap=0.6,seed=7", protocol="pairwise", fail_if="coverage<0.9")
    def test_with_a_marker_for_the_ranking(evenhand_gate):
        ranking = evenhand_gate.rank({str(QUICKSTART)!r})
        evenhand_gate.compare(ranking, pair=PAIR, fail_if="items<1")

    @pytest.mark.evenhand_gate(fail_if="coverage<0.9")
    def test_that_forgets_the_marker(evenhand_gate, run):
        evenhand_gate.compare(run, pair=PAIR, fail_if="items<1")

    def test_of_nothing(evenhand_gate, run):
        with pytest.raises(evenhand.InputError, match="nothing can fail here"):
            evenhand_gate.compare(run, pair=PAIR)
""",
    )
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(["the result is not good enough:", "  - worse(smollm2-terse,smollm2-warm) *"])
    result.stdout.fnmatch_lines(["*was not given coverage<0.9 of the marker's fail_if*"])


def test_a_marker_whose_gate_is_not_used_fails_the_test(pytester: pytest.Pytester) -> None:
    result = run_tests(
        pytester,
        """
    @pytest.mark.evenhand_gate(fail_if="coverage<0.9")
    def test_unused(evenhand_gate):
        evenhand.leaderboard(BATTLES, rounds=50, fail_if="coverage<0.9")

    @pytest.mark.evenhand_gate(rounds=50)
    def test_without_conditions(evenhand_gate):
        pass

    @pytest.mark.evenhand_gate(fail_if="coverage<0.9")
    def test_skipped(evenhand_gate):
        pytest.skip("no judge here")

    @pytest.mark.evenhand_gate(fail_if="coverage<0.9")
    def test_without_the_gate():
        pass

    @pytest.mark.evenhand_gate(fail_if="coverage<0.9")
    class TestOfAClass:
        def test_without_the_gate(self):
            pass

        def test_that_asks_for_it_late(self, request):
            request.getfixturevalue("evenhand_gate")

    import unittest

    class TestOfUnittest(unittest.TestCase):
        @pytest.fixture(autouse=True)
        def keep_gate(self, evenhand_gate):
            self.gate = evenhand_gate

        @pytest.mark.evenhand_gate(fail_if="coverage<0.9")
        def test_unused(self):
            pass

        @pytest.mark.evenhand_gate(fail_if="coverage<0.9")
        def test_used(self):
            self.gate.leaderboard(BATTLES, rounds=50)
""",
    )
    result.assert_outcomes(passed=3, failed=4, skipped=1)
    result.stdout.fnmatch_lines(["*nothing was checked: use the fixture evenhand_gate*"])



def test_what_cannot_be_used_is_told_at_the_line_of_the_test(pytester: pytest.Pytester) -> None:
    result = run_tests(
        pytester,
        """
    def test_misspelt(evenhand_gate):
        evenhand_gate.leaderboard(BATTLES, rounds=50, fail_if="covrage<0.9")
""",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*test_misspelt*", "E *covrage*"])
    result.stdout.no_fnmatch_line("*_call.py*")


def test_figures_are_in_the_report_of_junit(pytester: pytest.Pytester) -> None:
    test = """
    def test_good(evenhand_gate):
        evenhand_gate(evenhand.leaderboard(BATTLES, rounds=50))
"""
    run_tests(pytester, test, "--junitxml=report.xml").assert_outcomes(passed=1)
    report = (pytester.path / "report.xml").read_text(encoding="utf-8")
    assert 'name="evenhand.score/x" value="10' in report
    assert 'name="evenhand.coverage" value="1.0"' in report


def test_the_plugin_imports_nothing_of_evenhand() -> None:
    script = "import sys, evenhand.pytest_plugin; print('evenhand._evenhand' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False"]


def test_a_gate_that_could_not_fail_is_an_error(pytester: pytest.Pytester) -> None:
    markers = [
        'warnings=["not-told-appart"]', 'warnings="not_told_apart"', 'warning=["not-told-apart"]',
        'fail_iff="coverage<1"', "min_covrage=0.9", "min_coverage=95", 'min_coverage="0.9"',
        '"coverage<1"', 'fail_if="covrage<1"',
    ]  # fmt: skip
    tests = "".join(
        f"""
    @pytest.mark.evenhand_gate({marker})
    def test_{number}(evenhand_gate):
        evenhand_gate(evenhand.leaderboard(BATTLES, rounds=50, **evenhand_gate.settings))
"""
        for number, marker in enumerate(markers)
    )
    result = run_tests(pytester, tests)
    counts = result.parseoutcomes()
    assert counts.get("passed", 0) == 0
    assert counts.get("failed", 0) + counts["errors"] == len(markers)
    result.stdout.fnmatch_lines(["*no kind of warning 'not-told-appart'*position*not-told-apart*"])


def test_a_kind_in_the_call_is_checked_and_what_has_no_coverage_meets_no_minimum(
    pytester: pytest.Pytester,
) -> None:
    result = run_tests(
        pytester,
        """
    def test_misspelt(evenhand_gate):
        with pytest.raises(evenhand.InputError, match="expected one of position"):
            evenhand_gate(evenhand.leaderboard(BATTLES, rounds=50), warnings="told-apart")

    @pytest.mark.evenhand_gate(min_coverage=0.5)
    def test_of_something_else(evenhand_gate):
        evenhand_gate(evenhand.check([{"id": 1, "instruction": "x"}]))

    def test_of_something_else_2(evenhand_gate):
        evenhand_gate(evenhand.check([{"id": 1, "instruction": "x"}]), warnings=["position"])
""",
    )
    result.assert_outcomes(passed=1, failed=2)


def test_figures_in_the_report_of_junit_warn_of_nothing(pytester: pytest.Pytester) -> None:
    test = """
    def test_good(evenhand_gate):
        evenhand_gate(evenhand.leaderboard(BATTLES, rounds=50))
"""
    run_tests(pytester, test, "--junitxml=report.xml", "-Werror").assert_outcomes(passed=1)
    assert 'name="evenhand.coverage" value="1.0"' in (pytester.path / "report.xml").read_text("utf-8")


@pytest.mark.evenhand_gate(fail_if=["coverage<0.9", "failures>5"], rounds=50)
def test_conditions_may_be_a_list(evenhand_gate: Gate) -> None:
    rows = [{"model_a": "x", "model_b": "y", "winner": "tie", "item": str(n)} for n in range(20)]
    evenhand_gate(evenhand.leaderboard(rows, rounds=50, fail_if="failures>5,coverage<0.9"))
    evenhand_gate.leaderboard(rows)
    with pytest.raises(pytest.fail.Exception, match="was not given failures>5"):
        evenhand_gate(evenhand.leaderboard(rows, rounds=50, fail_if=["coverage<0.9"]))

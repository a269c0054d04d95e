"""A gate for pytest: a test that fails where a ranking or a comparison is not good enough.

::

    def test_the_new_prompt_is_no_worse(evenhand_gate):
        ranking = evenhand.rank("DIR", judge=JUDGE, fail_if="consistency<0.7")
        evenhand_gate(ranking)

pytest loads this file in every run, so it imports nothing of Evenhand before a gate is used.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

import pytest

if TYPE_CHECKING:
    from evenhand.results import Comparison, Ranking, Report

_Report = TypeVar("_Report", bound="Report")

_MARKER = (
    "evenhand_gate(fail_if=..., min_coverage=..., warnings=..., **settings): the conditions of the "
    "test's evenhand_gate; settings are those of evenhand.rank, leaderboard or compare"
)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", _MARKER)


class Gate:
    """What fails a test where a result is not good enough: ``evenhand_gate(ranking)``."""

    def __init__(self, marks: dict[str, Any], record: Callable[[str, object], None]) -> None:
        self._warnings = _known_kinds(marks.pop("warnings", ()))
        self._minimum = _checked_minimum(marks.pop("min_coverage", None))
        _refuse_unknown(marks)
        #: The settings of the marker, for the call that ranks or compares.
        self.settings = marks
        self._record = record
        # The conditions of the marker that a result was held to, and whether any result was.
        self._applied: set[str] = set()
        self._was_used = False

    def rank(self, *data: Any, **settings: Any) -> Ranking:
        """Rank with the settings of the marker, and pass the gate."""
        import evenhand

        __tracebackhide__ = True
        return self._pass(evenhand.rank(*data, **{**self.settings, **settings}), settings)

    def leaderboard(self, *files: Any, **settings: Any) -> Ranking:
        """Rank battles or judgments with the settings of the marker, and pass the gate."""
        import evenhand

        __tracebackhide__ = True
        return self._pass(evenhand.leaderboard(*files, **{**self.settings, **settings}), settings)

    def compare(self, *sides: Any, **settings: Any) -> Comparison:
        """Compare two sides, or two systems of one, and pass the gate.

        Of the marker's settings it takes those that a comparison has; a judge or a protocol are for
        the ranking of the same test.
        """
        from inspect import signature

        import evenhand

        __tracebackhide__ = True
        known = signature(evenhand.compare).parameters
        given = {name: value for name, value in self.settings.items() if name in known} | settings
        # A ranking without a condition writes its figures into the test report; a comparison has none.
        if not (_conditions(given) or self._warnings or self._minimum is not None):
            raise evenhand.InputError(
                "evenhand_gate.compare: nothing can fail here; give a condition, as in fail_if='worse'"
            )
        return self._pass(evenhand.compare(*sides, **given), settings)

    def _pass(self, report: _Report, settings: Mapping[str, Any]) -> _Report:
        """Gate the result of a call that was given these settings."""
        __tracebackhide__ = True
        # A call with conditions of its own need not repeat those that the marker has seen applied.
        self._check(report, self._warnings, self._applied if "fail_if" in settings else set())
        return report

    def __call__(self, report: Report, *, warnings: Collection[str] | None = None) -> None:
        """Fail the test where a condition is met, or a warning of these kinds was given.

        Args:
            report: a ranking, or any other result that has conditions.
            warnings: kinds of warnings (``warning_kinds``) that fail the test.

        Raises:
            InputError: there is no warning of such a kind.
        """
        __tracebackhide__ = True
        kinds = self._warnings if warnings is None else _known_kinds(warnings)
        self._check(report, kinds, set())

    def _check(self, report: Report, kinds: list[str], applied: set[str]) -> None:
        from evenhand.results import Ranking

        __tracebackhide__ = True
        self._was_used = True
        self._record_properties(report)
        reasons = [*self._unmet(report, applied), *_warnings_of(report, kinds)]
        if reasons:
            listed = "\n".join(f"  - {reason}" for reason in reasons)
            what = "ranking" if isinstance(report, Ranking) else "result"
            pytest.fail(f"the {what} is not good enough:\n{listed}\n\n{report!r}", pytrace=False)

    def _unmet(self, report: Report, applied: set[str]) -> list[str]:
        reasons = [report.condition] if report.condition is not None else []
        forgotten = _conditions(self.settings) - _conditions(report.settings) - applied
        self._applied |= _conditions(report.settings)
        if forgotten:
            reasons.append(
                f"the call that made this result was not given {', '.join(sorted(forgotten))} of the marker's fail_if; "
                "call evenhand_gate.rank(..), leaderboard(..) or compare(..), or give it "
                "**evenhand_gate.settings"
            )
        if self._minimum is not None:
            found = report.to_dict()
            coverage = _read_properties(report).get("evenhand.coverage")
            if coverage is None and isinstance(found, dict):
                coverage = found.get("coverage")
            if coverage is None:
                reasons.append(f"min_coverage={self._minimum}: this result has no coverage")
            elif coverage < self._minimum:
                reasons.append(f"coverage is {coverage:.3f}, and should be {self._minimum} or more")
        return reasons

    def check_used(self) -> None:
        """Fail a test whose marker has conditions to which no result was held: it could not fail."""
        has_conditions = _conditions(self.settings) or self._warnings or self._minimum is not None
        if has_conditions and not self._was_used:
            pytest.fail(
                "the marker evenhand_gate has conditions, but nothing was checked: use the fixture "
                "evenhand_gate, and call its rank(..), leaderboard(..) or compare(..), or evenhand_gate(result)",
                pytrace=False,
            )

    def _record_properties(self, report: Report) -> None:
        for name, value in _read_properties(report).items():
            self._record(name, value)


def _known_kinds(kinds: Collection[str]) -> list[str]:
    """Return kinds of warnings; one that there is not would make a gate that cannot fail."""
    from evenhand import InputError, _evenhand

    named = [kinds] if isinstance(kinds, str) else list(kinds)
    known = _evenhand.warning_kinds()
    for kind in named:
        if kind not in known:
            raise InputError(
                f"warnings=: no kind of warning {kind!r}; expected one of {', '.join(known)}"
            )
    return named


def _checked_minimum(minimum: Any) -> float | None:
    from evenhand import InputError

    is_share = isinstance(minimum, (int, float)) and not isinstance(minimum, bool)
    if minimum is None or (is_share and 0 <= minimum <= 1):
        return minimum  # type: ignore[no-any-return]
    raise InputError(f"min_coverage=: expected a share from 0 to 1, found {minimum!r}")


def _refuse_unknown(settings: Mapping[str, Any]) -> None:
    """Refuse a setting that no call of a gate takes: misspelt, it would ask for nothing."""
    from inspect import signature

    from evenhand import InputError, compare, leaderboard, rank

    known = {name for call in (rank, leaderboard, compare) for name in signature(call).parameters}
    unknown = sorted(set(settings) - known)
    if unknown:
        raise InputError(
            f"the marker evenhand_gate has no {unknown[0]}=; it has fail_if=, min_coverage=, warnings= "
            "and the settings of evenhand.rank, evenhand.leaderboard and evenhand.compare"
        )


def _conditions(settings: Mapping[str, Any]) -> set[str]:
    given = settings.get("fail_if") or ""
    whole = given if isinstance(given, str) else ",".join(given)
    return {one.strip() for one in whole.split(",") if one.strip()}


def _warnings_of(report: Report, kinds: Collection[str]) -> list[str]:
    found = report.to_dict()
    given = found.get("warning_kinds") if isinstance(found, dict) else None
    if given is None:
        # What has no kinds would never have one of these.
        return [f"warnings={list(kinds)}: this result names no kinds of warnings"] if kinds else []
    pairs = zip(given, report.warnings, strict=False)
    return [f"{kind}: {text}" for kind, text in pairs if kind in kinds]


def _read_properties(report: Report) -> dict[str, Any]:
    """Read the numbers that belong into a test report, such as that of ``--junitxml``."""
    from evenhand.io._tracking import collect_metrics
    from evenhand.results import Ranking

    if not isinstance(report, Ranking):
        return {}
    return {f"evenhand.{name}": value for name, value in collect_metrics(report).items()}


def _gate_of(item: pytest.Item) -> Gate:
    """Make the gate with the conditions of a test's markers."""
    marks: dict[str, Any] = {}
    for mark in reversed(list(item.iter_markers("evenhand_gate"))):
        if mark.args:
            from evenhand import InputError

            raise InputError(
                f"the marker evenhand_gate takes settings by name, as in fail_if=..; found {mark.args[0]!r}"
            )
        marks |= mark.kwargs
    # As `record_property` does, which warns of the form of XML that is pytest's own default.
    properties = item.user_properties
    return Gate(marks, lambda name, value: properties.append((name, value)))


# The gates that tests have asked for, whether as an argument or from a fixture of theirs.
_gates: WeakKeyDictionary[pytest.Item, Gate] = WeakKeyDictionary()


# Behind pytest's own, which raises what a test that fails or is skipped raises. A wrapper would need
# pluggy 1.2, and older ones would end every run of pytest.
@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Let a test that passed fail where its gate was not used, or is not even an argument."""
    gate = _gates.get(item)
    if gate is None and any(mark.name == "evenhand_gate" for mark in item.own_markers):
        gate = _gate_of(item)
    if gate is not None:
        gate.check_used()


@pytest.fixture
def evenhand_gate(request: pytest.FixtureRequest) -> Gate:
    """A gate with the conditions of the test's marker."""
    gate = _gate_of(request.node)
    _gates[request.node] = gate
    return gate

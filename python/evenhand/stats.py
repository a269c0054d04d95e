"""The statistics as plain functions: numbers in, numbers out.

What is undefined, such as a correlation with a constant list, raises :class:`StatisticsError` with its
cause; so does a setting that is misspelt, with those that there are. Lists may be of any kind that
iterates: lists, columns of a DataFrame, arrays. NaN is neither a number nor a category.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import inf
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from evenhand import _evenhand
from evenhand._evenhand import StatisticsError

__all__ = [
    "Alpha",
    "Estimate",
    "Kappa",
    "McNemar",
    "Powered",
    "StatisticsError",
    "TauU",
    "benjamini_hochberg",
    "bradley_terry",
    "cohen_kappa",
    "holm",
    "kendall_tau",
    "krippendorff_alpha",
    "mcnemar",
    "pearson",
    "ppi_mean",
    "spearman",
    "tau_u",
    "wilson",
]

# A type checker would believe any name.
if not TYPE_CHECKING:

    def __getattr__(name):
        from evenhand._wording import no_attribute

        raise no_attribute(__name__, name, __all__)


System = TypeVar("System", bound=Hashable)
Numbers = Iterable[float]
Interval = tuple[float | None, float | None]


class Estimate(NamedTuple):
    """A value with its interval; an end is None where there is no finite one."""

    value: float
    interval: Interval


class TauU(NamedTuple):
    """Kendall's tau over the pairs that people tell apart and that lie close together."""

    tau: float
    #: The pairs that count, as a share of all pairs.
    share: float
    #: How many pairs people tell apart, at any distance.
    told_apart: int


class Kappa(NamedTuple):
    """Cohen's kappa, with its large-sample standard error; None where the table gives none."""

    value: float
    standard_error: float | None


class Alpha(NamedTuple):
    """Krippendorff's alpha with its bootstrap interval over units."""

    value: float
    interval: Interval
    #: Units with two ratings or more, and their ratings.
    units: int
    ratings: int


class McNemar(NamedTuple):
    """P-values of McNemar's test: exact, and by chi-square with Edwards' correction."""

    exact_p: float
    corrected_p: float


class Powered(NamedTuple):
    """A prediction-powered mean."""

    value: float
    standard_error: float | None
    interval: Interval
    #: How far the judge is used, from 0 (labels alone) to 1.
    power: float
    #: The mean of the labels alone, and its interval.
    labels_only: Estimate
    #: How many labels alone would give the same standard error.
    effective_labels: float | None


def _numbers(name: str, values: Iterable[object]) -> list[float]:
    """Return values as numbers.

    Raises:
        StatisticsError: one is none, with its place.
    """
    numbers = []
    for at, value in enumerate(values):
        if not isinstance(value, Real) or value != value:
            raise StatisticsError(f"{name}[{at}]: expected a number, found {_show(value)}")
        if 1e100 < abs(number := float(value)) < inf:
            raise StatisticsError(
                f"{name}[{at}]: expected a number between -1e100 and 1e100, found {number!r}"
            )
        numbers.append(number)
    return numbers


def _one_number(name: str, value: object) -> float:
    """Return a setting that is one number."""
    if isinstance(value, bool) or not isinstance(value, Real) or value != value:
        raise StatisticsError(f"{name}=: expected a number, found {value!r}"[:200])
    return float(value)


def _plan(rounds: object, level: object, seed: object) -> tuple[int, float, int]:
    """Return the settings of a bootstrap."""
    return _count("rounds", rounds), _one_number("level", level), _count("seed", seed, 2**64)


def _show(value: object) -> str:
    """Show what stands in the place of a value; of what pandas has where there is none, what to do."""
    if _is_missing(value):
        shown = "None" if value is None else "NaN"
        return f"{shown}; leave such rows out, as series.dropna() does"
    return f"{value!r}"[:80]


def _is_missing(value: object) -> bool:
    """Whether a value says that there is none: None, NaN, and pandas' NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    try:
        # NaN alone is not equal to itself.
        return bool(value != value)
    except (TypeError, ValueError):
        return False


def _categories(name: str, labels: Iterable[object]) -> dict[Hashable, int]:
    """Number the categories by their first appearance.

    Raises:
        StatisticsError: a label is none, or there are a number and a text that are written alike.
    """
    numbers: dict[Hashable, int] = {}
    for at, label in enumerate(labels):
        if _is_missing(label):
            raise StatisticsError(f"{name}[{at}]: expected a category, found {_show(label)}")
        if not isinstance(label, Hashable):
            raise StatisticsError(f"{name}[{at}]: expected a category, found {_show(label)}")
        numbers.setdefault(label, len(numbers))
    for label in numbers:
        if isinstance(label, str) and _number_in(label) in numbers:
            raise StatisticsError(
                f"{name}: there are the text {label!r} and the number {label}; are they one category? "
                "Write both as texts or both as numbers"
            )
    return numbers


def _number_in(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _refuse_other(name: str, value: object, known: Sequence[str | None]) -> None:
    """Raise where a setting is none of the values that it has."""
    if value not in known:
        named = [f"{one!r}" for one in known]
        raise StatisticsError(f"{name}={value!r}: expected {', '.join(named[:-1])} or {named[-1]}")


def pearson(x: Numbers, y: Numbers) -> float:
    """Return Pearson's correlation, from -1 to 1.

    >>> round(pearson([1, 2, 3], [1, 2, 4]), 4)
    0.982
    """
    return _evenhand.correlate("pearson", _numbers("x", x), _numbers("y", y))


def spearman(x: Numbers, y: Numbers) -> float:
    """Return Spearman's rank correlation, from -1 to 1.

    >>> spearman([1, 2, 3], [1, 4, 9])
    1.0
    """
    return _evenhand.correlate("spearman", _numbers("x", x), _numbers("y", y))


def kendall_tau(
    x: Numbers, y: Numbers, *, rounds: int = 1000, level: float = 0.95, seed: int = 0
) -> Estimate:
    """Return Kendall's tau-b, from -1 to 1, with its bootstrap interval over points. Points that
    always give the same tau, such as those in perfect order, have no interval: its ends are None.

    >>> kendall_tau([1, 2, 3, 4], [1, 2, 4, 3]).value
    0.6666666666666666
    """
    x, y = _numbers("x", x), _numbers("y", y)
    value = _evenhand.correlate("kendall", x, y)
    return Estimate(value, _evenhand.correlation_interval("kendall", x, y, _plan(rounds, level, seed)))


def tau_u(
    scores: Numbers, ratings: Iterable[tuple[float, float, float]], *, u: float = float("inf")
) -> TauU:
    """Return tau_u (Gao et al. 2025, section 2.2) of scores against people's ratings.

    Args:
        scores: of each system.
        ratings: of each system: the rating, and the ends of its interval.
        u: only pairs count whose ratings differ by at most this.

    >>> tau_u([1, 2, 3], [(10, 9, 11), (20, 19, 21), (30, 29, 31)]).tau
    1.0
    """
    bounded = [_numbers(f"ratings[{at}]", rating) for at, rating in enumerate(ratings)]
    for at, rating in enumerate(bounded):
        if len(rating) != 3:
            raise StatisticsError(f"ratings[{at}]: expected a rating with the ends of its interval")
    triples = [(rating, low, high) for rating, low, high in bounded]
    return TauU(*_evenhand.tau_u(_numbers("scores", scores), triples, _one_number("u", u)))


def cohen_kappa(
    first: Iterable[Hashable],
    second: Iterable[Hashable],
    *,
    weights: Literal["linear", "quadratic"] | None = None,
    categories: Sequence[Hashable] | None = None,
) -> Kappa:
    """Return Cohen's kappa of two raters who labelled the same rows.

    Args:
        first: the first rater's labels. None and NaN are none: a row that a rater left out has no
            part in kappa.
        second: the second rater's labels.
        weights: how far a disagreement counts, by the distance of the categories: ``linear``,
            ``quadratic``, or None, where all disagreements count the same.
        categories: in their order, for weights; by default the labels in sorted order.

    >>> round(cohen_kappa("AABB", "AABA").value, 3)
    0.5
    """
    _refuse_other("weights", weights, ("linear", "quadratic", None))
    first, second = list(first), list(second)
    # Each by itself, so that a message names the list; together, for texts that look like numbers.
    _categories("first", first), _categories("second", second)
    found = _categories("first and second", [*first, *second])
    if categories is not None:
        known = list(_categories("categories", categories))
    else:
        try:
            known = sorted(found)  # type: ignore[type-var]
        except TypeError:
            if weights is not None:
                raise StatisticsError(
                    "weights=: the labels have no order; give one with categories="
                ) from None
            known = list(found)
    number = {label: at for at, label in enumerate(known)}
    for label in found:
        if label not in number:
            raise StatisticsError(f"categories=: the label {label!r} is none of them")
    coded = [[number[label] for label in labels] for labels in (first, second)]
    return Kappa(*_evenhand.cohen_kappa(coded[0], coded[1], max(len(known), 1), weights or "any"))


def krippendorff_alpha(
    units: Iterable[Iterable[Hashable]],
    *,
    level: Literal["nominal", "ordinal", "interval", "ratio"] = "nominal",
    rounds: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Alpha:
    """Return Krippendorff's alpha with its interval over units, without resampling.

    Args:
        units: the ratings of each unit; None where a rater gave none. Names are for the nominal
            level alone, where every rating is a category, and numbers may stand beside names.
        level: the level of measurement.
        rounds: of no effect; the interval was of a bootstrap.
        confidence: the level of the interval, whose ends are None with one unit, and where all
            agree.
        seed: of no effect.

    >>> round(krippendorff_alpha([[1, 1], [2, 2], [1, 2], [2, 2]], rounds=50).value, 3)
    0.533
    """
    _refuse_other("level", level, ("nominal", "ordinal", "interval", "ratio"))
    rated = [list(unit) for unit in units]
    for unit, ratings in enumerate(rated):
        for rater, rating in enumerate(ratings):
            if rating is not None and _is_missing(rating):
                raise StatisticsError(
                    f"units[{unit}][{rater}]: found NaN; a rating that is missing is None, as in "
                    "series.astype(object).where(series.notna(), None)"
                )
    if level == "nominal":
        # Each category has a number of its own, so that no name can fall together with a number.
        number = _categories("units", [one for unit in rated for one in unit if one is not None])
        coded = [[None if one is None else float(number[one]) for one in unit] for unit in rated]
    else:
        coded = [
            [None if one is None else _numbers(f"units[{at}]", [one])[0] for one in unit]
            for at, unit in enumerate(rated)
        ]
    value, low, high, used, ratings_used = _evenhand.krippendorff_alpha(
        coded, level, _plan(rounds, confidence, seed)[1]
    )
    return Alpha(value, (None, None) if value == 1.0 else (low, high), used, ratings_used)


def mcnemar(only_first: int, only_second: int) -> McNemar:
    """Return the p-values of McNemar's test.

    Args:
        only_first: rows on which only the first judge was right.
        only_second: rows on which only the second was.

    >>> round(mcnemar(9, 1).exact_p, 6)
    0.021484
    """
    return McNemar(*_evenhand.mcnemar(_count("only_first", only_first), _count("only_second", only_second)))


def _count(name: str, value: object, end: int = 2**32) -> int:
    if isinstance(value, Integral) and 0 <= int(value) < end:
        return int(value)
    number = float(value) if isinstance(value, Real) else -1.0
    if not 0 <= number < end or not number.is_integer():
        raise StatisticsError(f"{name}=: expected a count, a whole number from 0, found {_show(value)}")
    return int(number)


def wilson(successes: float, trials: float, *, level: float = 0.95) -> Estimate:
    """Return a share with its score interval (Wilson 1927).

    >>> share = wilson(8, 10)
    >>> share.value, round(share.interval[0], 3), round(share.interval[1], 3)
    (0.8, 0.49, 0.943)
    """
    value, low, high = _evenhand.wilson(
        _one_number("successes", successes), _one_number("trials", trials), _one_number("level", level)
    )
    return Estimate(value, (low, high))


def holm(p: Numbers) -> list[float]:
    """Return p-values adjusted by Holm's method: the chance of any false claim is bounded.

    >>> holm([0.01, 0.04])
    [0.02, 0.04]
    """
    return _evenhand.adjust("holm", _numbers("p", p))


def benjamini_hochberg(p: Numbers) -> list[float]:
    """Return p-values adjusted by Benjamini and Hochberg: the share of false claims is bounded.

    >>> benjamini_hochberg([0.01, 0.04])
    [0.02, 0.04]
    """
    return _evenhand.adjust("benjamini-hochberg", _numbers("p", p))


def ppi_mean(
    labels: Numbers,
    judged_labelled: Numbers,
    judged: Numbers,
    *,
    power: float | None = None,
    level: float = 0.95,
) -> Powered:
    """Return a prediction-powered mean (Angelopoulos et al. 2023): few labels, many verdicts.

    Args:
        labels: people's labels of some rows.
        judged_labelled: the judge's verdicts on the same rows.
        judged: the judge's verdicts on rows without a label.
        power: how far the judge is used, from 0 to 1, with the interval of the paper, which few
            labels can make too narrow; by default what makes the variance least, errors of the
            judge that the labels may not have shown among it.
        level: of the interval.

    >>> found = ppi_mean([1, 0, 1, 1], [1, 0, 1, 0], [1, 1, 0, 1, 0, 1, 1, 1])
    >>> 0 <= found.value <= 1 and found.interval[0] < found.interval[1]
    True
    """
    people, verdicts = _numbers("labels", labels), _numbers("judged_labelled", judged_labelled)
    if len(people) != len(verdicts):
        raise StatisticsError(
            f"judged_labelled=: expected a verdict for each of {len(people)} labels, found {len(verdicts)}"
        )
    rows = [(at, *both) for at, both in enumerate(zip(people, verdicts, strict=True))]
    others = [(len(rows) + at, judge) for at, judge in enumerate(_numbers("judged", judged))]
    given = None if power is None else _one_number("power", power)
    found, alone, used, effective = _evenhand.ppi_mean(rows, others, given, _one_number("level", level))
    value, error, low, high = found
    labels_only = Estimate(alone[0], (alone[2], alone[3]))
    return Powered(value, error, (low, high), used, labels_only, effective)


_OUTCOMES: Mapping[object, float] = {
    "model_a": 1.0, "system_a": 1.0, "left": 1.0, "first": 1.0, "a": 1.0, "A": 1.0,
    "model_b": 0.0, "system_b": 0.0, "right": 0.0, "second": 0.0, "b": 0.0, "B": 0.0,
    "tie": 0.5, "tie (bothbad)": 0.5, "draw": 0.5,
}  # fmt: skip


def bradley_terry(
    first: Iterable[System],
    second: Iterable[System],
    outcomes: Iterable[float | str],
    *,
    weights: Numbers | None = None,
    scale: Literal["elo", "log-odds"] = "elo",
) -> dict[System, float]:
    """Return Bradley-Terry strengths by maximum likelihood, best first.

    A strength is infinite where a system won or lost everything that ties it to the others, and NaN
    where the data do not determine it. For intervals and ranks, see :func:`evenhand.leaderboard`.

    Args:
        first: one system of each comparison.
        second: the other.
        outcomes: for the first: 1, 0.5 or 0, or ``model_a``, ``tie``, ``model_b`` and their like.
        weights: how much each comparison counts.
        scale: Elo points (mean 1000) or log-odds (mean 0).

    >>> strengths = bradley_terry("xyxx", "yxyy", [1, 0.5, 1, 0], scale="log-odds")
    >>> {system: round(value, 3) for system, value in strengths.items()}
    {'x': 0.255, 'y': -0.255}
    """
    _refuse_other("scale", scale, ("elo", "log-odds"))
    numbers: dict[System, int] = {}
    rows: list[list[Any]] = [list(first), list(second), list(outcomes)]
    counts = [1.0] * len(rows[0]) if weights is None else _numbers("weights", weights)
    lengths = [len(column) for column in (*rows, counts)]
    if len(set(lengths)) > 1:
        raise StatisticsError(
            "first, second, outcomes and weights: expected lists of one length, found "
            f"{', '.join(map(str, lengths))} values"
        )
    coded = []
    for at, (a, b, outcome, weight) in enumerate(zip(*rows, counts, strict=True)):
        for name, system in (("first", a), ("second", b)):
            if _is_missing(system):
                raise StatisticsError(f"{name}[{at}]: expected a system, found {_show(system)}")
        if a == b:
            raise StatisticsError(f"row {at}: {a!r} is compared with itself")
        coded.append((_number(numbers, a), _number(numbers, b), _outcome(at, outcome), weight))
    strengths = _evenhand.bradley_terry(len(numbers), coded, scale == "elo")
    found = zip(numbers, strengths, strict=True)
    # NaN is equal to nothing, and comes last.
    return dict(sorted(found, key=lambda one: (one[1] != one[1], -one[1])))


def _number(numbers: dict[System, int], system: System) -> int:
    return numbers.setdefault(system, len(numbers))


def _outcome(at: int, outcome: object) -> float:
    known = _OUTCOMES.get(outcome, outcome) if isinstance(outcome, Hashable) else outcome
    share = float(known) if isinstance(known, Real) else -1.0
    if not 0.0 <= share <= 1.0:
        raise StatisticsError(
            f"outcomes[{at}]: expected 1, 0.5, 0, or a word for one, found {_show(outcome)}"
        )
    return share

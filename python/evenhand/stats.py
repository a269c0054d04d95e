"""The statistics as plain functions: numbers in, numbers out.

What is undefined, such as a correlation with a constant list, raises :class:`StatisticsError` with its
cause. Lists may be of any kind that iterates: lists, columns of a DataFrame, arrays.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeVar

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


def pearson(x: Numbers, y: Numbers) -> float:
    """Return Pearson's correlation, from -1 to 1.

    >>> round(pearson([1, 2, 3], [1, 2, 4]), 4)
    0.982
    """
    return _evenhand.correlate("pearson", list(x), list(y))


def spearman(x: Numbers, y: Numbers) -> float:
    """Return Spearman's rank correlation, from -1 to 1.

    >>> spearman([1, 2, 3], [1, 4, 9])
    1.0
    """
    return _evenhand.correlate("spearman", list(x), list(y))


def kendall_tau(
    x: Numbers, y: Numbers, *, rounds: int = 1000, level: float = 0.95, seed: int = 0
) -> Estimate:
    """Return Kendall's tau-b, from -1 to 1, with its bootstrap interval over points.

    >>> kendall_tau([1, 2, 3, 4], [1, 2, 4, 3]).value
    0.6666666666666666
    """
    x, y = list(x), list(y)
    value = _evenhand.correlate("kendall", x, y)
    return Estimate(value, _evenhand.correlation_interval("kendall", x, y, (rounds, level, seed)))


def tau_u(
    scores: Numbers, ratings: Iterable[tuple[float, float, float]], *, u: float = float("inf")
) -> TauU:
    """Return tau_u (Gao et al. 2024, section 2.2) of scores against people's ratings.

    Args:
        scores: of each system.
        ratings: of each system: the rating, and the ends of its interval.
        u: only pairs count whose ratings differ by at most this.

    >>> tau_u([1, 2, 3], [(10, 9, 11), (20, 19, 21), (30, 29, 31)]).tau
    1.0
    """
    return TauU(*_evenhand.tau_u(list(scores), list(ratings), u))


def cohen_kappa(
    first: Iterable[Hashable],
    second: Iterable[Hashable],
    *,
    weights: Literal["linear", "quadratic"] | None = None,
    categories: Sequence[Hashable] | None = None,
) -> Kappa:
    """Return Cohen's kappa of two raters who labelled the same rows.

    Args:
        first: the first rater's labels.
        second: the second rater's labels.
        weights: how far a disagreement counts, by the distance of the categories.
        categories: in their order, for weights; by default the labels in sorted order.

    >>> round(cohen_kappa("AABB", "AABA").value, 3)
    0.5
    """
    first, second = list(first), list(second)
    known = list(categories) if categories is not None else _sorted({*first, *second})
    number = {label: at for at, label in enumerate(known)}
    try:
        coded = [[number[label] for label in labels] for labels in (first, second)]
    except KeyError as error:
        raise StatisticsError(f"categories=: the label {error} is none of them") from None
    return Kappa(*_evenhand.cohen_kappa(coded[0], coded[1], max(len(known), 1), weights or "any"))


def _sorted(labels: set[Hashable]) -> list[Hashable]:
    try:
        return sorted(labels)  # type: ignore[type-var]
    except TypeError:
        return sorted(labels, key=repr)


def krippendorff_alpha(
    units: Iterable[Iterable[float | str | None]],
    *,
    level: Literal["nominal", "ordinal", "interval", "ratio"] = "nominal",
    rounds: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Alpha:
    """Return Krippendorff's alpha with its bootstrap interval over units.

    Args:
        units: the ratings of each unit; None where a rater gave none. Names are numbered by their
            first appearance, and are for the nominal level alone.
        level: the level of measurement.
        rounds: of the bootstrap.
        confidence: the level of the interval.
        seed: of the bootstrap.

    >>> round(krippendorff_alpha([[1, 1], [2, 2], [1, 2], [2, 2]], rounds=50).value, 3)
    0.533
    """
    numbers: dict[str, float] = {}
    coded = [[_rating(rating, level, numbers) for rating in unit] for unit in units]
    value, low, high, used, ratings = _evenhand.krippendorff_alpha(
        coded, level, (rounds, confidence, seed)
    )
    return Alpha(value, (low, high), used, ratings)


def _rating(rating: float | str | None, level: str, numbers: dict[str, float]) -> float | None:
    if not isinstance(rating, str):
        return rating
    if level != "nominal":
        raise StatisticsError(f"level={level}: expected numbers, found {rating!r}")
    return numbers.setdefault(rating, float(len(numbers)))


def mcnemar(only_first: int, only_second: int) -> McNemar:
    """Return the p-values of McNemar's test.

    Args:
        only_first: rows on which only the first judge was right.
        only_second: rows on which only the second was.

    >>> round(mcnemar(9, 1).exact_p, 6)
    0.021484
    """
    return McNemar(*_evenhand.mcnemar(only_first, only_second))


def wilson(successes: float, trials: float, *, level: float = 0.95) -> Estimate:
    """Return a share with its score interval (Wilson 1927).

    >>> share = wilson(8, 10)
    >>> share.value, round(share.interval[0], 3), round(share.interval[1], 3)
    (0.8, 0.49, 0.943)
    """
    value, low, high = _evenhand.wilson(successes, trials, level)
    return Estimate(value, (low, high))


def holm(p: Numbers) -> list[float]:
    """Return p-values adjusted by Holm's method: the chance of any false claim is bounded.

    >>> holm([0.01, 0.04])
    [0.02, 0.04]
    """
    return _evenhand.adjust("holm", list(p))


def benjamini_hochberg(p: Numbers) -> list[float]:
    """Return p-values adjusted by Benjamini and Hochberg: the share of false claims is bounded.

    >>> benjamini_hochberg([0.01, 0.04])
    [0.02, 0.04]
    """
    return _evenhand.adjust("benjamini-hochberg", list(p))


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
        power: how far the judge is used, from 0 to 1; by default what makes the variance least.
        level: of the interval.

    >>> found = ppi_mean([1, 0, 1, 1], [1, 0, 1, 0], [1, 1, 0, 1, 0, 1, 1, 1])
    >>> 0 <= found.value <= 1 and found.interval[0] < found.interval[1]
    True
    """
    both = list(zip(labels, judged_labelled, strict=True))
    rows = [(at, human, judge) for at, (human, judge) in enumerate(both)]
    others = [(len(rows) + at, judge) for at, judge in enumerate(judged)]
    found, alone, used, effective = _evenhand.ppi_mean(rows, others, power, level)
    value, error, low, high = found
    labels_only = Estimate(alone[0], (alone[2], alone[3]))
    return Powered(value, error, (low, high), used, labels_only, effective)


_OUTCOMES: Mapping[object, float] = {
    "model_a": 1.0, "left": 1.0, "first": 1.0, "a": 1.0, "A": 1.0,
    "model_b": 0.0, "right": 0.0, "second": 0.0, "b": 0.0, "B": 0.0,
    "tie": 0.5, "draw": 0.5,
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
    numbers: dict[System, int] = {}
    rows = list(zip(first, second, outcomes, strict=True))
    counts = [1.0] * len(rows) if weights is None else list(weights)
    coded = [
        (_number(numbers, a), _number(numbers, b), _outcome(outcome), weight)
        for (a, b, outcome), weight in zip(rows, counts, strict=True)
    ]
    strengths = _evenhand.bradley_terry(len(numbers), coded, scale == "elo")
    found = zip(numbers, strengths, strict=True)
    # NaN is equal to nothing, and comes last.
    return dict(sorted(found, key=lambda one: (one[1] != one[1], -one[1])))


def _number(numbers: dict[System, int], system: System) -> int:
    return numbers.setdefault(system, len(numbers))


def _outcome(outcome: float | str) -> float:
    known = _OUTCOMES.get(outcome, outcome)
    if isinstance(known, str) or not 0.0 <= known <= 1.0:
        raise StatisticsError(f"outcomes=: expected 1, 0.5, 0, or a word for one, found {outcome!r}")
    return float(known)

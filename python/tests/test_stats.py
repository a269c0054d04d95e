"""The statistics, against values worked out elsewhere: by hand, or by the papers that define them."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import numpy
import pandas
import pytest

from evenhand import stats


def test_krippendorff_alpha_is_that_of_its_author() -> None:
    # Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: 0.743 nominal,
    # 0.815 ordinal, 0.849 interval, 0.797 ratio.
    raters = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    units = list(zip(*raters, strict=True))
    expected = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}
    for level, value in expected.items():
        alpha = stats.krippendorff_alpha(units, level=level, rounds=100)  # type: ignore[arg-type]
        assert round(alpha.value, 3) == value
        assert alpha.units == 11 and alpha.ratings == 40
        assert alpha.interval[0] is not None and alpha.interval[0] < value
    names = [[None if one is None else f"r{one}" for one in unit] for unit in units]
    assert round(stats.krippendorff_alpha(names, rounds=10).value, 3) == 0.743


def test_kappa_takes_labels_of_any_kind() -> None:
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    kappa = stats.cohen_kappa(first, second)
    assert round(kappa.value, 3) == 0.4 and kappa.standard_error
    assert stats.cohen_kappa(pandas.Series([1, 2, 3, 3]), [1, 2, 3, 2]).value < 1
    with pytest.raises(stats.StatisticsError, match="none of them"):
        stats.cohen_kappa("AB", "AC", categories="AB")


def test_what_is_undefined_is_said() -> None:
    for undefined in (
        lambda: stats.spearman([1, 1, 1], [1, 2, 3]),
        lambda: stats.pearson([1], [1]),
        lambda: stats.wilson(0, 0),
        lambda: stats.mcnemar(0, 0),
        lambda: stats.kendall_tau([1, 2], [1, 2, 3]),
        lambda: stats.bradley_terry("ab", "ba", ["x", "tie"]),
        lambda: stats.krippendorff_alpha([["a", "b"]], level="interval"),
    ):
        with pytest.raises(stats.StatisticsError) as error:
            undefined()
        assert isinstance(error.value, ValueError) and str(error.value)


def test_bradley_terry_has_infinities_where_the_data_do() -> None:
    strengths = stats.bradley_terry("aab", "bcc", ["model_a", "model_a", "tie"])
    assert list(strengths) == ["a", "b", "c"] or list(strengths) == ["a", "c", "b"]
    assert strengths["a"] == math.inf and math.isfinite(strengths["b"])
    even = stats.bradley_terry(["x", "y"], ["y", "x"], [1, 1])
    assert even == {"x": 1000.0, "y": 1000.0}
    heavy = stats.bradley_terry(["x", "x"], ["y", "y"], [1, 0], weights=[3, 1], scale="log-odds")
    assert round(heavy["x"] - heavy["y"], 6) == round(math.log(3), 6)


def test_a_powered_mean_is_the_labels_alone_without_the_judge() -> None:
    labels, judged = [1, 0, 1, 1, 0, 1], [1, 0, 1, 0, 0, 1]
    alone = stats.ppi_mean(labels, judged, [1, 0, 1, 1], power=0)
    assert alone.value == alone.labels_only.value == sum(labels) / 6
    plain = stats.ppi_mean(labels, judged, [1, 0, 1, 1], power=1)
    # Mean of the verdicts without labels, corrected by the judge's error on those with them.
    assert math.isclose(plain.value, 3 / 4 + (4 - 3) / 6)


def alpha_by_definition(units: list[list[Any]]) -> float | None:
    """Krippendorff's alpha of nominal data, from observed and expected disagreement alone."""
    paired = [[one for one in unit if one is not None] for unit in units]
    paired = [unit for unit in paired if len(unit) > 1]
    values = [one for unit in paired for one in unit]
    observed = sum(
        sum(not same(a, b) for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in paired
    )
    expected = sum(not same(a, b) for a, b in itertools.permutations(values, 2)) / max(len(values) - 1, 1)
    return None if expected == 0 else 1 - observed / expected


def same(a: Any, b: Any) -> bool:
    """Whether two categories are one: a name and a number never are."""
    return isinstance(a, str) == isinstance(b, str) and a == b


def test_alpha_of_mixed_values_is_that_of_its_definition() -> None:
    mixed: list[list[Any]] = [[0, "tie"], [0, "tie"], ["tie", 0], [1, 1], [0, 0], ["tie", "tie"], [1, 0], [1, 1]]
    texts = [[str(one) for one in unit] for unit in mixed]
    assert round(stats.krippendorff_alpha(mixed).value, 3) == 0.294
    assert stats.krippendorff_alpha(mixed).value == stats.krippendorff_alpha(texts).value
    draw, met = random.Random(1), 0
    kinds: list[list[Any]] = [
        [0, 1, "tie", None], ["a", "b", None], [0, 1, 2, "x", "y"], [-1.5, 1e9, "0x", None], [True, False, "?"],
        [numpy.float64(0.5), numpy.int64(3), "a"], [(1, 2), (1, 3), "a", None],
    ]  # fmt: skip
    for size, kind in itertools.product((2, 3, 5, 9, 40), kinds):
        for _ in range(10):
            units = [[draw.choice(kind) for _ in range(draw.choice([2, 3, 4]))] for _ in range(size)]
            expected = alpha_by_definition(units)
            if expected is None:
                with pytest.raises(stats.StatisticsError):
                    stats.krippendorff_alpha(units, rounds=20)
                continue
            assert math.isclose(
                stats.krippendorff_alpha(units, rounds=20).value, expected, rel_tol=1e-12, abs_tol=1e-12
            ), units
            met += 1
    assert met > 250


MISSING = [float("nan"), math.nan, numpy.nan, numpy.float64("nan"), pandas.NA, pandas.NaT, numpy.datetime64("NaT")]


@pytest.mark.parametrize("missing", [*MISSING, None], ids=lambda one: type(one).__name__)
def test_nothing_is_no_number_and_no_category(missing: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: stats.cohen_kappa([1, missing, 2, 1], [1, missing, 2, 2]),
        lambda: stats.cohen_kappa(["a", "b"], ["a", missing]),
        lambda: stats.cohen_kappa([1, 2], [1, 2], categories=[1, 2, missing]),
        lambda: stats.pearson([1, 2, missing], [1, 2, 3]),
        lambda: stats.spearman([1, 2, 3], [1, missing, 3]),
        lambda: stats.kendall_tau([1, 2, 3], [1, missing, 3]),
        lambda: stats.tau_u([1, missing], [(1, 0, 2), (2, 1, 3)]),
        lambda: stats.tau_u([1, 2], [(1, 0, 2), (2, 1, missing)]),
        lambda: stats.holm([0.1, missing]),
        lambda: stats.benjamini_hochberg([missing]),
        lambda: stats.ppi_mean([1, missing], [1, 0], [1, 0]),
        lambda: stats.ppi_mean([1, 0], [1, 0], [1, missing]),
        lambda: stats.bradley_terry(["a", missing], ["b", "a"], [1, 0]),
        lambda: stats.bradley_terry(["a", "a"], ["b", "b"], [1, missing]),
        lambda: stats.bradley_terry(["a", "a"], ["b", "b"], [1, 0], weights=[1, missing]),
        lambda: stats.mcnemar(missing, 3),
    ]
    for call in calls:
        with pytest.raises(stats.StatisticsError, match="None|NaN"):
            call()
    if missing is None:
        assert stats.krippendorff_alpha([[1, None, 1], [2, 2], [1, 2]], rounds=20).ratings == 6
        return
    for level in ("nominal", "ordinal", "interval", "ratio"):
        with pytest.raises(stats.StatisticsError, match="missing is None"):
            stats.krippendorff_alpha([[1, missing, 1], [2, 2]], level=level)


@pytest.mark.parametrize("value", ["quad", "Quadratic", "LINEAR", "none", "", "any", 2, True, "linear "])
def test_misspelt_settings_are_refused_with_those_that_there_are(value: Any) -> None:
    with pytest.raises(stats.StatisticsError, match="weights=.*expected 'linear', 'quadratic' or None"):
        stats.cohen_kappa([1, 2, 3], [1, 2, 2], weights=value)
    with pytest.raises(stats.StatisticsError, match="scale=.*expected 'elo' or 'log-odds'"):
        stats.bradley_terry("ab", "ba", [1, 0], scale=value)
    with pytest.raises(stats.StatisticsError, match="level=.*'nominal', 'ordinal', 'interval' or 'ratio'"):
        stats.krippendorff_alpha([["a", "b"], ["a", "a"]], level=value)


def test_the_spelling_of_the_docs_is_taken() -> None:
    first, second = [1, 2, 3, 3, 1], [1, 2, 2, 3, 2]
    kappas = [stats.cohen_kappa(first, second, weights=w).value for w in (None, "linear", "quadratic")]
    assert len(set(kappas)) == 3


def test_a_text_that_looks_like_a_number_is_asked_about() -> None:
    alike: list[tuple[list[Any], list[Any]]] = [
        (["1", "2"], [1, 2]), ([1.0, 0.0], ["1", "0"]), (["tie", "0"], [0, "tie"]),
    ]  # fmt: skip
    for first, second in alike:
        with pytest.raises(stats.StatisticsError, match="are they one category"):
            stats.cohen_kappa(first, second)
        with pytest.raises(stats.StatisticsError, match="are they one category"):
            stats.krippendorff_alpha(list(zip(first, second, strict=True)))
    with pytest.raises(stats.StatisticsError, match="the labels have no order"):
        stats.cohen_kappa([1, "tie"], ["tie", 1], weights="linear")
    assert stats.cohen_kappa([1, "tie"], ["tie", 1], weights="linear", categories=[1, "tie"]).value < 0


def test_perfect_agreement_has_a_value_and_no_interval() -> None:
    assert stats.kendall_tau([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]) == (1.0, (None, None))
    assert stats.kendall_tau([1, 2, 3], [3, 2, 1]).value == -1.0
    alpha = stats.krippendorff_alpha([["a", "a"], ["b", "b"], ["a", "a"]])
    assert (alpha.value, alpha.interval) == (1.0, (None, None))
    for bad in ({"rounds": 0}, {"level": 95}, {"level": 0}):
        with pytest.raises(stats.StatisticsError):
            stats.kendall_tau([1, 2, 3], [1, 3, 2], **bad)


def test_counts_and_rows_are_checked() -> None:
    assert stats.mcnemar(3.0, numpy.int64(9)).exact_p == stats.mcnemar(3, 9).exact_p  # type: ignore[arg-type]
    for bad in (-1, 2.5, 2**40, "3"):
        with pytest.raises(stats.StatisticsError, match="expected a count"):
            stats.mcnemar(bad, 3)  # type: ignore[arg-type]
    with pytest.raises(stats.StatisticsError, match="row 1: 'b' is compared with itself"):
        stats.bradley_terry("ab", "bb", [1, 0])
    with pytest.raises(stats.StatisticsError, match="lists of one length"):
        stats.bradley_terry("ab", "ba", [1])
    both_bad = stats.bradley_terry("aab", "bba", ["model_a", "tie (bothbad)", "tie"])
    assert both_bad == stats.bradley_terry("aab", "bba", [1, 0.5, 0.5])


@pytest.mark.parametrize(
    "name, values, given, said",
    [
        ("wilson", ("a", 3), {}, "successes=: expected a number, found 'a'"),
        ("wilson", (None, 3), {}, "successes=: expected a number, found None"),
        ("wilson", (1, 3), {"level": True}, "level=: expected a number, found True"),
        ("kendall_tau", ([1, 2, 3], [1, 3, 2]), {"rounds": -1}, "rounds=: expected a count"),
        ("kendall_tau", ([1, 2, 3], [1, 3, 2]), {"seed": 1.5}, "seed=: expected a count"),
        ("kendall_tau", ([1, 2, 3], [1, 3, 2]), {"level": None}, "level=: expected a number"),
        ("krippendorff_alpha", ([[1, 2], [1, 1]],), {"rounds": "many"}, "rounds=: expected a count"),
        ("pearson", ([1e308, 2], [1, 2]), {}, r"x\[0\]: expected a number between .*1e\+308"),
        ("ppi_mean", ([1, 0], [1, 0], [1]), {"power": "all"}, "power=: expected a number"),
        ("mcnemar", (None, 3), {}, "only_first=: expected a count"),
    ],
)
def test_a_setting_of_a_wrong_kind_is_refused_by_its_name(
    name: str, values: tuple[Any, ...], given: dict[str, Any], said: str
) -> None:
    with pytest.raises(stats.StatisticsError, match=said) as error:
        getattr(stats, name)(*values, **given)
    assert len(str(error.value)) < 200


def test_settings_may_be_numbers_of_numpy_and_whole_floats() -> None:
    x, y = [1, 2, 3, 4, 5, 6], [1, 3, 2, 4, 6, 5]
    expected = stats.kendall_tau(x, y, rounds=100, level=0.9, seed=3)
    given: dict[str, Any] = {"rounds": 1e2, "level": numpy.float64(0.9), "seed": numpy.int64(3)}
    assert stats.kendall_tau(x, y, **given) == expected

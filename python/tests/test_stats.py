"""The statistics, against values worked out elsewhere: by hand, or by the papers that define them."""

from __future__ import annotations

import math

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

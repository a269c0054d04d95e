"""Writes agreement.json beside itself: what other programs say of the inputs in it.

Run it with any Python that has the packages listed at the end; their versions are written to the file.  The seed is fixed.
"""

import json
import math
import warnings
from importlib.metadata import version
from pathlib import Path

import krippendorff
import numpy as np
from scipy import stats
from sklearn.metrics import brier_score_loss, cohen_kappa_score, log_loss
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests

warnings.simplefilter("ignore")
draw = np.random.default_rng(20240901)


def number(x):
    """A finite number, or null for what the program calls NaN."""
    x = float(x)
    return x if math.isfinite(x) else None


def points():
    yield "ties", draw.integers(0, 5, 30), draw.integers(0, 4, 30)
    yield "no ties", draw.normal(size=40), draw.normal(size=40)
    x = draw.normal(size=25)
    yield "strong", x, x + 0.1 * draw.normal(size=25)
    yield "opposite", x, -2.0 * x + 0.3 * draw.normal(size=25)
    yield "half tied", np.round(x), x
    yield "far from 0", 1e6 + draw.normal(size=20), 1e-6 * draw.normal(size=20)
    yield "two points", [1.0, 2.0], [5.0, 3.0]
    yield "two values", draw.integers(0, 2, 50), draw.integers(0, 2, 50)
    yield "constant", [1.0, 1.0, 1.0], [1.0, 2.0, 3.0]
    yield "perfect", [1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]


def correlation(name, x, y):
    x, y = np.asarray(x, float), np.asarray(y, float)
    return {
        "name": name, "x": x.tolist(), "y": y.tolist(),
        "pearson": number(stats.pearsonr(x, y)[0]),
        "spearman": number(stats.spearmanr(x, y)[0]),
        "kendall_tau_b": number(stats.kendalltau(x, y)[0]),
    }


def label_lists():
    for name, k, n, agree in [("two", 2, 60, 0.7), ("five", 5, 80, 0.5), ("chance", 3, 50, 0.0), ("rare", 4, 40, 0.9)]:
        first = draw.integers(0, k, n) if name != "rare" else draw.choice(k, n, p=[0.85, 0.05, 0.05, 0.05])
        second = np.where(draw.random(n) < agree, first, draw.integers(0, k, n))
        yield name, k, first, second
    yield "unused category", 4, draw.integers(0, 3, 30), draw.integers(0, 3, 30)
    yield "perfect", 3, np.array([0, 1, 2, 1]), np.array([0, 1, 2, 1])
    yield "one sided", 2, np.array([0, 0, 0, 1]), np.array([0, 0, 0, 0])
    yield "one category", 2, np.array([1, 1, 1]), np.array([1, 1, 1])


def kappas(name, k, first, second):
    table = np.zeros((k, k))
    np.add.at(table, (first, second), 1)
    case = {"name": name, "categories": k, "first": first.tolist(), "second": second.tolist()}
    for weights, ours in [(None, "any"), ("linear", "linear"), ("quadratic", "quadratic")]:
        i, j = np.indices((k, k))
        distance = {"any": (i != j) * 1.0, "linear": abs(i - j) * 1.0, "quadratic": (i - j) ** 2.0}[ours]
        result = cohens_kappa(table) if weights is None else cohens_kappa(table, weights=distance)
        kappa = number(cohen_kappa_score(first, second, weights=weights, labels=list(range(k))))
        case[ours] = {"kappa": kappa, "standard_error": number(result.std_kappa) if kappa is not None else None}
    return case


def rating_tables():
    for name, units, raters, high, missing in [("small", 12, 3, 3, 0.2), ("likert", 30, 4, 7, 0.3), ("full", 20, 2, 5, 0.0)]:
        truth = draw.integers(1, high + 1, units)
        noise = draw.integers(-1, 2, (units, raters))
        table = np.clip(truth[:, None] + noise, 1, high).astype(float)
        table[draw.random(table.shape) < missing] = np.nan
        yield name, table
    table = np.round(draw.normal(5, 2, (15, 3)), 2)
    table[draw.random(table.shape) < 0.2] = np.nan
    yield "continuous", np.abs(table)
    yield "zeros", np.array([[0, 0, 1], [0, 2, 2], [3, np.nan, 3], [1, 1, np.nan], [0, 0, 0]], float)
    yield "perfect", np.array([[1, 1], [2, 2], [3, 3]], float)


def alphas(name, table):
    def alpha(scale):
        return number(krippendorff.alpha(reliability_data=table.T, level_of_measurement=scale))

    units = [[None if math.isnan(x) else x for x in row] for row in table.tolist()]
    return {"name": name, "units": units} | {s: alpha(s) for s in ["nominal", "ordinal", "interval", "ratio"]}


def mcnemars(b, c):
    table = [[3, b], [c, 5]]
    exact = mcnemar(table, exact=True)
    plain = mcnemar(table, exact=False, correction=False)
    corrected = mcnemar(table, exact=False, correction=True)
    return {
        "b": b, "c": c, "exact_p": exact.pvalue, "chi_square": plain.statistic, "p": plain.pvalue,
        "corrected_chi_square": corrected.statistic, "corrected_p": corrected.pvalue,
    }


def forecasts():
    p = draw.random(50)
    yield "calibrated", p, draw.random(50) < p
    yield "certain", np.array([0.0, 1.0, 1.0, 0.0, 0.5]), np.array([False, True, False, True, True])
    yield "all true", draw.random(10), np.ones(10, bool)


def losses(name, p, outcomes):
    return {
        "name": name, "p": p.tolist(), "outcomes": outcomes.tolist(),
        "brier": brier_score_loss(outcomes, p, pos_label=True, labels=[False, True]),
        "log_loss": log_loss(outcomes, p, labels=[False, True]),
    }


def adjustments(p):
    adjust = lambda method: multipletests(p, method=method)[1].tolist()
    return {"p": list(p), "holm": adjust("holm"), "benjamini_hochberg": adjust("fdr_bh")}


def tau_u(scores, ratings, half, u):
    """By the definition in RealRank, section 2.2, pair by pair."""
    c = d = t_a = t_h = pairs = 0
    for i in range(len(scores)):
        for j in range(i):
            close = abs(ratings[i] - ratings[j]) <= u
            disjoint = abs(ratings[i] - ratings[j]) > half[i] + half[j]
            if close and disjoint:
                a, h = np.sign(scores[i] - scores[j]), np.sign(ratings[i] - ratings[j])
                pairs, c, d = pairs + 1, c + (a * h > 0), d + (a * h < 0)
                t_a, t_h = t_a + (a == 0 and h != 0), t_h + (h == 0 and a != 0)
    tau = (c - d) / math.sqrt((c + d + t_a) * (c + d + t_h)) if pairs else None
    return {"scores": list(map(float, scores)), "ratings": list(map(float, ratings)), "half": list(map(float, half)),
            "u": float(u), "pairs": int(pairs), "tau": number(tau) if tau is not None else None}


def taus():
    for u in [10, 40, 100, 1000]:
        ratings = draw.integers(1000, 1200, 14)
        scores = np.round((ratings - 1100) / 20 + draw.normal(0, 3, 14))
        yield scores, ratings, draw.integers(1, 8, 14), u


packages = ["numpy", "scipy", "scikit-learn", "statsmodels", "krippendorff"]
cases = {
    "versions": {package: version(package) for package in packages},
    "correlation": [correlation(*case) for case in points()],
    "kappa": [kappas(*case) for case in label_lists()],
    "alpha": [alphas(*case) for case in rating_tables()],
    "mcnemar": [mcnemars(b, c) for b, c in [(1, 5), (0, 3), (10, 20), (40, 60), (450, 551), (7, 8), (0, 200), (3000, 3300)]],
    "forecasts": [losses(*case) for case in forecasts()],
    "multiplicity": [adjustments(p) for p in [
        np.round(draw.random(12) ** 3, 4).tolist(), [0.01, 0.01, 0.02, 0.02, 0.9], [1.0, 0.0, 0.5], [0.04]]],
    "tau_u": [tau_u(*case) for case in taus()],
}
Path(__file__).with_name("agreement.json").write_text(json.dumps(cases, indent=None, separators=(",", ":")) + "\n")

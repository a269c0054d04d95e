"""Records what statsmodels and scipy say of sandwich covariances and BCa intervals, for inference.rs.

Run with numpy, scipy and statsmodels: it writes inference.json next to itself, with the versions used.

- Bradley-Terry as a binomial generalised linear model without intercept: row = +1 for a, -1 for b, the last system at 0;
  a tie is a response of 1/2.  HC0 covariance and cluster covariance by item (use_correction=False), both brought to the
  gauge in which strengths sum to 0.
- scipy.stats.bootstrap(method="BCa") of a mean, with the resampled means that it drew.
- Quantiles of the studentised range.
"""

import json
import platform
from pathlib import Path

import numpy as np
import scipy
import statsmodels
import statsmodels.api as sm
from scipy import stats


def comparisons(rng, systems, items, ties):
    """Rows item, a, b, points of a, weight 1; the items have tastes of their own."""
    strengths = np.linspace(-0.8, 0.8, systems)
    rows = []
    for item in range(items):
        taste = rng.normal(0, 0.7, systems)
        for _ in range(int(rng.integers(1, 5))):
            a, b = (int(x) for x in rng.choice(systems, 2, replace=False))
            lead = strengths[a] - strengths[b] + taste[a] - taste[b]
            u = rng.random()
            points = 0.5 if rng.random() < ties else float(u < 1 / (1 + np.exp(-lead)))
            rows.append([item, a, b, points])
    return rows


def design(rows, systems):
    x = np.zeros((len(rows), systems))
    for r, (_, a, b, _) in enumerate(rows):
        x[r, a], x[r, b] = 1, -1
    return x[:, :-1]


def centred(values, covariance):
    m = len(values) + 1
    wide, square = np.append(values, 0), np.zeros((m, m))
    square[:-1, :-1] = covariance
    p = np.eye(m) - 1 / m
    return p @ wide, p @ square @ p


def sandwich_case(seed, systems, items, ties):
    rows = comparisons(np.random.default_rng(seed), systems, items, ties)
    x, y = design(rows, systems), np.array([row[3] for row in rows])
    groups = np.array([row[0] for row in rows])
    model = sm.GLM(y, x, family=sm.families.Binomial())
    fit = lambda **how: model.fit(method="newton", tol=1e-14, maxiter=100, **how)
    hc0 = fit(cov_type="HC0")
    clustered = fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    strengths, matrix = centred(hc0.params, hc0.cov_params())
    _, by_item = centred(clustered.params, clustered.cov_params())
    return {
        "systems": systems,
        "rows": rows,
        "strengths": strengths.tolist(),
        "hc0": matrix.ravel().tolist(),
        "cluster": by_item.ravel().tolist(),
        "z_test_0_1": float(2 * stats.norm.sf(abs(strengths[0] - strengths[1]) / np.sqrt(matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1]))),
    }


def bca_case(seed, n, rounds, level):
    rng = np.random.default_rng(seed)
    data = np.round(rng.exponential(2.0, n), 3)
    drawn = scipy.stats.bootstrap((data,), np.mean, n_resamples=rounds, confidence_level=level, method="BCa", rng=np.random.default_rng(seed + 1), vectorized=True)
    interval = drawn.confidence_interval
    jackknife = [float(np.mean(np.delete(data, i))) for i in range(n)]
    return {
        "data": data.tolist(),
        "point": float(np.mean(data)),
        "rounds": drawn.bootstrap_distribution.tolist(),
        "jackknife": jackknife,
        "level": level,
        "interval": [float(interval.low), float(interval.high)],
    }


def main():
    record = {
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__, "statsmodels": statsmodels.__version__},
        "sandwich": [sandwich_case(1, 3, 25, 0.2), sandwich_case(2, 6, 80, 0.1), sandwich_case(3, 9, 70, 0.0)],
        "bca": [bca_case(4, 15, 199, 0.9), bca_case(5, 40, 300, 0.95)],
        "studentized_range_95": {str(k): float(stats.studentized_range.ppf(0.95, k, np.inf)) for k in (3, 4, 8)},
    }
    Path(__file__).with_name("inference.json").write_text(json.dumps(record, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()

"""Records what ppi_py says of small data sets, and the interval of Lang and Reiczigel written out in numpy.

Run with numpy, scipy and ppi-python: it writes ppi.json next to itself, with the versions used.

ppi_py's mean interval takes variances over n; its logistic interval over n - 1, as ours does for both.  Its tuned lambda
takes the judge's variance pooled over labelled and other rows; so each case is recorded at given lambdas, and the
tuned lambda beside them.
"""

import json
import platform
from importlib.metadata import version
from pathlib import Path

import numpy as np
from ppi_py import ppi_logistic_ci, ppi_logistic_pointestimate, ppi_mean_ci, ppi_mean_pointestimate
from ppi_py.ppi import _calc_lam_glm
from scipy.stats import norm

LAMBDAS = [0.0, 0.3, 1.0]
ALPHA = 0.05


def mean_case(rng, n, others, skill, outcomes):
    truth = rng.choice(outcomes, size=n + others)
    low, high = outcomes[0], outcomes[-1]
    noise = rng.uniform(low, high, size=n + others)
    judge = np.round(np.clip(skill * truth + (1 - skill) * noise + 0.1, low, high), 3)
    human, labelled, unlabelled = truth[:n], judge[:n], judge[n:]
    centre = unlabelled.mean() + (human - labelled).mean()
    tuned = _calc_lam_glm(human - centre, labelled - centre, unlabelled - centre, np.eye(1), clip=True)
    runs = []
    for lam in LAMBDAS:
        low, high = ppi_mean_ci(human, labelled, unlabelled, alpha=ALPHA, lam=lam)
        estimate = ppi_mean_pointestimate(human, labelled, unlabelled, lam=lam)
        runs.append({"lambda": lam, "estimate": float(np.squeeze(estimate)), "low": float(low[0]), "high": float(high[0])})
    return {"human": human.tolist(), "labelled": labelled.tolist(), "unlabelled": unlabelled.tolist(), "tuned": float(tuned), "runs": runs}


def pairs_case(rng, k, n, others, noise):
    strength = np.linspace(0.8, -0.8, k)
    a = rng.integers(0, k, size=n + others)
    b = (a + rng.integers(1, k, size=n + others)) % k
    chance = 1 / (1 + np.exp(strength[b] - strength[a]))
    human = (rng.uniform(size=n + others) < chance).astype(float)
    judge = np.round(np.clip((1 - noise) * human + noise * rng.uniform(size=n + others), 0, 1), 3)
    x = np.zeros((n + others, k))
    x[np.arange(n + others), a] += 1
    x[np.arange(n + others), b] -= 1
    x = x[:, :-1]
    parts = (x[:n], human[:n], judge[:n], x[n:], judge[n:])
    options = {"ftol": 1e-16, "gtol": 1e-12, "maxiter": 10000}
    runs = []
    for lam in [0.3, 0.9]:
        estimate = ppi_logistic_pointestimate(*parts, lam=lam, optimizer_options=dict(options))
        low, high = ppi_logistic_ci(*parts, lam=lam, alpha=ALPHA, optimizer_options=dict(options))
        runs.append({"lambda": lam, "estimate": estimate.tolist(), "half": ((high - low) / 2).tolist()})
    rows = [[int(i), int(j), float(y), float(f)] for i, j, y, f in zip(a[:n], b[:n], human[:n], judge[:n])]
    rest = [[int(i), int(j), float(f)] for i, j, f in zip(a[n:], b[n:], judge[n:])]
    return {"systems": k, "labelled": rows, "unlabelled": rest, "runs": runs}


def lang_reiczigel(passed, trials, se, n1, sp, n0, level):
    z = norm.ppf(0.5 + level / 2)
    t, n = (passed + z**2 / 2) / (trials + z**2), trials + z**2
    s, c = (se + 1) / (n1 + 2), (sp + 1) / (n0 + 2)
    p = (t + c - 1) / (s + c - 1)
    shift = 2 * z**2 * (p * s * (1 - s) / (n1 + 2) - (1 - p) * c * (1 - c) / (n0 + 2))
    variance = t * (1 - t) / n + p**2 * s * (1 - s) / (n1 + 2) + (1 - p) ** 2 * c * (1 - c) / (n0 + 2)
    half = z * np.sqrt(variance) / (s + c - 1)
    counts = [passed, trials, se, n1, sp, n0]
    return {"counts": counts, "level": level, "low": float(max(p + shift - half, 0)), "high": float(min(p + shift + half, 1))}


def main():
    rng = np.random.default_rng(20261122)
    out = {
        "versions": {"python": platform.python_version()} | {name: version(name) for name in ("ppi-python", "numpy", "scipy")},
        "mean": [
            mean_case(rng, 30, 80, 0.8, [0.0, 0.5, 1.0]),
            mean_case(rng, 25, 60, 0.0, [0.0, 1.0]),
            mean_case(rng, 40, 50, 0.5, [1.0, 2.0, 3.0, 4.0]),
        ],
        "pairs": [pairs_case(rng, 2, 40, 100, 0.3), pairs_case(rng, 4, 80, 200, 0.5)],
        "lang_reiczigel": [
            lang_reiczigel(60, 100, 45, 50, 32, 40, 0.95),
            lang_reiczigel(3, 30, 28, 30, 29, 30, 0.95),
            lang_reiczigel(480, 500, 17, 20, 9, 12, 0.9),
        ],
    }
    path = Path(__file__).with_name("ppi.json")
    path.write_text(json.dumps(out, separators=(",", ":")) + "\n")


main()

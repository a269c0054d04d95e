"""Records what independent programs make of small tallies, for tests/it/pairwise.rs.

Run with numpy, scipy and choix; writes pairwise.json next to itself, with the versions used.
Bradley-Terry is choix's iterative Luce spectral ranking without regularisation.  The tie models are written here as
plain probabilities, differentiated by complex steps, and their gradient brought to zero by scipy.  Eigenvectors are
numpy's.  A row is [a, b, won by a, tied, won by b].
"""

import importlib.metadata
import json
import pathlib
import platform

import choix
import numpy as np
import scipy
import scipy.optimize
import scipy.stats

rng = np.random.default_rng(20240731)


def simulated(k, per_pair, tie, missing):
    """Every pair with some probability, a few games each, with fractional weights."""
    strength = np.sort(rng.normal(0, 1, k))[::-1]
    rows = []
    for a in range(k):
        for b in range(a + 1, k):
            if rng.random() < missing and b != a + 1:
                continue
            weights = np.array([np.exp((strength[a] - strength[b]) / 2), tie, np.exp((strength[b] - strength[a]) / 2)])
            counts = rng.multinomial(per_pair, weights / weights.sum()) + 0.25 * rng.integers(0, 3, 3)
            rows.append([a, b, *[float(x) for x in counts]])
    return rows


CASES = {
    "two": (2, [[0, 1, 5.0, 2.0, 1.0]]),
    "three": (3, [[0, 1, 3.0, 1.0, 2.0], [1, 2, 4.0, 2.0, 1.0], [0, 2, 2.0, 3.0, 2.0]]),
    "few ties": (4, [[0, 1, 30.0, 1.0, 9.0], [1, 2, 12.0, 0.0, 8.0], [2, 3, 7.0, 0.0, 3.0], [0, 3, 19.0, 0.0, 1.0]]),
    "mostly ties": (3, [[0, 1, 1.0, 40.0, 2.0], [1, 2, 3.0, 35.0, 1.0], [0, 2, 2.0, 50.0, 1.0]]),
    "linked by a tie": (3, [[0, 1, 4.0, 0.0, 2.0], [1, 2, 5.0, 1.0, 0.0]]),
    "far apart": (3, [[0, 1, 900.0, 5.0, 1.0], [1, 2, 800.0, 3.0, 2.0]]),
    "eight": (8, simulated(8, 12, 0.7, 0.3)),
    "twenty": (20, simulated(20, 30, 0.3, 0.6)),
}


def tables(k, rows):
    wins, ties = np.zeros((k, k)), np.zeros((k, k))
    for a, b, x, t, y in rows:
        wins[a, b] += x
        wins[b, a] += y
        ties[a, b] += t
        ties[b, a] += t
    return wins, ties


def davidson_log_likelihood(s, tie, rows):
    total, p = 0, np.exp(s)
    for a, b, x, t, y in rows:
        middle = np.exp(tie) * np.sqrt(p[a] * p[b])
        whole = p[a] + p[b] + middle
        total = total + x * np.log(p[a] / whole) + t * np.log(middle / whole) + y * np.log(p[b] / whole)
    return total


def rao_kupper_log_likelihood(s, tie, rows):
    total, p, theta = 0, np.exp(s), 1 + np.exp(tie)
    for a, b, x, t, y in rows:
        win, loss = p[a] / (p[a] + theta * p[b]), p[b] / (p[b] + theta * p[a])
        even = (theta**2 - 1) * p[a] * p[b] / ((p[a] + theta * p[b]) * (theta * p[a] + p[b]))
        assert abs(win + loss + even - 1) < 1e-9
        total = total + x * np.log(win) + t * np.log(even) + y * np.log(loss)
    return total


def maximum(log_likelihood, k, rows):
    """Strengths of mean 0 and the free tie parameter; the last strength is the sum of the others, negated."""

    def value(z):
        return log_likelihood(np.append(z[:-1], -z[:-1].sum()), z[-1], rows)

    def gradient(z):
        steps = 1e-30j * np.eye(k)
        return np.array([value(z + step).imag / 1e-30 for step in steps])

    near = scipy.optimize.minimize(lambda z: -value(z), np.zeros(k), jac=lambda z: -gradient(z), method="BFGS").x
    found = scipy.optimize.root(gradient, near, method="hybr", options={"xtol": 1e-15}).x
    assert np.abs(gradient(found)).max() < 1e-10 * max(sum(r[2:]) for r in rows), gradient(found)
    return np.append(found[:-1], -found[:-1].sum()), found[-1]


def weakness(matrix):
    values, vectors = np.linalg.eig(matrix.T)
    vector = np.abs(vectors[:, np.argmax(values.real)].real)
    return vector / np.linalg.norm(vector)


def stationary(matrix, damping=0.85):
    k = len(matrix)
    lost = matrix.sum(axis=0)
    steps = np.where(lost > 0, matrix / np.where(lost > 0, lost, 1), 1 / k)  # column: from, row: to
    return np.linalg.solve(np.eye(k) - damping * steps, np.full(k, (1 - damping) / k))


def case(name, k, rows):
    wins, ties = tables(k, rows)
    points = wins + ties / 2
    strengths = choix.ilsr_pairwise_dense(points, alpha=0.0, max_iter=100_000, tol=1e-13)
    (davidson, log_nu), (rao_kupper, tie) = (
        maximum(f, k, rows) for f in (davidson_log_likelihood, rao_kupper_log_likelihood)
    )
    with np.errstate(invalid="ignore"):
        shares = points / (points + points.T)
    return {
        "name": name,
        "systems": k,
        "rows": rows,
        "bradley_terry": list(strengths - strengths.mean()),
        "davidson": list(davidson),
        "nu": float(np.exp(log_nu)),
        "rao_kupper": list(rao_kupper),
        "theta": float(1 + np.exp(tie)),
        "counting": list(points.sum(axis=1)),
        "average_win_rate": list(np.nanmean(shares, axis=1)),
        "eigenvector": list(weakness(points)),
        "pagerank": list(stationary(points)),
    }


def trimmed():
    cases = []
    for n in (1, 5, 9, 10, 23, 40):
        scores = [float(x) for x in rng.integers(0, 10, n)]
        for permille in (0, 100, 250, 400):
            cases.append({"scores": scores, "permille": permille, "mean": float(scipy.stats.trim_mean(scores, permille / 1000))})
    return cases


if __name__ == "__main__":
    found = {
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "choix": importlib.metadata.version("choix"),
        },
        "pairwise": [case(name, k, rows) for name, (k, rows) in CASES.items()],
        "trimmed_mean": trimmed(),
    }
    pathlib.Path(__file__).with_name("pairwise.json").write_text(json.dumps(found, indent=1) + "\n")

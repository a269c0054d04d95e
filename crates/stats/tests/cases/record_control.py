"""Records logistic regressions of statsmodels as cases for `control.rs`: run it, and it writes `control.json` beside itself.

Made with statsmodels 0.15.0, scikit-learn 1.9.1, scipy 1.17, numpy 2.4.6.

Five systems and three covariates; the design has one column for each system but the last (a minus b), then the
covariates.  A weight multiplies its row (`var_weights`), which stays one observation.  Coefficients are GLM Binomial by maximum likelihood to a tolerance of 1e-14; the covariances are HC0 and
clustered, without small-sample correction (`use_correction=False`), for strengths in the gauge of mean 0.  The length
cases are the same regression on (length, 1, difficulty), the L2 case a dense minimisation by scipy.
"""

import json
import pathlib

import numpy as np
import scipy
import sklearn
import statsmodels
import statsmodels.api as sm
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

K, P = 5, 3
rng = np.random.default_rng(20240828)


def rounded(x):
    return np.round(x, 3)


def battles(n, fractions):
    a = rng.integers(0, K, n)
    b = (a + rng.integers(1, K, n)) % K
    x = rounded(rng.normal(size=(n, P)))
    lead = np.array([0.8, 0.3, 0.0, -0.4, -0.7])
    p = 1 / (1 + np.exp(-(lead[a] - lead[b] + x @ [0.5, -0.3, 0.1])))
    won = rounded(np.clip(p + rng.normal(scale=0.2, size=n), 0, 1)) if fractions else (rng.random(n) < p).astype(float)
    return a, b, x, won, rng.integers(0, n // 4, n)


def design(a, b, x):
    rows = np.zeros((len(a), K))
    rows[np.arange(len(a)), a] += 1
    rows[np.arange(len(a)), b] -= 1
    return np.hstack([rows[:, : K - 1], x])


def gauge():
    """From strengths with the last at 0, and coefficients, to strengths of mean 0, and coefficients."""
    centre = np.eye(K)[:, : K - 1] - 1 / K
    return np.block([[centre, np.zeros((K, P))], [np.zeros((P, K - 1)), np.eye(P)]])


def glm(won, rows, weight, **cov):
    model = sm.GLM(won, rows, family=sm.families.Binomial(), var_weights=weight)
    return model.fit(tol=1e-14, maxiter=100, tol_criterion="params", **cov)


def style(fractions, weighted):
    a, b, x, won, cluster = battles(160, fractions)
    weight = rounded(rng.uniform(0.5, 2, len(a))) if weighted else None
    to_mean = gauge()
    row = design(a, b, x)
    plain = glm(won, row, weight, cov_type="HC0")
    groups = {"groups": cluster, "use_correction": False}
    grouped = glm(won, row, weight, cov_type="cluster", cov_kwds=groups)
    if not fractions and not weighted:
        logit = sm.Logit(won, row).fit(disp=0, tol=1e-14, maxiter=100, cov_type="HC0")
        assert np.allclose(logit.params, plain.params, atol=1e-10)
        assert np.allclose(logit.cov_params(), plain.cov_params(), atol=1e-10)
    return {
        "a": a.tolist(), "b": b.tolist(), "won": won.tolist(), "covariates": x.T.tolist(), "cluster": cluster.tolist(),
        "weight": None if weight is None else weight.tolist(),
        "estimates": (to_mean @ plain.params).tolist(),
        "hc0": (to_mean @ plain.cov_params() @ to_mean.T).ravel().tolist(),
        "clustered": (to_mean @ grouped.cov_params() @ to_mean.T).ravel().tolist(),
    }


def length(with_difficulty):
    n = 120
    lengths = rounded(np.tanh(rng.normal(size=n)))
    difficulty = rounded(rng.normal(size=n))
    p = 1 / (1 + np.exp(-(0.4 - 0.9 * lengths + 0.7 * difficulty)))
    won = rounded(np.clip(p + rng.normal(scale=0.15, size=n), 0, 1))
    columns = [lengths, np.ones(n)] + ([difficulty] if with_difficulty else [])
    x = np.column_stack(columns)
    fit = glm(won, x, None, cov_type="HC0")
    # The same by scikit-learn: each item once as won and once as lost, weighted.
    twice = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-12, solver="newton-cholesky")
    twice.fit(np.vstack([x, x]), np.repeat([1, 0], n), sample_weight=np.concatenate([won, 1 - won]))
    assert np.allclose(twice.coef_[0], fit.params, atol=1e-7)
    equal = x.copy()
    equal[:, 0] = 0
    chance = 1 / (1 + np.exp(-equal @ fit.params))
    pull = np.linalg.solve((x.T * (fit.fittedvalues * (1 - fit.fittedvalues))) @ x, (equal.T @ (chance * (1 - chance))) / n)
    influence = (chance - chance.mean()) / n + (won - fit.fittedvalues) * (x @ pull)
    return {
        "preferred": won.tolist(), "length": lengths.tolist(), "difficulty": difficulty.tolist() if with_difficulty else None,
        "estimates": fit.params.tolist(), "standard_errors": fit.bse.tolist(), "win_rate": chance.mean(),
        "win_rate_error": np.sqrt((influence**2).sum()),
    }


def joint():
    models, items, ridge = 4, 12, 0.5
    model, item = np.repeat(np.arange(models), items), np.tile(np.arange(items), models)
    keep = rng.random(len(model)) < 0.9
    model, item = model[keep], item[keep]
    lengths = rounded(np.tanh(rng.normal(size=len(model))))
    won = rounded(rng.random(len(model)))

    def loss(at):
        theta, phi, gamma = at[:models], at[models : 2 * models], at[2 * models :]
        lead = theta[model] + phi[model] * lengths + gamma[item]
        r = 1 / (1 + np.exp(-lead)) - won
        gradient = [np.bincount(model, r, models), np.bincount(model, r * lengths, models)]
        gradient.append(np.bincount(item, r, items) + ridge * gamma)
        return (np.logaddexp(0, lead) - won * lead).sum() + ridge / 2 * gamma @ gamma, np.concatenate(gradient)

    at = np.zeros(2 * models + items)
    at = minimize(loss, at, jac=True, method="BFGS", options={"gtol": 1e-12}).x
    for _ in range(3):  # Newton's steps with a numerical Hessian, to the last digits.
        hessian = np.array([(loss(at + h)[1] - loss(at - h)[1]) / 2e-5 for h in np.eye(len(at)) * 1e-5])
        at = at - np.linalg.solve(hessian + 1e-9 * np.eye(len(at)), loss(at)[1])
    return {
        "models": models, "items": items, "ridge": ridge, "model": model.tolist(), "item": item.tolist(),
        "preferred": won.tolist(), "length": lengths.tolist(), "difficulty": at[2 * models :].tolist(),
    }


cases = {
    "made_with": {m.__name__: m.__version__ for m in (statsmodels, sklearn, scipy, np)},
    "style": [style(False, False), style(True, False), style(True, True)],
    "length": [length(True), length(False)],
    "joint": joint(),
}
pathlib.Path(__file__).with_name("control.json").write_text(json.dumps(cases) + "\n")

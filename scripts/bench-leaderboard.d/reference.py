"""The maximum of the Bradley-Terry likelihood, a tie counting half, found by other means than ours, and how near to it others are.

Newton's method on exact counts, steps solved by scipy's Cholesky, the gradient summed in extended precision. Scores are on the Elo
scale with mean 0. `gradient` is the largest component of the gradient at the end, in battles; `step` the largest last step in Elo
points, which bounds how far the maximum still is. `half_widths` are of 95 % sandwich intervals, rows independent, mean fixed.

Usage: reference.py BATTLES.csv OUT.json
"""
import json
import sys

import numpy as np
import pandas as pd
from scipy.linalg import cho_factor, cho_solve

ELO = 400 / np.log(10)


def counts(battles):
    """Names in order, points[i, j]: what i won over j, half of the ties in it; and ties[i, j], symmetric."""
    codes, names = pd.factorize(pd.concat([battles["model_a"], battles["model_b"]]), sort=True)
    a, b = codes[: len(battles)], codes[len(battles) :]
    won = battles["winner"].map({"model_a": 1.0, "model_b": 0.0, "tie": 0.5, "tie (bothbad)": 0.5}).to_numpy()
    size = len(names)
    points = np.bincount(a * size + b, won, size * size) + np.bincount(b * size + a, 1 - won, size * size)
    ties = np.bincount(a * size + b, won == 0.5, size * size).reshape(size, size)
    return list(names), points.reshape(size, size), ties + ties.T


def fit(points, steps=100, enough=1e-13):
    games = (points + points.T).astype(np.longdouble)
    strengths = np.zeros(len(points), dtype=np.longdouble)
    for _ in range(steps):
        p = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
        gradient = (points - games * p).sum(axis=1)
        weight = (games * p * (1 - p)).astype(float)
        # The constant that the likelihood does not know is held by adding one to every cell.
        hessian = laplacian(weight) + 1.0
        step = cho_solve(cho_factor(hessian), gradient.astype(float))
        strengths = strengths + step
        if np.abs(step).max() * ELO < enough:
            break
    strengths = strengths - strengths.mean()
    return (strengths * ELO).astype(float), float(np.abs(gradient).max()), float(np.abs(step).max() * ELO)


def half_widths(points, ties, scores):
    """1.96 standard errors by H^+ B H^+ (White 1982), H the information and B the sum of the rows' squared gradients."""
    strengths = scores / ELO
    p = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    won = points - ties / 2
    squares = won * (1 - p) ** 2 + won.T * p**2 + ties * (0.5 - p) ** 2
    bread = np.linalg.pinv(laplacian((points + points.T) * p * (1 - p)), hermitian=True)
    return 1.959963984540054 * ELO * np.sqrt(np.diag(bread @ laplacian(squares) @ bread))


def laplacian(weight):
    return np.diag(weight.sum(axis=1)) - weight


def main():
    names, points, ties = counts(pd.read_csv(sys.argv[1]))
    scores, gradient, step = fit(points)
    found = {"gradient": gradient, "step": step, "scores": dict(zip(names, scores.tolist()))}
    found["half_widths"] = dict(zip(names, half_widths(points, ties, scores).tolist()))
    with open(sys.argv[2], "w") as out:
        json.dump(found, out)


if __name__ == "__main__":
    main()

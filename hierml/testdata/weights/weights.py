"""Writes weights.json: optimal values of weighted problems, by scikit-learn and LIBLINEAR.

Needs scikit-learn and liblinear-official. The objectives are evaluated here, in plain numpy, at the
weights that the solvers return with small tolerances, so that each value bounds the optimum from above.
"""

import json
import sys
import warnings

import numpy as np
from liblinear.liblinearutil import parameter, problem, train
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC

warnings.simplefilter("ignore")


def binary(w, x, sign, c, loss):
    margin = sign * (x @ w)
    hinge = np.maximum(0, 1 - margin)
    values = {"Hinge": hinge, "SquaredHinge": hinge**2, "Logistic": np.logaddexp(0, -margin)}[loss]
    return w @ w / 2 + c @ values


def crammer_singer(w, x, y, c):
    scores = x @ w.T
    lead = scores - scores[np.arange(len(y)), y][:, None] + 1
    lead[np.arange(len(y)), y] = 0
    return (w * w).sum() / 2 + c @ lead.max(axis=1)


def liblinear(x, sign, c, weights, solver):
    """LIBLINEAR has weights of classes alone."""
    model = train(problem(sign, x), parameter(f"-q -s {solver} -c {c} -e 1e-8 -w1 {weights[1]} -w-1 {weights[-1]}"))
    w = np.array(model.get_decfun(label_idx=0)[0])
    return w if model.get_labels()[0] == 1 else -w


cases = []
for seed in range(6):
    rng = np.random.default_rng(seed)
    rows, columns, classes = 60, 4, 3
    x = rng.normal(size=(rows, columns)).astype(np.float32).astype(np.float64)
    y = rng.integers(classes, size=rows)
    x[np.arange(rows), y] += np.float32(1)
    x = x.astype(np.float32).astype(np.float64)
    weight = np.round(rng.gamma(0.7, 2, size=rows), 3) + 0.001
    c = float([0.1, 1, 10][seed % 3])
    case = {"x": x.tolist(), "y": y.tolist(), "c": c, "weights": weight.tolist(), "values": {}, "by class": {}}
    for loss, make in {
        "Hinge": lambda: LinearSVC(loss="hinge", C=c, fit_intercept=False, tol=1e-9, max_iter=10_000_000),
        "SquaredHinge": lambda: LinearSVC(loss="squared_hinge", dual=False, C=c, fit_intercept=False, tol=1e-10, max_iter=1_000_000),
        "Logistic": lambda: LogisticRegression(C=c, fit_intercept=False, solver="newton-cholesky", tol=1e-12, max_iter=10_000),
    }.items():
        total = 0.0
        for k in range(classes):
            sign = np.where(y == k, 1, -1)
            model = make().fit(x, sign, sample_weight=weight)
            total += binary(model.coef_[0], x, sign, c * weight, loss)
        case["values"][loss] = total
        # Class 0 has the weight 3, and the rest 0.5, with a hundredth of C: LIBLINEAR ends before it has solved harder problems.
        sign = np.where(y == 0, 1, -1)
        w = liblinear(x, sign, c / 100, {1: 3, -1: 0.5}, {"Hinge": 3, "SquaredHinge": 2, "Logistic": 0}[loss])
        case["by class"][loss] = binary(w, x, sign, c / 100 * np.where(sign > 0, 3, 0.5), loss)
    model = LinearSVC(multi_class="crammer_singer", C=c, fit_intercept=False, tol=1e-9, max_iter=10_000_000).fit(x, y, sample_weight=weight)
    case["values"]["CrammerSinger"] = crammer_singer(model.coef_, x, y, c * weight)
    # Ridge of the indicators of the classes, with a constant feature that is regularized.
    wide = np.column_stack([x, np.ones(rows)])
    indicators = (y[:, None] == np.arange(classes)).astype(float)
    model = Ridge(alpha=1 / c, fit_intercept=False, solver="cholesky").fit(wide, indicators, sample_weight=weight)
    case["values"]["Ridge"] = (model.coef_**2).sum() / 2 + c / 2 * (weight @ ((indicators - wide @ model.coef_.T) ** 2).sum(axis=1))
    cases.append(case)
json.dump(cases, sys.stdout, indent=None, separators=(",", ":"))
print()

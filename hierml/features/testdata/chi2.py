"""Writes chi2.json: chi-square statistics of a small table by scikit-learn and scipy."""
import json

import numpy as np
from scipy.stats import chi2_contingency
from sklearn.feature_selection import chi2

rng = np.random.default_rng(7)
n, features = 40, 9
leaves = ["apple", "pear", "bread", "tool"]
top = {"apple": "food", "pear": "food", "bread": "food", "tool": "tool"}
x = rng.poisson(0.6, (n, features)).astype(float)
labels = [[leaves[k]] for k in rng.integers(0, 4, n)]
for i in range(0, n, 5):
    labels[i] = sorted({labels[i][0], leaves[i % 4]})
for i, of in enumerate(labels):
    x[i, leaves.index(of[0])] += rng.integers(0, 4)
x[:, 7] = 0
x[:, 8] = 1


def indicator(sets):
    classes = sorted({c for s in sets for c in s})
    return classes, np.array([[c in s for c in classes] for s in sets], dtype=int)


def table(column, member):
    a = np.array([[np.sum(((column != 0) == p) & (member == m)) for m in (1, 0)] for p in (1, 0)])
    if (a.sum(0) == 0).any() or (a.sum(1) == 0).any():
        return 0.0
    return float(chi2_contingency(a, correction=False).statistic)


def forms(sets):
    classes, y = indicator(sets)
    each = np.array([[table(x[:, j], y[:, k]) for k in range(len(classes))] for j in range(features)])
    return {
        "max": each.max(1).tolist(),
        "class": [classes[k] for k in each.argmax(1)],
        "mean": (each @ y.mean(0)).tolist(),
        "sums": np.nan_to_num(chi2(x, y)[0]).tolist(),
    }


result = {
    "x": x.tolist(),
    "labels": labels,
    "level 0": forms(labels),
    "level 1": forms([sorted({top[c] for c in s}) for s in labels]),
}
with open("chi2.json", "w") as f:
    json.dump(result, f)
    f.write("\n")

"""Writes maxconstraint.json: optima of small problems of svm.MaxConstraint, solved as quadratic programs.

Run it in this folder with Clarabel and SciPy installed. The program has a variable for each weight and each hinge, and a
constraint for each comparison; the value of the weights that come out is computed again from the definition.
"""

import json

import clarabel
import numpy as np
from scipy import sparse


def below(n, edges):
    """Returns the nodes at or below each node."""
    sets = [{v} for v in range(n)]
    for _ in range(n):
        for parent, child in edges:
            sets[parent] |= sets[child]
    return [sorted(s) for s in sets]


def has(labels, down):
    """Reports, for each instance and node, whether a label is at or below the node."""
    return [[any(y in down[v] for y in row) for v in range(len(down))] for row in labels]


def value(w, x, weights, c, down, of):
    total = (w ** 2).sum() / 2
    scores = x @ w.T
    for s, weight, own in zip(scores, weights, of):
        for v, yes in enumerate(own):
            margin = s[v] if yes else -max(s[m] for m in down[v])
            total += weight * c * max(0, 1 - margin)
    return total


def solve(x, weights, c, down, of):
    """Returns the weights of the nodes and the value of the dual."""
    n, features = len(down), x.shape[1]
    rows, costs, hinges = [], [], 0
    for i, own in enumerate(of):
        for v, yes in enumerate(own):
            for m, sign in [(v, -1)] if yes else [(m, 1) for m in down[v]]:
                row = np.zeros(n * features)
                row[m * features : (m + 1) * features] = sign * x[i]
                rows.append((row, hinges))
            costs.append(weights[i] * c)
            hinges += 1
    variables = n * features
    a = np.zeros((len(rows) + hinges, variables + hinges))
    b = np.zeros(len(rows) + hinges)
    for k, (row, hinge) in enumerate(rows):  # sign <w, x> + 1 <= xi
        a[k, :variables], a[k, variables + hinge], b[k] = row, -1, -1
    a[len(rows) :, variables:] = -np.eye(hinges)
    p = sparse.diags(np.r_[np.ones(variables), np.zeros(hinges)]).tocsc()
    q = np.r_[np.zeros(variables), costs]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    found = clarabel.DefaultSolver(p, q, sparse.csc_matrix(a), b, [clarabel.NonnegativeConeT(len(b))], settings).solve()
    return np.array(found.x[:variables]).reshape(n, features), found.obj_val_dual


TAXONOMIES = {
    "tree": (7, [[0, 1], [0, 2], [1, 3], [1, 4], [2, 5], [2, 6]]),
    "forest with a chain": (7, [[5, 0], [0, 3], [3, 1], [6, 2], [6, 4]]),
    "graph": (7, [[0, 2], [1, 2], [1, 3], [2, 4], [3, 4], [3, 5], [0, 6]]),
}

rng = np.random.default_rng(45)
cases = []
for name, (n, edges) in TAXONOMIES.items():
    for c in (0.05, 0.5, 5):
        down = below(n, edges)
        x = np.round(rng.normal(size=(10, 3)), 3)
        labels = [sorted(rng.choice(n, size=rng.integers(0, 4), replace=False).tolist()) for _ in x]
        weights = np.ones(len(x)) if c == 0.5 else rng.integers(1, 4, len(x)).astype(float)
        of = has(labels, down)
        w, dual = solve(x, weights, c, down, of)
        primal = value(w, x, weights, c, down, of)
        assert abs(primal - dual) <= 1e-8 * primal, (name, c, primal, dual)
        cases.append({"name": name, "edges": edges, "c": c, "x": x.tolist(), "labels": labels, "weights": weights.tolist(), "objective": primal, "w": np.round(w, 8).tolist()})
with open("maxconstraint.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")

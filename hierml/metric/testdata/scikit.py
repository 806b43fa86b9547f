"""Measures of random cases by scikit-learn and HiClass, which TestScikitLearn compares with.

    python scikit.py SEED CASES > scikit.json

scikit.json is of scikit-learn 1.9.1 and HiClass 5.0.8, seed 1, 24 cases. A value is null where
the libraries do not define it.
"""

import json
import math
import sys
import warnings

import numpy as np
from hiclass import metrics as hiclass
from sklearn import metrics

warnings.simplefilter("ignore")


def tree(rng):
    """Returns the parent of each node, -1 for roots, parents first."""
    n = rng.integers(3, 11)
    return [-1 if i == 0 or rng.random() < 0.2 else int(rng.integers(max(0, i - 5), i)) for i in range(n)]


def path(parents, n):
    return ([] if parents[n] < 0 else path(parents, parents[n])) + [n]


def case(rng, kind):
    parents = tree(rng)
    leaves = [n for n in range(len(parents)) if n not in parents]
    if len(leaves) < 2:
        return case(rng, kind)
    n, q = int(rng.integers(2, 20)), len(leaves)
    used = q if kind != "absent" else max(1, q // 2)
    if kind == "one class":
        used = 1
    scores = rng.integers(0, 4, (n, q)) / 2.0
    p = rng.random((n, q)) * (rng.random((n, q)) < 0.8)
    if kind in ("one", "absent", "one class"):
        truth = [[leaves[int(rng.integers(used))]] for _ in range(n)]
        predicted = [[leaves[int(rng.integers(q))]] if rng.random() < 0.9 else [] for _ in range(n)]
        p[:, 0] += 0.01
        p /= p.sum(axis=1, keepdims=True)
    else:
        share = rng.random()
        truth = [[y for y in leaves if rng.random() < share] or [leaves[0]] for _ in range(n)]
        truth[0] = leaves[:2]
        predicted = [[y for y in leaves if rng.random() < share] for _ in range(n)]
    weights = rng.integers(0, 4, n) / 2.0
    weights[0] = 1.5
    nodes = rng.integers(0, 5, (n, len(parents))) / 4.0
    c = dict(kind=kind, parents=parents, truth=truth, predicted=predicted, scores=scores.tolist(),
             probabilities=p.tolist(), nodes=nodes.tolist(), weights=weights.tolist())
    c["plain"] = values(c, leaves, None)
    c["weighted"] = values(c, leaves, weights)
    c["plain"].update(hierarchical(c))
    return c


def values(c, leaves, w):
    parents, q = c["parents"], len(leaves)
    ones = np.ones(len(c["truth"])) if w is None else w
    some = ones > 0  # rows without weight take no part, also in what occurs

    def indicators(sets, closed):
        m = np.zeros((len(sets), len(parents)), dtype=int)
        for i, s in enumerate(sets):
            for y in s:
                m[i, path(parents, y) if closed else [y]] = 1
        return m[some]

    y, z = indicators(c["truth"], False)[:, leaves], indicators(c["predicted"], False)[:, leaves]
    w = ones[some]
    s, p = np.array(c["scores"])[some], np.array(c["probabilities"])[some]
    v = {}

    def prf(name, a, b, average):
        r = metrics.precision_recall_fscore_support(a, b, average=average, zero_division=0, sample_weight=w)
        for k, part in enumerate(("precision", "recall", "F1")):
            v[f"{name} {part}"] = float(r[k])

    prf("samples", y, z, "samples")
    if z.any():
        prf("micro", y, z, "micro")
    occurring = y.any(axis=0) | z.any(axis=0)
    v["macro F1 of all classes"] = metrics.f1_score(y, z, average="macro", zero_division=0, sample_weight=w)
    v["macro F1 of occurring classes"] = metrics.f1_score(y[:, occurring], z[:, occurring], average="macro", zero_division=0, sample_weight=w)
    for average in ("samples", "micro", "macro"):
        v[f"{average} Jaccard"] = metrics.jaccard_score(y, z, average=average, zero_division=0, sample_weight=w)
    v["Hamming loss"] = metrics.hamming_loss(y, z, sample_weight=w)
    v["exact sets"] = metrics.accuracy_score(y, z, sample_weight=w)
    v["average precision"] = metrics.label_ranking_average_precision_score(y, s, sample_weight=w)
    if not y.all(axis=1).any():  # scikit-learn counts a row that has all labels as 0
        v["ranking loss"] = metrics.label_ranking_loss(y, s, sample_weight=w)
    both = y.any(axis=0) & ~y.all(axis=0)
    if both.any():
        v["macro AUC"] = metrics.roc_auc_score(y[:, both], p[:, both], average="macro", sample_weight=w)
        v["micro AUC"] = metrics.roc_auc_score(y.ravel(), p.ravel(), sample_weight=np.repeat(w, q))
    one = (y.sum(axis=1) == 1).all() and abs(p.sum(axis=1) - 1).max() < 1e-9
    if one:
        t = y.argmax(axis=1)
        f = np.where(z.any(axis=1), z.argmax(axis=1), -1)
        v["log loss"] = metrics.log_loss(t, p, labels=range(q), sample_weight=w)
        v["Brier score"] = metrics.brier_score_loss(t, p, labels=range(q), scale_by_half=False, sample_weight=w)
        if len(set(t) | set(f)) > 1:
            v["MCC"] = metrics.matthews_corrcoef(t, f, sample_weight=w)
            v["kappa"] = metrics.cohen_kappa_score(t, f, sample_weight=w)
    elif (y.sum(axis=1) > 1).any():
        v["log loss by label"] = metrics.log_loss(y.ravel(), p.ravel(), labels=[0, 1], sample_weight=np.repeat(w, q))
        v["Brier score by label"] = metrics.brier_score_loss(y.ravel(), p.ravel(), labels=[0, 1], sample_weight=np.repeat(w, q))
    a, b = indicators(c["truth"], True), indicators(c["predicted"], True)
    depth = np.array([len(path(parents, n)) - 1 for n in range(len(parents))])
    for d in range(depth.max() + 1):
        at = (depth == d) & (a.any(axis=0) | b.any(axis=0))
        if not at.any():
            continue
        r = metrics.precision_recall_fscore_support(a[:, at].ravel(), b[:, at].ravel(), average="binary", zero_division=0, sample_weight=np.repeat(w, at.sum()))
        for k, part in enumerate(("precision", "recall", "F1")):
            v[f"{part} at depth {d}"] = float(r[k])
        own = {int(n): metrics.f1_score(a[:, n], b[:, n], zero_division=0, sample_weight=w) for n in np.flatnonzero(at)}
        v[f"macro F1 at depth {d}"] = float(np.mean(list(own.values())))
        v[f"nodes at depth {d}"] = own
    nodes = np.array(c["nodes"])[some]
    has = a.any(axis=0)
    v["AU(PRC)"] = metrics.average_precision_score(a.ravel(), nodes.ravel(), sample_weight=np.repeat(w, len(parents)))
    v["mean AUPRC"] = metrics.average_precision_score(a[:, has], nodes[:, has], average="macro", sample_weight=w)
    raised = nodes.copy()
    for n in reversed(range(len(parents))):
        if parents[n] >= 0:
            raised[:, parents[n]] = np.maximum(raised[:, parents[n]], raised[:, n])
    precision, recall, threshold = metrics.precision_recall_curve(a.ravel(), raised.ravel(), sample_weight=np.repeat(w, len(parents)))
    v["curve"] = [[float(x) for x in point] for point in zip(threshold, precision, recall)]
    return {k: None if isinstance(x, float) and math.isnan(x) else x for k, x in v.items()}


def hierarchical(c):
    """Returns the measures of HiClass, which defines none for an empty prediction."""
    if not all(c["predicted"]):
        return {}
    v = {}
    levels = max(len(path(c["parents"], n)) for n in range(len(c["parents"])))
    most = max(len(s) for s in c["truth"] + c["predicted"])

    def padded(sets):
        rows = []
        for s in sets:
            row = [[str(n) for n in path(c["parents"], y)] for y in s]
            row = [r + [""] * (levels - len(r)) for r in row] + [[""] * levels] * (most - len(s))
            rows.append(row if most > 1 else row[0])
        return np.array(rows)

    a, b = padded(c["truth"]), padded(c["predicted"])
    for average, name in (("micro", "hierarchical"), ("macro", "hierarchical samples")):
        for part, of in (("precision", hiclass.precision), ("recall", hiclass.recall), ("F1", hiclass.f1)):
            v[f"{name} {part}"] = float(of(a, b, average=average))
    return v


seed, cases = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(seed)
kinds = ("one", "several", "absent", "several", "one class", "one")
print("[" + ",\n".join(json.dumps(case(rng, kinds[i % len(kinds)])) for i in range(cases)) + "]")

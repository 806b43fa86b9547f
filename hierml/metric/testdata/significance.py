"""Writes significance.json: tests of paired values by scipy and statsmodels.

    pip install scipy==1.17.1 statsmodels==0.15.0
    python significance.py > significance.json
"""

import json

import numpy as np
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

random = np.random.default_rng(20261121)


def paired(name, a, b):
    a, b = np.asarray(a, float), np.asarray(b, float)
    t = stats.ttest_rel(a, b)
    case = {"name": name, "a": a.tolist(), "b": b.tolist(), "t": t.statistic, "t_p": t.pvalue}
    if len(a) <= 16:
        exact = stats.permutation_test(
            (a, b), lambda x, y, axis=-1: np.mean(x - y, axis=axis),
            permutation_type="samples", n_resamples=np.inf)
        case["permutation_p"] = exact.pvalue
    else:
        sampled = stats.permutation_test(
            (a, b), lambda x, y, axis=-1: np.mean(x - y, axis=axis),
            permutation_type="samples", n_resamples=200000, rng=1)
        case["sampled_p"] = sampled.pvalue
    boot = {m: stats.bootstrap((a,), np.mean, n_resamples=200000, confidence_level=0.9, method=m, rng=1, batch=1000).confidence_interval
            for m in ["percentile", "BCa"]}
    case["percentile"] = [boot["percentile"].low, boot["percentile"].high]
    case["bca"] = [boot["BCa"].low, boot["BCa"].high]
    return case


def right(name, both, first, second, neither):
    table = [[both, first], [second, neither]]
    exact = mcnemar(table, exact=True)
    corrected = mcnemar(table, exact=False, correction=True)
    return {"name": name, "both": both, "first": first, "second": second, "neither": neither,
            "exact_statistic": exact.statistic, "exact_p": exact.pvalue,
            "corrected_statistic": corrected.statistic, "corrected_p": corrected.pvalue}


x = random.normal(size=40)
cases = {
    "paired": [
        paired("small", random.normal(0.4, 1, 7), random.normal(size=7)),
        paired("of one size", random.integers(0, 3, 12), random.integers(0, 3, 12)),
        paired("sixteen", random.normal(0.5, 1, 16), random.normal(size=16)),
        paired("opposite", [1, 2, 3], [3, 2, 1]),
        paired("dependent", x, x + random.normal(0.1, 0.3, 40)),
        paired("skewed", random.exponential(1, 60), random.exponential(1.3, 60)),
        paired("far apart", random.normal(2, 1, 50), random.normal(size=50)),
        paired("losses", random.integers(0, 5, 200) / 2, random.integers(0, 5, 200) / 2),
    ],
    "right": [
        right("a few", 10, 3, 9, 4),
        right("one side", 5, 0, 6, 5),
        right("many", 700, 120, 85, 300),
        right("thousands", 9000, 1210, 1105, 800),
        right("nearly equal", 10, 8, 9, 2),
    ],
}
print(json.dumps(cases, indent=1))

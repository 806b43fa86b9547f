"""Writes scipy.json, on standard output: linkages and inconsistencies of random distances as scipy has them.

    python3 linkages.py > scipy.json

Distances are of random points or random numbers. Each case: n; distances, the upper triangle row by row; method;
links [a, b, height, size], a < b; for depths 1 to 4 the mean, the sample deviation, the count and the coefficient
of every link; clusters of fcluster by inconsistency (depth 2) above the mean of the coefficients that are not zero
plus 1e-9, by distance, and by number, as a number a thing. Where a cut falls on a tie of heights, the cases would not
be comparable; the distances have no ties. Ward's linkage comes last, and cosine distances of points, which the
case then has: a row each, numbers of single precision.
"""

import json
import platform

import numpy
import scipy
from scipy.cluster.hierarchy import fcluster, inconsistent, linkage
from scipy.spatial.distance import pdist

random = numpy.random.default_rng(13)
cases = []


def add(n, method, distances, points=None):
    assert len(set(distances)) == len(distances)
    z = linkage(distances, method)
    assert len(set(z[:, 2])) == n - 1
    r = inconsistent(z, 2)
    nonzero = r[r[:, 3] != 0, 3]
    threshold = float(nonzero.mean()) if len(nonzero) else 0.0
    height = float((z[(n - 2) // 2, 2] + z[(n - 1) // 2, 2]) / 2)
    if method == "ward" or points is not None:
        height *= 1 + 1e-9  # not on a height, which is computed
    number = max(1, n // 3)
    cases.append({
        "n": n,
        "method": method,
        "distances": distances.tolist(),
        "links": [[int(min(a, b)), int(max(a, b)), h, int(s)] for a, b, h, s in z.tolist()],
        "inconsistent": {str(d): inconsistent(z, d).tolist() for d in (1, 2, 3, 4)},
        "threshold": threshold,
        "by_inconsistency": fcluster(z, threshold + 1e-9, "inconsistent", 2).tolist(),
        "height": height,
        "by_height": fcluster(z, height, "distance").tolist(),
        "number": number,
        "by_number": fcluster(z, number, "maxclust").tolist(),
    })
    if points is not None:
        cases[-1]["points"] = points.tolist()


def rounded(distances):
    return numpy.array([float("%.9f" % d) for d in distances])


for k in range(45):
    n = [2, 3, 5, 9, 16, 33][k % 6] + k // 12
    method = ["single", "complete", "average"][k % 3]
    if k % 2:
        distances = pdist(random.normal(size=(n, 1 + k % 4)))
    else:
        distances = random.random(n * (n - 1) // 2)
    add(n, method, rounded(distances))
for k in range(18):
    n = [2, 3, 5, 9, 16, 33][k % 6] + k // 6
    if k % 2:
        distances = pdist(random.normal(size=(n, 1 + k % 4)))
    else:
        distances = random.random(n * (n - 1) // 2)
    add(n, "ward", rounded(distances))
for k in range(12):
    n = [3, 5, 9, 16][k % 4] + k // 4
    points = random.normal(size=(n, 3 + k % 4)).astype(numpy.float32).astype(float)
    add(n, ["average", "complete", "ward"][k % 3], pdist(points, "cosine"), points)
print(json.dumps({"scipy": scipy.__version__, "numpy": numpy.__version__, "python": platform.python_version(), "cases": cases}))

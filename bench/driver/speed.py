"""Do work of bench/speeddata.go with another package, and print what it took.

    python speed.py ROW CASE PEER FILE

One JSON object is printed: CPU and wall seconds of the work alone, the largest memory of the
process, and figures of the result, which are those that hierml prints for the same file.
Everything runs on one core.
"""

import json
import os
import resource
import sys
import time

for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_NUM_THREADS"]:
    os.environ[name] = "1"

import numpy as np


def tfidf(case, peer, file):
    """The same terms and weights: all words have at least two letters, and no text has two blanks
    in a row. The vectors are of 64 bits here and of 32 bits there."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    with open(file, encoding="utf-8") as lines:
        texts = [line[:-1] for line in lines]
    settings = {"words": {}, "pairs": {"ngram_range": (1, 2)}, "characters": {"analyzer": "char", "ngram_range": (3, 3)}}[case.split("-")[1]]

    def work():
        v = TfidfVectorizer(sublinear_tf=True, **settings)
        x = v.fit_transform(texts)
        return f"{len(v.vocabulary_)} terms, {x.nnz} entries"

    return work


def svmlight(case, peer, file):
    """The same sparse matrix, with float32 values, and labels."""
    from sklearn.datasets import load_svmlight_file

    def work():
        x, y = load_svmlight_file(file, dtype=np.float32, zero_based=False)
        return f"{x.shape[0]} rows, {x.shape[1]} columns, {x.nnz} entries"

    return work


def table(case, peer, file):
    """The same columns: five of numbers, the others of words, with the same missing values. hierml
    also finds out which words recur, and makes a taxonomy of the labels."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute
    import pyarrow.csv
    import pyarrow.json

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)

    def work():
        if peer == "pandas":
            t = pd.read_csv(file) if file.endswith(".csv") else pd.read_json(file, lines=True)
            missing, total = int(t.isna().sum().sum()), float(t.select_dtypes("number").sum().sum())
            return f"{len(t)} rows, {t.shape[1]} columns, {missing} missing, sum {total:.6g}"
        if file.endswith(".csv"):
            t = pa.csv.read_csv(file, read_options=pa.csv.ReadOptions(use_threads=False), convert_options=pa.csv.ConvertOptions(strings_can_be_null=True))
        else:
            t = pa.json.read_json(file, read_options=pa.json.ReadOptions(use_threads=False))
        total = sum(pa.compute.sum(c).as_py() for c in t.columns if not pa.types.is_string(c.type))
        return f"{t.num_rows} rows, {t.num_columns} columns, {sum(c.null_count for c in t.columns)} missing, sum {total:.6g}"

    return work


def forest(case, peer, file):
    """As many trees of the same depth rules, of all nodes at once: both choose among the square
    root of the features, and keep five instances in a leaf. ExtraTrees draws the thresholds, which
    hierml does not."""
    from sklearn.datasets import load_svmlight_file
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
    from sklearn.preprocessing import MultiLabelBinarizer

    x, labels = load_svmlight_file(file, dtype=np.float32, multilabel=True, zero_based=False)
    x, y = x.toarray(), MultiLabelBinarizer().fit_transform(labels)
    kind = ExtraTreesClassifier if peer == "extra-trees" else RandomForestClassifier

    def work():
        kind(n_estimators=50, min_samples_leaf=5, random_state=1, n_jobs=1).fit(x, y)
        return f"{x.shape[0]} rows, {x.shape[1]} columns, {y.shape[1]} nodes"

    return work


def linkage(case, peer, file):
    """The same links, from the distances on, which are Euclidean. Distances of sparse centroids are
    those of scikit-learn, as scipy has none."""
    import fastcluster
    import scipy.cluster.hierarchy
    from scipy.spatial.distance import pdist, squareform
    from sklearn.datasets import load_svmlight_file
    from sklearn.metrics import pairwise_distances

    kind, method = case.split("-")
    x, _ = load_svmlight_file(file, dtype=np.float64, zero_based=False)
    if kind == "dense":
        x = x.toarray()
    join = fastcluster.linkage if peer == "fastcluster" else scipy.cluster.hierarchy.linkage

    def work():
        d = pdist(x) if kind == "dense" else squareform(pairwise_distances(x), checks=False)
        links = join(d, method)
        return f"{len(links)} links, heights {links[:, 2].sum():.8g}"

    return work


row, case, peer, file = sys.argv[1:]
work = {"tf-idf": tfidf, "svmlight": svmlight, "CSV": table, "JSON lines": table, "forest": forest, "linkage": linkage}[row](case, peer, file)
cpu, wall = time.process_time(), time.perf_counter()
result = work()
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"CPU": cpu, "Wall": wall, "Peak": peak, "Result": result}))

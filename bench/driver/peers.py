"""Train another package's method once, predict, and print what it took.

    python peers.py METHOD C TRAIN TEST EDGES RANKED [SCORES]
    python peers.py objective SOLVER C TARGET TRAIN TEST TOLERANCE...

TRAIN and TEST are svmlight files whose labels, numbers of nodes, are separated by commas; EDGES has
lines of parent and child, and 0 is the root. RANKED gets a line for each row of TEST: up to five labels,
the best first. SCORES gets the scores of all labels as float32, a row a row and a column a node from 1 on,
not a number where the method has none; there is no file if it has none at all. "sums" says that the score of
a node is the sum of those of the leaves below, and not the highest. One JSON object is printed: CPU and wall seconds of training, CPU seconds of
prediction, and the peak memory of the process in bytes. The options of a method are its package's
own, but for C and for the constant feature, which the files have where the data are to have one.

The second form looks for the largest of the tolerances, which fall, with which the primal objective
1/2 |w|^2 + C sum of losses of LIBLINEAR, or of scikit-learn's multinomial logistic regression if SOLVER is
"softmax", is at most TARGET, from the package's own on, 0.1 or 0.0001. It prints one JSON object for each that
it trains with, whose CPU and wall seconds are those of the training alone, and one for the last one's predictions.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_files

TOP = 5


def cpu():
    """CPU seconds of this process and of those that it waited for."""
    usages = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in usages)


def peak():
    return 1024 * max(resource.getrusage(w).ru_maxrss for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


class Problem:
    """The rows of both files, and the labels of TRAIN as columns 0, 1, ..."""

    def __init__(self, train, test, edges):
        self.train_file, self.test_file = train, test
        self.x, y, self.test, _ = load_svmlight_files([train, test], multilabel=True, dtype=np.float32)
        for x in (self.x, self.test):
            x.sort_indices()
            x.indices, x.indptr = x.indices.astype(np.int32), x.indptr.astype(np.int32)
        self.names = sorted({int(label) for labels in y for label in labels})
        column = {name: i for i, name in enumerate(self.names)}
        self.sets = [[column[int(label)] for label in labels] for labels in y]
        self.parents = {}
        with open(edges) as lines:
            for line in lines:
                parent, child = map(int, line.split())
                self.parents.setdefault(child, []).append(parent)

    def single(self):
        """The only label of each row."""
        if any(len(labels) != 1 for labels in self.sets):
            raise SystemExit("a method for single labels was given rows with several")
        return np.array([labels[0] for labels in self.sets])

    def matrix(self):
        """The labels as a sparse matrix of zeros and ones."""
        rows = np.repeat(np.arange(len(self.sets)), [len(labels) for labels in self.sets])
        columns = np.concatenate([np.array(labels, dtype=np.int64) for labels in self.sets])
        return sp.csr_matrix((np.ones(len(rows), dtype=np.float32), (rows, columns)), shape=(len(self.sets), len(self.names)))

    def path(self, column):
        """The names from the top down to a label."""
        path = [self.names[column]]
        while self.parents[path[0]] != [0]:
            if len(self.parents[path[0]]) > 1:
                raise SystemExit("a method for trees was given a graph")
            path.insert(0, self.parents[path[0]][0])
        return path


def best(scores, classes=None):
    """The columns of the best scores of each row."""
    scores = np.asarray(scores)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :TOP]
    return order if classes is None else np.asarray(classes)[order]


class Scored:
    """A trained method by the scores of its labels, a column each; sums as of probabilities."""

    def __init__(self, scores, classes=None, sums=False):
        self.scores, self.classes, self.sums = scores, classes, sums

    def ranked(self):
        return best(self.scores(), self.classes)

    def columns(self):
        scores = np.asarray(self.scores())
        if self.classes is None:
            return scores
        ordered = np.full_like(scores, np.nan)
        ordered[:, np.asarray(self.classes)] = scores
        return ordered


class Ranked:
    """A trained method by the labels that it ranks first; scores of all, if it has any, are asked for apart."""

    def __init__(self, ranked, columns=None, sums=False):
        self.ranked, self.columns, self.sums = ranked, columns, sums


def liblinear(solver):
    """LIBLINEAR by its own package."""
    def fit(problem, c):
        from liblinear.liblinearutil import predict, problem as rows, parameter, train

        model = train(rows(problem.single(), problem.x), parameter(f"-s {solver} -c {c} -q"))

        def scores():
            _, _, values = predict([], problem.test, model, "-q")
            values = np.array(values)
            if values.shape[1] == 1:  # of two classes, the first one's
                values = np.hstack([values, -values])
            return values
        return Scored(scores, model.get_labels())
    return fit


def sklearn_ovr(problem, c):
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import LinearSVC

    model = OneVsRestClassifier(LinearSVC(C=c, fit_intercept=False)).fit(problem.x, problem.matrix())
    return Scored(lambda: model.decision_function(problem.test))


def sklearn_logistic(problem, c):
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=c, fit_intercept=False, max_iter=1000).fit(problem.x, problem.single())
    return Scored(lambda: model.predict_proba(problem.test), model.classes_, sums=True)


def sklearn_naive_bayes(problem, c):
    from sklearn.naive_bayes import MultinomialNB

    model = MultinomialNB(alpha=1 / c).fit(problem.x, problem.single())
    return Ranked(lambda: best(model.predict_log_proba(problem.test), model.classes_), lambda: model.predict_proba(problem.test), sums=True)


def sklearn_forest(problem, c):
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(random_state=1, n_jobs=-1).fit(problem.x, problem.matrix().toarray())

    def scores():
        columns = [p[:, list(m).index(1)] if 1 in m else np.zeros(len(p)) for p, m in zip(model.predict_proba(problem.test), model.classes_)]
        return np.stack(columns, axis=1)
    return Scored(scores)


def hiclass(kind):
    """HiClass with LinearSVC below each parent node, or with logistic regression for each node."""
    def fit(problem, c):
        from hiclass import LocalClassifierPerNode, LocalClassifierPerParentNode
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import LinearSVC

        paths = [problem.path(y) for y in problem.single()]
        depth = max(map(len, paths))
        y = np.array([[str(n) for n in path] + [""] * (depth - len(path)) for path in paths])
        if kind == "parent":
            model = LocalClassifierPerParentNode(LinearSVC(C=c, fit_intercept=False))
        else:
            model = LocalClassifierPerNode(LogisticRegression(C=c, fit_intercept=False, max_iter=1000))
        model.fit(problem.x, y)
        column = {str(name): i for i, name in enumerate(problem.names)}

        def ranked():
            return [[column[[n for n in path if n != ""][-1]]] for path in model.predict(problem.test)]
        return Ranked(ranked)
    return fit


def napkinxc(kind):
    """napkinXC's trees, and its binary relevance."""
    def fit(problem, c):
        from napkinxc.models import BR, HSM, PLT

        folder = tempfile.TemporaryDirectory()
        model = {"plt": PLT, "hsm": HSM, "br": BR}[kind](folder.name, liblinear_c=c, seed=1)
        model.fit(problem.x, problem.single() if kind == "hsm" else problem.sets)

        def columns():
            scores = np.full((problem.test.shape[0], len(problem.names)), np.nan)
            for row, labels in zip(scores, model.predict_proba(problem.test, top_k=len(problem.names))):
                for label, score in labels:
                    row[int(label)] = score
            folder.cleanup()  # which keeps it till then
            return scores
        return Ranked(lambda: model.predict(problem.test, top_k=min(TOP, len(problem.names))), columns, sums=kind == "hsm")
    return fit


def pecos(problem, c):
    from pecos.xmc import Indexer, LabelEmbeddingFactory
    from pecos.xmc.xlinear.model import XLinearModel

    y = problem.matrix()
    x = problem.x.tocsr()
    chain = Indexer.gen(LabelEmbeddingFactory.create(y, x))
    model = XLinearModel.train(x, y, C=chain, Cp=c, Cn=c)

    def ranked():
        scores = model.predict(problem.test.tocsr(), only_topk=TOP)
        return [row.indices[np.argsort(-row.data, kind="stable")] for row in scores]

    def columns():
        found = model.predict(problem.test.tocsr(), only_topk=len(problem.names)).tocoo()
        scores = np.full(found.shape, np.nan)
        scores[found.row, found.col] = found.data
        return scores
    return Ranked(ranked, columns)


def pdsparse(problem, c):
    """PD-Sparse, whose programs are in the folder PDSPARSE, with the options of its examples.

    The program for problems whose matrices have no room keeps them in hash tables.
    """
    programs = os.environ["PDSPARSE"]
    program = "multiTrainHash" if len(problem.names) * problem.x.shape[1] > 1e9 else "multiTrain"
    folder = tempfile.TemporaryDirectory()
    model, top = os.path.join(folder.name, "model"), os.path.join(folder.name, "top")
    options = ["-s", "1", "-c", str(c), "-l", "0.1", "-r", "-1.0", "-m", "200", "-q", "1", "-g", "-1", "-p", "200"]
    if subprocess.run([os.path.join(programs, program), *options, problem.train_file, model], capture_output=True).returncode:
        raise SystemExit(f"{program} failed, perhaps for want of memory")
    if os.path.exists(model + ".p"):
        model += ".p"

    def ranked():
        k = str(min(TOP, len(problem.names)))
        subprocess.run([os.path.join(programs, "multiPred"), problem.test_file, model, "-p", k, top, "1"], check=True, capture_output=True)
        column = {str(name): i for i, name in enumerate(problem.names)}
        with open(top) as lines:
            found = [[column[word.split(":")[0]] for word in line.split()] for line in lines]
        folder.cleanup()
        return found
    return Ranked(ranked)


METHODS = {
    "LIBLINEAR -s 4": liblinear(4),
    "LIBLINEAR -s 3": liblinear(3),
    "LIBLINEAR -s 1": liblinear(1),
    "LIBLINEAR -s 7": liblinear(7),
    "scikit-learn one-vs-rest": sklearn_ovr,
    "scikit-learn logistic": sklearn_logistic,
    "scikit-learn naive Bayes": sklearn_naive_bayes,
    "scikit-learn forest": sklearn_forest,
    "HiClass per parent": hiclass("parent"),
    "HiClass per node": hiclass("node"),
    "napkinXC PLT": napkinxc("plt"),
    "napkinXC HSM": napkinxc("hsm"),
    "napkinXC BR": napkinxc("br"),
    "PECOS XR-Linear": pecos,
    "PD-Sparse": pdsparse,
}


def primal(model, solver, c, x, y):
    """The primal objective of LIBLINEAR's problem: Crammer and Singer's, or one a class."""
    w = np.ctypeslib.as_array(model.w, (model.get_nr_feature() * model.get_nr_class(),)).reshape(-1, model.get_nr_class())
    column = {label: k for k, label in enumerate(model.get_labels())}
    scores = x @ w
    own = np.arange(len(y)), np.array([column[label] for label in y])
    if solver == 4:
        violations = 1 + scores - scores[own][:, None]
        violations[own] = 0
        losses = violations.max(axis=1)
    else:
        margins = -scores
        margins[own] *= -1
        losses = {3: lambda: np.maximum(1 - margins, 0), 1: lambda: np.maximum(1 - margins, 0) ** 2, 7: lambda: np.logaddexp(0, -margins)}[solver]()
    return (w ** 2).sum() / 2 + c * losses.sum()


def objective(solver, c, target, train_file, test_file, *tolerances):
    c = float(c)
    x, y, test, labels = load_svmlight_files([train_file, test_file], multilabel=True)
    y, labels = (np.array([int(row[0]) for row in rows]) for rows in (y, labels))
    fit, own = (softmax_objective(c, x, y, test), "0.0001") if solver == "softmax" else (liblinear_objective(int(solver), c, x, y, test), "0.1")
    predicted = None

    def reached(tolerance):
        nonlocal predicted
        before, begin = cpu(), time.monotonic()
        value, predicted = fit(float(tolerance))
        took = {"tolerance": float(tolerance), "training_cpu": cpu() - before, "training_wall": time.monotonic() - begin, "peak": peak()}
        took["primal"] = value()
        print(json.dumps(took), flush=True)
        return took["primal"] <= float(target)

    at = tolerances.index(own) if own in tolerances else 0
    if reached(tolerances[at]):
        while at > 0 and reached(tolerances[at - 1]):
            at -= 1
    else:
        while at + 1 < len(tolerances) and not reached(tolerances[at + 1]):
            at += 1
    before = cpu()
    correct = predicted() == labels
    print(json.dumps({"predicting_cpu": (cpu() - before) / len(labels), "accuracy": float(np.mean(correct))}))


def liblinear_objective(solver, c, x, y, test):
    """Trains with a tolerance; returns functions for the primal value and the predictions."""
    from liblinear.liblinearutil import parameter, predict, problem, train

    rows = problem(y, x)

    def fit(tolerance):
        model = train(rows, parameter(f"-s {solver} -c {c} -e {tolerance} -q"))
        return lambda: primal(model, solver, c, x, y), lambda: np.array(predict([], test, model, "-q")[0])
    return fit


def softmax_objective(c, x, y, test):
    """liblinear_objective for scikit-learn's multinomial logistic regression."""
    from sklearn.linear_model import LogisticRegression

    def fit(tolerance):
        model = LogisticRegression(C=c, tol=tolerance, fit_intercept=False, max_iter=100000).fit(x, y)

        def value():
            scores = model.decision_function(x)
            top = scores.max(axis=1)
            own = scores[np.arange(len(y)), np.searchsorted(model.classes_, y)]
            losses = top + np.log(np.exp(scores - top[:, None]).sum(axis=1)) - own
            return (model.coef_ ** 2).sum() / 2 + c * losses.sum()
        return value, lambda: model.predict(test)
    return fit


def main(method, c, train, test, edges, ranked, scores=None):
    problem = Problem(train, test, edges)
    c = float(c)
    before, begin = cpu(), time.monotonic()
    trained = METHODS[method](problem, c)
    took = {"training_cpu": cpu() - before, "training_wall": time.monotonic() - begin}
    before = cpu()
    rows = trained.ranked()
    took["predicting_cpu"] = cpu() - before
    took["peak"] = peak()
    with open(ranked, "w") as out:
        for row in rows:
            print(*(problem.names[int(column)] for column in list(row)[:TOP]), file=out)
    if scores and trained.columns:
        nodes = np.full((problem.test.shape[0], max(problem.parents)), np.nan, dtype="<f4")
        nodes[:, np.array(problem.names) - 1] = trained.columns()
        nodes.tofile(scores)
        took["sums"] = trained.sums
    print(json.dumps(took))


if __name__ == "__main__":
    if sys.argv[1] == "objective":
        objective(*sys.argv[2:])
    else:
        main(*sys.argv[1:])

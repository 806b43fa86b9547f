"""Probabilities learned from scores, in the forms of svm.Calibration."""

from __future__ import annotations

import bisect
import math
from typing import Any, Callable, List, Optional

import numpy as np

from ._errors import LoadError
from ._settings import Record
from ._taxonomy import Taxonomy


def _sigmoid(a: float, b: float) -> Callable[[float], float]:
    def probability(score: float) -> float:
        z = a * score + b
        if z >= 0:
            return math.exp(-z) / (1 + math.exp(-z))
        return 1 / (1 + math.exp(z))

    return probability


def _steps(scores: List[float], probabilities: List[float]) -> Callable[[float], float]:
    def probability(score: float) -> float:
        at = bisect.bisect_left(scores, score)
        if at == len(scores):
            return probabilities[-1]
        if at == 0 or scores[at] == score:
            return probabilities[at]
        share = (score - scores[at - 1]) / (scores[at] - scores[at - 1])
        return probabilities[at - 1] + share * (probabilities[at] - probabilities[at - 1])

    return probability


def _beta(a: float, b: float, power: float, other: float, constant: float) -> Callable[[float], float]:
    last = _sigmoid(-1, 0)

    def probability(score: float) -> float:
        z = a * score + b
        soft = math.log1p(math.exp(-abs(z)))
        return last(power * (-soft - max(z, 0)) - other * (-soft - max(-z, 0)) + constant)

    return probability


def _venn_abers(scores: List[float], low: List[float], high: List[float]) -> Callable[[float], float]:
    def probability(score: float) -> float:
        at = bisect.bisect_left(scores, score)
        one = high[at] if at < len(scores) else 1.0
        if at < len(scores) and scores[at] == score:
            zero = low[at]
        else:
            zero = low[at - 1] if at else 0.0
        return one / (1 - zero + one)

    return probability


class _Softmax:
    """The share of a score in a softmax."""

    def __init__(self, inverse: float) -> None:
        if inverse < 0:
            raise LoadError(f"the inverse temperature is {inverse}; it is not negative")
        self.inverse = inverse

    def __call__(self, score: float) -> float:
        return math.exp(self.inverse * score)


def _function(value: Any) -> Callable[[float], float]:
    f = Record("a function of a score", value, ("A", "B", "beta", "scores", "probabilities", "low", "high", "inverse temperature"))
    scores, probabilities, beta = f.numbers("scores"), f.numbers("probabilities"), f.numbers("beta")
    low, high = f.numbers("low"), f.numbers("high")
    if sum(bool(kind) for kind in (beta, probabilities, low or high, "inverse temperature" in f)) > 1:
        raise LoadError("a function of a score has parameters of several forms")
    if "inverse temperature" in f:
        return _Softmax(f.number("inverse temperature"))
    if beta:
        if len(beta) != 3 or min(beta[:2]) < 0:
            raise LoadError("beta must have three numbers, and the first two must not be negative")
        return _beta(f.number("A"), f.number("B"), *beta)
    if low or high:
        _check_rising(scores, low)
        _check_rising(scores, high)
        if any(one > other for one, other in zip(low, high)):
            raise LoadError("a probability is above what is above it")
        return _venn_abers(scores, low, high)
    if not scores and not probabilities:
        return _sigmoid(f.number("A"), f.number("B"))
    _check_rising(scores, probabilities)
    return _steps(scores, probabilities)


def _check_rising(scores: List[float], probabilities: List[float]) -> None:
    pairs = list(zip(scores, probabilities))
    if len(scores) != len(probabilities) or not all(0 <= p <= 1 for p in probabilities) or any(s >= t or p > q for (s, p), (t, q) in zip(pairs, pairs[1:])):
        raise LoadError("probabilities of scores are as many as these, rise with them, and are from 0 to 1")


class Calibrated:
    """The probabilities of labels, given their scores. Labels are nodes, all leaves of the taxonomy where they are learned by level."""

    def __init__(self, value: Any, labels: List[int], taxonomy: Taxonomy) -> None:
        saved = Record("the probabilities", value, ("format", "version", "calibration", "instances", "one label", "functions", "leaves", "nodes"))
        saved.header("hierml.calibrated", 2)
        how = Record("how probabilities are learned", saved.raw("calibration"), ("Folds", "Isotonic", "Form", "Levels", "Seed"))
        self.one_label = saved.flag("one label")
        self._labels, self._taxonomy = labels, taxonomy
        self._levels = how.flag("Levels")
        self._softmax = how.raw("Form") == "Temperature"
        functions = [_function(f) for f in saved.list("functions") or []]
        if any(isinstance(f, _Softmax) != self._softmax for f in functions) or self._softmax and not self.one_label:
            raise LoadError("temperatures are those of one label, and all functions are of one form")
        of, what = ("nodes", "nodes") if self._levels else ("leaves", "labels")
        numbers = saved.wholes(of, 0, len(functions) - 1)
        want = len(taxonomy) if self._levels else len(labels)
        if len(numbers) != want:
            raise LoadError(f"there are probabilities of {len(numbers)} {what} for {want}")
        if self._levels and (not taxonomy.is_tree or sorted(labels) != taxonomy.leaves):
            raise LoadError("the probabilities are by level, and the taxonomy is not a tree, or the labels are not its leaves")
        self._functions = [functions[n] for n in numbers]

    def of(self, scores: np.ndarray, unseen: Optional[np.ndarray] = None) -> np.ndarray:
        """Returns the probabilities of the labels of a text, 0 of those of the nodes that are unseen."""
        finite = ~np.isneginf(scores)
        if not finite.all():
            scores = np.where(finite, scores, scores[finite].min(initial=np.inf))
        if unseen is None:
            unseen = np.zeros(len(self._taxonomy), bool)
        if self._levels:
            return self._by_level(scores, unseen)[self._labels]
        if self.one_label:
            return self._one_of(scores, self._functions, unseen[self._labels])
        probabilities = np.array([f(s) for f, s in zip(self._functions, scores.tolist())])
        probabilities[unseen[self._labels]] = 0
        return probabilities

    def _one_of(self, scores: np.ndarray, functions: List[Callable[[float], float]], unseen: np.ndarray) -> np.ndarray:
        """Returns the probabilities of labels of which one is true."""
        if unseen.all():
            return np.zeros(len(scores))
        scores = scores - scores.max() if self._softmax else _margins(scores)
        probabilities = np.array([f(s) for f, s in zip(functions, scores.tolist())])
        probabilities[unseen] = 0
        total = 0.0
        for p in probabilities.tolist():
            total += p
        if not total > 0:  # none is possible: the likeliest is what is predicted
            best = np.argmax(np.where(unseen, -np.inf, scores))
            probabilities[int(best)], total = 1, 1
        return probabilities / total

    def _by_level(self, scores: np.ndarray, unseen: np.ndarray) -> np.ndarray:
        """Returns the probabilities of all nodes: from the roots down, that of the parent times that among the siblings."""
        t = self._taxonomy
        nodes = np.full(len(t), -np.inf)
        nodes[self._labels] = scores
        for node in reversed(t.order):
            for child in t.children[node]:
                nodes[node] = max(nodes[node], nodes[child])
        for siblings, above in [(t.roots, -1)] + [(t.children[node], node) for node in t.order if t.children[node]]:
            of = [self._functions[node] for node in siblings]
            if self.one_label:
                row = self._one_of(nodes[siblings], of, unseen[siblings])
            else:
                row = np.array([f(s) for f, s in zip(of, nodes[siblings].tolist())])
                row[unseen[siblings]] = 0
            nodes[siblings] = row if above < 0 else nodes[above] * row
        return nodes


def _margins(scores: np.ndarray) -> np.ndarray:
    """Returns the differences to the highest of the other scores."""
    if len(scores) < 2:
        return scores
    first = int(np.argmax(scores))
    high, low = scores[first], np.delete(scores, first).max()
    margins = scores - high
    margins[first] = high - low
    return margins

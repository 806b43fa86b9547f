"""Probabilities learned from scores: Platt's sigmoids, and isotonic regression."""

from __future__ import annotations

import bisect
import math
from typing import Any, Callable, List, Optional

import numpy as np

from ._errors import LoadError
from ._settings import Record


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


def _function(value: Any) -> Callable[[float], float]:
    f = Record("a function of a score", value, ("A", "B", "scores", "probabilities"))
    scores, probabilities = f.numbers("scores"), f.numbers("probabilities")
    if not scores and not probabilities:
        return _sigmoid(f.number("A"), f.number("B"))
    pairs = list(zip(scores, probabilities))
    if len(scores) != len(probabilities) or not all(0 <= p <= 1 for p in probabilities) or any(s >= t or p > q for (s, p), (t, q) in zip(pairs, pairs[1:])):
        raise LoadError("probabilities of scores are as many as these, rise with them, and are from 0 to 1")
    return _steps(scores, probabilities)


class Calibrated:
    """The probabilities of labels, given their scores."""

    def __init__(self, value: Any, labels: int) -> None:
        saved = Record("the probabilities", value, ("format", "version", "calibration", "instances", "one label", "functions", "leaves", "nodes"))
        saved.header("hierml.calibrated")
        self.one_label = saved.flag("one label")
        functions = [_function(f) for f in saved.list("functions") or []]
        numbers = saved.wholes("leaves", 0, len(functions) - 1)
        if len(numbers) != labels:
            raise LoadError(f"there are probabilities of {len(numbers)} labels for {labels}")
        self._functions = [functions[n] for n in numbers]

    def of(self, scores: np.ndarray, unseen: Optional[np.ndarray] = None) -> np.ndarray:
        """Returns the probabilities of the labels of a text, 0 of those that are unseen."""
        finite = ~np.isneginf(scores)
        if not finite.all():
            scores = np.where(finite, scores, scores[finite].min(initial=np.inf))
        if self.one_label:
            scores = _margins(scores)
        probabilities = np.array([f(s) for f, s in zip(self._functions, scores.tolist())])
        if unseen is not None:
            probabilities[unseen] = 0
        if not self.one_label:
            return probabilities
        total = 0.0
        for p in probabilities.tolist():
            total += p
        if not total > 0:  # none is possible: the likeliest is what is predicted
            best = np.argmax(scores if unseen is None else np.where(unseen, -np.inf, scores))
            probabilities[int(best)], total = 1, 1
        return probabilities / total


def _margins(scores: np.ndarray) -> np.ndarray:
    """Returns the differences to the highest of the other scores."""
    if len(scores) < 2:
        return scores
    first = int(np.argmax(scores))
    high, low = scores[first], np.delete(scores, first).max()
    margins = scores - high
    margins[first] = high - low
    return margins

"""Models that predict sets of nodes: node sets over a model of scores, and forests of trees."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import numpy as np

from ._errors import LoadError, quote
from ._rows import Rows
from ._safetensors import Arrays
from ._settings import Record
from ._taxonomy import Taxonomy
from ._weights import number, whole


def _logistic(z: np.ndarray) -> np.ndarray:
    """Returns 1/(1+exp(z))."""
    with np.errstate(over="ignore"):
        small = np.exp(-np.abs(z))
    return np.where(z >= 0, small / (1 + small), 1 / (1 + small))


class NodeSets:
    """What svm.NodeSetModel adds to the scores of a model: how likely a label is at or below each node."""

    def __init__(self, value: Any, whole_taxonomy: Taxonomy) -> None:
        names = ("format", "version", "nodes", "own scores", "level", "held out", "frequencies", "standard error", "folds", "tried", "functions", "function", "means", "deviation")
        saved = Record("the node sets", value, names)
        saved.header("hierml.sets")
        self.direct = saved.flag("own scores")
        nodes = saved.whole("nodes", 1, len(whole_taxonomy))
        if self.direct and nodes != len(whole_taxonomy):
            raise LoadError(f"the node sets are of {nodes} nodes of {len(whole_taxonomy)}")
        self.taxonomy = _first_nodes(whole_taxonomy, nodes)
        self.level = saved.number("level")
        functions = [_relative(f) for f in saved.list("functions") or []]
        of, means, self._deviation = saved.wholes("function", 0, len(functions) - 1), saved.numbers("means"), saved.number("deviation")
        if len(of) != nodes or len(means) != nodes:
            raise LoadError(f"it has functions of {len(of)} nodes and means of {len(means)}, and the model has {nodes} nodes")
        if not self._deviation > 0 or not 0 <= self.level <= 1:
            raise LoadError(f"the unit of the scores is {self._deviation} and the level is {self.level}")
        self._a, self._b, self._c = np.array([functions[n] for n in of]).T
        self._means = np.array(means)

    def chosen(self, probabilities: np.ndarray) -> np.ndarray:
        """Reports of each node whether it is likely enough."""
        return probabilities > self.level

    def probabilities(self, scores: np.ndarray, unseen: Optional[np.ndarray]) -> np.ndarray:
        """Returns those of the nodes, a row a row, given the scores of the nodes; more columns are of leaves that were added."""
        scores = scores[:, : len(self.taxonomy)]
        with np.errstate(over="ignore", invalid="ignore"):
            units = (scores - self._means) / self._deviation
            likely = _logistic(self._a * units + self._b * units.max(axis=1)[:, None] + self._c)
        if unseen is not None:
            likely[:, unseen[: len(self.taxonomy)]] = 0
        for node in reversed(self.taxonomy.order):
            for child in self.taxonomy.children[node]:
                likely[:, node] = np.maximum(likely[:, node], likely[:, child])
        return likely


def highest_below(t: Taxonomy, nodes: np.ndarray) -> np.ndarray:
    """Returns, for each node, the highest score at or below it; those of minus infinity get the lowest of the others."""
    nodes = nodes.copy()
    for node in reversed(t.order):
        for child in t.children[node]:
            nodes[:, node] = np.maximum(nodes[:, node], nodes[:, child])
    least = np.where(np.isneginf(nodes), np.inf, nodes).min(axis=1)[:, None]
    return np.where(np.isneginf(nodes), least, nodes)


def _relative(value: Any) -> List[float]:
    f = Record("a function of a score", value, ("A", "B", "C"))
    return [f.number(name) for name in "ABC"]


def _first_nodes(t: Taxonomy, nodes: int) -> Taxonomy:
    """Returns the taxonomy from before leaves were added behind its nodes."""
    if nodes == len(t):
        return t
    if any(t.children[node] for node in range(nodes, len(t))):
        raise LoadError("a node after those of the node sets is not an added leaf")
    edges = [(parent, child) for parent in range(nodes) for child in t.children[parent] if child < nodes]
    return Taxonomy(t.names[:nodes], edges, [(node, name) for node, name in t.labels() if node < nodes])


class Forest:
    """Trees, or one, of package forest: each gives the shares of the training instances in the leaf of a row."""

    def __init__(self, file: Arrays, taxonomy: Taxonomy) -> None:
        self.taxonomy = taxonomy
        self.features, self.level = whole(file.metadata, "features"), number(file.metadata, "level")
        if not 0 <= self.level <= 1:
            raise LoadError(f"nodes are predicted from {self.level} on")
        feature = file.array("trees.feature")
        threshold = file.floats("trees.threshold").astype(np.float64)
        other, size = file.indices("trees.other", 1 << 31), file.indices("trees.size", 1 << 31)
        labels, counts = file.indices("trees.labels", len(taxonomy)), file.indices("trees.counts", 1 << 31)
        if feature.dtype != np.int32 or feature.ndim != 1 or not len(feature) == len(threshold) == len(other) or len(labels) != len(counts):
            raise LoadError(f"{len(feature)} nodes of trees have {len(threshold)} thresholds, and {len(labels)} labels {len(counts)} counts")
        nodes, leaves = file.borders("trees.nodes", len(feature)), file.borders("trees.leaves", len(size))
        begin = file.borders("trees.begin", len(labels))
        if len(nodes) < 2 or len(nodes) != len(leaves) or len(begin) != len(size) + 1 or (np.diff(nodes) < 1).any():
            raise LoadError(f"{len(nodes) - 1} trees have the leaves of {len(leaves) - 1}")
        tree = np.repeat(np.arange(len(nodes) - 1), np.diff(nodes))
        at, inner = np.arange(len(feature)) - nodes[tree], feature >= 0
        wrong = np.where(inner, (feature >= self.features) | (other <= at) | (at + 1 >= np.diff(nodes)[tree]) | (other >= np.diff(nodes)[tree]), (feature != -1) | (other >= np.diff(leaves)[tree]))
        if wrong.any():
            raise LoadError(f"node {int(np.flatnonzero(wrong)[0])} of the trees tests no feature, or goes on to no node or leaf")
        of_leaf = np.repeat(np.arange(len(size)), np.diff(begin))
        rising = np.diff(labels) > 0
        rising[of_leaf[1:] != of_leaf[:-1]] = True
        if (size < 1).any() or (counts > size[of_leaf]).any() or not rising.all():
            raise LoadError("a leaf of the trees has more instances of a node than there are, or its nodes do not ascend")
        self._prior: Optional[np.ndarray] = None
        if "trees.prior" in file:
            self._prior = file.floats("trees.prior").astype(np.float64)
            if len(self._prior) != len(taxonomy) or ((self._prior < 0) | (self._prior > 1)).any():
                raise LoadError(f"there are {len(self._prior)} shares of {len(taxonomy)} nodes")
        self._check_shares(of_leaf, labels, counts)
        self._feature, self._threshold, self._other = feature.tolist(), threshold.tolist(), other.tolist()
        self._nodes, self._leaves = nodes.tolist(), leaves.tolist()
        self._size, self._begin, self._labels, self._counts = size.tolist(), begin.tolist(), labels, counts
        self._used = set(feature[inner].tolist())
        self.wide = len(taxonomy)

    def _check_shares(self, of_leaf: np.ndarray, labels: np.ndarray, counts: np.ndarray) -> None:
        have = {(leaf, node): count for leaf, node, count in zip(of_leaf.tolist(), labels.tolist(), counts.tolist())}
        for (leaf, node), count in have.items():
            if any(have.get((leaf, above), 0) < count for above in self.taxonomy.parents[node]):
                raise LoadError(f"leaf {leaf} of the trees has a node in more instances than the node above it")

    def chosen(self, probabilities: np.ndarray) -> np.ndarray:
        """Reports of each node whether it is likely enough."""
        return probabilities >= self.level

    def probabilities(self, rows: Rows) -> np.ndarray:
        """Returns those of the nodes, a row a row."""
        values: List[Dict[int, float]] = [{} for _ in range(rows.count)]
        for feature, at, of in rows:
            if feature in self._used:
                for row, value in zip(range(rows.count) if isinstance(at, slice) else at.tolist(), of.tolist()):
                    values[row][feature] = value
        likely = np.zeros((rows.count, len(self.taxonomy)))
        for row, sums in zip(values, likely):
            for node, leaf in zip(self._nodes[:-1], self._leaves):
                self._add(row, node, leaf, sums)
        trees = len(self._nodes) - 1
        return likely if trees == 1 else likely / trees

    def _add(self, row: Dict[int, float], node: int, leaf: int, sums: np.ndarray) -> None:
        """Adds what the tree predicts whose nodes and leaves begin there."""
        at = node
        while self._feature[at] >= 0:
            at = at + 1 if row.get(self._feature[at], 0.0) > self._threshold[at] else node + self._other[at]
        leaf += self._other[at]
        count = float(self._size[leaf])
        if self._prior is not None:
            count += 1
            sums += self._prior / count
        lo, hi = self._begin[leaf], self._begin[leaf + 1]
        sums[self._labels[lo:hi]] += self._counts[lo:hi] / count


def node_set(taxonomy: Taxonomy, probabilities: np.ndarray, chosen: np.ndarray) -> List[int]:
    """Returns the chosen nodes in their most specific form, or the likeliest one."""
    nodes = [node for node in np.flatnonzero(chosen).tolist() if not any(chosen[child] for child in taxonomy.children[node])]
    if nodes:
        return nodes
    best = 0
    for node in taxonomy.order:
        if probabilities[node] > probabilities[best] or probabilities[node] == probabilities[best] and best in taxonomy.parents[node]:
            best = node
    return [best]


def translated(value: Any) -> Taxonomy:
    """Returns the taxonomy that a model was translated to."""
    saved = Record("the translated taxonomy", value, ("format", "version", "names", "edges", "labels"))
    saved.header("hierml.translated")
    edges, labels = saved.list("edges") or [], saved.raw("labels") or {}
    if not all(isinstance(edge, list) and len(edge) == 2 and all(type(node) is int for node in edge) for edge in edges):
        raise LoadError("an edge of the translated taxonomy is no pair of nodes")
    if not isinstance(labels, dict) or not all(node.isascii() and node.isdecimal() and len(node) < 11 and isinstance(name, str) for node, name in labels.items()):
        raise LoadError(f"the labels of the translated taxonomy are {quote(labels)}")
    return Taxonomy(saved.texts("names"), [(edge[0], edge[1]) for edge in edges], [(int(node), name) for node, name in labels.items()])

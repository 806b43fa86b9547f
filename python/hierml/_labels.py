"""Scores of nodes to scores of labels: attributes, and links that make probabilities."""

from __future__ import annotations

from typing import Dict, List, Optional

import numpy as np

from ._errors import LoadError, quote
from ._safetensors import Arrays
from ._taxonomy import Taxonomy

_LINKS = ("NoLink", "Sigmoid", "CubedHinge", "SquaredHinge", "Softmax", "Margin")
_UNTIED = 1e-12  # see link.go of package classifier


class Link:
    """What the score of a node makes of the scores of the leaves below it."""

    def __init__(self, file: Arrays, taxonomy: Taxonomy, column: Dict[int, int]) -> None:
        self.name = file.metadata.get("link", "")
        if self.name not in _LINKS[1:]:
            raise LoadError(f"the metadata name the link {quote(self.name)}; this package knows {', '.join(_LINKS[1:])}")
        if not taxonomy.is_tree:
            raise LoadError("a link needs a tree, and in this taxonomy some nodes have several parents")
        always = file.indices("link.always", len(taxonomy)).tolist()
        never = file.indices("link.never", len(taxonomy)).tolist()
        if not all(node in column for node in always + never) or len(set(always + never)) < len(always) + len(never):
            raise LoadError("nodes whose probability is certain have no weights, or stand there twice")
        if self.name == "Softmax" and (always or never):
            raise LoadError("always and never are not supported with the link Softmax")
        self.always = np.array([column[node] for node in always], np.int64)
        self.never = np.array([column[node] for node in never], np.int64)
        self._families: List[np.ndarray] = []
        if self.name == "Softmax":
            for nodes in [taxonomy.roots] + [below for below in taxonomy.children if below]:
                if not all(node in column for node in nodes):
                    raise LoadError("a softmax needs weights of all nodes")
                self._families.append(np.array([column[node] for node in nodes], np.int64))

    def apply(self, scores: np.ndarray) -> np.ndarray:
        """Returns the logarithms of the probabilities of the columns, given their parents; of Margin, the scores."""
        if self.name == "Softmax":
            scores = scores.copy()
            for family in self._families:
                scores[:, family] = log_softmax(scores[:, family])
            return scores
        scores = self.log(scores)
        scores[:, self.always] = 0
        scores[:, self.never] = -np.inf
        return scores

    def log(self, scores: np.ndarray) -> np.ndarray:
        """Returns what the link makes of scores, each by itself."""
        if self.name == "Sigmoid":
            return np.minimum(scores, 0) - np.log1p(np.exp(-np.abs(scores)))
        if self.name in ("CubedHinge", "SquaredHinge"):
            below = np.maximum(0, 1 - scores)
            power = below * below * below if self.name == "CubedHinge" else below * below
            return -power - _UNTIED / np.maximum(1, scores)
        return scores.copy()


def log_softmax(scores: np.ndarray) -> np.ndarray:
    """Returns the logarithms of the probabilities of siblings, a row a row; minus infinity where all scores are."""
    rows = np.arange(len(scores))
    at = scores.argmax(axis=1)
    top = scores[rows, at][:, None]
    with np.errstate(invalid="ignore"):
        terms = np.exp(scores - top)
        terms[rows, at] = 0
        others = np.add.accumulate(terms, axis=1)[:, -1:]  # one after the other, as in Go
        return np.where(np.isneginf(top), scores, scores - (top + np.log1p(others)))


class Attributes:
    """How the scores of the columns become those of the labels: F(y) = sum_n Lambda_n(y) s_n."""

    def __init__(self, file: Arrays, taxonomy: Taxonomy) -> None:
        self.candidates: List[int] = file.indices("attributes.candidates", len(taxonomy)).tolist()
        values = file.floats("attributes.values").astype(np.float64)
        nodes = file.indices("attributes.nodes", len(taxonomy))
        begin = file.borders("attributes.begin", len(values))
        if len(nodes) != len(values) or len(begin) != len(self.candidates) + 1 or not self.candidates:
            raise LoadError(f"attributes of {len(begin) - 1} labels for {len(self.candidates)}, with {len(nodes)} nodes and {len(values)} values")
        if any(a >= b for a, b in zip(self.candidates, self.candidates[1:])):
            raise LoadError("the labels that the model chooses from do not ascend")
        self.nodes = file.indices("weights.columns", len(taxonomy)).tolist()  # of the columns
        self.column = {node: column for column, node in enumerate(self.nodes)}
        if len(self.column) != len(self.nodes):
            raise LoadError("two columns of the weights are of one node")
        column = np.full(len(taxonomy), -1, np.int64)
        column[self.nodes] = np.arange(len(self.nodes))
        # Nodes without a column have the same value in all labels, and count as nothing.
        known = column[nodes] >= 0
        label = np.repeat(np.arange(len(self.candidates)), np.diff(begin))[known]
        self._columns, self._values = column[nodes][known], values[known]
        self._begin = np.searchsorted(label, np.arange(len(self.candidates) + 1))
        self._whole = (nodes, values, begin)
        self._taxonomy = taxonomy
        self._top_down = self._find_top_down(nodes[known])
        if not self._top_down:
            lengths = np.diff(self._begin)
            longest = np.argsort(-lengths, kind="stable")
            shorter = -lengths[longest]
            self._positions = []  # the first node of each label, then the second: as many at once as there are
            for k in range(int(lengths.max(initial=0))):
                labels = longest[: np.searchsorted(shorter, -k)]
                at = self._begin[labels] + k
                self._positions.append((labels, self._columns[at], self._values[at]))

    def _find_top_down(self, nodes: np.ndarray) -> bool:
        """Finds whether a label has, on a tree, the nodes above it with a column, each with its own value.

        Then a score is that of the parent and a term, which is added up from the roots on.
        """
        t = self._taxonomy
        if not t.is_tree or self.candidates != t.leaves:
            return False
        value = np.zeros(len(self.nodes))
        for column, v in zip(self._columns.tolist(), self._values.tolist()):
            if value[column] != 0 and value[column] != v:
                return False
            value[column] = v
        enter, leave, count, parent, level = ([0] * len(t) for _ in range(5))
        clock = 0
        for root in t.roots:
            stack = [(root, False)]
            while stack:
                node, done = stack.pop()
                if done:
                    leave[node] = clock
                    continue
                enter[node] = clock
                clock += 1
                column = self.column.get(node, -1)
                above = t.parents[node][0] if t.parents[node] else -1
                count[node] = (count[above] if above >= 0 else 0) + (1 if column >= 0 and value[column] != 0 else 0)
                parent[node] = -1 if above < 0 else self.column.get(above, parent[above])
                level[node] = 0 if parent[node] < 0 else level[self.nodes[parent[node]]] + 1
                stack.append((node, True))
                stack.extend((child, False) for child in t.children[node])
        for y, leaf in enumerate(t.leaves):
            row = nodes[self._begin[y] : self._begin[y + 1]].tolist()
            if count[leaf] != len(row) or not all(enter[node] <= enter[leaf] < leave[node] for node in row):
                return False
        inner = [node for node in self.nodes if t.children[node]]
        levels: List[List[int]] = [[] for _ in range(1 + max((level[node] for node in inner), default=-1))]
        for node in inner:
            levels[level[node]].append(node)
        leaves = [node for node in t.leaves if node in self.column]
        if len(leaves) != len(t.leaves):
            raise LoadError("a leaf has no column of the weights")
        self._levels = []  # columns, those of their parents, values
        for group in [*levels, leaves]:
            columns = np.array([self.column[node] for node in group], np.int64)
            self._levels.append((columns, np.array([parent[node] for node in group], np.int64), value[columns]))
        return True

    def scores(self, columns: np.ndarray) -> np.ndarray:
        """Returns the scores of the labels, a row a row."""
        with np.errstate(invalid="ignore"):
            if self._top_down:
                sums = np.zeros((len(columns), columns.shape[1] + 1))  # the last is of what has no parent with a column: -1
                for at, parent, value in self._levels:
                    sums[:, at] = value * columns[:, at] + sums[:, parent]
                return sums[:, self._levels[-1][0]]
            scores = np.zeros((len(columns), len(self.candidates)))
            for labels, at, value in self._positions:
                scores[:, labels] += value * columns[:, at]
            return scores

    def node_values(self) -> Optional[np.ndarray]:
        """Returns the value that each node has in all labels below it, or None where there is none."""
        nodes, values, _ = self._whole
        if self.candidates != self._taxonomy.leaves:
            return None
        of = np.zeros(len(self._taxonomy))
        for node, value in zip(nodes.tolist(), values.tolist()):
            if of[node] != 0 and of[node] != value:
                return None
            of[node] = value
        return of

"""Decisions by probabilities: the rules of package decision of the Go library."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np

from ._errors import LoadError, quote
from ._settings import Record
from ._taxonomy import Taxonomy

_MOST = 1 << 24  # of pairs of a node and one above it, or of distances
_SETTINGS = {"least loss": ("inner", "loss"), "largest F1": ("single", "rootless"), "top down": ("threshold",), "node thresholds": ("thresholds",)}
_TOLERANCE = 1e-9  # the relative difference below which two values count as equal

Decision = Tuple[List[int], float]


class Rule:
    """Decides for nodes by how likely each leaf is to be the label, with the value that is expected."""

    def __init__(self, value: Any, taxonomy: Taxonomy) -> None:
        saved = Record("the decision", value, ("format", "version", "rule", "inner", "loss", "single", "rootless", "threshold", "thresholds"))
        saved.header("hierml.decision")
        self._rule = saved.choice("rule", tuple(_SETTINGS))
        if any(name in saved for settings in _SETTINGS.values() for name in settings if name not in _SETTINGS[self._rule]):
            raise LoadError(f"the decision has settings that {quote(self._rule)} does not have")
        self._least = self._rule == "least loss"
        self._inner, self._single, self._rootless = saved.flag("inner"), saved.flag("single"), saved.flag("rootless")
        loss = saved.raw("loss")
        self._labels = _Labels(taxonomy, loss is None)
        self._costs: Optional[np.ndarray] = None
        self._weights, self._missed, self._added = np.ones(len(self._labels.nodes)), 1.0, 1.0
        if loss is not None:
            self._read(Record("the loss of the decision", loss, ("weights", "missed", "added", "costs")))
        elif self._least and not self._labels.nodes.is_tree:
            self._costs = self._labels.distances()
        order = self._labels.order
        if self._least and not self._inner:
            of = set(self._labels.of.tolist())
            order = [node for node in order if node in of]
        self._order = np.array(order)
        if not self._least:
            self._prepare()
        self._threshold, self._thresholds = saved.number("threshold"), np.array(saved.numbers("thresholds"))
        if not 0 <= self._threshold <= 1 or self._rule == "node thresholds" and len(self._thresholds) != len(self._labels.nodes):
            raise LoadError(f"the decision has the threshold {self._threshold}, and {len(self._thresholds)} for {len(self._labels.nodes)} nodes")
        if np.any((self._thresholds < 0) | (self._thresholds > 1)):
            raise LoadError("a threshold of the decision is not from 0 to 1")

    def _read(self, loss: Record) -> None:
        nodes, leaves = len(self._labels.nodes), len(self._labels.of)
        if "costs" not in loss:
            self._missed, self._added = loss.number("missed"), loss.number("added")
            if "weights" in loss:
                self._weights = np.array(loss.numbers("weights"))
            if len(self._weights) != nodes or (self._weights < 0).any() or self._missed < 0 or self._added < 0:
                raise LoadError(f"the loss of the decision has {len(self._weights)} weights for {nodes} nodes, or one is negative")
            return
        columns = nodes if self._inner else leaves
        rows = loss.list("costs") or []
        if any(name in loss for name in ("weights", "missed", "added")) or len(rows) != leaves or not all(isinstance(row, list) and len(row) == columns for row in rows):
            raise LoadError(f"the loss of the decision has costs that are not {columns} for each of {leaves} leaves")
        if not all(type(cost) in (int, float) and (cost >= 0 or cost == -1) for row in rows for cost in row):
            raise LoadError("a cost of the decision is no number, or negative")
        given = np.array(rows, np.float64)
        self._costs = given
        if not self._inner:
            self._costs = np.full((leaves, nodes), -1.0)
            self._costs[:, self._labels.of] = given

    def decide(self, probabilities: np.ndarray) -> List[Decision]:
        """Returns the decision for each row of probabilities of the leaves."""
        decisions = []
        for row in probabilities:
            total = float(np.cumsum(row)[-1])
            if not total > 0:
                raise ValueError("all probabilities of a row are 0; a decision needs a label that is possible")
            p = row / total
            if self._least:
                decisions.append(self._least_loss(p))
            elif self._rule == "top down":
                decisions.append(self._closed(p, self._descended(p)))
            elif self._rule == "node thresholds":
                decisions.append(self._closed(p, self._likely(p)))
            else:
                decisions.append(self._largest_node(p) if self._single else self._largest_set(p))
        return decisions

    def _first(self, values: np.ndarray) -> int:
        """Returns the first node in the order whose value is as good as the smallest."""
        of = values[self._order]
        finite = np.isfinite(of)
        if not finite.any():
            raise ValueError("no decision has a finite expected loss")
        least = of[finite].min()
        at = np.flatnonzero(finite & (of <= least + _TOLERANCE * max(1.0, abs(least))))[0]
        return int(self._order[at])

    def _least_loss(self, p: np.ndarray) -> Decision:
        labels = self._labels
        if self._costs is None:
            likely = labels.spread(p, labels.above)
            own = self._added * self._weights * (1 - likely) - self._missed * self._weights * likely
            of, above = labels.pairs
            expected = self._missed * float(self._weights @ likely) + np.bincount(of, own[above], len(labels.nodes))
        else:
            bad = self._costs == -1
            expected = p @ np.where(bad, 0, self._costs)
            expected[bad[p > 0].any(axis=0)] = np.inf
        node = self._first(expected)
        return labels.set([node]), max(0.0, float(expected[node]))

    # Thresholds.

    def _closed(self, p: np.ndarray, closed: List[int]) -> Decision:
        """Returns a set with all nodes above its nodes, and its expected F1."""
        value = float(self._shares(p, len(closed))[closed].sum()) if closed else 0.0
        return self._labels.set(self._specific(closed)), value

    def _specific(self, closed: List[int]) -> List[int]:
        above = {parent for node in closed for parent in self._labels.nodes.parents[node]}
        return [node for node in closed if node not in above]

    def _descended(self, p: np.ndarray) -> List[int]:
        t, likely = self._labels.nodes, self._labels.spread(p, self._labels.above)
        node = t.roots[int(np.argmax(likely[t.roots]))]
        while t.children[node]:
            child = t.children[node][int(np.argmax(likely[t.children[node]]))]
            own = self._labels.leaf.get(node)
            if own is not None and p[own] >= likely[child] or not likely[child] / likely[node] > self._threshold:
                break
            node = child
        return self._labels.ancestors[node]

    def _likely(self, p: np.ndarray) -> List[int]:
        t, likely = self._labels.nodes, self._labels.spread(p, self._labels.above)
        chosen: List[int] = []
        inside = set()
        for node in t.order:
            if likely[node] > self._thresholds[node] and all(parent in inside for parent in t.parents[node]):
                inside.add(node)
                chosen.append(node)
        return chosen

    # The largest expected F1.

    def _prepare(self) -> None:
        labels = self._labels
        roots = set(labels.nodes.roots) if self._rootless else set()
        self._above = [[node for node in above if node not in roots] for above in labels.ancestors]
        self._sizes = np.array([len(self._above[node]) for node in labels.of.tolist()])
        self._of = np.repeat(np.arange(len(labels.of)), self._sizes)
        self._flat = np.array([above for node in labels.of.tolist() for above in self._above[node]], np.int64)
        self._distinct, self._which = np.unique(self._sizes, return_inverse=True)
        self._depths = np.array(labels.depths)
        self._all_sizes = np.array([len(above) for above in self._above])
        self._node_of = np.repeat(np.arange(len(labels.nodes)), self._all_sizes)
        self._node_above = np.array([node for above in self._above for node in above], np.int64)

    def _shares(self, p: np.ndarray, k: int) -> np.ndarray:
        """Returns what each node adds to the expected F1 of a set of k."""
        return np.bincount(self._flat, (p * 2 / np.maximum(k + self._sizes, 1))[self._of], len(self._labels.nodes))

    def _largest_set(self, p: np.ndarray) -> Decision:
        sizes, shares = self._distinct.tolist(), np.bincount(self._which, p).tolist()
        found: List[int] = []
        value = 0.0
        for k in range(1, len(self._labels.nodes) + 1):
            most = 0.0
            for size, share in zip(sizes, shares):
                if size:
                    most += share * 2 * min(k, size) / (k + size)
            if most <= value * (1 + _TOLERANCE):
                if k >= sizes[-1]:
                    break
                continue
            of = self._shares(p, k)
            order = np.lexsort((np.arange(len(of)), self._depths, -of))[:k]
            chosen = order[of[order] > 0]
            reached = float(np.cumsum(of[chosen])[-1]) if len(chosen) else 0.0
            if reached > value * (1 + _TOLERANCE):
                found, value = chosen.tolist(), reached
            if len(chosen) < k:
                break
        return self._labels.set(self._specific(found)), value

    def _largest_node(self, p: np.ndarray) -> Decision:
        values = np.zeros(len(self._above))
        for k in np.unique(self._all_sizes).tolist():
            if k:
                sums = np.bincount(self._node_of, self._shares(p, k)[self._node_above], len(values))
                values = np.where(self._all_sizes == k, -sums, values)
        node = self._first(values)
        return self._labels.set([node]), -float(values[node])


class _Labels:
    """The labels of a taxonomy, and the nodes among which they are compared."""

    def __init__(self, taxonomy: Taxonomy, as_data: bool) -> None:
        """as_data leaves out leaves that stand for the node above."""
        t = taxonomy
        label = [t.label(node) if as_data else node for node in range(len(t))]
        kept = [node for node in range(len(t)) if label[node] == node]
        place = {node: k for k, node in enumerate(kept)}
        edges = [(place[node], place[child]) for node in kept for child in t.children[node] if child in place]
        self.nodes = t if len(kept) == len(t) else Taxonomy([t.names[node] for node in kept], edges)
        self.of = np.array([place[label[leaf]] for leaf in t.leaves])
        self.leaf = {node: y for y, node in enumerate(self.of.tolist())}
        self._back = list(kept)
        for leaf, node in zip(t.leaves, self.of.tolist()):
            self._back[node] = leaf
        above: List[List[int]] = [[] for _ in self._back]
        self.depths = [0] * len(self._back)
        total = 0
        for node in self.nodes.order:
            if total > _MOST:
                raise LoadError("the taxonomy is too deep for decisions in Python: its nodes have more than 2^24 nodes above them, together")
            together = {node}
            for parent in self.nodes.parents[node]:
                together.update(above[parent])
                self.depths[node] = max(self.depths[node], self.depths[parent] + 1)
            above[node] = sorted(together)
            total += len(together)
        self.ancestors = above
        self.order = sorted(range(len(self._back)), key=lambda node: (-self.depths[node], node))
        self.above = _pairs([above[node] for node in self.of.tolist()])
        self.pairs = _pairs(above)

    def spread(self, values: np.ndarray, above: Tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Returns, for every node, the sum of the values of the labels at or below it."""
        return np.bincount(above[1], values[above[0]], len(self.nodes))

    def set(self, nodes: List[int]) -> List[int]:
        return sorted(self._back[node] for node in nodes)

    def distances(self) -> np.ndarray:
        """Returns the number of edges from each label to each node, where roots are joined above."""
        t = self.nodes
        if len(self.of) * len(t) > _MOST:
            raise LoadError("the taxonomy is too large for decisions by distances in Python: there are more than 2^24")
        near = [parents + children for parents, children in zip(t.parents, t.children)]
        near.append(list(t.roots))
        for root in t.roots:
            near[root] = near[root] + [len(t)]
        rows = []
        for label in self.of.tolist():
            row = [-1] * len(near)
            row[label], level, far = 0, [label], 0
            while level:
                far += 1
                following = []
                for at in level:
                    for other in near[at]:
                        if row[other] < 0:
                            row[other] = far
                            following.append(other)
                level = following
            rows.append(row[: len(t)])
        return np.array(rows, np.float64)


def _pairs(above: List[List[int]]) -> Tuple[np.ndarray, np.ndarray]:
    """Returns positions, and each of what is above them."""
    of = np.repeat(np.arange(len(above)), [len(nodes) for nodes in above])
    return of, np.array([node for nodes in above for node in nodes], np.int64)

"""Taxonomies: trees, forests and directed acyclic graphs of named nodes."""

from __future__ import annotations

from typing import Dict, List, Sequence, Tuple, Union

from ._errors import LoadError


class Taxonomy:
    """The labels and the nodes above them. A node is an id from 0 to len(taxonomy)-1, or a name."""

    names: List[str]  #: of the nodes, distinct
    parents: List[List[int]]  #: of every node, ascending; more than one only on graphs
    children: List[List[int]]  #: of every node, ascending
    roots: List[int]  #: nodes without parents, ascending
    leaves: List[int]  #: nodes without children, ascending
    is_tree: bool  #: whether no node has several parents

    def __init__(self, names: Sequence[str], edges: Sequence[Tuple[int, int]], labels: Sequence[Tuple[int, str]] = ()) -> None:
        """edges are pairs of parent and child; labels are leaves and the names of the labels that they stand for.

        Raises ValueError for what is no taxonomy.
        """
        self.names = list(names)
        self._ids: Dict[str, int] = {name: node for node, name in enumerate(self.names)}
        if not self.names or "" in self._ids or len(self._ids) != len(self.names):
            raise LoadError("the names of the taxonomy are not distinct, or one is empty, or there are none")
        edges = sorted((int(parent), int(child)) for parent, child in edges)
        if len(set(edges)) != len(edges):
            raise LoadError("an edge of the taxonomy is given twice")
        self.parents = [[] for _ in self.names]
        self.children = [[] for _ in self.names]
        for parent, child in edges:
            if not (0 <= parent < len(self.names) and 0 <= child < len(self.names)):
                raise LoadError(f"an edge of the taxonomy is from node {parent} to {child} of {len(self.names)}")
            self.children[parent].append(child)
            self.parents[child].append(parent)
        self.roots = [node for node, above in enumerate(self.parents) if not above]
        self.leaves = [node for node, below in enumerate(self.children) if not below]
        self.is_tree = all(len(above) < 2 for above in self.parents)
        missing = [len(above) for above in self.parents]
        self.order = list(self.roots)  # parents before children
        for node in self.order:
            for child in self.children[node]:
                missing[child] -= 1
                if missing[child] == 0:
                    self.order.append(child)
        if len(self.order) < len(self.names):
            raise LoadError("the taxonomy has a cycle")
        self._labels: Dict[int, str] = dict(labels)
        leaf_names = [self.label_name(leaf) for leaf in self.leaves]
        wrong = [node for node, name in labels if not 0 <= node < len(self.names) or self.children[node] or not name]
        if wrong or len(self._labels) != len(labels) or self._labels and len(set(leaf_names)) != len(leaf_names):
            raise LoadError("what leaves stand for is not a label each, with a name of its own")

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        kind = "tree" if self.is_tree and len(self.roots) == 1 else "forest" if self.is_tree else "directed acyclic graph"
        return f"<hierml.Taxonomy: {kind} of {len(self)} nodes, {len(self.leaves)} leaves>"

    def node(self, name: Union[str, int]) -> int:
        """Returns the id of a node. Raises KeyError where there is none."""
        if isinstance(name, str):
            return self._ids[name]
        if not 0 <= name < len(self):
            raise KeyError(name)
        return int(name)

    def label_name(self, node: int) -> str:
        """Returns the name by which the data know a label: of a leaf "(misc)", that of the node above."""
        return self._labels.get(node, self.names[node])

    def labels(self) -> List[Tuple[int, str]]:
        """Returns the leaves that stand for labels of other names, and these."""
        return list(self._labels.items())

    def label(self, node: int) -> int:
        """Returns the node that is a label in the data: of a leaf "(misc)", the node above."""
        name = self.label_name(node)
        return next((above for above in self.parents[node] if self.names[above] == name), node)

    def path(self, node: Union[str, int]) -> Tuple[str, ...]:
        """Returns the names from a root to a node, by the first parent where there are several."""
        at = self.node(node)
        names = [self.names[at]]
        while self.parents[at]:
            at = self.parents[at][0]
            names.append(self.names[at])
        return tuple(reversed(names))

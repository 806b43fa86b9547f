"""The targets y of estimators: names, paths or several of them a row, as nodes of a taxonomy, and back."""

from __future__ import annotations

import warnings
from typing import Any, Dict, Hashable, Iterable, List, Optional, Sequence, Set, Tuple

import numpy as np

Key = Tuple[Hashable, ...]  #: what a label is known by: its path, or its name alone

_SEPARATORS = ("/", "::", " > ", "\N{SYMBOL FOR UNIT SEPARATOR}")


def is_missing(value: Any) -> bool:
    """Whether a component of a path is none: None, NaN, pandas' NA or an empty text."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return value == "" or value != value


class Targets:
    """What y holds: for each row the keys of its labels, and whether these are names or paths."""

    keys: List[List[Key]]  #: of each row
    paths: bool  #: whether they are paths, and predictions are rows of an array
    several: bool  #: whether a row may have several, and predictions are lists
    repeated: Optional[str] = None  #: a name at several levels of paths that are lists, which may be meant as several labels
    dtype: np.dtype  #: of the array

    def __init__(self, y: Any, named: bool) -> None:
        """named says that there is a hierarchy, in which labels are names: then a row with a list has several."""
        if hasattr(y, "to_numpy"):
            y = y.to_numpy()
        if hasattr(y, "tocsr"):
            raise ValueError("sparse y is not supported; give the names, or the paths, of each row")
        y = np.asarray(y) if hasattr(y, "__array__") else _array(y)
        if y.ndim == 2 and y.shape[1] == 1:
            from sklearn.exceptions import DataConversionWarning

            warnings.warn("A column-vector y was passed when a 1d array was expected", DataConversionWarning, stacklevel=5)
            y = y[:, 0]
        if y.ndim not in (1, 2):
            raise ValueError(f"y has {y.ndim} dimensions; expected a label a row, or a path")
        self.dtype = y.dtype
        rows = y.tolist()
        nested = y.ndim == 2 or any(isinstance(row, (list, tuple, set, frozenset)) for row in rows)
        self.paths = nested and not named
        self.several = nested and (named or y.ndim == 1 and any(_has_several(row) for row in rows))
        if named and (y.ndim == 2 or any(isinstance(row, tuple) or _has_several(row) for row in rows)):
            raise ValueError("y has paths, which say what is above each label; leave hierarchy out")
        if not named and not self.several and any(isinstance(row, (set, frozenset)) for row in rows):
            raise ValueError("y has sets of names; give hierarchy as well, such as {'cat': [], 'dog': []} if there is nothing above the names")
        if not nested:
            self.keys = [[(value,)] for value in rows]
        elif named:
            self.keys = [[(value,) for value in _distinct(row)] for row in rows]
        elif self.several:
            self.keys = [[_path(path) for path in row] for row in rows]
        else:
            if y.ndim == 1:
                self.repeated = _repeated(rows)
            rows = [tuple(row) if isinstance(row, list) else row for row in rows]
            paths = {row: [_path(row)] for row in set(rows)}
            self.keys = [paths[row] for row in rows]
        if not nested and any(is_missing(key[0]) and not isinstance(key[0], (str, bytes)) for of in self.keys for key in of):
            raise ValueError("y has a missing label (None or NaN)")


def _array(y: Any) -> np.ndarray:
    """Returns a list as an array of numpy, of lists and tuples where these have different lengths."""
    if isinstance(y, (str, bytes)) or not hasattr(y, "__len__"):
        raise ValueError(f"y is a {type(y).__name__}; expected a label a row")
    rows = list(y)
    if any(isinstance(row, (list, tuple, set, frozenset, np.ndarray)) for row in rows):
        held = np.empty(len(rows), object)
        held[:] = [row.tolist() if isinstance(row, np.ndarray) else row for row in rows]
        return held
    return np.asarray(rows, dtype=object if any(value is None for value in rows) else None)


def _has_several(row: Any) -> bool:
    return isinstance(row, (list, tuple, set, frozenset)) and any(isinstance(path, (list, tuple)) for path in row)


def _repeated(rows: Sequence[Any]) -> Optional[str]:
    """Returns a name that lists have at several levels, or None."""
    level: Dict[str, int] = {}
    for row in rows:
        for at, name in enumerate(row if isinstance(row, list) else ()):
            if isinstance(name, str) and name and level.setdefault(name, at) != at:
                return name
    return None


def _distinct(row: Any) -> List[Any]:
    if not isinstance(row, (list, tuple, set, frozenset)):
        return [row]
    return [value for value in dict.fromkeys(row) if not is_missing(value)]


def _path(given: Any) -> Key:
    path = list(given) if isinstance(given, (list, tuple)) else [given]
    while path and is_missing(path[-1]):
        path.pop()
    if not path or any(map(is_missing, path)):
        raise ValueError(f"y has the path {given!r}; a path has a component at each level, and may end with None, NaN or '' where it is shorter than others")
    return tuple(path)


def text(value: Any) -> str:
    """Returns a label, or a component of a path, as the name that files have of it."""
    name = str(value)
    if isinstance(value, bytes) or any("\ud800" <= character <= "\udfff" for character in name):
        raise ValueError(f"the label {value!r} is no text; decode it")
    return name


def edges_of(hierarchy: Any) -> List[Tuple[Any, Any]]:
    """Returns the edges from parents to children that a hierarchy has: a list of them, or a dict of children."""
    if isinstance(hierarchy, dict):
        for parent, children in hierarchy.items():
            if isinstance(children, (str, bytes, dict)) or not isinstance(children, Iterable):
                raise ValueError(f"hierarchy has {parent!r}: {children!r}; a dict has lists of children: {{'animal': ['cat', 'dog']}}")
        edges: List[Tuple[Any, ...]] = [(parent, child) for parent, children in hierarchy.items() for child in children]
        names = [*hierarchy, *(child for _, child in edges)]
    elif isinstance(hierarchy, (str, bytes)) or hasattr(hierarchy, "columns") or not isinstance(hierarchy, Iterable):
        rows = "; list(hierarchy.itertuples(index=False, name=None)) has the rows as pairs" if hasattr(hierarchy, "itertuples") else ""
        raise TypeError(f"hierarchy is of type {type(hierarchy).__name__}; expected a list of pairs (parent, child), or a dict from parents to lists of children{rows}")
    else:
        edges = [tuple(edge.tolist() if isinstance(edge, np.ndarray) else edge) if isinstance(edge, (list, tuple, np.ndarray)) else (edge,) for edge in hierarchy]
        for edge in edges:
            if len(edge) != 2:
                raise ValueError(f"hierarchy has {edge!r}; expected pairs (parent, child), or a dict from parents to lists of children")
        names = [name for edge in edges for name in edge]
    for name in names:
        if not isinstance(name, Hashable):
            raise ValueError(f"hierarchy has {name!r} in place of a name; expected pairs (parent, child), or a dict from parents to lists of children")
        if is_missing(name):
            raise ValueError(f"hierarchy has {name!r} in place of a name; leave out edges without a parent, and in a dict give a name with nothing above or below an empty list")
    return [(edge[0], edge[1]) for edge in edges]


class Coding:
    """The nodes of a taxonomy in which each label of y is one, and the classes, which are these labels."""

    def __init__(self, targets: Targets, hierarchy: Any) -> None:
        self.paths, self.several = targets.paths, targets.several
        pairs = [] if hierarchy is None else edges_of(hierarchy)
        self._parents: Dict[Key, List[Key]] = {}
        for parent, child in pairs:
            self._parents.setdefault((child,), []).append((parent,))
        keys = {key for of in targets.keys for key in self._specific(of)}
        try:
            self.keys: List[Key] = sorted(keys)
        except TypeError:
            if not self.paths:
                raise ValueError("the labels in y are of types that cannot be compared; make them all str") from None
            self.keys = sorted(keys, key=lambda key: tuple(map(text, key)))
        self.classes = np.empty(len(self.keys), object)
        self.classes[:] = self.keys
        if not self.paths:
            self.classes = np.array([key[0] for key in self.keys], dtype=None if targets.several else targets.dtype)
        nodes: List[Key] = []
        edges: List[Tuple[Key, Key]] = []
        if hierarchy is not None:
            nodes = [(name,) for pair in pairs for name in pair]
            if isinstance(hierarchy, dict):
                nodes += [(name,) for name in hierarchy]
            edges = [((parent,), (child,)) for parent, child in pairs]
            known = set(nodes)
            missing = [key[0] for key in self.keys if key not in known]
            if missing:
                raise ValueError(f"y has the label {missing[0]!r}, which hierarchy does not have as a node; in a dict, a name without anything above or below has an empty list")
        else:
            for key in self.keys:
                nodes += [key[:k] for k in range(1, len(key) + 1)]
                edges += [(key[: k - 1], key[:k]) for k in range(2, len(key) + 1)]
        nodes = list(dict.fromkeys(nodes))
        number = {key: at for at, key in enumerate(nodes)}
        self.edges = [(number[parent], number[child]) for parent, child in dict.fromkeys(edges)]
        self.names = _names(nodes)
        self._number = number
        self._class = {self.names[number[key]]: at for at, key in enumerate(self.keys)}
        self._below: Dict[int, List[int]] = {}  # the classes below those that have some
        at_key = {key: at for at, key in enumerate(self.keys)}
        for at, key in enumerate(self.keys if self.several else ()):
            for inner in self._ancestors(key) & at_key.keys():
                self._below.setdefault(at_key[inner], []).append(at)

    def _ancestors(self, key: Key) -> Set[Key]:
        if self.paths:
            return {key[:k] for k in range(1, len(key))}
        seen: Set[Key] = set()
        stack = list(self._parents.get(key, ()))
        while stack:
            above = stack.pop()
            if above not in seen:
                seen.add(above)
                stack.extend(self._parents.get(above, ()))
        return seen

    def _specific(self, of: List[Key]) -> List[Key]:
        """Returns the labels of a row without those that another one implies, being below them."""
        if len(of) < 2:
            return of
        implied = {above for key in of for above in self._ancestors(key)}
        return [key for key in of if key not in implied] or of  # on a cycle, which training refuses, all are implied

    def most_specific(self, predicted: np.ndarray) -> np.ndarray:
        """Returns which classes each row has, without those that another one implies."""
        found = predicted.copy()
        for inner, below in self._below.items():
            found[:, inner] &= ~predicted[:, below].any(axis=1)
        return found

    @property
    def labels(self) -> List[Any]:
        """The classes as y has them: names, or paths as tuples."""
        return [key if self.paths else key[0] for key in self.keys]

    def nodes(self, targets: Targets) -> List[List[int]]:
        """Returns the nodes of each row, ascending, in their most specific form."""
        alone = {key: [node] for key, node in self._number.items()}
        return [alone[of[0]] if len(of) == 1 else sorted({self._number[key] for key in self._specific(of)}) for of in targets.keys]

    def index(self, names: Sequence[str]) -> np.ndarray:
        """Returns the classes of labels by the names that files have of them."""
        return np.fromiter((self._class[name] for name in names), np.intp, len(names))

    def columns(self, labels: Sequence[str]) -> np.ndarray:
        """Returns where the classes stand among the labels of a model, which may have more."""
        at = {name: column for column, name in enumerate(labels)}
        return np.array([at[self.names[self._number[key]]] for key in self.keys], np.intp)

    def indices(self, targets: Targets) -> np.ndarray:
        """Returns the class of each row of one label, -1 where it is none."""
        at = {key: k for k, key in enumerate(self.keys)}
        return np.array([at.get(of[0], -1) for of in targets.keys], np.intp)

    def right(self, targets: Targets, predicted: np.ndarray) -> np.ndarray:
        """Returns whether what is predicted, as decoded takes it, is what each row has."""
        if not self.several:
            return self.indices(targets) == predicted
        return np.array([{self.keys[k] for k in np.flatnonzero(row)} == set(self._specific(of)) for row, of in zip(predicted, targets.keys)], bool)

    def decoded(self, predicted: np.ndarray) -> np.ndarray:
        """Returns what y has in place of classes by their numbers: names, or rows of the components of paths, filled up with ''.

        Of several labels a row, predicted says which classes it has, and lists are returned.
        """
        if self.several:
            lists = np.empty(len(predicted), object)
            lists[:] = [[self.labels[k] for k in np.flatnonzero(row)] for row in predicted]
            return lists
        if not self.paths:
            return self.classes[predicted]
        depth = max(map(len, self.keys))
        rows = [[*self.keys[k], *[""] * (depth - len(self.keys[k]))] for k in predicted.tolist()]
        kinds = {type(value) for key in self.keys for value in key} | ({str} if any(len(key) < depth for key in self.keys) else set())
        return np.array(rows, dtype=None if len(kinds) == 1 else object).reshape(len(rows), depth)


def _names(nodes: Sequence[Key]) -> List[str]:
    """Returns the names of nodes: paths with a separator that no component has."""
    parts = [tuple(map(text, key)) for key in nodes]
    free = [separator for separator in _SEPARATORS if not any(separator in part for key in parts for part in key)]
    joint = free[0] if free else _SEPARATORS[-1]
    names = [joint.join(key) for key in parts]
    for at, name in enumerate(names):
        if not name:
            raise ValueError("an empty text is no label")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two labels are called {twice!r} when they are written as text; rename one")
    return names

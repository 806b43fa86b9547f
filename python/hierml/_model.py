"""The model: texts, or rows of a table, to labels."""

from __future__ import annotations

import os
import warnings
from typing import Any, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._columns import Encoder, rows_of
from ._decisions import Decision, Rule
from ._errors import LoadError, UnknownTextWarning, quote, visible
from ._labels import Attributes, Link, log_softmax
from ._probabilities import Calibrated
from ._rows import Matrix, Rows
from ._safetensors import Arrays, read
from ._sets import Forest, NodeSets, highest_below, node_set, translated
from ._settings import Record, parse
from ._steps import steps
from ._taxonomy import Taxonomy
from ._text import Row, Vectorizer
from ._weights import weights

_VERSIONS = ("1", "2", "3", "4", "5")
_KIND_VERSIONS = ("6",)  # of models of other kinds
_MOST_NUMBERS = 1 << 22  # of scores at once
_RULES = ("highest", "descend", "best set", "closed set", "top down", "bottom up")


class Model:
    """Predicts the labels of texts. :func:`hierml.load` returns it. It is immutable.

    A text is a ``str``. A model of tables takes rows instead: dicts with its :attr:`columns`, or a pandas
    ``DataFrame``; ``None`` and NaN are missing values. A model that was saved without vectorizer and columns takes
    features: an array with one row per instance, or a sparse scipy matrix. In arrays that methods return, rows are
    texts and columns are :attr:`labels`.
    """

    name: str  #: the method that trained it
    taxonomy: Taxonomy  #: the labels and the nodes above them
    labels: List[str]  #: the names of the labels, in the order of the columns of scores

    def __init__(self, file: Arrays) -> None:
        metadata = file.metadata
        if metadata.get("format") != "hierml.model":
            raise LoadError(f"the format is {quote(metadata.get('format'))}, not 'hierml.model'; it is not a file of hierml")
        kind = metadata.get("kind")
        if kind not in (None, "forest") or metadata.get("version") not in (_VERSIONS if kind is None else _KIND_VERSIONS):
            raise LoadError(f"the model has version {quote(metadata.get('version'))}, and kind {quote(kind)}; this package reads {', '.join(_VERSIONS)}, and forests of {', '.join(_KIND_VERSIONS)}")
        self._sets: Union[None, NodeSets, Forest] = None
        self._to: Optional[List[int]] = None  # the places of the columns of scores in those of the labels
        self._link: Optional[Link] = None
        self._unseen: Optional[np.ndarray] = None  # whether no training instance belongs to it, by node
        if kind is None:
            self._read_scores(file)
        else:
            self.name, self._taxonomy = metadata.get("name", ""), _taxonomy(file)
            self._sets = self._weights = Forest(file, self._taxonomy)
        self._read_others(file)
        self._read_pipeline(file)

    def _read_scores(self, file: Arrays) -> None:
        """Reads a model of scores of nodes."""
        metadata = file.metadata
        self._rule = metadata.get("rule", "")
        if self._rule not in _RULES:
            raise LoadError(f"the model predicts by the rule {quote(self._rule)}; this package knows {', '.join(_RULES)}")
        self.name = metadata.get("name", "")
        self._taxonomy = _taxonomy(file)
        self._attributes = Attributes(file, self._taxonomy)
        self._read_unseen(file)
        self._weights = weights(file, len(self._attributes.nodes))
        self._constants: Optional[np.ndarray] = None
        if "weights.constants" in file or metadata["version"] == "4":
            self._constants = file.floats("weights.constants").astype(np.float64)
            if len(self._constants) != self._weights.columns:
                raise LoadError(f"{len(self._constants)} constants for the scores of {self._weights.columns} nodes")
        if "link" in metadata or metadata["version"] == "3":
            self._link = Link(file, self._taxonomy, self._attributes.column)
        self._nodes = self._taxonomy.leaves if self._rule == "descend" else self._attributes.candidates

    def _read_others(self, file: Arrays) -> None:
        """Reads a predictor of sets of nodes, or a translation to another taxonomy."""
        if self._sets is None and "attached.sets" in file:
            self._sets = NodeSets(parse("what is attached to the model", file.array("attached.sets").tobytes()), self._taxonomy)
            if not self._sets.direct and self._nodes != self._taxonomy.leaves:
                raise LoadError("node sets are of models that score all leaves")
        if self._sets is not None:
            self.taxonomy = self._sets.taxonomy
            self._nodes = self.taxonomy.leaves
            self.labels = [self.taxonomy.label_name(node) for node in self._nodes]
            return
        self.taxonomy = self._taxonomy
        self.labels = [self.taxonomy.label_name(node) for node in self._nodes]
        if "attached.translated" in file:
            self.taxonomy = translated(parse("what is attached to the model", file.array("attached.translated").tobytes()))
            place = {self.taxonomy.label_name(leaf): y for y, leaf in enumerate(self.taxonomy.leaves)}
            if self._nodes != self._taxonomy.leaves or not all(label in place for label in self.labels):
                raise LoadError("the model has a label that is none of the taxonomy that it was translated to")
            self._to = [place[label] for label in self.labels]
            self.labels = list(place)

    def _read_unseen(self, file: Arrays) -> None:
        """Reads the nodes without training instances; nothing at or below them is predicted."""
        t = self._taxonomy
        if "taxonomy.unseen" not in file:
            return
        unseen = np.zeros(len(t), bool)
        unseen[file.indices("taxonomy.unseen", len(t))] = True
        if any(not unseen[below] for node in range(len(t)) if unseen[node] for below in t.children[node]):
            raise LoadError("no instance belongs to a node, but some do to its child")
        if all(unseen[node] for node in self._attributes.candidates):
            raise LoadError("no instance belongs to any of the labels")
        self._unseen = unseen
        self._dead = np.ones(len(t), bool)  # nothing that is predicted is at or below
        for node in self._attributes.candidates:
            stack = [] if unseen[node] else [node]
            while stack:
                at = stack.pop()
                if self._dead[at]:
                    self._dead[at] = False
                    stack.extend(t.parents[at])

    def _hide(self, scores: np.ndarray, nodes: List[int]) -> np.ndarray:
        """Returns the scores of nodes, those of unseen ones minus infinity."""
        if self._unseen is None:
            return scores
        return np.where(self._unseen[nodes], -np.inf, scores)

    def _linked(self, columns: np.ndarray) -> np.ndarray:
        """Returns the values that the attributes combine."""
        if self._link is None:
            return columns
        nodes = self._attributes.nodes
        return self._hide(self._link.apply(self._hide(columns, nodes)), nodes)

    def _read_pipeline(self, file: Arrays) -> None:
        self._encoder: Union[Vectorizer, Encoder, Matrix]
        self._steps: List[Any] = []
        self._beam = 0
        self._calibrated: Optional[Calibrated] = None
        self._decision: Optional[Rule] = None
        nothing: Row = (np.zeros(0, np.int64), np.zeros(0))
        self._empty = nothing
        if "attached.probabilities" in file and self._sets is None:  # beside a model that is no pipeline
            probabilities = parse("what is attached to the model", file.array("attached.probabilities").tobytes())
            self._calibrated = Calibrated(probabilities, self._scored(), self._taxonomy)
        if "attached.pipeline" not in file:
            self._encoder = Matrix(self._weights.features)
            return
        value = parse("what is attached to the model", file.array("attached.pipeline").tobytes())
        saved = Record("the file", value, ("format", "version", "vectorizer", "columns", "steps", "probabilities", "decision", "beam"))
        saved.header("hierml.pipeline", 3)
        of_rows, version = "columns" in saved, saved.raw("version")
        if of_rows == ("vectorizer" in saved) or version < 3 and of_rows != (version == 2):
            raise LoadError("the file has a vectorizer and columns, or neither, or those of another version")
        if (version == 3) != (self._sets is not None or self._to is not None):
            raise LoadError(f"version {version} of a pipeline is not that of a file with this model")
        self._encoder = Encoder(saved.raw("columns")) if of_rows else Vectorizer(saved.raw("vectorizer"))
        self._steps = steps(saved.raw("steps") or [])
        width = self._encoder.columns
        for step in self._steps:
            if step.takes != width:
                raise LoadError(f"a step takes {step.takes} columns, and what is before it gives {width}")
            width = step.gives
        if width != self._weights.features:
            raise LoadError(f"{width} features for a model of {self._weights.features}")
        self._beam = saved.whole("beam")
        if self._sets is not None and (self._beam or saved.raw("probabilities") is not None):
            raise LoadError("a model of sets of nodes has a beam, or probabilities of labels")
        if self._beam:
            self._prepare_beam()
        if saved.raw("probabilities") is not None:
            self._calibrated = Calibrated(saved.raw("probabilities"), self._nodes, self._taxonomy)
        if saved.raw("decision") is not None:
            self._decide_by(saved.raw("decision"))
        if not of_rows:
            self._empty = self.features("")

    def _decide_by(self, value: Any) -> None:
        """Reads the decision rule for probabilities of one label."""
        if isinstance(self._sets, NodeSets) or self._calibrated is not None and not self._calibrated.one_label:
            raise LoadError("a decision is by probabilities of one label, and the model learned from several")
        if not self.has_probabilities or self._sets is None and self._nodes != self._taxonomy.leaves:
            raise LoadError("a decision needs probabilities of all leaves, and the model has none")
        self._decision = Rule(value, self.taxonomy)

    def __repr__(self) -> str:
        extra = f", beam {self._beam}" if self._beam else ""
        extra += ", with probabilities" if self.has_probabilities else ""
        return f"<hierml.Model: {visible(self.name)}, {len(self.labels)} labels, {self._weights.features} features{extra}>"

    @property
    def has_probabilities(self) -> bool:
        """Whether :meth:`predict_proba` returns probabilities."""
        if self._sets is not None:
            return True
        return self._calibrated is not None or self._link is not None and self._link.name != "Margin"

    # Texts to rows to scores.

    @property
    def has_rule(self) -> bool:
        """Whether the model has a rule, by which :meth:`decide` decides."""
        return self._decision is not None

    @property
    def columns(self) -> List[str]:
        """The columns of a table that the model takes, or an empty list if it takes texts or features."""
        return self._encoder.names if isinstance(self._encoder, Encoder) else []

    def features(self, text: Any) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the columns of the features of a text, or row, that are not zero, ascending, and their values."""
        if isinstance(self._encoder, Vectorizer) and not isinstance(text, str):
            raise TypeError(f"a text is a str, not {type(text).__name__}")
        row = self._encoder.row(text)
        for step in self._steps:
            row = step.apply(row)
        return row

    def knows(self, text: Any) -> bool:
        """Whether the text, or row, has a feature that the model knows: whether its features differ from an empty one's."""
        return self._known(self.features(text))

    def _known(self, row: Row) -> bool:
        empty = self._empty
        return not (np.array_equal(row[0], empty[0]) and np.array_equal(row[1], empty[1]))

    def _batches(self, texts: Any, warn: bool = False) -> Iterator[Rows]:
        """Returns the features of texts or rows, several at once, with a warning if the model knows nothing of some."""
        most = max(1, _MOST_NUMBERS // max(self._weights.wide, len(self._taxonomy)))
        if isinstance(self._encoder, Matrix):
            yield from self._encoder.batches(texts, most)
            return
        rows = [self.features(text) for text in _several(texts)]
        unknown = sum(not self._known(row) for row in rows) if warn else 0
        if unknown:
            what = "rows" if self.columns else "texts"
            message = f"the model knows nothing of {unknown} of {len(rows)} {what}: their labels are meaningless"
            warnings.warn(message, UnknownTextWarning, stacklevel=4)
        for lo in range(0, len(rows), most):
            yield Rows.of(rows[lo : lo + most])

    def _columns(self, rows: Rows, single: bool = False) -> np.ndarray:
        scores: np.ndarray = self._weights.scores(rows, single)
        return scores if self._constants is None else scores + self._constants

    def _node_scores(self, rows: Rows) -> np.ndarray:
        """Returns the scores of the nodes by which a model descends, zero for those without weights."""
        scores = np.zeros((rows.count, len(self._taxonomy)))
        scores[:, self._attributes.nodes] = self._linked(self._columns(rows))
        return scores if self._unseen is None else np.where(self._dead, -np.inf, scores)

    def _node_probabilities(self, rows: Rows) -> np.ndarray:
        """Returns the probability of a label at or below each node, for a model of sets of nodes."""
        if isinstance(self._sets, Forest):
            return self._sets.probabilities(rows)
        if not isinstance(self._sets, NodeSets):
            raise ValueError(f"this model, {visible(self.name)}, gives probabilities of labels at most; svm.NodeSets and forests of the Go library have those of nodes")
        scores = np.zeros((rows.count, len(self._taxonomy)))
        if self._rule == "bottom up" or self._sets.direct:
            scores[:, self._attributes.nodes] = self._columns(rows)
        else:
            scores.fill(-np.inf)
            scores[:, self._taxonomy.leaves] = self._scores_of_leaves(rows)
        if self._rule == "bottom up":
            scores = self._hide(scores, list(range(len(self._taxonomy))))
        if self._rule == "bottom up" or not self._sets.direct:
            scores = highest_below(self._taxonomy, scores)
        return self._sets.probabilities(scores, self._unseen)

    def _label_scores(self, rows: Rows) -> np.ndarray:
        if self._sets is not None:
            return self._node_probabilities(rows)[:, self._nodes]
        return self._scores_of_leaves(rows)

    def _scored(self) -> List[int]:
        """Returns the nodes of the scores of labels."""
        return self._taxonomy.leaves if self._rule == "descend" else self._attributes.candidates

    def _scores_of_leaves(self, rows: Rows) -> np.ndarray:
        if self._rule == "descend":
            return self._shortfalls(self._node_scores(rows))
        return self._hide(self._attributes.scores(self._linked(self._columns(rows))), self._scored())

    def _shortfalls(self, scores: np.ndarray) -> np.ndarray:
        """Returns, for each leaf, how far the nodes on the path fall short of the best of their siblings, in total."""
        t = self._taxonomy
        short = np.full(scores.shape, -np.inf)

        def below(nodes: List[int], start: np.ndarray) -> None:
            best = scores[:, nodes].max(axis=1)
            for node in nodes:
                behind = np.where(scores[:, node] == best, start, start + (scores[:, node] - best))
                short[:, node] = np.maximum(short[:, node], behind)

        with np.errstate(invalid="ignore"):
            below(t.roots, np.zeros(len(scores)))
            for node in t.order:
                if t.children[node]:
                    below(t.children[node], short[:, node])
        return short[:, t.leaves]

    def _descend(self, scores: np.ndarray) -> int:
        nodes = self._taxonomy.roots
        while True:
            node = nodes[int(np.argmax(scores[nodes]))]  # the first of equal ones
            nodes = self._taxonomy.children[node]
            if not nodes:
                return node

    # The beam.

    def _prepare_beam(self) -> None:
        t = self._taxonomy
        if not t.is_tree:
            raise LoadError("a beam goes down a tree, and in this taxonomy some nodes have several parents")
        if "Kernel" in type(self._weights).__name__:
            raise LoadError("a beam needs weights of features, and this model has a kernel")
        values: Optional[np.ndarray] = np.ones(len(t))
        if self._rule != "descend":
            values = self._attributes.node_values()
        if values is None:
            raise LoadError("a beam needs scores of inner nodes")
        self._values = values

    def _beam_ranked(self, columns: np.ndarray, k: int) -> List[Tuple[int, float]]:
        """Returns the k best leaves that the beam reaches: at each level it keeps as many nodes as its width.

        columns are the scores of the columns of a row, by weights in single precision.
        """
        t = self._taxonomy
        scores = np.zeros(len(t))
        scores[self._attributes.nodes] = columns
        scores *= self._values
        scores = self._hide(scores, list(range(len(t))))
        fixed = np.full(len(t), np.nan)
        if self._link is not None and self._link.name != "Softmax":
            scores = self._link.log(scores)
            of = np.array(self._attributes.nodes)
            fixed[of[self._link.always]], fixed[of[self._link.never]] = 0, -np.inf
            scores = np.where(np.isnan(fixed), scores, fixed)
        best: List[Tuple[int, float]] = []
        descent = self._rule == "descend"
        down = -1  # the leaf that a descent comes to
        frontier: List[Tuple[List[int], float, bool]] = [(t.roots, 0.0, descent)]
        while frontier:
            level: List[Tuple[List[int], float, bool]] = []
            for nodes, start, follow in frontier:
                of_nodes = scores[nodes]
                if self._link is not None and self._link.name == "Softmax":
                    of_nodes = log_softmax(of_nodes[None])[0]
                if self._unseen is not None:
                    of_nodes = np.where(self._dead[nodes], -np.inf, of_nodes)
                at = -1  # the node that a descent goes to
                if descent:
                    at = nodes[int(np.argmax(of_nodes))] if follow else -1
                    top = of_nodes.max()
                    if np.isneginf(top):
                        of_nodes = np.zeros(len(nodes))
                    else:
                        start -= top
                for node, score in zip(nodes, (start + of_nodes).tolist()):
                    if self._unseen is not None and self._dead[node]:
                        continue
                    if not t.children[node]:
                        best.append((node, score))
                        down = node if node == at else down
                    else:
                        level.append((t.children[node], score, node == at))
            level.sort(key=lambda reached: (-reached[1], not reached[2]))  # stable: of equal ones the first
            frontier = level[: self._beam]
        best.sort(key=lambda ranked: (-ranked[1], ranked[0] != down, ranked[0]))
        return best[:k]

    def _ranked(self, rows: Rows, k: int) -> List[List[Tuple[int, float]]]:
        if self._beam:
            return [self._beam_ranked(columns, k) for columns in self._columns(rows, single=True)]
        all_scores = self._label_scores(rows)
        first = [-1] * rows.count
        if self._rule == "descend":  # of several that none is better than, what it comes to is first
            first = [self._nodes.index(self._descend(scores)) for scores in self._node_scores(rows)]
        ranked = []
        for scores, at in zip(all_scores, first):
            order = np.argsort(-scores, kind="stable").tolist()
            if at >= 0:
                order.sort(key=lambda y: (-scores[y], y != at))
            if self._unseen is not None:
                order = [y for y in order if not self._unseen[self._nodes[y]]]
            ranked.append([(self._nodes[y], float(scores[y])) for y in order[:k]])
        return ranked

    def _predicted(self, rows: Rows) -> List[int]:
        """Returns the first node of the ranking of each row."""
        if self._beam:
            return [ranked[0][0] for ranked in self._ranked(rows, 1)]
        if self._rule == "descend":
            return [self._descend(scores) for scores in self._node_scores(rows)]
        seen = [y for y, node in enumerate(self._nodes) if self._unseen is None or not self._unseen[node]]
        return [self._nodes[seen[y]] for y in self._label_scores(rows)[:, seen].argmax(axis=1).tolist()]

    def _path(self, node: int) -> Tuple[str, ...]:
        if self._to is not None:
            node = self.taxonomy.leaves[self._to[self._nodes.index(node)]]
        label = self.taxonomy.label(node)
        return (*self.taxonomy.path(label)[:-1], self.taxonomy.label_name(node))

    def _arranged(self, columns: np.ndarray, nothing: float) -> np.ndarray:
        """Returns the columns of the model's scores as columns of the labels."""
        if self._to is None:
            return columns
        arranged = np.full((len(columns), len(self.labels)), nothing, np.float64)
        arranged[:, self._to] = columns
        return arranged

    def _one_label(self) -> None:
        if self._sets is not None:
            raise ValueError(f"this model, {visible(self.name)}, predicts sets of nodes, not a label; see predict_sets")

    # What is asked of it.

    def predict(self, texts: Sequence[Any]) -> List[str]:
        """Returns the name of the label of each text.

        Warns once with :class:`UnknownTextWarning` if the model knows no term of some texts; :meth:`knows` identifies
        them.
        """
        self._one_label()
        return [self._taxonomy.label_name(node) for rows in self._batches(texts, warn=True) for node in self._predicted(rows)]

    def predict_paths(self, texts: Sequence[Any]) -> List[Tuple[str, ...]]:
        """Returns, for each text, the names of the nodes from a root to its label."""
        self._one_label()
        return [self._path(node) for rows in self._batches(texts, warn=True) for node in self._predicted(rows)]

    def predict_sets(self, texts: Sequence[Any]) -> List[List[str]]:
        """Returns the names of the labels of each text, for a model that was trained on several labels per text.

        They are the labels with a probability of at least one half, or the most probable one if there are none.
        Models of sets of nodes return the names of nodes, none above another, and so do models with a decision: see
        :meth:`decide`. Raises ValueError for other models of one label.
        """
        if self._decision is not None:
            return [names for names, _ in self.decide(texts)]
        if self._sets is not None:
            found = []
            for rows in self._batches(texts, warn=True):
                for row in self._node_probabilities(rows):
                    found.append([self.taxonomy.names[node] for node in node_set(self.taxonomy, row, self._sets.chosen(row))])
            return found
        if self._calibrated is None or self._calibrated.one_label:
            raise ValueError(f"this model, {visible(self.name)}, gives one label; svm.Calibrate of the Go library learns sets from data of several labels")
        sets = []
        for row in self.predict_proba(texts):
            chosen = np.flatnonzero(row >= 0.5)
            sets.append([self.labels[y] for y in (chosen if len(chosen) else [int(np.argmax(row))])])
        return sets

    def decide(self, texts: Sequence[Any]) -> List[Tuple[List[str], float]]:
        """Returns, for each text, the names of the nodes that the model's rule chooses, and the expected value.

        The rule is ``Pipeline.Decision`` of the Go library: for example the node with the smallest expected loss, or
        the node or set of nodes with the largest expected hierarchical F1. Raises ValueError for models without a
        rule.
        """
        if self._decision is None:
            raise ValueError(f"this model, {visible(self.name)}, has no rule to decide by; Pipeline.Decision of the Go library is one")
        decided: List[Decision] = []
        for rows in self._batches(texts, warn=True):
            decided += self._decision.decide(self._arranged(self._probabilities(rows), 0))
        return [([self.taxonomy.label_name(node) for node in nodes], value) for nodes, value in decided]

    def rank(self, texts: Sequence[Any], k: int = 5) -> List[List[Tuple[str, float]]]:
        """Returns, for each text, the k labels with the highest scores, the best first, with their scores."""
        if k < 0:
            raise ValueError(f"k is {k}; it is how many labels are wanted")
        self._one_label()
        ranked = [row for rows in self._batches(texts, warn=True) for row in self._ranked(rows, k)]
        return [[(self._taxonomy.label_name(node), score) for node, score in row] for row in ranked]

    def scores(self, texts: Sequence[Any]) -> np.ndarray:
        """Returns the scores of the labels by which the model chooses: one row per text, one column per label.

        A label without training instances is never predicted; its score is minus infinity. For models that descend
        the taxonomy, a score is how far the nodes on the path fall short of the best of their siblings; for models of
        probabilities, it is the logarithm of a probability. A beam is ignored.
        """
        scores = [self._arranged(self._label_scores(rows), -np.inf) for rows in self._batches(texts)]
        return np.concatenate([np.zeros((0, len(self.labels))), *scores])

    def predict_proba(self, texts: Sequence[Any]) -> np.ndarray:
        """Returns the probability of every label: one row per text, one column per label.

        Raises ValueError for models without probabilities; see :attr:`has_probabilities`.
        """
        if not self.has_probabilities:
            raise ValueError(f"this model, {visible(self.name)}, has scores and no probabilities; svm.Calibrate of the Go library learns them")
        probabilities = [self._arranged(self._probabilities(rows), 0) for rows in self._batches(texts)]
        return np.concatenate([np.zeros((0, len(self.labels))), *probabilities])

    def predict_node_proba(self, texts: Sequence[Any]) -> np.ndarray:
        """Returns the probability of a label at or below each node: one row per text, one column per node.

        Raises ValueError for models of labels: those of sets of nodes have such probabilities.
        """
        probabilities = map(self._node_probabilities, self._batches(texts))
        return np.concatenate([np.zeros((0, len(self.taxonomy))), *probabilities])

    def _probabilities(self, rows: Rows) -> np.ndarray:
        if self._sets is not None:
            return self._label_scores(rows)
        if self._calibrated is None:
            return np.exp(self._hide(self._attributes.scores(self._linked(self._columns(rows))), self._attributes.candidates))
        return np.array([self._calibrated.of(scores, self._unseen) for scores in self._label_scores(rows)]).reshape(rows.count, len(self._nodes))


def _taxonomy(file: Arrays) -> Taxonomy:
    """Reads the taxonomy of a file."""
    edges = file.indices("taxonomy.edges", 1 << 31, 2)
    if edges.shape[1] != 2:
        raise LoadError(f"the edges have the shape {list(edges.shape)}; expected two columns")
    stand: List[Tuple[int, str]] = []
    if "taxonomy.labels" in file:
        leaves, names = file.indices("taxonomy.labels.nodes", 1 << 31).tolist(), file.texts("taxonomy.labels")
        if len(leaves) != len(names):
            raise LoadError(f"{len(leaves)} leaves stand for {len(names)} labels")
        stand = list(zip(leaves, names))
    return Taxonomy(file.texts("taxonomy.names"), edges.tolist(), stand)


def _several(texts: Any) -> Sequence[Any]:
    if isinstance(texts, (str, bytes, dict)):
        raise TypeError("a list of texts or rows is expected, not a single one; write [text]")
    several: Sequence[Any] = rows_of(texts)
    return several


def load(path: Union[str, "os.PathLike[str]"]) -> Model:
    """Loads a file that ``Save`` of a pipeline or a model of the Go library wrote.

    Nothing in the file is executed. Raises :class:`LoadError`, with the fault, for a file that is damaged, has
    another format, or has a model that this package does not support, and OSError if the file cannot be read.
    """
    try:
        return Model(read(path))
    except LoadError as error:
        raise LoadError(f"{os.fspath(path)}: {error}") from None
    except RecursionError as error:  # of a caller that is deep itself
        raise LoadError(f"{os.fspath(path)}: what it has is too deep") from error

"""Estimators for scikit-learn: hierarchical classifiers, trained by the program hierml.

>>> from hierml.sklearn import HierarchicalSVC
>>> model = HierarchicalSVC(C=1).fit(X, [("animal", "cat"), ("animal", "dog"), ("plant", "oak")])
>>> model.predict(X)
array([['animal', 'cat'], ...

X is an array or a sparse matrix of scipy, and is used in single precision. y has, for each row,

* a name: without a hierarchy, each name is a class by itself; the parameter ``hierarchy``, a list of edges
  ``(parent, child)`` or a dict from parents to their children, says what is above them;
* or a path from the top, a tuple or list; an array of two dimensions, or a DataFrame, has a column a level. A
  path that is shorter than others may be filled up with ``""``, ``None`` or NaN;
* or several: a list of paths or, with ``hierarchy``, a list or set of names (LabelTreeClassifier, OneVsRestSVC, HRClassifier).

Labels may be inner nodes. A label of a row implies those above it: training, ``classes_``, predictions and
``score`` have only the most specific ones. Predictions are as y is. Training runs in a child process,
``hierml fit``, and ends at once with an interrupt; ``verbose=1`` prints how far it is. ``save`` writes a file that
``hierml.load`` and, in Go, ``classifier.Load`` read.
"""

from __future__ import annotations

import os
import warnings
from typing import Any, ClassVar, Dict, List, Optional, Union

import numpy as np
from joblib import effective_n_jobs
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted

from . import _safetensors, _trainer
from ._model import Model
from ._rows import single, too_coarse
from ._targets import Coding, Targets

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # scikit-learn before 1.6

    def validate_data(estimator: Any, X: Any, **settings: Any) -> Any:
        return estimator._validate_data(X, **settings)


__all__ = [
    "FlatSVC", "HRClassifier", "HierarchicalPerceptron", "HierarchicalSVC", "HierarchicalSoftmaxClassifier", "HieronClassifier",
    "LabelTreeClassifier", "NormalizedSVC", "OneVsRestSVC", "OrthogonalTransferSVC", "RecursiveSVC", "SharedSVC",
]


def _has_probabilities(estimator: "_Classifier") -> bool:
    if not estimator._probable():
        raise AttributeError(f"{type(estimator).__name__} has scores and no probabilities{estimator._instead}")
    return True


_ATTRIBUTES = """
Attributes
----------
classes_ : ndarray
    The labels, ascending: tuples, where they are paths.
n_iter_ : int
    The passes over the rows.
n_features_in_ : int
    The number of features.
feature_names_in_ : ndarray
    Their names, if X was a DataFrame with such.
model_ : hierml.Model
    The model; its ``taxonomy`` has the hierarchy.
"""

# What notes of the library call the settings.
_CALLED = {
    "Allow more time or epochs": "Allow a larger max_iter", "smaller Gap": "smaller tol", "features.Scaling": "StandardScaler",
    ", or add a constant feature, which these data lack (Dataset.WithConstant)": ", or fit_intercept",
    "Set Intercept: 1, which": "Set fit_intercept=True, which",
}


def _called(note: str) -> str:
    for name, ours in _CALLED.items():
        note = note.replace(name, ours)
    return note


class _Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What the estimators have in common."""

    _parameters: ClassVar[str] = ""  #: the part of the documentation about them
    _method: ClassVar[str]  #: as studies in Go name it
    _instead: ClassVar[str] = ""  #: how to have probabilities, where parameters decide
    _cut: ClassVar[Optional[float]] = None  #: the score from which on a label is one of several, None if it learns one a row

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        cls.__doc__ = f"{cls.__doc__}\n{cls._parameters}{_ATTRIBUTES}"

    def _probable(self) -> bool:
        """Whether the method has probabilities, with these parameters."""
        return False

    def _fields(self) -> Dict[str, Any]:
        """Returns the fields of the method in Go."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any) -> Any:
        """Trains on the rows of X with the labels y, and returns the estimator."""
        return self._fit(X, y)

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None")
        X = validate_data(self, X, accept_sparse="csr")
        narrow = single(X)
        coarse = too_coarse(X)
        if coarse >= 0:
            raise ValueError(f"column {coarse} of X has values that are too close to each other, so far from zero, for single precision; subtract their mean first (StandardScaler)")
        targets = Targets(y, self.hierarchy is not None)
        check_consistent_length(X, targets.keys)
        if targets.several and self._cut is None:
            paths = "" if self.hierarchy is None else "; if these are paths, which say what is above each label, leave hierarchy out"
            raise ValueError(f"{type(self).__name__} learns one label a row, and y has rows of several; LabelTreeClassifier, OneVsRestSVC and HRClassifier learn them{paths}")
        if targets.repeated is not None and self._cut is not None:
            warnings.warn(f"y has lists of names, which are taken as paths, and {targets.repeated!r} is at several levels of them; for several labels a row, give hierarchy, such as {{'cat': [], 'dog': []}}", UserWarning, stacklevel=3)
        coding = Coding(targets, self.hierarchy)
        if not targets.paths and not targets.several:
            check_classification_targets(np.array([of[0][0] for of in targets.keys], targets.dtype))
        if len(coding.keys) < 2:
            raise ValueError(f"y has one class, {coding.labels[0]!r}; a classifier needs at least 2 classes")
        weights = _weights(sample_weight, getattr(self, "class_weight", None), X, targets, coding)
        notes: List[str] = []
        data = _trainer.Data(narrow, coding.names, coding.edges, coding.nodes(targets), weights)
        trained = _trainer.train(self._method, self._fields(), data, note=notes.append, progress=print if self.verbose else None)
        for note in notes:
            warnings.warn(_called(note), UserWarning if trained.converged else ConvergenceWarning, stacklevel=3)
        self._file, self._coding = trained.file, coding
        self.classes_, self.n_iter_ = coding.classes, max(1, trained.epochs)
        self._load()
        return self

    def _load(self) -> None:
        self.model_ = Model(_safetensors.arrays(self._file))
        self._columns = self._coding.columns(self.model_.labels)

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("model_", None)  # its file has it
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_file" in state:
            self._load()

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", reset=False)

    def _predicted(self, X: Any) -> np.ndarray:
        """Returns the class of each row, by its number; of several labels a row, which classes it has."""
        if not self._coding.several:
            return self._coding.index(self.model_.predict(X))
        scores = self.model_.scores(X)[:, self._columns]
        return self._coding.most_specific((scores >= self._cut) | (np.arange(scores.shape[1]) == scores.argmax(axis=1)[:, None]))

    def predict(self, X: Any) -> np.ndarray:
        """Returns the label of each row: a name, or a row of the components of a path.

        If y had several labels a row, it returns a list of names, or of paths, for each: those whose score is at
        least 0, or whose probability is at least one half, and the best one in any case, without those above others.
        """
        X = self._checked(X)
        return self._coding.decoded(self._predicted(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """Returns the scores by which labels are chosen: a row a row, a column a class.

        Of two classes, it is the score of the second less that of the first.
        """
        X = self._checked(X)
        scores = self.model_.scores(X)[:, self._columns]
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 and not self._coding.several else scores

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Returns the probabilities of the classes, a row a row. With one label a row they add up to 1."""
        X = self._checked(X)
        likely = self._likely(X)
        if self._coding.several:
            return likely
        total = likely.sum(axis=1, keepdims=True)
        sure = np.eye(len(self.classes_))[self._predicted(X)]  # where all are zero by rounding
        return np.where(total > 0, likely / np.where(total > 0, total, 1), sure)

    def _likely(self, X: Any) -> np.ndarray:
        """Returns the probabilities of the classes, each for itself."""
        return self.model_.predict_proba(X)[:, self._columns]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Returns the accuracy: the share of the rows whose label, path or set of labels is predicted as a whole."""
        X = self._checked(X)
        targets = Targets(y, self.hierarchy is not None)
        check_consistent_length(X, targets.keys, sample_weight)
        right = self._coding.right(targets, self._predicted(X))
        return float(np.average(right, weights=sample_weight))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the model to a file, which ``hierml.load`` reads, and ``classifier.Load`` in Go."""
        check_is_fitted(self)
        with open(path, "wb") as file:
            file.write(self._file)

    def _intercept(self) -> float:
        scaling = _positive("intercept_scaling", self.intercept_scaling)
        return scaling if self.fit_intercept else 0.0

    def _seed(self) -> int:
        return 0 if self.random_state is None else int(check_random_state(self.random_state).randint(1, 1 << 31))


class _Convex(_Classifier):
    """What trainings that minimize an objective have in common."""

    _parameters = """
Parameters
----------
C : float, default=1.0
    The weight of the training error against the size of the weights.
hierarchy : list of (parent, child) or dict of lists, default=None
    What is above the names in y. Paths have it in themselves.
class_weight : dict or "balanced", default=None
    Weights of the classes, by which those of their rows are multiplied.
fit_intercept : bool, default=True
    Whether scores have a constant term: the weight of a feature that is the same in each row.
intercept_scaling : float, default=1.0
    The value of that feature. The larger it is, the less the constant terms are regularized.
tol : float, default=1e-3
    The relative duality gap at which training ends.
max_iter : int, default=1000
    The most passes over the rows.
random_state : int, RandomState instance or None, default=None
    Determines the order of the rows. None is an order of its own, always the same.
n_jobs : int, default=None
    The number of processors used; the result does not depend on it. None is 1, -1 all.
verbose : int, default=0
    1 prints how far the training is.
"""

    def __init__(self, *, C: float = 1.0, hierarchy: Any = None, class_weight: Any = None, fit_intercept: bool = True, intercept_scaling: float = 1.0,
                 tol: float = 1e-3, max_iter: int = 1000, random_state: Any = None, n_jobs: Optional[int] = None, verbose: int = 0) -> None:
        self.C = C
        self.hierarchy = hierarchy
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fields(self) -> Dict[str, Any]:
        settings = {
            "Gap": _positive("tol", self.tol), "MaxEpochs": _count("max_iter", self.max_iter), "Seed": self._seed(),
            "Workers": effective_n_jobs(self.n_jobs),
        }
        return {"C": _positive("C", self.C), "Intercept": self._intercept(), "Settings": settings}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Trains on the rows of X with the labels y, and returns the estimator.

        sample_weight says how much each row counts, and is not negative. A row of weight 2 counts as if it were there twice.
        """
        return self._fit(X, y, sample_weight)


def _weights(sample_weight: Any, by_class: Any, X: Any, targets: Targets, coding: Coding) -> Optional[np.ndarray]:
    """Returns the weights of the rows, or None if all are 1."""
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if weights.min(initial=0) < 0:
        raise ValueError("Negative values in data passed to `sample_weight`")
    if not weights.any():
        raise ValueError("all sample weights are zero; there is nothing to learn from")
    if isinstance(by_class, dict):
        unknown = [label for label in by_class if label not in coding.labels]
        if unknown:
            raise ValueError(f"class_weight has the class {unknown[0]!r}, which is not in y")
        by_class = {k: by_class.get(label, 1) for k, label in enumerate(coding.labels)}
    if by_class is not None and targets.several:
        raise ValueError("class_weight needs one label a row, and y has rows of several; give sample_weight")
    if by_class is not None:
        weights = weights * compute_sample_weight(by_class, coding.indices(targets))
    return None if (weights == 1).all() else weights


def _positive(name: str, value: Any) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)) or not 0 < value < float("inf"):
        raise ValueError(f"{name} is {value!r}; expected a number above 0")
    return float(value)


def _count(name: str, value: Any) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} is {value!r}; expected a whole number, at least 1")
    return int(value)


class FlatSVC(_Convex):
    """Multiclass SVM of Crammer and Singer, in which the hierarchy is unused."""
    _method = "svm.Flat"


class HierarchicalSVC(_Convex):
    """Hierarchical SVM of Cai and Hofmann: the score of a label is the sum of those of the nodes above it."""
    _method = "svm.Hierarchical"


class NormalizedSVC(_Convex):
    """Normalized hierarchical SVM of Choi, Sasaki and Srebro, which makes up for deep and uneven hierarchies."""
    _method = "svm.Normalized"


class SharedSVC(_Convex):
    """Shared SVM of Choi, Sasaki and Srebro, which learns how much the nodes of each level count."""
    _method = "svm.Shared"


class RecursiveSVC(_Convex):
    """A flat SVM among the children of each node, from the top down: local classifiers per parent node."""
    _method = "svm.Recursive"


class OrthogonalTransferSVC(_Convex):
    """Orthogonal transfer of Zhou, Xiao and Wu: the weights of a node are drawn away from those above it."""
    _method = "svm.Orthogonal"


class HierarchicalSoftmaxClassifier(_Convex):
    """A multinomial logistic regression among the children of each node, with probabilities."""
    _method = "svm.HierarchicalSoftmax"

    def _probable(self) -> bool:
        return True


class LabelTreeClassifier(_Convex):
    """Probabilistic label tree: a logistic regression at each node, given the one above; local classifiers per node."""
    _method = "svm.PLT"
    _cut = float(np.log(0.5))

    def _probable(self) -> bool:
        return True


_LOSSES = {"hinge": "Hinge", "squared_hinge": "SquaredHinge", "log_loss": "Logistic"}


class _Binary(_Convex):
    """What one-against-all classifiers have in common."""

    _cut = 0.0
    _parameters = _Convex._parameters + """loss : "squared_hinge", "hinge" or "log_loss", default="squared_hinge"
    What an error costs: the last makes logistic regressions, with probabilities. These are the sigmoids of the scores,
    divided by their sum if y has one label a row, as OneVsRestClassifier of scikit-learn does.
"""
    _instead = '; loss="log_loss" gives them'

    def _probable(self) -> bool:
        return self.loss == "log_loss"

    def _likely(self, X: Any) -> np.ndarray:
        return expit(self.model_.scores(X)[:, self._columns])

    def __init__(self, *, C: float = 1.0, loss: str = "squared_hinge", hierarchy: Any = None, class_weight: Any = None, fit_intercept: bool = True,
                 intercept_scaling: float = 1.0, tol: float = 1e-3, max_iter: int = 1000, random_state: Any = None, n_jobs: Optional[int] = None, verbose: int = 0) -> None:
        super().__init__(C=C, hierarchy=hierarchy, class_weight=class_weight, fit_intercept=fit_intercept, intercept_scaling=intercept_scaling,
                         tol=tol, max_iter=max_iter, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.loss = loss

    def _fields(self) -> Dict[str, Any]:
        if self.loss not in _LOSSES:
            raise ValueError(f"loss is {self.loss!r}; expected one of {', '.join(_LOSSES)}")
        return {**super()._fields(), "Loss": _LOSSES[self.loss]}


class OneVsRestSVC(_Binary):
    """A binary SVM, or a logistic regression, for each label against all others, as ``LinearSVC``."""
    _method = "svm.OneVsRest"


class HRClassifier(_Binary):
    """HR-SVM and HR-LR of Gopal and Yang: one against all others, with weights that are drawn to those of the node above."""
    _method = "svm.HR"


class _Online(_Classifier):
    """What online learners have in common."""

    _parameters = """
Parameters
----------
hierarchy : list of (parent, child) or dict of lists, default=None
    What is above the names in y. Paths have it in themselves.
fit_intercept : bool, default=True
    Whether scores have a constant term: the weight of a feature that is the same in each row.
intercept_scaling : float, default=1.0
    The value of that feature. The larger it is, the less the constant terms are regularized.
averaged : bool, default=True
    Takes the mean of the weights after each step, not the last ones.
max_iter : int, default=20
    The most passes over the rows. One without an error is the last.
shuffle : bool, default=False
    Visits the rows in another random order in each pass.
random_state : int, RandomState instance or None, default=None
    Determines these orders. None is an order of its own, always the same.
verbose : int, default=0
    1 prints how far the training is.
"""

    def __init__(self, *, hierarchy: Any = None, fit_intercept: bool = True, intercept_scaling: float = 1.0, averaged: bool = True, max_iter: int = 20,
                 shuffle: bool = False, random_state: Any = None, verbose: int = 0) -> None:
        self.hierarchy = hierarchy
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.averaged = averaged
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose

    def _fields(self) -> Dict[str, Any]:
        return {"Averaged": bool(self.averaged), "Intercept": self._intercept(), "Settings": {"Epochs": _count("max_iter", self.max_iter), "Shuffle": bool(self.shuffle), "Seed": self._seed()}}


class HierarchicalPerceptron(_Online):
    """Hierarchical perceptron of Cai and Hofmann."""
    _method = "perceptron.Hierarchical"


class HieronClassifier(_Online):
    """Hieron, the online algorithm for hierarchies of Dekel, Keshet and Singer."""
    _method = "perceptron.Hieron"

"""Rows of features: several at once, feature by feature, and those of arrays that are given as features."""

from __future__ import annotations

from typing import Any, Iterator, List, Sequence, Tuple, Union

import numpy as np

from ._text import Row

_At = Union[slice, np.ndarray]
_ALL = slice(None)
_MOST_COLUMNS = (1 << 31) - 1  # of a matrix in Go
_MOST_NUMBERS = 1 << 22  # of an array at once


class Rows:
    """Several rows by feature, ascending, as scores are added up in Go."""

    def __init__(self, count: int, features: np.ndarray, parts: List[Tuple[_At, np.ndarray]]) -> None:
        """parts say, for each feature, which rows have it, and their values in double precision."""
        self.count, self._features, self._parts = count, features, parts

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "Rows":
        """Returns rows that are given one by one."""
        if len(rows) == 1:
            indices, values = rows[0]
            return cls(1, indices, [(_ALL, value) for value in values.astype(np.float64).reshape(-1, 1)])
        lengths = [len(row[0]) for row in rows]
        if not rows:
            return cls(0, np.zeros(0, np.int64), [])
        return cls.sparse(np.repeat(np.arange(len(rows)), lengths), np.concatenate([row[0] for row in rows]), np.concatenate([row[1] for row in rows]), len(rows))

    @classmethod
    def sparse(cls, rows: np.ndarray, indices: np.ndarray, values: np.ndarray, count: int) -> "Rows":
        """Returns rows of entries, which are row by row."""
        order = np.argsort(indices, kind="stable")
        features, begin = np.unique(indices[order], return_index=True)
        borders = [*begin.tolist(), len(order)]
        rows, values = rows[order], values[order].astype(np.float64)
        return cls(count, features, [(rows[lo:hi] if hi - lo < count else _ALL, values[lo:hi]) for lo, hi in zip(borders, borders[1:])])

    @classmethod
    def dense(cls, matrix: np.ndarray) -> "Rows":
        """Returns the rows of an array."""
        wide = matrix.T.astype(np.float64, order="C")
        return cls(len(matrix), np.arange(len(wide)), [(_ALL, values) for values in wide])

    def __iter__(self) -> Iterator[Tuple[int, _At, np.ndarray]]:
        """Goes through the features: which, the rows that have it, and their values."""
        for feature, (at, values) in zip(self._features.tolist(), self._parts):
            yield feature, at, values

    def among(self, occurring: np.ndarray) -> "Rows":
        """Returns the rows with only the features that occur, numbered as they stand there."""
        at = np.searchsorted(occurring, self._features)
        known = at < len(occurring)
        known[known] = occurring[at[known]] == self._features[known]
        return Rows(self.count, at[known], [self._parts[k] for k in np.flatnonzero(known).tolist()])


def add(sums: np.ndarray, at: _At, columns: Any, terms: np.ndarray) -> None:
    """Adds terms, a row each of the rows at, to some columns of sums, or to all."""
    if columns is None:
        sums[at] += terms
    elif isinstance(at, slice):
        sums[:, columns] += terms
    else:
        sums[at[:, None], columns] += terms


class Matrix:
    """Takes rows of features themselves, as an array or a sparse matrix of scipy."""

    def __init__(self, columns: int) -> None:
        self.columns = columns

    def checked(self, given: Any) -> Any:
        """Returns what is given as an array or a sparse matrix in compressed rows, both in single precision."""
        matrix = single(given)
        if matrix.shape[1] != self.columns:
            raise ValueError(f"X has {matrix.shape[1]} features, but the model was trained on {self.columns} features as input")
        return matrix

    def row(self, given: Any) -> Row:
        """Returns the features of one row that are not zero."""
        matrix = self.checked(given if hasattr(given, "tocsr") else np.asarray(given).reshape(1, -1))
        if matrix.shape[0] != 1:
            raise ValueError(f"{matrix.shape[0]} rows were given in place of one")
        if hasattr(matrix, "tocsr"):
            return matrix.indices.astype(np.int64), matrix.data
        indices = np.flatnonzero(matrix[0])
        return indices, matrix[0, indices]

    def batches(self, given: Any, most: int) -> Iterator[Rows]:
        """Returns the rows of a matrix, at most so many at once."""
        matrix = self.checked(given)
        if not hasattr(matrix, "tocsr"):
            most = min(most, max(1, _MOST_NUMBERS // max(1, self.columns)))
        for lo in range(0, matrix.shape[0], most):
            part = matrix[lo : lo + most]
            if hasattr(part, "tocsr"):
                yield Rows.sparse(np.repeat(np.arange(part.shape[0]), np.diff(part.indptr)), part.indices, part.data, part.shape[0])
            else:
                yield Rows.dense(part)


def single(given: Any) -> Any:
    """Returns an array of two dimensions, or a sparse matrix in compressed rows, in single precision, as Go has it.

    Columns of a sparse row ascend, and each is there once. Raises ValueError for values that are not finite,
    or beyond single precision.
    """
    matrix = compressed(given)
    values = _values(matrix)
    with np.errstate(over="ignore", under="ignore"):
        narrow = values.astype(np.float32, copy=False)
    if not np.isfinite(narrow).all():
        raise ValueError("X contains NaN, infinity or a value that is beyond single precision (float32); impute or scale the features first")
    if narrow is values:
        return matrix
    return narrow if matrix is values else type(matrix)((narrow, matrix.indices, matrix.indptr), shape=matrix.shape)


def compressed(given: Any) -> Any:
    """Returns an array of numbers of two dimensions, or a sparse matrix in compressed rows, in canonical form."""
    if hasattr(given, "tocsr"):
        matrix = given.tocsr()
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
    else:
        matrix = np.asarray(given)
        if matrix.dtype.kind not in "biufc":
            matrix = matrix.astype(np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"expected a 2D array of features, a row an instance, got one with {matrix.ndim} dimensions; reshape a single row by X.reshape(1, -1)")
    if matrix.shape[1] > _MOST_COLUMNS:
        raise ValueError(f"X has {matrix.shape[1]} columns; there are at most {_MOST_COLUMNS}")
    if matrix.dtype.kind == "c":
        raise ValueError("X has complex numbers; give their parts as features")
    return matrix


def _values(matrix: Any) -> np.ndarray:
    return matrix.data if hasattr(matrix, "tocsr") else matrix


def too_coarse(given: Any) -> int:
    """Returns a column that single precision rounds by more than a thousandth of its standard deviation, or -1.

    It is the rule of the Go package rounding.
    """
    matrix = compressed(given)
    values = _values(matrix)
    if values.dtype.kind == "f" and values.dtype.itemsize <= 4 or not values.size:
        return -1
    with np.errstate(under="ignore"):
        lost = np.abs(values - values.astype(np.float32))
    if matrix is values:
        deviation = values.std(axis=0)
        wrong = np.flatnonzero(((lost > 1e-3 * deviation) & (deviation > 0)).any(axis=0))
    else:
        count, columns, at = matrix.shape[0], matrix.shape[1], matrix.indices
        if columns > 4 * len(values):  # memory in proportion to the entries
            occurring, at = np.unique(at, return_inverse=True)
            columns = len(occurring)
        else:
            occurring = np.arange(columns)
        stored = np.bincount(at, minlength=columns)
        mean = np.bincount(at, values, columns) / count
        deviation = np.sqrt((np.bincount(at, (values - mean[at]) ** 2, columns) + (count - stored) * mean**2) / count)
        wrong = occurring[at[(lost > 1e-3 * deviation[at]) & (deviation[at] > 0)]]
    return int(wrong[0]) if len(wrong) else -1

"""Scores of nodes: weights in each of the forms that a file has them in, and kernels."""

from __future__ import annotations

import math
from typing import Any, List, Optional

import numpy as np

from ._errors import LoadError, quote
from ._safetensors import Arrays
from ._rows import Rows, add


_EQUAL = 1e-13  # share of squared norms below which a squared distance is zero but for rounding


class Dense:
    """All weights, a row a feature and a column a node."""

    def __init__(self, weights: np.ndarray) -> None:
        self._weights = weights
        self.features, self.columns = weights.shape
        self.wide = max(self.columns, 1)  # how many numbers the scores of a row take

    def scores(self, rows: Rows, single: bool) -> np.ndarray:
        """Returns the scores of the columns, a row a row, added feature by feature as in Go, in double precision."""
        scores = np.zeros((rows.count, self.columns))
        for feature, at, values in rows:
            weights = self._weights[feature]
            if single:
                weights = weights.astype(np.float32)
            add(scores, at, None, np.multiply.outer(values, weights.astype(np.float64)))
        return scores


class Sparse:
    """The weights that are not zero, in compressed rows."""

    def __init__(self, begin: np.ndarray, indices: np.ndarray, values: np.ndarray, columns: int) -> None:
        self._begin, self._indices, self._values = begin.tolist(), indices, values
        self.features, self.columns, self.wide = len(begin) - 1, columns, max(columns, 1)

    def scores(self, rows: Rows, single: bool) -> np.ndarray:
        scores = np.zeros((rows.count, self.columns))
        for feature, at, values in rows:
            lo, hi = self._begin[feature], self._begin[feature + 1]
            weights = self._values[lo:hi]
            if single:
                weights = weights.astype(np.float32)
            add(scores, at, self._indices[lo:hi], np.multiply.outer(values, weights.astype(np.float64)))
        return scores


class Some:
    """Weights of some of the features; those of all others are zero."""

    def __init__(self, weights: Any, occurring: np.ndarray, features: int) -> None:
        self._weights, self._occurring = weights, occurring
        self.features, self.columns, self.wide = features, weights.columns, weights.wide

    def scores(self, rows: Rows, single: bool) -> np.ndarray:
        return self._weights.scores(rows.among(self._occurring), single)


class Kernel:
    """Weights in the space of a kernel: sums over training instances."""

    def __init__(self, file: Arrays, columns: int) -> None:
        text = file.metadata
        self.features, self.columns = whole(text, "features"), columns
        self._name = text["kernel"]
        if self._name not in ("linear", "rbf", "exponential", "polynomial"):
            raise LoadError(f"the model has the kernel {quote(self._name)}; this package knows linear, rbf, exponential, polynomial")
        self._gamma = number(text, "kernel.gamma") or 1.0 if self._name != "linear" else 1.0
        self._offset = number(text, "kernel.offset") if self._name == "polynomial" else 0.0
        self._degree = whole(text, "kernel.degree") or 2 if self._name == "polynomial" else 1
        features = file.indices("kernel.indices", self.features)
        begin = file.borders("kernel.begin", len(features))
        values = _exact(file.floats("kernel.values"), file).astype(np.float64)
        if len(values) != len(features):
            raise LoadError(f"{len(features)} features of instances have {len(values)} values")
        instances = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
        self._squares = np.zeros(len(begin) - 1)
        np.add.at(self._squares, instances, values * values)
        order = np.argsort(features, kind="stable")
        self._occurring, first = np.unique(features[order], return_index=True)
        self._first = np.append(first, len(features)).tolist()
        self._instances, self._values = instances[order], values[order]
        self._to = file.indices("kernel.u.columns", columns)
        border = file.borders("kernel.u.begin", len(self._to))
        self._u = file.floats("kernel.u.values").astype(np.float64)
        if len(border) != len(begin) or len(self._u) != len(self._to):
            raise LoadError(f"{len(begin) - 1} instances have vectors for {len(border) - 1}, of {len(self._to)} columns with {len(self._u)} values")
        self._of = np.repeat(np.arange(len(border) - 1), np.diff(border))
        self.wide = len(self._squares) + len(self._to) + columns + 1

    def scores(self, rows: Rows, single: bool) -> np.ndarray:
        products = np.zeros((rows.count, len(self._squares)))
        square = np.zeros((rows.count, 1))
        for _, at, values in rows:
            square[at] += (values * values)[:, None]
        for place, at, values in rows.among(self._occurring):
            lo, hi = self._first[place], self._first[place + 1]
            add(products, at, self._instances[lo:hi], np.multiply.outer(values, self._values[lo:hi]))
        if self._name == "rbf":
            products = np.exp(-self._gamma * np.maximum(square + self._squares - 2 * products, 0))
        elif self._name == "exponential":
            both = square + self._squares
            apart = both - 2 * products
            apart = np.where(apart <= _EQUAL * both, 0, apart)  # the root would make much of rounding
            products = np.exp(-self._gamma * np.sqrt(apart))
        elif self._name == "polynomial":
            products = (self._gamma * products + self._offset) ** float(self._degree)
        scores = np.zeros((rows.count, self.columns))
        for product, of in zip(products, scores):
            np.add.at(of, self._to, product[self._of] * self._u)
        return scores


def number(metadata: Any, name: str) -> float:
    """Returns a number of the metadata."""
    try:
        value = float(metadata.get(name, ""))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise LoadError(f"the metadata say that {name} is {quote(metadata.get(name))}; expected a number")
    return value


def whole(metadata: Any, name: str) -> int:
    """Returns a whole number of the metadata."""
    value = metadata.get(name, "")
    if not (value.isascii() and value.isdecimal() and len(value) < 11 and int(value) < 1 << 31):
        raise LoadError(f"the metadata say that {name} is {quote(value)}; expected a whole number")
    return int(value)


def _stored(file: Arrays, count: int) -> np.ndarray:
    """Returns the weights that are not zero, in the order of the file."""
    if "weights.codes" not in file:
        values = file.floats("weights.values")
    else:
        book = file.floats("weights.codebook")
        codes = file.indices("weights.codes", 256)
        high = max(0, (len(book) - 1).bit_length() - 8)
        if high > 4:
            raise LoadError(f"a codebook of {len(book)} values; codes go to 4096")
        if high:
            more = file.array("weights.codes.high")
            if more.dtype != np.uint8 or more.ndim != 1 or len(more) != (high * len(codes) + 7) // 8:
                raise LoadError(f"{len(codes)} weights with {high} bits need {(high * len(codes) + 7) // 8} bytes")
            bits = np.unpackbits(more, count=high * len(codes), bitorder="little").reshape(-1, high)
            codes = codes + bits.astype(np.int64) @ (256 << np.arange(high))
        if len(codes) and int(codes.max()) >= len(book):
            raise LoadError(f"a weight has code {int(codes.max())} of {len(book)}")
        values = book[codes]
    if len(values) != count:
        raise LoadError(f"{len(values)} values or codes for {count} weights")
    return values


def _exact(values: np.ndarray, file: Arrays) -> np.ndarray:
    """Returns weights in the precision that they have in Go."""
    if values.dtype == np.float64 and file.metadata.get("precision") != "float64":
        with np.errstate(over="ignore"):
            values = values.astype(np.float32)
        if not np.isfinite(values).all():
            raise LoadError("a weight, or a value of an instance, is too large for single precision")
    return values


def weights(file: Arrays, columns: int) -> Any:
    """Returns the weights of a file, whose columns are so many."""
    if "kernel" in file.metadata:
        return Kernel(file, columns)
    made: Any
    if "weights" in file:
        matrix = file.floats("weights", 2)
        if matrix.shape[1] != columns:
            raise LoadError(f"the weights have the shape {list(matrix.shape)}; expected {columns} columns")
        made = Dense(_exact(matrix, file))
    elif "weights.present" in file:
        made = _of_bits(file, columns)
    else:
        indices = file.indices("weights.indices", columns)
        begin = file.borders("weights.begin", len(indices))
        rising = np.diff(indices) > 0
        rising[begin[1:-1][(begin[1:-1] > 0) & (begin[1:-1] < len(indices))] - 1] = True
        if not rising.all():
            raise LoadError("the columns of a feature's weights do not ascend")
        made = Sparse(begin, indices, _exact(_stored(file, len(indices)), file), columns)
    occurring: Optional[np.ndarray] = None
    if "weights.features" in file or file.metadata.get("version") == "2":
        features = whole(file.metadata, "features")
        occurring = file.indices("weights.features", features)
        if (np.diff(occurring) <= 0).any() or len(occurring) != made.features:
            raise LoadError(f"there are weights of {made.features} features, and {len(occurring)} are listed, or these do not ascend")
        made = Some(made, occurring, features)
    return made


def _of_bits(file: Arrays, columns: int) -> Sparse:
    present = file.array("weights.present")
    if present.dtype != np.uint8 or present.ndim != 2 or present.shape[1] != (columns + 7) // 8:
        raise LoadError(f"the bits of the weights have the shape {list(present.shape)}; expected {(columns + 7) // 8} columns")
    counts: List[np.ndarray] = []
    indices: List[np.ndarray] = []
    for lo in range(0, len(present), 1024):  # a part at a time: a byte a bit is eight times as much
        bits = np.unpackbits(present[lo : lo + 1024], axis=1, bitorder="little")
        if bits[:, columns:].any():
            raise LoadError(f"the bits of the weights have more than {columns} columns")
        counts.append(bits.sum(axis=1, dtype=np.int64))
        indices.append(np.nonzero(bits)[1])
    begin = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(counts))]) if counts else np.zeros(1, np.int64)
    columns_of = np.concatenate(indices) if indices else np.zeros(0, np.int64)
    return Sparse(begin, columns_of, _exact(_stored(file, len(columns_of)), file), columns)

"""Steps between vectorizer and model: selection of columns, scaling, weighing of counts."""

from __future__ import annotations

import math
from typing import Any, List

import numpy as np

from ._errors import LoadError, quote
from ._occurring import occurring, positions
from ._settings import Record, kind_of
from ._text import Row, WeigherStep

_SCALES = ("max-abs", "unit deviation", "z-score", "unit range", "unscaled")


class Selection:
    """Takes some of the columns."""

    def __init__(self, value: Any) -> None:
        fitted = Record("a selection", value, ("format", "version", "method", "columns", "names", "of", "occurring", "scores"))
        fitted.header("hierml.selection", 2)
        self.takes, kept = occurring(fitted, len(fitted.numbers("scores")))
        columns = fitted.wholes("columns", 0, self.takes - 1, ascending=True)
        self.gives = len(columns)
        if not columns:
            raise LoadError("a selection has no columns")
        self._chosen = np.array(columns, np.int64)
        if (positions(kept, self._chosen) < 0).any():
            raise LoadError("a selection has columns that do not occur")

    def apply(self, row: Row) -> Row:
        to = positions(self._chosen, row[0])
        return to[to >= 0], row[1][to >= 0]


class Scaler:
    """Subtracts a number from each column and multiplies it, scales instances, adds a constant column."""

    def __init__(self, value: Any) -> None:
        fitted = Record("a scaler", value, ("format", "version", "scaling", "instances", "of", "occurring", "shift", "factor"))
        fitted.header("hierml.scaler", 2)
        settings = Record("a scaler's scaling", fitted.raw("scaling"), ("Columns", "UnitLength", "Constant"))
        columns = settings.choice("Columns", _SCALES)
        self._unit = settings.flag("UnitLength")
        constant = settings.number("Constant")
        if abs(constant) > float(np.finfo(np.float32).max):
            raise LoadError(f"a scaler has the Constant {constant}, which is beyond single precision")
        self._constant = np.float32(constant)
        self._factor = np.array(fitted.numbers("factor"))
        shift = fitted.numbers("shift")
        measured = len(self._factor)
        self.takes, self._kept = occurring(fitted, measured)
        self.gives = self.takes + (1 if self._constant else 0)
        if len(shift) != (measured if columns in ("z-score", "unit range") else 0) or not (self._factor > 0).all():
            raise LoadError(f"a scaler by {columns} has {len(shift)} numbers to subtract and {measured} factors, which have to be positive")
        self._shift = np.array(shift) if any(shift) else None
        if self._shift is not None:  # columns whose zeros do not stay
            moved = np.flatnonzero(self._shift)
            self._moved = moved if self._kept is None else self._kept[moved]

    def apply(self, row: Row) -> Row:
        indices, values = row
        wide = values.astype(np.float64)
        if self._shift is not None:
            present = np.union1d(indices, self._moved)
            stored = np.zeros(len(present))
            stored[np.searchsorted(present, indices)] = wide
            indices, wide = present, stored
        at = positions(self._kept, indices)
        known = at >= 0
        if self._shift is not None:
            wide[known] -= self._shift[at[known]]
        wide[known] *= self._factor[at[known]]
        with np.errstate(over="ignore", under="ignore"):
            narrow = wide.astype(np.float32)
        if not np.isfinite(narrow).all():
            raise ValueError("a feature is beyond single precision when it is scaled")
        kept = narrow != 0
        indices, wide, narrow = indices[kept], wide[kept], narrow[kept]
        if self._unit:
            length = 0.0
            for value in wide.tolist():
                length += value * value
            if length:
                narrow = (narrow.astype(np.float64) / math.sqrt(length)).astype(np.float32)
        if self._constant:
            indices, narrow = np.append(indices, self.takes), np.append(narrow, self._constant)
        return indices, narrow


_KINDS = {"hierml.selection": Selection, "hierml.scaler": Scaler, "hierml.weigher": WeigherStep}


def steps(values: Any) -> List[Any]:
    """Returns the steps of a file."""
    if not isinstance(values, list):
        raise LoadError("the steps are no list")
    made = []
    for value in values:
        kind = kind_of(value)
        if not isinstance(kind, str) or kind not in _KINDS:
            raise LoadError(f"a step has the format {quote(kind)}; this package knows {', '.join(_KINDS)}")
        made.append(_KINDS[kind](value))
    return made

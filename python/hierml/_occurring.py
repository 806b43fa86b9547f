"""Columns that occur in the training data, where what is fitted has values of no others."""

from __future__ import annotations

from typing import Optional, Tuple

import numpy as np

from ._errors import LoadError
from ._settings import Record


def occurring(fitted: Record, values: int) -> Tuple[int, Optional[np.ndarray]]:
    """Returns the number of columns, and those that values are of, or None where they are of all."""
    if "of" not in fitted and "occurring" not in fitted:
        return values, None
    columns = fitted.whole("of")
    kept = np.array(fitted.wholes("occurring", 0, columns - 1, ascending=True), np.int64)
    if len(kept) != values or columns > 1 << 31:
        raise LoadError(f"there are {values} values of {len(kept)} columns that occur, of {columns}")
    return columns, kept


def positions(kept: Optional[np.ndarray], columns: np.ndarray) -> np.ndarray:
    """Returns where the values of columns are, -1 where there is none."""
    if kept is None:
        return columns
    if not len(kept):
        return np.full(len(columns), -1, np.int64)
    at = np.minimum(np.searchsorted(kept, columns), len(kept) - 1)
    return np.where(kept[at] == columns, at, -1)

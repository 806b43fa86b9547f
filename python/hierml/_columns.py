"""Rows of a table to features: texts, numbers, nominal values, sets and paths.

The definitions are those of package features of the Go library (Columns, Encoder), in whose files columns.go
and encoder.go they stand.
"""

from __future__ import annotations

import math
from typing import Any, List, Mapping, Optional

import numpy as np

from ._errors import LoadError, quote, visible
from ._settings import Record
from ._steps import _SCALES
from ._text import Row, Vectorizer

_DEEPEST = 100  # levels of a path that are features
_KINDS = ("nominal", "text", "number", "set", "path")
_MISSING = ("refuse", "mean", "median", "most frequent", "value")
_SETTINGS = ("Text", "Number", "Nominal", "Set", "Of", "Only", "LeaveOut", "Constant")
_NUMBER = ("Log", "Missing", "Value", "Indicator", "Scale")
_FIELD = ("name", "kind", "separator", "decimal", "terms", "number", "fill", "shift", "factor", "values", "rare", "indicator")


def _is_missing(value: Any) -> bool:
    """Reports whether a value stands for none: None, NaN, NaT, NA of pandas, an empty text or list."""
    if value is None or isinstance(value, float) and math.isnan(value):
        return True
    if isinstance(value, (str, list, tuple, set, frozenset, np.ndarray)):
        return len(value) == 0
    return type(value).__name__ in ("NAType", "NaTType") or isinstance(value, np.floating) and bool(np.isnan(value))


def _word(value: Any) -> str:
    """Returns a value as the text that a file has for it: whole numbers without a point."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    return str(value)


class _Field:
    """A column of the table, and what was measured of it."""

    def __init__(self, value: Any) -> None:
        saved = Record("a field", value, _FIELD)
        self.name = saved.text("name")
        self.kind = saved.choice("kind", _KINDS)
        self._separator = saved.text("separator") or ("/" if self.kind == "path" else "|")
        self._terms: Optional[Vectorizer] = Vectorizer(saved.raw("terms")) if saved.raw("terms") is not None else None
        self._values = {word: column for column, word in enumerate(saved.texts("values"))}
        self._rare = saved.flag("rare")
        self._indicator = saved.flag("indicator")
        self._decimal = saved.choice("decimal", ("", ",", "."))
        self._log, self._fill = False, None
        self._shift, self._factor = 0.0, 1.0
        number = saved.raw("number")
        words = "values" in saved or self._rare
        if not self.name:
            raise LoadError("a field has no name")
        if (self._terms is not None) != (self.kind == "text") or (number is not None) != (self.kind == "number"):
            raise LoadError(f"the field {quote(self.name)} of kind {self.kind} has what another kind has")
        if words and self.kind in ("text", "number") or not words and not self._indicator and self.kind not in ("text", "number"):
            raise LoadError(f"the field {quote(self.name)} of kind {self.kind} has {len(self._values)} values")
        if len(self._values) != len(saved.texts("values")):
            raise LoadError(f"the field {quote(self.name)} has a value twice")
        if number is not None:
            settings = Record("the settings of a number", number, _NUMBER)
            self._log = settings.flag("Log")
            refused = settings.choice("Missing", _MISSING) == "refuse"
            settings.choice("Scale", _SCALES)
            if refused == ("fill" in saved) or refused and self._indicator:
                raise LoadError(f"the field {quote(self.name)} has not what stands for missing numbers")
            if not refused:
                self._fill = saved.number("fill")
            self._shift, self._factor = saved.number("shift"), saved.number("factor")
            if not self._factor > 0:
                raise LoadError(f"the field {quote(self.name)} is multiplied by {self._factor}")
        self.columns = len(self._values) + (1 if self._rare else 0) + (1 if self._indicator else 0)
        if self._terms is not None:
            self.columns = self._terms.columns
        elif number is not None:
            self.columns += 1

    def row(self, value: Any) -> Row:
        """Returns the features of a value."""
        missing = _is_missing(value)
        if self._terms is not None:
            return self._terms.row("" if missing else _word(value))
        if self.kind == "number":
            return self._number(value, missing)
        columns: List[int] = []
        if missing:
            if self._indicator:
                columns.append(self.columns - 1)
        else:
            for word in self._words(value):
                column = self._values.get(word)
                if column is None and word.lower() in ("true", "false"):  # which Go reads in one case
                    column = self._values.get(word.lower())
                if column is not None:
                    columns.append(column)
                elif self._rare:
                    columns.append(len(self._values))
        columns = sorted(set(columns))
        return np.array(columns, np.int64), np.ones(len(columns), np.float32)

    def _words(self, value: Any) -> List[str]:
        if self.kind == "set":
            if isinstance(value, str):
                return [word for word in (part.strip() for part in value.split(self._separator)) if word]
            if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
                return [_word(word) for word in value]
            raise TypeError(f"column {quote(self.name)}: a set is a list of texts, or one text with {quote(self._separator)} between them, not {type(value).__name__}")
        word = _word(value)
        if self.kind != "path":
            return [word]
        parts = word.split(self._separator, _DEEPEST - 1)
        return [self._separator.join(parts[: n + 1]) for n in range(len(parts))]

    def _with_point(self, text: str) -> str:
        """Returns a number as Go reads it in this column: 1.234,5 or 1,234.5 without what parts thousands."""
        if self._decimal == ",":
            return (text.replace(".", "") if "." in text else text).replace(",", ".", 1)
        return text.replace(",", "") if self._decimal == "." else text

    def _number(self, value: Any, missing: bool) -> Row:
        if missing:
            if self._fill is None:
                raise ValueError(f"column {quote(self.name)}: the number is missing, and the model was trained to refuse that; features.Number{{Missing: ...}} of the Go library says what stands for it")
            number = self._fill
        else:
            if isinstance(value, str) and "," in value:
                value = self._with_point(value)
            try:
                number = float(value)
            except ValueError:
                raise ValueError(f"column {quote(self.name)}: {quote(str(value)[:40])} is not a number") from None
            except TypeError:
                raise TypeError(f"column {quote(self.name)}: a {type(value).__name__} is not a number") from None
            if not math.isfinite(number):
                raise ValueError(f"column {quote(self.name)}: {number} is not finite")
            if self._log:
                number = math.copysign(math.log1p(abs(number)), number)
        number = (number - self._shift) * self._factor
        with np.errstate(over="ignore", under="ignore"):
            narrow = np.float32(number)
        if not np.isfinite(narrow):
            raise ValueError(f"column {quote(self.name)} is beyond single precision when it is scaled")
        columns, values = [], []
        if narrow != 0:
            columns.append(0)
            values.append(narrow)
        if missing and self._indicator:
            columns.append(1)
            values.append(np.float32(1))
        return np.array(columns, np.int64), np.array(values, np.float32)


class Encoder:
    """Turns rows of a table, which are mappings of names to values, into rows of features."""

    def __init__(self, value: Any) -> None:
        saved = Record("the columns", value, ("format", "version", "columns", "rows", "fields", "labels"))
        saved.header("hierml.encoder")
        settings = Record("the settings of columns", saved.raw("columns"), _SETTINGS)
        constant = settings.number("Constant")
        if abs(constant) > float(np.finfo(np.float32).max):
            raise LoadError(f"the Constant is {constant}, which is beyond single precision")
        self._constant = np.float32(constant)
        fields = saved.list("fields")
        if not fields:
            raise LoadError("there are no columns of a table")
        self._fields = [_Field(field) for field in fields]
        self.names = [field.name for field in self._fields]
        self.columns = sum(field.columns for field in self._fields) + (1 if self._constant else 0)

    def row(self, of: Mapping[str, Any]) -> Row:
        """Returns the features of a row of the table."""
        if isinstance(of, str) or not hasattr(of, "__getitem__") or not hasattr(of, "keys"):
            raise TypeError(f"a row is a dict, or a row of a DataFrame, with {', '.join(map(visible, self.names))}; not {type(of).__name__}")
        first = 0
        columns: List[np.ndarray] = []
        values: List[np.ndarray] = []
        for field in self._fields:
            try:
                value = of[field.name]
            except KeyError:
                raise ValueError(f"a row has no {quote(field.name)}; the model takes {', '.join(map(visible, self.names))}, None where a value is missing") from None
            indices, weights = field.row(value)
            columns.append(indices + first)
            values.append(weights)
            first += field.columns
        if self._constant:
            columns.append(np.array([first], np.int64))
            values.append(np.array([self._constant], np.float32))
        return np.concatenate(columns), np.concatenate(values)


def rows_of(given: Any) -> Any:
    """Returns the rows of a DataFrame, or what is given if it is none."""
    if hasattr(given, "to_dict") and hasattr(given, "columns"):
        return given.to_dict("records")
    return given

"""What package features of the Go library writes as JSON: settings by name, and what was measured.

A name that this package does not know is refused: what it stands for would be left out in silence.
"""

from __future__ import annotations

import json
import math
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ._errors import LoadError, quote


def parse(what: str, data: bytes) -> Any:
    """Returns the value of JSON that the data have: its numbers are finite, and no name stands twice in an object."""
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_once, parse_int=_number, parse_float=_number, parse_constant=_number)
    except LoadError as error:
        raise LoadError(f"{what}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise LoadError(f"{what} is not JSON: {error}; the file is damaged, or of another format") from error


def _once(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise LoadError("a name stands twice in one object")
    return found


def _number(text: str) -> float:
    if len(text) < 20 and text.lstrip("-").isdecimal():
        return int(text)
    value = float(text)
    if not math.isfinite(value):
        raise LoadError(f"the number {text:.40} is beyond double precision")
    return value


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


class Record:
    """An object of JSON whose members are asked for by name and type."""

    def __init__(self, what: str, value: Any, names: Sequence[str]) -> None:
        """names are those that may occur."""
        if not isinstance(value, dict):
            raise LoadError(f"{what} is no object")
        for name in value:
            if name not in names:
                raise LoadError(f"{what} has {quote(name)}, which this version of the package does not know; it knows {', '.join(names)}")
        self._what = what
        self._value: Dict[str, Any] = value

    def __contains__(self, name: str) -> bool:
        return name in self._value

    def raw(self, name: str) -> Any:
        return self._value.get(name)

    def _wrong(self, name: str, expected: str) -> LoadError:
        return LoadError(f"{self._what}: {name} is {quote(self._value.get(name))}; expected {expected}")

    def header(self, kind: str, newest: int = 1) -> None:
        """Checks the format and that its version is not after the newest one that is known."""
        version = self._value.get("version")
        if self._value.get("format") != kind or type(version) is not int or not 1 <= version <= newest:
            known = "version 1" if newest == 1 else f"versions 1 to {newest}"
            raise LoadError(f"{self._what}: the format is {quote(self._value.get('format'))} in version {quote(version)}; this package reads {quote(kind)} in {known}")

    def flag(self, name: str) -> bool:
        value = self._value.get(name, False)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def whole(self, name: str, least: int = 0, most: int = 1 << 31) -> int:
        value = self._value.get(name, 0)
        if type(value) is not int or not least <= value <= most:
            raise self._wrong(name, f"a whole number from {least} to {most}")
        return value

    def number(self, name: str) -> float:
        value = self._value.get(name, 0)
        if not _is_number(value):
            raise self._wrong(name, "a number")
        return float(value)

    def text(self, name: str) -> str:
        value = self._value.get(name, "")
        if not _are_texts([value]):
            raise self._wrong(name, "a text")
        return str(value)

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """Returns one of the choices, the first where the file has none."""
        value = self._value.get(name, choices[0])
        if value not in choices:
            raise self._wrong(name, "one of " + ", ".join(choices))
        return str(value)

    def list(self, name: str) -> Optional[List[Any]]:
        value = self._value.get(name)
        if value is not None and not isinstance(value, list):
            raise self._wrong(name, "a list")
        return value

    def texts(self, name: str) -> List[str]:
        values = self.list(name) or []
        if not _are_texts(values):
            raise self._wrong(name, "texts")
        return values

    def numbers(self, name: str) -> List[float]:
        values = self.list(name) or []
        if not all(map(_is_number, values)):
            raise self._wrong(name, "numbers")
        return [float(value) for value in values]

    def wholes(self, name: str, least: int, most: int, ascending: bool = False) -> List[int]:
        values = self.list(name) or []
        if not all(type(value) is int and least <= value <= most for value in values):
            raise self._wrong(name, f"whole numbers from {least} to {most}")
        if ascending and any(a >= b for a, b in zip(values, values[1:])):
            raise self._wrong(name, "ascending numbers")
        return values


def _are_texts(values: List[Any]) -> bool:
    """Reports whether the values are texts; half a pair of surrogates, which JSON may have, is none."""
    try:
        "".join(values).encode("utf-8")
    except (TypeError, UnicodeEncodeError):
        return False
    return True


def kind_of(value: Any) -> Any:
    """Returns what the format of an object is said to be."""
    return value.get("format") if isinstance(value, Mapping) else None

"""What papermill needs to run notebooks in Go with parameters.

papermill loads this module by its entry point, and no other module imports it:

    papermill in.ipynb out.ipynb -p C 3 -k hierml
"""

from __future__ import annotations

import math
import re
from typing import Any

from papermill.engines import NBClientEngine  # type: ignore[import-not-found, unused-ignore]
from papermill.models import Parameter  # type: ignore[import-not-found, unused-ignore]
from papermill.translators import Translator, papermill_translators  # type: ignore[import-not-found, unused-ignore]

_DECLARATION = re.compile(
    r"^(?:(?P<names>\w+(?:\s*,\s*\w+)*)\s*:=\s*(?P<value>.+?)|var\s+(?P<variable>\w+)(?:\s+(?P<type>[^=/]+?))?(?:\s*=\s*(?P<first>.+?))?)"
    r"\s*(?://\s*(?P<help>.*))?$"
)


class GoTranslator(Translator):  # type: ignore[misc, unused-ignore]
    """Writes parameters as assignments of Go to variables that the notebook has declared."""

    @classmethod
    def translate_str(cls, val: str) -> str:
        return _quoted(val)

    translate_escaped_str = translate_str

    @classmethod
    def translate_none(cls, val: None) -> str:
        raise ValueError("a parameter of a notebook in Go cannot be None")

    @classmethod
    def translate_float(cls, val: float) -> str:
        if math.isnan(val):
            return "math.NaN()"
        if math.isinf(val):
            return "math.Inf(1)" if val > 0 else "math.Inf(-1)"
        return repr(val)

    @classmethod
    def translate_list(cls, val: list[Any]) -> str:
        return f"[]{_type(val)}{{{', '.join(cls.translate(v) for v in val)}}}"

    @classmethod
    def translate_dict(cls, val: dict[str, Any]) -> str:
        entries = ", ".join(f"{_quoted(str(k))}: {cls.translate(v)}" for k, v in val.items())
        return f"map[string]{_type(list(val.values()))}{{{entries}}}"

    @classmethod
    def comment(cls, cmt_str: str) -> str:
        return f"// {cmt_str}".strip()

    @classmethod
    def inspect(cls, parameters_cell: Any) -> list[Parameter]:
        found = []
        for line in parameters_cell["source"].splitlines():
            at = _DECLARATION.match(line.strip())
            if at:
                names = (at["names"] or at["variable"]).split(",")
                value = at["value"] or at["first"] or ""
                for name in names:
                    found.append(Parameter(name.strip(), at["type"] or "None", value if len(names) == 1 else "", at["help"] or ""))
        return found


class Engine(NBClientEngine):  # type: ignore[misc, unused-ignore]
    """papermill's own engine: what it runs notebooks with when it is told nothing else."""


def _quoted(text: str) -> str:
    """A text as a literal of Go."""
    out = []
    for c in text:
        if c in '"\\':
            out.append("\\" + c)
        elif c.isprintable():
            out.append(c)
        elif "\ud800" <= c <= "\udfff":
            raise ValueError(f"{text!r} is no text that Go can have")
        else:
            out.append(f"\\U{ord(c):08x}")
    return '"' + "".join(out) + '"'


def _type(values: list[Any]) -> str:
    """The type of Go that all of some values have."""
    kinds = {"bool" if isinstance(v, bool) else type(v).__name__ for v in values}
    if kinds == {"int", "float"}:
        return "float64"
    if len(kinds) != 1:
        raise ValueError(f"no type of Go has all of {values!r}")
    kind = kinds.pop()
    if kind == "list":
        return "[]" + _type([v for part in values for v in part])
    if kind == "dict":
        return "map[string]" + _type([v for part in values for v in part.values()])
    names = {"bool": "bool", "int": "int", "float": "float64", "str": "string"}
    if kind not in names:
        raise ValueError(f"{values!r} cannot be written as Go")
    return names[kind]


papermill_translators.register("go", GoTranslator)

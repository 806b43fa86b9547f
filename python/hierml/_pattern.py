"""Regular expressions of Go, in the part of their language in which Python's find the same matches.

The expression is parsed and written anew, so that what Python would read in another way is refused by
name and never taken for something else.
"""

from __future__ import annotations

import re
from typing import Iterator, List, Sequence, Tuple

from ._errors import LoadError
from ._unicode import CATEGORIES

Ranges = Sequence[Tuple[int, int]]

_CLASSES = {
    "d": ((0x30, 0x39),),
    "s": ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20)),
    "w": ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)),
}
_CONTROLS = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}
_ANCHORS = {"A": r"\A", "z": r"\Z", "b": r"\b", "B": r"\B"}
_COUNT = re.compile(r"\{(\d+)(,(\d*))?\}", re.ASCII)
_NAME = re.compile(r"\?P?<\w+>", re.ASCII)


def class_of(ranges: Ranges, negated: bool = False) -> str:
    """Returns a class of Python's expressions of ranges of code points."""
    parts = (f"\\U{lo:08x}" if lo == hi else f"\\U{lo:08x}-\\U{hi:08x}" for lo, hi in ranges)
    return "[" + ("^" if negated else "") + "".join(parts) + "]"


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def refuse(self, what: str) -> LoadError:
        return LoadError(f"the tokens' Pattern {self.text!r} has {what} at {self.at}, which this package cannot match as Go does")

    def peek(self, n: int = 1) -> str:
        return self.text[self.at : self.at + n]

    def take(self) -> str:
        if self.at >= len(self.text):
            raise self.refuse("an end")
        self.at += 1
        return self.text[self.at - 1]

    def alternation(self) -> Tuple[str, bool]:
        """Returns an expression, and whether it matches nothing, too."""
        branches, empty = [], False
        while True:
            branch, nullable = self.concatenation()
            branches.append(branch)
            empty = empty or nullable
            if self.peek() != "|":
                return "|".join(branches), empty
            self.at += 1

    def concatenation(self) -> Tuple[str, bool]:
        parts, empty = [], True
        while self.peek() not in ("", "|", ")"):
            part, nullable = self.atom()
            suffix, least, several = self.quantifier()
            if several and nullable:
                raise self.refuse("a repetition of what may be empty")
            parts.append(part + suffix)
            empty = empty and (nullable or least == 0)
        return "".join(parts), empty

    def quantifier(self) -> Tuple[str, int, bool]:
        """Returns a repetition, the least number of times, and whether it may be more than once."""
        count = _COUNT.match(self.text, self.at)
        if self.peek() in ("*", "+", "?") and self.peek():
            suffix = self.take()
            least, several = int(suffix == "+"), suffix != "?"
        elif count:
            self.at = count.end()
            suffix, least = count.group(), int(count.group(1))
            several = bool(count.group(2) and (not count.group(3) or int(count.group(3)) > 1)) or least > 1
        else:
            return "", 1, False
        if self.peek() == "?":
            suffix += self.take()
        if (self.peek() in ("*", "+", "?") and self.peek()) or _COUNT.match(self.text, self.at):
            raise self.refuse("a repetition of a repetition")
        return suffix, least, several

    def atom(self) -> Tuple[str, bool]:
        c = self.take()
        if c == "(":
            if self.peek(2) == "?:":
                self.at += 2
            elif self.peek() == "?":
                name = _NAME.match(self.text, self.at)
                if not name:
                    raise self.refuse("flags")
                self.at = name.end()
            inner, nullable = self.alternation()
            if self.take() != ")":
                raise self.refuse("an open group")
            return f"(?:{inner})", nullable
        if c == "[":
            return self.bracket(), False
        if c == "\\":
            return self.escape()
        if c == ".":
            return ".", False
        if c in "^$":
            return (r"\A" if c == "^" else r"\Z"), True
        if c in "*+?":
            raise self.refuse("a repetition of nothing")
        return re.escape(c), False

    def escape(self) -> Tuple[str, bool]:
        c = self.peek()
        if c in _ANCHORS and c:
            self.at += 1
            return _ANCHORS[c], True
        if c.lower() in _CLASSES and c:
            self.at += 1
            return class_of(_CLASSES[c.lower()], c.isupper()), False
        if c in ("p", "P"):
            return class_of(self.category(), c == "P"), False
        return re.escape(chr(self.code())), False

    def category(self) -> Ranges:
        """Returns the ranges of a category, from the p on."""
        self.at += 1
        name = self.take()
        if name == "{":
            end = self.text.find("}", self.at)
            name, self.at = self.text[self.at : end], end + 1
        if name not in CATEGORIES:
            raise self.refuse(f"the category {name!r}")
        return CATEGORIES[name]

    def code(self) -> int:
        """Returns the code point of an escape, from behind the backslash on."""
        c = self.take()
        if c in _CONTROLS:
            return _CONTROLS[c]
        if c == "x":
            digits = self.text[self.at : self.at + 2]
            self.at += 2
            if digits.startswith("{"):
                end = self.text.find("}", self.at)
                digits, self.at = self.text[self.at - 1 : end], end + 1
            try:
                return ord(chr(int(digits, 16)))
            except (ValueError, OverflowError) as error:
                raise self.refuse("an escape") from error
        if c.isalnum() or ord(c) >= 0x80:
            raise self.refuse(f"\\{c}")
        return ord(c)

    def bracket(self) -> str:
        negated = self.peek() == "^"
        if negated:
            self.at += 1
        ranges: List[Tuple[int, int]] = []
        first = True
        while first or self.peek() != "]":
            first = False
            if self.peek(2) == "[:":
                raise self.refuse("a named class")
            c = self.take()
            if c == "\\":
                kind = self.peek()
                if kind in _CLASSES and kind:
                    self.at += 1
                    ranges.extend(_CLASSES[kind])
                    continue
                if kind == "p":
                    ranges.extend(self.category())
                    continue
                if kind in ("D", "S", "W", "P"):
                    raise self.refuse(f"\\{kind} in a class")
                lo = self.code()
            else:
                lo = ord(c)
            hi = lo
            if self.peek() == "-" and self.peek(2) != "-]":
                self.at += 1
                c = self.take()
                if c == "[" and self.peek() == ":":
                    raise self.refuse("a named class")
                hi = self.code() if c == "\\" else ord(c)
                if hi < lo:
                    raise self.refuse("an empty range")
            ranges.append((lo, hi))
        self.at += 1
        return class_of(ranges, negated)


class Pattern:
    """An expression of Go."""

    def __init__(self, text: str) -> None:
        parser = _Parser(text)
        try:
            translated, _ = parser.alternation()
            if parser.at < len(text):
                raise parser.refuse("a closing parenthesis")
            self._compiled = re.compile(translated, re.ASCII)
        except (re.error, OverflowError, RecursionError) as error:
            raise parser.refuse(f"an expression ({error})") from error

    def matches(self, text: str) -> Iterator[str]:
        """Gives the matches that are not empty, as Go's FindAll finds them."""
        at = 0
        while at <= len(text):
            match = self._compiled.search(text, at)
            if match is None:
                return
            if match.end() > match.start():
                yield match.group()
            at = match.end() if match.end() > at else at + 1

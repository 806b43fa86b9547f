"""Regular expressions of Go, whose matches are found in time proportional to the text.

An expression is compiled to a program of single steps, as in Go. Going through the text backwards finds,
for each place, the steps from which the rest of the text leads to a match: a set, of which an expression
has few, so that each is computed once and then looked up. Going forwards through a match then takes, of
two ways, the first that leads to one, and never has to come back.

What Go would read in a way that is not known here is refused by name.
"""

from __future__ import annotations

import re
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._errors import LoadError, quote
from ._unicode import CATEGORIES

Ranges = Sequence[Tuple[int, int]]

_CLASSES = {
    "d": ((0x30, 0x39),),
    "s": ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20)),
    "w": ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)),
}
_CONTROLS = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}
_ANCHORS = {"^": "begin", "A": "begin", "$": "end", "z": "end", "b": "boundary", "B": "no boundary"}
_COUNT = re.compile(r"\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?\}")
_NAME = re.compile(r"\?P?<([0-9A-Za-z_]+)>")
_DIGITS = re.compile(r"\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2})")
_MOST_COUNT = 1000  # as in Go
_MOST_STEPS = 2000  # of a program: a place of the text takes time for each
_MOST_DEPTH = 50  # of groups in each other


class _Node(NamedTuple):
    """A part of an expression."""

    kind: str  # "set", "anchor", "all", "one" (the first that matches), "repeat"
    steps: int  # of its program
    empty: bool  # it may match nothing
    parts: Tuple["_Node", ...] = ()
    anchor: str = ""
    chars: int = 0  # the number of a set
    least: int = 0
    most: Optional[int] = None  # None is no bound
    greedy: bool = True


class _Set(NamedTuple):
    """A set of characters: those of named classes, and of ranges, or all others."""

    names: Tuple[str, ...]
    ranges: Tuple[Tuple[int, int], ...]
    negated: bool


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.groups: Dict[str, int] = {}
        self.sets: Dict[_Set, int] = {}

    def refuse(self, what: str) -> LoadError:
        return LoadError(f"the tokens' Pattern {quote(self.text)} has {what} at {self.at}, which this package cannot match as Go does")

    def peek(self, n: int = 1) -> str:
        return self.text[self.at : self.at + n]

    def take(self) -> str:
        if self.at >= len(self.text):
            raise self.refuse("an end")
        self.at += 1
        return self.text[self.at - 1]

    def node(self, kind: str, steps: int, empty: bool, **of: object) -> _Node:
        if steps > _MOST_STEPS:
            raise self.refuse(f"more than {_MOST_STEPS} characters, counted as often as they are repeated,")
        return _Node(kind, steps, empty, **of)  # type: ignore[arg-type]

    def set_of(self, names: Sequence[str], ranges: Ranges, negated: bool = False) -> _Node:
        key = _Set(tuple(sorted(set(names))), tuple(ranges), negated)
        return self.node("set", 1, False, chars=self.sets.setdefault(key, len(self.sets)))

    def alternation(self) -> _Node:
        branches = [self.concatenation()]
        while self.peek() == "|":
            self.at += 1
            branches.append(self.concatenation())
        if len(branches) == 1:
            return branches[0]
        return self.node("one", sum(b.steps + 1 for b in branches), any(b.empty for b in branches), parts=tuple(branches))

    def concatenation(self) -> _Node:
        parts: List[_Node] = []
        steps = 0
        while self.peek() not in ("", "|", ")"):
            parts.append(self.quantified(self.atom()))
            steps += parts[-1].steps
            if steps > _MOST_STEPS:
                break
        return self.node("all", steps, all(p.empty for p in parts), parts=tuple(parts))

    def quantified(self, part: _Node) -> _Node:
        count = _COUNT.match(self.text, self.at)
        most: Optional[int]
        if self.peek() in ("*", "+", "?"):
            suffix = self.take()
            least, most = int(suffix == "+"), 1 if suffix == "?" else None
        elif count:
            least, most = self.number(count.group(1)), self.number(count.group(3) or count.group(1))
            if count.group(2) and not count.group(3):
                most = None
            elif most < least:
                raise self.refuse("a repetition that ends before it begins")
            self.at = count.end()
        else:
            return part
        greedy = self.peek() != "?"
        if not greedy:
            self.at += 1
        if self.peek() in ("*", "+", "?") or _COUNT.match(self.text, self.at):
            raise self.refuse("a repetition of a repetition")
        if part.empty and (most is None or most > 1):
            raise self.refuse("a repetition of what may be empty")
        steps = (part.steps + 1) * max(least, least + 1 if most is None else most)
        return self.node("repeat", steps, part.empty or least == 0, parts=(part,), least=least, most=most, greedy=greedy)

    def number(self, digits: str) -> int:
        if len(digits) > 4 or int(digits) > _MOST_COUNT:
            raise self.refuse(f"a repetition of more than {_MOST_COUNT} times")
        return int(digits)

    def atom(self) -> _Node:
        if _COUNT.match(self.text, self.at):
            raise self.refuse("a repetition of nothing")
        c = self.take()
        if c == "(":
            return self.group()
        if c == "[":
            return self.bracket()
        if c == "\\":
            return self.escape()
        if c == ".":
            return self.set_of((), ((0x0A, 0x0A),), True)
        if c in "^$":
            return self.node("anchor", 1, True, anchor=_ANCHORS[c])
        if c in "*+?":
            raise self.refuse("a repetition of nothing")
        return self.set_of((), ((ord(c), ord(c)),))

    def group(self) -> _Node:
        if self.peek(2) == "?:":
            self.at += 2
        elif self.peek() == "?":
            name = _NAME.match(self.text, self.at)
            if not name:
                raise self.refuse("flags")
            if name.group(1) in self.groups:
                raise self.refuse("a second group of one name")
            self.groups[name.group(1)] = self.at
            self.at = name.end()
        self.depth += 1
        if self.depth > _MOST_DEPTH:
            raise self.refuse(f"more than {_MOST_DEPTH} groups in each other")
        inner = self.alternation()
        self.depth -= 1
        if self.take() != ")":
            raise self.refuse("an open group")
        return inner

    def escape(self) -> _Node:
        c = self.peek()
        if c in ("A", "z", "b", "B"):
            self.at += 1
            return self.node("anchor", 1, True, anchor=_ANCHORS[c])
        if c.lower() in _CLASSES:
            self.at += 1
            return self.set_of((c.lower(),), (), c.isupper())
        if c in ("p", "P"):
            return self.set_of((self.category(),), (), c == "P")
        code = self.code()
        return self.set_of((), ((code, code),))

    def category(self) -> str:
        """Returns the name of a category, from the p on."""
        self.at += 1
        name = self.take()
        if name == "{":
            end = self.text.find("}", self.at, self.at + 40)
            if end < 0:
                raise self.refuse("a category without an end")
            name, self.at = self.text[self.at : end], end + 1
        if name not in CATEGORIES:
            raise self.refuse(f"the category {quote(name)}")
        return name

    def code(self) -> int:
        """Returns the code point of an escape, from behind the backslash on."""
        c = self.take()
        if c in _CONTROLS:
            return _CONTROLS[c]
        if c == "x":
            digits = _DIGITS.match(self.text, self.at)
            value = (digits.group(1) or digits.group(2)).lstrip("0") if digits else "none"
            if not digits or len(value) > 6 or int(value or "0", 16) > 0x10FFFF:
                raise self.refuse("an escape")
            self.at = digits.end()
            return int(value or "0", 16)
        if c.isalnum() or ord(c) >= 0x80:
            raise self.refuse(f"\\{c}")
        return ord(c)

    def bracket(self) -> _Node:
        negated = self.peek() == "^"
        if negated:
            self.at += 1
        names: List[str] = []
        ranges: List[Tuple[int, int]] = []
        first = True
        while first or self.peek() != "]":
            first = False
            if self.peek(2) == "[:":
                raise self.refuse("a named class")
            c = self.take()
            if c == "\\":
                kind = self.peek()
                if kind in _CLASSES:
                    self.at += 1
                    names.append(kind)
                    continue
                if kind == "p":
                    names.append(self.category())
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
        return self.set_of(names, ranges, negated)


def _merged(ranges: Ranges) -> List[Tuple[int, int]]:
    """Returns the ranges without overlaps."""
    merged: List[Tuple[int, int]] = []
    for lo, hi in sorted(ranges):
        if merged and lo <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(hi, merged[-1][1]))
        else:
            merged.append((lo, hi))
    return merged


class _Alphabet:
    """The characters, in kinds: those of a kind are in the same sets of an expression."""

    def __init__(self, sets: Sequence[_Set]) -> None:
        # Parts are the named classes and, of each set, its ranges. Where one begins or ends, its bit changes.
        parts: Dict[object, int] = {}
        changes: Dict[int, int] = {0: 0}

        def part(key: object, ranges: Ranges) -> int:
            if key not in parts:
                parts[key] = bit = 1 << len(parts)
                for lo, hi in _merged(ranges):
                    changes[lo] = changes.get(lo, 0) ^ bit
                    changes[hi + 1] = changes.get(hi + 1, 0) ^ bit
            return parts[key]

        self._sets: List[Tuple[int, bool]] = []  # the parts of each, as bits
        for s in sets:
            bits = part(s.ranges, s.ranges)
            for name in s.names:
                bits |= part(name, _CLASSES.get(name) or CATEGORIES[name])
            self._sets.append((bits, s.negated))
        self._word = part("w", _CLASSES["w"])
        kinds: Dict[int, int] = {}
        self._begins = np.array(sorted(changes), np.uint32)
        of, bits = [], 0
        for at in self._begins.tolist():
            bits ^= changes[at]
            of.append(kinds.setdefault(bits, len(kinds)))
        self._kinds = np.array(of, np.int64)
        self._bits = list(kinds)
        self._words = np.array([bool(bits & self._word) for bits in kinds])

    def kinds(self, text: str) -> np.ndarray:
        """Returns the kind of each character."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        return self._kinds[np.searchsorted(self._begins, codes, side="right") - 1]

    def words(self, kinds: np.ndarray) -> np.ndarray:
        """Returns which characters can be in a word, in the sense of a word's boundary."""
        return self._words[kinds]

    def sets(self, kind: int) -> List[int]:
        """Returns the sets that have the characters of a kind."""
        bits = self._bits[kind]
        return [k for k, (parts, negated) in enumerate(self._sets) if bool(bits & parts) != negated]


class _Ahead:
    """The steps from which the rest of a text leads to a match."""

    __slots__ = ("steps", "starts", "before", "ways")

    def __init__(self, steps: int, starts: bool) -> None:
        self.steps = steps  # a bit each
        self.starts = starts  # a match begins here
        self.before: Dict[int, "_Ahead"] = {}  # what is ahead one character earlier, by that character
        self.ways: Dict[int, int] = {}  # from a step to the next that takes a character, or the end


_END = 0  # the step that is a match
_MOST_KEPT = 10_000  # sets that are kept from one text for the next


class Pattern:
    """An expression of Go."""

    def __init__(self, text: str) -> None:
        parser = _Parser(text)
        node = parser.alternation()
        if parser.at < len(text):
            raise parser.refuse("a closing parenthesis")
        self._alphabet = _Alphabet(list(parser.sets))
        self._next: List[Tuple[int, ...]] = [()]  # of each step, the first is the better one; none of those that take a character
        self._anchors: Dict[int, str] = {}
        self._takes: Dict[int, int] = {}  # of a set, the steps that take one of its characters, a bit each
        self._entry = self._emit(node, _END)
        self._order = self._ordered()
        self._free: Dict[Tuple[bool, bool, bool], List[Tuple[int, int]]] = {}
        self._kept: Dict[int, _Ahead] = {}

    # The program. Steps are made from the end on: one that takes a character goes on with the step made before it.

    def _step(self, *following: int) -> int:
        self._next.append(following)
        return len(self._next) - 1

    def _emit(self, node: _Node, after: int) -> int:
        """Makes the steps of a node, and returns the first."""
        if node.kind == "set":
            if after != len(self._next) - 1:
                self._step(after)
            step = self._step()
            self._takes[node.chars] = self._takes.get(node.chars, 0) | 1 << step
            return step
        if node.kind == "anchor":
            step = self._step(after)
            self._anchors[step] = node.anchor
            return step
        if node.kind == "all":
            for part in reversed(node.parts):
                after = self._emit(part, after)
            return after
        if node.kind == "one":
            entry = self._emit(node.parts[-1], after)
            for part in reversed(node.parts[:-1]):
                entry = self._step(self._emit(part, after), entry)
            return entry
        (part,) = node.parts
        entry = after
        if node.most is None:
            loop = self._step()
            body = self._emit(part, loop)
            self._next[loop] = self._either(body, after, node.greedy)
            entry = body if node.least else loop
        else:
            for _ in range(node.most - node.least):
                entry = self._step(*self._either(self._emit(part, entry), after, node.greedy))
        for _ in range(node.least - (node.most is None)):
            entry = self._emit(part, entry)
        return entry

    @staticmethod
    def _either(body: int, after: int, greedy: bool) -> Tuple[int, int]:
        return (body, after) if greedy else (after, body)

    def _ordered(self) -> List[int]:
        """Returns the steps that take no character, each behind those that it goes on with."""
        order: List[int] = []
        seen = [False] * len(self._next)
        for root in range(len(self._next)):
            stack = [root]
            while stack:
                step = stack.pop()
                if step < 0:
                    order.append(~step)
                elif not seen[step] and self._next[step]:
                    seen[step] = True
                    stack.append(~step)
                    stack.extend(self._next[step])
        return order

    # The matching.

    def _freely(self, begin: bool, end: bool, boundary: bool) -> List[Tuple[int, int]]:
        """Returns the steps that take no character, and those they go on with, where the place of the text lets them."""
        key = (begin, end, boundary)
        if key not in self._free:
            holds = {"": True, "begin": begin, "end": end, "boundary": boundary, "no boundary": not boundary}
            self._free[key] = [
                (sum(1 << following for following in set(self._next[step])), 1 << step) for step in self._order if holds[self._anchors.get(step, "")]
            ]
        return self._free[key]

    def _ahead(self, steps: int, free: List[Tuple[int, int]]) -> _Ahead:
        for following, step in free:
            if steps & following:
                steps |= step
        ahead = self._kept.get(steps)
        if ahead is None:
            ahead = self._kept[steps] = _Ahead(steps, bool(steps >> self._entry & 1))
        return ahead

    def _before(self, ahead: _Ahead, symbol: int) -> _Ahead:
        takes = 0
        for chars in self._alphabet.sets(symbol >> 2):
            takes |= self._takes.get(chars, 0)
        steps = takes & ahead.steps << 1 | 1 << _END
        return self._ahead(steps, self._freely(bool(symbol & 1), False, bool(symbol & 2)))

    def _all_ahead(self, text: str) -> List[_Ahead]:
        """Returns what is ahead of each place of a text."""
        kinds = self._alphabet.kinds(text)
        symbols = kinds * 4  # with how a place is told from others: the beginning, and a word's boundary
        word = False
        if self._anchors and len(text):
            words = self._alphabet.words(kinds)
            symbols[1:] += 2 * (words[1:] != words[:-1])
            symbols[0] += 2 * int(words[0]) + 1
            word = bool(words[-1])
        ahead = self._ahead(1 << _END, self._freely(not text, True, word))
        found = [ahead]
        for symbol in reversed(symbols.tolist()):
            before = ahead.before.get(symbol)
            if before is None:
                before = ahead.before[symbol] = self._before(ahead, symbol)
            ahead = before
            found.append(ahead)
        found.reverse()
        return found

    def _way(self, ahead: _Ahead, step: int) -> int:
        """Returns the step that takes a character, or the end, to which the best way from a step leads."""
        at = step
        while self._next[at]:
            first = self._next[at][0]
            at = first if ahead.steps >> first & 1 else self._next[at][1]
        ahead.ways[step] = at
        return at

    def matches(self, text: str) -> Iterator[str]:
        """Gives the matches that are not empty, as Go's FindAll finds them."""
        found = self._all_ahead(text)
        at = 0
        while at < len(text):
            ahead = found[at]
            if not ahead.starts:
                at += 1
                continue
            end, step = at, self._entry
            while True:
                way = ahead.ways.get(step)
                if way is None:
                    way = self._way(ahead, step)
                if way == _END:
                    break
                end, step = end + 1, way - 1
                ahead = found[end]
            if end > at:
                yield text[at:end]
            at = max(end, at + 1)
        if len(self._kept) > _MOST_KEPT:
            self._kept = {}

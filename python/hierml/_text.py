"""Texts to features: tokens, stop words, n-grams, a vocabulary or hashing, weights.

The definitions are those of package features of the Go library (Text, Vectorizer), in whose file words.go,
terms.go, hashing.go and weighing.go they stand. Letters, digits, marks, white space and lower case are
those of Go, not of the Python that runs this.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from typing import Any, Callable, Dict, Iterable, Iterator, List, Tuple

import numpy as np

from ._errors import LoadError
from ._occurring import occurring
from ._pattern import Pattern, Ranges
from ._settings import Record
from ._unicode import CATEGORIES, LOWER, SPACES

#: A row: the columns that are not zero, ascending, and their values in single precision.
Row = Tuple[np.ndarray, np.ndarray]

TOKENS = ("words", "letters", "characters")
WEIGHTS = ("log tf-idf", "tf-idf", "BM25", "counts", "log counts", "binary")
NORMALIZATIONS = ("as written", "NFC", "NFKC", "no accents")
NORMS = ("unit length", "unit sum", "none")
_MOST_MARKS = 10  # combining marks in a row
_MOST_GRAM = 100  # tokens of an n-gram, and of a stop word
_COUNTED = WEIGHTS[:3]  # those that need document frequencies
_INVERSE = WEIGHTS[:2]

# What a file may say of each. A setting that is added to the Go library is added here, and used below.
_WEIGHING = ("Weight", "K1", "B", "Norm", "SmoothIDF")
_SETTINGS = ("Tokens", "Pattern", "KeepCase", "Normalize", "StopWords", "NGrams", "Bits", "MinDocuments", "MaxShare", "MaxFeatures") + _WEIGHING
_VECTORIZER = (
    "format", "version", "text", "tokenizer", "drop common", "documents", "terms per document", "vocabulary", "document frequencies",
)
_WEIGHER = ("format", "version", "weighing", "documents", "terms per document", "of", "occurring", "document frequencies")

_LOWER = {code: code + delta for lo, hi, step, delta in LOWER for code in range(lo, hi + 1, step)}
_SURROGATES = re.compile("[\ud800-\udfff]+")  # what is no text: in Go, bytes that are not UTF-8


def _class_of(ranges: Ranges) -> str:
    """Returns a class of Python's expressions of ranges of code points."""
    return "[" + "".join(f"\\U{lo:08x}-\\U{hi:08x}" for lo, hi in ranges) + "]"


@functools.lru_cache(maxsize=None)
def _compiled(kind: str) -> "re.Pattern[str]":
    """Returns the expression of a token: a word, a letter, or a run of white space."""
    if kind == "words":
        ranges = [*CATEGORIES["L"], *CATEGORIES["Nd"]]
        return re.compile(_class_of(ranges) + _class_of([*ranges, *CATEGORIES["M"]]) + "*")
    if kind == "letters":
        return re.compile(_class_of(CATEGORIES["L"]))
    return re.compile(_class_of([*SPACES, (0xD800, 0xDFFF)]) + "+")


def lower(text: str) -> str:
    """Returns the text in lower case, code point by code point."""
    return text.lower() if text.isascii() else text.translate(_LOWER)


def _plain(text: str, keep_case: bool) -> str:
    text = _SURROGATES.sub("\ufffd", text)
    return text if keep_case else lower(text)


@functools.lru_cache(maxsize=None)
def _many_marks() -> "re.Pattern[str]":
    """Returns the expression of more combining marks in a row than are kept."""
    mark = _class_of(CATEGORIES["M"])
    return re.compile(f"({mark}{{{_MOST_MARKS}}}){mark}+")


def _normalized(text: str, form: str) -> str:
    """Returns the text in a form, by the Unicode version of the Python that runs."""
    if form == "as written" or text.isascii():
        return text
    text = _many_marks().sub(r"\1", text)
    if form != "no accents":
        return unicodedata.normalize(form, text)
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", plain)


def _words(text: str, keep_case: bool) -> List[str]:
    words = _compiled("words").findall(text)
    return words if keep_case else [lower(word) for word in words]


def _letters(text: str, keep_case: bool) -> List[str]:
    letters = _compiled("letters").findall(text)
    return letters if keep_case else [lower(letter) for letter in letters]


def _characters(text: str, keep_case: bool) -> List[str]:
    # Pairs of surrogates that stand for a code point are none in a Python text, so that each is one.
    spaced = _compiled("spaces").sub(" ", text).strip(" ")
    return list(spaced if keep_case else lower(spaced))


class Terms:
    """Finds the terms of texts: their tokens, without stop words, and n-grams of these."""

    def __init__(self, settings: Record) -> None:
        tokens = settings.choice("Tokens", TOKENS)
        keep_case = settings.flag("KeepCase")
        pattern = settings.text("Pattern")
        self._separator = " " if tokens == "words" else ""
        if pattern:
            if tokens != "words":
                raise LoadError("the vectorizer has both Tokens and Pattern")
            compiled = Pattern(pattern)
            self._tokens: Callable[[str], Iterable[str]] = lambda text: compiled.matches(_plain(text, keep_case))
        else:
            split = {"words": _words, "letters": _letters, "characters": _characters}[tokens]
            self._tokens = lambda text: split(text, keep_case)
        form = settings.choice("Normalize", NORMALIZATIONS)
        if form != "as written":
            tokens_of = self._tokens
            self._tokens = lambda text: tokens_of(_normalized(text, form))
        grams = settings.wholes("NGrams", 0, _MOST_GRAM) or [0, 0]
        if grams == [0, 0]:
            grams = [1, 1]
        if len(grams) != 2 or not 1 <= grams[0] <= grams[1]:
            raise LoadError(f"the vectorizer has the NGrams {grams}")
        self._from, self._to = grams
        # Of tokens with the separator between them: whether they are a stop word, and whether they begin one.
        self._stop: Dict[str, Tuple[bool, bool]] = {}
        stop_words = settings.texts("StopWords")
        if stop_words and not self._separator:
            raise LoadError(f"the vectorizer has StopWords, and its tokens are {tokens}")
        for word in stop_words:
            parts = list(self._tokens(word))
            if len(parts) > _MOST_GRAM:
                raise LoadError(f"the vectorizer has a stop word of {len(parts)} tokens; there are at most {_MOST_GRAM}")
            for n in range(1, len(parts) + 1):
                key = self._separator.join(parts[:n])
                out, begins = self._stop.get(key, (False, False))
                self._stop[key] = (out or n == len(parts), begins or n < len(parts))

    def of(self, text: str) -> Iterator[str]:
        """Gives the terms of a text, one as often as it stands there."""
        tokens = self._tokens(text)
        if self._stop:
            tokens = self._without_stop_words(list(tokens))
        if self._to == 1:
            yield from tokens
            return
        listed = list(tokens)
        for i in range(len(listed)):
            for n in range(self._from, min(self._to, len(listed) - i) + 1):
                yield self._separator.join(listed[i : i + n])

    def _without_stop_words(self, tokens: List[str]) -> List[str]:
        """Of stop words that begin at one token, the longest is left out."""
        kept = []
        i = 0
        while i < len(tokens):
            out, n = 0, 1
            while True:
                is_out, begins = self._stop.get(self._separator.join(tokens[i : i + n]), (False, False))
                if is_out:
                    out = n
                if not begins or i + n == len(tokens):
                    break
                n += 1
            if out == 0:
                kept.append(tokens[i])
            i += max(out, 1)
        return kept


class Weigher:
    """Says for how much a term counts, by the document frequencies of the training texts."""

    def __init__(self, settings: Record, fitted: Record) -> None:
        self.weight = settings.choice("Weight", WEIGHTS)
        self.norm = settings.choice("Norm", NORMS)
        self._smooth = settings.flag("SmoothIDF")
        if self._smooth and self.weight not in _INVERSE:
            raise LoadError(f"SmoothIDF needs a tf-idf weight, and the weight is {self.weight}")
        k1, b = settings.number("K1"), settings.number("B")
        if b > 1:
            raise LoadError(f"B is {b}; it is at most 1")
        self._k1 = max(k1, 0.0) if k1 else 1.2
        self._b = max(b, 0.0) if b else 0.75
        self._documents = fitted.whole("documents")
        self._length = fitted.number("terms per document")
        if self.weight == "BM25" and not self._length > 0:
            raise LoadError("weights are those of BM25, and the training texts have no terms")
        self.frequencies = fitted.wholes("document frequencies", 0, self._documents)
        self.columns, kept = occurring(fitted, len(self.frequencies))
        self._idf = [self._rarity(df) for df in self.frequencies] if self.weight in _COUNTED else []
        self._of = None if kept is None else dict(zip(kept.tolist(), self._idf))
        self._none = self._rarity(0)  # of a column that no document has

    def _rarity(self, df: int) -> float:
        if self._smooth:
            return math.log((1 + self._documents) / (1 + df)) + 1
        if df == 0:  # no training document has it, so that nothing is known of it
            return 0.0
        if self.weight == "BM25":
            return math.log(1 + (self._documents - df + 0.5) / (df + 0.5))
        return math.log(self._documents / df)

    def of_frequency(self, tf: float, terms: float) -> float:
        """Returns the part of a weight that depends on how often a term stands in a text of so many terms."""
        if self.weight in ("log tf-idf", "log counts"):
            return 1 + math.log(tf)
        if self.weight == "BM25":
            return tf / (tf + self._k1 * (1 - self._b + self._b * terms / self._length))
        return 1.0 if self.weight == "binary" else tf

    def row(self, parts: Iterable[Tuple[int, float]]) -> Row:
        """Returns the row of columns, ascending, each with the part of its weight that depends on the text."""
        indices, weights = [], []
        for column, weight in parts:
            if self._of is not None:
                weight *= self._of.get(column, self._none) if self.weight in _COUNTED else 1
            elif self._idf:
                weight *= self._idf[column]
            if weight != 0:
                indices.append(column)
                weights.append(weight)
        return np.array(indices, np.int64), scaled(weights, self.norm)

    def weigh(self, row: Row) -> Row:
        """Returns a row of counts weighed."""
        indices, values = row[0].tolist(), row[1].tolist()
        for column, value in zip(indices, values):
            if not 0 <= value < math.inf or self.weight in ("log tf-idf", "log counts") and 0 < value < 1:
                raise ValueError(f"column {column} is {value}, where the weigher of the model expects a count")
        terms = 0.0
        for value in values:
            terms += value
        return self.row((column, self.of_frequency(value, terms)) for column, value in zip(indices, values) if value)


def scaled(weights: List[float], norm: str) -> np.ndarray:
    """Returns the weights in single precision, divided by their length."""
    length = 0.0
    for weight in weights:
        length += weight * weight if norm == "unit length" else abs(weight)
    if norm == "unit length":
        length = math.sqrt(length)
    values = np.array(weights, np.float32)
    if length == 0 or norm == "none":
        return values
    return (values.astype(np.float64) / length).astype(np.float32)


_MASK = (1 << 64) - 1


@functools.lru_cache(maxsize=1 << 16)
def _hash(term: str) -> int:
    """Returns 64 bits of a term: FNV-1a, through the finalizer of MurmurHash3."""
    h = 0xCBF29CE484222325
    for byte in term.encode("utf-8"):
        h = ((h ^ byte) * 0x100000001B3) & _MASK
    h = ((h ^ h >> 33) * 0xFF51AFD7ED558CCD) & _MASK
    h = ((h ^ h >> 33) * 0xC4CEB9FE1A85EC53) & _MASK
    return h ^ h >> 33


class Vectorizer:
    """Turns texts into rows by the vocabulary and the document frequencies of the training texts."""

    def __init__(self, value: Any) -> None:
        fitted = Record("the vectorizer", value, _VECTORIZER)
        fitted.header("hierml.vectorizer", 2)
        if fitted.flag("tokenizer"):
            raise LoadError("the tokens of the vectorizer are those of a Go function, Text.Tokenizer, which no file holds; use Text.Pattern")
        settings = Record("the vectorizer's text", fitted.raw("text"), _SETTINGS)
        self._terms = Terms(settings)
        self._weigher = Weigher(settings, fitted)
        self._bits = settings.whole("Bits", 0, 30)
        self.vocabulary = fitted.texts("vocabulary")  #: ascending by their bytes; empty for hashed terms
        self.columns = 1 << self._bits if self._bits else len(self.vocabulary)
        frequencies = len(self._weigher.frequencies)
        counted = self._weigher.weight in _COUNTED
        if self._bits and self.vocabulary or not self._bits and not self.vocabulary:
            raise LoadError(f"the vectorizer has {self._bits} Bits and a vocabulary of {len(self.vocabulary)}")
        if frequencies != self.columns and (counted or not self._bits or frequencies):
            raise LoadError(f"the vectorizer has {frequencies} document frequencies for {self.columns} columns")
        self._index = {term: column for column, term in enumerate(self.vocabulary)}
        if len(self._index) != len(self.vocabulary):
            raise LoadError("the vocabulary has a term twice")

    def row(self, text: str) -> Row:
        """Returns the row of a text."""
        terms = self._terms.of(text)
        return self._hashed(terms) if self._bits else self._known(terms)

    def _known(self, terms: Iterable[str]) -> Row:
        times: Dict[int, int] = {}
        total = 0
        for term in terms:
            total += 1
            column = self._index.get(term)
            if column is not None:
                times[column] = times.get(column, 0) + 1
        weigh = self._weigher.of_frequency
        return self._weigher.row((column, weigh(float(tf), float(total))) for column, tf in sorted(times.items()))

    def _hashed(self, terms: Iterable[str]) -> Row:
        times: Dict[int, int] = {}
        total = 0
        for term in terms:
            total += 1
            h = _hash(term)
            times[h] = times.get(h, 0) + 1
        weights: Dict[int, float] = {}
        for h, tf in sorted(times.items()):  # whose high bits are the column, and whose lowest is the sign
            column = h >> (64 - self._bits)
            weights[column] = weights.get(column, 0.0) + (1 - 2 * (h & 1)) * self._weigher.of_frequency(float(tf), float(total))
        return self._weigher.row(weights.items())


class WeigherStep:
    """A Weigher as a step."""

    def __init__(self, value: Any) -> None:
        fitted = Record("a weigher", value, _WEIGHER)
        fitted.header("hierml.weigher", 3)
        self._weigher = Weigher(Record("a weigher's weighing", fitted.raw("weighing"), _WEIGHING), fitted)
        self.takes = self.gives = self._weigher.columns

    def apply(self, row: Row) -> Row:
        return self._weigher.weigh(row)

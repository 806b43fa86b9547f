"""Tests of tokens, terms and hashes."""

import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import files  # noqa: E402

import hierml  # noqa: E402
from hierml._crc32c import crc32c  # noqa: E402
from hierml._pattern import Pattern  # noqa: E402
from hierml._settings import Record  # noqa: E402
from hierml._steps import steps  # noqa: E402
from hierml._text import Terms, Vectorizer, _hash  # noqa: E402


def terms(text, **settings):
    return list(Terms(Record("test", settings, list(settings))).of(text))


class Tokens(unittest.TestCase):
    def test_tokens(self):
        for text, settings, want in (
            ("It's 3 o'Clock", {}, ["it", "s", "3", "o", "clock"]),
            ("İI ΣΑΣ K", {}, ["ii", "σασ", "k"]),  # by code points: one i, no final sigma, the Kelvin sign
            ("e\u0301\u0301x \u0301y", {}, ["e\u0301\u0301x", "y"]),
            ("é", {}, ["é"]),
            ("½ ٣ Ⅷ", {}, ["٣"]),
            ("a\ud800b \udcff", {}, ["a", "b"]),
            ("A-b1", {"Tokens": "letters"}, ["a", "b"]),
            (" \u3000a \t\udcffB ", {"Tokens": "characters"}, ["a", " ", "b"]),
            ("\ufffd", {"Tokens": "characters"}, ["\ufffd"]),
            ("", {"Tokens": "characters"}, []),
            ("A b", {"KeepCase": True}, ["A", "b"]),
            ("a b c", {"NGrams": [1, 2]}, ["a", "a b", "b", "b c", "c"]),
            ("abc", {"NGrams": [2, 3], "Tokens": "letters"}, ["ab", "abc", "bc"]),
            ("I don't do it, don", {"StopWords": ["don't", "it"]}, ["i", "do", "don"]),
            ("a b c a b", {"StopWords": ["a b", "a b c d", "b"]}, ["c"]),
            ("a b c a", {"StopWords": ["a", "a b"]}, ["c"]),
            ("x1-y22 A", {"Pattern": r"[a-z]\d+"}, ["x1", "y22"]),
        ):
            with self.subTest(text, **settings):
                self.assertEqual(terms(text, **settings), want)

    def test_hash(self):
        # FNV-1a of nothing is its offset, through the finalizer.
        self.assertEqual(_hash(""), 0xEFD01F60BA992926)

    def test_hashed_columns(self):
        v = Vectorizer({**files.vectorizer(Bits=3, Weight="counts", Norm="none"), "vocabulary": [], "document frequencies": []})
        columns, values = v.row("a a b c d e f g h")
        self.assertEqual(v.columns, 8)
        self.assertTrue(all(0 <= c < 8 for c in columns) and list(columns) == sorted(set(columns)))
        self.assertLessEqual(abs(values).sum(), 9)


class Patterns(unittest.TestCase):
    def test_matches(self):
        for pattern, text, want in (
            (r"a*?|b", "ab", []),  # as in Go: nothing is found first, and it goes on behind the a
            (r"\w+$", "a b\n", []),  # the end, not the last line
            (r"^a", "a\na", ["a"]),
            (r"\d+", "1٣", ["1"]),
            (r"\s", "\v\t", ["\t"]),
            (r"\bß?a\b", "ßa", ["a"]),
            (r"\p{L}\pM*", "ae\u0301", ["a", "e\u0301"]),
            (r"\PL", "a1", ["1"]),
            (r"[^\d\-x-z]+", "a-1xyb", ["a", "b"]),
            (r"[]a]+", "a]", ["a]"]),
            (r"a{2}|b{,2}", "aab{,2}", ["aa", "b{,2}"]),
            (r"(?:ab)+?|(?P<x>c){1,2}", "ababccc", ["ab", "ab", "cc", "c"]),
            (r"\x41|\x{1F600}|\.", "A😀.", ["A", "😀", "."]),
            (r".", "a\n\u2028", ["a", "\u2028"]),
        ):
            with self.subTest(pattern):
                self.assertEqual(list(Pattern(pattern).matches(text)), want)

    def test_time(self):
        # An engine that goes back takes for ever for some of these, and the square of the text for the others.
        for pattern, text, want in (
            (r"(a+)+b", "a" * 20000, 0),
            (r"(?:a|a)+(?:a|aa)+b", "a" * 20000, 0),
            (r"(?:a?){1}a*a*a*a*b", "a" * 20000, 0),
            (r"\w+x|a.*b|a", "a" * 20000, 20000),
            (r"a[ab]{300}b", "aab" * 3000, 29),
            ("|".join(f"(?:a{{{n}}})+b" for n in (2, 3, 5, 7, 11, 13, 17, 19, 23)), "a" * 20000, 0),
        ):
            with self.subTest(pattern):
                steps = 0
                compiled = Pattern(pattern)
                before, way = compiled._before, compiled._way

                def counted(of):
                    def call(*arguments):
                        nonlocal steps
                        steps += 1
                        return of(*arguments)

                    return call

                compiled._before, compiled._way = counted(before), counted(way)
                self.assertEqual(sum(1 for _ in compiled.matches(text)), want)
                self.assertLess(steps, 4 * len(text))

    def test_refused(self):
        for pattern in (r"\p{Lu", r"\p{", r"\P{L", r"[\p{L", r"\x{41", r"\x{", r"[\x{4", r"\x4", r"\x", r"\p", r"(?P<x", r"(?P<x>a", r"(?", r"(?:", r"[^", r"[a-",
                        r"\x{+41}", r"\x{4_1}", "a{" + "9" * 5000 + "}", r"a{1001}", r"a{2,1}", r"{2}", r"(a{100}){100}", r"(?P<x>a)(?P<x>b)", "a?" * 2001,
                        "(?:" * 51 + "a" + ")" * 51, r"(?i)a", r"(a*)*", r"(?:|a)+", r"[[:alpha:]]", r"\p{Greek}", r"\Qa\E", r"\C", r"[\D]", r"a**", r"(", r")", r"[a", "\\", r"\1", r"(?=a)",
                        r"(?<!a)", r"\x{110000}", r"\xzz", "(" * 5000 + ")" * 5000, r"*a"):
            with self.subTest(pattern[:20]):
                with self.assertRaises(hierml.LoadError):
                    Pattern(pattern)


class Occurring(unittest.TestCase):
    """Steps with values of few columns are those with values of all."""

    def steps(self, kind, version, values, **rest):
        full, kept = {}, [1, 4, 5]
        for name, numbers in values.items():
            full[name] = [0 if name != "factor" else 1] * 7
            for column, number in zip(kept, numbers):
                full[name][column] = number
        return steps([
            {"format": kind, "version": 1, **full, **rest}, {"format": kind, "version": version, "of": 7, "occurring": kept, **values, **rest},
        ])

    def same(self, pair):
        self.assertEqual((pair[0].takes, pair[0].gives), (pair[1].takes, pair[1].gives))
        for columns in ([], [0], [1], [5], [0, 1, 2, 4, 6], list(range(7))):
            row = (np.array(columns, np.int64), np.arange(1, len(columns) + 1).astype(np.float32))
            for one, other in zip(pair[0].apply(row), pair[1].apply(row)):
                np.testing.assert_array_equal(one, other)

    def test_weigher(self):
        for weight in ("tf-idf", "BM25", "log counts"):
            weighing = {"Weight": weight, "SmoothIDF": weight == "tf-idf"}
            self.same(self.steps("hierml.weigher", 3, {"document frequencies": [3, 1, 2]}, weighing=weighing, documents=4, **{"terms per document": 2}))

    def test_scaler(self):
        self.same(self.steps("hierml.scaler", 2, {"factor": [2, 0.5, 4]}, scaling={"UnitLength": True}, instances=3))
        self.same(self.steps("hierml.scaler", 2, {"shift": [1, 0, -2], "factor": [2, 0.5, 4]}, scaling={"Columns": "z-score", "Constant": 1}, instances=3))

    def test_selection(self):
        self.same(self.steps("hierml.selection", 2, {"scores": [1, 0, 2]}, method="x", columns=[1, 5]))

    def test_refused(self):
        scaler = {"format": "hierml.scaler", "version": 2, "scaling": {}, "instances": 1, "of": 7, "factor": [1, 1]}
        for wrong in ([1], [4, 1], [1, 7], [1, 4, 5]):
            with self.assertRaises(hierml.LoadError):
                steps([{**scaler, "occurring": wrong}])
        with self.assertRaises(hierml.LoadError):
            steps([{"format": "hierml.selection", "version": 2, "of": 7, "occurring": [1, 4], "scores": [1, 1], "columns": [2]}])


class CheckSum(unittest.TestCase):
    def test_known(self):
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)
        self.assertEqual(crc32c(bytes(32)), 0x8A9136AA)

    def test_parts(self):
        # Long data go by lanes, short ones byte by byte.
        data = bytes(i * i % 251 for i in range(1_100_001))
        want = crc32c(*(data[i : i + 10_000] for i in range(0, len(data), 10_000)))
        for cut in (0, 1, 20_000, 70_001, len(data)):
            self.assertEqual(crc32c(data[:cut], data[cut:]), want)


if __name__ == "__main__":
    unittest.main()

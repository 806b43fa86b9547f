"""Tests of loading and predicting, on a file written by hand."""

import contextlib
import io
import math
import os
import pathlib
import sys
import tempfile
import unittest
import warnings
from unittest import mock

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import files  # noqa: E402

import hierml  # noqa: E402
from hierml.__main__ import main  # noqa: E402


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "model.hierml")

    def write(self, data):
        with open(self.path, "wb") as file:
            file.write(data)

    def load(self, **changes):
        self.write(files.model(**changes))
        return hierml.load(self.path)

    def refused(self, says, **changes):
        with self.assertRaises(hierml.LoadError) as caught:
            self.load(**changes)
        self.assertIn(says, str(caught.exception))
        self.assertIn(self.path, str(caught.exception))


class Predicting(Case):
    def test_labels(self):
        m = self.load()
        self.assertEqual(m.labels, ["cat", "dog", "oak"])
        self.assertEqual(m.predict(["A DOG!", "an oak", ""]), ["dog", "oak", "cat"])
        self.assertEqual(m.predict_paths(["a dog", "an oak"]), [("animal", "dog"), ("oak",)])
        self.assertEqual(m.predict([]), [])
        self.assertEqual(repr(m), "<hierml.Model: flat SVM, 3 labels, 3 features>")

    def test_labels_of_the_data(self):
        m = self.load(metadata={"version": "5"}, arrays={**files.texts("taxonomy.labels", ["animal"]), "taxonomy.labels.nodes": np.array([1], np.int32)})
        self.assertEqual(m.labels, ["animal", "dog", "oak"])
        self.assertEqual(m.predict(["cat"]), ["animal"])
        self.assertEqual(m.predict_paths(["cat", "dog"]), [("animal",), ("animal", "dog")])
        self.assertEqual(m.rank(["cat"], 1)[0][0][0], "animal")
        self.assertEqual((m.taxonomy.label(1), m.taxonomy.label(2)), (0, 2))

    def test_labels_without_instances(self):
        m = self.load(metadata={"version": "5"}, arrays={"taxonomy.unseen": np.array([1], np.int32)})
        self.assertEqual(m.predict(["cat", ""]), ["dog", "dog"])
        self.assertEqual([name for name, _ in m.rank([""], 9)[0]], ["dog", "oak"])
        self.assertTrue(np.isneginf(m.scores(["cat"])[0, 0]))

    def test_unknown_texts(self):
        m = self.load()
        self.assertEqual([m.knows(text) for text in ("cat", "qqq", "")], [True, False, False])
        for ask in (m.predict, m.predict_paths, m.rank):
            with self.assertWarnsRegex(hierml.UnknownTextWarning, "knows nothing of 2 of 3 texts") as caught:
                ask(["qqq", "cat", ""])
            self.assertEqual(caught.filename, __file__)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                ask(["cat", "a dog"])

    def test_scores(self):
        m = self.load()
        np.testing.assert_allclose(m.scores(["cat dog dog", ""]), [self.expected(1, 2, 0), [0, 0, 0]], rtol=1e-6)
        self.assertEqual(m.scores([]).shape, (0, 3))
        ranked = m.rank(["dog"], 2)
        self.assertEqual(ranked, [[("dog", 1.0), ("cat", 0.0)]])
        self.assertEqual(m.rank(["dog"], 0), [[]])
        self.assertEqual(len(m.rank(["dog"], 99)[0]), 3)

    def expected(self, *times):
        weights = [1 + math.log(t) if t else 0 for t in times]
        return [w / math.sqrt(sum(v * v for v in weights)) for w in weights]

    def test_matrices(self):
        m = self.load(arrays={"attached.pipeline": None, "weights": np.array([[1, 0, -1], [0, 2, 0], [3, 0, 0]], np.float32)})
        x = np.array([[1, 2, 0], [0, 0, 0], [0.5, 0, 1]])
        want = x @ [[1, 0, -1], [0, 2, 0], [3, 0, 0]]
        given = [x, x.tolist(), x.astype(np.float32), np.asfortranarray(x)]
        for matrix in given:
            np.testing.assert_array_equal(m.scores(matrix), want)
            self.assertEqual(m.predict(matrix), ["dog", "cat", "cat"])
            self.assertEqual(m.rank(matrix, 1), [[("dog", 4.0)], [("cat", 0.0)], [("cat", 3.5)]])
        self.assertEqual(m.columns, [])
        self.assertEqual([column.tolist() for column in m.features(x[2])], [[0, 2], [0.5, 1]])
        self.assertEqual(m.predict(np.zeros((0, 3))), [])
        with mock.patch("hierml._rows._MOST_NUMBERS", 4), mock.patch("hierml._model._MOST_NUMBERS", 4):  # rows by rows
            np.testing.assert_array_equal(m.scores(x), want)
        for says, wrong in (("2 features, but", x[:, :2]), ("1 dimensions", x[0]), ("NaN", x * np.nan), ("beyond single", x * 1e300), ("complex", x * 1j),
                            ("could not convert", [["a", "b", "c"]])):
            with self.subTest(says), self.assertRaisesRegex(ValueError, says):
                m.predict(wrong)

    def test_arguments(self):
        m = self.load()
        for wrong in ("one text", b"bytes", [b"bytes"], [None]):
            with self.assertRaises(TypeError):
                m.predict(wrong)
        with self.assertRaises(ValueError):
            m.rank(["dog"], -1)
        with self.assertRaisesRegex(ValueError, "no probabilities"):
            m.predict_proba(["dog"])

    def test_going_down(self):
        # Of animal and oak the better one first, then of cat and dog.
        weights = np.array([[3, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 4]], np.float32)[[1, 2, 3]] + np.array([[3, 0, 0, 0]] * 2 + [[0] * 4], np.float32)
        m = self.load(metadata={"rule": "descend"}, arrays={"weights.columns": np.arange(4, dtype=np.int32), "weights": weights})
        self.assertEqual(m.predict(["dog", "cat", "oak"]), ["dog", "cat", "oak"])
        np.testing.assert_allclose(m.scores(["dog", "oak"]), [[-1, 0, -3], [-4, -4, 0]])

    def test_codes(self):
        # Older files have numbers of the values of a codebook: the low 8 bits, and a stream of the others.
        present = np.array([[1], [2], [4]], np.uint8)
        few = {"weights.codebook": np.ones(1, np.float32), "weights.codes": np.zeros(3, np.uint8)}
        book = np.zeros(300, np.float32)
        book[299] = 1
        many = {"weights.codebook": book, "weights.codes": np.full(3, 299 - 256, np.uint8), "weights.codes.high": np.array([0b111], np.uint8)}
        for codes in (few, many):
            m = self.load(arrays={"weights": None, "weights.present": present, **codes})
            np.testing.assert_allclose(m.scores(["cat", "oak"]), [[1, 0, 0], [0, 0, 1]])
            with self.assertRaises(hierml.LoadError):
                self.load(arrays={"weights": None, "weights.present": present, **codes, "weights.codes": np.full(3, 99, np.uint8)})

    def test_probabilities(self):
        functions = [{"A": -2.0, "B": 0.5}, {"scores": [0.0, 1.0], "probabilities": [0.25, 0.75]}]
        saved = {
            "format": "hierml.calibrated", "version": 1, "calibration": {}, "instances": 9, "one label": False, "functions": functions,
            "leaves": [0, 0, 1], "nodes": [0, 0, 0, 0],
        }
        m = self.load(pipeline={"probabilities": saved})
        self.assertTrue(m.has_probabilities)
        np.testing.assert_allclose(m.predict_proba(["cat"]), [[1 / (1 + math.exp(-1.5)), 1 / (1 + math.exp(0.5)), 0.25]])
        saved["one label"] = True
        m = self.load(pipeline={"probabilities": saved})
        np.testing.assert_allclose(m.predict_proba(["cat", "", "oak oak"]).sum(axis=1), 1)

    def test_certain_hinges(self):
        # Both have all probability, and are in the order of their margins.
        m = self.load(metadata={"version": "3", "link": "CubedHinge"}, arrays={
            "weights": np.diag([2, 3, 4]).astype(np.float32), "link.always": np.zeros(0, np.int32), "link.never": np.zeros(0, np.int32)})
        self.assertEqual(m.predict(["cat dog"]), ["dog"])
        np.testing.assert_allclose(m.predict_proba(["cat dog"]), [[1, 1, math.exp(-1)]], rtol=1e-9)

    def test_taxonomy(self):
        t = self.load().taxonomy
        self.assertEqual((t.names, t.parents, t.roots, t.leaves, len(t)), (["animal", "cat", "dog", "oak"], [[], [0], [0], []], [0, 3], [1, 2, 3], 4))
        self.assertEqual(repr(t), "<hierml.Taxonomy: forest of 4 nodes, 3 leaves>")
        self.assertEqual(t.path("cat"), t.path(t.node("cat")))
        for missing in ("fish", 4, -1):
            with self.assertRaises(KeyError):
                t.path(missing)

    def test_command(self):
        self.load()
        for arguments, printed in (([self.path], "animal > dog\noak\n"), ([self.path, "-k", "2"], "dog\t1\tcat\t0\noak\t1\tcat\t0\n")):
            output = io.StringIO()
            with mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a dog\noak \xff\r\n"))), contextlib.redirect_stdout(output):
                self.assertEqual(main(arguments), 0)
            self.assertEqual(output.getvalue(), printed)
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(main([self.path + ".none"]), 1)
        self.assertIn("model.hierml.none", errors.getvalue())


class Loading(Case):
    def test_not_there(self):
        with self.assertRaises(OSError):
            hierml.load(self.path)

    def test_layout(self):
        whole = files.model()
        for data in (b"", b"PK\x03\x04" * 9, whole[:50], whole[:-1], whole + b"\0", (1 << 62).to_bytes(8, "little") + whole[8:], whole.replace(b'"F32"', b'"F99"')):
            self.write(data)
            with self.assertRaises(hierml.LoadError):
                hierml.load(self.path)

    def test_hostile_headers(self):
        for header in (b"[]", b"{", b'{"a":1}', b'{"a":{"dtype":"U8","shape":[1e9],"data_offsets":[0,0]}}', b'{"a":{"dtype":"U8","shape":[99999999999],"data_offsets":[0,0]}}',
                       b'{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,-1]}}', b'{"a":{"dtype":"U8","shape":[0,99999999999999999999],"data_offsets":[0,0]}}',
                       b'{"a":{"dtype":"U8","shape":' + b"[" * 100000 + b"]" * 100000 + b"}}", b'{"__metadata__":1}', b'{"__metadata__":{"a":1}}',
                       b'{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}', b'{"\xff":1}',
                       b'{"a":{"dtype":"U8","shape":[true],"data_offsets":[0,1]}}\x00', b'{"__metadata__":{"crc32c":"12345678"}}', b'{"__metadata__":{"crc32c":"1"}}'):
            self.write(len(header).to_bytes(8, "little") + header)
            with self.assertRaises(hierml.LoadError, msg=header[:80]):
                hierml.load(self.path)

    def test_hostile_numbers(self):
        digits = "1" + "0" * 400
        for number in (digits, "-" + digits, "9" * 5000, "1e400", "-1e400", "NaN", "Infinity", "true", '"1"', "[1]"):
            for name in ("K1", "documents", "A", "Constant"):
                with self.subTest(name=name, number=number[:10]):
                    scaler = {"format": "hierml.scaler", "version": 1, "scaling": {"Constant": 2}, "factor": [1, 1, 1]}
                    calibrated = {"format": "hierml.calibrated", "version": 1, "functions": [{"A": 2}], "leaves": [0, 0, 0]}
                    data = files.model(pipeline={
                        "vectorizer": {**files.vectorizer(**({"K1": 2} if name == "K1" else {})), **({"documents": 2} if name == "documents" else {})},
                        "steps": [scaler] if name == "Constant" else [], "probabilities": calibrated if name == "A" else None})
                    old, new = f'"{name}": 2'.encode(), f'"{name}": {number}'.encode()
                    self.assertEqual(data.count(old), 1)
                    content = data[data.find(b'{"format": "hierml.pipeline"'):]
                    self.write(files.model(arrays={"attached.pipeline": np.frombuffer(content.replace(old, new), np.uint8)}))
                    with self.assertRaises(hierml.LoadError):
                        hierml.load(self.path)

    def test_hostile_shapes(self):
        many = ",".join(["4611686018427387904"] * 200_000)
        for shape in (many, "1," * 200_000 + "1", many + ",0", "0," + many, "9223372036854775808", "0,9223372036854775808", "-1", "true", "1.0", "null", '"1"', "[1]"):
            with self.subTest(shape[:20]):
                header = ('{"a":{"dtype":"U8","shape":[' + shape + '],"data_offsets":[0,1]}}').encode()
                self.write(len(header).to_bytes(8, "little") + header + b"\0")
                with self.assertRaises(hierml.LoadError) as caught:
                    hierml.load(self.path)
                self.assertLess(len(str(caught.exception)), 1000)

    def test_terminals(self):
        self.path += "\x1b[31m"
        order, seen = "\x1b]52;c;eA==\x07\u202e\x9b\n", r"\x1b]52;c;eA==\x07\u202e\u009b\x0a"
        names = ["animal", "cat", order, "oak"]
        m = self.load(metadata={"name": order}, arrays=files.texts("taxonomy.names", names))
        self.assertIn(seen, repr(m))
        self.assertEqual(m.labels[1], order)  # a name as it is, for programs
        printed = io.StringIO()
        with mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"dog\n"))), contextlib.redirect_stdout(printed):
            self.assertEqual(main([self.path]), 0)
            sys.stdin = io.TextIOWrapper(io.BytesIO(b"dog\n"))
            self.assertEqual(main([self.path, "-k", "1"]), 0)
        self.assertEqual(printed.getvalue(), f"animal > {seen}\n{seen}\t1\n")
        for changes in ({"metadata": {"rule": order}}, {"metadata": {"format": order}}, {"metadata": {"link": order}}, {"pipeline": {order: 1}},
                        {"pipeline": {"format": order}}, {"pipeline": {"vectorizer": files.vectorizer(Pattern="(?i)" + order)}}, {"arrays": {order: np.zeros((2, 2), np.float64), "weights": None}}):
            with self.subTest(str(changes)[:60]):
                errors = io.StringIO()
                with self.assertRaises(hierml.LoadError) as caught:
                    self.load(**changes)
                with contextlib.redirect_stderr(errors):
                    self.assertEqual(main([self.path]), 1)
                for text in (str(caught.exception), errors.getvalue().rstrip("\n")):
                    self.assertFalse(set(text) & set("\x1b\x07\u202e\x9b\n"), text)
                    self.assertIn(r"\x1b[31m", text)

    def test_repeated_names(self):
        content = b'{"format": "hierml.pipeline", "version": 1, "version": 1}'
        self.refused("twice", arrays={"attached.pipeline": np.frombuffer(content, np.uint8)})

    def test_stop_words(self):
        self.load(pipeline={"vectorizer": files.vectorizer(StopWords=["a " * 100])})
        self.refused("101 tokens", pipeline={"vectorizer": files.vectorizer(StopWords=["a " * 101])})
        self.refused("StopWords", pipeline={"vectorizer": files.vectorizer(StopWords=["\ud800"])})

    def test_model(self):
        one = np.array([1], np.int32)
        for says, changes in (
            ("it is not a file of hierml", {"metadata": {"format": "pt"}}),
            ("version '9'", {"metadata": {"version": "9"}}),
            ("rule 'guess'", {"metadata": {"rule": "guess"}}),
            ("no tensor 'taxonomy.edges'", {"arrays": {"taxonomy.edges": None}}),
            ("cycle", {"arrays": {"taxonomy.edges": np.array([[1, 2], [2, 1]], np.int32)}}),
            ("of 4", {"arrays": {"taxonomy.edges": np.array([[1, 9]], np.int32)}}),
            ("distinct", {"arrays": files.texts("taxonomy.names", ["a", "a", "b", "c"])}),
            ("do not run from 0", {"arrays": {"taxonomy.names.offsets": np.array([0, 9, 3, 4, 15], np.int64)}}),
            ("expected 0 to 3", {"arrays": {"attributes.nodes": np.array([1, 2, 9], np.int32)}}),
            ("attributes of 3 labels", {"arrays": {"attributes.candidates": one}}),
            ("not finite", {"arrays": {"weights": np.full((3, 3), np.nan, np.float32)}}),
            ("expected 3 columns", {"arrays": {"weights": np.ones((3, 2), np.float32)}}),
            ("3 features for a model of 2", {"arrays": {"weights": np.ones((2, 3), np.float32)}}),
            ("two columns", {"arrays": {"weights.columns": np.array([1, 1, 3], np.int32)}}),
            ("is too large for single precision", {"arrays": {"weights": np.full((3, 3), 1e300)}}),
            ("but some do to its child", {"arrays": {"taxonomy.unseen": np.array([0], np.int32)}}),
            ("to any of the labels", {"arrays": {"taxonomy.unseen": np.array([0, 1, 2, 3], np.int32)}}),
            ("2 leaves stand for 1 labels", {"arrays": {**files.texts("taxonomy.labels", ["a"]), "taxonomy.labels.nodes": np.array([1, 2], np.int32)}}),
            ("a name of its own", {"arrays": {**files.texts("taxonomy.labels", ["oak"]), "taxonomy.labels.nodes": np.array([1], np.int32)}}),
            ("a name of its own", {"arrays": {**files.texts("taxonomy.labels", ["a"]), "taxonomy.labels.nodes": np.array([0], np.int32)}}),
            ("no tensor 'weights.constants'", {"metadata": {"version": "4"}}),
            ("link ''", {"metadata": {"version": "3"}}),
            ("link 'Probit'", {"metadata": {"link": "Probit"}}),
            ("kernel 'sequence'", {"metadata": {"kernel": "sequence", "features": "3"}}),
            ("features is '-1'", {"metadata": {"kernel": "linear", "features": "-1"}}),
        ):
            with self.subTest(says):
                self.refused(says, **changes)

    def test_pipeline(self):
        selection = {"format": "hierml.selection", "version": 1, "method": "", "columns": [0, 2], "scores": [1, 0, 1]}
        for says, pipeline in (
            ("'hierml.pipeline' in versions 1 to 3", {"version": 4}),
            ("is not that of a file with this model", {"version": 3}),
            ("a vectorizer and columns, or neither", {"version": 2}),
            ("a vectorizer and columns, or neither", {"columns": {}}),
            ("has 'stemmer'", {"stemmer": True}),
            ("has 'Stemming'", {"vectorizer": files.vectorizer(Stemming=True)}),
            ("Weight is 'entropy'", {"vectorizer": files.vectorizer(Weight="entropy")}),
            ("NGrams", {"vectorizer": files.vectorizer(NGrams=[2, 1])}),
            ("KeepCase is 1", {"vectorizer": files.vectorizer(KeepCase=1)}),
            ("Text.Tokenizer", {"vectorizer": {**files.vectorizer(), "tokenizer": True}}),
            ("a vocabulary of 3", {"vectorizer": files.vectorizer(Bits=4)}),
            ("StopWords", {"vectorizer": files.vectorizer(Tokens="letters", StopWords=["a"])}),
            ("2 features for a model of 3", {"steps": [selection]}),
            ("a step takes 3 columns, and what is before it gives 2", {"steps": [selection, selection]}),
            ("knows hierml.selection", {"steps": [{"format": "hierml.stemmer"}]}),
            ("knows hierml.selection", {"steps": [{"format": ["hierml.scaler"]}]}),
            ("knows hierml.selection", {"steps": [1]}),
            ("have no terms", {"steps": [{"format": "hierml.weigher", "version": 1, "weighing": {"Weight": "BM25"}, "documents": 1}]}),
            ("beyond single precision", {"steps": [{"format": "hierml.scaler", "version": 1, "scaling": {"Constant": 1e300}, "factor": [1, 1, 1]}]}),
            ("0 to 2", {"steps": [{**selection, "columns": [0, 3]}]}),
            ("a beam needs", {"beam": 3, "vectorizer": files.vectorizer()}),
        ):
            with self.subTest(says):
                if "beam" in pipeline:  # a graph has none
                    edges = np.array([[0, 1], [0, 2], [3, 2]], np.int32)
                    self.refused("a beam goes down a tree", pipeline=pipeline, arrays={
                        "taxonomy.edges": edges, "attributes.candidates": np.array([1, 2], np.int32), "attributes.begin": np.array([0, 1, 2], np.int64),
                        "attributes.nodes": np.array([1, 2], np.int32), "attributes.values": np.ones(2), "weights.columns": np.array([1, 2], np.int32),
                        "weights": np.ones((3, 2), np.float32)})
                    continue
                self.refused(says, pipeline=pipeline)


if __name__ == "__main__":
    unittest.main()

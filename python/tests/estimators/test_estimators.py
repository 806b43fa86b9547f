"""What the estimators take, and what they return."""

import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

import joblib
import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer, OneHotEncoder, StandardScaler

import hierml
from hierml import sklearn as estimators
from hierml.sklearn import FlatSVC, HierarchicalSVC, HieronClassifier, HRClassifier, LabelTreeClassifier, OneVsRestSVC

ALL = [getattr(estimators, name) for name in estimators.__all__]
PATHS = [("animal", "cat"), ("animal", "dog"), ("plant", "tree", "oak"), ("plant", "moss")]
HIERARCHY = [("animal", "cat"), ("animal", "dog"), ("plant", "moss"), ("plant", "tree"), ("tree", "oak")]


def data(n=200, seed=5):
    """Returns rows around four centres, and which centre each is of."""
    rng = np.random.default_rng(seed)
    of = rng.integers(0, 4, n)
    return rng.normal(size=(n, 6)) + 3 * np.eye(4, 6)[of], of


X, OF = data()


class Targets(unittest.TestCase):
    def test_forms(self):
        """The same classes as names, paths, columns of a DataFrame and names with a hierarchy give the same predictions."""
        names = np.array([path[-1] for path in PATHS])[OF]
        depth = max(map(len, PATHS))
        padded = np.array([path + ("",) * (depth - len(path)) for path in PATHS])[OF]
        for make in ALL:
            with self.subTest(make.__name__):
                model = make().fit(X, [PATHS[k] for k in OF])
                self.assertEqual(sorted(model.classes_), sorted(PATHS))
                self.assertEqual(model.predict(X).shape, (len(X), depth))
                self.assertGreater(model.score(X, padded), 0.85)
                for form in (padded, padded.astype(object), pd.DataFrame(padded).replace("", None), [list(PATHS[k]) for k in OF]):
                    np.testing.assert_array_equal(make().fit(X, form).predict(X), model.predict(X))
                named = make(hierarchy=HIERARCHY).fit(X, names)
                self.assertEqual(named.classes_.tolist(), ["cat", "dog", "moss", "oak"])
                self.assertEqual(named.model_.taxonomy.path("oak"), ("plant", "tree", "oak"))
                children = {"animal": ["cat", "dog"], "plant": ["moss", "tree"], "tree": ["oak"]}
                np.testing.assert_array_equal(make(hierarchy=children).fit(X, pd.Series(names)).predict(X), named.predict(X))

    def test_inner_labels(self):
        paths = [("a",), ("a", "b"), ("c",), ("c", "d")]
        for make in ALL:
            with self.subTest(make.__name__):
                model = make().fit(X, [paths[k] for k in OF])
                self.assertGreater(model.score(X, [paths[k] for k in OF]), 0.8)
                self.assertEqual({tuple(row) for row in model.predict(X)}, {("a", ""), ("a", "b"), ("c", ""), ("c", "d")})
                named = make(hierarchy=[("a", "b"), ("c", "d")]).fit(X, np.array(["a", "b", "c", "d"])[OF])
                self.assertEqual(set(named.predict(X)), {"a", "b", "c", "d"})

    def test_several(self):
        y = [[("a", "x")] * bool(row[0] > 0) + [("b",)] * bool(row[1] > 0) for row in X]
        for make in (LabelTreeClassifier, OneVsRestSVC, HRClassifier):
            with self.subTest(make.__name__):
                model = make(C=10).fit(X, y)
                predicted = model.predict(X)
                self.assertGreater(model.score(X, y), 0.7)
                self.assertAlmostEqual(model.score(X, y), np.mean([set(a) == set(b) for a, b in zip(y, predicted)]))
                self.assertEqual(max(map(len, predicted)), 2)
                named = make(C=10, hierarchy={"a": ["x"], "b": []}).fit(X, [{path[-1] for path in of} for of in y])
                self.assertEqual([sorted(of) for of in named.predict(X)], [sorted(path[-1] for path in of) for of in predicted])
        with self.assertRaisesRegex(ValueError, "LabelTreeClassifier, OneVsRestSVC and HRClassifier"):
            FlatSVC().fit(X, y)

    def test_implied(self):
        """A label above another one of its row counts for nothing, whether it is the only label of other rows or not."""
        eye = np.eye(4).repeat(5, 0)
        edges = [("a", "cat"), ("a", "dog"), ("p", "oak")]
        for y, specific, hierarchy in (
            ([["a", "cat"]] * 10 + [["oak"]] * 10, [["cat"]] * 10 + [["oak"]] * 10, edges),
            ([["a"]] * 5 + [["a", "dog"]] * 5 + [["oak", "p"]] * 5 + [["cat"]] * 5, [["a"]] * 5 + [["dog"]] * 5 + [["oak"]] * 5 + [["cat"]] * 5, edges),
            ([[("a",), ("a", "cat")]] * 5 + [[("a", "dog")]] * 5 + [[("p",)]] * 10, [[("a", "cat")]] * 5 + [[("a", "dog")]] * 5 + [[("p",)]] * 10, None),
            ([["a", "b", "c"]] * 10 + [["d", "b"]] * 10, [["c"]] * 10 + [["b", "d"]] * 10, [("a", "b"), ("b", "c"), ("a", "d")]),
        ):
            for make in (LabelTreeClassifier, OneVsRestSVC, HRClassifier):
                with self.subTest(make.__name__, y=y[0]), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of labels without rows
                    model = make(C=100, hierarchy=hierarchy).fit(eye, y)
                    self.assertEqual(model.classes_.tolist(), sorted({label for row in specific for label in row}))
                    self.assertEqual(model.predict(eye).tolist(), specific)
                    self.assertEqual((model.score(eye, y), model.score(eye, specific)), (1, 1))
                    np.testing.assert_array_equal(model.decision_function(eye), make(C=100, hierarchy=hierarchy).fit(eye, specific).decision_function(eye))

    def test_implied_by_a_prediction(self):
        """Where scores are high for a label and one below it, the latter is predicted."""
        model = OneVsRestSVC(C=100, hierarchy=[("a", "cat"), ("a", "dog")]).fit(np.eye(3), [["a"], ["cat"], ["dog"]])
        both = [[9, 9, 0]]
        self.assertTrue((model.decision_function(both)[0, :2] > 0).all())
        self.assertEqual(model.predict(both).tolist(), [["cat"]])

    def test_repeated_names(self):
        """Lists of names are paths: a name at several levels of them may show that several labels are meant."""
        with self.assertWarnsRegex(UserWarning, "'dog' is at several levels.*give hierarchy"):
            LabelTreeClassifier().fit(X, [[["cat", "dog"], ["dog"]][k % 2] for k in OF])
        for make, y in ((LabelTreeClassifier, [list(PATHS[k]) for k in OF]), (LabelTreeClassifier, [[("cat", "dog"), ("dog",)][k % 2] for k in OF]), (FlatSVC, [[["cat", "dog"], ["dog"]][k % 2] for k in OF])):
            with self.subTest(make.__name__, y=y[0]), warnings.catch_warnings():
                warnings.simplefilter("error")
                make().fit(X, y)

    def test_types(self):
        for labels in ([3, 1, 2, 0], [1.0, 2.0, 3.0, 7.0], ["é", "日本", "a/b", " "], [True, False, True, False], np.array(["a", "b", "c", "d"], object)):
            with self.subTest(str(labels)):
                y = np.asarray(labels)[OF]
                model = FlatSVC().fit(X, y)
                np.testing.assert_array_equal(model.classes_, np.unique(y))
                self.assertEqual(model.predict(X).dtype, y.dtype)
                self.assertGreater(model.score(X, y), 0.7)
        numbers = np.array([[1, 10], [1, 11], [2, 20], [2, 21]])[OF]
        self.assertEqual(HierarchicalSVC().fit(X, numbers).predict(X).dtype, numbers.dtype)

    def test_refused(self):
        y = np.array(["a", "b", "c", "d"])[OF]
        for says, X_, y_, settings in (
            ("missing label", X, [None, *y[1:]], {}),
            ("missing label", X, [float("nan")] * 200, {}),
            ("missing label", X, pd.array(["a", "b", None, "c"] * 50, "string"), {}),
            ("decode it|bytes", X, [[b"a", b"b"]] * 200, {}),
            ("one class, .a.", X, ["a"] * 200, {}),
            ("an empty text", X, ["", *y[1:]], {}),
            ("called '1'", X, [[(1, "x"), ("1", "x")][k % 2] for k in OF], {}),
            ("types that cannot be compared", X, np.array([1, "1"], object)[OF // 2], {}),
            ("no text; decode", X, ["\udc80", *y[1:]], {}),
            ("has a component at each level", X, [("a", "", "b")] * 200, {}),
            ("3 dimensions", X, np.zeros((200, 2, 2)), {}),
            ("expected a label a row", X, "text", {}),
            ("'d', which hierarchy does not have", X, y, {"hierarchy": [("a", "b"), ("a", "c")]}),
            ("expected pairs", X, y, {"hierarchy": ["abc"]}),
            ("^taxonomy: the edges form a cycle", X, y, {"hierarchy": [("a", "b"), ("b", "a"), ("c", "d")]}),
            ("leave hierarchy out", X, [PATHS[k] for k in OF], {"hierarchy": HIERARCHY}),
            ("leave hierarchy out", X, [[PATHS[k]] for k in OF], {"hierarchy": HIERARCHY}),
            ("leave hierarchy out", X, [list(PATHS[k]) for k in OF], {"hierarchy": HIERARCHY}),
            ("leave hierarchy out", X, np.array([path[:2] for path in PATHS])[OF], {"hierarchy": HIERARCHY}),
            ("leave hierarchy out", X, pd.DataFrame([PATHS[k][:2] for k in OF]), {"hierarchy": HIERARCHY}),
            ("'a': 'x'; a dict has lists of children: {'animal': .'cat', 'dog'.}", X, y, {"hierarchy": {"a": "x", "b": "x"}}),
            ("a dict has lists of children", X, y, {"hierarchy": {"a": {"b": {}}}}),
            ("a dict has lists of children", X, y, {"hierarchy": {"a": None}}),
            ("type DataFrame; expected a list of pairs.*itertuples", X, y, {"hierarchy": pd.DataFrame(HIERARCHY)}),
            ("type int; expected a list of pairs", X, y, {"hierarchy": 3}),
            ("type str; expected a list of pairs", X, y, {"hierarchy": "ab"}),
            ("None in place of a name", X, y, {"hierarchy": [(None, "a"), ("a", "b")]}),
            ("nan in place of a name", X, y, {"hierarchy": [("a", float("nan"))]}),
            ("'' in place of a name", X, y, {"hierarchy": {"a": [""]}}),
            ("None in place of a name", X, y, {"hierarchy": {None: []}}),
            ("'b'. in place of a name", X, y, {"hierarchy": [("a", ["b"])]}),
            ("sets of names; give hierarchy", X, [{"a", "b"}] * 200, {}),
            ("inconsistent numbers", X, y[:9], {}),
            ("C is 0", X, y, {"C": 0}),
            ("C is 'a'", X, y, {"C": "a"}),
            ("tol is nan", X, y, {"tol": float("nan")}),
            ("max_iter is 1.5", X, y, {"max_iter": 1.5}),
            ("NaN", np.where(X > 2, np.nan, X), y, {}),
            ("infinity", np.where(X > 2, np.inf, X), y, {}),
            ("beyond single precision", X * 1e300, y, {}),
            ("too close to each other", X + 1e12, y, {}),
            ("too close to each other", scipy.sparse.csr_array(X + 1e12), y, {}),
            ("could not convert|dtype='numeric'", np.full((200, 2), "x"), y, {}),
            ("0 feature", X[:, :0], y, {}),
            ("0 sample", X[:0], y[:0], {}),
            ("Complex|complex", X * 1j, y, {}),
            ("columns; there are at most", scipy.sparse.csr_array((200, 1 << 32)), y, {}),
        ):
            with self.subTest(says), self.assertRaisesRegex((ValueError, TypeError), says):
                FlatSVC(**settings).fit(X_, y_)
        with self.assertRaisesRegex(ValueError, "loss is 'huber'"):
            HRClassifier(loss="huber").fit(X, y)
        with self.assertRaisesRegex(ValueError, "5 features"):
            FlatSVC().fit(X, y).predict(X[:, :5])


class Weights(unittest.TestCase):
    def test_classes(self):
        """Weights of classes are those of their rows."""
        y = np.array(["a", "b", "c", "d"])[np.minimum(OF, 2)]
        rows = {"a": 0.25, "b": 0.25, "c": 3.0}
        for make in (FlatSVC, LabelTreeClassifier):
            by_row = make().fit(X, y, sample_weight=[rows[k] for k in y])
            np.testing.assert_array_equal(make(class_weight=rows).fit(X, y).decision_function(X), by_row.decision_function(X))
            self.assertFalse(np.array_equal(make().fit(X, y).decision_function(X), by_row.decision_function(X)))
            counts = {k: np.sum(y == k) for k in "abc"}
            balanced = make(class_weight="balanced").fit(X, y)
            np.testing.assert_array_equal(balanced.decision_function(X), make().fit(X, y, [len(y) / (3 * counts[k]) for k in y]).decision_function(X))
            of_paths = make(class_weight={("x", "a"): 0.25, ("x", "b"): 0.25, ("y", "c"): 3.0}).fit(X, [("y" if k == "c" else "x", k) for k in y])
            self.assertGreater(of_paths.score(X, [("y" if k == "c" else "x", k) for k in y]), 0.8)

    def test_refused(self):
        for says, weights, settings in (
            ("class 'z', which is not in y", None, {"class_weight": {"z": 1}}), ("Negative", -np.ones(200), {}), ("zero", np.zeros(200), {}),
            ("NaN", np.full(200, np.nan), {}), ("shape", np.ones(3), {}),
        ):
            with self.subTest(says), self.assertRaisesRegex(ValueError, says):
                FlatSVC(**settings).fit(X, np.array(["a", "b", "c", "d"])[OF], weights)
        with self.assertRaises(TypeError):
            HieronClassifier().fit(X, OF, sample_weight=np.ones(200))


class Features(unittest.TestCase):
    def test_forms(self):
        """Arrays of every form give the same model."""
        x = np.where(np.abs(X) < 0.5, 0, X)
        want = FlatSVC().fit(x, OF)
        large = scipy.sparse.csr_array(x)
        large.indices, large.indptr = large.indices.astype(np.int64), large.indptr.astype(np.int64)
        shuffled = scipy.sparse.coo_array((np.append(x[x != 0] / 2, x[x != 0] / 2), tuple(np.tile(np.array(np.nonzero(x)), 2)))).tocsr()
        for form in (x.astype(np.float32), np.asfortranarray(x), x[::-1][::-1], x.tolist(), pd.DataFrame(x), scipy.sparse.csr_matrix(x), scipy.sparse.csc_array(x), large, shuffled):
            with self.subTest(type(form).__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of names of columns
                model = FlatSVC().fit(form, OF)
                np.testing.assert_array_equal(model.decision_function(form), want.decision_function(x))
                np.testing.assert_array_equal(model.decision_function(x[:7]), want.decision_function(x[:7]))
        whole = np.round(x * 10).astype(np.int64)
        np.testing.assert_array_equal(FlatSVC().fit(whole, OF).predict(whole), FlatSVC().fit(whole.astype(float), OF).predict(whole))

    def test_many_columns(self):
        """A few entries among two billion columns take no memory for the others."""
        x = scipy.sparse.csr_array(X[:, :4])
        wide = scipy.sparse.csr_array((x.data, x.indices.astype(np.int64) * 500_000_000, x.indptr), shape=(200, 2_000_000_000))
        np.testing.assert_array_equal(FlatSVC().fit(wide, OF).predict(wide), FlatSVC().fit(x, OF).predict(x))

    def test_names(self):
        frame = pd.DataFrame(X, columns=list("abcdef"))
        model = FlatSVC().fit(frame, OF)
        self.assertEqual(model.feature_names_in_.tolist(), list("abcdef"))
        with self.assertRaisesRegex(ValueError, "feature names"):
            model.predict(frame[list("fedcba")])


class Fitted(unittest.TestCase):
    def test_files(self):
        for make in ALL:
            with self.subTest(make.__name__), tempfile.TemporaryDirectory() as folder:
                model = make().fit(X, [PATHS[k] for k in OF])
                path = os.path.join(folder, "model.hierml")
                model.save(path)
                loaded = hierml.load(path)
                self.assertEqual(loaded.predict(X), ["/".join(filter(None, row)) for row in model.predict(X)])
                for copy in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, [PATHS[k] for k in OF])):
                    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
                self.assertEqual(hasattr(model, "predict_proba"), loaded.has_probabilities)

    def test_probabilities(self):
        for make in (LabelTreeClassifier, estimators.HierarchicalSoftmaxClassifier):
            model = make().fit(X, [PATHS[k] for k in OF])
            likely = model.predict_proba(X)
            np.testing.assert_allclose(likely.sum(axis=1), 1)
            predicted = [tuple(part for part in row if part) for row in model.predict(X)]
            self.assertEqual([model.classes_[k] for k in likely.argmax(axis=1)], predicted)
        self.assertFalse(hasattr(FlatSVC(), "predict_proba"))

    def test_logistic_probabilities(self):
        """Those of logistic regressions are as scikit-learn has them."""
        y = np.array(["a", "b", "c", "d"])[OF]
        sets = [["a"] * bool(row[0] > 0) + ["b"] * bool(row[1] > 0) + ["c"] * bool(row[2] > 0 or max(row[:2]) <= 0) for row in X]
        x = X / 3
        flat = OneVsRestClassifier(LogisticRegression(C=2, fit_intercept=False, tol=1e-8))
        ours = OneVsRestSVC(loss="log_loss", C=2, fit_intercept=False, tol=1e-8)
        np.testing.assert_allclose(ours.fit(x, y).predict_proba(x), flat.fit(x, y).predict_proba(x), atol=1e-4)
        wanted = flat.fit(x, MultiLabelBinarizer().fit_transform(sets)).predict_proba(x)
        np.testing.assert_allclose(ours.set_params(hierarchy={"a": [], "b": [], "c": []}).fit(x, sets).predict_proba(x), wanted, atol=1e-4)
        pair = OneVsRestSVC(loss="log_loss", C=2, fit_intercept=False, tol=1e-8).fit(x, OF > 1)
        np.testing.assert_allclose(pair.predict_proba(x), LogisticRegression(C=2, fit_intercept=False, tol=1e-8).fit(x, OF > 1).predict_proba(x), atol=1e-4)
        related = HRClassifier(loss="log_loss").fit(X, [PATHS[k] for k in OF])
        sigmoids = 1 / (1 + np.exp(-related.decision_function(X)))
        np.testing.assert_allclose(related.predict_proba(X), sigmoids / sigmoids.sum(axis=1, keepdims=True))
        far = [[1e6] * 4 + [0, 0]]
        self.assertLess(related.decision_function(far).max(), -800)  # so that all sigmoids are zero
        best = related.predict_proba(far)[0]
        self.assertEqual(sorted(best), [0, 0, 0, 1])
        self.assertEqual(best.argmax(), related.decision_function(far)[0].argmax())
        for make in (OneVsRestSVC, HRClassifier):
            self.assertFalse(hasattr(make(), "predict_proba"))

    def test_reading_needs_numpy_alone(self):
        code = "import sys, hierml; sys.exit(any(name.split('.')[0] in ('sklearn', 'scipy', 'joblib', 'pandas') for name in sys.modules))"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], check=False).returncode, 0)

    def test_notes(self):
        with self.assertWarnsRegex(UserWarning, "no instance to learn from, such as .fish."):
            HierarchicalSVC(hierarchy=HIERARCHY + [("animal", "fish")]).fit(X, np.array([path[-1] for path in PATHS])[OF])
        with self.assertWarnsRegex(estimators.ConvergenceWarning, "largest number of epochs"):
            FlatSVC(C=1e5, tol=1e-9, max_iter=1).fit(X, OF)


class Composed(unittest.TestCase):
    """Estimators within what scikit-learn makes of several."""

    def test_searches(self):
        names = np.array([path[-1] for path in PATHS])[OF]
        for jobs in (1, 2):
            search = GridSearchCV(make_pipeline(StandardScaler(), HierarchicalSVC(hierarchy=HIERARCHY)), {"hierarchicalsvc__C": [0.01, 1]}, cv=3, n_jobs=jobs).fit(X, names)
            self.assertGreater(search.best_score_, 0.85)
            self.assertGreater(search.score(X, names), 0.9)
        paths = np.array([path + ("",) * (3 - len(path)) for path in PATHS])[OF]
        for make in ALL:
            with self.subTest(make.__name__):
                self.assertGreater(cross_val_score(make(), X, paths, cv=3).mean(), 0.8)
        self.assertGreater(cross_val_score(FlatSVC(), X, names, cv=3, scoring="f1_macro").mean(), 0.8)
        self.assertGreater(cross_val_score(LabelTreeClassifier(), X, names, cv=3, scoring="neg_log_loss").mean(), -0.7)
        self.assertGreater(cross_val_score(HieronClassifier(), X, [PATHS[k] for k in OF], cv=KFold(3)).mean(), 0.8)
        self.assertEqual(cross_val_predict(FlatSVC(), X, names, cv=3, method="decision_function").shape, (200, 4))

    def test_backends(self):
        for backend in ("threading", "multiprocessing", "loky"):
            with self.subTest(backend), joblib.parallel_config(backend, n_jobs=2):
                self.assertGreater(cross_val_score(FlatSVC(), X, OF, cv=4).mean(), 0.8)

    def test_as_hiclass(self):
        """What the examples of HiClass show: nested lists, paths of different lengths, texts, pickles."""
        texts = ["cannot repay my loan", "report never came", "loan for school", "wrong annual report"]
        y = [["loan", "repayment"], ["reporting", "missing"], ["loan", "student"], ["reporting", "errors"]]
        pipe = make_pipeline(CountVectorizer(), TfidfTransformer(), estimators.RecursiveSVC(C=10)).fit(texts, y)
        self.assertEqual(pickle.loads(pickle.dumps(pipe)).predict(texts[::-1]).tolist(), y[::-1])
        ragged = FlatSVC(C=10).fit([[1, -1], [-1, 1]], [["a"], ["b", "c"]])
        self.assertEqual(ragged.predict([[1, -1], [-1, 1]]).tolist(), [["a", ""], ["b", "c"]])
        few = [["animal", "mammal", "sheep"], ["animal", "mammal", "cow"], ["animal", "reptile", "snake"], ["animal", "reptile", "lizard"]]
        for make in ALL:
            with self.subTest(make.__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.assertEqual(make().fit(np.eye(4) * 9, few).predict(np.eye(4)[::-1] * 9).tolist(), few[::-1])

    def test_columns(self):
        words = np.array(["purrs at night", "barks at night", "old leaves", "soft leaves"])
        frame = pd.DataFrame({"text": words[OF], "size": X[:, 0], "kind": np.array(["x", "y"])[OF % 2]})
        columns = ColumnTransformer([("text", TfidfVectorizer(), "text"), ("size", StandardScaler(), ["size"]), ("kind", OneHotEncoder(), ["kind"])])
        pipe = make_pipeline(columns, HierarchicalSVC())
        paths = pd.DataFrame([PATHS[k] + (None,) * (3 - len(PATHS[k])) for k in OF])
        self.assertEqual(pipe.fit(frame, paths).score(frame, paths), 1)
        self.assertEqual(clone(pipe).set_params(hierarchicalsvc__C=2).get_params()["hierarchicalsvc__C"], 2)


if __name__ == "__main__":
    unittest.main()

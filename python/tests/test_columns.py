"""Rows of tables to features."""

import math
import unittest
from typing import Any, Dict

import numpy as np

from hierml import LoadError
from hierml._columns import Encoder

FIELDS = [
    {"name": "size", "kind": "number", "number": {"Log": True, "Missing": "mean", "Indicator": True}, "fill": 2, "shift": 1, "factor": 0.5, "indicator": True},
    {"name": "land", "kind": "nominal", "values": ["DE", "True"], "rare": True, "indicator": True},
    {"name": "tags", "kind": "set", "separator": ";", "values": ["u", "v"]},
    {"name": "way", "kind": "path", "values": ["a", "a/b"]},
]


def encoder(fields: Any = FIELDS, **columns: Any) -> Encoder:
    return Encoder({"format": "hierml.encoder", "version": 1, "columns": columns, "rows": 3, "fields": fields})


class Rows(unittest.TestCase):
    def check(self, row: Dict[str, Any], want: Dict[int, float], **columns: Any) -> None:
        whole = {"size": math.e - 1, "land": None, "tags": None, "way": None, **row}
        indices, values = encoder(**columns).row(whole)
        self.assertEqual(indices.tolist(), sorted(want))
        np.testing.assert_allclose(values, [want[j] for j in sorted(want)], rtol=1e-6)

    def test_values(self) -> None:
        self.check({"size": 0}, {0: -0.5, 5: 1})
        self.check({"size": "0"}, {0: -0.5, 5: 1})
        for missing in (None, float("nan"), np.float32("nan"), ""):
            self.check({"size": missing}, {0: 0.5, 1: 1, 5: 1})
        for land, column in (("DE", 2), ("FR", 4), (True, 3), (None, 5)):
            self.check({"land": land}, {column: 1})
        for tags in ("u;v", "v ; u", ["u", "v"], ("v", "u", "w"), {"u", "v"}, np.array(["u", "v"])):
            self.check({"tags": tags}, {5: 1, 6: 1, 7: 1})
        self.check({"way": "a/b/c"}, {5: 1, 8: 1, 9: 1})
        self.check({}, {5: 1, 10: 2}, Constant=2)

    def test_refused(self) -> None:
        for says, row in (
            ("'size': 'big' is not a number", {"size": "big"}),
            ("'size': a list is not a number", {"size": [1]}),
            ("inf is not finite", {"size": math.inf}),
            ("a set is a list of texts", {"tags": 7}),
        ):
            with self.subTest(says), self.assertRaisesRegex((ValueError, TypeError), says):
                self.check(row, {})
        with self.assertRaisesRegex(ValueError, "a row has no 'land'; the model takes size, land, tags, way"):
            encoder().row({"size": 1})
        with self.assertRaisesRegex(TypeError, "a row is a dict"):
            encoder().row("a text")  # type: ignore[arg-type]
        refusing = [{"name": "size", "kind": "number", "number": {}, "factor": 1}]
        with self.assertRaisesRegex(ValueError, "was trained to refuse that"):
            encoder(refusing).row({"size": None})

    def test_damaged(self) -> None:
        number = FIELDS[0]
        for says, field in (
            ("has no name", {**number, "name": ""}),
            ("has what another kind has", {**number, "kind": "set"}),
            ("has what another kind has", {"name": "x", "kind": "text"}),
            ("has 1 values", {**number, "values": ["a"]}),
            ("has 0 values", {"name": "x", "kind": "nominal"}),
            ("has a value twice", {"name": "x", "kind": "nominal", "values": ["a", "a"]}),
            ("not what stands for missing numbers", {**number, "number": {}}),
            ("is multiplied by 0", {**number, "factor": 0}),
            ("'stemmer', which this version", {**number, "stemmer": 1}),
        ):
            with self.subTest(says), self.assertRaisesRegex(LoadError, says):
                encoder([field])
        with self.assertRaisesRegex(LoadError, "no columns"):
            encoder([])
        with self.assertRaisesRegex(LoadError, "'Colour', which this version"):
            encoder(Colour=1)
        with self.assertRaisesRegex(LoadError, "beyond single precision"):
            encoder(Constant=1e300)


if __name__ == "__main__":
    unittest.main()

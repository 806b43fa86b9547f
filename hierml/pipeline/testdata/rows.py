"""Prints what models say of rows of tables: python rows.py FOLDER < {file: [row, ...]}."""

import json
import os
import sys

import hierml

said = {}
for name, rows in json.load(sys.stdin).items():
    model = hierml.load(os.path.join(sys.argv[1], name))
    features = [model.features(row) for row in rows]
    said[name] = {
        "Columns": [columns.tolist() for columns, _ in features],
        "Values": [values.tolist() for _, values in features],
        "Labels": model.predict(rows),
    }
    try:
        said[name]["Sets"] = model.predict_sets(rows)
    except ValueError:
        pass  # of models of one label
json.dump(said, sys.stdout)

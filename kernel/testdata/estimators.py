"""Trains every estimator on rows and paths from standard input (JSON), saves it to FOLDER/NAME, and prints its predictions: estimators.py FOLDER."""
import json, os, sys
import numpy as np
from hierml import sklearn as estimators

data = json.load(sys.stdin)
x, said = np.array(data["x"]), {}
for name in estimators.__all__:
    model = getattr(estimators, name)().fit(x, data["y"])
    model.save(os.path.join(sys.argv[1], name))
    said[name] = ["/".join(filter(None, row)) for row in model.predict(x)]
json.dump(said, sys.stdout)

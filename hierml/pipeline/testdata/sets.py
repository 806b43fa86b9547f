"""Prints what the package says of texts by models of all types, given by file, in base64: sets.py FOLDER < TEXTS (JSON)."""
import base64, json, os, sys, warnings
import numpy as np
import hierml

warnings.simplefilter("ignore", hierml.UnknownTextWarning)


def finite(scores):
    return np.where(np.isneginf(scores), -1e300, scores).tolist()


def asked(function, texts):
    """Returns what is refused by a ValueError as None."""
    try:
        return function(texts)
    except ValueError:
        return None


said = {}
for name, encoded in json.load(sys.stdin).items():
    model = hierml.load(os.path.join(sys.argv[1], name))
    texts = [base64.b64decode(text).decode("utf-8", "surrogateescape") for text in encoded]
    numbers = lambda function: (lambda found: None if found is None else finite(found))(asked(function, texts))
    said[name] = {
        "sets": asked(model.predict_sets, texts),
        "expected": (lambda decided: decided and [value for _, value in decided])(asked(model.decide, texts)),
        "labels": asked(model.predict, texts),
        "paths": asked(model.predict_paths, texts),
        "scores": numbers(model.scores),
        "leaves": numbers(model.predict_proba),
        "node": numbers(model.predict_node_proba),
    }
json.dump(said, sys.stdout)

"""Prints what the package says of texts, given by file, in base64: predict.py FOLDER < TEXTS (JSON)."""
import base64, json, os, sys, warnings
import numpy as np
import hierml

warnings.simplefilter("ignore", hierml.UnknownTextWarning)
said = {}
for name, encoded in json.load(sys.stdin).items():
    model = hierml.load(os.path.join(sys.argv[1], name))
    texts = [base64.b64decode(text).decode("utf-8", "surrogateescape") for text in encoded]
    rows = [model.features(text) for text in texts]
    finite = lambda scores: np.where(np.isneginf(scores), -1e300, scores).tolist()
    said[name] = {
        "columns": [row[0].tolist() for row in rows],
        "values": [row[1].tolist() for row in rows],
        "known": [model.knows(text) for text in texts],
        "labels": model.predict(texts),
        "paths": model.predict_paths(texts),
        "scores": finite(model.scores(texts)),
        "ranked": [[(label, finite(score)) for label, score in ranked] for ranked in model.rank(texts, 4)],
        "probabilities": model.predict_proba(texts).tolist() if model.has_probabilities else None,
    }
json.dump(said, sys.stdout)

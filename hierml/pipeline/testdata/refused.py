"""Prints the errors that the files of a folder give, empty for what is loaded: refused.py FOLDER."""
import json, os, sys, warnings
import numpy as np
import hierml

warnings.simplefilter("ignore", hierml.UnknownTextWarning)

said = {}
for name in os.listdir(sys.argv[1]):
    try:
        model = hierml.load(os.path.join(sys.argv[1], name))
    except hierml.LoadError as error:
        said[name] = str(error)
        continue
    said[name] = ""
    try:
        with np.errstate(all="ignore"):
            model.predict(["", "a b c", "\u0130 \u65e5"])
    except ValueError:
        pass  # a feature may be too large
json.dump(said, sys.stdout)

"""Prints the errors that the files of a folder give, empty for what is loaded: refused.py FOLDER."""
import json, os, sys
import hierml

said = {}
for name in os.listdir(sys.argv[1]):
    try:
        hierml.load(os.path.join(sys.argv[1], name))
        said[name] = ""
    except hierml.LoadError as error:
        said[name] = str(error)
json.dump(said, sys.stdout)

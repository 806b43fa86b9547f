"""Prints the matches of patterns in texts, null for what is refused: matches.py < {"patterns", "texts"} (JSON)."""
import json, sys
import hierml
from hierml._pattern import Pattern

given = json.load(sys.stdin)
said = []
for pattern in given["patterns"]:
    try:
        compiled = Pattern(pattern)
    except hierml.LoadError:
        said.append(None)
        continue
    said.append([list(compiled.matches(text)) for text in given["texts"]])
json.dump(said, sys.stdout)

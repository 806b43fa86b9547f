"""Writes the JSON files beside it: python3 write.py (pandas 3.1.1)."""
import pandas as pd

table = pd.DataFrame({"title": ['é "quoted" / 😀', "line\nbreak", 3.5], "class": [2, 10, 2]})
table.to_json("lines.json", orient="records", lines=True)
table.to_json("records.json", orient="records")
table.to_json("indented.json", orient="records", indent=2)
table.to_json("columns.json")
table.to_json("split.json", orient="split")

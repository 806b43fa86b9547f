"""Runs cells in a kernel and prints what each of them shows, as a line of JSON.

The argument is the cells, a list in JSON. Of each there is the text that it writes, the types and the
plain text of what it displays, its value, and its error.
"""
import json
import sys

import nbformat
from nbclient import NotebookClient

book = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "hierml", "display_name": "Go", "language": "go"}})
book.cells = [nbformat.v4.new_code_cell(source) for source in json.loads(sys.argv[1])]
NotebookClient(book, timeout=300, allow_errors=True).execute()
for cell in book.cells:
    shown = ""
    for o in cell.outputs:
        if o.output_type == "stream":
            shown += o.text
        elif o.output_type == "error":
            shown += f"{o.ename}: {o.evalue}"
        elif o.output_type == "execute_result":
            shown += "=> " + o.data["text/plain"]
        else:
            shown += f"[{' '.join(sorted(o.data))}]"
    print(json.dumps(shown))

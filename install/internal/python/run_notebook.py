"""Executes a notebook with nbclient and writes it, executed, and as HTML.

Arguments: notebook, kernel name, display name, output notebook, output HTML, and how
many code cells to run, 0 for all. The others keep their outputs, without numbers.
Prints "cell N TOTAL" for each code cell done. The outputs are written only when every
cell succeeded; otherwise the exit code is 1 and the failing cell is on stderr.
"""
import os
import sys

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbconvert import HTMLExporter

CELL_SECONDS = 600


def main():
    source, kernel, display_name, output, html, count = sys.argv[1:]
    notebook = nbformat.read(source, as_version=4)
    notebook.metadata["kernelspec"] = {"name": kernel, "display_name": display_name, "language": "go"}
    code = [i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    total = min(int(count) or len(code), len(code))
    end = (code + [len(notebook.cells)])[total]
    others = notebook.cells[end:]
    del notebook.cells[end:]
    done = 0

    def executed(cell, cell_index, execute_reply):
        nonlocal done
        done += 1
        print("cell", done, total, flush=True)

    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name=kernel,
        on_cell_executed=executed,
        resources={"metadata": {"path": os.path.dirname(output)}},
    )
    try:
        client.execute()
    except CellTimeoutError:
        sys.exit(f"{source}: the code cell after {done} others ran for more than {CELL_SECONDS} seconds")
    except (CellExecutionError, DeadKernelError) as error:
        sys.exit(f"{source}: a cell failed after {done} others\n{error}")
    for cell in others:
        for numbered in [cell, *cell.get("outputs", [])]:
            if "execution_count" in numbered:
                numbered.execution_count = None
    notebook.cells += others
    page, _ = HTMLExporter().from_notebook_node(notebook, {"metadata": {"name": "tour"}})
    replace(output, lambda file: nbformat.write(notebook, file))
    replace(html, lambda file: file.write(page))


def replace(path, write):
    """Writes a file completely, or not at all."""
    new = path + ".new"
    with open(new, "w", encoding="utf-8") as file:
        write(file)
    os.replace(new, path)


if __name__ == "__main__":
    main()

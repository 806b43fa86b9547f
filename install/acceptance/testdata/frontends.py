"""Habits of front ends, tried on the kernel.

The argument is how many starts the first of the trials makes. Prints one line of JSON a
trial: its name and what went wrong, which is nothing where all is well.
"""
import json
import subprocess
import sys
import time

import nbformat
from jupyter_client import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


def notebook(*cells):
    """A notebook of cells, given as their source or as their source and a tag."""
    book = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "hierml", "display_name": "Go", "language": "go"}})
    for cell in cells:
        source, *tags = [cell] if isinstance(cell, str) else cell
        book.cells.append(nbformat.v4.new_code_cell(source, metadata={"tags": tags}))
    return book


def text(cell):
    return "".join(o.get("text", "") for o in cell.outputs)


def late_subscription():
    """VS Code asks on shell before it is subscribed to iopub, and then waits for an idle."""
    for i in range(int(sys.argv[1])):
        manager = KernelManager(kernel_name="hierml")
        manager.start_kernel()
        client = manager.client()
        try:
            client.start_channels(iopub=False, stdin=False, hb=False, control=False)
            client.kernel_info()
            client.get_shell_msg(timeout=20)
            begun = time.monotonic()
            client.start_channels(shell=False, stdin=False, hb=False, control=False)
            seen = []
            while "idle" not in seen:
                message = client.get_iopub_msg(timeout=5)
                seen.append(message["content"].get("execution_state", message["msg_type"]))
            if seen[0] != "iopub_welcome":
                return f"start {i + 1}: the first message is {seen[0]}"
            if time.monotonic() - begun > 3:
                return f"start {i + 1}: idle came after {time.monotonic() - begun:.1f} s"
        except Exception as error:
            return f"start {i + 1}: {error!r}"
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def nbclient_time_out():
    """A cell that takes too long is interrupted, and the next ones have its variables."""
    book = notebook("x := 41\nfor {\n}", "fmt.Println(x + 1)")
    NotebookClient(book, timeout=3, interrupt_on_timeout=True, allow_errors=True).execute()
    if [o.get("ename") for o in book.cells[0].outputs if o.output_type != "stream"] != ["Interrupted"]:
        return f"the first cell gave {book.cells[0].outputs}"
    if text(book.cells[1]) != "42\n":
        return f"the second cell gave {book.cells[1].outputs}"


def nbclient_error():
    """An error ends the run, unless the cell says that it is expected."""
    try:
        NotebookClient(notebook('panic("at the disco")', "1")).execute()
        return "no error"
    except CellExecutionError as error:
        if "at the disco" not in str(error):
            return f"the error is {error}"
    book = notebook(('panic("at the disco")', "raises-exception"), 'fmt.Println("on")')
    NotebookClient(book).execute()
    if text(book.cells[1]) != "on\n":
        return f"the second cell gave {book.cells[1].outputs}"


def nbconvert():
    """jupyter nbconvert --execute ends with 1 after an error, with 0 otherwise."""
    for cell, status in ((("panic(1)",), 1), (("panic(1)", "raises-exception"), 0), (("fmt.Println(1)",), 0)):
        nbformat.write(notebook(cell), "in.ipynb")
        run = subprocess.run([sys.executable, "-m", "nbconvert", "--execute", "--to", "notebook", "--output", "out", "in.ipynb"], capture_output=True, text=True)
        if run.returncode != status:
            return f"{cell}: exit {run.returncode}, want {status}\n{run.stderr}"


def main():
    for trial in (late_subscription, nbclient_time_out, nbclient_error, nbconvert):
        try:
            problem = trial()
        except Exception as error:
            problem = repr(error)
        print(json.dumps({"trial": trial.__name__, "problem": problem or ""}), flush=True)


main()

"""Measure a Jupyter kernel, and print JSON: seconds to its first reply, bytes of its process then, seconds of cells.

    kernel.py CELL CELLS COMMAND...

{file} in the command becomes the connection file. {i} in CELL becomes a number, another one in each of
the CELLS cells. The process is the kernel's own, without those that it starts for cells.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from jupyter_client import BlockingKernelClient
from jupyter_client.connect import write_connection_file

FIRST = 3600  # seconds for the first cell: hierml makes the compiler of cells once


def reply(client, id, timeout):
    """Wait for the reply to a request, and return its content."""
    while True:
        message = client.get_shell_msg(timeout=timeout)
        if message["parent_header"].get("msg_id") == id:
            return message["content"]


def run(client, code, timeout):
    """Run a cell and return the seconds until the kernel is idle."""
    began = time.perf_counter()
    id = client.execute(code)
    while True:
        message = client.get_iopub_msg(timeout=timeout)
        if message["parent_header"].get("msg_id") == id and message["content"].get("execution_state") == "idle":
            took = time.perf_counter() - began
            break
    content = reply(client, id, timeout)
    if content["status"] != "ok":
        raise SystemExit(f"{code}: {content}")
    return took


def main(cell, cells, command):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "kernel.json")
        write_connection_file(file, ip="127.0.0.1", key=os.urandom(16).hex().encode())
        began = time.perf_counter()
        kernel = subprocess.Popen([part.replace("{file}", file) for part in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            client = BlockingKernelClient(connection_file=file)
            client.load_connection_file()
            client.start_channels(hb=False)
            reply(client, client.kernel_info(), 60)
            start = time.perf_counter() - began
            with open(f"/proc/{kernel.pid}/statm") as statm:
                memory = int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            result = {"Start": start, "Memory": memory}
            if cells:
                client.wait_for_ready(timeout=60)  # iopub may connect later
                for i in range(5):
                    run(client, cell.replace("{i}", str(i)), FIRST)
                result["Cell"] = statistics.median(run(client, cell.replace("{i}", str(1000 + i)), 60) for i in range(cells))
            print(json.dumps(result))
            client.shutdown()
            client.stop_channels()
            kernel.wait(60)
        finally:
            kernel.kill()
            kernel.wait()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])

"""Runs programs cut into cells, each in a kernel of its own, through jupyter_client.

Arguments: the kernel's name, how many run at once, and after how many seconds a program is ended.
Standard input has a line of JSON for each program: its id, the folder that it runs in, and its
cells, which are all sent at once. Standard output gets a line for each that has ended: what its
cells wrote, and the error of the one that failed, if one did.
"""
import json
import queue
import sys
import threading
import time

from jupyter_client import KernelManager

QUIET = 60


class Kernel:
    def __init__(self, name, folder):
        self.manager = KernelManager(kernel_name=name)
        self.manager.start_kernel(cwd=folder)
        self.client = self.manager.client()
        self.client.start_channels(hb=False, stdin=False)

    def run(self, cells, seconds):
        self.client.wait_for_ready(timeout=QUIET)
        deadline = time.monotonic() + seconds
        result = {"stdout": "", "stderr": "", "cell": -1, "ename": "", "evalue": "", "late": False}
        requests = [
            self.client.execute(cell, allow_stdin=False, stop_on_error=True, store_history=True)
            for cell in cells
        ]
        # What goroutines have written when the last cell ends comes before the kernel's own end.
        waiting = set(requests)
        while waiting:
            try:
                message = self.client.get_iopub_msg(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                result["late"] = True
                break
            parent, content = message["parent_header"].get("msg_id"), message["content"]
            if message["msg_type"] == "stream":
                result[content["name"]] += content["text"]
            elif message["msg_type"] == "error" and parent in requests:
                if result["cell"] < 0:
                    result["cell"] = requests.index(parent)
                    result["ename"], result["evalue"] = content["ename"], content["evalue"]
            elif message["msg_type"] == "status" and content["execution_state"] == "idle":
                waiting.discard(parent)
                if not waiting and parent in requests:
                    waiting.add(self.shut_down())
        return result

    def shut_down(self):
        request = self.client.session.msg("shutdown_request", {"restart": False})
        self.client.control_channel.send(request)
        return request["header"]["msg_id"]

    def stop(self):
        self.client.stop_channels()
        # Of a kernel that was asked to end, or is late.
        self.manager.shutdown_kernel(now=True)


def serve(name, seconds, programs, lock):
    while (program := programs.get()) is not None:
        try:
            kernel = Kernel(name, program["folder"])
            try:
                result = kernel.run(program["cells"], seconds)
            finally:
                kernel.stop()
        except Exception as error:
            result = {"failure": repr(error)}
        with lock:
            print(json.dumps({"id": program["id"], **result}), flush=True)


def main():
    name, at_once, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    programs, lock = queue.Queue(), threading.Lock()
    servers = [threading.Thread(target=serve, args=(name, seconds, programs, lock)) for _ in range(at_once)]
    for server in servers:
        server.start()
    for line in sys.stdin:
        programs.put(json.loads(line))
    for _ in servers:
        programs.put(None)
    for server in servers:
        server.join()


main()

"""Measures two kernels side by side, in turns, through jupyter_client.

Arguments: the kernels' names, how often each is started, and how often it computes 1+1.
Prints JSON: for each kernel the seconds from the start of its process to its first
kernel_info_reply, and the seconds from an execute_request for 1+1 until both its reply and
its idle are there.
"""
import json
import sys
import time

from jupyter_client import KernelManager

WARM_UP = 10
TIMEOUT = 60


class Kernel:
    def __init__(self, name):
        self.manager = KernelManager(kernel_name=name)
        begun = time.perf_counter()
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels(hb=False)
        request = self.client.kernel_info()
        while self.client.get_shell_msg(timeout=TIMEOUT)["parent_header"].get("msg_id") != request:
            pass
        self.start = time.perf_counter() - begun
        self.client.wait_for_ready(timeout=TIMEOUT)

    def compute(self):
        begun = time.perf_counter()
        request = self.client.execute("1+1")
        result = None
        while True:
            message = self.client.get_iopub_msg(timeout=TIMEOUT)
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "execute_result":
                result = message["content"]["data"]["text/plain"]
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                break
        reply = self.client.get_shell_msg(timeout=TIMEOUT)
        took = time.perf_counter() - begun
        if (result, reply["content"]["status"]) != ("2", "ok"):
            sys.exit(f"{self.manager.kernel_name}: 1+1 gave {result}, {reply['content']}")
        return took

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel()


def main():
    *names, starts, rounds = sys.argv[1:]
    figures = {name: {"start": [], "round": []} for name in names}
    for _ in range(int(starts)):
        for name in names:
            kernel = Kernel(name)
            figures[name]["start"].append(kernel.start)
            kernel.stop()
    kernels = {name: Kernel(name) for name in names}
    for kernel in kernels.values():
        for _ in range(WARM_UP):
            kernel.compute()
    for _ in range(int(rounds)):
        for name, kernel in kernels.items():
            figures[name]["round"].append(kernel.compute())
    for kernel in kernels.values():
        kernel.stop()
    print(json.dumps(figures))


main()

"""What works while a program is stopped at a breakpoint, and what can be stopped, in one engine.

The argument is the engine. Prints one line of JSON for each finding.
"""
import json
import os
import sys
import time

from jupyter_client import KernelManager

engine = sys.argv[1]
FUNCTION = "func half(n int) int {\n\tm := n / 2\n\treturn m\n}"


def say(name, content):
    print(json.dumps({"message": name, "content": content}), flush=True)


def descendants(pid):
    """The processes that a process has started, and those that these have."""
    found, parents = set(), {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                parents[int(name)] = int(open(f"/proc/{name}/stat").read().rpartition(")")[2].split()[1])
            except OSError:
                pass  # it has ended
    more = {pid}
    while more:
        found |= more
        more = {p for p, parent in parents.items() if parent in found} - found
    return found


def alive(pids):
    """Those of the processes that have not ended."""
    left = []
    for pid in pids:
        try:
            if open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] not in "ZX":
                left.append(pid)
        except OSError:
            pass
    return left


class Session:
    """A kernel whose function half stops at its second line."""

    def __init__(self):
        self.seq = 0
        self.manager = KernelManager(kernel_name="hierml")
        self.manager.start_kernel(extra_arguments=["--engine", engine])
        self.connect()

    def connect(self):
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=120)
        self.debug("initialize")
        self.debug("attach")
        path = self.debug("dumpCell", code=FUNCTION)["sourcePath"]
        self.debug("setBreakpoints", breakpoints=[{"line": 3}], source={"path": path}, sourceModified=False)
        self.run(FUNCTION)

    def request(self, channel, kind, content, subshell=None):
        """Asks, and returns the answer."""
        message = self.client.session.msg(kind, content)
        if subshell:
            message["header"]["subshell_id"] = subshell
        channel.send(message)
        while True:
            reply = channel.get_msg(timeout=60)
            if reply["parent_header"]["msg_id"] == message["header"]["msg_id"]:
                return reply["content"]

    def debug(self, command, **arguments):
        self.seq += 1
        content = {"seq": self.seq, "type": "request", "command": command, "arguments": arguments}
        return self.request(self.client.control_channel, "debug_request", content).get("body", {})

    def send(self, code, subshell=None):
        """Has a cell run, and does not wait."""
        message = self.client.session.msg("execute_request", {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False, "stop_on_error": True})
        if subshell:
            message["header"]["subshell_id"] = subshell
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def published(self, wanted):
        """Waits for a message that is published, and returns it."""
        while True:
            message = self.client.iopub_channel.get_msg(timeout=60)
            if wanted(message):
                return message

    def stopped(self):
        """Waits for a stop, and tells the calls."""
        self.published(lambda m: m["header"]["msg_type"] == "debug_event" and m["content"]["event"] == "stopped")
        frames = self.debug("stackTrace", threadId=1)["stackFrames"]
        return [f"{f['name']}:{f['line']}" for f in frames]

    def idle(self, identity):
        self.published(lambda m: m["header"]["msg_type"] == "status" and m["content"]["execution_state"] == "idle" and m["parent_header"].get("msg_id") == identity)

    def run(self, code):
        """Runs a cell, and returns the text that it writes."""
        identity, text = self.send(code), ""
        while True:
            message = self.client.iopub_channel.get_msg(timeout=120)
            if message["parent_header"].get("msg_id") != identity:
                continue
            if message["header"]["msg_type"] == "stream":
                text += message["content"]["text"]
            if message["header"]["msg_type"] == "error":
                text += message["content"]["evalue"]
            if message["header"]["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return text


# What is asked meanwhile.
s = Session()
s.run("kept := 7")
cell = s.send("half(8)")
say("cell", s.stopped())
shell = s.client.shell_channel
say("complete", s.request(shell, "complete_request", {"code": "kep", "cursor_pos": 3})["matches"])
say("inspect", s.request(shell, "inspect_request", {"code": "half", "cursor_pos": 4, "detail_level": 0})["data"].get("text/plain", ""))
say("is_complete", s.request(shell, "is_complete_request", {"code": "if true {"})["status"])
say("inspectVariables", {v["name"]: v["value"] for v in s.debug("inspectVariables")["variables"]})

# Code in a subshell runs while the cell is stopped, and stops when it is its turn.
subshell = s.request(s.client.control_channel, "create_subshell_request", {})["subshell_id"]
other = s.send('fmt.Println("beside", kept)', subshell)
say("subshell", s.published(lambda m: m["header"]["msg_type"] == "stream" and m["parent_header"].get("msg_id") == other)["content"]["text"])
second = s.send("half(20)", subshell)
s.debug("continue", threadId=1)
say("subshell stops", s.stopped())
s.debug("continue", threadId=1)
s.idle(second)

# The callback of a widget.
widget = s.send('size := nb.IntSlider(0, 100, 10, "size")\nsize.OnChange(func(n int) { fmt.Println("half", half(n)) })\nsize')
comms = []
while True:
    m = s.client.iopub_channel.get_msg(timeout=60)
    if m["header"]["msg_type"] == "comm_open":
        comms.append(m["content"])
    if m["header"]["msg_type"] == "status" and m["content"]["execution_state"] == "idle" and m["parent_header"].get("msg_id") == widget:
        break
slider = next(c["comm_id"] for c in comms if c["data"]["state"].get("_model_name") == "IntSliderModel")
s.client.shell_channel.send(s.client.session.msg("comm_msg", {"comm_id": slider, "data": {"method": "update", "state": {"value": 42}, "buffer_paths": []}}))
say("widget", s.stopped())
s.debug("continue", threadId=1)
say("widget goes on", s.published(lambda m: m["header"]["msg_type"] == "stream")["content"]["text"])

# An interrupt ends the callback, and the next one stops again.
s.client.shell_channel.send(s.client.session.msg("comm_msg", {"comm_id": slider, "data": {"method": "update", "state": {"value": 44}, "buffer_paths": []}}))
say("widget again", s.stopped())
s.request(s.client.control_channel, "interrupt_request", {})
say("after the interrupt", s.run("fmt.Print(kept)"))

# Restart and shutdown while a cell is stopped.
s.send("half(9)")
say("before the restart", s.stopped())
pids = descendants(s.manager.provisioner.pid)
s.client.stop_channels()
s.manager.restart_kernel()
say("left by the restart", len(alive(pids)))
s.connect()
s.send("half(9)")
say("after the restart", s.stopped())
pids = descendants(s.manager.provisioner.pid)
say("shutdown", s.request(s.client.control_channel, "shutdown_request", {"restart": False})["status"])
while alive(pids):  # nobody kills them
    time.sleep(0.01)
say("left by the shutdown", 0)
s.client.stop_channels()
s.manager.shutdown_kernel()

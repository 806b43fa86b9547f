"""A debugger's session with a kernel, as JupyterLab has it.

The arguments are the name of the kernel and a file of JSON: the cell, which stops at its
breakpoint in a function, the line of that, and the name of a variable there that is a list.
Prints one line of JSON for each message: what was asked, or the event, and the answer.
"""
import json
import queue
import sys
import time

from jupyter_client import KernelManager

kernel, plan = sys.argv[1], json.load(open(sys.argv[2]))
manager = KernelManager(kernel_name=kernel)
manager.start_kernel(extra_arguments=plan.get("arguments", []))
client = manager.client()
client.start_channels()
client.wait_for_ready(timeout=120)
seq = 0


def say(name, content):
    print(json.dumps({"message": name, "content": content}), flush=True)


def ask(command, title=None, **arguments):
    """Asks on control, and returns the body of the answer."""
    global seq
    seq += 1
    message = client.session.msg("debug_request", {"seq": seq, "type": "request", "command": command, "arguments": arguments})
    client.control_channel.send(message)
    while True:
        reply = client.control_channel.get_msg(timeout=60)
        if reply["parent_header"]["msg_id"] == message["header"]["msg_id"]:
            break
    if reply["header"]["msg_type"] != "debug_reply":
        sys.exit(f"{command} is answered by {reply}")
    say(title or command, reply["content"])
    return reply["content"].get("body", {})


def await_event(name):
    """Waits for an event."""
    while True:
        message = client.iopub_channel.get_msg(timeout=60)
        if message["header"]["msg_type"] == "debug_event" and message["content"]["event"] == name:
            say("event " + name, message["content"])
            return message["content"].get("body", {})


def look(stage):
    """Fetches what JupyterLab shows of a stop."""
    frames = ask("stackTrace", stage + " stackTrace", threadId=1)["stackFrames"]
    frame = frames[0]
    scopes = ask("scopes", stage + " scopes", frameId=frame["id"])["scopes"]
    variables = ask("variables", stage + " variables", variablesReference=scopes[0]["variablesReference"])["variables"]
    return frame, {v["name"]: v for v in variables}, scopes[0]["variablesReference"]


client.kernel_info()
say("kernel_info", client.get_shell_msg(timeout=60)["content"])
ask("debugInfo", "debugInfo before")
ask("initialize", clientID="jupyterlab", clientName="JupyterLab", adapterID="python", pathFormat="path", linesStartAt1=True,
    columnsStartAt1=True, supportsVariableType=True, supportsVariablePaging=True, supportsRunInTerminalRequest=True, locale="en")
ask("attach")
path = ask("dumpCell", code=plan["cell"])["sourcePath"]
ask("setBreakpoints", breakpoints=[{"line": plan["line"]}], source={"path": path}, sourceModified=False)
ask("configurationDone")
ask("debugInfo", "debugInfo attached")
ask("source", source={"path": path})
cell = client.execute(plan["cell"])
await_event("stopped")
ask("threads")
ask("debugInfo", "debugInfo stopped")
frame, variables, reference = look("stopped")
ask("variables", "parts", variablesReference=variables[plan["list"]]["variablesReference"])
ask("evaluate", expression=plan["expression"], frameId=frame["id"], context="repl")
ask("setVariable", variablesReference=reference, name=plan["set"], value=plan["value"])
ask("richInspectVariables", variableName=plan["list"], frameId=frame["id"])
ask("copyToGlobals", srcVariableName=plan["list"], dstVariableName="copied", srcFrameId=frame["id"])
# What the shell answers while the program is stopped.
client.complete(plan["complete"])
say("complete", client.get_shell_msg(timeout=60)["content"] if plan.get("answers") else {})
ask("next", threadId=1)
await_event("stopped")
look("next")
ask("stepIn", threadId=1)
await_event("stopped")
look("stepIn")
ask("stepOut", threadId=1)
await_event("stopped")
look("stepOut")
ask("setBreakpoints", "clear", breakpoints=[], source={"path": path}, sourceModified=False)
ask("continue", threadId=1)
text = ""
while True:
    message = client.iopub_channel.get_msg(timeout=60)
    if message["header"]["msg_type"] == "stream":
        text += message["content"]["text"]
    if message["header"]["msg_type"] == "status" and message["content"]["execution_state"] == "idle" and message["parent_header"].get("msg_id") == cell:
        break
say("output", text)
ask("inspectVariables")
ask("disconnect", restart=False, terminateDebuggee=False)
ask("debugInfo", "debugInfo after")
client.stop_channels()
manager.shutdown_kernel(now=True)

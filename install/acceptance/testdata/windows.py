# Drives the kernel of a program for Windows, which runs in Wine, as notebooks do.
import glob
import os
import signal
import time

from jupyter_client import KernelManager

PATIENCE = 120


class Kernel:
    def __init__(self):
        self.manager = KernelManager(kernel_name="hierml")
        self.manager.start_kernel()
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)

    def run(self, code, interrupt=False):
        """Runs a cell, interrupted when it has printed; returns the reply and what it showed."""
        shown = []

        def hook(message):
            kind = message["msg_type"]
            if kind in ("stream", "execute_result", "display_data", "error"):
                shown.append((kind, message["content"]))
            if interrupt and kind == "stream":
                self.manager.interrupt_kernel()

        reply = self.client.execute_interactive(code, output_hook=hook, timeout=PATIENCE)
        return reply["content"], shown


def text(shown, name=None):
    return "".join(c["text"] for kind, c in shown if kind == "stream" and name in (None, c["name"]))


def value(shown):
    return [c["data"]["text/plain"] for kind, c in shown if kind == "execute_result"]


def expect(ok, *what):
    if not ok:
        raise AssertionError(what)


def processes(mark):
    """The processes whose command line has the mark."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as f:
                line = f.read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if mark in line and int(path.split("/")[2]) != os.getpid():
            found.append(int(path.split("/")[2]))
    return found


def await_processes(mark, some):
    end = time.time() + PATIENCE
    while bool(processes(mark)) != some:
        expect(time.time() < end, "processes", mark, some)
        time.sleep(0.1)


k = Kernel()
reply, shown = k.run('x := 41\nfmt.Println("from", runtime.GOOS, string(os.PathSeparator))\nx + 1')
expect(reply["status"] == "ok" and text(shown) == "from windows \\\n" and value(shown) == ["42"], reply, shown)

reply, shown = k.run("for i := range 3 {\n\tfmt.Println(i)\n\tfmt.Fprintln(os.Stderr, i)\n}")
expect([c["name"] for _, c in shown] == ["stdout", "stderr"] * 3 and text(shown) == "0\n0\n1\n1\n2\n2\n", reply, shown)

reply, shown = k.run('fmt.Println("one")\nc := exec.Command("cmd", "/c", "echo", "two")\nc.Stdout = os.Stdout\nc.Run()\nfmt.Println("three")')
expect(text(shown).split() == ["one", "two", "three"], reply, shown)

reply, shown = k.run('p := plot.New()\np.Title.Text = "a plot"\np')
expect(len(shown) == 1 and "image/png" in shown[0][1]["data"], reply, shown)

for endless in ("for {\n\tx++\n}", "time.Sleep(time.Hour)", 'exec.Command("ping", "-n", "9876", "127.0.0.1").Run()'):
    reply, shown = k.run('fmt.Println("runs")\n' + endless, interrupt=True)
    expect(reply["ename"] == "Interrupted", endless, reply)
await_processes("9876", False)
reply, shown = k.run("x > 41")
expect(value(shown) == ["true"], reply, shown)

reply, shown = k.run('panic("oops")')
expect(reply["ename"] == "panic" and reply["evalue"] == "oops", reply)
reply, shown = k.run("os.Exit(3)")
expect(reply["evalue"] == "exit status 3", reply)

# The worker dies: its variables are lost, and the next cell runs in another.
[worker] = processes("hierml.exe worker")
k.run("kept := 7")
os.kill(worker, signal.SIGKILL)
await_processes("hierml.exe worker", False)
reply, shown = k.run("1 + 1")
if reply["status"] == "error":  # says what has become of the variables
    reply, shown = k.run("1 + 1")
expect(value(shown) == ["2"], reply, shown)
reply, shown = k.run("kept")
expect(reply["status"] == "error" or value(shown) != ["7"], reply, shown)

k.manager.restart_kernel()
k.client.wait_for_ready(timeout=PATIENCE)
reply, shown = k.run("x")
expect(reply["ename"] == "CompileError", reply)
reply, shown = k.run("1 + 1")
expect(value(shown) == ["2"] and reply["execution_count"] == 2, reply, shown)

# What a cell has started, and the worker, end with a kernel that is killed.
k.run('exec.Command("ping", "-n", "8765", "127.0.0.1").Start()')
await_processes("8765", True)
for pid in processes("hierml.exe kernel"):
    os.kill(pid, signal.SIGKILL)
await_processes("hierml.exe worker", False)
await_processes("8765", False)
k.manager.shutdown_kernel(now=True)

k = Kernel()
k.manager.shutdown_kernel()
await_processes("hierml.exe", False)
print("all well")

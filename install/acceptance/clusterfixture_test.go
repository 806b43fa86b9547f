//go:build linux

package acceptance

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hierml/notebook/install/internal/slurm"
	"github.com/hierml/notebook/internal/process"
	"github.com/hierml/notebook/internal/testrun"
)

// cluster is a Slurm of several machines, all of them this one: each has a daemon of its own. The
// last machine sees the folder "apart" of the cluster otherwise than the others do, and has a
// network cable of its own.
type cluster struct {
	net      string // name of the last machine's namespace, and of the cable
	t        *testing.T
	dir      string
	conf     string
	machines []string
	daemons  map[string]*daemon
}

type daemon struct {
	cmd  *exec.Cmd
	wait func() error
	log  bytes.Buffer
}

// openCluster sets one up, which ends with the test.
func openCluster(t *testing.T, machines int) *cluster {
	t.Helper()
	testrun.Need(t, "Slurm", slurm.Find())
	// Sockets have short names.
	dir, err := os.MkdirTemp("", "hierml-slurm-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	c := &cluster{t: t, dir: dir, conf: filepath.Join(dir, "slurm.conf"), daemons: make(map[string]*daemon)}
	for i := range machines {
		c.machines = append(c.machines, fmt.Sprintf("n%d", i+1))
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	c.net = fmt.Sprintf("hierml%d", os.Getpid())
	addresses := fmt.Sprintf("10.77.%d.", os.Getpid()%250+1)
	c.run("ip", "netns", "add", c.net)
	t.Cleanup(func() { c.t = t; c.run("ip", "netns", "delete", c.net) })
	c.run("ip", "link", "add", c.net, "type", "veth", "peer", "name", "eth0", "netns", c.net)
	c.run("ip", "address", "add", addresses+"1/24", "dev", c.net)
	c.run("ip", "link", "set", c.net, "up")
	c.run("ip", "-n", c.net, "address", "add", addresses+"2/24", "dev", "eth0")
	c.run("ip", "-n", c.net, "link", "set", "lo", "up")
	c.cable("up")
	for _, name := range []string{"state", "spool", "log", "run", "apart", "studies"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, `ClusterName=hierml
SlurmctldHost=%s(%s1)
SlurmctldPort=%d
SlurmUser=root
AuthType=auth/munge
AuthInfo=cred_expire=5,socket=%[4]s/munge
CryptoType=crypto/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
JobRequeue=1
ReturnToService=2
MinJobAge=3600
MaxArraySize=1001
SlurmdTimeout=5
SlurmctldTimeout=5
MessageTimeout=5
KillWait=2
InactiveLimit=0
MailProg=/bin/true
StateSaveLocation=%[4]s/state
SlurmdSpoolDir=%[4]s/spool/%%n
SlurmctldPidFile=%[4]s/run/slurmctld.pid
SlurmdPidFile=%[4]s/run/slurmd.%%n.pid
SlurmctldLogFile=%[4]s/log/slurmctld.log
SlurmdLogFile=%[4]s/log/slurmd.%%n.log
SlurmdParameters=config_overrides
`, host, addresses, freePortOf(t), dir)
	last := len(c.machines) - 1
	for i, m := range c.machines {
		address := "127.0.0.1"
		if i == last {
			address = addresses + "2"
		}
		fmt.Fprintf(&text, "NodeName=%s NodeHostname=%s NodeAddr=%s Port=%d CPUs=1 RealMemory=1000 State=UNKNOWN\n", m, host, address, freePortOf(t))
	}
	fmt.Fprintf(&text, "PartitionName=main Nodes=%s Default=YES MaxTime=INFINITE State=UP\nPartitionName=apart Nodes=%s MaxTime=INFINITE State=UP\nPartitionName=all Nodes=%s MaxTime=INFINITE State=UP\n",
		strings.Join(c.machines[:last], ","), c.machines[last], strings.Join(c.machines, ","))
	key := make([]byte, 128)
	rand.Read(key)
	if err := errors.Join(os.WriteFile(c.conf, []byte(text.String()), 0o600), os.WriteFile(filepath.Join(dir, "key"), key, 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SLURM_CONF", c.conf)
	t.Cleanup(c.close)
	in := func(name string) string { return filepath.Join(dir, name) }
	c.start("munged", "munged", "--foreground", "--force", "--socket="+in("munge"), "--key-file="+in("key"), "--pid-file="+in("run/munged.pid"), "--log-file="+in("log/munged.log"), "--seed-file="+in("seed"))
	c.until("munged answers", func() bool {
		return exec.Command("munge", "--no-input", "--socket="+in("munge")).Run() == nil
	})
	c.start("slurmctld", "slurmctld", "-D", "-c")
	for i, m := range c.machines {
		if i < last {
			c.start(m, "slurmd", "-D", "-N", m)
		} else {
			c.start(m, "nsenter", "--net=/run/netns/"+c.net, "unshare", "--mount", "sh", "-c", fmt.Sprintf("mount -t tmpfs none %s && exec slurmd -D -N %s", in("apart"), m))
		}
	}
	c.until("all machines are idle", func() bool {
		return strings.Count(c.idle(), "\n") == machines
	})
	return c
}

func freePortOf(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // closed below; kept until then so that no two are one
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return port
}

// run runs a program that has to succeed.
func (c *cluster) run(program string, args ...string) {
	c.t.Helper()
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		c.t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
}

// cable connects the last machine, or cuts it off: up or down.
func (c *cluster) cable(way string) {
	c.t.Helper()
	c.run("ip", "-n", c.net, "link", "set", "eth0", way)
}

// start starts a daemon, which ends with this process.
func (c *cluster) start(name, program string, args ...string) {
	c.t.Helper()
	d := &daemon{cmd: process.Bind(exec.Command(program, args...))}
	d.cmd.Stdout, d.cmd.Stderr = &d.log, &d.log
	wait, err := process.Start(d.cmd)
	if err != nil {
		c.t.Fatal(err)
	}
	d.wait = wait
	c.daemons[name] = d
}

// kill ends a daemon at once.
func (c *cluster) kill(name string) {
	c.t.Helper()
	d := c.daemons[name]
	delete(c.daemons, name)
	if err := process.Signal(d.cmd, syscall.SIGKILL); err != nil {
		c.t.Error(err)
	}
	_ = d.wait() // killed
}

// close ends the cluster, and what runs on it.
func (c *cluster) close() {
	if c.t.Failed() {
		if text, err := os.ReadFile(filepath.Join(c.dir, "log", "slurmctld.log")); err == nil {
			c.t.Logf("the end of slurmctld's log:\n%s", text[max(0, len(text)-6000):])
		}
	}
	for name := range c.daemons {
		c.kill(name)
	}
	for _, pid := range c.processes("") {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
}

// ask returns what one of Slurm's programs prints, "" if it does not answer.
func (c *cluster) ask(program string, args ...string) string {
	out, _ := exec.CommandContext(c.t.Context(), program, args...).Output()
	return string(out)
}

// idle returns a line for each machine that waits for work.
func (c *cluster) idle() string {
	return c.ask("sinfo", "--noheader", "--Node", "--partition=all", "--states=idle")
}

// until waits for an event. It pauses between two looks, most of which start a program of Slurm.
func (c *cluster) until(what string, so func() bool) {
	c.t.Helper()
	for begun := time.Now(); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Since(begun) > busyFactor*time.Minute {
			c.t.Fatalf("it does not come to pass that %s", what)
		}
	}
}

// processes returns the processes of jobs on a machine, "" for all: workers, and the daemons of
// their steps.
func (c *cluster) processes(machine string) []int {
	var found []int
	entries, err := os.ReadDir("/proc")
	if err != nil {
		c.t.Error(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil { // it has ended
			continue
		}
		variables := strings.Split(string(text), "\x00")
		if !slices.Contains(variables, "SLURM_CONF="+c.conf) || !slices.ContainsFunc(variables, func(v string) bool {
			name, value, _ := strings.Cut(v, "=")
			return name == "SLURMD_NODENAME" && (machine == "" || value == machine)
		}) {
			continue
		}
		found = append(found, pid)
		// The daemon of the step has started it.
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		parent, err := strconv.Atoi(fields[1])
		if err != nil || parent < 2 {
			continue
		}
		name, err := os.ReadFile(filepath.Join("/proc", fields[1], "comm"))
		if err == nil && strings.HasPrefix(string(name), "slurmstepd") && !slices.Contains(found, parent) {
			found = append(found, parent)
		}
	}
	return found
}

// signal sends a signal to a machine: to its daemon and all that its jobs have. It returns them.
func (c *cluster) signal(machine string, signal syscall.Signal) []int {
	c.t.Helper()
	pids := append(c.processes(machine), c.daemons[machine].cmd.Process.Pid)
	for _, pid := range pids {
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			c.t.Error(err)
		}
	}
	return pids
}

// command is hierml in the cluster.
type command struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan error
}

// begin begins a command of hierml.
func (c *cluster) begin(program string, args ...string) *command {
	c.t.Helper()
	h := &command{Cmd: exec.CommandContext(context.Background(), program, args...), ended: make(chan error, 1)}
	h.Dir = filepath.Join(c.dir, "studies")
	h.Cmd.Stdout, h.Cmd.Stderr = &h.stdout, &h.stderr
	wait, err := process.Start(process.Bind(h.Cmd))
	if err != nil {
		c.t.Fatal(err)
	}
	go func() { h.ended <- wait() }()
	return h
}

// end waits for a command's end.
func (c *cluster) end(h *command) error {
	c.t.Helper()
	select {
	case err := <-h.ended:
		return err
	case <-time.After(5 * busyFactor * time.Minute):
		c.t.Fatalf("%q does not end: %s", h.Args, &h.stderr)
		return nil
	}
}

// write writes a file into the folder of the studies.
func (c *cluster) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, "studies", name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// finished returns how often each cell stands in the files of the processes of a study.
func (c *cluster) finished(study string) map[string]int {
	c.t.Helper()
	n := make(map[string]int)
	err := filepath.WalkDir(filepath.Join(c.dir, "studies", study, "parts"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil // nothing is there yet
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			if key, ok := strings.CutPrefix(line, `{"Key":"`); ok && strings.HasSuffix(line, "\n") {
				key, _, _ = strings.Cut(key, `"`)
				n[key]++
			}
		}
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

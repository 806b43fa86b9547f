//go:build linux

package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/internal/testprogram"
	"github.com/hierml/notebook/internal/testrun"
)

// clusterStudy has cells of some tenths of a second, half of which are chosen by others.
const clusterStudy = `{
	"Name": "cluster",
	"Data": [{"Name": "texts", "Generator": {"synthetic.TextLike": {"Levels": [6, 24], "Train": 800, "Test": 300, "Workers": 1}}}],
	"Methods": [
		{"Name": "flat", "Estimator": {"svm.Flat": {"Settings": {"Gap": 1e-3}}}, "Grid": {"C": [0.1, 1]}},
		{"Name": "hierarchical", "Estimator": {"svm.Hierarchical": {"Settings": {"Gap": 1e-3}}}}
	],
	"Inner": {"HeldOut": 0.3}, "Repeats": 6, "Measures": ["accuracy", "tree loss"], "Baseline": "flat"
}`

// clusterTraining trains an SVM of many problems, on the cluster if it is given a directory, and
// prints what became of it. Nothing depends on where the problems are solved.
const clusterTraining = `c, err := synthetic.TextLike{Levels: []int{6, 60}, Train: 4000, Test: 10, Workers: 1}.Generate(context.Background())
if err != nil {
	log.Fatal(err)
}
var s solver.Settings
if len(os.Args) > 1 {
	s.Farm, s.Directory = farm.Slurm{Options: []string{"--partition=all"}, AtOnce: 3}, os.Args[1]
}
m, err := svm.OneVsRest{C: 1000, Settings: s}.Fit(context.Background(), c.Train)
if err != nil {
	log.Fatal(err)
}
h := sha256.New()
for n := range m.Taxonomy.Len() {
	if err := binary.Write(h, binary.LittleEndian, m.Weights(n)); err != nil {
		log.Fatal(err)
	}
}
r := m.Training.Certificate
fmt.Printf("weights %x, primal %v, dual %v, %v\n", h.Sum(nil), r.Primal, r.Dual, r.Status)
`

// TestCluster has a cluster of four machines compute a study, and breaks something in the middle:
// the table is that of one process, and no more cells are computed twice than processes were lost.
func TestCluster(t *testing.T) {
	program, err := testprogram.Get(false)
	if err != nil {
		t.Fatal(err)
	}
	c := openCluster(t, 4)
	c.write("a.json", clusterStudy)
	local := c.begin(program.File, "study", "run", "a.json", "--dir", "here.study")
	if err := c.end(local); err != nil {
		t.Fatalf("%v: %s", err, &local.stderr)
	}
	const middle = 5 // finished cells, after which something happens
	for _, test := range []struct {
		name string
		lost int // processes, at most
		// happen breaks something; what it returns is called at the end, if it is not nil.
		happen  func(study string, run *command) (mend func(), again bool)
		options []string
	}{
		{name: "nothing"},
		{"workers killed", 3, func(string, *command) (func(), bool) {
			c.killWorkers(c.machines[:2])
			return nil, false
		}, nil},
		// A controller forgets what it has not written, and ends parts on its machines that it has
		// forgotten.
		{"controller killed", 3, func(string, *command) (func(), bool) {
			written := func() (at time.Time) {
				if info, err := os.Stat(filepath.Join(c.dir, "state", "job_state")); err == nil {
					at = info.ModTime()
				}
				return at
			}
			last := written()
			c.until("the controller writes what it knows", func() bool { return !written().Equal(last) })
			c.kill("slurmctld")
			c.start("slurmctld", "slurmctld", "-D")
			return nil, false
		}, nil},
		{"coordinator killed", 0, func(study string, run *command) (func(), bool) {
			if err := run.Process.Kill(); err != nil {
				t.Error(err)
			}
			return nil, true
		}, nil},
		{"interrupted", 0, func(study string, run *command) (func(), bool) {
			if err := run.Process.Signal(syscall.SIGINT); err != nil {
				t.Error(err)
			}
			return func() {
				if said := run.stderr.String(); run.ProcessState.ExitCode() != 130 || !strings.Contains(said, " goes on, with ") && !strings.Contains(said, " go on, with ") || !strings.Contains(said, "hierml study stop ") {
					t.Errorf("interrupted, it ended with status %d and said %q", run.ProcessState.ExitCode(), said)
				}
			}, true
		}, nil},
		{"stopped", 3, func(study string, run *command) (func(), bool) {
			stop := c.begin(program.File, "study", "stop", study)
			if err := c.end(stop); err != nil {
				t.Errorf("%v: %s", err, &stop.stderr)
			}
			c.until("no job is left", c.empty)
			return func() {
				if said := run.stderr.String(); !strings.Contains(said, "the study was stopped, with ") {
					t.Errorf("stopped, it said %q", said)
				}
			}, true
		}, nil},
		{"job cancelled", 3, func(string, *command) (func(), bool) {
			c.ask("scancel", "--me")
			return nil, false
		}, nil},
		{"machine lost", 1, func(string, *command) (func(), bool) {
			c.signal("n2", syscall.SIGKILL)
			return func() {
				c.kill("n2")
				c.start("n2", "slurmd", "-D", "-N", "n2")
				c.until("n2 is back", func() bool { return strings.Contains(c.idle(), "n2") })
			}, false
		}, nil},
		{"machine frozen and woken", 1, func(study string, _ *command) (func(), bool) {
			frozen := c.signal("n3", syscall.SIGSTOP)
			return func() {
				for _, pid := range frozen {
					if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
						t.Error(err)
					}
				}
				c.until("n3 is back, without a worker", func() bool {
					return len(c.processes("n3")) == 0 && strings.Contains(c.idle(), "n3")
				})
				c.until("no job is left", c.empty)
			}, false
		}, nil},
		// The part that it is given stays with its daemon, runs elsewhere, and when the machine
		// wakes is one that could not be started.
		{"machine frozen with what it was given", 1, func(study string, _ *command) (func(), bool) {
			daemon := c.daemons["n3"].cmd.Process.Pid
			if err := syscall.Kill(daemon, syscall.SIGSTOP); err != nil {
				t.Error(err)
			}
			return func() {
				if err := syscall.Kill(daemon, syscall.SIGCONT); err != nil {
					t.Error(err)
				}
				c.until("n3 is back", func() bool { return strings.Contains(c.idle(), "n3") })
				c.until("no job is left", c.empty)
			}, false
		}, nil},
		{"network cut", 1, func(string, *command) (func(), bool) {
			c.cable("down")
			return func() {
				c.cable("up")
				c.until("n4 is back", func() bool {
					return len(c.processes("n4")) == 0 && strings.Contains(c.idle(), "n4")
				})
			}, false
		}, nil},
		// A minute is Slurm's shortest. The frozen worker has the rest of it to be woken, and
		// ended.
		{"time limit", 1, func(string, *command) (func(), bool) {
			c.until("a worker is frozen", func() bool { return c.signalWorkers(c.machines[:1], syscall.SIGSTOP) > 0 })
			return func() {
				if over := c.ask("squeue", "--noheader", "--states=timeout"); over == "" {
					t.Error("no part came to its time limit")
				}
			}, false
		}, []string{"--sbatch", "--time=1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c.t = t
			study := strings.ReplaceAll(test.name, " ", "-") + ".study"
			command := append([]string{"study", "run", "a.json", "--on", "slurm", "--sbatch", "--partition=all", "--dir", study}, test.options...)
			run := c.begin(program.File, command...)
			mend, again := func() {}, false
			if test.happen != nil {
				c.until("some cells are finished", func() bool { return len(c.finished(study)) >= middle })
				var m func()
				if m, again = test.happen(study, run); m != nil {
					mend = m
				}
			}
			err := c.end(run)
			if again {
				run = c.begin(program.File, command...)
				err = c.end(run)
			}
			if err != nil {
				t.Errorf("%v: %s", err, &run.stderr)
			}
			mend()
			c.ask("scontrol", "update", "nodename="+strings.Join(c.machines, ","), "state=resume")
			if got, want := run.stdout.String(), local.stdout.String(); got != want {
				t.Errorf("the table is\n%s\nand that of one process\n%s", got, want)
			}
			computed, twice := 0, 0
			for _, n := range c.finished(study) {
				computed += n
				twice += n - 1
			}
			t.Logf("%d cells computed, %d of them twice", computed, twice)
			if twice > test.lost {
				t.Errorf("%d cells were computed twice, and at most %d processes lost", twice, test.lost)
			}
			if again && test.lost == 0 { // it waited for the same jobs: for what others wait for, and for the rest
				if jobs, err := filepath.Glob(filepath.Join(c.dir, "studies", study, "jobs", "*")); err != nil || len(jobs) != 2 {
					t.Errorf("the jobs %q were submitted, %v", jobs, err)
				}
			}
		})
	}
	c.t = t
	c.strangers()
	c.overheads()
	c.trains(program.File)
	c.fills(program.File, local.stdout.String())
	c.refuses(program.File)
}

// empty tells whether no job is left. It ends what Slurm holds of a study that has ended: a machine
// that was given up, and wakes within MinJobAge of the end, says that it could not start its part;
// then that is in the queue again, though it has run elsewhere, and nobody watches.
func (c *cluster) empty() bool {
	left := c.ask("squeue", "--noheader", "--array", "--format=%i %r")
	for line := range strings.Lines(left) {
		if id, reason, _ := strings.Cut(strings.TrimSpace(line), " "); reason == "launch failed requeued held" {
			c.t.Logf("part %s is held", id)
			c.ask("scancel", id)
		}
	}
	return left == ""
}

// strangers has a job that goes by another name: it is neither seen nor cancelled by its id.
func (c *cluster) strangers() {
	studies := filepath.Join(c.dir, "studies")
	own, other := farm.Slurm{Options: []string{"--partition=main"}, Name: "own"}, farm.Slurm{Name: "other"}
	id, err := own.Submit(c.t.Context(), farm.Job{Name: "own", Directory: studies, Log: studies, Parts: 1, Command: []string{"/bin/sleep", "1000"}})
	if err != nil {
		c.t.Fatal(err)
	}
	state := func(f farm.Slurm) farm.State {
		s, err := f.State(c.t.Context(), id)
		if err != nil {
			c.t.Fatal(err)
		}
		return s
	}
	c.until("the part runs", func() bool { return state(own).Running == 1 })
	if err := other.Cancel(c.t.Context(), id); err != nil || !state(other).Over || state(own).Running != 1 {
		c.t.Errorf("a job of another name: %v, %+v, %+v", err, state(other), state(own))
	}
	if err := own.Cancel(c.t.Context(), id); err != nil {
		c.t.Error(err)
	}
	c.until("the part is cancelled", func() bool { return state(own).Over })
}

// overheads measures what the engine itself takes, by parts that wait. It is for the reader: how
// long anything takes depends on what else this machine does.
func (c *cluster) overheads() {
	kinds := []struct {
		parts   int
		seconds float64
	}{{30, 0}}
	if testrun.Long() {
		kinds = append(kinds, []struct {
			parts   int
			seconds float64
		}{{12, 10}, {12, 30}}...)
	}
	f, studies := farm.Slurm{Options: []string{"--partition=main"}}, filepath.Join(c.dir, "studies")
	machines := len(c.machines) - 1 // of that partition
	for _, kind := range kinds {
		begun := time.Now()
		id, err := f.Submit(c.t.Context(), farm.Job{
			Name: "wait", Directory: studies, Log: studies, Parts: kind.parts, Command: []string{"/bin/sleep", fmt.Sprint(kind.seconds)},
		})
		if err != nil {
			c.t.Fatal(err)
		}
		c.until("the parts have waited", func() bool {
			state, err := f.State(c.t.Context(), id)
			return err == nil && state.Over
		})
		took := time.Since(begun).Seconds()
		work := float64(kind.parts) * kind.seconds
		c.t.Logf("%d parts of %g s on %d machines took %.1f s: %.2f s of a machine a part for nothing, efficiency %.2f",
			kind.parts, kind.seconds, machines, took, (took*float64(machines)-work)/float64(kind.parts), work/(took*float64(machines)))
	}
}

// killWorkers kills what machines compute with, and returns how many processes that were.
func (c *cluster) killWorkers(machines []string) int {
	return c.signalWorkers(machines, syscall.SIGKILL)
}

// signalWorkers sends a signal to what machines compute with, and returns how many processes that
// were.
func (c *cluster) signalWorkers(machines []string, signal syscall.Signal) int {
	sent := 0
	for _, machine := range machines {
		for _, pid := range c.processes(machine) {
			if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); err == nil && strings.HasPrefix(string(name), "hierml") {
				if err := syscall.Kill(pid, signal); err != nil {
					c.t.Log(err) // it has just ended
				} else {
					sent++
				}
			}
		}
	}
	return sent
}

// trains has the cluster train, kills what waits for it and some of what computes, waits again, and
// compares what has become of it with what one process has made.
func (c *cluster) trains(program string) {
	c.t.Run("training", func(t *testing.T) {
		own := *c
		own.t = t
		own.write("train.go", clusterTraining)
		command := []string{"run", "--engine", "interpreted", "train.go"}
		local := own.begin(program, command...)
		if err := own.end(local); err != nil {
			t.Fatalf("%v: %s", err, &local.stderr)
		}
		run := own.begin(program, append(command, "train.parts")...)
		own.until("workers are killed", func() bool { return own.killWorkers(own.machines) > 0 })
		if err := run.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = own.end(run) // killed
		run = own.begin(program, append(command, "train.parts")...)
		if err := own.end(run); err != nil || run.stdout.String() != local.stdout.String() {
			t.Errorf("%v, %s: the cluster has %q, and one process %q", err, &run.stderr, &run.stdout, &local.stdout)
		}
		jobs, err := filepath.Glob(filepath.Join(own.dir, "studies", "train.parts", "jobs", "*"))
		t.Logf("%d jobs, %v: %s", len(jobs), err, &run.stdout)
	})
}

// fills has the directory of a study on a disk that is soon full, and then is not.
func (c *cluster) fills(program, want string) {
	disk := filepath.Join(c.dir, "studies", "full")
	mount := func(options string) { c.run("mount", "-t", "tmpfs", "-o", options, "none", disk) }
	if err := os.Mkdir(disk, 0o755); err != nil {
		c.t.Fatal(err)
	}
	mount("size=64k")
	c.t.Cleanup(func() { c.run("umount", "--lazy", disk) })
	command := []string{"study", "run", "a.json", "--on", "slurm", "--dir", "full/a.study"}
	run := c.begin(program, command...)
	err := c.end(run)
	lines := strings.Split(strings.TrimSpace(run.stderr.String()), "\n")
	said := lines[len(lines)-1]
	c.t.Log(said)
	if err == nil || !strings.HasPrefix(said, "hierml: experiment: write "+disk) || !strings.HasSuffix(said, ": no space left on device") {
		c.t.Errorf("of a full disk it says %q, %v", said, err)
	}
	mount("remount,size=10m")
	run = c.begin(program, command...)
	if err := c.end(run); err != nil || run.stdout.String() != want {
		c.t.Errorf("after that %v, %s\n%s", err, &run.stderr, &run.stdout)
	}
}

// refuses looks what is said, in one sentence, of what keeps machines from computing anything. The
// machine of the partition apart has a folder "apart" of its own.
func (c *cluster) refuses(program string) {
	data := filepath.Join(c.dir, "apart", "data")
	if err := os.Mkdir(data, 0o755); err != nil {
		c.t.Fatal(err)
	}
	var instances strings.Builder
	for i := range 40 {
		fmt.Fprintf(&instances, "%s 1:%d 2:%d\n", [...]string{"apple", "pear", "bread", "hammer"}[i%4], i%4, i%3)
	}
	for name, text := range map[string]string{
		"small.hier.tsv": "food\tfruit\nfruit\tapple\nfruit\tpear\nfood\tbread\ntool\thammer\n", "small.train.svm": instances.String(), "small.test.svm": instances.String(),
	} {
		if err := os.WriteFile(filepath.Join(data, name), []byte(text), 0o600); err != nil {
			c.t.Fatal(err)
		}
	}
	c.t.Setenv("HIERML_DATA", data)
	c.write("b.json", `{"Data": [{"Open": "small"}], "Methods": [{"Estimator": "svm.Flat"}]}`)
	last := c.machines[len(c.machines)-1]
	for _, test := range []struct {
		name, file, directory string
		options               []string
		want                  []string
	}{
		{"directory not shared", "a.json", filepath.Join(c.dir, "apart", "a.study"), []string{"--partition=apart"},
			[]string{"a part failed on machine " + last, filepath.Join(c.dir, "apart", "a.study"), "put it on a file system that all machines share"}},
		{"data missing", "b.json", "missing.study", []string{"--partition=apart"},
			[]string{"machine " + last + ` has no data set "small"`, data, "put it where all machines find it"}},
		{"refused", "a.json", "refused.study", []string{"--partition=none"}, []string{"sbatch says: ", "invalid partition specified: none"}},
		{"too large", "a.json", "large.study", []string{"--mem=100G"}, []string{"sbatch says: ", "Memory specification can not be satisfied"}},
	} {
		c.t.Run(test.name, func(t *testing.T) {
			own := *c
			own.t = t
			args := []string{"study", "run", test.file, "--on", "slurm", "--dir", test.directory}
			for _, option := range test.options {
				args = append(args, "--sbatch", option)
			}
			run := own.begin(program, args...)
			err := own.end(run)
			lines := strings.Split(strings.TrimSpace(run.stderr.String()), "\n")
			said := lines[len(lines)-1]
			t.Log(said)
			for _, want := range test.want {
				if err == nil || !strings.HasPrefix(said, "hierml: ") || !strings.Contains(said, want) {
					t.Errorf("%v, %q, want %q", err, said, want)
				}
			}
			own.until("no job is left", own.empty)
		})
	}
}

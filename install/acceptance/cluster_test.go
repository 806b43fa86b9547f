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

	"github.com/hierml/notebook/internal/testprogram"
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
		happen func(study string, run *command) (mend func(), again bool)
	}{
		{"nothing", 0, nil},
		{"workers killed", 3, func(string, *command) (func(), bool) {
			for _, machine := range c.machines[:2] {
				for _, pid := range c.processes(machine) {
					if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); err == nil && strings.HasPrefix(string(name), "hierml") {
						if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
							t.Log(err) // it has just ended
						}
					}
				}
			}
			return nil, false
		}},
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
		}},
		{"coordinator killed", 0, func(study string, run *command) (func(), bool) {
			if err := run.Process.Kill(); err != nil {
				t.Error(err)
			}
			return nil, true
		}},
		{"job cancelled", 3, func(string, *command) (func(), bool) {
			c.ask("scancel", "--me")
			return nil, false
		}},
		{"machine lost", 1, func(string, *command) (func(), bool) {
			c.signal("n2", syscall.SIGKILL)
			return func() {
				c.kill("n2")
				c.start("n2", "slurmd", "-D", "-N", "n2")
				c.until("n2 is back", func() bool { return strings.Contains(c.ask("sinfo", "--noheader", "--Node", "--states=idle"), "n2") })
			}, false
		}},
		{"machine frozen and woken", 1, func(study string, _ *command) (func(), bool) {
			frozen := c.signal("n3", syscall.SIGSTOP)
			return func() {
				for _, pid := range frozen {
					if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
						t.Error(err)
					}
				}
				c.until("no worker is left on n3", func() bool { return len(c.processes("n3")) == 0 })
			}, false
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c.t = t
			study := strings.ReplaceAll(test.name, " ", "-") + ".study"
			command := []string{"study", "run", "a.json", "--on", "slurm", "--sbatch", "--comment=test", "--dir", study}
			run := c.begin(program.File, command...)
			mend, again := func() {}, false
			if test.happen != nil {
				c.until("some cells are finished", func() bool { return len(c.finished(study)) >= middle })
				if m, a := test.happen(study, run); m != nil {
					mend, again = m, a
				} else {
					again = a
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
			if again { // it waited for the same job
				if jobs, err := filepath.Glob(filepath.Join(c.dir, "studies", study, "jobs", "*")); err != nil || len(jobs) != 2 {
					t.Errorf("the jobs %q were submitted, %v", jobs, err)
				}
			}
		})
	}
	c.t = t
}

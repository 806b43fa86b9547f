package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/adrg/xdg"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestDoctorOfBusyMachine is the attack on the doctor: of a program that does not answer in time,
// or is killed for want of memory, nothing follows but that it is to be asked again. It is ended
// with what it has started.
func TestDoctorOfBusyMachine(t *testing.T) {
	const forever = "echo $$ >> PIDS\nsleep 100000 &\necho $! >> PIDS\nwait"
	before := answerPatience
	t.Cleanup(func() { answerPatience = before })
	for _, program := range []struct {
		name, script, said string
		patience           time.Duration
	}{
		{"that waits", forever, "did not answer within 500ms; the machine may be busy", 500 * time.Millisecond},
		{"that is deaf to what asks it to end", "trap '' INT TERM HUP\n" + forever, "did not answer within 500ms; the machine may be busy", 500 * time.Millisecond},
		{"that is killed", "kill -KILL $$", "was killed before it answered; the machine may be busy", time.Hour},
	} {
		for _, c := range []struct {
			name    string
			command string
			examine func(context.Context) []finding
			prepare func(in *installation)
		}{
			{"jupyter", "jupyter", examineJupyter, func(*installation) {}},
			{"lab", "jupyter", examineLab, (*installation).course},
			{"papermill", "python", examinePapermill, func(in *installation) { in.script("papermill", "") }},
			{"go", "go", examineToolchain, func(*installation) {}},
			{"Slurm", "sbatch", examineCluster, func(*installation) {}},
			{"kernel", "hierml-other", examineKernels, func(in *installation) { in.kernel("hierml-other", filepath.Join(in.bin, "hierml-other")) }},
		} {
			t.Run(c.name+" "+program.name, func(t *testing.T) {
				dir := t.TempDir()
				in := &installation{t: t, bin: filepath.Join(dir, "bin"), jupyter: filepath.Join(dir, "jupyter")}
				t.Cleanup(xdg.Reload) // when the variables are what they were
				for name, value := range map[string]string{"PATH": in.bin + ":/usr/bin:/bin", "JUPYTER_DATA_DIR": in.jupyter, "JUPYTER_PATH": "", "XDG_DATA_HOME": filepath.Join(dir, "data")} {
					t.Setenv(name, value)
				}
				xdg.Reload()
				t.Chdir(dir)
				pids := filepath.Join(dir, "pids")
				in.script(c.command, strings.ReplaceAll(program.script, "PIDS", pids))
				c.prepare(in)
				answerPatience = program.patience
				found := false
				for _, f := range c.examine(t.Context()) {
					// What is not asked is looked at, too.
					if strings.Contains(strings.ToLower(f.text), c.command) && f.state != okState {
						found = found || strings.Contains(f.text, program.said)
						if f.state != hintState || strings.Contains(f.text, "install") || !strings.Contains(f.text, "run `hierml doctor` again") {
							t.Errorf("it says %s", f.line(false))
						}
					}
				}
				if !found {
					t.Errorf("it does not say that it %s", program.said)
				}
				written, _ := os.ReadFile(pids) // there is none if it was ended before it wrote
				for _, pid := range strings.Fields(string(written)) {
					testrun.Await(t, "the process ends", func() bool {
						stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
						return err != nil || strings.Contains(string(stat), ") Z ")
					})
				}
			})
		}
	}
}

// TestWorkerKilled holds the same of the process that runs cells.
func TestWorkerKilled(t *testing.T) {
	for cause, want := range map[string]bool{"killed": true, "killed (perhaps out of memory)": true, "killed by a signal (SIGKILL)": true, "killed by the system, which was out of memory": true, "out of memory": true, "SIGSEGV": false, "it ended without a message": false} {
		if err := error(&program.Error{Cause: &program.DeathError{Cause: cause}}); wasKilled(err) != want {
			t.Errorf("%s: killed is %v", cause, !want)
		}
	}
}

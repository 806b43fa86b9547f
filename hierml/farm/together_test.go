//go:build unix

package farm

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestSlurmSubmitTogether looks at what sbatch is given of parts that run together, and at how such
// jobs stand.
func TestSlurmSubmitTogether(t *testing.T) {
	j := job(t)
	j.Together, j.Command, j.Environment = true, []string{"/bin/echo", "a b"}, nil
	dir := programs(t, map[string]string{
		"sbatch":   `for a; do echo "$a"; done > "$0.args"; while IFS= read -r line; do printf '%s\n' "$line"; done > "$0.script"; echo '12'` + "\n",
		"squeue":   "echo '12|N/A|RUNNING|n[1-2],m3|None\n13|N/A|PENDING||launch failed requeued held\n14|N/A|FAILED|n1|NonZeroExitCode'\n",
		"scontrol": `echo "$@" >> "$0.args"; echo n1; echo n2; echo m3` + "\n",
	})
	f := Slurm{Options: []string{"--partition=main"}, AtOnce: 2}
	if id, err := f.Submit(t.Context(), j); err != nil || id != "12" {
		t.Fatalf("%q, %v", id, err)
	}
	for id, want := range map[string]State{
		"12": {Running: 1, Machines: []string{"m3", "n1", "n2"}}, "13": {Waiting: 1}, "14": {Failed: []Failure{{-1, "n1", Failed}}, Over: true},
	} {
		if got, err := f.State(t.Context(), id); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", id, got, err, want)
		}
	}
	for file, want := range map[string]string{
		"sbatch.args": "--parsable\n--job-name=a\n--requeue\n--open-mode=append\n--export=ALL\n--chdir=" + j.Directory + "\n--ntasks=3\n--output=" + j.Log + "/a_0.txt\n--partition=main\n",
		"sbatch.script": `#!/bin/sh
exec srun --kill-on-bad-exit=1 --cpus-per-task=${SLURM_CPUS_PER_TASK:-1} --open-mode=append --output='` + j.Log + `/a_%t.txt' sh -c 'export HIERML_PART=$SLURM_PROCID HIERML_PARTS=3 HIERML_PROCESSORS=${SLURM_CPUS_PER_TASK:-1} HIERML_MACHINE=$SLURMD_NODENAME HIERML_MEMORY='\'''\''
export HIERML_START=$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0}
exec '\''/bin/echo'\'' '\''a b'\''
'
`,
	} {
		if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(got) != want {
			t.Errorf("%s is %q (%v), want %q", file, got, err, want)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "scontrol.args")); err != nil || !strings.Contains(string(got), "release 13\n") {
		t.Errorf("scontrol is given %q, %v", got, err)
	}
}

// TestLocalTogether runs more parts than there are processes, which wait for each other, and loses one.
func TestLocalTogether(t *testing.T) {
	j := job(t)
	for _, name := range []string{"0", "1", "2"} {
		if err := syscall.Mkfifo(filepath.Join(j.Directory, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	j.Together = true
	// Each writes to the next and reads from the one before, which none can do alone.
	j.Command = []string{"/bin/sh", "-c", `echo $HIERML_START > $(((HIERML_PART + 1) % HIERML_PARTS)) & cat $HIERML_PART > said$HIERML_PART; wait`}
	f := Local{Processes: 1}
	id, err := f.Submit(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if s := until(t, f, id, over); s.Failed != nil {
		t.Errorf("%+v", s)
	}
	for part := range j.Parts {
		if got, err := os.ReadFile(filepath.Join(j.Directory, fmt.Sprint("said", part))); err != nil || string(got) != filepath.Base(id)+"\n" {
			t.Errorf("part %d reads %q, %v", part, got, err)
		}
	}
	// Part 1 ends when another waits already.
	j.Name, j.Command = "b", []string{"/bin/sh", "-c", `test $HIERML_PART = 1 && read wait < 0 && exit 3; echo go > 0; cat 2; : > late`}
	if id, err = f.Submit(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	if s := until(t, f, id, over); !slices.Contains(s.Failed, Failure{1, Machine(), Failed}) {
		t.Errorf("%+v", s)
	}
	if _, err := os.Stat(filepath.Join(j.Directory, "late")); err == nil {
		t.Error("a part went on without the one that was lost")
	}
}

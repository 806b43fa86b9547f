package farm

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// programs puts programs of Slurm's on PATH that are scripts for a shell, and nothing else of
// Slurm's.
func programs(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	return dir
}

func job(t *testing.T) Job {
	return Job{Name: "a", Directory: t.TempDir(), Log: t.TempDir(), Parts: 3, Command: []string{"/bin/echo", "it's"}, Environment: []string{"X=a 'b'"}}
}

// TestSlurmSubmit looks at what sbatch is given.
func TestSlurmSubmit(t *testing.T) {
	j := job(t)
	j.After = "7"
	dir := programs(t, map[string]string{"sbatch": `for a; do echo "$a"; done > "$0.args"; while IFS= read -r line; do printf '%s\n' "$line"; done > "$0.script"; echo '12;main'` + "\n"})
	id, err := Slurm{Options: []string{"--mem=4G"}, AtOnce: 2}.Submit(t.Context(), j)
	if err != nil || id != "12" {
		t.Fatalf("%q, %v", id, err)
	}
	for file, want := range map[string]string{
		"sbatch.args": "--parsable\n--job-name=a\n--requeue\n--open-mode=append\n--export=ALL\n--chdir=" + j.Directory + "\n--array=0-2%2\n--ntasks=1\n--output=" + j.Log +
			"/a_%a.txt\n--dependency=afterany:7\n--mem=4G\n",
		"sbatch.script": `#!/bin/sh
export HIERML_PART=$SLURM_ARRAY_TASK_ID HIERML_PARTS=3 HIERML_PROCESSORS=${SLURM_CPUS_PER_TASK:-1} HIERML_MACHINE=$SLURMD_NODENAME HIERML_MEMORY=$SLURM_MEM_PER_NODE
export X='a '\''b'\'''
exec '/bin/echo' 'it'\''s'
`,
	} {
		if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(got) != want {
			t.Errorf("%s is %q (%v), want %q", file, got, err, want)
		}
	}
}

// TestSlurmRefusals are the sentences for what cannot be submitted.
func TestSlurmRefusals(t *testing.T) {
	good := job(t)
	for _, test := range []struct {
		sbatch  string
		options []string
		change  func(*Job)
		want    string
	}{
		{"echo 'sbatch: error: invalid partition specified: big\nsbatch: error: Batch job submission failed: Invalid partition name specified' >&2; exit 1", nil, nil,
			"farm: sbatch says: invalid partition specified: big; Batch job submission failed: Invalid partition name specified"},
		{"exit 3", nil, nil, "farm: sbatch: exit status 3"},
		{"echo hello", nil, nil, "farm: sbatch printed \"hello\\n\"; expected the number of a job"},
		{"", nil, nil, "farm: there is no program sbatch on this machine; run this where Slurm is installed, such as on the login node of a cluster"},
		{"echo 1", []string{"main"}, nil, `farm: "main" is not an option of sbatch; write one with its value as one word, such as --partition=main`},
		{"echo 1", []string{"--array=0-9"}, nil, `farm: the option "--array" of sbatch is not allowed for a job; use the full name of one of --account, --begin, `},
		{"echo 1", []string{"--mem"}, nil, "farm: the option --mem of sbatch has no value; write it as one word, such as --partition=main"},
		{"echo 1", []string{"--nodelist=/etc/passwd"}, nil, `farm: the option --nodelist of sbatch cannot have the value "/etc/passwd"`},
		{"echo -7", nil, nil, "farm: sbatch printed \"-7\\n\"; expected the number of a job"},
		{"echo 1", nil, func(j *Job) { j.Parts = 0 }, "farm: a job of 0 parts; it needs at least 1"},
		{"echo 1", nil, func(j *Job) { j.Name = "a/b" }, `farm: "a/b" cannot be the name of a job`},
		{"echo 1", nil, func(j *Job) { j.Command = nil }, "farm: the job has no command"},
		{"echo 1", nil, func(j *Job) { j.Log = "log" }, "must be absolute paths, because it runs elsewhere"},
		{"echo 1", nil, func(j *Job) { j.Environment = []string{"X"} }, `farm: "X" in the environment of a job is not NAME=value`},
	} {
		scripts := map[string]string{"sbatch": test.sbatch + "\n"}
		if test.sbatch == "" {
			scripts = nil
		}
		programs(t, scripts)
		j := good
		if test.change != nil {
			test.change(&j)
		}
		if id, err := (Slurm{Options: test.options}).Submit(t.Context(), j); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %q, %v, want %q", cmp.Or(test.sbatch, "no sbatch"), id, err, test.want)
		}
	}
}

// TestSlurmState reads what squeue prints.
func TestSlurmState(t *testing.T) {
	lines := "12|0|COMPLETED|n1|None\n12|1|FAILED|n2|NonZeroExitCode\n12|2|CANCELLED||None\n12|3|OUT_OF_MEMORY|n1|OutOfMemory\n12|4|NODE_FAIL|n3|None\n12|5|TIMEOUT|n1|TimeLimit\n12|N/A|CANCELLED||Dependency\n3|0|RUNNING|n9|None\n"
	failed := []Failure{{1, "n2", Failed}, {3, "n1", "OUT_OF_MEMORY"}, {4, "n3", "NODE_FAIL"}, {5, "n1", "TIMEOUT"}}
	for _, test := range []struct {
		more string
		want State
	}{
		{"", State{Failed: failed, Over: true}},
		{"12|6|RUNNING|n2|None\n12|7|RUNNING|n1|None\n12|8|COMPLETING|n2|None\n12|9|PENDING||Resources\n12|10|REQUEUED||BeginTime\n", State{Waiting: 2, Running: 3, Machines: []string{"n1", "n2"}, Failed: failed}},
	} {
		programs(t, map[string]string{"squeue": "echo '" + strings.TrimSpace(lines+test.more) + "'\n"})
		if got, err := (Slurm{}).State(t.Context(), "12"); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%+v, %v, want %+v", got, err, test.want)
		}
		if got, err := (Slurm{}).State(t.Context(), "13"); err != nil || !reflect.DeepEqual(got, State{Over: true}) {
			t.Errorf("of a job that is forgotten: %+v, %v", got, err)
		}
	}
	dir := programs(t, map[string]string{"squeue": "echo '12|3|PENDING||launch failed requeued held\n12|4|PENDING||Resources\n12|7|PENDING||launch failed requeued held'\n", "scontrol": `echo "$@" > "$0.args"` + "\n"})
	if got, err := (Slurm{}).State(t.Context(), "12"); err != nil || got.Waiting != 3 || got.Over {
		t.Errorf("of parts that could not be started: %+v, %v", got, err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "scontrol.args")); err != nil || string(got) != "-- release 12_3 12_7\n" {
		t.Errorf("scontrol is given %q, %v", got, err)
	}
	programs(t, map[string]string{"squeue": "echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1\n"})
	if _, err := (Slurm{}).State(t.Context(), "12"); err == nil || err.Error() != "farm: squeue says: slurm_load_jobs error: Unable to contact slurm controller (connect failure)" {
		t.Error(err)
	}
}

func TestSlurmCancelAndLimits(t *testing.T) {
	dir := programs(t, map[string]string{"scancel": `echo "$@" > "$0.args"` + "\n", "scontrol": "echo 'MaxArraySize            = 1001'\n"})
	for name, want := range map[string]string{"": "--quiet -- 2 1\n", "a": "--quiet --name=a -- 2 1\n"} {
		if err := (Slurm{Name: name}).Cancel(t.Context(), "2", "1"); err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "scancel.args")); err != nil || string(got) != want {
			t.Errorf("scancel is given %q, %v, want %q", got, err, want)
		}
	}
	if n, err := (Slurm{}).MaxParts(t.Context()); err != nil || n != 1001 {
		t.Errorf("%d parts, %v", n, err)
	}
	for state, want := range map[string]string{"COMPLETED": "", "COMPLETING": "", "PENDING": "farm: scancel: exit status 1", "RUNNING": "farm: scancel: exit status 1"} {
		programs(t, map[string]string{"scancel": "exit 1\n", "squeue": "echo '2|0|" + state + "|n1|None'\n"})
		said := ""
		if err := (Slurm{Name: "a"}).Cancel(t.Context(), "2"); err != nil {
			said = err.Error()
		}
		if said != want {
			t.Errorf("of a job that is %s: %q, want %q", state, said, want)
		}
	}
	programs(t, map[string]string{"scontrol": "echo 'Nothing = 1'\n"})
	if n, err := (Slurm{}).MaxParts(t.Context()); err == nil {
		t.Errorf("%d parts", n)
	}
}

// until asks how a job stands until that is so. Between it waits for the processor, not for a time.
func until(t *testing.T, f Farm, id string, so func(State) bool) State {
	t.Helper()
	for t.Context().Err() == nil {
		s, err := f.State(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if so(s) {
			return s
		}
		runtime.Gosched()
	}
	t.Fatal(t.Context().Err())
	return State{}
}

func over(s State) bool { return s.Over }

// TestLocal runs parts, one of which fails, and a job after them.
func TestLocal(t *testing.T) {
	j := job(t)
	j.Command = []string{"/bin/sh", "-c", `echo "$HIERML_PART of $HIERML_PARTS, $X" > part$HIERML_PART; echo said; test "$HIERML_PART" != 1`}
	f := Local{Processes: 2}
	id, err := f.Submit(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	next := j
	next.Name, next.Parts, next.After, next.Command = "b", 1, id, []string{"/bin/sh", "-c", "cat part0 part1 part2 > all"}
	second, err := f.Submit(t.Context(), next)
	if err != nil {
		t.Fatal(err)
	}
	until(t, f, second, over)
	if got, err := os.ReadFile(filepath.Join(j.Directory, "all")); err != nil || string(got) != "0 of 3, a 'b'\n1 of 3, a 'b'\n2 of 3, a 'b'\n" {
		t.Errorf("the parts, and what came after, wrote %q, %v", got, err)
	}
	if s := until(t, f, id, over); !slices.Equal(s.Failed, []Failure{{1, Machine(), Failed}}) || s.Running != 0 || s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
	if got, err := os.ReadFile(filepath.Join(j.Log, "a_2.txt")); err != nil || string(got) != "said\n" {
		t.Errorf("the log has %q, %v", got, err)
	}
	if s, err := f.State(t.Context(), filepath.Join(j.Log, "none")); err != nil || !s.Over {
		t.Errorf("of a job that is not known: %+v, %v", s, err)
	}
}

// TestLocalCancel ends parts at work.
func TestLocalCancel(t *testing.T) {
	j := job(t)
	// All that the part starts has the pipe alive open.
	j.Command = []string{"/bin/sh", "-c", "mkfifo held alive; exec 9> alive; cat held; : > late"}
	j.Parts = 1
	id, err := Local{}.Submit(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	ready := func(s State) bool {
		_, err := os.Stat(filepath.Join(j.Directory, "alive"))
		return err == nil && s.Running == 1
	}
	if s := until(t, Local{}, id, ready); s.Over || !slices.Equal(s.Machines, []string{Machine()}) {
		t.Errorf("%+v", s)
	}
	alive, err := os.Open(filepath.Join(j.Directory, "alive"))
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	for range 2 { // the second time it is over
		if err := (Local{}).Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		until(t, Local{}, id, over)
	}
	if _, err := io.ReadAll(alive); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(j.Directory, "late")); err == nil {
		t.Error("the part went on")
	}
}

// TestPart reads what the environment says.
func TestPart(t *testing.T) {
	for text, want := range map[string]string{"0": "0 true <nil>", "12": "12 true <nil>", "-1": `0 true farm: HIERML_PART is "-1"; it must be the number of a part, from 0`, "": `0 true farm: HIERML_PART is ""; it must be the number of a part, from 0`} {
		t.Setenv(PartVariable, text)
		if n, ok, err := Part(); fmt.Sprint(n, ok, err) != want {
			t.Errorf("%q: %d %t %v", text, n, ok, err)
		}
	}
}

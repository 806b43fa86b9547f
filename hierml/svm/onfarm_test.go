//go:build unix

package svm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/experiment"
	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/internal/testfault"
)

const (
	// names a file that the first process of a farm removes, to be killed
	deathOfTest = "HIERML_TEST_DEATH"
	gateOfTest  = "HIERML_TEST_GATE" // names a pipe that processes read first
)

// TestMain is the program of the parts as well.
func TestMain(m *testing.M) {
	if _, ok, _ := farm.Part(); !ok {
		os.Exit(m.Run())
	}
	if file := os.Getenv(deathOfTest); file != "" && os.Remove(file) == nil {
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			panic(err)
		}
	}
	if gate := os.Getenv(gateOfTest); gate != "" {
		if _, err := os.ReadFile(gate); err != nil {
			panic(err)
		}
	}
	if err := svm.RunPart(context.Background()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// bits are the weights of all nodes, with their certificate.
func bits(t *testing.T, m *classifier.Model) string {
	t.Helper()
	var b strings.Builder
	r := m.Training.Certificate
	fmt.Fprintf(&b, "%s C %g primal %x dual %x gap %x origin %x epochs %d %v\n", m.Name, m.C, math.Float64bits(r.Primal), math.Float64bits(r.Dual), math.Float64bits(r.Gap), math.Float64bits(r.Origin), r.Epochs, r.Status)
	for n := range m.Taxonomy.Len() {
		fmt.Fprintf(&b, "%s:", m.Taxonomy.Name(n))
		for f, w := range m.Weights(n) {
			if math.Float64bits(w) != 0 {
				fmt.Fprintf(&b, " %d=%x", f, math.Float64bits(w))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// jobsOf returns how many jobs were submitted in a directory.
func jobsOf(t *testing.T, directory string) int {
	t.Helper()
	jobs, err := filepath.Glob(filepath.Join(directory, "jobs", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return len(jobs)
}

// TestFarmOfProblems compares trainings on a farm with those of this process, to the last bit.
func TestFarmOfProblems(t *testing.T) {
	tree := example.Texts(example.Tree(3, 3), 90, 4000, 20, 1)
	graph := example.Texts(example.Graph(14, 3), 80, 300, 15, 2)
	deep := example.Texts(example.Tree(2, 2, 2, 2, 2, 2, 2, 2), 150, 3000, 20, 4) // few weights are other than zero
	leaf := *tree                                                                 // one leaf has no instances, and one instance no label
	leaf.Labels = append([][]int(nil), tree.Labels...)
	empty := tree.Taxonomy.Leaves()[4]
	for i, set := range leaf.Labels {
		if set[0] == empty {
			leaf.Labels[i] = nil
		}
	}
	heavy := *tree
	heavy.Weights = make([]float64, tree.Len())
	for i := range heavy.Weights {
		heavy.Weights[i] = float64(i%5) / 2
	}
	for _, test := range []struct {
		name string
		data *dataset.Dataset
		of   func(solver.Settings) classifier.Estimator
		set  solver.Settings
	}{
		{"one-vs-rest", &leaf, func(s solver.Settings) classifier.Estimator { return svm.OneVsRest{C: 2, Settings: s} }, solver.Settings{Seed: 3}},
		{"wide", tree, func(s solver.Settings) classifier.Estimator { return svm.OneVsRest{Settings: s} }, solver.Settings{Gap: 1e-6}},
		{"logistic", tree, func(s solver.Settings) classifier.Estimator { return svm.OneVsRest{Loss: solver.Logistic, Settings: s} }, solver.Settings{}},
		{"few epochs", tree, func(s solver.Settings) classifier.Estimator { return svm.OneVsRest{C: 100, Settings: s} }, solver.Settings{MaxEpochs: 2}},
		{"groups", tree, func(s solver.Settings) classifier.Estimator {
			return svm.OneVsRest{Settings: s, Method: solver.BCFW{Sample: true}}
		}, solver.Settings{}},
		{"recursive", tree, func(s solver.Settings) classifier.Estimator {
			return svm.Recursive{Mean: svm.LocalMean, C: 50, Settings: s}
		}, solver.Settings{}},
		{"sparse", deep, func(s solver.Settings) classifier.Estimator { return svm.Recursive{Settings: s} }, solver.Settings{}},
		{"recursive, graph", graph, func(s solver.Settings) classifier.Estimator {
			return svm.Recursive{Settings: s, Method: solver.DualAscent{}}
		}, solver.Settings{}},
		{"label tree", tree, func(s solver.Settings) classifier.Estimator {
			return svm.PLT{Policy: svm.Siblings, Link: classifier.SquaredHinge, Settings: s}
		}, solver.Settings{}},
		{"one-vs-rest, weighted", &heavy, func(s solver.Settings) classifier.Estimator { return svm.OneVsRest{Settings: s} }, solver.Settings{}},
		{"recursive, weighted", &heavy, func(s solver.Settings) classifier.Estimator { return svm.Recursive{Settings: s} }, solver.Settings{}},
		{"label tree, weighted", &heavy, func(s solver.Settings) classifier.Estimator { return svm.PLT{Settings: s} }, solver.Settings{}},
		{"softmax, weighted", &heavy, func(s solver.Settings) classifier.Estimator { return svm.HierarchicalSoftmax{Settings: s} }, solver.Settings{}},
		{"softmax", tree, func(s solver.Settings) classifier.Estimator { return svm.HierarchicalSoftmax{C: 3, Settings: s} }, solver.Settings{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want, err := test.of(test.set).Fit(t.Context(), test.data)
			if err != nil {
				t.Fatal(err)
			}
			set := test.set
			set.Farm, set.Directory = farm.Local{Processes: 2}, filepath.Join(t.TempDir(), "a.parts")
			for range 2 { // the second time nothing is left to do
				got, err := test.of(set).Fit(t.Context(), test.data)
				if err != nil {
					t.Fatal(err)
				}
				if a, b := bits(t, got), bits(t, want); a != b {
					t.Errorf("on a farm\n%.600s\nhere\n%.600s", a, b)
				}
				if n := jobsOf(t, set.Directory); n != 1 {
					t.Errorf("%d jobs", n)
				}
			}
		})
	}
}

// TestFarmLosesProcess has a process killed: what it had is solved by another job.
func TestFarmLosesProcess(t *testing.T) {
	d := example.Texts(example.Tree(2, 2), 40, 100, 10, 1)
	death := filepath.Join(t.TempDir(), "death")
	if err := os.WriteFile(death, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(deathOfTest, death)
	set := solver.Settings{Farm: farm.Local{Processes: 2}, Directory: filepath.Join(t.TempDir(), "a.parts")}
	got, err := svm.OneVsRest{Settings: set}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	want, err := svm.OneVsRest{}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if bits(t, got) != bits(t, want) {
		t.Error("the weights are others")
	}
	if n := jobsOf(t, set.Directory); n != 2 {
		t.Errorf("%d jobs, want 2", n)
	}
}

// waiting is a watcher that is told once that a training waits for its parts.
type waiting struct {
	once *sync.Once
	told chan struct{}
}

func (w waiting) Begin(string) progress.Task    { return w }
func (w waiting) Note(string)                   {}
func (w waiting) Report(float64, func() string) { w.once.Do(func() { close(w.told) }) }
func (w waiting) Expect(time.Duration)          {}
func (w waiting) End()                          {}

// another is a farm of another kind.
type another struct{ farm.Local }

// TestFarmDetaches ends the waiting, waits again, stops and begins anew.
func TestFarmDetaches(t *testing.T) {
	d := example.Texts(example.Tree(2, 2), 40, 100, 10, 1)
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(gateOfTest, gate)
	set := solver.Settings{Farm: farm.Local{Processes: 2}, Directory: filepath.Join(t.TempDir(), "a.parts")}
	s := svm.OneVsRest{Settings: set}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	_, err := s.Fit(ctx, d)
	if err == nil || !errors.Is(err, why) || !strings.Contains(err.Error(), "goes on, with 0 of 4 problems finished: train again to wait for the rest, or stop it") {
		t.Fatal(err)
	}
	attached := waiting{new(sync.Once), make(chan struct{})}
	stopped := make(chan error, 1)
	go func() {
		_, err := s.Fit(progress.With(t.Context(), attached), d)
		stopped <- err
	}()
	select {
	case <-attached.told: // or it might be stopped before, and the training begun anew
	case err := <-stopped:
		t.Fatal(err)
	}
	elsewhere := s
	elsewhere.Settings.Farm = another{}
	if _, err := elsewhere.Fit(t.Context(), d); err == nil || !strings.Contains(err.Error(), "a farm of another kind, farm.Local, is at work in "+set.Directory) {
		t.Error(err)
	}
	other := s
	other.C = 3
	if _, err := other.Fit(t.Context(), d); err == nil || !strings.Contains(err.Error(), set.Directory+" has another training") {
		t.Error(err)
	}
	if err := experiment.Stop(t.Context(), set.Directory); err != nil {
		t.Fatal(err)
	}
	if err := <-stopped; err == nil || !strings.Contains(err.Error(), "the training was stopped, with 0 of 4 problems finished; train again to go on") {
		t.Error(err)
	}
	t.Setenv(gateOfTest, "")
	got, err := s.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	want, err := svm.OneVsRest{}.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if bits(t, got) != bits(t, want) {
		t.Error("the weights are others")
	}
	if n := jobsOf(t, set.Directory); n != 2 {
		t.Errorf("%d jobs, want 2", n)
	}
}

// inline is a farm that runs the parts of a job at once, in this process.
type inline struct{}

func (inline) Submit(ctx context.Context, j farm.Job) (string, error) {
	name, value, _ := strings.Cut(j.Environment[0], "=")
	for part := range j.Parts {
		err := errors.Join(os.Setenv(name, value), os.Setenv(farm.PartVariable, strconv.Itoa(part)), svm.RunPart(ctx))
		if err = errors.Join(err, os.Unsetenv(name), os.Unsetenv(farm.PartVariable)); err != nil {
			return "", err
		}
	}
	return "1", nil
}
func (inline) State(context.Context, string) (farm.State, error) { return farm.State{Over: true}, nil }
func (inline) Cancel(context.Context, ...string) error           { return nil }

// TestForeignTraining replaces what is in the directory of a training by links and all else that it
// is not: nothing outside changes, and what would be read is refused by its name.
func TestForeignTraining(t *testing.T) {
	d := example.Texts(example.Tree(2, 2), 40, 100, 10, 1)
	train := func(directory string) error {
		_, err := svm.OneVsRest{Settings: solver.Settings{Farm: inline{}, Directory: directory}}.Fit(t.Context(), d)
		return err
	}
	template := filepath.Join(t.TempDir(), "a.parts")
	if err := train(template); err != nil {
		t.Fatal(err)
	}
	solved, err := filepath.Glob(filepath.Join(template, "parts", "*", "*.safetensors"))
	if err != nil || len(solved) < 2 {
		t.Fatalf("%q, %v", solved, err)
	}
	const submitted = `{"Farm": {"svm_test.inline": {}}, "Attempts": [[{"Name": "0001-1", "ID": "1", "Tag": "0123456789abcdef"}]]}`
	if err := errors.Join(os.Remove(solved[0]), os.WriteFile(filepath.Join(template, "farm.json"), []byte(submitted), 0o600),
		os.WriteFile(solved[1]+".0123abcd.tmp", nil, 0o600), os.WriteFile(filepath.Join(template, "data.safetensors.0123abcd.tmp"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	testfault.Foreign(t, template, map[string]func(string) error{"training": train}, []string{"training"}, func(kind, path string) bool {
		// What the job before had is not asked for again, and its log is read where it failed.
		return kind == "hard link" && path != "lock" || strings.HasPrefix(path, "jobs/") || strings.HasPrefix(path, "log/") || strings.HasSuffix(path, ".tmp") || path == filepath.Dir(solved[0])
	})
	directory := testfault.CopyFolder(t, template)
	if err := train(directory); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"*.tmp", "*/*.tmp", "*/*/*.tmp"} {
		if left, err := filepath.Glob(filepath.Join(directory, pattern)); err != nil || len(left) > 0 {
			t.Errorf("there is %q, %v", left, err)
		}
	}
}

// spoiling is a farm whose machines do not find the data.
type spoiling struct {
	farm.Local
	directory string
}

func (s spoiling) Submit(ctx context.Context, j farm.Job) (string, error) {
	if err := os.Rename(filepath.Join(s.directory, "data.safetensors"), filepath.Join(s.directory, "elsewhere")); err != nil {
		return "", err
	}
	return s.Local.Submit(ctx, j)
}

// TestFarmOfProblemsFaults are the sentences for what keeps a training from a farm.
func TestFarmOfProblemsFaults(t *testing.T) {
	d := example.Texts(example.Tree(2, 2), 40, 100, 10, 1)
	directory := filepath.Join(t.TempDir(), "a.parts")
	set := solver.Settings{Farm: farm.Local{}, Directory: directory}
	with := func(change func(*solver.Settings)) solver.Settings { s := set; change(&s); return s }
	study := t.TempDir()
	if err := os.WriteFile(filepath.Join(study, "study.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		e    classifier.Estimator
		want string
	}{
		{"no directory", svm.OneVsRest{Settings: with(func(s *solver.Settings) { s.Directory = "" })}, "svm: a training on a farm needs a directory that all its machines can access"},
		{"no farm", svm.OneVsRest{Settings: with(func(s *solver.Settings) { s.Farm = nil })}, "solver: Farm and Directory are for trainings of many problems"},
		{"time", svm.Recursive{Settings: with(func(s *solver.Settings) { s.Time = 1 })}, "svm: Settings.Time is not supported on a farm"},
		{"start", svm.OneVsRest{Settings: with(func(s *solver.Settings) { s.Start = &solver.Result{} })}, "svm: a training on a farm does not support Settings.Start"},
		{"one problem", svm.Flat{Settings: set}, "solver: Farm and Directory are for trainings of many problems"},
		{"hierarchical regularization", svm.HR{Settings: set}, "solver: Farm and Directory are for trainings of many problems"},
		{"a study's", svm.OneVsRest{Settings: with(func(s *solver.Settings) { s.Directory = study })}, "svm: " + study + " has a study; choose another Directory"},
		{"no data", svm.OneVsRest{Settings: with(func(s *solver.Settings) { s.Farm = spoiling{farm.Local{}, directory} })}, "svm: machine " + farm.Machine() + ": "},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := test.e.Fit(t.Context(), d); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	if err := svm.RunPart(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "svm: this process is not a part of a training") {
		t.Error(err)
	}
}

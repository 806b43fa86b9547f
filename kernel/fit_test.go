package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/testrun"
)

// estimators returns a command of a Python with scikit-learn, the package for Python, and the
// program on its PATH.
func estimators(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	python := testrun.Python(t, "sklearn", "scipy", "pandas")
	folder, err := filepath.Abs("../python")
	if err != nil {
		t.Fatal(err)
	}
	// What go test remembers of a test depends on the files that it opens itself.
	for _, pattern := range []string{"hierml/*.py", "tests/estimators/*.py"} {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no files %s: %v", folder, pattern, err)
		}
		for _, file := range files {
			if _, err := os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir := t.TempDir()
	if err := os.Symlink(binary, filepath.Join(dir, "hierml")); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), python, arguments...)
	c.Env = append(os.Environ(), "PYTHONPATH="+folder, "PYTHONDONTWRITEBYTECODE=1", "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return c
}

// TestPythonEstimators runs the tests of the estimators for scikit-learn, its own checks of each
// among them.
func TestPythonEstimators(t *testing.T) {
	c := estimators(t, "-m", "unittest", "discover", "-s", "../python/tests/estimators")
	out, err := c.CombinedOutput()
	if err != nil || !regexp.MustCompile(`Ran [1-9][0-9]+ tests`).Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// TestPythonEstimatorsTrainAsInGo trains each estimator in Python and in Go on the same rows: the
// models, read in Go, have the same scores to the last bit, and Python predicts the same.
func TestPythonEstimatorsTrainAsInGo(t *testing.T) {
	classes := []string{"animal/cat", "animal/dog", "plant/moss", "plant/tree/oak", "plant/tree/yew"}
	rng := rand.New(rand.NewPCG(1, 9))
	var rows [][]float64
	var paths [][]string
	var names [][]string
	for range 240 {
		k := rng.IntN(len(classes))
		row := make([]float64, 12)
		for j := range row {
			if row[j] = rng.NormFloat64(); rng.IntN(3) == 0 {
				row[j] = 0
			}
		}
		row[k] += 2
		rows, paths, names = append(rows, row), append(paths, strings.Split(classes[k], "/")), append(names, []string{classes[k]})
	}
	tree, err := taxonomy.FromPaths(classes, "/")
	if err != nil {
		t.Fatal(err)
	}
	labels, err := dataset.LabelSets(tree, names)
	if err != nil {
		t.Fatal(err)
	}
	dense := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		dense.SetRow(i, row)
	}
	d, err := dataset.FromDense("rows", tree, dense, labels)
	if err != nil {
		t.Fatal(err)
	}
	input, err := json.Marshal(map[string]any{"x": rows, "y": paths})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	c := estimators(t, "testdata/estimators.py", folder)
	c.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	var predicted map[string][]string
	if err := json.Unmarshal(out, &predicted); err != nil {
		t.Fatal(err)
	}
	const one = 1 // the default value of intercept_scaling
	same := map[string]classifier.Estimator{
		"FlatSVC": svm.Flat{Intercept: one}, "HierarchicalSVC": svm.Hierarchical{Intercept: one}, "NormalizedSVC": svm.Normalized{Intercept: one},
		"SharedSVC": svm.Shared{Intercept: one}, "RecursiveSVC": svm.Recursive{Intercept: one}, "OrthogonalTransferSVC": svm.Orthogonal{Intercept: one},
		"HierarchicalSoftmaxClassifier": svm.HierarchicalSoftmax{Intercept: one}, "LabelTreeClassifier": svm.PLT{Intercept: one},
		"OneVsRestSVC":           svm.OneVsRest{Intercept: one, Loss: solver.SquaredHinge},
		"HRClassifier":           svm.HR{Intercept: one, Loss: solver.SquaredHinge},
		"HierarchicalPerceptron": perceptron.Hierarchical{Intercept: one, Averaged: true},
		"HieronClassifier":       perceptron.Hieron{Intercept: one, Averaged: true},
	}
	if len(predicted) != len(same) {
		t.Errorf("Python has %d estimators, and this test %d", len(predicted), len(same))
	}
	for name, estimator := range same {
		want, err := estimator.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := classifier.Load(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(name, err)
		}
		if !mat.Equal(got.LeafScores(d.X), want.LeafScores(d.X)) {
			t.Errorf("%s: the model of Python has other scores than that of Go", name)
		}
		for i, leaf := range want.Predict(d.X) {
			if i >= len(predicted[name]) || predicted[name][i] != tree.Name(leaf) {
				t.Errorf("%s: row %d is %s in Go, and another in Python: %q", name, i, tree.Name(leaf), predicted[name])
				break
			}
		}
	}
}

// TestFitRefuses gives the program lines that are no requests: it ends, with a sentence.
func TestFitRefuses(t *testing.T) {
	for _, test := range []struct{ name, in, says string }{
		{"not JSON", "x\n", "not a request"},
		{"another type", `{"fit":"1"}` + "\n", "not a request"},
		{"an unknown field", `{"fit":1,"pickle":"x"}` + "\n", "not a request"},
		{"too long", `{"fit":1,"folder":"` + strings.Repeat("x", maxFitRequest) + "\"}\n", "longer than"},
		{"a relative folder", `{"fit":1,"folder":"tmp"}` + "\n", "not an absolute path"},
		{"nothing to cancel", `{"fit":7,"cancel":true}` + "\n", ""},
		{"nothing", "", ""},
	} {
		ended := hierml(t, t.TempDir(), test.in, "fit")
		if !strings.Contains(ended.stderr, test.says) || (test.says == "") != (ended.status == 0) || ended.stdout != "" {
			t.Errorf("%s: status %d, %s%s", test.name, ended.status, ended.stderr, ended.stdout)
		}
	}
}

// TestFitAnswersErrors asks for trainings that cannot be: each is answered by an error, and the
// program goes on. When nothing more is asked, the folder of a training is removed with the files
// that belong there, and with no other.
func TestFitAnswersErrors(t *testing.T) {
	folder := t.TempDir()
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	served := make(chan error, 1)
	go func() {
		f := &trainings{ctx: t.Context(), out: answers, running: make(map[int]context.CancelFunc)}
		served <- f.serve(requests)
	}()
	lines := bufio.NewScanner(out)
	ask := func(id int, folder, estimator, fields, says string) {
		t.Helper()
		if _, err := fmt.Fprintf(in, `{"fit":%d,"folder":%q,"estimator":%q,"fields":%s,"weights":true}`+"\n", id, folder, estimator, fields); err != nil {
			t.Fatal(err)
		}
		var answer fitAnswer
		if !lines.Scan() || json.Unmarshal(lines.Bytes(), &answer) != nil || answer.Fit != id || !strings.Contains(answer.Error, says) || answer.Trained != nil {
			t.Errorf("%s %s in %s: %s, want %q", estimator, fields, folder, lines.Bytes(), says)
		}
	}
	ask(1, filepath.Join(folder, "none"), "svm.Flat", "{}", "no such file")
	data := filepath.Join(folder, fitData)
	write := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(fitData, []byte("no data"))
	ask(2, folder, "svm.Flat", "{}", "not a file of dataset.SaveMap")
	tree, err := taxonomy.FromPaths([]string{"a", "b"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	err = dataset.SaveMap(t.Context(), data, "two", tree, nil, func(yield func(dataset.Instance, error) bool) {
		_ = yield(dataset.Instance{Labels: []int{0}, Columns: []int32{0}, Values: []float32{1}}, nil) &&
			yield(dataset.Instance{Labels: []int{1}, Columns: []int32{1}, Values: []float32{1}}, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	ask(3, folder, "svm.Flat", "{}", "no such file")
	write(fitWeights, make([]byte, 15))
	ask(4, folder, "svm.Flat", "{}", "15 bytes")
	write(fitWeights, make([]byte, 16))
	ask(5, folder, "svm.Flat", "{}", "weight")
	ask(6, folder, "os.Exit", "{}", "nothing is called")
	ask(7, folder, "svm.Flat", `{"D":1}`, "no field D")
	write(fitWeights, []byte("\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\xf0?"))
	ask(8, folder, "svm.Flat", `{"C":-1}`, "C is -1")
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(data); err != nil {
		t.Errorf("the data of a training that was answered are gone: %v", err)
	}
}

// TestFitOutlivesItsReader closes what the program writes to, as where Python is killed, before an
// answer is written: the program goes on until nothing more can be asked, as it has folders to
// remove.
func TestFitOutlivesItsReader(t *testing.T) {
	c := exec.CommandContext(t.Context(), binary, "fit")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	err = out.Close()
	_, failed := fmt.Fprintf(in, `{"fit":1,"folder":%q,"estimator":"svm.Flat","fields":{}}`+"\n", t.TempDir())
	if err := errors.Join(err, failed, in.Close()); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("the program ended by %v", err)
	}
}

// TestFitRemoves ends the program in a training: its folder is removed with the files that belong
// there, and stays if there are others.
func TestFitRemoves(t *testing.T) {
	for _, others := range []bool{false, true} {
		folder := filepath.Join(t.TempDir(), "fit")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		names := []string{fitData, fitWeights}
		if others {
			names = append(names, "other")
		}
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		f := &trainings{ctx: ctx, out: io.Discard, running: make(map[int]context.CancelFunc)}
		if err := f.serve(strings.NewReader(fmt.Sprintf(`{"fit":1,"folder":%q,"estimator":"svm.Flat"}`+"\n", folder))); err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadDir(folder)
		if others && (err != nil || len(left) != 1) || !others && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("other files: %v: left are %v, %v", others, left, err)
		}
	}
}

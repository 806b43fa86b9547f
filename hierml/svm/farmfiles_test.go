package svm

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/farmed"
	"github.com/hierml/notebook/hierml/internal/safetensors"
	"github.com/hierml/notebook/hierml/solver"
)

// written is a file with a content.
func written(t testing.TB, content []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// solvedContent is what a process writes of two problems.
func solvedContent(t testing.TB, change func(name string, values []int64) []int64) []byte {
	t.Helper()
	if change == nil {
		change = func(_ string, values []int64) []int64 { return values }
	}
	ints := func(name string, values ...int64) safetensors.Tensor {
		values = change(name, values)
		return safetensors.New(name, values, len(values))
	}
	var names []int32
	for _, n := range change("names", []int64{0, 3}) {
		names = append(names, int32(n))
	}
	var b bytes.Buffer
	if err := safetensors.Write(&b, nil, []safetensors.Tensor{
		ints("problems", 0, 1), safetensors.New("primal", []float64{1, 2}, 2), safetensors.New("dual", []float64{1, 2}, 2),
		ints("counts", 3, 1, 4, 2, -1, 3, 1, 2, 1, 2), safetensors.New("names", names, len(names)), ints("index", 0, 3, 1), safetensors.New("values", []float64{1, 2, 3}, 3),
	}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// twoParts are two problems of a node each, over four features.
func twoParts(wide bool) *parts {
	return &parts{parts: []part{{nodes: []int{1}}, {nodes: []int{2}}}, weights: newPartWeights([]int{1, 2}, 4, 2, 0, wide),
		primal: make([]float64, 2), dual: make([]float64, 2), status: make([]solver.Status, 2), epochs: make([]int, 2)}
}

// TestForeignSolutions changes each number of a file of solutions, and the length of each list, and
// takes it: what does not fit together is an error, and nothing panics.
func TestForeignSolutions(t *testing.T) {
	for _, wide := range []bool{false, true} {
		if pieces, err := twoParts(wide).readResults(written(t, solvedContent(t, nil))); err != nil || !slices.Equal(pieces, []int{0, 1}) {
			t.Fatalf("%v, %v", pieces, err)
		}
		refused := 0
		for _, name := range []string{"problems", "counts", "names", "index"} {
			for at := -1; at < 10; at++ {
				for _, value := range []int64{-1 << 63, -1, 5, 1 << 31, 1 << 40, 1<<63 - 1} {
					content := solvedContent(t, func(of string, values []int64) []int64 {
						switch {
						case of != name:
						case at < 0 && value < 0:
							return values[:len(values)-1]
						case at < 0:
							return append(values, value)
						case at < len(values):
							values[at] = value
						}
						return values
					})
					p := twoParts(wide)
					if _, err := p.readResults(written(t, content)); err != nil {
						refused++
						continue
					}
					p.weights.finish()
				}
			}
		}
		if refused < 50 {
			t.Errorf("%d files are refused", refused)
		}
	}
}

// FuzzSolutions holds that no file of solutions panics.
func FuzzSolutions(f *testing.F) {
	f.Add(solvedContent(f, nil), true)
	f.Add(solvedContent(f, nil), false)
	f.Fuzz(func(t *testing.T, content []byte, wide bool) {
		p := twoParts(wide)
		if _, err := p.readResults(written(t, content)); err == nil {
			p.weights.finish()
		}
	})
}

// FuzzTrainingData holds that no file with the data of a training panics, and that what is read of
// it fits together.
func FuzzTrainingData(f *testing.F) {
	d := example.Texts(example.Tree(2, 2), 6, 10, 3, 1)
	var b bytes.Buffer
	if err := writeData(&b, d); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, content []byte) {
		d, err := readData(written(t, content))
		if err != nil {
			return
		}
		for i := range d.Len() {
			columns, _ := d.X.Row(i)
			for _, c := range columns {
				if int(c) >= d.X.Cols {
					t.Errorf("row %d has the column %d of %d", i, c, d.X.Cols)
				}
			}
			for _, n := range d.Labels[i] {
				d.Taxonomy.Name(n)
			}
		}
	})
}

// TestForeignPieces holds that a job does not ask for problems that the training has not.
func TestForeignPieces(t *testing.T) {
	for _, k := range []int{-1, 2, 1 << 40} {
		s := &share{part: &farmed.Part{Directory: t.TempDir()}, pieces: []int{0, k}, problems: 2}
		if err := s.solve(t.Context(), twoParts(false)); err == nil {
			t.Errorf("problem %d is solved", k)
		}
	}
}

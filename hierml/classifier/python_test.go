package classifier_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/internal/testrun"
)

func TestPythonReadsModels(t *testing.T) {
	python := testrun.NumPy(t)
	all := models(t)
	for _, name := range []string{"few words", "texts"} {
		compact, err := all[name].Compact(context.Background(), 0.5)
		if err != nil {
			t.Fatal(err)
		}
		all[name+", compact"] = compact
	}
	for name, m := range all {
		if m.Weights(0) == nil {
			continue // with a kernel there are no weights, and Python would need the kernel
		}
		x := matrix(m.Features())
		rows := make([][]float64, x.Rows)
		for i := range rows {
			rows[i] = make([]float64, x.Cols)
			features, values := x.Row(i)
			for k, f := range features {
				rows[i][f] = float64(values[k])
			}
		}
		input, err := json.Marshal(rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []classifier.Format{{}, {Float64: true}, {Dense: true}} {
			path := filepath.Join(t.TempDir(), "model.safetensors")
			if err := m.SaveAs(path, f); err != nil {
				t.Fatal(err)
			}
			c := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "scores.py"), path)
			c.Stdin = bytes.NewReader(input)
			var stderr bytes.Buffer
			c.Stderr = &stderr
			out, err := c.Output()
			if err != nil {
				t.Fatalf("%s, %+v: %v\n%s", name, f, err, stderr.Bytes())
			}
			var got struct {
				Scores [][]float64
				Names  []string
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Names, m.Taxonomy.Names()) {
				t.Errorf("%s: names %q", name, got.Names)
			}
			scores := m.LeafScores(x)
			for i, row := range got.Scores {
				for y, v := range row {
					if want := scores.At(i, y); math.Abs(v-want) > 1e-9*max(1, math.Abs(want)) {
						t.Fatalf("%s, %+v: row %d, leaf %d: Python scores %v, Go %v", name, f, i, y, v, want)
					}
				}
			}
		}
	}
}

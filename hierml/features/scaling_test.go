package features

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
)

// drawnTable returns rows of which the last columns are zero, 0.1 in all rows, and 0.1 or zero.
func drawnTable(t *testing.T, n int, seed uint64) *dataset.Dataset {
	rng := rand.New(rand.NewPCG(seed, 0))
	rows, labels := make([][]float64, n), make([][]string, n)
	for i := range rows {
		for j := range 5 {
			v := 0.0
			if rng.IntN(5) >= j {
				v = rng.NormFloat64()*float64(j) + 10
			}
			rows[i] = append(rows[i], v)
		}
		rows[i] = append(rows[i], 0, 0.1, 0.1*float64(i%2), -float64(1+i%3))
		labels[i] = []string{"apple"}
	}
	return dense(t, rows, labels)
}

func TestScaling(t *testing.T) {
	train, test := drawnTable(t, 40, 1), drawnTable(t, 20, 2)
	x, y := train.X.Dense(), test.X.Dense()
	for scale, of := range map[ColumnScale]func(column []float64) (shift, by float64){
		MaxAbs: func(c []float64) (float64, float64) {
			return 0, max(slices.Max(c), -slices.Min(c))
		},
		UnitDeviation: func(c []float64) (float64, float64) { return 0, stat.PopStdDev(c, nil) },
		ZScore:        func(c []float64) (float64, float64) { return stat.PopMeanStdDev(c, nil) },
		UnitRange:     func(c []float64) (float64, float64) { return slices.Min(c), slices.Max(c) - slices.Min(c) },
		Unscaled:      func(c []float64) (float64, float64) { return 0, 1 },
	} {
		for _, settings := range []Scaling{{Columns: scale}, {Columns: scale, UnitLength: true, Constant: 2}} {
			t.Run(fmt.Sprint(settings), func(t *testing.T) {
				r, err := settings.Fit(train)
				if err != nil {
					t.Fatal(err)
				}
				scaled, err := r.Transform(test)
				if err != nil {
					t.Fatal(err)
				}
				example.CheckMatrix(t, scaled.X)
				rows, cols := y.Dims()
				want := mat.NewDense(rows, cols, nil)
				for j := range cols {
					shift, by := of(mat.Col(nil, j, x))
					if by < 1e-9 {
						by = 1
					}
					for i := range rows {
						want.Set(i, j, (y.At(i, j)-shift)/by)
					}
				}
				got := scaled.X.Dense()
				for i := range rows {
					length := 1.0
					if settings.UnitLength {
						length = mat.Norm(want.RowView(i), 2)
						if got.At(i, cols) != 2 {
							t.Errorf("row %d has the constant %v", i, got.At(i, cols))
						}
					}
					for j := range cols {
						if w := want.At(i, j) / length; math.Abs(got.At(i, j)-w) > 1e-5*(1+math.Abs(w)) {
							t.Errorf("row %d, column %d: %v, want %v", i, j, got.At(i, j), w)
						}
					}
				}
				path := filepath.Join(t.TempDir(), "scaler.json")
				if err := r.Save(path); err != nil {
					t.Fatal(err)
				}
				loaded, err := LoadScaler(path)
				if err != nil {
					t.Fatal(err)
				}
				if again, err := loaded.Transform(test); err != nil || !reflect.DeepEqual(again, scaled) || loaded.String() != r.String() {
					t.Errorf("a loaded scaler does something else: %v, %v", loaded, err)
				}
			})
		}
	}
}

// Zeros stay where nothing is subtracted, and a column that is the same everywhere does not blow
// up.
func TestScalingKeepsZeros(t *testing.T) {
	train := drawnTable(t, 40, 1)
	for _, scale := range []ColumnScale{MaxAbs, UnitDeviation, Unscaled} {
		r, err := Scaling{Columns: scale}.Fit(train)
		if err != nil {
			t.Fatal(err)
		}
		scaled, err := r.Transform(train)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(scaled.X.Indices, train.X.Indices) {
			t.Errorf("%v changes which entries are zero", scale)
		}
	}
	r, err := Scaling{Columns: ZScore}.Fit(train)
	if err != nil {
		t.Fatal(err)
	}
	scaled, err := r.Transform(train)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(scaled.X.Indices, 5) || slices.Contains(scaled.X.Indices, 6) {
		t.Error("a column that is the same everywhere has values")
	}
	if got := r.String(); got != "z-score of 9 columns, measured on 40 instances" {
		t.Error(got)
	}
}

func TestScalingErrors(t *testing.T) {
	train := drawnTable(t, 4, 1)
	broken := train.Subset([]int{0, 1})
	broken.X.Values[1] = float32(math.NaN())
	for want, err := range map[string]error{
		"ColumnScale is 9":                       second(Scaling{Columns: 9}.Fit(train)),
		"Constant is NaN":                        second(Scaling{Constant: float32(math.NaN())}.Fit(train)),
		"no instances to measure":                second(Scaling{}.Fit(train.Subset(nil))),
		"row 0 of \"table\" has NaN in column 1": second(Scaling{}.Fit(broken)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	r, err := Scaling{Columns: ZScore}.Fit(train)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Transform(train.WithConstant(1)); err == nil || !strings.Contains(err.Error(), "10 columns, and the scaler was fitted on 9") {
		t.Error(err)
	}
	huge := &dataset.Matrix{Rows: 1 << 29, Cols: 9, Indptr: make([]int, 1)}
	if _, err := r.Scale(huge); err == nil || !strings.Contains(err.Error(), "which keep zeros") {
		t.Error(err)
	}
	tiny := dense(t, [][]float64{{1e-40}, {0}}, [][]string{nil, nil})
	if r, err = (Scaling{}).Fit(tiny); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Transform(dense(t, [][]float64{{1}}, [][]string{nil})); err == nil || !strings.Contains(err.Error(), "overflows a float32") {
		t.Error(err)
	}
}

func second(_ *Scaler, err error) error { return err }

func TestLoadScalerErrors(t *testing.T) {
	r, err := Scaling{Columns: ZScore}.Fit(dense(t, [][]float64{{1}, {3}}, [][]string{nil, nil}))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	const good = `{"format":"hierml.scaler","version":1,"scaling":{"Columns":"z-score"},"instances":2,"shift":[2],"factor":[1]}`
	if string(data) != good {
		t.Fatalf("%s, want %s", data, good)
	}
	for _, test := range []struct{ old, new, want string }{
		{"hierml.scaler", "hierml.vectorizer", "the format is"},
		{"z-score", "max-abs", "1 columns are shifted and 1 scaled, by max-abs"},
		{"z-score", "log", "must be one of"},
		{"[2]", "[]", "0 columns are shifted"},
		{"[1]", "[0]", "column 0 is scaled by 0"},
		{"instances", "rows", `unknown field "rows"`},
	} {
		path := filepath.Join(t.TempDir(), "bad.json")
		if err := os.WriteFile(path, []byte(strings.Replace(good, test.old, test.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadScaler(path); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v does not say %q", err, test.want)
		}
	}
}

package files

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func TestSVMLightRepair(t *testing.T) {
	tests := []struct {
		name, text, rows, faults string
	}{
		{"no fault", "apple 1:1\n", "apple [0] [1]\n", ""},
		{"unknown label", "apple,plum 1:1\nplum 1:1\nplum,kiwi 2:1\npear 3:1\n", "apple [0] [1]\npear [2] [1]\n", "4 unknown label, 2 no known label"},
		{"the same unknown label again", "plum,apple 1:1\nplum,apple 1:1\n", "apple [0] [1]\napple [0] [1]\n", "2 unknown label"},
		{"empty label", "apple,,pear 1:1\n,apple 1:1\n", "apple pear [0] [1]\napple [0] [1]\n", "2 empty label"},
		{"label twice", "apple,apple 1:1\n", "apple [0] [1]\n", "1 label given twice"},
		{"index zero", "apple 0:1 2:1\n", "apple [1] [1]\n", "1 feature index out of range"},
		{"too large", "apple 2:1 99999999999999999999:1\n", "apple [1] [1]\n", "1 feature index out of range"},
		{"feature twice", "apple 2:1 2:0.5 3:1\n", "apple [1 2] [1.5 1]\n", "1 feature given twice"},
		{"feature twice to nothing", "apple 2:1 2:-1 3:1\n", "apple [2] [1]\n", "1 feature given twice"},
		{"feature twice beyond float32", "apple 2:3e38 2:3e38 3:1\n", "apple [2] [1]\n", "1 feature given twice, 1 value not finite"},
		{"out of order", "apple 3:3 1:1 2:2 1:4\n", "apple [0 1 2] [5 2 3]\n", "2 features out of order"},
		{"not finite", "apple 1:NaN 2:inf 3:1e39 4:-Infinity 5:1\n", "apple [4] [1]\n", "4 value not finite"},
		{"not a number", "apple 1:one\npear 1:0x1p3\npear 1:1\n", "pear [0] [1]\n", "2 unreadable instance"},
		{"not features", "apple one\npear 1:1 :2\npear 1:1\n", "pear [0] [1]\n", "2 unreadable instance"},
		{"space first", " apple 1:1\npear 1:1\n", "pear [0] [1]\n", "1 unreadable instance"},
		{"empty row", "apple\npear 1:0\n", "apple [] []\npear [] []\n", "2 instance without features"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var faults Faults
			d, err := SVMLight{Repair: &faults}.Read(t.Context(), strings.NewReader(test.text), "rows", example.Fruit())
			if err != nil {
				t.Fatal(err)
			}
			example.CheckMatrix(t, d.X)
			if got := example.Printed(d); got != test.rows {
				t.Errorf("got\n%swant\n%s", got, test.rows)
			}
			wantFaults(t, &faults, test.faults)
			// What is a fault with repairs is an error without; but rows without features are none.
			_, err = ReadSVMLight(strings.NewReader(test.text), "rows", example.Fruit())
			if (err == nil) != (test.faults == "" || strings.HasSuffix(test.faults, "without features")) {
				t.Errorf("without repairs: %v", err)
			}
		})
	}
}

func TestSVMLightRepairAllLeftOut(t *testing.T) {
	var faults Faults
	_, err := SVMLight{Repair: &faults}.Read(t.Context(), strings.NewReader("plum 1:1\n"), "rows", example.Fruit())
	wantPlace(t, err, 1, 0, "no instances")
}

func TestSVMLightCut(t *testing.T) {
	text, corpus := example.Rows(500, 20)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	cut := packed.Bytes()[:packed.Len()/2]
	_, err := ReadSVMLight(bytes.NewReader(cut), "rows.gz", corpus.Taxonomy)
	var at *SyntaxError
	if !errors.As(err, &at) || at.Line < 2 || !strings.Contains(at.Msg, "it is not complete, get it again") {
		t.Fatalf("got %v", err)
	}
	var faults Faults
	d, err := SVMLight{Repair: &faults}.Read(t.Context(), bytes.NewReader(cut), "rows.gz", corpus.Taxonomy)
	if err != nil {
		t.Fatal(err)
	}
	wantFaults(t, &faults, "1 damaged compression")
	if want := at.Line - 1; d.Len() != want {
		t.Errorf("%d instances, want the %d before the cut", d.Len(), want)
	}
}

func TestSVMLightHeader(t *testing.T) {
	tax := example.Fruit()
	s := SVMLight{Header: true, ZeroBased: true}
	d, err := s.Read(t.Context(), strings.NewReader("3 9 5\napple,pear 0:1 8:2\n 1:1\ntool 2:1\n"), "xmc", tax)
	if err != nil {
		t.Fatal(err)
	}
	if d.X.Cols != 9 || example.Printed(d) != "apple pear [0 8] [1 2]\n[1] [1]\ntool [2] [1]\n" {
		t.Errorf("%d columns, rows\n%s", d.X.Cols, example.Printed(d))
	}
	again, err := s.Read(t.Context(), strings.NewReader(writeWith(t, d, s.Write)), "again", tax)
	if err != nil {
		t.Fatal(err)
	}
	example.CheckSame(t, again, d)

	for _, test := range []struct {
		text         string
		line, column int
		words        string
	}{
		{"", 1, 1, "not a header"},
		{"apple 1:1\n", 1, 1, "not a header"},
		{"1 9999999999999 1\napple 1:1\n", 1, 1, "not a header"},
		{"1000000000000 5 1\n", 1, 1, "not a header"},
		{"2 5 5\napple 1:1\n", 1, 1, "2 instances, but the file has 1"},
		{"1 5 5\napple 1:1\napple 1:1\n", 1, 1, "1 instances, but the file has 2"},
		{"1 5 5\napple 5:1\n", 2, 7, "feature 5, but there are 5 columns"},
	} {
		_, err := s.Read(t.Context(), strings.NewReader(test.text), "xmc", tax)
		wantPlace(t, err, test.line, test.column, test.words)
	}
	var faults Faults
	s.Repair = &faults
	if d, err = s.Read(t.Context(), strings.NewReader("2000000000 2000000000 2000000000\napple 1:1\n"), "xmc", tax); err != nil || d.Len() != 1 {
		t.Fatalf("%v, %v", d, err)
	}
	wantFaults(t, &faults, "1 wrong count")
}

func TestSVMLightUnlabelled(t *testing.T) {
	d, err := ReadSVMLight(strings.NewReader("apple 1:1\n 2:1\n"), "rows", example.Fruit())
	if err != nil {
		t.Fatal(err)
	}
	if got := example.Printed(d); got != "apple [0] [1]\n[1] [1]\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestSVMLightInstances(t *testing.T) {
	tax := example.Fruit()
	const text = "apple 1:1\npear 2:1\ntool 3:1\n"
	want, err := ReadSVMLight(strings.NewReader(text), "rows", tax)
	if err != nil {
		t.Fatal(err)
	}
	instances := SVMLight{}.Instances(t.Context(), strings.NewReader(text), "rows", tax)
	for range 3 { // a strings.Reader goes back to its beginning
		got, err := dataset.Collect("rows", tax, 0, instances)
		if err != nil {
			t.Fatal(err)
		}
		example.CheckSame(t, got, want)
	}
	got, err := dataset.Collect("rows", tax, 7, want.Instances())
	if err != nil || got.X.Cols != 7 {
		t.Fatalf("%v, %v", got.X, err)
	}
	example.CheckSame(t, got, want)

	n := 0
	for _, err := range instances {
		if n++; err != nil || n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("the loop ended after %d", n)
	}
	_, err = dataset.Collect("rows", tax, 0, SVMLight{}.Instances(t.Context(), strings.NewReader("apple 1:1\nplum 1:1\n"), "rows", tax))
	wantPlace(t, err, 2, 1, "plum")
	_, err = dataset.Collect("rows", tax, 0, SVMLight{}.Instances(t.Context(), io.MultiReader(), "rows", tax))
	wantPlace(t, err, 1, 0, "no instances")

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n = 0
	for _, err = range (SVMLight{}).Instances(ctx, io.MultiReader(strings.NewReader(text), endless('\n')), "rows", tax) {
		if n++; n == 3 {
			cancel()
		}
	}
	if n != 4 || !errors.Is(err, context.Canceled) {
		t.Errorf("after %d instances: %v", n, err)
	}
}

func TestWriteErrors(t *testing.T) {
	tax := example.Fruit()
	apple := example.Node(t, tax, "apple")
	row := func(labels []int, columns []int32, values []float32) *dataset.Dataset {
		return &dataset.Dataset{Name: "rows", Taxonomy: tax, Labels: [][]int{labels},
			X: &dataset.Matrix{Rows: 1, Cols: 9, Indptr: []int{0, len(columns)}, Indices: columns, Values: values}}
	}
	spaced, err := renamed(tax)
	if err != nil {
		t.Fatal(err)
	}
	space := row([]int{0}, nil, nil)
	space.Taxonomy = spaced
	short := row([]int{apple}, nil, nil)
	short.X.Indptr = []int{0, 5}
	for name, test := range map[string]struct {
		d     *dataset.Dataset
		words string
	}{
		"nil":            {nil, "nothing to write"},
		"no matrix":      {&dataset.Dataset{Taxonomy: tax}, "nothing to write"},
		"two label sets": {&dataset.Dataset{Taxonomy: tax, X: &dataset.Matrix{Indptr: []int{0}}, Labels: make([][]int, 2)}, "do not fit"},
		"offsets":        {short, "end at entry 5 of 0"},
		"not a node":     {row([]int{99}, nil, nil), "label 99"},
		"blank":          {space, "cannot be written"},
		"descending":     {row([]int{apple}, []int32{3, 1}, []float32{1, 1}), "column 1 after 3"},
		"negative":       {row([]int{apple}, []int32{-1}, []float32{1}), "column -1"},
		"NaN":            {row([]int{apple}, []int32{1}, []float32{float32(math.NaN())}), "NaN"},
	} {
		var b bytes.Buffer
		if err := (SVMLight{}).Write(t.Context(), &b, test.d); err == nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: got %v, want %q", name, err, test.words)
		}
	}
	if err := (SVMLight{}).Write(t.Context(), brokenWriter{}, row([]int{apple}, nil, nil)); !errors.Is(err, errBroken) {
		t.Errorf("a writer that fails: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (SVMLight{}).Write(ctx, io.Discard, row([]int{apple}, nil, nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

// renamed returns the taxonomy with a blank in every name.
func renamed(t *taxonomy.Taxonomy) (*taxonomy.Taxonomy, error) {
	var names []string
	for _, name := range t.Names() {
		names = append(names, "a "+name)
	}
	return taxonomy.New(names, t.Edges())
}

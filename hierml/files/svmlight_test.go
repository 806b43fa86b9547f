package files

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/internal/textfile"
)

func TestReadSVMLight(t *testing.T) {
	tax := example.Fruit()
	const text = "\ufeff# a comment, then an empty line\n\n" +
		"apple 1:0.5 3:-2e-1 7:0\r\n" +
		"pear,tool\t2:1 # one of each\n" +
		"fruit,bread,food\n" +
		"food,apple 10:3"
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]io.Reader{"plain": strings.NewReader(text), "gzip": &packed} {
		t.Run(name, func(t *testing.T) {
			d, err := ReadSVMLight(r, "rows", tax)
			if err != nil {
				t.Fatal(err)
			}
			ids := func(names ...string) (ids []int) {
				for _, n := range names {
					ids = append(ids, example.Node(t, tax, n))
				}
				slices.Sort(ids)
				return ids
			}
			// Ancestors that are implied are gone: food above apple, food above bread.
			want := [][]int{ids("apple"), ids("pear", "tool"), ids("fruit", "bread"), ids("apple")}
			if fmt.Sprint(d.Labels) != fmt.Sprint(want) {
				t.Errorf("labels %v, want %v", d.Labels, want)
			}
			if d.Len() != 4 || d.X.Rows != 4 || d.X.Cols != 10 {
				t.Errorf("%d instances, %d x %d", d.Len(), d.X.Rows, d.X.Cols)
			}
			if got := fmt.Sprint(d.X.Indptr, d.X.Indices, d.X.Values); got != "[0 2 3 3 4] [0 2 1 9] [0.5 -0.2 1 3]" {
				t.Errorf("matrix %s", got)
			}
		})
	}
}

func TestReadSVMLightErrors(t *testing.T) {
	tests := []struct {
		name, text   string
		line, column int
		words        string
	}{
		{"empty", "", 1, 0, "no instances"},
		{"only comments", "# nothing\n", 1, 0, "no instances"},
		{"unknown label", "apple 1:1\nappel 1:1\n", 2, 1, `label "appel" is not a node`},
		{"second label unknown", "apple,plum 1:1\n", 1, 7, `label "plum"`},
		{"empty label", "apple,,pear 1:1\n", 1, 7, "empty label"},
		{"label twice", "apple,pear,apple 1:1\n", 1, 12, `"apple" is given twice`},
		{"space first", " apple 1:2\n", 1, 1, "begins with a space"},
		{"index zero", "apple 0:2\n", 1, 7, "count from 1"},
		{"index twice", "apple 2:2 2:3\n", 1, 11, "feature 2 is given twice"},
		{"descending", "apple 2:2 1:3\n", 1, 11, "feature 1 comes after feature 2"},
		{"too large", "apple 2147483648:1\n", 1, 7, "too large"},
		{"far too large", "apple 99999999999999999999999999:1\n", 1, 7, "too large"},
		{"negative", "apple -1:1\n", 1, 7, "not index:value"},
		{"no colon", "apple 12\n", 1, 7, "not index:value"},
		{"no value", "apple 12:\n", 1, 10, "not a value"},
		{"NaN", "apple 1:1 2:NaN\n", 1, 13, `"NaN" is not a value`},
		{"infinite", "apple 1:Inf\n", 1, 9, "not a value"},
		{"beyond float32", "apple 1:1e39\n", 1, 9, "range of a float32"},
		{"beyond float64", "apple 1:1e999\n", 1, 9, "range of a float32"},
		{"hexadecimal", "apple 1:0x1p3\n", 1, 9, "not a value"},
		{"two points", "apple 1:1.2.3\n", 1, 9, "not a value"},
		{"a word after the value", "apple 1:1x\n", 1, 9, "not a value"},
		{"exponent without digits", "apple 1:1e+\n", 1, 9, "not a value"},
	}
	tax := example.Fruit()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := ReadSVMLight(strings.NewReader(test.text), "rows", tax)
			if d != nil {
				t.Error("returns a part of a bad file")
			}
			wantPlace(t, err, test.line, test.column, test.words)
			if !strings.HasPrefix(err.Error(), "rows:") {
				t.Errorf("%v does not name the file", err)
			}
		})
	}
}

func TestReadSVMLightBounds(t *testing.T) {
	tax := example.Fruit()
	d, err := ReadSVMLight(io.MultiReader(strings.NewReader("apple 1:1\napple "), endless('1')), "rows", tax)
	if d != nil {
		t.Error("returns a part of a bad file")
	}
	wantPlace(t, err, 2, 0, "longer than")

	if _, err := ReadSVMLight(strings.NewReader("\x1f\x8bno gzip"), "rows", tax); err == nil || !strings.Contains(err.Error(), "gzip") {
		t.Errorf("a broken gzip file: %v", err)
	}
}

// endless is a reader of one byte again and again.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestParseFloat(t *testing.T) {
	texts := []string{
		"0", "-0", "+1", "1.", ".5", "-.5e3", "0.1", "1e22", "1e23", "123456789012345678", "1234567890123456789012",
		"0.000000000000000000000000000000000001", "9007199254740993", "3.4028234e38", "1e-50", "0e999999999", "00001.50",
		"1e-45", "7.006492321624085e-46", "16777217", "0.30000000000000004", "1E5",
	}
	for _, text := range texts {
		want64, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		got, end, ok := parseFloat([]byte(text+" 5"), 0)
		if !ok || end != len(text) || math.Float32bits(got) != math.Float32bits(float32(want64)) {
			t.Errorf("%s: got %v, %d, %v, want %v", text, got, end, ok, float32(want64))
		}
	}
	for _, text := range []string{"", "-", "+-1", "e5", ".", "1e", "--1", "1_000", "0x10", "nan", "infinity", "3.5e38"} {
		if v, _, ok := parseFloat([]byte(text), 0); ok {
			t.Errorf("%q is %v", text, v)
		}
	}
}

func FuzzReadSVMLight(f *testing.F) {
	for _, seed := range []string{
		"apple 1:0.5 3:-2e-1\npear,tool 2:1 # comment\n", "food,apple 10:3", "tool\n", "apple 1:1e39", "apple 0:1", "\x1f\x8b", ",", "apple 5:.", " 1:0", "apple 2:1 1:3e38 1:3e38",
	} {
		f.Add([]byte(seed))
	}
	tax := example.Fruit()
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzzInstances(t, text, func(repair *Faults) instanceFormat { return SVMLight{Repair: repair} }, tax)
	})
}

// TestReadSVMLightMemory reads more entries than the reader takes for a sample of a file, from
// sources that tell their size and from some that don't.
func TestReadSVMLightMemory(t *testing.T) {
	text, corpus := example.Rows(12000, 130)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "rows"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString("not this" + text); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(int64(len("not this")), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	want, err := ReadSVMLight(io.MultiReader(strings.NewReader(text)), "rows", corpus.Taxonomy)
	if err != nil {
		t.Fatal(err)
	}
	if want.Len() != 12000 || want.X.NonZeros() < 1<<20 || want.X.NonZeros() > 12000*130 {
		t.Fatalf("%v", want.X)
	}
	for name, r := range map[string]io.Reader{
		"buffer":  strings.NewReader(text),
		"gzip":    &packed,
		"file":    file,
		"context": textfile.WithContext(t.Context(), bytes.NewReader([]byte(text))),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := ReadSVMLight(r, "rows", corpus.Taxonomy)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(d, want) {
				t.Error("another data set than without a known size")
			}
			if n := d.X.NonZeros(); cap(d.X.Values) > n+n/8 || cap(d.X.Indices) > n+n/8 {
				t.Errorf("room for %d entries, has %d", cap(d.X.Values), n)
			}
		})
	}
}

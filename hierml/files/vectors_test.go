package files

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// vectorsOf is the matrix in testdata/vectors/write.py, as change makes its values.
func vectorsOf(change func(x int) float32) *dataset.Matrix {
	m := &dataset.Matrix{Rows: 4, Cols: 3, Indptr: []int{0}}
	for i := range 4 {
		for j := range 3 {
			x := (3*i+5*j)%7 - 2
			if x == 3 {
				x = 0
			}
			if v := change(x); v != 0 {
				m.Indices, m.Values = append(m.Indices, int32(j)), append(m.Values, v)
			}
		}
		m.Indptr = append(m.Indptr, len(m.Values))
	}
	return m
}

func described(m *dataset.Matrix) string {
	return fmt.Sprint(m.Rows, m.Cols, m.Indptr, m.Indices, m.Values)
}

func classes(t testing.TB) *taxonomy.Taxonomy {
	t.Helper()
	tax, err := taxonomy.New([]string{"7", "-1", "10"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tax
}

// TestVectors reads the matrix in all types and orders.
func TestVectors(t *testing.T) {
	same := func(x int) float32 { return float32(x) }
	above := func(x int) float32 { return float32(x + 2) }
	positive := func(x int) float32 { return map[bool]float32{true: 1}[x > 0] }
	type file struct {
		name   string
		s      Vectors
		change func(int) float32
	}
	files := []file{
		{"bool.npy", Vectors{}, positive}, {"version2.npy", Vectors{}, same}, {"version3.npy", Vectors{}, same},
		{"dense.npz", Vectors{}, same}, {"packed.npz", Vectors{}, same}, {"packed.npz", Vectors{Array: "features"}, same}, {"unclear.npz", Vectors{Array: "b"}, same},
		{"unnamed.npz", Vectors{}, same}, {"csr.npz", Vectors{}, same}, {"csr-stored.npz", Vectors{}, same},
		{"half.safetensors", Vectors{}, same}, {"double.safetensors", Vectors{}, same}, {"brain.safetensors", Vectors{}, same},
	}
	for _, kind := range []string{"f2", "f4", "f8", "i1", "i2", "i4", "i8"} {
		files = append(files, file{kind + ".npy", Vectors{}, same}, file{kind + "-big-fortran.npy", Vectors{}, same})
	}
	for _, kind := range []string{"u1", "u2", "u4", "u8"} {
		files = append(files, file{kind + ".npy", Vectors{}, above})
	}
	for _, f := range files {
		t.Run(f.name, func(t *testing.T) {
			path := filepath.Join("testdata/vectors", f.name)
			d, err := f.s.Open(t.Context(), path, classes(t))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := described(d.X), described(vectorsOf(f.change)); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if err := d.Check(); err != nil {
				t.Error(err)
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			stream, err := f.s.Read(t.Context(), io.MultiReader(bytes.NewReader(content)), f.name, classes(t))
			if strings.HasSuffix(f.name, ".npy") {
				if err != nil || described(stream.X) != described(d.X) {
					t.Errorf("from a stream: %v", err)
				}
				packed, err := f.s.Read(t.Context(), bytes.NewReader(gzipped(content)), f.name, classes(t))
				if err != nil || described(packed.X) != described(d.X) {
					t.Errorf("by gzip: %v", err)
				}
			} else {
				wantPlace(t, err, 1, 0, "open it as a file")
			}
			// Cut anywhere, it is an error.
			for n := range len(content) {
				if _, err := f.s.Read(t.Context(), bytes.NewReader(content[:n]), f.name, classes(t)); err == nil {
					t.Fatalf("reads %d of %d bytes", n, len(content))
				}
			}
		})
	}
}

// TestVectorsSparse reads indices in any order, of which some are given twice, as scipy does.
func TestVectorsSparse(t *testing.T) {
	d, err := Vectors{}.Open(t.Context(), "testdata/vectors/twice.npz", classes(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := described(d.X); got != "2 3 [0 2 3] [0 2 1] [1 6 4]" {
		t.Error(got)
	}
}

// TestVectorsLabels finds the labels of rows in all ways.
func TestVectorsLabels(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	lines := write("labels.txt", "7\n -1\r\n7\n10\n")
	some := write("some.txt", "fruit/apple\n\nfruit/pear\nfruit\n")
	table := write("rows.csv", "id;class;note\n1;7;a\n2;-1;b\n3;7;c\n4;10, 7;d\n")
	levels := write("levels.csv", "top,below\na,b\na,\n,\nc,d\n")
	few, many := write("few.txt", "7\n7\n"), write("many.txt", "7\n7\n7\n7\n7\n")
	for _, test := range []struct {
		name, file string
		s          Vectors
		known      bool
		want, note string
	}{
		{"lines", "f4.npy", Vectors{Labels: lines}, false, "7|-1|7|10", ""},
		{"lines, known", "f4.npy", Vectors{Labels: lines}, true, "7|-1|7|10", ""},
		{"paths and none", "f4.npy", Vectors{Labels: some}, false, "fruit/apple||fruit/pear|fruit", `labels have levels, separated by "/" [files.Vectors{PathSeparator}]`},
		{"flat", "f4.npy", Vectors{Labels: some, PathSeparator: "none"}, false, "fruit/apple||fruit/pear|fruit", ""},
		{"table", "f4.npy", Vectors{Labels: table, Table: Table{Label: "class", LabelSeparator: ", "}}, false, "7|-1|7|7, 10", "3 labels in column class"},
		{"levels", "f4.npy", Vectors{Labels: levels, Table: Table{Levels: []string{"top", "below"}}}, false, "a/b|a||c/d", "1 row has no label"},
		{"array file", "f4.npy", Vectors{Labels: "testdata/vectors/y.npy"}, false, "7|-1|7|10", ""},
		{"array file of strings", "f4.npy", Vectors{Labels: "testdata/vectors/names.npy"}, false, "a/b|é|a/b|", `labels such as "a/b" count as one level each [files.Vectors{PathSeparator: "/"}]`},
		{"y", "dense.npz", Vectors{}, false, "7|-1|7|10", "the labels are those of array y"},
		{"y of bytes", "packed.npz", Vectors{LabelArray: "y"}, true, "7|-1|7|10", ""},
		{"another array", "packed.npz", Vectors{LabelArray: "names"}, false, "a/b|é|a/b|", `labels such as "a/b" count as one level each [files.Vectors{PathSeparator: "/"}]`},
		{"y of tensors", "half.safetensors", Vectors{}, false, "7|-1|7|10", "the labels are those of array y"},
		{"another tensor", "double.safetensors", Vectors{LabelArray: "other"}, true, "7|-1|7|10", ""},
		{"a file before y", "dense.npz", Vectors{Labels: some}, false, "fruit/apple||fruit/pear|fruit", "labels have levels"},
		{"none", "f4.npy", Vectors{}, true, "|||", ""},
		{"none and unknown", "f4.npy", Vectors{}, false, "error: neither labels nor a taxonomy", ""},
		{"unknown", "f4.npy", Vectors{Labels: some}, true, `error: some.txt:1: label "fruit/apple" is not a node`, ""},
		{"few", "f4.npy", Vectors{Labels: few}, true, "error: there are 2 labels, but testdata/vectors/f4.npy has 4 rows", ""},
		{"many", "f4.npy", Vectors{Labels: many}, true, "error: many.txt:5: there are more labels than the 4 rows", ""},
		{"another table", "twice.npz", Vectors{Labels: table, Table: Table{Label: "class", LabelSeparator: ", "}}, true, "error: there are 4 rows, but testdata/vectors/twice.npz has 2 rows", ""},
		{"no file", "f4.npy", Vectors{Table: Table{Label: "class"}}, true, "error: does not name the file", ""},
		{"both", "dense.npz", Vectors{Labels: lines, LabelArray: "y"}, true, "error: set one", ""},
		{"no such array", "dense.npz", Vectors{LabelArray: "z"}, true, `error: no array named "z" (found: "X" (4, 3), "y" (4,))`, ""},
		{"a matrix", "dense.npz", Vectors{LabelArray: "X"}, true, "error: array X has the shape (4, 3); expected one label for each row", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var w example.Watcher
			tax := classes(t)
			if !test.known {
				tax = nil
			}
			d, err := test.s.Open(progress.With(t.Context(), &w), "testdata/vectors/"+test.file, tax)
			if want, fails := strings.CutPrefix(test.want, "error: "); fails {
				wantSyntaxError(t, err)
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, nodes := range d.Labels {
				got = append(got, strings.Join(d.Taxonomy.NamesOf(nodes...), ", "))
			}
			if strings.Join(got, "|") != test.want {
				t.Errorf("%q", got)
			}
			if notes := strings.Join(w.Notes, "\n"); (notes == "") != (test.note == "") || !strings.Contains(notes, test.note) {
				t.Errorf("noted %q", notes)
			}
			if err := d.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestVectorsRefused reads what is no matrix of numbers.
func TestVectorsRefused(t *testing.T) {
	for file, words := range map[string]string{
		"objects.npy":  "Python objects, which are pickled and never read; save X.astype",
		"complex.npy":  `the type "<c16"`,
		"flat.npy":     "the shape (12,); expected a row for each instance",
		"records.npy":  "fields of several types",
		"dates.npy":    `the type "<M8[D]"; expected truth values`,
		"empty.npy":    "the shape (0, 3)",
		"names.npy":    "the shape (4,)",
		"csc.npz":      `scipy's format "csc"; save X.tocsr()`,
		"unclear.npz":  `the arrays are "a" (4, 3), "b" (4, 3); set Vectors{Array: …} to`,
		"nan.npy":      "3 values are not finite, or beyond a float32; the first: X[0, 1], NaN.",
		"../rows.none": "no such file",
	} {
		_, err := Vectors{}.Open(t.Context(), "testdata/vectors/"+file, classes(t))
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", file, err)
		}
	}
	_, err := Vectors{Array: "Z"}.Open(t.Context(), "testdata/vectors/dense.npz", classes(t))
	wantPlace(t, err, 1, 0, `no array named "Z" (found: "X" (4, 3), "y" (4,))`)
	_, err = Vectors{}.Read(t.Context(), strings.NewReader("label,text\n"), "rows.csv", classes(t))
	wantPlace(t, err, 1, 0, "not a file of vectors")
	var faults Faults
	d, err := Vectors{Repair: &faults}.Open(t.Context(), "testdata/vectors/nan.npy", classes(t))
	if err != nil || described(d.X) != "2 2 [0 1 1] [0] [1]" {
		t.Errorf("repaired: %v, %v", d, err)
	}
	wantFaults(t, &faults, "3 value not finite, 1 instance without features")
}

// TestVectorsRounding notes the columns that lose by a float32 what tells their rows apart.
func TestVectorsRounding(t *testing.T) {
	for file, want := range map[string]string{
		"rounded.npy": "in columns 0, 1 of X, counted from 0, by more than a thousandth of their standard deviation: 20240101 became 20240100.",
		"rounded.npz": "in column 1 of X, counted from 0, by more than a thousandth of their standard deviation: 16777217 became 16777216.",
		"f8.npy":      "",
		"i8.npy":      "",
		"csr.npz":     "",
	} {
		var w example.Watcher
		if _, err := (Vectors{}).Open(progress.With(t.Context(), &w), "testdata/vectors/"+file, classes(t)); err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(w.Notes, "\n"); (notes == "") != (want == "") || !strings.Contains(notes, want) {
			t.Errorf("%s: noted %q", file, notes)
		}
	}
}

// npy returns a file of numpy with the header.
func npy(header string, data []byte) []byte {
	return append([]byte(numpyMagic+"\x01\x00"+string([]byte{byte(len(header)), byte(len(header) >> 8)})+header), data...)
}

// TestVectorsClaims reads files whose shapes claim more than there is. Nothing is allocated for
// it.
func TestVectorsClaims(t *testing.T) {
	for _, shape := range []string{
		"(2147483647, 2147483647)", "(1, 2147483647)", "(2147483647, 1)", "(1, 2147483648)", "(9223372036854775807, 9223372036854775807)",
		"(99999999999999999999, 1)", "(9223372036854775807, 0)", "(0, 9223372036854775807)", "()", "(3,)", "(3", "(-1, 2)", "(2, 1, 1)", "(4294967296, 4294967296)",
	} {
		for _, order := range []string{"True", "False"} {
			file := npy("{'descr': '<f8', 'fortran_order': "+order+", 'shape': "+shape+", }\n", make([]byte, 100))
			_, err := Vectors{}.Read(t.Context(), bytes.NewReader(file), "claims", classes(t))
			wantSyntaxError(t, err)
			_, err = Vectors{}.Read(t.Context(), io.MultiReader(bytes.NewReader(file)), "claims", classes(t))
			wantSyntaxError(t, err)
		}
	}
	for _, descr := range []string{"'<U2000000000'", "'<U0'", "'|S99999999999999999999'", "'<f16'", "'|V8'", "'f'", "''", "'<b2'", "[('a', '<f8')]"} {
		_, err := Vectors{}.Read(t.Context(), bytes.NewReader(npy("{'descr': "+descr+", 'fortran_order': False, 'shape': (1, 1), }\n", make([]byte, 16))), "claims", classes(t))
		wantSyntaxError(t, err)
	}
}

// FuzzVectors reads any file, and writes what it was as rows that are read the same.
func FuzzVectors(f *testing.F) {
	files, err := filepath.Glob("testdata/vectors/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	tax := classes(f)
	f.Fuzz(func(t *testing.T, content []byte) {
		read := func(r io.Reader, s Vectors) *dataset.Dataset {
			d, err := s.Read(t.Context(), r, "fuzz", tax)
			if err != nil {
				wantSyntaxError(t, err)
				return nil
			}
			example.CheckMatrix(t, d.X)
			return d
		}
		strict, repaired := read(bytes.NewReader(content), Vectors{}), read(bytes.NewReader(content), Vectors{Repair: new(Faults)})
		if strict != nil && (repaired == nil || described(repaired.X) != described(strict.X)) {
			t.Fatal("only repairs find a fault")
		}
		if stream := read(io.MultiReader(bytes.NewReader(content)), Vectors{}); stream != nil && (strict == nil || described(stream.X) != described(strict.X)) {
			t.Fatal("a stream is read otherwise")
		}
	})
}

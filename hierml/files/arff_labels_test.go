package files

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
)

const (
	mulan = `@relation music

@attribute mean real
@attribute amazed {0,1}
@attribute 'so calm' {0,1}
@attribute loud {0, 1}
@attribute mode {minor,major}
@data
0.5,1,0,0,major
0.25,0,1,1,minor
0,?,?,?,minor
{0 2, 2 1}
{1 1,2 1,3 1, 4 major}
`
	mulanXML = `<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
  <label name="loud"><label name="amazed"></label></label>
  <label name="so calm"/>
</labels>
`
)

// TestARFFMulan reads labels that an XML file names, some within others.
func TestARFFMulan(t *testing.T) {
	file := filepath.Join(t.TempDir(), "music.xml")
	if err := os.WriteFile(file, []byte(mulanXML), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := ARFF{Labels: file}.Read(t.Context(), strings.NewReader(mulan), "music.arff", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := example.Printed(d), "amazed [0 2] [0.5 1]\nloud so calm [0 1] [0.25 1]\n[1] [1]\nso calm [0 1] [2 1]\namazed so calm [2] [1]\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := fmt.Sprint(d.Vocabulary, d.Taxonomy.Names(), d.Taxonomy.Edges()); got != "[mean mode=minor mode=major] [loud amazed so calm] [[0 1]]" {
		t.Error(got)
	}
	again, err := ARFF{Labels: file}.Read(t.Context(), strings.NewReader(mulan), "music.arff", d.Taxonomy)
	if err != nil {
		t.Fatal(err)
	}
	example.CheckSame(t, again, d)
	_, err = ARFF{}.Read(t.Context(), strings.NewReader(mulan), "music.arff", nil)
	wantPlace(t, err, 8, 1, `ARFF{Labels: "….xml"}`)
	_, err = ARFF{Labels: file, Class: "mode"}.Read(t.Context(), strings.NewReader(mulan), "music.arff", nil)
	wantPlace(t, err, 8, 1, "leave Labels empty")
	for _, test := range []struct{ name, xml, words string }{
		{"empty", "", "no labels"},
		{"no labels", "<labels></labels>", "no labels"},
		{"cut", `<labels><label name="loud">`, "unexpected EOF"},
		{"no XML", "loud\namazed\n", "no labels"},
		{"another element", `<labels><class name="loud"/></labels>`, "<class> is not part"},
		{"no name", `<labels><label/></labels>`, "<label> is not part"},
		{"no attribute", `<labels><label name="quiet"/></labels>`, `no attribute named "quiet"`},
		{"twice", `<labels><label name="loud"/><label name="loud"/></labels>`, "cannot be a taxonomy"},
		{"of another type", `<labels><label name="mode"/></labels>`, "its type is not {0,1}"},
	} {
		if err := os.WriteFile(file, []byte(test.xml), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ARFF{Labels: file}.Read(t.Context(), strings.NewReader(mulan), "music.arff", nil)
		wantSyntaxError(t, err)
		if !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := (ARFF{Labels: file + ".none"}).Read(t.Context(), strings.NewReader(mulan), "music.arff", nil); err == nil {
		t.Error("reads labels of a file that is not there")
	}
}

// TestARFFMeka reads labels that the name of the relation counts.
func TestARFFMeka(t *testing.T) {
	const first = "@attribute a {0,1}\n@attribute b {0,1}\n@attribute x numeric\n@data\n1,0,0.5\n{1 1,2 3}\n0,0,7\n"
	const last = "@attribute x numeric\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n0.5,1,0\n{0 3,2 1}\n7,0,0\n"
	for _, test := range []struct{ relation, rest, want string }{
		{"'music: -C 2'", first, "a [0] [0.5]\nb [0] [3]\n[0] [7]\n"},
		{`"music: -split-percentage 50 -C 2 -x"`, first, "a [0] [0.5]\nb [0] [3]\n[0] [7]\n"},
		{"'music: -C -2'", last, "a [0] [0.5]\nb [0] [3]\n[0] [7]\n"},
		{"'music: -c -2 '", last, "a [0] [0.5]\nb [0] [3]\n[0] [7]\n"},
		{"'music: -C 3'", first, `error: 5:1: attribute "x" is a label, and its type is not {0,1}`},
		{"'music: -C 4'", first, "error: 5:1: the relation says -C 4, but there are 3 attributes"},
		{"'music: -C 0'", first, "error: 5:1: the relation says -C 0"},
		{"'music: -C 99999999999999999999'", first, "error: 5:1: the relation says -C 9"},
		{"'music -C 2'", first, "error: 5:1: no attribute has the labels"},
	} {
		d, err := ARFF{}.Read(t.Context(), strings.NewReader("@relation "+test.relation+"\n"+test.rest), "m.arff", nil)
		if want, fails := strings.CutPrefix(test.want, "error: "); fails {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", test.relation, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.relation, err)
			continue
		}
		if got := example.Printed(d); got != test.want {
			t.Errorf("%s: got\n%swant\n%s", test.relation, got, test.want)
		}
		stream, err := dataset.Collect("stream", d.Taxonomy, d.X.Cols, ARFF{}.Instances(t.Context(), strings.NewReader("@relation "+test.relation+"\n"+test.rest), "m.arff", d.Taxonomy))
		if err != nil {
			t.Fatal(err)
		}
		example.CheckSame(t, stream, d)
	}
}

// TestARFFMissing draws files with missing values, and compares what is put in with plain loops.
func TestARFFMissing(t *testing.T) {
	const header = "@relation 'r: -C -1'\n@attribute a numeric\n@attribute b {u,v,w}\n@attribute c {0,1}\n@attribute l {0,1}\n@data\n"
	type row [4]string
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		draw := func(n int) (rows []row, text string) {
			text = header
			for range n {
				values := row{fmt.Sprint(float32(r.IntN(7) - 3)), string("uvw"[r.IntN(3)]), fmt.Sprint(r.IntN(2)), fmt.Sprint(r.IntN(2))}
				for k := range values[:3] {
					if r.IntN(4) == 0 {
						values[k] = "?"
					}
				}
				rows = append(rows, values)
				if r.IntN(2) == 0 {
					text += strings.Join(values[:], ",") + "\n"
				} else {
					text += fmt.Sprintf("{0 %s, 1 %s, 2 %s, 3 %s}\n", values[0], values[1], values[2], values[3])
				}
			}
			return rows, text
		}
		// The five columns of a row, NaN where the value is missing.
		columns := func(values row) (x [5]float64) {
			parse := func(s string) float64 {
				if s == "?" {
					return math.NaN()
				}
				var v float64
				if _, err := fmt.Sscan(s, &v); err != nil {
					t.Fatal(err)
				}
				return v
			}
			x[0], x[4] = parse(values[0]), parse(values[2])
			for k, name := range []string{"u", "v", "w"} {
				switch values[1] {
				case name:
					x[1+k] = 1
				case "?":
					x[1+k] = math.NaN()
				}
			}
			return x
		}
		means := func(rows []row) (mean [5]float64) {
			for j := range mean {
				sum, n := 0.0, 0
				for _, values := range rows {
					if x := columns(values)[j]; !math.IsNaN(x) {
						sum, n = sum+x, n+1
					}
				}
				mean[j] = sum / float64(n) // NaN if there is none
			}
			return mean
		}
		check := func(d *dataset.Dataset, rows []row, fill [5]float64) {
			t.Helper()
			example.CheckMatrix(t, d.X)
			got := d.X.Dense()
			for i, values := range rows {
				for j, want := range columns(values) {
					if math.IsNaN(want) {
						want = fill[j]
					}
					if math.Abs(got.At(i, j)-want) > 1e-6 {
						t.Fatalf("seed %d: row %d, column %d is %v, want %v", seed, i, j, got.At(i, j), want)
					}
				}
			}
		}
		rows, text := draw(1 + r.IntN(9))
		missing := strings.Count(text, "?")
		zero, err := ARFF{Missing: "zero"}.Read(t.Context(), strings.NewReader(text), "train", nil)
		if err != nil {
			t.Fatal(err)
		}
		check(zero, rows, [5]float64{})
		if _, err := (ARFF{}).Read(t.Context(), strings.NewReader(text), "train", nil); (err == nil) != (missing == 0) {
			t.Errorf("%v of\n%s", err, text)
		}
		var faults Faults
		repaired, err := ARFF{Repair: &faults}.Read(t.Context(), strings.NewReader(text), "train", nil)
		if err != nil || faults.Count("missing number") != missing {
			t.Errorf("%v, %s of\n%s", err, faults.String(), text)
		}
		example.CheckSame(t, repaired, zero)
		mean := means(rows)
		train, err := ARFF{Missing: "mean"}.Read(t.Context(), strings.NewReader(text), "train", nil)
		if unknown := math.IsNaN(mean[0]) || math.IsNaN(mean[1]) || math.IsNaN(mean[4]); unknown {
			if err == nil || !strings.Contains(err.Error(), "has no value in any row") {
				t.Errorf("%v of\n%s", err, text)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		check(train, rows, mean)
		s := ARFF{Missing: "mean", Means: train.X}
		newRows, newText := draw(5)
		test, err := s.Read(t.Context(), strings.NewReader(newText), "test", train.Taxonomy)
		if err != nil {
			t.Fatal(err)
		}
		check(test, newRows, mean)
		stream, err := dataset.Collect("test", train.Taxonomy, 5, s.Instances(t.Context(), strings.NewReader(newText), "test", train.Taxonomy))
		if err != nil {
			t.Fatal(err)
		}
		example.CheckSame(t, stream, test)
	}
}

// TestARFFMissingErrors reads missing values for which nothing, or something else, is set.
func TestARFFMissingErrors(t *testing.T) {
	const text = "@relation 'r: -C 2'\n@attribute l {0,1}\n@attribute m {0,1}\n@attribute a numeric\n@attribute b {u,v}\n@data\n0,1,1,u\n1,0,?,u\n1,0,?,?\n"
	_, err := ARFF{}.Read(t.Context(), strings.NewReader(text), "x.arff", nil)
	wantPlace(t, err, 8, 5, `2 of 3 values of attribute "a" are missing, and some of 1 other attribute; set ARFF{Missing: "mean"} to use`)
	full, err := ARFF{Missing: "zero"}.Read(t.Context(), strings.NewReader(text), "x.arff", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		s     ARFF
		words string
	}{
		{ARFF{}, `the value of attribute "a" is missing; set ARFF{Missing: "mean"}`},
		{ARFF{Missing: "mean"}, "Means: train.X"},
		{ARFF{Missing: "mean", Means: &dataset.Matrix{Rows: 1, Cols: 2}}, "has 2 columns"},
		{ARFF{Missing: "mean", Means: &dataset.Matrix{Rows: 1, Cols: 3, Vocabulary: []string{"a", "b=v", "b=u"}}}, "column 1 of the matrix"},
		{ARFF{Missing: "median"}, `ARFF.Missing is "median"`},
	} {
		err := firstError(test.s.Instances(t.Context(), strings.NewReader(text), "x.arff", full.Taxonomy))
		if err == nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%+v: %v", test.s, err)
		}
	}
	// A label that is missing beside others.
	part := strings.Replace(text, "1,0,?,?", "?,1,2,v", 1)
	_, err = ARFF{}.Read(t.Context(), strings.NewReader(strings.Replace(part, "1,0,?,u", "1,0,3,u", 1)), "x.arff", nil)
	wantPlace(t, err, 9, 1, `1 of 3 values of attribute "l" are missing; `)
}

// TestARFFWide does not write a line for each of two billion columns.
func TestARFFWide(t *testing.T) {
	d := &dataset.Dataset{Name: "wide", Taxonomy: example.Fruit(), X: &dataset.Matrix{Rows: 1, Cols: math.MaxInt32, Indptr: []int{0, 1}, Indices: []int32{math.MaxInt32 - 1}, Values: []float32{1}}, Labels: [][]int{{0}}}
	if err := (ARFF{}).Write(t.Context(), &strings.Builder{}, d); err == nil || !strings.Contains(err.Error(), "SVMLight") {
		t.Error(err)
	}
}

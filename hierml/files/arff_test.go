package files

import (
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/taxonomy"
)

const (
	arffTree = `% FunCat
@RELATION 'yeast cell cycle'

@ATTRIBUTE orf key
@ATTRIBUTE cln3 numeric
@ATTRIBUTE 'phase of it' {G1, 'G2/M', "S, or so"}
@attribute bit {0,1}
@ATTRIBUTE size	real
@ATTRIBUTE class hierarchical	01,01/02,01/03,02/05/01
@DATA
`
	arffGraph = "@relation go\n@attribute a numeric\n@attribute class hierarchical root/x,root/y,x/z,y/z,y/w\n@data\n"
)

func TestARFF(t *testing.T) {
	tests := []struct{ name, text, rows, nodes string }{
		{"dense", arffTree + "YAL001C,0.5,'G2/M',1,-2e1,01/02@02/05/01\n% a comment\n\nY2, 0 , G1 , 0 , 0 , 01 \r\n",
			"01/02 02/05/01 [0 2 4 5] [0.5 1 1 -20]\n01 [1] [1]\n", "01 01/02 01/03 02 02/05 02/05/01"},
		{"missing", arffTree + "?,?,?,?,?,?\nx,1,?,?,?,01@01/03\n", "[] []\n01/03 [0] [1]\n", "01 01/02 01/03 02 02/05 02/05/01"},
		{"quoted classes", "@relation r\n@attribute a numeric\n@attribute c hierarchical 'A/x y' , B,\"A/z,w\"\n@data\n1,'A/x y'\n2, \"A/z,w\"\n", "A/x y [0] [1]\nA/z,w [0] [2]\n", "A A/x y B A/z,w"},
		{"quoted", arffTree + `'a, \'b\'',1,"S, or so",1,1,02` + "\n", "02 [0 3 4 5] [1 1 1 1]\n", "01 01/02 01/03 02 02/05 02/05/01"},
		{"sparse", arffTree + "{1 2, 3 1,5 01/03}\n{ 0 'x y' , 2 'S, or so',4 7 , 5 01/03@02 }\n{}\n",
			"01/03 [0 1 4] [2 1 1]\n01/03 02 [3 5] [1 7]\n[1] [1]\n", "01 01/02 01/03 02 02/05 02/05/01"},
		{"graph", arffGraph + "1,z\n2,x@y\n0,z@w@y\n", "z [0] [1]\nx y [0] [2]\nw z [] []\n", "x y z w"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := ARFF{Missing: "zero"}.Read(t.Context(), strings.NewReader(test.text), "x.arff", nil)
			if err != nil {
				t.Fatal(err)
			}
			example.CheckMatrix(t, d.X)
			if got := example.Printed(d); got != test.rows {
				t.Errorf("got\n%swant\n%s", got, test.rows)
			}
			if got := strings.Join(d.Taxonomy.Names(), " "); got != test.nodes {
				t.Errorf("nodes %s, want %s", got, test.nodes)
			}
			if test.name == "dense" {
				if got := strings.Join(d.Vocabulary, "|"); got != "cln3|phase of it=G1|phase of it=G2/M|phase of it=S, or so|bit|size" || d.X.Cols != 6 {
					t.Errorf("columns %s", got)
				}
			}
			for _, s := range []ARFF{{}, {Dense: true}} {
				if test.name == "quoted classes" {
					continue // names with blanks are not written
				}
				again, err := s.Read(t.Context(), strings.NewReader(writeWith(t, d, s.Write)), "again", nil)
				if err != nil {
					t.Fatal(err)
				}
				example.CheckSame(t, again, d)
				if again.Taxonomy.Len() != d.Taxonomy.Len() || len(again.Taxonomy.Edges()) != len(d.Taxonomy.Edges()) || strings.Join(again.Vocabulary, "|") != strings.Join(d.Vocabulary, "|") {
					t.Errorf("written and read again: %v, %q", again.Taxonomy, again.Vocabulary)
				}
			}
			test2, err := ARFF{Missing: "zero"}.Read(t.Context(), strings.NewReader(test.text), "test.arff", d.Taxonomy)
			if err != nil {
				t.Fatal(err)
			}
			if test2.Taxonomy != d.Taxonomy {
				t.Error("another taxonomy than what was given")
			}
			stream, err := dataset.Collect("stream", d.Taxonomy, 0, ARFF{Missing: "zero"}.Instances(t.Context(), strings.NewReader(test.text), "x.arff", d.Taxonomy))
			if err != nil {
				t.Fatal(err)
			}
			example.CheckSame(t, stream, d)
		})
	}
}

func TestARFFClass(t *testing.T) {
	const iris = "@relation iris\n@attribute width numeric\n@attribute class {setosa,virginica}\n@data\n0.2,setosa\n1.5,virginica\n"
	d, err := ARFF{Class: "class"}.Read(t.Context(), strings.NewReader(iris), "iris.arff", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := example.Printed(d); got != "setosa [0] [0.2]\nvirginica [0] [1.5]\n" {
		t.Errorf("got\n%s", got)
	}
	tree, err := ARFF{Hierarchy: "tree"}.Read(t.Context(), strings.NewReader(strings.ReplaceAll(arffGraph, "x/z,y/z,", "")+"1,y/w\n"), "x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(tree.Taxonomy.Names(), " "); got != "root root/x root/y y y/w" {
		t.Errorf("as a tree: %s", got)
	}
}

func TestARFFErrors(t *testing.T) {
	tests := []struct {
		name, text   string
		line, column int
		words        string
		rows, faults string // repaired, or empty for what is not
	}{
		{"empty", "", 1, 0, "before @data", "", ""},
		{"no data", "@relation x\n@attribute a numeric\n", 3, 0, "before @data", "", ""},
		{"no class", "@attribute a numeric\n@data\n", 2, 1, "no attribute has the labels", "", ""},
		{"two classes", "@attribute a hierarchical x\n@attribute b hierarchical x\n@data\n", 2, 1, "expected one", "", ""},
		{"no header", "1,2,3\n", 1, 1, "not part of a header", "", ""},
		{"no name", "@attribute\n", 1, 11, "no name", "", ""},
		{"open quotation", "@attribute 'a numeric\n", 1, 22, "quotation", "", ""},
		{"no type", "@attribute a\n", 1, 13, "not a type", "", ""},
		{"type", "@attribute a relational\n", 1, 14, "not a type", "", ""},
		{"values", "@attribute a {x, y\n", 1, 18, "do not end", "", ""},
		{"value twice", "@attribute a {x, x}\n", 1, 18, "twice", "", ""},
		{"long name", "@attribute " + strings.Repeat("a", 5000) + " {x}\n", 1, 5012, "more than", "", ""},
		{"empty path", "@attribute c hierarchical a//b\n", 1, 27, "empty part", "", ""},
		{"empty class", "@attribute c hierarchical a,,b\n", 1, 29, "empty class", "", ""},
		{"cycle", "@attribute c hierarchical a/b,b/c,c/a\n", 1, 27, "cycle", "", ""},
		{"edge twice", strings.Replace(arffGraph, "x/z", "x/z,x/z", 1) + "1,z\n", 3, 49, "twice", "z [0] [1]\n", "1 edge given twice"},
		{"no rows", arffGraph, 5, 0, "no rows", "", ""},
		{"too few", arffGraph + "1\n1,x\n", 5, 2, "has 1 values; expected 2", "x [0] [1]\n", "1 unreadable instance"},
		{"too many", arffGraph + "1,x,2\n1,x\n", 5, 4, "more values than the 2", "x [0] [1]\n", "1 unreadable instance"},
		{"not a number", arffGraph + "one,x\n1,x\n", 5, 1, "not a value", "x [0] [1]\n", "1 unreadable instance"},
		{"NaN", arffGraph + "NaN,x\n1,x\n", 5, 1, "not a value", "x [] []\nx [0] [1]\n", "1 value not finite, 1 instance without features"},
		{"unknown label", arffGraph + "1,z@q@w\n", 5, 5, `"q"`, "w z [0] [1]\n", "1 unknown label"},
		{"label twice", arffGraph + "1,z@z\n", 5, 5, "twice", "z [0] [1]\n", "1 label given twice"},
		{"unknown value", arffTree + "x,1,G7,1,1,02\n", 11, 5, `"G7" is not a value`, "02 [0 4 5] [1 1 1]\n", "1 unknown value"},
		{"not sorted", arffTree + "{4 7,1 2,2 G1}\n", 11, 6, "attribute 1 comes after attribute 4", "[0 1 5] [2 1 7]\n", "1 features out of order"},
		{"sparse twice", arffTree + "{1 7,1 2}\n{5 02}", 11, 6, "twice", "02 [1] [1]\n", "1 unreadable instance"},
		{"no brace", arffTree + "{1 7\n{5 02}", 11, 2, "does not end", "02 [1] [1]\n", "1 unreadable instance"},
		{"comma only", arffTree + "{1 7,\n{5 02}", 11, 6, "does not end with a brace", "02 [1] [1]\n", "1 unreadable instance"},
		{"behind the brace", arffTree + "{1 7} x\n{5 02}", 11, 5, "does not end with a brace", "02 [1] [1]\n", "1 unreadable instance"},
		{"attribute number", arffTree + "{x 7}\n{5 02}", 11, 2, "not the number", "02 [1] [1]\n", "1 unreadable instance"},
		{"huge attribute number", arffTree + "{2000000000 7}\n{5 02}", 11, 2, "the last of the 6 is 5", "02 [1] [1]\n", "1 unreadable instance"},
		{"weight", arffGraph + "1,x,{5 }7\n1,x\n", 5, 5, "not a weight of the instance", "x [0] [1]\n", "1 unreadable instance"},
		{"negative weight", arffGraph + "1,x,{-5}\n1,x\n", 5, 5, "not a weight of the instance", "x [0] [1]\n", "1 unreadable instance"},
		{"weight of a sparse row", arffGraph + "{0 1,1 x}, {x}\n{1 x}\n", 5, 12, "not a weight of the instance", "x [] []\n", "1 unreadable instance, 1 instance without features"},
		{"class behind quotation", "@attribute c hierarchical 'a' b\n", 1, 31, "expected a comma", "", ""},
		{"open value", arffTree + "x,1,'G1,1,1,02\nx,1,G1,1,1,02\n", 11, 5, "quotation", "02 [0 1 4 5] [1 1 1 1]\n", "1 unreadable instance"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, err := ARFF{}.Read(t.Context(), strings.NewReader(test.text), "x.arff", nil)
			if d != nil {
				t.Error("returns a part of a bad file")
			}
			wantPlace(t, err, test.line, test.column, test.words)
			var faults Faults
			d, err = ARFF{Repair: &faults}.Read(t.Context(), strings.NewReader(test.text), "x.arff", nil)
			if test.rows == "" {
				wantPlace(t, err, test.line, test.column, test.words)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			example.CheckMatrix(t, d.X)
			if got := example.Printed(d); got != test.rows {
				t.Errorf("got\n%swant\n%s", got, test.rows)
			}
			wantFaults(t, &faults, test.faults)
		})
	}
	if _, err := (ARFF{Hierarchy: "forest"}).Read(t.Context(), strings.NewReader(arffGraph), "x", nil); err == nil {
		t.Error("takes an unknown form")
	}
	slash, err := taxonomy.New([]string{"a/b", "c"}, [][2]int{{1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Taxonomy: slash, X: &dataset.Matrix{Indptr: []int{0}}}
	if err := (ARFF{}).Write(t.Context(), &strings.Builder{}, d); err == nil || !strings.Contains(err.Error(), "path") {
		t.Errorf("a name with a slash: %v", err)
	}
}

func FuzzARFF(f *testing.F) {
	f.Add([]byte(arffTree + "YAL001C,0.5,'G2/M',1,-2e1,01/02@02/05/01\n{1 2, 3 1,5 01/03}\n"))
	f.Add([]byte(arffGraph + "1,z\n2,x@y\n{0 1}\n{1 w,0 2}\n"))
	f.Add([]byte("@relation 'm: -C -2'\n@attribute a numeric\n@attribute b {x,y}\n@attribute l {0,1}\n@attribute m {0,1}\n@data\n?,x,1,0\n2,?,?,?\n{3 1}\n"))
	f.Add([]byte("@attribute a {0,1}\n@attribute 'b c' {x,'}'}\n@attribute c hierarchical a/b,b\n@data\n{1 x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if d, err := (ARFF{Missing: "mean"}).Read(t.Context(), strings.NewReader(string(text)), "fuzz", nil); err != nil {
			wantSyntaxError(t, err)
		} else {
			example.CheckMatrix(t, d.X)
		}
		strict, err := ARFF{}.Read(t.Context(), strings.NewReader(string(text)), "fuzz", nil)
		if err != nil {
			wantSyntaxError(t, err)
		}
		repaired, repairedErr := ARFF{Repair: new(Faults)}.Read(t.Context(), strings.NewReader(string(text)), "fuzz", nil)
		if err == nil {
			if repairedErr != nil {
				t.Fatalf("only repairs find a fault: %v", repairedErr)
			}
			example.CheckSame(t, repaired, strict)
		}
		if repairedErr != nil {
			wantSyntaxError(t, repairedErr)
			return
		}
		example.CheckMatrix(t, repaired.X)
		for _, s := range []ARFF{{}, {Dense: true}} {
			var b strings.Builder
			if err := s.Write(t.Context(), &b, repaired); err != nil {
				continue // names that the format cannot have
			}
			again, err := s.Read(t.Context(), strings.NewReader(b.String()), "again", nil)
			if err != nil {
				t.Fatalf("%v\n%s", err, b.String())
			}
			example.CheckSame(t, again, repaired)
		}
	})
}

// TestWeightsOfARFF reads Weka's weights of rows, dense and sparse; rows without have the weight 1.
func TestWeightsOfARFF(t *testing.T) {
	for text, want := range map[string][]float64{
		"1,x\n2,x\n": nil,
		"1,x\n2,x,{2.5}\n{0 1,1 x}, { 0 } \n3,x\n": {1, 2.5, 0, 1},
		"1,x , {3}\n": {3},
	} {
		d, err := ARFF{}.Read(t.Context(), strings.NewReader(arffGraph+text), "w.arff", nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(d.Weights, want) || want == nil && d.Weights != nil {
			t.Errorf("%q: weights %v, want %v", text, d.Weights, want)
		}
		for _, err = range (ARFF{}).Instances(t.Context(), strings.NewReader(arffGraph+text), "w.arff", d.Taxonomy) {
			if err != nil {
				break
			}
		}
		if (err != nil) != (want != nil) || err != nil && !strings.Contains(err.Error(), "one by one have no weights") {
			t.Errorf("%q: one by one: %v", text, err)
		}
	}
	// A row that is left out takes its weight along.
	var faults Faults
	d, err := ARFF{Repair: &faults}.Read(t.Context(), strings.NewReader(arffGraph+"y\n1,x,{4}\n2,x,{x}\n3,x\n"), "w.arff", nil)
	if err != nil || !slices.Equal(d.Weights, []float64{4, 1}) {
		t.Errorf("%v, %v", d, err)
	}
}

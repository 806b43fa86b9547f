package files

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func TestCSV(t *testing.T) {
	tax := example.Fruit()
	spaced, err := taxonomy.New([]string{"a / b", "a/b"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, text string
		s          CSV
		tax        *taxonomy.Taxonomy
		documents  string
		nodes      string
	}{
		{"plain", "id,labels,text,split\na,\"apple, pear\",\"red, \"\"round\"\"\nor so\",train\nb,,x,\n", CSV{}, tax,
			"a|train|apple, pear|\"red, \\\"round\\\"\\nor so\"\nb|||\"x\"\n", ""},
		{"label and lines", "label;text\r\napple;a\r\n\r\npear;b\r\n", CSV{Comma: ';'}, tax, "2||apple|\"a\"\n4||pear|\"b\"\n", ""},
		{"own names", "n\tcat\ttitle\tbody\nx\tapple|pear\ta\tb\n", CSV{Comma: '\t', ID: "n", Labels: "cat", LabelSeparator: "|", Text: []string{"title", "body"}}, tax,
			"x||apple, pear|\"a\\nb\"\n", ""},
		{"levels", "a,b,c,text\nfood,fruit,apple,x\nfood,,,y\n,,,z\nArts/Crafts,Wool,,w\n", CSV{Levels: []string{"a", "b", "c"}}, nil,
			"2||food/fruit/apple|\"x\"\n3||food|\"y\"\n4|||\"z\"\n5||Arts/Crafts/Wool|\"w\"\n", "food food/fruit food/fruit/apple Arts/Crafts Arts/Crafts/Wool"},
		{"blanks", "labels,text\nPolitics / EU,x\n\" Politics/EU , Sport /Ice hockey\",y\n", CSV{}, nil,
			"2||Politics/EU|\"x\"\n3||Politics/EU, Sport/Ice hockey|\"y\"\n", "Politics Politics/EU Sport Sport/Ice hockey"},
		{"blanks of a node", "labels,text\na / b,x\na/ b,y\n", CSV{}, spaced, "2||a / b|\"x\"\n3||a/b|\"y\"\n", ""},
		{"grown", "labels,text\n\"a/b,a\",x\n\"c.d\",y\n", CSV{}, nil, "2||a/b|\"x\"\n3||c.d|\"y\"\n", "a a/b c.d"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := test.s.Read(t.Context(), strings.NewReader("\ufeff"+test.text), "x.csv", test.tax)
			if err != nil {
				t.Fatal(err)
			}
			if got := documentsOf(c); got != test.documents {
				t.Errorf("got\n%swant\n%s", got, test.documents)
			}
			if got := strings.Join(c.Taxonomy.Names(), " "); test.nodes != "" && got != test.nodes {
				t.Errorf("nodes %s", got)
			}
			var b bytes.Buffer
			if err := (CSV{}).Write(t.Context(), &b, c); err != nil {
				t.Fatal(err)
			}
			again, err := CSV{}.Read(t.Context(), &b, "again", c.Taxonomy)
			if err != nil {
				t.Fatal(err)
			}
			if got := documentsOf(again); got != test.documents {
				t.Errorf("written and read again:\n%swant\n%s", got, test.documents)
			}
		})
	}
}

func TestCSVFaults(t *testing.T) {
	tests := []struct {
		name, text   string
		line, column int
		words        string
		documents    string // repaired, or empty for what is not
		faults       string
	}{
		{"empty", "", 1, 0, "no titles", "", ""},
		{"only titles", "labels,text\n", 1, 0, "no documents", "", ""},
		{"no labels", "text,x\na,b\n", 0, 0, "", "2|||\"a\"\n", ""},
		{"no text", "labels,x\na,b\n", 1, 0, `"text"`, "", ""},
		{"text twice", "labels,text,text\na,b,c\n", 1, 0, "two columns", "", ""},
		{"broken titles", "labels,\"text\na,b\n", 2, 5, "quot", "", ""},
		{"too few", "labels,text\napple\npear,x\n", 2, 0, "the row has 1 field, and there are 2 titles; give it one for each title, or leave such rows out and count them: CSV{Repair: &files.Faults{}}", "3||pear|\"x\"\n", "1 unreadable instance"},
		{"too many", "labels,text\napple,x,y\npear,x\n", 2, 0, "the row has 3 fields, and there are 2 titles; put text that has a comma into quotation marks, or leave such rows out and count them: CSV{Repair: &files.Faults{}}", "3||pear|\"x\"\n", "1 unreadable instance"},
		{"quotes", "labels,text\napple,a\"b\npear,x\n", 2, 8, "quotation marks", "3||pear|\"x\"\n", "1 unreadable instance"},
		{"open quotation", "labels,text\npear,x\napple,\"ab\n\n", 5, 0, "quotation marks", "2||pear|\"x\"\n", "1 unreadable instance"},
		{"unknown label", "labels,text\n\"pear,plum\",x\nkiwi,y\n", 2, 1, `"plum"`, "2||pear|\"x\"\n", "2 unknown label, 1 no known label"},
		{"not UTF-8", "labels,text\npear,caf\xe9\n", 2, 6, "not UTF-8", "2||pear|\"caf\ufffd\"\n", "1 text that is not UTF-8"},
		{"empty text", "labels,text\npear,\n", 0, 0, "", "2||pear|\"\"\n", "1 document without text"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := CSV{}.Read(t.Context(), strings.NewReader(test.text), "x.csv", example.Fruit())
			if test.line == 0 {
				if err != nil {
					t.Error(err)
				}
			} else if c != nil {
				t.Error("returns a part of a bad file")
			} else if test.column == 0 {
				var at *SyntaxError
				if !errors.As(err, &at) || !strings.Contains(at.Msg, test.words) {
					t.Errorf("got %v, want %q", err, test.words)
				}
			} else {
				wantPlace(t, err, test.line, test.column, test.words)
			}
			var faults Faults
			c, err = CSV{Repair: &faults}.Read(t.Context(), strings.NewReader(test.text), "x.csv", example.Fruit())
			if test.documents == "" {
				wantSyntaxError(t, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := documentsOf(c); got != test.documents {
				t.Errorf("got\n%swant\n%s", got, test.documents)
			}
			wantFaults(t, &faults, test.faults)
		})
	}
	var faults Faults
	levels := CSV{Levels: []string{"a", "b", "c"}, Repair: &faults}
	c, err := levels.Read(t.Context(), strings.NewReader("a,b,c,text\nx,,y,z\n"), "x.csv", nil)
	if err != nil || documentsOf(c) != "2||x|\"z\"\n" {
		t.Errorf("%v, %v", c, err)
	}
	wantFaults(t, &faults, "1 empty label")
	_, err = CSV{}.Read(t.Context(), io.MultiReader(strings.NewReader("labels,text\napple,\""), endless('1')), "x.csv", example.Fruit())
	wantPlace(t, err, 2, 0, "longer than")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = (CSV{}).Read(ctx, strings.NewReader("labels,text\napple,x\n"), "x.csv", example.Fruit()); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("id,labels,text,split\na,\"apple, pear\",\"red, \"\"round\"\"\nor so\",train\nb,,x,\n"))
	f.Add([]byte("label,text\r\nplum,\xff\r\n\"a\"b,\nx\n"))
	tax := example.Fruit()
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzzDocuments(t, text, func(repair *Faults) documentFormat { return CSV{Repair: repair} }, tax)
		fuzzDocuments(t, text, func(repair *Faults) documentFormat { return CSV{Repair: repair} }, nil)
	})
}

// awkwardWords are names of features that mean something else in a title, or that a reader of
// tables changes.
var awkwardWords = []string{
	"split", "id", "labels", "label", "text", "", " ", "a", " a", "a ", "a\u00a0", "\ta", "a\n", "a\nb", "a\r\nb", "\r", "a\rb", `"`, `""`, `"a"`, `"split"`, `a"b`, `"\x"`, `\`, `\.`,
	"'", "`a`", ",", ";", "a,b", "=1+1", "-", "x1", "#a", "\xff", "a\xffb", "\ufeff", "\ufeffa", "a\x00", "é", "e\u0301", "日本", "labels ", "Split", "color=red", "9", "1e5",
	"column 2", "Unnamed: 0", "class", "None",
}

// TestCSVDatasetNames writes features of every name: they are read again as they were, or refused.
func TestCSVDatasetNames(t *testing.T) {
	refused := []string{"", " ", " a", "a ", "a\u00a0", "\ta", "a\n", "a\r\nb", "\r", "\xff", "a\xffb", "a\x00", "labels "}
	for _, s := range []CSV{{}, {Comma: ';'}, {Labels: "text"}, {Labels: "é"}, {Labels: `"a"`}} {
		var kept []string
		for _, word := range awkwardWords {
			err := writtenAndRead(t, s, []string{word}) // alone, as the last title
			switch {
			case word == orElse(s.Labels, "labels"):
				if want := fmt.Sprintf("column 0 is named %q, like the column of the labels; set CSV{Labels: \"...\"} to another name", word); err == nil || err.Error() != "files: "+want {
					t.Errorf("%+v: %q: %v, want %s", s, word, err, want)
				}
			case slices.Contains(refused, word):
				if err == nil || !strings.HasPrefix(err.Error(), "files: column 0 ") {
					t.Errorf("%+v: %q: %v, want an error that it is no title", s, word, err)
				}
			default:
				kept = append(kept, word)
				if err != nil {
					t.Errorf("%+v: %q: %v", s, word, err)
				}
			}
		}
		if err := writtenAndRead(t, s, kept); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	err := writtenAndRead(t, CSV{}, []string{"a", "b", "a"})
	if want := `files: columns 0 and 2 are both named "a"; rename one of them`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	wide := &dataset.Dataset{Taxonomy: example.Fruit(), Labels: [][]int{nil}, X: &dataset.Matrix{Rows: 1, Cols: math.MaxInt32, Indptr: []int{0, 1}, Indices: []int32{1 << 30}, Values: []float32{1}}}
	if err := (CSV{}).WriteDataset(t.Context(), io.Discard, wide); err == nil || !strings.Contains(err.Error(), "SVMLight") {
		t.Errorf("two billion columns: %v", err)
	}
}

// writtenAndRead writes a data set with features of these names and reads it as a table of numbers,
// and says what differs.
func writtenAndRead(t *testing.T, s CSV, words []string) error {
	t.Helper()
	tax := example.Fruit()
	apple, pear := example.Node(t, tax, "apple"), example.Node(t, tax, "pear")
	x := mat.NewDense(4, len(words), nil)
	for j := range words {
		x.Set(j%3, j, math.Pow(-10, float64(j-4))/3)
	}
	d, err := dataset.FromDense("words", tax, x, [][]int{{apple}, {pear}, nil, {apple, pear}})
	if err != nil {
		t.Fatal(err)
	}
	d.Vocabulary = words
	s.LabelSeparator = ","
	var b bytes.Buffer
	if err := s.WriteDataset(t.Context(), &b, d); err != nil {
		return err
	}
	read, err := Table{Label: orElse(s.Labels, "labels"), Numbers: words, Comma: cmp.Or(s.Comma, ',')}.Read(t.Context(), &b, "words.csv", tax)
	if err != nil {
		return err
	}
	if got, want := fmt.Sprint(read.Labels), fmt.Sprint(d.Labels); got != want {
		return fmt.Errorf("labels %s read, %s written", got, want)
	}
	dense := d.X.Dense()
	for j, word := range words {
		c := read.Columns[j+1] // behind the labels
		if c.Name != word || c.Kind != dataset.Number || c.Role != dataset.Feature {
			return fmt.Errorf("column %d is read as %q, of kind %v and role %v", j, c.Name, c.Kind, c.Role)
		}
		for i, v := range c.Numbers {
			if float32(v) != float32(dense.At(i, j)) {
				return fmt.Errorf("%q: %v written, %v read", word, dense.At(i, j), v)
			}
		}
	}
	return nil
}

func FuzzCSVNames(f *testing.F) {
	for i, word := range awkwardWords {
		f.Add(word, awkwardWords[(i+7)%len(awkwardWords)], "")
	}
	f.Add("labels", "split", "split")
	f.Fuzz(func(t *testing.T, a, b, labels string) {
		if strings.TrimSpace(labels) != labels || strings.ContainsFunc(labels, unicode.IsControl) || !utf8.ValidString(labels) || strings.HasPrefix(labels, "\ufeff") || len(a)+len(b) > 1000 {
			return
		}
		if err := writtenAndRead(t, CSV{Labels: labels}, []string{a, b}); err != nil && !strings.Contains(err.Error(), " named ") && !strings.Contains(err.Error(), "empty name") {
			t.Errorf("%q, %q with labels %q: %v", a, b, labels, err)
		}
	})
}

// TestCSVTitles holds what is found by titles without settings, and what is said where that fails.
func TestCSVTitles(t *testing.T) {
	for _, test := range []struct {
		titles string
		s      CSV
		want   string
	}{
		{"article,date,body,kind", CSV{}, `no column named "label" (found: "article, date, body, kind"). Set CSV{Labels: "..."} or add the column. To read texts without labels, pass the taxonomy of the training data as the last argument`},
		{"text,News label", CSV{}, `no column named "label" (found: "text, News label"). Did you mean CSV{Labels: "News label"}? To read texts without labels, pass the taxonomy of the training data as the last argument`},
		{"labels,Full Text", CSV{}, `no column named "text" (found: "labels, Full Text"). Did you mean CSV{Text: []string{"Full Text"}}?`},
		{"body,Category", CSV{Labels: "category"}, `no column named "category" (found: "body, Category"). Did you mean "Category"?`},
		{"notes,Category", CSV{}, `no column named "text" (found: "notes, Category"). Set CSV{Text: []string{"..."}} or add the column`},
		{"no,notes,kind", CSV{Labels: "kind"}, `no column named "text" (found: "no, notes, kind"). Set CSV{Text: []string{"..."}} or add the column`},
		{"body,kind", CSV{Labels: "category"}, `no column named "category" (found: "body, kind")`},
		{"5.1,3.5,setosa", CSV{}, `the first line is "5.1, 3.5, setosa", probably a row, because it has the number 5.1; add a line above it with the titles of the columns, such as labels,a,b`},
		{"5.1,3.5,setosa", CSV{Labels: "kind"}, `no column named "kind" (the first line, "5.1, 3.5, setosa", is probably a row, because it has the number 5.1; add a line above it with the titles of the columns, such as labels,a,b)`},
		{"# made by hand", CSV{}, `the first line is "# made by hand", probably a comment; remove it: the first line has the titles of the columns, and tables have no comments`},
		{"text,labels", CSV{Comma: ';', Labels: "labels"}, `no column named "labels" (found: "text,labels"). There is no ';' between fields; leave CSV.Comma unset to detect the separator`},
	} {
		_, err := test.s.Read(t.Context(), strings.NewReader(test.titles+"\na,b\n"), "x.csv", nil)
		if want := "x.csv:1: " + test.want; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", test.titles, err, want)
		}
	}
	for _, test := range []struct{ text, want, notes string }{
		{"Id,Text,Label,Split\na,x,apple,test\n", "a|test|apple|\"x\"\n", ""},
		{"text;labels\nx, y;apple\n", "2||apple|\"x, y\"\n", `x.csv: ';' is between the fields [files.CSV{Comma}]`},
		{"text\tCategory\nx\tpear\n", "2||pear|\"x\"\n", `x.csv: '\t' is between the fields [files.CSV{Comma}]` + "\nx.csv: the labels are those of column Category [files.CSV{Labels}]"},
		{"id,text\n7,x\n8,y\n", "7|||\"x\"\n8|||\"y\"\n", "x.csv: no column named \"label\"; the texts are read without labels [files.CSV{Labels}]"},
		{"text\nx\n", "2|||\"x\"\n", "x.csv: no column named \"label\"; the texts are read without labels [files.CSV{Labels}]"},
	} {
		var w example.Watcher
		c, err := CSV{}.Read(progress.With(t.Context(), &w), strings.NewReader(test.text), "x.csv", example.Fruit())
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if got, notes := documentsOf(c), strings.Join(w.Notes, "\n"); got != test.want || notes != test.notes {
			t.Errorf("%q: got %s, noted %s", test.text, got, notes)
		}
	}
}

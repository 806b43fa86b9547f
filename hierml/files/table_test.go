package files

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// noted collects notes.
type noted []string

func (n *noted) Begin(string) progress.Task { return nil }
func (n *noted) Note(text string)           { *n = append(*n, text) }

// readTable reads a table, and returns it with the notes.
func readTable(t *testing.T, s Table, content string) (*dataset.Table, string) {
	t.Helper()
	var notes noted
	table, err := s.Read(progress.With(context.Background(), &notes), strings.NewReader(content), "folder/t.csv", nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, content)
	}
	return table, strings.Join(notes, "\n")
}

// kinds returns kinds and roles of the columns in short.
func kinds(t *dataset.Table) string {
	var parts []string
	for _, c := range t.Columns {
		parts = append(parts, fmt.Sprintf("%s:%v:%v", c.Name, c.Kind, c.Role))
	}
	return strings.Join(parts, " ")
}

// TestTableKinds holds what is found out of columns, and that each guess is told.
func TestTableKinds(t *testing.T) {
	rows := func(title string, values ...string) string {
		var b strings.Builder
		b.WriteString(title + "\n")
		for i := range 40 {
			fmt.Fprintln(&b, strings.ReplaceAll(values[i%len(values)], "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	for _, test := range []struct {
		name, content string
		settings      Table
		kinds, notes  string
	}{
		{name: "numbers", content: rows("label,x", "a,1", "b,-2.5e3", "a,", "b,NA"), kinds: "label:nominal:labels x:number:feature", notes: "x (numbers)"},
		{name: "zip codes", content: rows("label,zip", "a,01234", "b,99999", "a,00501"), kinds: "label:nominal:labels zip:nominal:feature", notes: "zip (nominal)"},
		{name: "codes", content: rows("label,code", "a,X#", "b,Y#"), kinds: "label:nominal:labels code:nominal:unused", notes: "code (no feature: different in most rows)"},
		{name: "text", content: rows("label,said", "a,green tea is # fine", "b,red # wine"), kinds: "label:nominal:labels said:text:feature", notes: "said (text)"},
		{name: "sets", content: rows("label,tags", "a,x|y", "b,z", "a,y|z"), kinds: "label:nominal:labels tags:set:feature", notes: `tags (sets, separated by "|")`},
		{name: "dates", content: rows("label,day", "a,2024-01-31", "b,2023-12-01"), kinds: "label:nominal:labels day:nominal:unused", notes: "day (no feature: dates)"},
		{name: "dates with months", content: rows("label,day", "a,Jan 1 2000", "b,\"March 12, 1999\"", "c,3 Feb 2001", "c,12-Dec-99", "a,May 2003"), kinds: "label:nominal:labels day:nominal:unused", notes: "day (no feature: dates)"},
		{name: "many with commas", content: rows("label,x,y,z", "a,\"1,234\",\"1,000,000\",1", "b,\"5,000\",\"2,000\",2"), kinds: "label:nominal:labels x:number:feature y:number:feature z:number:feature", notes: `"1,234" of x is read as 1234, and so are the numbers of 1 more column [files.Table{Decimal}]`},
		{name: "truth", content: rows("label,t", "a,True", "b,False"), kinds: "label:nominal:labels t:nominal:feature", notes: "t (nominal)"},
		{name: "nothing", content: rows("label,t", "a,", "b,NA"), kinds: "label:nominal:labels t:nominal:unused", notes: "t (no feature: no values)"},
		{name: "index", content: rows(",label,x", "#,a,1", "#,b,2"), kinds: "column 1:nominal:id label:nominal:labels x:number:feature", notes: "as pandas writes them"},
		{name: "numbered columns", content: rows("0,1,label", "#,7,a", "#,8,b"), kinds: "0:number:feature 1:number:feature label:nominal:labels", notes: "0, 1 (numbers)"},
		{name: "id and split", content: rows("id,split,Label,x", "#,train,a,1", "#,test,b,2"), kinds: "id:nominal:id split:nominal:part Label:nominal:labels x:number:feature", notes: "id (the names of the rows, no feature)"},
		{name: "thousands", content: rows("label,x", `a,"1,234"`, `b,"12,000"`), kinds: "label:nominal:labels x:number:feature", notes: `"1,234" of x is read as 1234 [files.Table{Decimal}]`},
		{name: "decimal comma", content: rows("label;x", "a;1,5", "b;1.234,25"), kinds: "label:nominal:labels x:number:feature", notes: `"1,5" of x is read as 1.5`},
		{name: "three decimals", content: rows("label,x", `a,"1,250"`, `b,"0,750"`), kinds: "label:nominal:labels x:number:feature", notes: `"1,250" of x is read as 1.25 [files.Table{Decimal}]`},
		{name: "names of new rows", content: rows("id,x", "#,1"), settings: Table{Like: []dataset.Column{{Name: "x", Kind: dataset.Number}}}, kinds: "id:nominal:id x:number:feature"},
		{name: "nearly numbers", content: rows("label,x", slices.Repeat([]string{"a,#"}, 39)...) + "b,big\n", kinds: "label:nominal:labels x:nominal:unused", notes: `x is no column of numbers: 1 of its 41 values is not, such as "big" [files.Table{Missing: []string{"big"}}]`},
		{name: "numbers and a word", content: "label,x\na,1\nb,2\na,5\nb,big\nb,7\n", kinds: "label:nominal:labels x:nominal:unused", notes: `1 of its 5 values is not, such as "big"`},
		{name: "numbers and a frequent word", content: rows("label,x", "a,#", "b,#", "a,none of it"), kinds: "label:nominal:labels x:nominal:unused", notes: `13 of its 40 values are not, such as "none of it"`},
		{name: "missing words", content: rows("label,land", "a,NA", "b,FR", "a,DE"), kinds: "label:nominal:labels land:nominal:feature", notes: `14 fields "NA" of columns of words count as missing [files.Table{Missing: []string{"none"}}]`},
		{name: "Namibia", content: rows("label,land", "a,NA", "b,FR"), settings: Table{Missing: []string{"none"}}, kinds: "label:nominal:labels land:nominal:feature"},
		{name: "further words", content: rows("label,x", "a,1", "b,NA", "a,-"), settings: Table{Missing: []string{"-"}}, kinds: "label:nominal:labels x:number:feature", notes: "x (numbers)"},
		{name: "set by settings", content: rows("label,a,b,c", "x,1,2,3"), settings: Table{Nominal: []string{"a"}, Text: []string{"b"}, Unused: []string{"c"}}, kinds: "label:nominal:labels a:nominal:feature b:text:feature c:nominal:unused"},
		{name: "no labels", content: rows("x,said", "1,green tea is # fine"), kinds: "x:number:feature said:text:feature", notes: `no column named "label"; the rows are read without labels`},
	} {
		table, notes := readTable(t, test.settings, test.content)
		if got := kinds(table); got != test.kinds {
			t.Errorf("%s: %s, want %s", test.name, got, test.kinds)
		}
		if !strings.Contains(notes, test.notes) {
			t.Errorf("%s: %q is not in the notes\n%s", test.name, test.notes, notes)
		}
		if strings.Contains(notes, "folder") {
			t.Errorf("%s: a note names the folder: %s", test.name, notes)
		}
	}
}

// TestTableLabels holds when labels are divided, and that it is told.
func TestTableLabels(t *testing.T) {
	for _, test := range []struct {
		name, column string
		labels       []string
		settings     Table
		nodes, notes string
	}{
		{name: "paths", column: "label", labels: []string{"food/tea", "food/wine", "car/bus", "food"}, nodes: "food/tea<food food/wine<food car/bus<car food", notes: `separated by "/"`},
		{name: "wide separator", column: "label", labels: []string{"food > tea", "food > wine", "car > bus"}, nodes: "food > tea<food food > wine<food car > bus<car", notes: `separated by " > "`},
		{name: "colons", column: "label", labels: []string{"a::b", "a::c", "d::e"}, nodes: "a::b<a a::c<a d::e<d", notes: `separated by "::"`},
		{name: "points", column: "label", labels: []string{"comp.os", "comp.sys", "sci.med", "sci.space"}, nodes: "comp.os<comp comp.sys<comp sci.med<sci sci.space<sci", notes: `separated by "."`},
		{name: "bars", column: "label", labels: []string{"a|b", "a|c", "d|e"}, nodes: "a|b<a a|c<a d|e<d", notes: `separated by "|"`},
		{name: "TCP/IP", column: "label", labels: []string{"TCP/IP", "I/O", "disk", "N/A"}, nodes: "TCP/IP I/O disk N/A", notes: `labels such as "I/O" count as one level each [files.Table{PathSeparator: "/"}]`},
		{name: "commas", column: "label", labels: []string{"Clothing, Shoes & Jewelry", "Tea"}, nodes: "Clothing, Shoes & Jewelry Tea", notes: `1 field of column label has commas, and is one label each`},
		{name: "several commas", column: "label", labels: []string{"a, b", "c, d", "e"}, nodes: "a, b c, d e", notes: `2 fields of column label have commas, and are one label each [files.Table{LabelSeparator: ","}]`},
		{name: "commas as told", column: "labels", labels: []string{"a, b", "b"}, settings: Table{LabelSeparator: "none"}, nodes: "a, b b"},
		{name: "sets of paths", column: "labels", labels: []string{"a/b, a/c", "a/b", "d/e"}, nodes: "a/b<a+a/c<a a/b<a d/e<d", notes: `separated by "/"`},
		{name: "prose", column: "label", labels: []string{"Dr. A", "Dr. B", "Mr. C"}, nodes: "Dr. A Dr. B Mr. C"},
		{name: "decimals", column: "label", labels: []string{"1.5", "1.7", "2.5"}, nodes: "1.5 1.7 2.5"},
		{name: "several", column: "labels", labels: []string{"a,b", "b", "a"}, nodes: "a+b b a", notes: "1 field of column labels has several labels"},
		{name: "several by bars", column: "tags", labels: []string{"a|b", "b|c", "a", "a|c", "c", "b"}, settings: Table{Label: "tags"}, nodes: "a+b b+c a a+c c b", notes: `several labels, separated by "|"`},
		{name: "as set", column: "label", labels: []string{"a;b", "b"}, settings: Table{LabelSeparator: ";", PathSeparator: "none"}, nodes: "a+b b"},
		{name: "no levels", column: "label", labels: []string{"a/b", "a/c"}, settings: Table{PathSeparator: "none"}, nodes: "a/b a/c"},
		{name: "missing", column: "label", labels: []string{"a", "", "b"}, nodes: "a  b", notes: "1 row has no label"},
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "%s\tx\n", test.column)
		for i, l := range test.labels {
			fmt.Fprintf(&b, "\"%s\"\t%d\n", l, i)
		}
		table, notes := readTable(t, test.settings, b.String())
		labels := func(tax *taxonomy.Taxonomy, sets [][]int) string {
			var got []string
			for _, set := range sets {
				var names []string
				for _, n := range set {
					name := tax.Name(n)
					if above := tax.Parents(n); len(above) > 0 {
						name += "<" + tax.Name(above[0])
					}
					names = append(names, name)
				}
				got = append(got, strings.Join(names, "+"))
			}
			return strings.Join(got, " ")
		}
		if got := labels(table.Taxonomy, table.Labels); got != test.nodes {
			t.Errorf("%s: labels %s, want %s", test.name, got, test.nodes)
		}
		if !strings.Contains(notes, test.notes) {
			t.Errorf("%s: %q is not in the notes\n%s", test.name, test.notes, notes)
		}
		// CSV of texts has the same rule, and so has what is read with the taxonomy.
		var told noted
		s := CSV{Labels: test.column, LabelSeparator: test.settings.LabelSeparator, PathSeparator: test.settings.PathSeparator, Text: []string{"x"}, Comma: '\t'}
		corpus, err := s.Read(progress.With(t.Context(), &told), strings.NewReader(b.String()), "t.csv", nil)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got := labels(corpus.Taxonomy, corpus.LabelSets()); got != test.nodes {
			t.Errorf("%s: CSV: labels %s, want %s", test.name, got, test.nodes)
		}
		for _, note := range told {
			if !strings.Contains(notes, strings.ReplaceAll(note, "files.CSV", "files.Table")) {
				t.Errorf("%s: CSV: %s\nTable: %s", test.name, note, notes)
			}
		}
		for _, known := range []func() ([][]int, error){
			func() ([][]int, error) {
				again, err := test.settings.Read(t.Context(), strings.NewReader(b.String()), "t.csv", table.Taxonomy)
				if err != nil {
					return nil, err
				}
				return again.Labels, nil
			},
			func() ([][]int, error) {
				again, err := s.Read(t.Context(), strings.NewReader(b.String()), "t.csv", table.Taxonomy)
				if err != nil {
					return nil, err
				}
				return again.LabelSets(), nil
			},
		} {
			sets, err := known()
			if err != nil || labels(table.Taxonomy, sets) != test.nodes {
				t.Errorf("%s: with the taxonomy: %v, %v", test.name, sets, err)
			}
		}
	}
}

// TestKnownLabels reads fields of labels with a taxonomy: one that is a node is one label, and
// others are divided.
func TestKnownLabels(t *testing.T) {
	tax, err := taxonomy.New([]string{"a", "b", "a, b", "c|d", "c", "x / y", "x"}, [][2]int{{6, 5}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		column, field, separator string
		want                     string // nodes, or an error
	}{
		{"label", "a", "", "a"},
		{"label", "a, b", "", "a, b"},
		{"labels", "a, b", "", "a, b"},
		{"labels", "b,a", "", "a b"},
		{"label", "b,a", "", "a b"},
		{"label", "b|a", "", "a b"},
		{"label", "c|d", "", "c|d"},
		{"label", "c|d; a", "", "a c|d"},
		{"label", "x/y", "", `label "x/y" is not a node`},
		{"label", "x / y;a", "", "a x / y"},
		{"label", "x,x / y", "", "x / y"},
		{"label", "b,a", "none", `label "b,a" is not a node`},
		{"labels", "p,q", "", `label "p" is not a node`},
		{"label", "p,q", "", `label "p,q" is not a node`},
		{"label", "a,q", "", `label "q" is not a node`},
	} {
		content := test.column + "\tx\n" + test.field + "\tsome text\n"
		got := make(map[string]string)
		read, err := Table{LabelSeparator: test.separator, Comma: '\t'}.Read(t.Context(), strings.NewReader(content), "t.csv", tax)
		if err == nil {
			got["Table"] = strings.Join(tax.NamesOf(read.Labels[0]...), " ")
		} else {
			got["Table"] = err.Error()
		}
		corpus, err := CSV{LabelSeparator: test.separator, Comma: '\t', Labels: test.column, Text: []string{"x"}}.Read(t.Context(), strings.NewReader(content), "t.csv", tax)
		if err == nil {
			got["CSV"] = strings.Join(tax.NamesOf(corpus.Documents[0].Labels...), " ")
		} else {
			got["CSV"] = err.Error()
		}
		for format, names := range got {
			if names != test.want && !(strings.HasPrefix(test.want, "label ") && strings.Contains(names, test.want)) {
				t.Errorf("%s: %q of column %s: %s, want %s", format, test.field, test.column, names, test.want)
			}
		}
	}
}

// TestTableForms holds that the same rows are read from all forms.
func TestTableForms(t *testing.T) {
	const csv = "label,x,said,tags\na/b,1.5,green tea is fine,u|v\na/c,,red wine and bread,v\nd,-3,,u\na/b,2,green tea again today,\n"
	want, _ := readTable(t, Table{Sets: []string{"tags"}}, csv)
	for name, content := range map[string]string{
		"semicolons": strings.NewReplacer(",", ";").Replace(csv),
		"tabs":       strings.NewReplacer(",", "\t").Replace(csv),
		"CRLF, BOM":  "\ufeff" + strings.ReplaceAll(csv, "\n", "\r\n"),
		"JSON lines": `{"label":"a/b","x":1.5,"said":"green tea is fine","tags":["u","v"]}
{"label":"a/c","x":null,"said":"red wine and bread","tags":["v"]}
{"label":"d","x":-3,"tags":["u"]}
{"label":"a/b","said":"green tea again today","x":2,"tags":[]}
`,
		"JSON list": `[{"label":"a/b","x":1.5,"said":"green tea is fine","tags":["u","v"]},
 {"label":"a/c","said":"red wine and bread","tags":["v"]}, {"label":"d","x":-3,"said":"","tags":["u"]}, {"label":"a/b","x":2,"said":"green tea again today"}]`,
	} {
		got, _ := readTable(t, Table{Sets: []string{"tags"}}, content)
		for _, w := range want.Columns {
			c, err := got.Column(w.Name)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for row := range want.Len() {
				a, b := c.Value(row), w.Value(row)
				if w.Kind == dataset.Set { // written with another separator
					a, b = fmt.Sprint(c.Sets[row]), fmt.Sprint(w.Sets[row])
				}
				if a != b || c.Kind != w.Kind {
					t.Errorf("%s: column %s, %v, has %q in row %d, want %v, %q", name, w.Name, c.Kind, a, row, w.Kind, b)
				}
			}
		}
		for row := range want.Len() {
			if got.Taxonomy.Name(got.Labels[row][0]) != want.Taxonomy.Name(want.Labels[row][0]) {
				t.Errorf("%s: row %d has label %d", name, row, got.Labels[row])
			}
		}
	}
}

// TestTableChunks holds that parts of a table are the table, by the columns of another.
func TestTableChunks(t *testing.T) {
	var b strings.Builder
	b.WriteString("label,x,kind,tags\n")
	for i := range 25 {
		fmt.Fprintf(&b, "%c,%d,%c,u|v%d\n", 'a'+i%3, i, 'p'+i%2, i%4)
	}
	whole, _ := readTable(t, Table{}, b.String())
	rows := 0
	for part, err := range (Table{Like: whole.Columns}).Chunks(context.Background(), strings.NewReader(b.String()), "t.csv", 7, whole.Taxonomy) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range part.Len() {
			for k, c := range whole.Columns {
				if got := part.Columns[k].Value(i); got != c.Value(rows+i) || part.Columns[k].Kind != c.Kind {
					t.Errorf("row %d: %s is %q, want %q", rows+i, c.Name, got, c.Value(rows+i))
				}
			}
			if part.Labels[i][0] != whole.Labels[rows+i][0] {
				t.Errorf("row %d has label %v", rows+i, part.Labels[i])
			}
		}
		rows += part.Len()
	}
	if rows != whole.Len() {
		t.Errorf("%d rows in parts, %d in all", rows, whole.Len())
	}
}

func TestTableRefuses(t *testing.T) {
	for _, test := range []struct {
		content  string
		settings Table
		want     string
	}{
		{"label,x\na,1\na,2,3\n", Table{}, "t.csv:3: the row has 3 fields, and there are 2 titles"},
		{"label,x\na,big\n", Table{Numbers: []string{"x"}}, `t.csv:2: column "x": "big" is not a number; set files.Table{Nominal: []string{"x"}} to take the column as words, or files.Table{Missing: []string{"big"}} to take such fields as missing`},
		{"label,x\na,2024-01-31\n", Table{Numbers: []string{"x"}}, "it looks like a date"},
		{"label,x\na,True\n", Table{Numbers: []string{"x"}}, `files.Table{Nominal: []string{"x"}}`},
		{"label,x\na,\"1,2,3\"\n", Table{Numbers: []string{"x"}}, "Decimal: ','"},
		{"label,x\na,0x10\n", Table{Numbers: []string{"x"}}, "is not a number"},
		{"label,x\na,1e999\n", Table{Numbers: []string{"x"}}, "is not a number"},
		{"label,x\n", Table{}, "no rows below the titles"},
		{"", Table{}, "no titles"},
		{"1,2\n3,4\n", Table{}, "probably a row"},
		{"label,x,x\na,1,2\n", Table{}, `two columns are named "x"`},
		{"label,x\na,1\n", Table{Numbers: []string{"X"}}, `Numbers: no column named "X" (found: "label, x"). Did you mean "x"?`},
		{"label,x\na,1\n", Table{Numbers: []string{"x"}, Text: []string{"x"}}, `column "x" is set in both Text and Numbers`},
		{"a,b,x\np,,1\n,q,1\n", Table{Levels: []string{"a", "b"}}, `t.csv:3: level "q" is below an empty level`},
		{"label,x\na//b,1\na/c,1\n", Table{PathSeparator: "/"}, "has an empty part"},
		{`{"label":"a","x":{"y":1}}`, Table{}, `the field "x" is a JSON object`},
		{`{"label":"a","x":1,"x":2}`, Table{}, `the field "x" is given twice`},
		{`{"label":"a"`, Table{}, "the file ends within a row"},
		{`{"label":"a"}` + "\n[1]", Table{}, "a row is no JSON object"},
		{"[1]", Table{}, "a row is no JSON object"},
		{"[]", Table{}, "no rows"},
		{`{"label":"a" 1}`, Table{}, "not JSON"},
		{"label,x\na,\xff\n", Table{}, "is not UTF-8"},
	} {
		_, err := test.settings.Read(context.Background(), strings.NewReader(test.content), "t.csv", nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v, want %q", test.content, err, test.want)
		}
	}
}

// FuzzTable holds that whatever is read is written, and read again as it is.
func FuzzTable(f *testing.F) {
	f.Add("label,x,tags\na/b,1,u|v\na/c,,v\n")
	f.Add("labels;x\n\"a,b\";1,5\nb;NA\n")
	f.Add(`{"label":"a","x":[1]}`)
	f.Add(`[{"a":true,"b":"2024-01-01"},{"a":null}]`)
	f.Add("\"\",label\n0,a\n1,b\n")
	f.Fuzz(func(t *testing.T, content string) {
		table, err := Table{}.Read(context.Background(), strings.NewReader(content), "t", nil)
		if err != nil {
			return
		}
		var b strings.Builder
		if err := (Table{}).Write(context.Background(), &b, table); err != nil {
			t.Fatalf("%v\n%s", err, table)
		}
		if strings.Contains(b.String(), "\x00") {
			return // a file of text has none
		}
		like := Table{Like: table.Columns, Missing: []string{"none"}, Comma: ','}
		again, err := like.Read(context.Background(), strings.NewReader(b.String()), "t", table.Taxonomy)
		if err != nil {
			t.Fatalf("%v\n%q", err, b.String())
		}
		for k, c := range table.Columns {
			if c.Role == dataset.Labels {
				continue // their blanks are taken away
			}
			for row := range table.Len() {
				got, want := &again.Columns[k], c
				if got.Kind != want.Kind || got.Missing(row) != want.Missing(row) {
					t.Fatalf("column %q, row %d: %v %q, want %v %q\n%q", c.Name, row, got.Kind, got.Value(row), want.Kind, want.Value(row), b.String())
				}
				if c.Kind == dataset.Number && !math.IsNaN(want.Numbers[row]) && got.Numbers[row] != want.Numbers[row] {
					t.Fatalf("column %q, row %d: %v, want %v", c.Name, row, got.Numbers[row], want.Numbers[row])
				}
			}
		}
	})
}

// TestTableColumnar holds that Parquet and Arrow give the same table, whole, in parts, in memory
// and compressed.
func TestTableColumnar(t *testing.T) {
	ctx := context.Background()
	folder := filepath.Join("..", "internal", "columnar", "testdata")
	settings := Table{}
	whole, err := settings.Open(ctx, filepath.Join(folder, "pandas.parquet"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if whole.Len() < 3 || len(whole.Columns) < 3 {
		t.Fatalf("the table is small: %v", whole)
	}
	same := func(what string, got *dataset.Table, from int) {
		t.Helper()
		for k := range got.Columns {
			want, err := whole.Column(got.Columns[k].Name)
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			for i := range got.Len() {
				if a, b := got.Columns[k].Value(i), want.Value(from+i); a != b {
					t.Errorf("%s: %s has %q in row %d, want %q", what, want.Name, a, from+i, b)
				}
			}
		}
	}
	other, err := settings.Open(ctx, filepath.Join(folder, "pandas.feather"), nil)
	if err != nil {
		t.Fatal(err)
	}
	same("feather", other, 0)
	content, err := os.ReadFile(filepath.Join(folder, "pandas.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for what, r := range map[string]io.Reader{"in memory": bytes.NewReader(content), "compressed": &packed} {
		got, err := settings.Read(ctx, r, "t", nil)
		if err != nil {
			t.Fatal(err)
		}
		same(what, got, 0)
	}
	at := 0
	for part, err := range (Table{Like: whole.Columns}).Chunks(ctx, bytes.NewReader(content), "t", 2, nil) {
		if err != nil {
			t.Fatal(err)
		}
		same("in parts", part, at)
		at += part.Len()
	}
	if at != whole.Len() {
		t.Errorf("%d rows in parts, and %d in all", at, whole.Len())
	}
}

// TestTableElsewhere gives files that are no text to a reader of texts, which names the one that
// reads them, and damaged ones to Table.
func TestTableElsewhere(t *testing.T) {
	folder := filepath.Join("..", "internal", "columnar", "testdata")
	for file, want := range map[string]string{"pandas.parquet": "the file is Parquet, which files.Table reads", "pandas.feather": "the file is Arrow (Feather), which files.Table reads"} {
		path := filepath.Join(folder, file)
		if _, err := (CSV{}).Open(t.Context(), path, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s as CSV: %v", file, err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Table{}.Read(t.Context(), bytes.NewReader(content[:len(content)/2]), file, nil)
		if err == nil || !strings.HasPrefix(err.Error(), file+":1: the file is damaged or incomplete: ") {
			t.Errorf("%s, cut: %v", file, err)
		}
	}
}

// TestTableOfLargeFields reads fields with a million parts, in time proportional to them.
func TestTableOfLargeFields(t *testing.T) {
	var b strings.Builder
	for i := range 1 << 20 {
		fmt.Fprintf(&b, "%d|", i%(1<<19))
	}
	content := "label,tags\na," + b.String() + "\nb,1|2\nb,1|2\n"
	table, _ := readTable(t, Table{Sets: []string{"tags"}}, content)
	if c := table.Columns[1]; c.Kind != dataset.Set || len(c.Sets[0]) != 1<<19 {
		t.Errorf("a column of kind %v", c.Kind)
	}
	if table, _ = readTable(t, Table{}, `{"label":"a","tags":["`+strings.ReplaceAll(b.String(), "|", `","`)+`"]}`); len(table.Columns[1].Sets[0]) != 1<<19 {
		t.Errorf("%d words of a list", len(table.Columns[1].Sets[0]))
	}
}

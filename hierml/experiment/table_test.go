package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/features"
	"github.com/hierml/notebook/hierml/files"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/perceptron"
	"github.com/hierml/notebook/hierml/progress"
	"github.com/hierml/notebook/internal/testrun"
)

// numberedTable has rows of two labels, each with a name, a number and a word of its own.
func numberedTable(t testing.TB, rows int, further ...dataset.Column) *dataset.Table {
	t.Helper()
	name, number, own, label := dataset.Words("name"), dataset.Numbers("number"), dataset.Words("own"), dataset.Words("label")
	name.Role = dataset.ID
	for i := range rows {
		name.Words = append(name.Words, fmt.Sprint("n", i))
		number.Numbers = append(number.Numbers, float64(i*i))
		own.Words = append(own.Words, fmt.Sprint("w", i))
		label.Words = append(label.Words, string(rune('a'+i%2)))
	}
	table, err := dataset.NewTable("numbered", append([]dataset.Column{name, number, own, label}, further...)...)
	if err == nil {
		table, err = table.WithLabels("label", nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestColumnsAreFittedOnTheTrainingPart holds, in every division and inner division, that what is
// trained on has a feature for the word of each of its rows and of no other row, and that its
// numbers have mean 0 and deviation 1.
func TestColumnsAreFittedOnTheTrainingPart(t *testing.T) {
	const rows = 30
	trained := 0
	see := func(ctx context.Context, d *dataset.Dataset, p Params) (metric.Scorer, error) {
		trained++
		words, sum, squares := 0, 0.0, 0.0
		for j, name := range d.Vocabulary {
			if strings.HasPrefix(name, "own=") {
				words++
			}
			for i := range d.X.Rows {
				columns, values := d.X.Row(i)
				k := slices.Index(columns, int32(j))
				switch {
				case name == "number" && k >= 0:
					sum, squares = sum+float64(values[k]), squares+float64(values[k])*float64(values[k])
				case strings.HasPrefix(name, "own=") && k >= 0:
					words--
				}
			}
		}
		if n := float64(d.Len()); words != 0 || math.Abs(sum) > 1e-4 || math.Abs(squares/n-1) > 1e-4 {
			return nil, fmt.Errorf("%d words too many, sum %v, mean square %v", words, sum, squares/n)
		}
		return perceptron.Flat{}.Fit(ctx, d)
	}
	s := &Study{
		Data:    []Data{{Table: numberedTable(t, rows), Columns: features.Columns{Number: features.Number{Scale: features.ZScore}}}},
		Methods: []Method{{Name: "see", Fit: see, Grid: Grid{"C": {1, 2}}}},
		Split:   Split{Folds: 5}, Inner: Split{Folds: 2}, Workers: 1,
	}
	r := complete(t, s)
	for _, c := range slices.Concat(r.Cells, r.Inner) {
		if c.Error != "" || c.Data != "numbered" || c.Inner == 0 && c.Train+c.Test != rows {
			t.Errorf("%+v", c)
		}
	}
	if want := 5 + 5*2*2; trained != want {
		t.Errorf("%d trainings, want %d", trained, want)
	}
}

// notesOf collects notes.
type notesOf struct{ text []string }

func (n *notesOf) Begin(string) progress.Task { return nil }
func (n *notesOf) Note(text string)           { n.text = append(n.text, text) }

// TestGivenPartsOfTables has a table whose column says what is trained on, rows without a label,
// and two equal rows, which their names tell apart.
func TestGivenPartsOfTables(t *testing.T) {
	part := dataset.Words("part")
	part.Role = dataset.Part
	for i := range 20 {
		part.Words = append(part.Words, []string{"test", "train", "train", "other"}[i%4])
	}
	table := numberedTable(t, 20, part)
	table.Labels[1] = nil
	number, own := table.Columns[1].Numbers, table.Columns[2].Words
	number[4], own[4] = number[6], own[6]
	notes := &notesOf{}
	s := &Study{Data: []Data{{Table: table}}, Methods: []Method{{Estimator: Centroids{}}}}
	r, err := s.Run(progress.With(t.Context(), notes))
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Cells[0]; c.Error != "" || c.Train != 9 || c.Test != 5 || c.Equal != 1 || c.EqualExample != `row "n4" for testing and row "n6" for training` {
		t.Errorf("%+v", c)
	}
	if want := []string{"numbered: 1 row without a label is left out"}; !reflect.DeepEqual(notes.text, want) {
		t.Errorf("the notes are %q, want %q", notes.text, want)
	}
	s.Repeats = 2 // of one division
	if r := complete(t, s); len(r.repeated) > 0 || len(r.Notes) != 1 {
		t.Errorf("%q are divided more than once; %q", r.repeated, r.Notes)
	}
	if r := complete(t, &Study{Data: []Data{{Table: numberedTable(t, 20)}}, Methods: s.Methods, Repeats: 2}); len(r.repeated) != 1 || len(r.Notes) > 0 {
		t.Errorf("%q are divided more than once; %q", r.repeated, r.Notes)
	}
	s.Repeats = 1
	own[4] = "other"
	if c := complete(t, s).Cells[0]; c.Equal != 0 {
		t.Errorf("rows of which one word differs are equal: %+v", c)
	}
	s.Data[0].Columns.LeaveOut = []string{"own"}
	if c := complete(t, s).Cells[0]; c.Equal != 1 {
		t.Errorf("rows whose features are equal are not: %+v", c)
	}
}

// TestTablesInGoAndJSON runs a study of a file as JSON and as Go, of the file and of what is read
// of it. All have the same cells.
func TestTablesInGoAndJSON(t *testing.T) {
	read, err := ReadStudy(filepath.Join("testdata", "tea.json"))
	if err != nil {
		t.Fatal(err)
	}
	notes := &notesOf{}
	want, err := read.Run(progress.With(t.Context(), notes))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(notes.text, func(note string) bool { return strings.Contains(note, "4 labels in column label") }) {
		t.Errorf("what was guessed is not told: %q", notes.text)
	}
	reader := files.Table{Comma: ';', Decimal: ',', Label: "label", ID: "name", Text: []string{"text"}, Nominal: []string{"origin"}, Sets: []string{"tags"}}
	table, err := reader.Open(t.Context(), filepath.Join("testdata", "tea.csv"), nil)
	if err != nil {
		t.Fatal(err)
	}
	columns := features.Columns{
		Number: features.Number{Missing: features.Mean, Indicator: true, Scale: features.ZScore}, Constant: 1,
		Of: map[string]features.Column{"tags": {Nominal: &features.Nominal{MinRows: 2}}},
	}
	grid := Grid{
		"C": {0.1, 1.0}, "Data.Columns.Text.NGrams": {[2]int{1, 1}, [2]int{1, 2}},
		"Data.Columns.Of.weight.Number": {map[string]any{"Missing": "mean"}, map[string]any{"Missing": "median", "Log": true}},
	}
	for _, data := range []Data{
		{File: "testdata/tea.csv", Reader: reader, Columns: columns, Leafed: true},
		{Table: table, Columns: columns, Leafed: true},
	} {
		s := *read
		s.DataFolder, s.Data = "", []Data{data}
		s.Methods = []Method{{Name: "flat", Named: read.Methods[0].Named, Grid: grid}}
		got := complete(t, &s)
		for i, c := range got.Cells {
			c.Data = "tea"
			if !c.Same(want.Cells[i]) {
				t.Errorf("got %v\nwant %v", c, want.Cells[i])
			}
		}
		if data.Table != nil {
			if err := s.portable(); err == nil || !strings.Contains(err.Error(), "data, which can be given in Go only; Open, Texts and File take names") {
				t.Errorf("a table is written as JSON: %v", err)
			}
		}
	}
	// Values of types of Go are written, too, and read.
	s := *read
	s.Methods = []Method{{Name: "flat", Named: read.Methods[0].Named, Grid: Grid{
		"Data.Columns.Of.weight.Number": {features.Number{Missing: features.Mean}, &features.Number{Missing: features.Median}},
		"Data.Columns.Text":             {features.Text{}, features.Text{MinDocuments: 2}},
		"Data.Steps":                    {[]any{}, []any{features.Scaling{}, Named{Type: "features.ChiSquare", Fields: map[string]any{"Features": 9}}}},
	}}}
	if err := s.portable(); err != nil {
		t.Error(err)
	}
	if len(columns.Of) != 1 || len(read.Data[0].Columns.Of) != 1 {
		t.Errorf("a grid has changed the settings of the study: %v", columns.Of)
	}
}

// TestRepairsAreTold reads a table with a row that is too long, which is an error without Repair.
func TestRepairsAreTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte("label,size\n"+strings.Repeat("a,1\nb,2\n", 5)+"a,1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Study{Data: []Data{{File: file}}, Methods: []Method{{Estimator: Centroids{}}}}
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "a.csv:12") {
		t.Errorf("a row that is too long: %v", err)
	}
	faults := &files.Faults{}
	s.Data[0].Reader.Repair = faults
	for range 2 {
		notes := &notesOf{}
		r, err := s.Run(progress.With(t.Context(), notes))
		if err != nil || r.Cells[0].Error != "" {
			t.Fatalf("%v, %v", err, r)
		}
		if text := strings.Join(notes.text, "\n"); !strings.Contains(text, "a.csv: ") || !strings.Contains(text, "unreadable instance") {
			t.Errorf("the repair is not told: %s", text)
		}
	}
	if text, err := s.MarshalJSON(); err != nil || !strings.Contains(string(text), `"Repair": {}`) || faults.Total() > 0 {
		t.Errorf("it is written as %s, %v; %d faults were added", text, err, faults.Total())
	}
}

// TestRefusedTables lists what is said of tables that cannot be studied, before anything is
// trained.
func TestRefusedTables(t *testing.T) {
	table := numberedTable(t, 20)
	gap := *table
	gap.Columns = slices.Clone(table.Columns)
	gap.Columns[1].Numbers = slices.Clone(table.Columns[1].Numbers)
	gap.Columns[1].Numbers[3] = math.NaN()
	unlabelled := *table
	unlabelled.Taxonomy, unlabelled.Labels = nil, nil
	for _, test := range []struct {
		data Data
		grid Grid
		want string
	}{
		{Data{Table: &unlabelled}, nil, "the table has no labels; name their column with Reader.Label"},
		{Data{Table: &gap}, nil, `column "number": 1 of 20 numbers are missing; set Columns{Number`},
		{Data{Table: &gap}, Grid{"Data.Columns.Number.Scale": {"z-score"}}, "1 of 20 numbers are missing"},
		{Data{Table: table, Columns: features.Columns{LeaveOut: []string{"colour"}}}, nil, `has no column "colour"`},
		{Data{Table: table, Text: features.Text{Bits: 4}}, nil, "or for the texts of a table Columns.Text"},
		{Data{Table: table, Reader: files.Table{Label: "label"}}, nil, "has a Reader but no File"},
		{Data{Table: table, File: "x.csv"}, nil, "has 2 of Open, Texts, File"},
		{Data{Set: linearTree(t, 20), Columns: features.Columns{Constant: 1}}, nil, "has Columns but no table"},
		{Data{File: filepath.Join(t.TempDir(), "none.csv")}, nil, "name the folder of the files by hierml study run --data FOLDER (in Go, by Study.DataFolder)"},
		{Data{Open: filepath.Join("testdata", "tea.csv")}, nil, "give a table of your own as File, not as Open or Texts"},
		{Data{Texts: "tea.csv"}, nil, "give a table of your own as File, not as Open or Texts"},
		{Data{Table: table}, Grid{"Data.Columns.Constants": {1}}, `the grid of method "m": Data.Columns has no field Constants; it has Text, Number`},
		{Data{Table: table}, Grid{"Data.Leafed": {true}}, "a grid cannot set Data.Leafed; in Data it can set only fields of Text, Columns, Steps"},
		{Data{Table: table}, Grid{"Data.Text.Bits": {4}}, "has Text or Vectors but no texts"},
		{Data{Table: table}, Grid{"Data.Columns.Of.number.Numbers.Log": {true}}, "Data.Columns.Of.number.Numbers.Log cannot be true"},
		{Data{Table: table}, Grid{"Data.Columns.Nominal.MinRows": {"x"}}, "expected a whole number"},
		{Data{Table: table}, Grid{"Data.Steps": {[]any{"features.Scalling"}}}, `nothing is called "features.Scalling" here`},
	} {
		test.data.Name = "d"
		s := &Study{Data: []Data{test.data}, Methods: []Method{{Name: "m", Estimator: Centroids{}, Grid: test.grid}}}
		if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v gives %v, want %q", test.grid, err, test.want)
		}
	}
	// Where one point of the grid can be trained, there is a study, in which the others fail.
	s := &Study{Data: []Data{{Table: &gap}}, Methods: []Method{{Name: "m", Estimator: Centroids{}, Grid: Grid{"Data.Columns.Number.Missing": {"refuse", "mean"}}}}}
	if r := complete(t, s); r.Cells[0].Error == "" || r.Cells[1].Error != "" {
		t.Errorf("%v and %v", r.Cells[0], r.Cells[1])
	}
}

// TestDataFolder holds where the files of a study may be: below the folder of what was read, and
// not behind links, or in the folder that the user has chosen.
func TestDataFolder(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	table, err := os.ReadFile(filepath.Join("testdata", "tea.csv"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	study := filepath.Join(dir, "tea.json")
	read := func(file string) (*Study, error) {
		t.Helper()
		write(study, fmt.Sprintf(`{"Data": [{"Name": "tea", "File": %q, "Reader": {"Label": "label"}, "Columns": {"Number": {"Missing": "mean"}}}], "Methods": [{"Estimator": "perceptron.Flat"}], "Measures": ["accuracy"], "Directory": "tea.study"}`, file))
		return ReadStudy(study)
	}
	write(filepath.Join(elsewhere, "tea.csv"), string(table))
	write(filepath.Join(dir, "data", "tea.csv"), string(table))
	for _, file := range []string{"../tea.csv", filepath.Join(elsewhere, "tea.csv"), "data/../../tea.csv"} {
		if _, err := read(file); err == nil || !strings.Contains(err.Error(), "leads out of the folder of the study") {
			t.Errorf("a study reads %s: %v", file, err)
		}
	}
	s, err := read("data/tea.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := complete(t, s).Cells[0]
	// What its directory has is the same study, whose files are where they were.
	for _, again := range []string{filepath.Join(dir, "tea.study"), filepath.Join(dir, "tea.study", "study.json")} {
		if s, err = ReadStudy(again); err != nil {
			t.Fatal(err)
		}
		if c, err := s.RunCell(t.Context(), want.Key); err != nil || !c.Same(want) {
			t.Errorf("%s: %v, %v", again, c, err)
		}
	}
	for link, to := range map[string]string{"link.csv": "data/tea.csv", "far": elsewhere} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			testrun.Need(t, "links", err)
		}
	}
	for _, file := range []string{"link.csv", "far/tea.csv"} {
		if s, err = read(file); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "is a link") {
			t.Errorf("%s is read through a link: %v", file, err)
		}
	}
	if s, err = read("tea.csv"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "--data FOLDER") {
		t.Errorf("a file that is not there: %v", err)
	}
	s.DataFolder = filepath.Join(dir, "far") // the user's word, and links are the user's
	if c := complete(t, s).Cells[0]; !c.Same(want) {
		t.Errorf("%v, want %v", c, want)
	}
	// A farm's processes are told the path, which JSON would not say.
	s.Directory, s.Farm = filepath.Join(dir, "farm.study"), inline{}
	s.DataFolder, s.Data[0].File = "", filepath.Join(elsewhere, "tea.csv")
	if c := complete(t, s).Cells[0]; !c.Same(want) {
		t.Errorf("%v, want %v", c, want)
	}
}

package files

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/progress"
)

func TestReadJSONLines(t *testing.T) {
	tax := example.Fruit()
	const text = `{"id": "a/1", "split": "train", "labels": ["apple"], "text": "Red.\nRound."}

{"text": "", "labels": ["food", "pear", "tool"], "source": {"page": 3}}
{"labels": [], "text": "ünlabelled", "split": "test"}`
	c, err := ReadJSONLines(strings.NewReader(text), "texts", tax)
	if err != nil {
		t.Fatal(err)
	}
	apple, pear, tool := example.Node(t, tax, "apple"), example.Node(t, tax, "pear"), example.Node(t, tax, "tool")
	want := []dataset.Document{
		{ID: "a/1", Text: "Red.\nRound.", Labels: []int{apple}, Part: "train"},
		{ID: "3", Labels: []int{pear, tool}},
		{ID: "4", Text: "ünlabelled", Part: "test"},
	}
	if got := fmt.Sprintf("%+v", c.Documents); got != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %s\nwant %+v", got, want)
	}
	if train := c.Part("train"); train.Len() != 1 || train.Documents[0].ID != "a/1" {
		t.Errorf("the training part has %d documents", train.Len())
	}
}

func TestReadJSONLinesErrors(t *testing.T) {
	tests := []struct {
		name, text   string
		line, column int
		words        string
	}{
		{"empty", "\n\n", 1, 0, "no documents"},
		{"not JSON", "{\"labels\": [], \"text\": \"\"}\n{\"labels\": [], text: \"\"}", 2, 16, "not JSON"},
		{"cut", `{"labels": ["apple"], "te`, 1, 25, "not JSON"},
		{"list of strings", `["apple"]`, 1, 2, "expected [{...}, {...}]"},
		{"a string", `"apple"`, 1, 1, "expected an object"},
		{"no text", `{"labels": ["apple"]}`, 1, 0, `"text" is missing`},
		{"null text", `{"text": null, "labels": ["apple"]}`, 1, 10, "JSONLines{Repair: &files.Faults{}}"},
		{"label is a number", `{"text": "", "labels": [3]}`, 1, 25, `"3" is not a node`},
		{"label is an object", `{"text": "", "labels": [{"a": 1}]}`, 1, 25, "a list of them"},
		{"label is a list in a list", `{"text": "", "labels": [ ["a"]]}`, 1, 26, "a list of them"},
		{"label has a comma", `{"text": "", "label": "apple,pear"}`, 1, 23, `"apple,pear" is not a node`},
		{"columns of pandas", `{"label": {"0": "apple"}, "text": {"0": "red"}}`, 1, 35, `to_json(orient="records", lines=True)`},
		{"text called otherwise", `{"label": "apple", "description": "red", "name": "r"}`, 1, 0, `JSONLines{Text: []string{"description"}}`},
		{"list cut", "[{\"labels\": [], \"text\": \"\"},\n{\"labels\": [", 2, 12, "it is not complete"},
		{"list without comma", "[{\"labels\": [], \"text\": \"\"}\n {\"labels\": []}]", 2, 2, "expected a comma or the end"},
		{"list with a comma at the end", "[{\"labels\": [], \"text\": \"\"},\n]", 2, 1, "there is a comma before the end"},
		{"more behind the list", "[{\"labels\": [], \"text\": \"\"}]\n[]", 2, 1, "follows the list"},
		{"fault in a list", "[\n {\"labels\": [],\n  \"text\": [1]}]", 3, 11, "expected a string"},
		{"no JSON in a list", "[\n {\"labels\": [],\n  text: \"\"}]", 3, 3, "not JSON"},
		{"empty list", "[ ]", 1, 0, "no documents"},
		{"unknown label", `{"text": "plum", "labels": ["apple", "plum"]}`, 1, 38, `"plum" is not a node`},
		{"label twice", `{"text": "", "labels": ["apple", "apple"]}`, 1, 34, "given twice"},
		{"not UTF-8", "{\"text\": \"a\xff\", \"labels\": []}", 1, 12, "not UTF-8"},
		{"two objects", `{"text": "", "labels": []} {}`, 1, 28, "not JSON"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := ReadJSONLines(strings.NewReader(test.text), "texts", example.Fruit())
			if c != nil {
				t.Error("returns a part of a bad file")
			}
			wantPlace(t, err, test.line, test.column, test.words)
		})
	}
}

// TestJSONLinesFields reads fields of other names, and values of other types.
func TestJSONLinesFields(t *testing.T) {
	tests := []struct {
		name      string
		settings  JSONLines
		text      string
		documents string
		note      string
	}{
		{"label", JSONLines{}, `{"label": "a, b", "text": "x"}`, "1||a, b|\"x\"\n", ""},
		{"labels before label", JSONLines{}, `{"label": "a", "labels": ["b"], "text": "x"}`, "1||b|\"x\"\n", ""},
		{"names", JSONLines{Labels: "section", Text: []string{"name", "about"}, ID: "key", Part: "part"},
			`{"key": 7, "name": "bc", "about": "a \u00fc \"x\"", "section": "math", "part": "test", "text": "no", "labels": ["no"]}`, "7|test|math|\"bc\\na ü \\\"x\\\"\"\n", ""},
		{"numbers", JSONLines{Labels: "y"}, `{"y": 3, "text": 1.50}` + "\n" + `{"y": [-1, true, "3"], "text": false}`, "1||3|\"1.50\"\n2||3, -1, true|\"false\"\n", ""},
		{"null in texts", JSONLines{Text: []string{"a", "b"}}, `{"label": "l", "a": null, "b": "x"}`, "1||l|\"x\"\n", ""},
		{"no label", JSONLines{}, `{"label": "l", "text": "a"}` + "\n" + `{"label": null, "text": "b"}` + "\n" + `{"label": "", "text": "c"}` + "\n" + `{"label": [], "text": "d"}`,
			"1||l|\"a\"\n2|||\"b\"\n3|||\"c\"\n4|||\"d\"\n", ""},
		{"some lack the field", JSONLines{}, `{"label": "l", "text": "a"}` + "\n" + `{"text": "b"}`, "1||l|\"a\"\n2|||\"b\"\n", "1 document of 2 lack"},
		{"field twice", JSONLines{}, `{"label": "k", "label": "l", "text": "a", "text": "b"}`, "1||l|\"b\"\n", ""},
		{"list", JSONLines{}, " [ {\"label\":\"l\",\"text\":\"]}\\\"\"} ,\n\n{\"text\": \"b\",\n \"x\": [{}], \"label\": \"k\"}\n]\n", "1||l|\"]}\\\"\"\n3||k|\"b\"\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var w example.Watcher
			c, err := test.settings.Read(progress.With(t.Context(), &w), strings.NewReader(test.text), "texts", nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := documentsOf(c); got != test.documents {
				t.Errorf("got\n%swant\n%s", got, test.documents)
			}
			if notes := strings.Join(w.Notes, "\n"); (notes == "") != (test.note == "") || !strings.Contains(notes, test.note) {
				t.Errorf("noted %q", notes)
			}
			if len(test.settings.Text) > 1 {
				return
			}
			var b bytes.Buffer
			if err := test.settings.Write(t.Context(), &b, c); err != nil {
				t.Fatal(err)
			}
			again, err := test.settings.Read(t.Context(), &b, "again", c.Taxonomy)
			if err != nil || documentsOf(again) != test.documents {
				t.Errorf("written: %v\n%s", err, documentsOf(again))
			}
		})
	}
}

// TestJSONLinesUnlabelled reads new documents.
func TestJSONLinesUnlabelled(t *testing.T) {
	const text = `{"id": "a", "category": "x", "text": "new"}` + "\n"
	var w example.Watcher
	c, err := JSONLines{}.Read(progress.With(t.Context(), &w), strings.NewReader(text), "new", example.Fruit())
	if err != nil || documentsOf(c) != "a|||\"new\"\n" {
		t.Errorf("%v, %v", c, err)
	}
	if len(w.Notes) != 1 || !strings.Contains(w.Notes[0], `(found: "id, category, text"). Set JSONLines{Labels: "..."} or add the field`) {
		t.Errorf("noted %q", w.Notes)
	}
	_, err = JSONLines{}.Read(t.Context(), strings.NewReader(text), "new", nil)
	wantPlace(t, err, 1, 0, "pass the taxonomy of the training data")
	_, err = JSONLines{Labels: "kategory"}.Read(t.Context(), strings.NewReader(text), "new", example.Fruit())
	wantPlace(t, err, 1, 0, `no document has a field "kategory"`)
}

// TestJSONLinesPandas reads what pandas writes of the table in testdata/pandas/write.py.
func TestJSONLinesPandas(t *testing.T) {
	s := JSONLines{Labels: "class", Text: []string{"title"}}
	const want = "1||2|\"é \\\"quoted\\\" / 😀\"\n2||10|\"line\\nbreak\"\n3||2|\"3.5\"\n"
	for _, file := range []string{"lines.json", "records.json", "indented.json"} {
		c, err := s.Open(t.Context(), "testdata/pandas/"+file, nil)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for i := range c.Documents {
			c.Documents[i].ID = fmt.Sprint(i + 1) // the line differs
		}
		if got := documentsOf(c); got != want {
			t.Errorf("%s: got\n%swant\n%s", file, got, want)
		}
	}
	_, err := s.Open(t.Context(), "testdata/pandas/columns.json", nil)
	wantPlace(t, err, 1, 10, `to_json(orient="records", lines=True)`)
	_, err = s.Open(t.Context(), "testdata/pandas/split.json", nil)
	wantPlace(t, err, 1, 0, `"title" is missing`)
}

func TestJSONLinesRepair(t *testing.T) {
	tests := []struct{ name, text, documents, faults string }{
		{"not JSON", "{\n{\"labels\": [], \"text\": \"a\"}", "2|||\"a\"\n", "1 unreadable instance"},
		{"fields", `{"text": ["a"]}` + "\n" + `{"labels": []}` + "\n" + `{"labels": {}, "text": "a"}` + "\n" + `{"text": "b"}`, "4|||\"b\"\n", "3 unreadable instance"},
		{"in a list", "[{\"text\": [1]},\n{\"text\": null}, {\"label\": \"pear\", \"text\": \"b\"}]", "2||pear|\"b\"\n", "2 unreadable instance"},
		{"labels", `{"labels": ["plum", "apple", "apple", ""], "text": "a"}` + "\n" + `{"labels": ["plum"], "text": "a"}`, "1||apple|\"a\"\n",
			"2 unknown label, 1 label given twice, 1 empty label, 1 no known label"},
		{"not UTF-8", "{\"labels\": [], \"text\": \"caf\xe9\"}", "1|||\"caf\ufffd\"\n", "1 text that is not UTF-8"},
		{"no text", `{"labels": ["apple"], "text": " "}`, "1||apple|\" \"\n", "1 document without text"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var faults Faults
			c, err := JSONLines{Repair: &faults}.Read(t.Context(), strings.NewReader(test.text), "texts", example.Fruit())
			if err != nil {
				t.Fatal(err)
			}
			if got := documentsOf(c); got != test.documents {
				t.Errorf("got\n%swant\n%s", got, test.documents)
			}
			wantFaults(t, &faults, test.faults)
		})
	}
}

func FuzzJSONLines(f *testing.F) {
	f.Add([]byte(`{"id": "a/1", "split": "train", "labels": ["apple"], "text": "Red.\nRound."}`))
	f.Add([]byte("[{\"label\": 3.0, \"text\": null},\n {\"label\": \"apple\", \"text\": true}]"))
	f.Add([]byte(`{"labels": ["food", "pear", "tool", "plum"], "text": "", "source": {"page": 3}}` + "\n{\"text\": \"\xff\"}"))
	tax := example.Fruit()
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzzDocuments(t, text, func(repair *Faults) documentFormat { return JSONLines{Repair: repair} }, tax)
	})
}

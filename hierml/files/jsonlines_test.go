package files

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/internal/example"
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
		{"list", `["apple"]`, 1, 1, "expected an object"},
		{"no text", `{"labels": ["apple"]}`, 1, 0, `"text" is missing`},
		{"no labels", `{"text": "apple"}`, 1, 0, `"labels" is missing`},
		{"null labels", `{"text": "", "labels": null}`, 1, 0, `"labels" is missing`},
		{"label is a number", `{"text": "", "labels": [3]}`, 1, 25, "list of strings"},
		{"labels is a string", `{"text": "", "labels": "apple"}`, 1, 30, "list of strings"},
		{"text is a number", `{"text": 7, "labels": []}`, 1, 10, "a string"},
		{"unknown label", `{"text": "plum", "labels": ["apple", "plum"]}`, 1, 38, `"plum" is not a node`},
		{"label twice", `{"text": "", "labels": ["apple", "apple"]}`, 1, 25, "given twice"},
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

func TestJSONLinesRepair(t *testing.T) {
	tests := []struct{ name, text, documents, faults string }{
		{"not JSON", "{\n{\"labels\": [], \"text\": \"a\"}", "2|||\"a\"\n", "1 unreadable instance"},
		{"fields", `{"text": "a"}` + "\n" + `{"labels": []}` + "\n" + `{"labels": 3, "text": "a"}` + "\n" + `{"labels": [], "text": "b"}`, "4|||\"b\"\n", "3 unreadable instance"},
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
	f.Add([]byte(`{"labels": ["food", "pear", "tool", "plum"], "text": "", "source": {"page": 3}}` + "\n{\"text\": \"\xff\"}"))
	tax := example.Fruit()
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzzDocuments(t, text, func(repair *Faults) documentFormat { return JSONLines{Repair: repair} }, tax)
	})
}

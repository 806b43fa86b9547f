package check_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// hinted has the variables that the code of hints is about.
const hinted = `var corpus, train, test *dataset.Corpus
var words *features.Vectorizer
var trainSet, testSet *dataset.Dataset
var table, other *dataset.Table
var model *classifier.Model
var report *metric.Report
var p *pipeline.Pipeline
var texts []string`

// hintSession returns a session with them.
func hintSession(t *testing.T) *enginetest.Session {
	t.Helper()
	session := enginetest.NewSession()
	if _, err := session.Lower(program.Cell{Number: 1, Source: hinted}); err != nil {
		t.Fatal(err)
	}
	return session
}

// TestCounterparts writes each name of Python's where its users would, and compiles what the hint
// says in its place.
func TestCounterparts(t *testing.T) {
	session := hintSession(t)
	seen := map[string]bool{}
	for _, c := range syntax.Counterparts {
		if _, err := session.Check(program.Cell{Number: 2, Source: c.Code}); err != nil {
			t.Errorf("the code for %s does not compile: %v", c.Names, err)
		}
		for name := range strings.FieldsSeq(c.Names) {
			if seen[name] {
				t.Errorf("there are two for %s", name)
			}
			seen[name] = true
			cells := []string{name, "svm." + name, name + "(corpus, 3)", "np." + name + "(corpus)"}
			if name, member := strings.CutPrefix(name, "."); member {
				cells = []string{"corpus." + name + "()", "x := model." + name, "svm.Flat{C: 1}." + name + "(trainSet)", "np." + name, "features.Text{" + name + ": 2}"}
			}
			for _, cell := range cells {
				_, err := session.Check(program.Cell{Number: 2, Source: cell})
				if err == nil || !strings.Contains(err.Error(), "("+c.String()+")") && !strings.Contains(err.Error(), "but does have ") && !strings.Contains(err.Error(), "(but have ") {
					t.Errorf("%s: %v, want a hint %s", cell, err, c)
				}
			}
		}
	}
}

// TestMisused uses values of hierml's as those of Python's libraries, and compiles what the hint
// says in its place.
func TestMisused(t *testing.T) {
	session := hintSession(t)
	for _, c := range []struct{ cell, code string }{
		{"len(corpus)", "corpus.Len()"},
		{"n := len(trainSet)", "trainSet.Len()"},
		{"fmt.Println(len(table))", "table.Len()"},
		{"corpus[0]", "corpus.Documents[0]"},
		{"trainSet[0]", "trainSet.Subset([]int{0})"},
		{"table[\"size\"]", "table.Column(\"column\")"},
		{"for i, d := range corpus { fmt.Println(i, d) }", "for i, document := range corpus.Documents { fmt.Println(i, document.Text) }"},
		{"for i, d := range trainSet { fmt.Println(i, d) }", "for i, labels := range trainSet.Labels { fmt.Println(i, labels) }"},
		{"svm.Flat{C: 1}.Fit(nb.Context(), corpus)", "features.Text{}.Fit(corpus).Transform(corpus)"},
		{"svm.Flat{C: 1}.Fit(nb.Context(), texts)", "features.Text{}.Fit(corpus).Transform(corpus)"},
		{"svm.Flat{C: 1}.Fit(nb.Context(), table)", "features.Columns{}.Fit(nb.Context(), table).Transform(nb.Context(), table)"},
		{"metric.Evaluate(model, test)", "features.Text{}.Fit(test).Transform(test)"},
		{"model.Predict(\"a text\")", "model.Predict(words.Vectors(\"a text\"))"},
		{"model.Predict([]string{\"a text\"})", "model.Predict(words.Vectors([]string{…}...))"},
		{"model.Predict(texts)", "model.Predict(words.Vectors(texts...))"},
		{"model.Predict(test)", "model.Predict(words.Transform(test).X)"},
		{"model.Predict(testSet)", "testSet.X"},
		{"model.Predict([][]float64{{1, 2}})", "x := dataset.MatrixOf([]float64{1, 2}, []float64{3, 4})"},
		{"svm.Flat{C: 1}.Fit(trainSet, 3)", "model := svm.Flat{C: 1}.Fit(nb.Context(), trainSet)"},
		{"features.TFIDF{NGrams: [2]int{1, 2}}", "features.Text{NGrams: [2]int{1, 2}}.Fit(train)"},
	} {
		_, err := session.Check(program.Cell{Number: 2, Source: c.cell})
		if err == nil || !strings.Contains(err.Error(), c.code+")") {
			t.Errorf("%s: %v, want the hint %s", c.cell, err, c.code)
		}
		if strings.Contains(c.code, "…") {
			continue
		}
		if _, err := session.Check(program.Cell{Number: 2, Source: c.code}); err != nil {
			t.Errorf("%s does not compile: %v", c.code, err)
		}
	}
}

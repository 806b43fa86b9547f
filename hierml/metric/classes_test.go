package metric_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// TestClasses compares with a count in plain loops, and the averages with those of the report.
func TestClasses(t *testing.T) {
	g, flat, _, labels := example()
	sets := make([][]int, len(labels))
	for i := range sets { // two labels, one, or none
		for k := range i % 3 {
			sets[i] = append(sets[i], g.Leaves()[(i+k)%3])
		}
		slices.Sort(sets[i])
	}
	r, err := metric.Settings{}.EvaluateSets(flat, sets, labels, g)
	if err != nil {
		t.Fatal(err)
	}
	classes, err := r.Classes()
	if err != nil {
		t.Fatal(err)
	}
	if len(classes) != len(g.Leaves()) {
		t.Fatalf("%d classes for %d leaves", len(classes), len(g.Leaves()))
	}
	right, predicted, f1 := 0, 0, 0.0
	for k, c := range classes {
		n := g.Leaves()[k]
		var truth, said, both int
		for i := range labels {
			a, b := slices.Contains(labels[i], n), slices.Contains(sets[i], n)
			if a {
				truth++
			}
			if b {
				said++
			}
			if a && b {
				both++
			}
		}
		if c.Node != n || c.Name != g.Name(n) || c.Instances != truth || c.Predicted != said || c.Right != both {
			t.Errorf("%+v, want %d true, %d predicted, %d right of %s", c, truth, said, both, g.Name(n))
		}
		near(t, "F1", c.F1, 2*float64(both)/float64(truth+said))
		near(t, "recall", c.Recall, float64(both)/float64(truth))
		right, predicted, f1 = right+both, predicted+said, f1+c.F1
	}
	near(t, "micro precision", r.MicroPrecision, float64(right)/float64(predicted))
	near(t, "macro F1", r.MacroF1, f1/float64(len(classes)))
}

func TestClassesByColumn(t *testing.T) {
	nan := math.NaN()
	all := metric.Classes{
		{Name: "b", Instances: 1, Predicted: 3, Right: 1, Precision: 0.5, Recall: 0.5, F1: 0.5},
		{Name: "d", Precision: nan, Recall: nan, F1: nan},
		{Name: "a", Instances: 2, Predicted: 1, Right: 2, Precision: 0.25, Recall: 1, F1: 1},
		{Name: "c", Instances: 2, Predicted: 2, Right: 0, Precision: 1, Recall: 0, F1: 0},
	}
	for column, want := range map[string]string{
		"class": "abcd", "instances": "acbd", "predicted": "bcad", "right": "abdc", "precision": "abcd", "recall": "cbad", "F1": "cbad",
	} {
		sorted, err := all.By(column)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, c := range sorted {
			got += c.Name
		}
		if got != want {
			t.Errorf("by %s: %s, want %s", column, got, want)
		}
	}
	if _, err := all.By("support"); err == nil || !strings.Contains(err.Error(), `no column "support"; use one of ["class" "instances"`) {
		t.Errorf("an unknown column: %v", err)
	}
	if all[0].Name != "b" {
		t.Error("By changes the classes")
	}
	if _, err := (&metric.Report{}).Classes(); err == nil {
		t.Error("classes from nothing")
	}
	many := make(metric.Classes, 60)
	if text := many.String(); !strings.HasSuffix(text, "and 10 more") || strings.Count(text, "\n") != 51 {
		t.Errorf("many classes end with %q", text[len(text)-20:])
	}
}

func ExampleReport_Classes() {
	g, flat, _, labels := example()
	report, err := metric.EvaluateScores(flat, labels, g)
	if err != nil {
		fmt.Println(err)
		return
	}
	classes, err := report.Classes()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(classes)
	worst, err := classes.By("F1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("worst:", worst[0].Name)
	var csv bytes.Buffer
	if err := worst[:1].WriteCSV(&csv); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(csv.String())
	// Output:
	// class     instances  predicted  right  precision  recall      F1
	// go/ast           10         11      4     0.3636  0.4000  0.3810
	// go/build         10          9      3     0.3333  0.3000  0.3158
	// net/http         10         10      3     0.3000  0.3000  0.3000
	// net/mail         10         10      4     0.4000  0.4000  0.4000
	// worst: net/http
	// class,instances,predicted,right,precision,recall,F1
	// net/http,10,10,3,0.3,0.3,0.3
}

// TestMistakes has the worst first, with their texts, and only for the corpus of the instances.
func TestMistakes(t *testing.T) {
	g, err := taxonomy.FromPaths([]string{"go/ast", "go/build", "net/http"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	leaves := g.Leaves()
	scores := mat.NewDense(5, 3, []float64{
		0, 1, 0.5, // as a sibling
		1, 0, 0, // right
		0.25, 0.5, 0, // far
		0, 1, 0.5, // as a sibling, by as much as the first
		1, 0.25, 0, // farther above
	})
	labels := [][]int{leaves[:1], leaves[:1], leaves[2:], leaves[:1], leaves[2:]}
	r, err := metric.EvaluateScores(scores, labels, g)
	if err != nil {
		t.Fatal(err)
	}
	c := &dataset.Corpus{Name: "texts", Taxonomy: g}
	for i, set := range labels {
		c.Documents = append(c.Documents, dataset.Document{ID: fmt.Sprint("d", i), Labels: set, Text: fmt.Sprintf("text  %d\n%s", i, strings.Repeat("x", 100))})
	}
	mistakes, err := r.Mistakes(c)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range mistakes {
		got = append(got, fmt.Sprint(m.Instance, " ", m.TruthName, " ", m.PredictedName, " ", m.Distance, " ", m.Margin, " ", m.ID, " ", m.Text == c.Documents[m.Instance].Text))
	}
	want := []string{
		"4 net/http go/ast 4 1 d4 true", "2 net/http go/build 4 0.5 d2 true", "0 go/ast go/build 2 1 d0 true", "3 go/ast go/build 2 1 d3 true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if text := mistakes.String(); !strings.Contains(text, "text 4 xxx") || !strings.Contains(text, "x…") || strings.Count(text, "\n") != 4 {
		t.Errorf("shown as\n%s", text)
	}
	without, err := r.Mistakes(nil)
	if err != nil || len(without) != 4 || strings.Contains(without.String(), "text") {
		t.Errorf("without texts: %v, %v", without, err)
	}
	// A miscellaneous leaf stands for the inner node that a document is labelled with.
	inner := *c
	inner.Documents = slices.Clone(c.Documents)
	inner.Documents[0].Labels = g.Parents(leaves[0])
	leafed, err := inner.Leafed()
	if err != nil {
		t.Fatal(err)
	}
	wide := mat.NewDense(5, 4, nil)
	for i := range 5 {
		wide.Set(i, 2, 1) // all are taken for net/http
	}
	r2, err := metric.EvaluateScores(wide, leafed.LabelSets(), leafed.Taxonomy)
	if err != nil {
		t.Fatal(err)
	}
	for _, texts := range []*dataset.Corpus{&inner, leafed} {
		if found, err := r2.Mistakes(texts); err != nil || found[0].TruthName != "go/ast" || found[2].TruthName != "go" || found[2].Distance != 3 {
			t.Errorf("%v, %v", found, err)
		}
	}
	for name, wrong := range map[string]*dataset.Corpus{
		"fewer":       {Taxonomy: g, Documents: c.Documents[1:]},
		"other order": {Taxonomy: g, Documents: append(slices.Clone(c.Documents[1:]), c.Documents[0])},
	} {
		if _, err := r.Mistakes(wrong); err == nil || !strings.Contains(err.Error(), "pass the texts of the instances") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (&metric.Report{}).Mistakes(nil); err == nil {
		t.Error("mistakes of nothing")
	}
}

// TestMarginsOfInfiniteScores are no NaN.
func TestMarginsOfInfiniteScores(t *testing.T) {
	g := tree(t)
	low := math.Inf(-1)
	r, err := metric.EvaluateScores(mat.NewDense(2, 3, []float64{low, low, low, 0, low, low}), [][]int{{4}, {4}}, g)
	if err != nil {
		t.Fatal(err)
	}
	mistakes, err := r.Mistakes(nil)
	if err != nil || len(mistakes) != 2 || !math.IsInf(mistakes[0].Margin, 1) || mistakes[1].Margin != 0 {
		t.Errorf("%+v, %v", mistakes, err)
	}
	var csv bytes.Buffer
	if err := mistakes.WriteCSV(&csv); err != nil || strings.Count(csv.String(), "\n") != 3 {
		t.Errorf("%q, %v", csv.String(), err)
	}
}

func ExampleReport_Mistakes() {
	g, err := taxonomy.FromPaths([]string{"go/ast", "go/build", "net/http"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	ast, _ := g.Node("go/ast")
	http, _ := g.Node("net/http")
	test := &dataset.Corpus{Taxonomy: g, Documents: []dataset.Document{
		{Labels: []int{ast}, Text: "walks through the nodes of a file"},
		{Labels: []int{http}, Text: "builds a request"},
		{Labels: []int{http}, Text: "serves files"},
	}}
	report, err := metric.EvaluateScores(mat.NewDense(3, 3, []float64{
		0.2, 0.3, 0.1,
		0.2, 0.9, 0.4,
		0.1, 0.1, 0.8,
	}), test.LabelSets(), g)
	if err != nil {
		fmt.Println(err)
		return
	}
	mistakes, err := report.Mistakes(test)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mistakes)
	// Output:
	// instance  true      predicted  distance  margin  text
	//        1  net/http  go/build          4     0.5  builds a request
	//        0  go/ast    go/build          2     0.1  walks through the nodes of a file
}

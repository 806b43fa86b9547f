package metric_test

import (
	"fmt"
	"os"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

func ExampleSettings() {
	g, flat, _, labels := example()
	report, err := metric.Settings{At: []int{2}, Loss: loss.Tree(g)}.EvaluateScores(flat, labels, g)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f of the two highest, top loss %.2f edges\n", report.At[0].Precision, report.TopLoss)
	// Output:
	// 0.175 of the two highest, top loss 2.30 edges
}

func ExampleLabelSets() {
	g, _, _, _ := example()
	ast, _ := g.Node("go/ast")
	build, _ := g.Node("go/build")
	net, _ := g.Node("net") // an inner node: something below it, but nothing in particular
	f, err := metric.LabelSets([][]int{{ast}, {ast, net}}, [][]int{{build}, {ast}}, g)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f)
	// Output:
	//                           precision  recall      F1
	// micro                        0.5000  0.3333  0.4000
	// macro, all classes                           0.1333
	// macro, occurring classes                     0.2222
	// hierarchical                 0.7500  0.6000  0.6667
	// without roots                0.5000  0.5000  0.5000
	// 0.0000 of the sets are exact
}

func ExampleTable_WriteCSV() {
	g, flat, hierarchical, labels := example()
	a, err := metric.EvaluateScores(flat, labels, g)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := metric.EvaluateScores(hierarchical, labels, g)
	if err != nil {
		fmt.Println(err)
		return
	}
	table := metric.Compare([]string{"flat", "hierarchical"}, []*metric.Report{a, b})
	table.Measures = []string{"accuracy", "H-loss", "accuracy at depth 0"}
	if err := table.WriteCSV(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// name,instances,accuracy,H-loss,accuracy at depth 0
	// flat,40,0.35,0.575,0.5
	// hierarchical,40,0.6,0.2,1
}

// A threshold for scores of nodes is chosen on validation data and applied to test data.
func ExampleHierarchicalCurve() {
	t, err := taxonomy.FromPaths([]string{"go/ast", "go/build", "net/http"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	node := func(name string) int { n, _ := t.Node(name); return n }
	scores := func(ast, build, http float64) []float64 {
		row := make([]float64, t.Len())
		row[node("go/ast")], row[node("go/build")], row[node("net/http")] = ast, build, http
		row[node("go")], row[node("net")] = max(ast, build), http
		return row
	}
	held := mat.NewDense(2, t.Len(), append(scores(0.9, 0.3, 0.4), scores(0.1, 0.6, 0.7)...))
	curve, err := metric.HierarchicalCurve(held, [][]int{{node("go/ast")}, {node("go/build"), node("net/http")}}, t)
	if err != nil {
		fmt.Println(err)
		return
	}
	best, err := curve.Best()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("threshold %.1f\n", best.Threshold)

	test := mat.NewDense(1, t.Len(), scores(0.8, 0.7, 0.5))
	sets, err := metric.NodesAbove(test, best.Threshold, t)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := metric.LabelSets([][]int{{node("go/ast")}}, sets, t)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.NamesOf(sets[0]...))
	fmt.Printf("hierarchical F1 %.2f\n", f.Hierarchical)
	// Output:
	// threshold 0.6
	// [go/ast go/build]
	// hierarchical F1 0.80
}

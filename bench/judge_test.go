package main

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// drawn returns rows with labels, inner ones too, and predictions for them.
func drawn(t *testing.T, r *rand.Rand, rows int) (*dataset.Dataset, predictions) {
	t.Helper()
	graph, err := taxonomy.Read(strings.NewReader("a\tb\na\tc\nb\td\nb\te\nc\te\nf\tg\nf\th\ni\n"), "graph")
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Taxonomy: graph, X: &dataset.Matrix{Rows: rows, Cols: 1, Indptr: make([]int, rows+1)}}
	anySet := func(t *taxonomy.Taxonomy, nodes []int) (set []int) {
		for range 1 + r.IntN(3) {
			set = append(set, nodes[r.IntN(len(nodes))])
		}
		slices.Sort(set)
		set = slices.Compact(set)
		return slices.DeleteFunc(slices.Clone(set), func(n int) bool {
			return slices.ContainsFunc(set, func(m int) bool { return m != n && slices.Contains(t.Ancestors(m), n) })
		})
	}
	var all []int
	for n := range graph.Len() {
		all = append(all, n)
	}
	for range rows {
		d.Labels = append(d.Labels, anySet(graph, all))
	}
	if d, err = d.Leafed(); err != nil {
		t.Fatal(err)
	}
	p := predictions{scores: mat.NewDense(rows, d.Taxonomy.Len(), nil)}
	for i := range rows {
		p.ranked = append(p.ranked, []int{r.IntN(d.Taxonomy.Len())})
		p.sets = append(p.sets, anySet(d.Taxonomy, all))
		row := p.scores.RawRowView(i)
		for n := range row {
			row[n] = math.NaN()
		}
		for _, leaf := range d.Taxonomy.Leaves() {
			row[leaf] = float64(r.IntN(6)) // with ties
		}
		fill(row, false, d.Taxonomy)
	}
	return d, p
}

// of returns the predictions of some rows.
func (p predictions) of(rows []int) predictions {
	q := predictions{scores: mat.NewDense(len(rows), p.scores.RawMatrix().Cols, nil)}
	for k, i := range rows {
		q.ranked, q.sets = append(q.ranked, p.ranked[i]), append(q.sets, p.sets[i])
		q.scores.SetRow(k, p.scores.RawRowView(i))
	}
	return q
}

// TestJudgeByMetric compares measures with those of package metric, and those without a group of
// rows with measures of the other rows.
func TestJudgeByMetric(t *testing.T) {
	for seed := range uint64(20) {
		d, p := drawn(t, rand.New(rand.NewPCG(seed, 0)), 90)
		q, err := judge(p, true, d)
		if err != nil {
			t.Fatal(err)
		}
		f, err := metric.LabelSets(d.Labels, p.sets, d.Taxonomy)
		if err != nil {
			t.Fatal(err)
		}
		area, err := metric.NodeScores(p.scores, d.Labels, d.Taxonomy)
		if err != nil {
			t.Fatal(err)
		}
		for k, pair := range [][2]float64{{q.F1, f.Hierarchical}, {q.Precision, f.HierarchicalPrecision}, {q.Recall, f.HierarchicalRecall}, {q.AUPRC, area.Pooled}} {
			if math.Abs(pair[0]-pair[1]) > 1e-12 {
				t.Fatalf("seed %d: measure %d is %g, want %g", seed, k, pair[0], pair[1])
			}
		}
		group := grouping(d.Len())
		for _, leftOut := range []int{0, 9, 10, groups - 1} {
			var rows []int
			for i, g := range group {
				if g != leftOut {
					rows = append(rows, i)
				}
			}
			if want := map[bool]int{true: 87, false: 88}[leftOut < 10]; len(rows) != want {
				t.Fatalf("%d rows without group %d, want %d", len(rows), leftOut, want)
			}
			rest, err := judge(p.of(rows), true, d.Subset(rows))
			if err != nil {
				t.Fatal(err)
			}
			for name, pair := range map[string][2]float64{
				"At1": {rest.At1, q.At1}, "At5": {rest.At5, q.At5}, "TreeLoss": {rest.TreeLoss, q.TreeLoss}, "F1": {rest.F1, q.F1}, "AUPRC": {rest.AUPRC, q.AUPRC},
			} {
				if got := float64(q.Without[name][leftOut]) / 1e6; math.Abs(got-(pair[0]-pair[1])) > 1e-6 {
					t.Errorf("seed %d: %s gains %g without group %d, want %g", seed, name, got, leftOut, pair[0]-pair[1])
				}
			}
		}
	}
}

// TestChance compares the jackknife of means over groups of one row with Student's interval and the
// paired t-test, which it is there.
func TestChance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	a, b := make([]float64, groups), make([]float64, groups)
	for i := range a {
		a[i] = r.Float64()
		b[i] = a[i] + 0.1*r.NormFloat64() - 0.02
	}
	without := func(values []float64) (mean float64, gains []int32) {
		for _, v := range values {
			mean += v / groups
		}
		for _, v := range values {
			gains = append(gains, int32(math.Round(1e6*(mean-v)/(groups-1))))
		}
		return mean, gains
	}
	meanA, ofA := without(a)
	meanB, ofB := without(b)
	variance := 0.0
	for _, v := range a {
		variance += (v - meanA) * (v - meanA) / (groups - 1)
	}
	const quantile = 2.0226909200367604 // of Student's t with 39 degrees of freedom, 97.5 %
	if got, want := halfWidth(ofA), quantile*math.Sqrt(variance/groups); math.Abs(got-want) > 1e-4*want {
		t.Errorf("half of the interval is %g, want %g", got, want)
	}
	test, err := metric.PairedT(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if got := chance(meanA-meanB, ofA, ofB); math.Abs(got-test.P) > 1e-3 {
		t.Errorf("p is %g, want %g", got, test.P)
	}
	if p := chance(0, ofA, ofA); p != 1 {
		t.Errorf("p of equal measures is %g", p)
	}
}

func TestFill(t *testing.T) {
	graph, err := taxonomy.Read(strings.NewReader("a\tb\na\tc\nb\td\nb\te\nc\te\n"), "graph")
	if err != nil {
		t.Fatal(err)
	}
	row := func(values map[string]float64) []float64 {
		row := make([]float64, graph.Len())
		for n := range row {
			row[n] = math.NaN()
			if v, ok := values[graph.Name(n)]; ok {
				row[n] = v
			}
		}
		return row
	}
	own := map[string]float64{"d": 0.25, "e": 0.5, "c": 0.75}
	for sums, want := range map[bool]map[string]float64{
		false: {"d": 0.25, "e": 0.5, "c": 0.75, "b": 0.5, "a": 0.75},
		true:  {"d": 0.25, "e": 0.5, "c": 0.75, "b": 0.75, "a": 0.75},
	} {
		got := row(own)
		fill(got, sums, graph)
		if !slices.Equal(got, row(want)) {
			t.Errorf("sums %v: %v, want %v", sums, got, row(want))
		}
	}
	got := row(map[string]float64{"d": 1})
	if fill(got, false, graph); !math.IsInf(row(nil)[0]+got[2], -1) && !slices.ContainsFunc(got, func(v float64) bool { return math.IsInf(v, -1) }) {
		t.Errorf("a leaf without a score has %v", got)
	}
}

// TestScoresOfNodes holds that scores are those of the nodes with these numbers, in whatever
// order the child process has the nodes, and refuses a file of another size.
func TestScoresOfNodes(t *testing.T) {
	numbered, err := taxonomy.Read(strings.NewReader("3\t1\n3\t4\n2\n"), "numbered")
	if err != nil {
		t.Fatal(err)
	}
	own, err := taxonomy.New([]string{"a", "b", "c", "d"}, [][2]int{{2, 0}, {2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	d := &dataset.Dataset{Taxonomy: own, Labels: make([][]int, 3)}
	name := filepath.Join(t.TempDir(), "scores")
	if scores, err := readScores(name, false, d); scores != nil || err != nil {
		t.Errorf("without a file: %v, %v", scores, err)
	}
	written, want := mat.NewDense(3, 4, nil), mat.NewDense(3, 4, nil)
	for i := range 3 {
		for k := range 4 {
			n, ok := numbered.Node(strconv.Itoa(k + 1))
			if !ok {
				t.Fatalf("no node %d", k+1)
			}
			written.Set(i, n, float64(10*i+k)/4)
			want.Set(i, k, float64(10*i+k)/4)
		}
	}
	if mat.Equal(written, want) {
		t.Fatal("the nodes are in the order of their numbers")
	}
	if err := writeScores(name, written, numbered); err != nil {
		t.Fatal(err)
	}
	if got, err := readScores(name, false, d); err != nil || !mat.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	d.Labels = d.Labels[:2]
	if _, err := readScores(name, false, d); err == nil || !strings.Contains(err.Error(), "48 bytes of scores") {
		t.Errorf("error %v", err)
	}
}

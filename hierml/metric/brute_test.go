package metric_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/metric"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// graph is a taxonomy of which only the parents of each node are known.
type graph [][]int

// randomGraph returns a taxonomy whose ids are in no order. The kinds are tree, forest, chains and
// graph.
func randomGraph(random *rand.Rand, kind string, most int) graph {
	n := 2 + random.IntN(most-1)
	ids := random.Perm(n)
	g := make(graph, n)
	for i := 1; i < n; i++ {
		from := 0
		if kind == "chains" {
			from = max(0, i-2)
		}
		if kind == "forest" && random.IntN(4) == 0 {
			continue
		}
		parents := []int{from + random.IntN(i-from)}
		if kind == "graph" {
			for random.IntN(3) == 0 {
				parents = append(parents, random.IntN(i))
			}
			if random.IntN(6) == 0 {
				parents = nil
			}
		}
		slices.Sort(parents)
		for _, p := range slices.Compact(parents) {
			g[ids[i]] = append(g[ids[i]], ids[p])
		}
	}
	return g
}

func (g graph) taxonomy(t *testing.T) *taxonomy.Taxonomy {
	t.Helper()
	var names []string
	var edges [][2]int
	for n, parents := range g {
		names = append(names, strconv.Itoa(n))
		for _, p := range parents {
			edges = append(edges, [2]int{p, n})
		}
	}
	made, err := taxonomy.New(names, edges)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// closure marks the labels and what is above them.
func (g graph) closure(labels []int) []bool {
	in := make([]bool, len(g))
	for _, y := range labels {
		in[y] = true
	}
	for range g {
		for n := range g {
			for _, p := range g[n] {
				in[p] = in[p] || in[n]
			}
		}
	}
	return in
}

func (g graph) depth(n int) int {
	d := 0
	for _, p := range g[n] {
		d = max(d, g.depth(p)+1)
	}
	return d
}

func (g graph) children(n int) int {
	count := 0
	for _, parents := range g {
		if slices.Contains(parents, n) {
			count++
		}
	}
	return count
}

// distance is the number of edges between two nodes, roots being joined above.
func (g graph) distance(a, b int) int {
	const far = 1 << 20
	n := len(g)
	d := make([][]int, n)
	for i := range d {
		d[i] = slices.Repeat([]int{far}, n)
		d[i][i] = 0
	}
	for c, parents := range g {
		for _, p := range parents {
			d[c][p], d[p][c] = 1, 1
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				d[i][j] = min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
	up := func(x int) int {
		best := far
		for r, parents := range g {
			if len(parents) == 0 {
				best = min(best, d[x][r]+1)
			}
		}
		return best
	}
	return min(d[a][b], up(a)+up(b))
}

func (g graph) charge(n int) float64 {
	roots := 0
	for _, parents := range g {
		if len(parents) == 0 {
			roots++
		}
	}
	if len(g[n]) == 0 {
		return 1 / float64(roots)
	}
	sum := 0.0
	for _, p := range g[n] {
		sum += g.charge(p) / float64(g.children(p))
	}
	return sum
}

// half is half the number of nodes above one of two leaves.
func (g graph) half(a, b int) float64 {
	x, y := g.closure([]int{a}), g.closure([]int{b})
	sum := 0.0
	for n := range g {
		if x[n] != y[n] {
			sum += 0.5
		}
	}
	return sum
}

// marks tells which nodes are in the set.
func (g graph) marks(set []int) []bool {
	in := make([]bool, len(g))
	for _, n := range set {
		in[n] = true
	}
	return in
}

// brute returns the values of an instance from their definitions.
func (g graph) brute(leaves []int, scores []float64, labels, set []int, cost func(y, f int) float64) map[string]float64 {
	v := make(map[string]float64)
	score := make(map[int]float64)
	for k, y := range leaves {
		score[y] = scores[k]
	}
	for n := range g {
		if slices.Contains(leaves, n) {
			continue
		}
		score[n] = math.Inf(-1) // the highest of the leaves below
		for k, y := range leaves {
			if g.closure([]int{y})[n] {
				score[n] = max(score[n], scores[k])
			}
		}
	}
	candidates := leaves
	if len(set) > 0 {
		candidates = set
	}
	f := candidates[0]
	for _, y := range candidates {
		if score[y] > score[f] {
			f = y
		}
	}
	if set == nil {
		set = []int{f}
	}
	truth, predicted := g.closure(labels), g.closure(set)
	is := func(y int) bool { return slices.Contains(labels, y) }
	flag := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	v["accuracy"] = flag(is(f))
	v["exact sets"] = flag(slices.Equal(set, labels))
	for name, sets := range map[string][2][]bool{"": {g.marks(labels), g.marks(set)}, "hierarchical ": {truth, predicted}, "rootless ": {truth, predicted}} {
		both, one, other, either := 0.0, 0.0, 0.0, 0.0
		for n := range g {
			if name == "rootless " && len(g[n]) == 0 {
				continue
			}
			both += flag(sets[0][n] && sets[1][n])
			one += flag(sets[0][n])
			other += flag(sets[1][n])
			either += flag(sets[0][n] || sets[1][n])
		}
		if name == "rootless " {
			v[name+"samples F1"] = 2 * both / (one + other)
			continue
		}
		v[name+"samples precision"] = 0
		if other > 0 {
			v[name+"samples precision"] = both / other
		}
		v[name+"samples recall"] = both / one // no true set is empty
		v[name+"samples F1"] = 2 * both / (one + other)
		if name == "" {
			v["samples Jaccard"], v["Hamming loss"] = both/either, (either-both)/float64(len(leaves))
		}
	}
	v["parent accuracy"] = math.NaN()
	if slices.ContainsFunc(labels, func(y int) bool { return len(g[y]) > 0 }) {
		v["parent accuracy"] = flag(is(f) || slices.ContainsFunc(labels, func(y int) bool {
			return slices.ContainsFunc(g[y], func(p int) bool { return p == f || slices.Contains(g[f], p) })
		}))
	}
	for _, y := range labels {
		if !is(f) {
			v["tree loss"] = max(v["tree loss"], float64(g.distance(y, f)))
			v["top loss"] = max(v["top loss"], cost(y, f))
		}
		relevant, all := 0, 0
		for _, z := range leaves {
			if score[z] < score[y] {
				continue
			}
			all++
			if is(z) {
				relevant++
			} else {
				v["ranking loss"] += 1 / float64(len(labels)) / float64(len(leaves)-len(labels))
				v["maximal loss"] = max(v["maximal loss"], cost(y, z))
			}
		}
		v["average precision"] += float64(relevant) / float64(all) / float64(len(labels))
	}
	if len(labels) == len(leaves) {
		v["ranking loss"] = math.NaN()
	}
	// Ranked with the wrong ones first among those of one score.
	ranked := slices.Clone(leaves)
	slices.SortStableFunc(ranked, func(a, b int) int {
		switch {
		case score[a] != score[b]:
			return int(math.Copysign(1, score[b]-score[a]))
		default:
			return int(flag(is(a)) - flag(is(b)))
		}
	})
	for _, k := range []int{1, 2, 7} {
		hits, gain, ideal := 0.0, 0.0, 0.0
		for i := range min(k, len(leaves)) {
			if is(ranked[i]) {
				hits++
				gain += 1 / math.Log2(float64(i)+2)
			}
			if i < len(labels) {
				ideal += 1 / math.Log2(float64(i)+2)
			}
		}
		v[fmt.Sprintf("accuracy at %d", k)] = min(hits, 1)
		v[fmt.Sprintf("precision at %d", k)] = hits / float64(k)
		v[fmt.Sprintf("nDCG at %d", k)] = gain / ideal
	}
	deepest := 0
	for n := range g {
		if truth[n] != predicted[n] {
			v["symmetric difference"]++
			agree := true
			for m, above := range g.closure([]int{n}) {
				if above && m != n && truth[m] != predicted[m] {
					agree = false
				}
			}
			if agree {
				v["H-loss"] += g.charge(n)
			}
		}
		if truth[n] {
			deepest = max(deepest, g.depth(n))
		}
	}
	of := g.closure([]int{f})
	for n := range g {
		d := g.depth(n)
		name := fmt.Sprintf("accuracy at depth %d", d)
		if d > deepest {
			v[name] = math.NaN()
		} else if truth[n] && of[n] {
			v[name] = 1
		} else if _, ok := v[name]; !ok {
			v[name] = 0
		}
	}
	return v
}

// TestBruteForce compares with a second implementation, from the definitions in plain loops, on
// random taxonomies, with ties, empty and full sets.
func TestBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	for _, kind := range []string{"tree", "forest", "chains", "graph"} {
		for round := range 30 {
			most := 15
			if round%10 == 9 {
				most = 40
			}
			g := randomGraph(random, kind, most)
			made := g.taxonomy(t)
			leaves := made.Leaves()
			const n = 25
			scores := mat.NewDense(n, len(leaves), nil)
			var labels, sets, nodes [][]int
			specific := func() []int {
				chosen := []int{}
				share := random.Float64()
				for n := range g {
					if random.Float64() < share && !slices.ContainsFunc(chosen, func(m int) bool {
						return g.closure([]int{m})[n] || g.closure([]int{n})[m]
					}) {
						chosen = append(chosen, n)
					}
				}
				return chosen
			}
			subset := func(least int) []int {
				chosen := []int{}
				share := random.Float64()
				for _, y := range leaves {
					if random.Float64() < share {
						chosen = append(chosen, y)
					}
				}
				if len(chosen) < least {
					return []int{leaves[random.IntN(len(leaves))]}
				}
				return chosen
			}
			for i := range n {
				for k := range leaves {
					scores.Set(i, k, float64(random.IntN(2+i%7))-1)
				}
				labels, sets = append(labels, subset(1)), append(sets, subset(0))
				nodes = append(nodes, specific())
			}
			table := mat.NewDense(len(leaves), len(leaves), nil)
			for a := range leaves {
				for b := range leaves {
					if a != b {
						table.Set(a, b, 1+float64(random.IntN(9)))
					}
				}
			}
			own, err := loss.FromTable(made, table)
			if err != nil {
				t.Fatal(err)
			}
			at := []int{7, 1, 2, 2}
			for name, run := range map[string]struct {
				settings metric.Settings
				sets     [][]int
				cost     func(y, f int) float64
			}{
				"highest": {metric.Settings{At: at, Workers: 1}, nil, g.half},
				"sets":    {metric.Settings{At: at, Workers: 3}, sets, g.half},
				"nodes":   {metric.Settings{At: at}, nodes, g.half},
				"table": {metric.Settings{At: at, Loss: own}, nil, func(y, f int) float64 {
					return table.At(made.LeafIndex(y), made.LeafIndex(f))
				}},
			} {
				var got *metric.Report
				if run.sets == nil {
					got, err = run.settings.EvaluateScores(scores, labels, made)
				} else {
					got, err = run.settings.EvaluateSets(scores, run.sets, labels, made)
				}
				if err != nil {
					t.Fatal(err)
				}
				sums, counts := map[string]float64{}, map[string]float64{}
				for i := range n {
					var set []int
					if run.sets != nil {
						set = run.sets[i]
					}
					all := g.brute(leaves, scores.RawRowView(i), labels[i], set, run.cost)
					for _, m := range got.Measures() {
						values, want := got.PerInstance(m.Name), all[m.Name] // 0 where nothing was added
						delete(all, m.Name)
						if values == nil {
							continue
						}
						near(t, fmt.Sprintf("%s, %s, instance %d of %v: %s", kind, name, i, g, m.Name), values[i], want)
						if !math.IsNaN(want) {
							sums[m.Name] += want
							counts[m.Name]++
						}
					}
					if len(all) > 0 {
						t.Fatalf("no values of %v", all)
					}
				}
				for _, m := range got.Measures() {
					if got.PerInstance(m.Name) != nil {
						near(t, "mean of "+m.Name, value(t, got, m.Name), sums[m.Name]/counts[m.Name])
					}
				}
				for _, l := range got.Levels {
					near(t, "instances of a depth", float64(l.Instances), counts[fmt.Sprintf("accuracy at depth %d", l.Depth)])
				}
				g.checkAverages(t, got, leaves, labels, run.sets)
				checkROC(t, got, leaves, scores, labels)
				if t.Failed() {
					return
				}
			}
		}
	}
}

// checkAverages compares what is no mean over instances.
func (g graph) checkAverages(t *testing.T, got *metric.Report, leaves []int, labels, sets [][]int) {
	t.Helper()
	confusion, err := got.Confusion()
	if err != nil {
		t.Fatal(err)
	}
	type counted struct{ truth, predicted, both float64 }
	prf := func(c counted) [3]float64 {
		var v [3]float64
		if c.truth+c.predicted == 0 {
			return [3]float64{math.NaN(), math.NaN(), math.NaN()}
		}
		if c.predicted > 0 {
			v[0] = c.both / c.predicted
		}
		if c.truth > 0 {
			v[1] = c.both / c.truth
		}
		if v[0]+v[1] > 0 {
			v[2] = 2 * v[0] * v[1] / (v[0] + v[1])
		}
		return v
	}
	var micro, nodes, rootless counted
	count := func(c *counted, truth, predicted bool) {
		if truth {
			c.truth++
		}
		if predicted {
			c.predicted++
		}
		if truth && predicted {
			c.both++
		}
	}
	byLabel, byNode := make([]counted, len(g)), make([]counted, len(g))
	byDepth := make([]counted, len(got.Levels))
	for i := range labels {
		set := []int{confusion.Predicted[i]}
		if sets != nil {
			set = sets[i]
		}
		truth, predicted := g.closure(labels[i]), g.closure(set)
		for n := range g {
			count(&nodes, truth[n], predicted[n])
			count(&byNode[n], truth[n], predicted[n])
			count(&byDepth[g.depth(n)], truth[n], predicted[n])
			if len(g[n]) > 0 {
				count(&rootless, truth[n], predicted[n])
			}
			count(&micro, slices.Contains(labels[i], n), slices.Contains(set, n))
			count(&byLabel[n], slices.Contains(labels[i], n), slices.Contains(set, n))
		}
	}
	jaccard := func(c counted) float64 { return c.both / (c.truth + c.predicted - c.both) }
	near(t, "micro Jaccard", got.MicroJaccard, jaccard(micro))
	macroJaccard, judged := 0.0, 0.0 // leaves, and inner nodes that are predicted
	for n, c := range byLabel {
		if c.predicted > 0 || slices.Contains(leaves, n) {
			judged++
		}
		if c.truth+c.predicted > 0 {
			macroJaccard += jaccard(c)
		}
	}
	macroJaccard /= judged
	near(t, "macro Jaccard", got.MacroJaccard, macroJaccard)
	all, err := got.ByNode()
	if err != nil {
		t.Fatal(err)
	}
	for n, c := range all {
		if want := byNode[n]; c.Node != n || float64(c.Instances) != want.truth || float64(c.Predicted) != want.predicted || float64(c.Right) != want.both {
			t.Errorf("node %+v, want %v of %d", c, want, n)
		}
		want := prf(byNode[n])
		near(t, "precision of a node", c.Precision, want[0])
		near(t, "recall of a node", c.Recall, want[1])
		near(t, "F1 of a node", c.F1, want[2])
	}
	for d, l := range got.Levels {
		want := prf(byDepth[d])
		near(t, "precision of a depth", l.Precision, want[0])
		near(t, "recall of a depth", l.Recall, want[1])
		near(t, "F1 of a depth", l.F1, want[2])
		var own []float64
		for n := range g {
			if g.depth(n) == d {
				own = append(own, prf(byNode[n])[2])
			}
		}
		near(t, "macro F1 of a depth", l.MacroF1, meanOf(own))
	}
	macro, occurring := 0.0, 0.0
	for _, c := range byLabel {
		if f := prf(c)[2]; !math.IsNaN(f) {
			macro += f
			occurring++
		}
	}
	near(t, "macro F1 of all", got.MacroF1, macro/judged)
	near(t, "macro F1 of those that occur", got.MacroF1Occurring, macro/occurring)
	inner := 0
	for _, f := range confusion.Predicted {
		if !slices.Contains(leaves, f) {
			inner++
		}
	}
	if got.InnerPredictions != inner {
		t.Errorf("%d inner predictions, want %d", got.InnerPredictions, inner)
	}
	for k, v := range prf(micro) {
		near(t, "micro", []float64{got.MicroPrecision, got.MicroRecall, got.MicroF1}[k], v)
	}
	for k, v := range prf(nodes) {
		near(t, "hierarchical", []float64{got.HierarchicalPrecision, got.HierarchicalRecall, got.HierarchicalF1}[k], v)
	}
	for k, v := range prf(rootless) {
		near(t, "rootless", []float64{got.RootlessPrecision, got.RootlessRecall, got.RootlessF1}[k], v)
	}
}

// checkROC compares areas under ROC curves with comparisons of all pairs.
func checkROC(t *testing.T, got *metric.Report, leaves []int, scores *mat.Dense, labels [][]int) {
	t.Helper()
	area := func(columns ...int) float64 {
		var own, others []float64
		for i, set := range labels {
			for _, k := range columns {
				if slices.Contains(set, leaves[k]) {
					own = append(own, scores.At(i, k))
				} else {
					others = append(others, scores.At(i, k))
				}
			}
		}
		sum := 0.0
		for _, a := range own {
			for _, b := range others {
				switch {
				case a > b:
					sum++
				case a == b:
					sum += 0.5
				}
			}
		}
		return sum / float64(len(own)*len(others))
	}
	var areas []float64
	var all []int
	for k := range leaves {
		areas, all = append(areas, area(k)), append(all, k)
	}
	near(t, "micro AUC", got.ROC.Micro, area(all...))
	near(t, "macro AUC", got.ROC.Macro, meanOf(areas))
}

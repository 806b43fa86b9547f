package metric_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/metric"
)

// TestPropensities compares with [JPV16]'s formula at numbers worked out apart.
func TestPropensities(t *testing.T) {
	g := tree(t) // leaves 1, 2 below 0, and 4 below 3
	labels := make([][]int, 1000)
	for i := range labels {
		labels[i] = []int{1}
		if i < 10 {
			labels[i] = []int{1, 4}
		}
	}
	p, err := metric.Propensities(&dataset.Dataset{Taxonomy: g, Labels: labels})
	if err != nil {
		t.Fatal(err)
	}
	// C = 5.90775528 * 2.5^0.55 = 9.7788886671; N_l = 1000, 0, 10.
	for k, want := range []float64{1 / (1 + 9.7788886671*math.Pow(1001.5, -.55)), 1 / (1 + 9.7788886671*math.Pow(1.5, -.55)), 1 / (1 + 9.7788886671*math.Pow(11.5, -.55))} {
		if math.Abs(p[k]-want) > 1e-8 {
			t.Errorf("propensity of leaf %d: %v, want %v", k, p[k], want)
		}
	}
	if few, err := metric.Propensities(&dataset.Dataset{Taxonomy: g, Labels: labels[:2]}); err != nil || slices.Max(few) > 1 {
		t.Errorf("of two instances: %v, %v", few, err)
	}
	for name, d := range map[string]*dataset.Dataset{"labels": nil, "not a leaf": {Taxonomy: g, Labels: [][]int{{0}}}} {
		if _, err := metric.Propensities(d); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	scores := mat.NewDense(1, 3, nil)
	for _, bad := range [][]float64{{}, {1, 1}, {1, 0, 1}, {1, 1, 1.5}, {1, 1, math.NaN()}} {
		if _, err := (metric.Settings{Propensities: bad}).EvaluateScores(scores, [][]int{{1}}, g); err == nil || !strings.Contains(err.Error(), "propensit") {
			t.Errorf("propensities %v: error %v", bad, err)
		}
	}
}

// TestPSPrecision computes the propensity-scored precision from its definition: over all instances
// together, the ones ranked first are chosen by the lowest worth among true labels of one score,
// and wrong ones before those.
func TestPSPrecision(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for range 20 {
		g := wide(t, 2+random.IntN(12))
		leaves := g.Leaves()
		p := make([]float64, len(leaves))
		for k := range p {
			p[k] = 1 - random.Float64()
		}
		const n = 20
		scores, labels := mat.NewDense(n, len(leaves), nil), make([][]int, n)
		for i := range n {
			for k := range leaves {
				scores.Set(i, k, float64(random.IntN(4)))
				if random.IntN(3) == 0 || k == len(leaves)-1 && len(labels[i]) == 0 {
					labels[i] = append(labels[i], leaves[k])
				}
			}
		}
		s := metric.Settings{At: []int{1, 3, 5}, Propensities: p}
		report, err := s.EvaluateScores(scores, labels, g)
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range s.At {
			var got, reach float64
			for row, set := range labels {
				worth := func(y int) float64 {
					if slices.Contains(set, leaves[y]) {
						return 1 / p[y]
					}
					return 0
				}
				var order []int
				for y := range leaves {
					order = append(order, y)
				}
				top := func(less func(a, b int) bool) (sum float64) {
					slices.SortFunc(order, func(a, b int) int {
						switch {
						case less(a, b):
							return -1
						case less(b, a):
							return 1
						}
						return 0
					})
					for _, y := range order[:min(k, len(order))] {
						sum += worth(y)
					}
					return sum
				}
				got += top(func(a, b int) bool {
					if x, y := scores.At(row, a), scores.At(row, b); x != y {
						return x > y
					}
					return worth(a) < worth(b)
				})
				reach += top(func(a, b int) bool { return worth(a) > worth(b) })
			}
			near(t, fmt.Sprintf("PSP@%d", k), report.At[i].PSPrecision, got/reach)
			name := fmt.Sprintf("propensity-scored precision at %d", k)
			near(t, name, value(t, report, name), got/reach)
			if v := report.PerInstance(name); len(v) != n {
				t.Errorf("%d values of instances", len(v))
			}
		}
		if text := report.String(); !strings.Contains(text, "propensity-scored precision at 1, 3, 5") {
			t.Errorf("not shown in\n%s", text)
		}
		var file bytes.Buffer
		if err := report.WriteJSON(&file); err != nil {
			t.Fatal(err)
		}
		read, err := metric.ReadJSON(&file, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(read.At, report.At) || !slices.Equal(read.PerInstance("propensity-scored precision at 3"), report.PerInstance("propensity-scored precision at 3")) {
			t.Errorf("read %v, written %v", read.At, report.At)
		}
		// With propensities of 1 and one label it is the precision times k.
		for k := range p {
			p[k] = 1
		}
		for i := range labels {
			labels[i] = labels[i][:1]
		}
		if report, err = s.EvaluateScores(scores, labels, g); err != nil {
			t.Fatal(err)
		}
		for i, k := range s.At {
			near(t, "of one label", report.At[i].PSPrecision, report.At[i].Precision*float64(k))
		}
	}
	if plain, err := metric.EvaluateScores(mat.NewDense(1, 3, nil), [][]int{{1}}, tree(t)); err != nil || strings.Contains(plain.String(), "propensity") {
		t.Errorf("without propensities: %v\n%v", err, plain)
	}
}

func ExamplePropensities() {
	g, _, _, _ := example()
	often, rare := g.Leaves()[0], g.Leaves()[3]
	train := &dataset.Dataset{Taxonomy: g}
	for i := range 100 {
		train.Labels = append(train.Labels, []int{often})
		if i < 4 {
			train.Labels[i] = []int{rare}
		}
	}
	p, err := metric.Propensities(train)
	if err != nil {
		fmt.Println(err)
		return
	}
	labels := [][]int{{often}, {rare}}
	for name, scores := range map[string][]float64{"finds the often one": {1, 0, 0, 0}, "finds the rare one": {0, 0, 0, 1}} {
		report, err := metric.Settings{At: []int{1}, Propensities: p}.EvaluateScores(mat.NewDense(2, 4, append(scores, scores...)), labels, g)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: P@1 %.2f, PSP@1 %.2f\n", name, report.At[0].Precision, report.At[0].PSPrecision)
	}
	// Unordered output:
	// finds the often one: P@1 0.50, PSP@1 0.31
	// finds the rare one: P@1 0.50, PSP@1 0.69
}

package hierml_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/golden"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// hm3Case is a case of the family hm3.
type hm3Case struct {
	Taxonomy golden.Taxonomy
	Domain   string
	Loss     string
	Costs    []float64
	C        float64
	Kernel   struct {
		Type         string
		Gamma, Coef0 float64
		Degree       int
	}
	X           [][]float64
	Labels      [][]int `json:"label_nodes"`
	Objective   float64
	Metric      [][]float64   `json:"theta_metric"`
	Theta       [][]float64   `json:"theta"`
	ThetaScores [][]float64   `json:"theta_scores_test"`
	W           [][][]float64 `json:"W"`
	Test        [][]float64   `json:"X_test"`
	Predictions [][]int       `json:"predictions_consistent"`
	All         [][]int       `json:"predictions_all"`
}

// delta is the loss of the case.
func (c *hm3Case) delta(t *testing.T, g *taxonomy.Taxonomy) loss.Decomposing {
	t.Helper()
	if c.Loss == "hamming" {
		return loss.Symdiff(g).(loss.Decomposing)
	}
	l, err := loss.NamedSet(c.Loss, g)
	if err != nil {
		t.Fatal(err)
	}
	own, err := loss.HLoss(g, c.Costs)
	if err != nil {
		t.Fatal(err)
	}
	for n := range g.Len() {
		if a, b := l.SetCost([]int{n}, nil), own.SetCost([]int{n}, nil); math.Abs(a-b) > 1e-12 {
			t.Errorf("%s costs %v at node %d, want %v", c.Loss, a, n, b)
		}
	}
	return l.(loss.Decomposing)
}

func (c *hm3Case) kernel(t *testing.T) gram.Kernel {
	t.Helper()
	switch c.Kernel.Type {
	case "linear":
		return nil
	case "rbf":
		return gram.RBF{Gamma: c.Kernel.Gamma}
	case "poly":
		return gram.Polynomial{Gamma: 1, Degree: c.Kernel.Degree, Offset: c.Kernel.Coef0}
	}
	t.Fatalf("kernel %q", c.Kernel.Type)
	return nil
}

// TestGoldenHM3 has the cases over closed sets.
func TestGoldenHM3(t *testing.T) {
	cases, err := golden.Read("hm3")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want hm3Case
			decode(t, c, &want)
			if want.Domain != "consistent" {
				return // TestGoldenHM3AllLabelings
			}
			ran++
			g := build(t, want.Taxonomy)
			delta, kernel := want.delta(t, g), want.kernel(t)
			in := instances{X: want.X, Labels: want.Labels}
			in.compare(t, want.Objective, g, func(gap float64, d *dataset.Dataset) (*classifier.Model, error) {
				return svm.HM3{C: want.C, Loss: delta, Kernel: kernel, Settings: solver.Settings{Gap: gap, MaxEpochs: 100000}}.Fit(t.Context(), d)
			})
			m, err := svm.HM3{C: want.C, Loss: delta, Kernel: kernel, Settings: solver.Settings{Gap: 1e-11, MaxEpochs: 100000}}.Fit(t.Context(), in.dataset(g))
			if err != nil {
				t.Fatal(err)
			}
			x := (&instances{X: want.Test}).dataset(g).X
			scores := m.NodeScores(x)
			for i, row := range want.ThetaScores {
				for n, v := range row {
					if math.Abs(scores.At(i, n)-v) > 1e-4 {
						t.Errorf("score of node %d for row %d is %v, want %v", n, i, scores.At(i, n), v)
					}
				}
			}
			for n, row := range want.Theta {
				for f, v := range m.Weights(n) {
					if math.Abs(v-row[f]) > 1e-4 {
						t.Errorf("weight of feature %d at node %d is %v, want %v", f, n, v, row[f])
					}
				}
			}
			sets, err := m.ClosedSets(x)
			if err != nil {
				t.Fatal(err)
			}
			for i, set := range want.Predictions {
				if got := g.Closure(sets[i]); !slices.Equal(got, set) {
					t.Errorf("prediction %v for row %d, want %v", got, i, set)
				}
			}
		})
	}
	if ran == 0 {
		t.Error("no case was run")
	}
}

// labelings are the competitors of HM3 as the paper has them: a column for every node and pair of
// states of its parent and itself, and every labeling, or every one that keeps to the hierarchy, as
// the bits of a competitor.
type labelings struct {
	g      *taxonomy.Taxonomy
	l      loss.SetLoss
	c      float64
	closed bool
	truth  []int32
	all    []int32 // that are allowed
}

// over makes the labelings those that keep to the hierarchy, or all.
func (s *labelings) over(closed bool) {
	s.closed, s.all = closed, nil
	for bits := range int32(1) << s.g.Len() {
		if s.allowed(bits) {
			s.all = append(s.all, bits)
		}
	}
}

// nodes returns the nodes that are on in a labeling.
func (s *labelings) nodes(bits int32) (set []int) {
	for n := range s.g.Len() {
		if bits>>n&1 == 1 {
			set = append(set, n)
		}
	}
	return set
}

// column is that of a node in a labeling.
func (s *labelings) column(n int, bits int32) int32 {
	above := int32(1)
	for _, p := range s.g.Parents(n) {
		above = bits >> p & 1
	}
	return int32(4*n) + 2*above + bits>>n&1
}

func (s *labelings) columns() (nodes []int) {
	for n := range s.g.Len() {
		nodes = append(nodes, n, n, n, n)
	}
	return nodes
}

func (s *labelings) allowed(bits int32) bool {
	return !s.closed || len(s.g.Closure(s.nodes(bits))) == len(s.nodes(bits))
}

func (s *labelings) Blocks() int                  { return len(s.truth) }
func (s *labelings) Example(b int) int            { return b }
func (s *labelings) C(int) float64                { return s.c }
func (s *labelings) Known(_ int, id int32) bool   { return id>>s.g.Len() == 0 && s.allowed(id) }
func (s *labelings) NewSearch() structured.Search { return &labelingSearch{labelings: s} }

// Cost is by the program's definition of the loss, which is about nodes whose parents agree; it is
// no loss of closed sets.
func (s *labelings) Cost(b int, id int32) float64 {
	var cost float64
	for n := range s.g.Len() {
		differ := (id^s.truth[b])>>n&1 == 1
		for _, p := range s.g.Parents(n) {
			if _, hamming := s.l.(interface{ Hamming() }); !hamming {
				differ = differ && (id^s.truth[b])>>p&1 == 0
			}
		}
		if differ {
			cost += s.l.SetCost([]int{n}, s.g.Parents(n))
		}
	}
	return cost
}

func (s *labelings) Direct(b int, id int32, scale float64, step *structured.Step) {
	for n := range s.g.Len() {
		step.Add(s.column(n, s.truth[b]), scale)
		step.Add(s.column(n, id), -scale)
	}
}

func (s *labelings) Product(b int, k, l int32) float64 {
	first, second := structured.NewStep(4*s.g.Len()), structured.NewStep(4*s.g.Len())
	return structured.DotSteps(s, b, k, l, first, second)
}

type labelingSearch struct {
	*labelings
	b      int
	scores []float64
}

func (q *labelingSearch) score(bits int32) (sum float64) {
	for n := range q.g.Len() {
		sum += q.scores[q.column(n, bits)]
	}
	return sum
}

func (q *labelingSearch) Violation(id int32) float64 {
	return q.Cost(q.b, id) + q.score(id) - q.score(q.truth[q.b])
}

// best returns the labeling with the largest value.
func (q *labelingSearch) best(value func(bits int32) float64) (best int32, most float64) {
	most = math.Inf(-1)
	for _, bits := range q.all {
		if v := value(bits); v > most {
			best, most = bits, v
		}
	}
	return best, most
}

func (q *labelingSearch) Load(b int, scores []float64) float64 {
	q.b, q.scores = b, scores
	_, worst := q.best(q.Violation)
	return max(0, worst)
}

func (q *labelingSearch) Worst(n int, floor float64, known, dst []int32) []int32 {
	if id, worst := q.best(q.Violation); n > 0 && worst > max(0, floor) && !slices.Contains(known, id) {
		dst = append(dst, id)
	}
	return dst
}

// hammingLoss marks the Hamming loss, for labelings.Cost.
type hammingLoss struct{ loss.SetLoss }

func (hammingLoss) Hamming() {}

// TestGoldenHM3AllLabelings solves the paper's own form, with weights of edges, over all labelings
// and over those that keep to the hierarchy, by a competitor a labeling. It holds the golden values
// over all labelings, and the reduction of structured.Edges to the form that it reduces.
func TestGoldenHM3AllLabelings(t *testing.T) {
	cases, err := golden.Read("hm3")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var want hm3Case
			decode(t, c, &want)
			g := build(t, want.Taxonomy)
			s := &labelings{g: g, l: want.delta(t, g), c: want.C}
			s.over(want.Domain == "consistent")
			if want.Loss == "hamming" {
				s.l = hammingLoss{s.l}
			}
			for _, set := range want.Labels {
				var bits int32
				for _, n := range set {
					bits |= 1 << n
				}
				s.truth = append(s.truth, bits)
			}
			d := (&instances{X: want.X, Labels: want.Labels}).dataset(g)
			test := (&instances{X: want.Test}).dataset(g).X
			var inputs structured.Inputs
			kernel := want.kernel(t)
			if kernel == nil {
				inputs, err = structured.NewLinear(d.X)
			} else {
				var values *mat.SymDense
				if values, err = gram.Matrix(t.Context(), kernel, d.X, nil); err == nil {
					inputs, err = structured.NewKernel(values)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			r, err := solver.Solve(t.Context(), &structured.Problem{Inputs: inputs, Columns: s.columns(), Competitors: s}, &solver.Settings{Gap: 1e-9, MaxEpochs: 100000}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Gap > 1e-9 || math.Abs(r.Primal-want.Objective) > objectiveTolerance*want.Objective {
				t.Errorf("%v, want %v", r, want.Objective)
			}
			q := &labelingSearch{labelings: s}
			for i := range want.Test {
				if kernel == nil {
					q.scores = make([]float64, r.Weights.Stride)
					indices, values := test.Row(i)
					r.Weights.Scores(indices, values, q.scores)
				} else {
					products := make([]float64, d.X.Rows)
					for j := range products {
						products[j] = kernel.Value(gram.Row(test, i), gram.Row(d.X, j))
					}
					q.scores = make([]float64, r.Expansion.Width())
					r.Expansion.ScoresOf(products, q.scores)
				}
				for _, domain := range []struct {
					closed bool
					want   [][]int
				}{{true, want.Predictions}, {false, want.All}} {
					if domain.want == nil {
						continue
					}
					s.over(domain.closed)
					bits, _ := q.best(q.score)
					if got := s.nodes(bits); !slices.Equal(got, domain.want[i]) {
						t.Errorf("closed %v: prediction %v for row %d, want %v", domain.closed, got, i, domain.want[i])
					}
				}
			}
		})
	}
}

package hierml_test

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/orthogonal"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/hierml/weighting"
)

// subject is an estimator with its objective, written down a second time.
type subject struct {
	name string
	// fits says whether the estimator takes the taxonomy and the labels.
	fits func(t *taxonomy.Taxonomy, labels [][]int) bool
	// refuses names the methods that do not fit its problem.
	refuses   []string
	estimator func(t *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator
	// objective is the value of node weights, by plain loops over what the papers print.
	objective func(p *plain) float64
	// curvature bounds the curvature of the objective from below, in node weights; zero where the
	// minimiser is not unique.
	curvature func(t *taxonomy.Taxonomy) float64
	reaches   float64 // relative gap that the default method reaches in a test's time
	// bounded says that the worst competitor is found up to a share of the gap, so that the primal
	// value of the result bounds that of the weights.
	bounded func(t *taxonomy.Taxonomy) bool
}

// c is the C of all subjects.
const c = 0.7

// plain are the weights of a model and what they make of the training data.
type plain struct {
	t      *taxonomy.Taxonomy
	labels [][]int
	w      [][]float64 // by node
	s      [][]float64 // by instance and node
	alpha  []float64   // of the model's attributes, by node
}

func newPlain(m *classifier.Model, t *taxonomy.Taxonomy, d *dataset.Dataset) *plain {
	p := &plain{t: t, labels: d.Labels, alpha: m.NodeWeights()}
	for n := range t.Len() {
		p.w = append(p.w, m.Weights(n))
	}
	for i := range d.Labels {
		indices, values := d.X.Row(i)
		s := make([]float64, t.Len())
		for n := range s {
			for k, f := range indices {
				s[n] += p.w[n][f] * float64(values[k])
			}
		}
		p.s = append(p.s, s)
	}
	return p
}

func inner(v, w []float64) (sum float64) {
	for k := range v {
		sum += v[k] * w[k]
	}
	return sum
}

// ridge is 1/2 sum_n ||W_n||^2.
func (p *plain) ridge() (sum float64) {
	for _, w := range p.w {
		sum += inner(w, w) / 2
	}
	return sum
}

// leaf is the sum over the ancestors n of a node of lambda_n times the score of n.
func (p *plain) leaf(i, y int, lambda func(n int) float64) (sum float64) {
	for _, n := range p.t.Ancestors(y) {
		sum += lambda(n) * p.s[i][n]
	}
	return sum
}

func one(int) float64 { return 1 }

func (p *plain) root(n int) float64 { return math.Sqrt(p.alpha[n]) }

// over is the sum of the function over the nodes that are above one of two sets of labels but not
// the other.
func (p *plain) over(a, b []int, f func(n int) float64) (sum float64) {
	above, below := p.t.Closure(a), p.t.Closure(b)
	for n := range p.t.Len() {
		if slices.Contains(above, n) != slices.Contains(below, n) {
			sum += f(n)
		}
	}
	return sum
}

func zeroOne(y, z int) float64 {
	if y == z {
		return 0
	}
	return 1
}

// ranking is C sum_i max(0, max over pairs of a label and another leaf of hinge(i, label, other)).
func (p *plain) ranking(hinge func(i, y, z int) float64) (sum float64) {
	for i, set := range p.labels {
		worst := 0.0
		for _, y := range set {
			for _, z := range p.t.Leaves() {
				if !slices.Contains(set, z) {
					worst = max(worst, hinge(i, y, z))
				}
			}
		}
		sum += c * worst
	}
	return sum
}

// siblings is C sum_i max(0, max over the nodes at or above a label and their siblings of hinge).
func (p *plain) siblings(of func(n int) []int, hinge func(i, n, m int) float64) (sum float64) {
	for i, set := range p.labels {
		above := p.t.Closure(set)
		worst := 0.0
		for _, n := range above {
			for _, m := range of(n) {
				if !slices.Contains(above, m) {
					worst = max(worst, hinge(i, n, m))
				}
			}
		}
		sum += c * worst
	}
	return sum
}

// sets is C sum_i max over the non-empty sets of leaves of cost + score of the set - score of the
// labels. Where there is a cost of single leaves, it is over these for instances with one label.
func (p *plain) sets(lambda func(n int) float64, cost func(labels, set []int) float64, single func(y, z int) float64) (sum float64) {
	leaves := p.t.Leaves()
	score := func(i int, set []int) (sum float64) {
		for _, n := range p.t.Closure(set) {
			sum += lambda(n) * p.s[i][n]
		}
		return sum
	}
	for i, labels := range p.labels {
		worst := 0.0
		for bits := 1; bits < 1<<len(leaves); bits++ {
			var set []int
			for k, y := range leaves {
				if bits>>k&1 == 1 {
					set = append(set, y)
				}
			}
			if single == nil || len(labels) > 1 {
				worst = max(worst, cost(labels, set)+score(i, set)-score(i, labels))
			} else if len(set) == 1 {
				worst = max(worst, single(labels[0], set[0])+score(i, set)-score(i, labels))
			}
		}
		sum += c * worst
	}
	return sum
}

// few reports whether fewer than a tenth of the instances have several labels.
func (p *plain) few() bool {
	several := 0
	for _, set := range p.labels {
		if len(set) > 1 {
			several++
		}
	}
	return 10*several < len(p.labels)
}

// edges is the number of edges on the way between two nodes of a tree or a forest whose trees are
// joined by one more node.
func (p *plain) edges(y, z int) float64 { return p.over([]int{y}, []int{z}, one) }

func single(_ *taxonomy.Taxonomy, labels [][]int) bool {
	return !slices.ContainsFunc(labels, func(set []int) bool { return len(set) != 1 })
}

func several(t *taxonomy.Taxonomy, labels [][]int) bool { return !single(t, labels) }

func always(*taxonomy.Taxonomy, [][]int) bool { return true }

func onTrees(t *taxonomy.Taxonomy, _ [][]int) bool { return t.IsTree() }

func onGraphs(t *taxonomy.Taxonomy) bool { return !t.IsTree() }

func unit(*taxonomy.Taxonomy) float64 { return 1 }

// transferAlpha leaves orthogonal transfer well conditioned.
func transferAlpha(t *taxonomy.Taxonomy) float64 { return 0.5 * min(1, orthogonal.MaxAlpha(t)) }

var subjects = []subject{
	{
		name: "Flat", fits: always, curvature: unit, reaches: 1e-6,
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.Flat{C: c, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			return p.ridge() + p.ranking(func(i, y, z int) float64 { return 1 - p.s[i][y] + p.s[i][z] })
		},
	},
	{
		name: "Hierarchical", fits: single, curvature: unit, reaches: 1e-6,
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.Hierarchical{C: c, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			return p.ridge() + p.ranking(func(i, y, z int) float64 {
				return p.over([]int{y}, []int{z}, one) - p.leaf(i, y, one) + p.leaf(i, z, one)
			})
		},
	},
	{
		name: "Hierarchical, slack rescaling", fits: always, curvature: unit, reaches: 1e-6,
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.Hierarchical{C: c, Rescaling: structured.Slack, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			return p.ridge() + p.ranking(func(i, y, z int) float64 {
				return p.over([]int{y}, []int{z}, one) * (1 - p.leaf(i, y, one) + p.leaf(i, z, one))
			})
		},
	},
	{
		name: "Hierarchical, sets", fits: several, curvature: unit, reaches: 1e-6, bounded: onGraphs,
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.Hierarchical{C: c, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			var single func(y, z int) float64
			if p.few() {
				single = func(y, z int) float64 { return p.over([]int{y}, []int{z}, one) }
			}
			return p.ridge() + p.sets(one, func(labels, set []int) float64 { return p.over(labels, set, one) }, single)
		},
	},
	{
		name: "Hierarchical, sets of all", fits: always, curvature: unit, reaches: 1e-6, bounded: onGraphs,
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.Hierarchical{C: c, Sets: true, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			return p.ridge() + p.sets(one, func(labels, set []int) float64 { return p.over(labels, set, one) }, nil)
		},
	},
	{
		name: "Normalized", fits: single, curvature: unit, reaches: 1e-6,
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.Normalized{C: c, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			return p.ridge() + p.ranking(func(i, y, z int) float64 {
				norm := math.Sqrt(p.over([]int{y}, []int{z}, func(n int) float64 { return p.alpha[n] }))
				return norm - p.leaf(i, y, p.root) + p.leaf(i, z, p.root)
			})
		},
	},
	{
		name: "Normalized, divided by the norm", fits: single, curvature: unit, reaches: 1e-6,
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.Normalized{C: c, DivideByNorm: true, Weighting: weighting.MaxMin{}, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			return p.ridge() + p.ranking(func(i, y, z int) float64 {
				norm := math.Sqrt(p.over([]int{y}, []int{z}, func(n int) float64 { return p.alpha[n] }))
				return 1 - (p.leaf(i, y, p.root)-p.leaf(i, z, p.root))/norm
			})
		},
	},
	{
		name: "Normalized, sets", fits: several, curvature: unit, reaches: 1e-6, bounded: onGraphs,
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.Normalized{C: c, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			var single func(y, z int) float64
			if p.few() {
				single = func(y, z int) float64 {
					return math.Sqrt(p.over([]int{y}, []int{z}, func(n int) float64 { return p.alpha[n] }))
				}
			}
			return p.ridge() + p.sets(p.root, func(labels, set []int) float64 {
				return p.over(labels, set, func(n int) float64 {
					if p.t.IsLeaf(n) {
						return 1
					}
					return 0
				})
			}, single)
		},
	},
	{
		// The weights of the model are U_n / sqrt(alpha_n).
		name: "Shared", fits: always, curvature: func(*taxonomy.Taxonomy) float64 { return 0 }, reaches: 1e-4,
		refuses: []string{"Pegasos", "RDA"},
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.Shared{C: c, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			for _, y := range p.t.Leaves() {
				var sum float64
				for _, n := range p.t.Ancestors(y) {
					sum += p.alpha[n]
				}
				if sum > 1+1e-9 {
					return math.NaN()
				}
			}
			return p.ridge() + p.ranking(func(i, y, z int) float64 {
				return zeroOne(y, z) - p.leaf(i, y, p.root) + p.leaf(i, z, p.root)
			})
		},
	},
	{
		name: "GlobalMargin", fits: always, curvature: unit, reaches: 1e-6,
		refuses: []string{"DualAscent"},
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.GlobalMargin{C1: c, C2: 0.5 * c, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			hinge := func(i, y, z int) float64 {
				return p.over([]int{y}, []int{z}, one) * (1 - p.leaf(i, y, one) + p.leaf(i, z, one))
			}
			return p.ridge() + p.ranking(hinge) + 0.5*p.siblings(func(n int) []int {
				if p.t.IsLeaf(n) {
					return nil
				}
				return p.t.Siblings(n)
			}, hinge)
		},
	},
	{
		name: "Orthogonal", fits: always, reaches: 1e-6,
		refuses: []string{"Pegasos"},
		estimator: func(t *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.Orthogonal{C: c, Alpha: transferAlpha(t), Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			var sum float64
			for n := range p.t.Len() {
				sum += float64(len(p.t.Descendants(n))) * inner(p.w[n], p.w[n]) / 2
				for _, m := range p.t.Ancestors(n) {
					if m != n {
						sum += transferAlpha(p.t) * math.Abs(inner(p.w[n], p.w[m]))
					}
				}
			}
			return sum + p.siblings(p.t.SiblingsOrRoots, func(i, n, m int) float64 { return 1 - p.s[i][n] + p.s[i][m] })
		},
		curvature: func(t *taxonomy.Taxonomy) float64 {
			r, err := orthogonal.Descendants(t, transferAlpha(t))
			if err != nil {
				return math.NaN()
			}
			return r.LambdaMin()
		},
	},
	{
		name: "Transfer", fits: always, curvature: unit, reaches: 1e-6,
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.Transfer{C: c, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			sum := p.ridge()
			for _, e := range p.t.Edges() {
				for f, v := range p.w[e[0]] {
					sum += (v - p.w[e[1]][f]) * (v - p.w[e[1]][f]) / 2
				}
			}
			return sum + p.siblings(p.t.SiblingsOrRoots, func(i, n, m int) float64 { return 1 - p.s[i][n] + p.s[i][m] })
		},
	},
	{
		name: "TreeLoss", fits: onTrees, curvature: unit, reaches: 1e-6,
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.TreeLoss{C: c, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			return p.ridge() + p.ranking(func(i, y, z int) float64 {
				return p.edges(y, z) / 2 * (1 - p.leaf(i, y, one) + p.leaf(i, z, one))
			})
		},
	},
	{
		name: "Recursive", fits: onTrees, curvature: unit, reaches: 1e-6,
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.Recursive{C: c, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			sum := p.ridge()
			families := [][]int{p.t.Roots()}
			for n := range p.t.Len() {
				families = append(families, p.t.Children(n))
			}
			for _, children := range families {
				for i, set := range p.labels {
					above := p.t.Closure(set)
					worst := 0.0
					for _, n := range children {
						for _, m := range children {
							if slices.Contains(above, n) && !slices.Contains(above, m) {
								worst = max(worst, 1-p.s[i][n]+p.s[i][m])
							}
						}
					}
					sum += c * worst
				}
			}
			return sum
		},
	},
	{
		name: "OneVsRest", fits: always, curvature: unit, reaches: 1e-6,
		refuses: []string{"DualAscent"},
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.OneVsRest{C: c, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			sum := p.ridge()
			for i, set := range p.labels {
				for _, y := range p.t.Leaves() {
					sign := -1.0
					if slices.Contains(set, y) {
						sign = 1
					}
					sum += c * max(0, 1-sign*p.s[i][y])
				}
			}
			return sum
		},
	},
	{
		name: "MaxConstraint", fits: always, curvature: unit, reaches: 1e-6,
		refuses: []string{"DualAscent"},
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.MaxConstraint{C: c, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			sum := p.ridge()
			for i, set := range p.labels {
				above := p.t.Closure(set)
				for n := range p.t.Len() {
					if slices.Contains(above, n) {
						sum += c * max(0, 1-p.s[i][n])
						continue
					}
					highest := math.Inf(-1)
					for m := range p.t.Len() {
						if slices.Contains(p.t.Ancestors(m), n) {
							highest = max(highest, p.s[i][m])
						}
					}
					sum += c * max(0, 1+highest)
				}
			}
			return sum
		},
	},
	{
		name: "HR", fits: onTrees, curvature: unit, reaches: 1e-6,
		refuses: []string{"DualAscent"},
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.HR{C: c, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			sum := p.ridge() // of differences along edges
			for i, set := range p.labels {
				for _, y := range p.t.Leaves() {
					sign := -1.0
					if slices.Contains(set, y) {
						sign = 1
					}
					sum += c * max(0, 1-sign*p.leaf(i, y, one))
				}
			}
			return sum
		},
	},
	{
		// The weights of the model are theta, whose norm is the smallest of the weights of the
		// edges.
		name: "HM3", fits: always, reaches: 1e-6,
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, m solver.Method) classifier.Estimator {
			return svm.HM3{C: c, Settings: s, Method: m}
		},
		objective: func(p *plain) float64 {
			n := p.t.Len()
			metric := mat.NewSymDense(n, nil)
			for v := range n {
				metric.SetSym(v, v, float64(2*max(1, len(p.t.Parents(v)))+2*len(p.t.Children(v))))
			}
			for _, e := range p.t.Edges() {
				metric.SetSym(e[0], e[1], -1)
			}
			var factor mat.Cholesky
			if !factor.Factorize(metric) {
				return math.NaN()
			}
			var sum float64
			for f := range p.w[0] {
				theta, solved := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
				for v := range n {
					theta.SetVec(v, p.w[v][f])
				}
				if factor.SolveVecTo(solved, theta) != nil {
					return math.NaN()
				}
				sum += mat.Dot(theta, solved) / 2
			}
			for i, set := range p.labels {
				worst := 0.0
				for bits := range 1 << n {
					var nodes []int
					for v := range n {
						if bits>>v&1 == 1 {
							nodes = append(nodes, v)
						}
					}
					if len(p.t.Closure(nodes)) == len(nodes) {
						v := p.over(set, nodes, one)
						for _, n := range nodes {
							v += p.s[i][n]
						}
						for _, n := range p.t.Closure(set) {
							v -= p.s[i][n]
						}
						worst = max(worst, v)
					}
				}
				sum += c * worst
			}
			return sum
		},
		curvature: func(t *taxonomy.Taxonomy) float64 {
			largest := 0
			for v := range t.Len() {
				largest = max(largest, 2*max(1, len(t.Parents(v)))+len(t.Parents(v))+3*len(t.Children(v)))
			}
			return 1 / float64(largest)
		},
	},
	{
		name: "PLT", fits: onTrees, curvature: unit, reaches: 1e-6,
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, _ solver.Method) classifier.Estimator {
			return svm.PLT{C: c, Settings: s}
		},
		objective: func(p *plain) float64 {
			sum := p.ridge()
			for v := range p.t.Len() {
				var terms []float64
				both := map[float64]bool{}
				for i, set := range p.labels {
					above := p.t.Closure(set)
					if parents := p.t.Parents(v); len(parents) > 0 && !slices.Contains(above, parents[0]) {
						continue
					}
					sign := -1.0
					if slices.Contains(above, v) {
						sign = 1
					}
					both[sign] = true
					terms = append(terms, c*math.Log1p(math.Exp(-sign*p.s[i][v])))
				}
				if len(both) == 2 {
					for _, term := range terms {
						sum += term
					}
				}
			}
			return sum
		},
	},
	{
		name: "HierarchicalSoftmax", fits: onTrees, curvature: unit, reaches: 1e-6,
		estimator: func(_ *taxonomy.Taxonomy, s solver.Settings, _ solver.Method) classifier.Estimator {
			return svm.HierarchicalSoftmax{C: c, Settings: s}
		},
		objective: func(p *plain) float64 {
			sum := p.ridge()
			for i, set := range p.labels {
				for _, y := range set {
					for _, v := range p.t.Ancestors(y) {
						all := 0.0
						for _, s := range append(p.t.SiblingsOrRoots(v), v) {
							all += math.Exp(p.s[i][s])
						}
						sum += c / float64(len(set)) * (math.Log(all) - p.s[i][v])
					}
				}
			}
			return sum
		},
	},
}

package bayes

import (
	"math"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// counts are the words at a node, ascending, and how often they are there.
type counts struct {
	words []int32
	times []float64
}

// paths has the counts of all nodes, and the documents of all leaves.
type paths struct {
	d, heldOut *dataset.Dataset // heldOut is d where each document, or word, is held out in turn
	single     bool             // words are
	leaves     []int
	nodes      []counts // by node; behind them those of the node above several roots
	documents  [][]int  // of d, by leaf
	tested     [][]int  // of heldOut, by leaf
}

func newPaths(d, heldOut *dataset.Dataset, single bool) *paths {
	t := d.Taxonomy
	p := &paths{d: d, heldOut: heldOut, single: single, leaves: t.Leaves(), nodes: make([]counts, t.Len(), t.Len()+1), documents: byLeaf(d)}
	p.tested = p.documents
	if heldOut == nil {
		p.heldOut = d
	} else {
		p.tested = byLeaf(heldOut)
	}
	sum := newSummer(d.X.Cols)
	for y, n := range p.leaves {
		p.nodes[n] = sum.rows(d, p.documents[y])
	}
	order := t.Topological()
	for k := len(order) - 1; k >= 0; k-- {
		if n := order[k]; !t.IsLeaf(n) {
			p.nodes[n] = p.sum(sum, t.Children(n))
		}
	}
	if len(t.Roots()) > 1 {
		p.nodes = append(p.nodes, p.sum(sum, t.Roots()))
	}
	return p
}

func (p *paths) sum(s *summer, nodes []int) counts {
	for _, n := range nodes {
		for k, w := range p.nodes[n].words {
			s.add(w, p.nodes[n].times[k])
		}
	}
	return s.counts()
}

// path returns the nodes from leaf y up.
func (p *paths) path(t *taxonomy.Taxonomy, y int) []int {
	path := []int{p.leaves[y]}
	for n := p.leaves[y]; len(t.Parents(n)) > 0; {
		n = t.Parents(n)[0]
		path = append(path, n)
	}
	if len(p.nodes) > t.Len() {
		path = append(path, t.Len())
	}
	return path
}

// summer adds up counts of few of many words.
type summer struct {
	times []float64 // by word
	words []int32
}

func newSummer(words int) *summer { return &summer{times: make([]float64, words)} }

func (s *summer) add(word int32, times float64) {
	if times == 0 {
		return
	}
	if s.times[word] == 0 {
		s.words = append(s.words, word)
	}
	s.times[word] += times
}

// rows returns the counts of some rows, each times its weight.
func (s *summer) rows(d *dataset.Dataset, rows []int) counts {
	for _, i := range rows {
		words, times := d.X.Row(i)
		for k, w := range words {
			s.add(w, d.Weight(i)*float64(times[k]))
		}
	}
	return s.counts()
}

// counts returns the sums and begins anew.
func (s *summer) counts() counts {
	slices.Sort(s.words)
	c := counts{words: slices.Clone(s.words), times: make([]float64, len(s.words))}
	for k, w := range s.words {
		c.times[k], s.times[w] = s.times[w], 0
	}
	s.words = s.words[:0]
	return c
}

// mixture is the distribution of the words of one leaf after the other. A component without words
// does not take part.
type mixture struct {
	*paths
	// of the components, from the leaf up; -1 for equal probabilities, the last one
	nodes  []int
	theta  [][]float64 // by component, but for the last: by word
	lambda []float64   // by component
	own    bool        // the first component is that of the leaf

	used     [][]float64 // theta to be used again, by node on the path
	base     []float64   // by word: what all components but the leaf's make of it
	weight   []float64   // by word: sum of count over probability
	words    []int32     // of the documents held out
	total    float64     // words of the documents of the leaf
	size     []float64   // by document held out: its words
	gradient []float64   // by component
}

func newMixture(p *paths) *mixture {
	return &mixture{paths: p, base: make([]float64, p.d.X.Cols), weight: make([]float64, p.d.X.Cols)}
}

// open takes leaf y, with equal weights.
func (m *mixture) open(y int) {
	features := m.d.X.Cols
	m.nodes, m.theta, m.own, m.total = m.nodes[:0], m.theta[:0], false, 0
	var below counts
	for depth, n := range m.path(m.d.Taxonomy, y) {
		if depth == len(m.used) {
			m.used = append(m.used, make([]float64, features))
		}
		theta := m.used[depth]
		clear(theta)
		all := m.paths.nodes[n]
		for k, w := range all.words {
			theta[w] = all.times[k]
		}
		for k, w := range below.words {
			theta[w] = max(0, theta[w]-below.times[k]) // which rounding may take below 0 where values are no whole numbers
		}
		below = all
		total, with := 0.0, 0.0
		for k, w := range all.words {
			total += theta[w]
			with += all.times[k]
		}
		if total <= 1e-9*with { // nothing but rounding is left
			continue
		}
		for _, w := range all.words {
			theta[w] /= total
		}
		if depth == 0 {
			m.own, m.total = true, total
		}
		m.nodes, m.theta = append(m.nodes, n), append(m.theta, theta)
	}
	m.nodes = append(m.nodes, -1)
	m.lambda = slices.Repeat([]float64{1 / float64(len(m.nodes))}, len(m.nodes))
	m.gradient = make([]float64, len(m.nodes))

	m.words, m.size = m.words[:0], m.size[:0]
	for _, i := range m.tested[y] {
		words, times := m.heldOut.X.Row(i)
		size := 0.0
		for k, w := range words {
			if times[k] > 0 {
				m.words = append(m.words, w)
				size += float64(times[k])
			}
		}
		m.size = append(m.size, size)
	}
	slices.Sort(m.words)
	m.words = slices.Compact(m.words)
}

// probability returns that of a word.
func (m *mixture) probability(word int) float64 {
	p := m.lambda[len(m.theta)] / float64(m.d.X.Cols)
	for k, theta := range m.theta {
		p += m.lambda[k] * theta[word]
	}
	return p
}

// measure returns the log probability of the words held out and their number, and sets gradient to
// its derivatives by lambda.
func (m *mixture) measure(y int) (log, n float64) {
	first := 0
	if m.own {
		first = 1
	}
	even := 1 / float64(m.d.X.Cols)
	for _, w := range m.words {
		p := m.lambda[len(m.theta)] * even
		for k := first; k < len(m.theta); k++ {
			p += m.lambda[k] * m.theta[k][w]
		}
		m.base[w], m.weight[w] = p, 0
	}
	clear(m.gradient)
	inTurn := m.heldOut == m.d
	for j, i := range m.tested[y] {
		words, times := m.heldOut.X.Row(i)
		n += m.size[j]
		for k, w := range words {
			count := float64(times[k])
			if count == 0 {
				continue
			}
			p, own := m.base[w], 0.0
			if m.own {
				own = m.theta[0][w]
				if inTurn {
					of, all := count, m.size[j] // what is left out
					if m.single {
						of = min(1, count)
						all = of
					}
					own = 0
					if others := m.total - all; others > 0 {
						own = max(0, m.theta[0][w]*m.total-of) / others
					}
				}
				p += m.lambda[0] * own
			}
			log += count * math.Log(p)
			m.weight[w] += count / p
			if m.own {
				m.gradient[0] += count * own / p
			}
		}
	}
	for _, w := range m.words {
		for k := first; k < len(m.theta); k++ {
			m.gradient[k] += m.weight[w] * m.theta[k][w]
		}
		m.gradient[len(m.theta)] += m.weight[w] * even
	}
	return log, n
}

// step is one of expectation maximization, after measure.
func (m *mixture) step(n float64) {
	for k, g := range m.gradient {
		m.lambda[k] *= g / n
	}
}

package classifier

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
)

// Beam predicts by beam search down the taxonomy: at each level it keeps the nodes with the highest
// scores so far, up to its width, and visits only their children. With many leaves it takes a
// fraction of the time of Predict. It misses the best leaf if a node above it is not among the
// highest of its level. It is safe for concurrent use.
//
// A Beam has a copy of the non-zero weights, in single precision, with those of the children of a
// node next to each other: compact a large model first.
type Beam struct {
	model *Model
	width int

	// Groups are the children of one node each, the roots first; a group's weights are scores'
	// slots first[g] to first[g+1].
	group []int32 // by node: the group of its children, -1 without
	first []int32 // groups+1
	nodes []int32 // by slot

	// For feature f and group g the word[f*words + g/64] says whether any weight is not zero, and
	// how many groups of any feature with one are before the word. The weights of the k-th such
	// pair are begin[k] to begin[k+1].
	words   int
	word    []presence
	begin   []uint32
	weights []slotted
	scale   []float64 // by slot: the attribute of the node
	always  []float64 // by slot: the constant of the node; nil where they are 0
	fixed   []float64 // by slot: the term of a certain node, otherwise NaN; nil without a link
}

// slotted is a weight of a slot within its group.
type slotted struct {
	slot  uint32
	value float32
}

type presence struct {
	bits   uint64
	before uint32
}

// String returns the width and the model.
func (b *Beam) String() string {
	return fmt.Sprintf("beam of width %d of a model, %s", b.width, b.model.Name)
}

// NewBeam returns a beam of the given width. The model's taxonomy must be a tree or forest, and its
// score of a leaf the sum of the scores of the nodes on the path. For a model that descends the
// taxonomy, Predict is exact with any width.
func (m *Model) NewBeam(width int) (*Beam, error) {
	t := m.Taxonomy
	if width < 1 {
		return nil, fmt.Errorf("classifier: the width of the beam is %d; it must be at least 1", width)
	}
	if !t.IsTree() {
		return nil, fmt.Errorf("classifier: a beam needs a tree, and some nodes of this taxonomy have several parents")
	}
	w := m.weights()
	if w == nil {
		return nil, fmt.Errorf("classifier: the model, %s, has a kernel and no weights of features; use Predict", m.Name)
	}
	b := &Beam{model: m, width: width}
	values := make([]float64, t.Len())
	if m.Rule == Descend {
		for n := range values {
			values[n] = 1
		}
	} else {
		var err error
		if values, err = m.attributes.NodeValues(); err != nil {
			return nil, fmt.Errorf("classifier: a beam needs scores of inner nodes: %w", err)
		}
		for n, v := range values {
			if alone := len(t.Siblings(n)) == 0 && (len(t.Parents(n)) > 0 || len(t.Roots()) == 1); !alone && !t.IsLeaf(n) && (v == 0 || m.attributes.Column(n) < 0) {
				return nil, fmt.Errorf("classifier: a beam needs scores of inner nodes, and the model, %s, has none for %q; use Predict", m.Name, t.Name(n))
			}
		}
	}
	b.layOut(values)
	if err := b.fill(w); err != nil {
		return nil, err
	}
	return b, nil
}

// layOut numbers the groups and their slots.
func (b *Beam) layOut(values []float64) {
	t := b.model.Taxonomy
	b.group = make([]int32, t.Len())
	b.first = []int32{0}
	add := func(children []int) {
		for _, n := range children {
			b.nodes = append(b.nodes, int32(n))
			b.scale = append(b.scale, values[n])
		}
		b.first = append(b.first, int32(len(b.nodes)))
	}
	add(t.Roots())
	for _, n := range t.Topological() {
		b.group[n] = -1
		if !t.IsLeaf(n) {
			b.group[n] = int32(len(b.first) - 1)
			add(t.Children(n))
		}
	}
	if b.model.constants != nil {
		for _, n := range b.nodes {
			b.always = append(b.always, b.model.Constant(int(n)))
		}
	}
	if l := b.model.linked; l != nil {
		for _, n := range b.nodes {
			fixed := 0.0 // an only child without weights, whose probability is 1
			if c := b.model.attributes.Column(int(n)); c >= 0 {
				fixed = l.fixed[c]
			}
			b.fixed = append(b.fixed, fixed)
		}
	}
}

// link turns the scores of the children in a group into the terms of leaf scores.
func (b *Beam) link(group int32, scores []float64) {
	l := b.model.linked
	if l.link == Softmax {
		logSoftmax(scores)
		return
	}
	for c, fixed := range b.fixed[b.first[group]:b.first[group+1]] {
		if scores[c] = l.link.log(scores[c]); !math.IsNaN(fixed) {
			scores[c] = fixed
		}
	}
}

// fill copies the weights.
func (b *Beam) fill(w rows) error {
	features, columns := w.size()
	slotOf, groupOf := make([]int32, columns), make([]int32, len(b.nodes))
	for g := range len(b.first) - 1 {
		for s := b.first[g]; s < b.first[g+1]; s++ {
			groupOf[s] = int32(g)
			if c := b.model.attributes.Column(int(b.nodes[s])); c >= 0 {
				slotOf[c] = s
			}
		}
	}
	b.words = (len(b.first) - 1 + 63) / 64
	b.word = make([]presence, features*b.words)
	row := make([]float32, len(b.nodes))
	touched := make([]uint64, (len(b.nodes)+63)/64)
	stored := 0
	for columns := range eachRow(w) {
		stored += len(columns)
	}
	if stored > math.MaxUint32 {
		return fmt.Errorf("classifier: a beam holds at most %d weights, and this model has %d that are not zero; compact it", uint32(math.MaxUint32), stored)
	}
	b.weights = make([]slotted, 0, stored)
	f := 0
	for columns, values := range eachRow(w) {
		for k, c := range columns {
			s := slotOf[c]
			if row[s] = float32(values[k]); math.IsInf(float64(row[s]), 0) {
				return fmt.Errorf("classifier: the weight %v of feature %d does not fit into the single precision of a beam; use Predict, or scale the features", values[k], f)
			}
			touched[s/64] |= 1 << (s % 64)
		}
		words := b.word[f*b.words : (f+1)*b.words]
		last := int32(-1)
		for k, set := range touched {
			for ; set != 0; set &= set - 1 {
				s := int32(64*k + bits.TrailingZeros64(set))
				if g := groupOf[s]; g != last {
					words[g/64].bits |= 1 << (g % 64)
					b.begin = append(b.begin, uint32(len(b.weights)))
					last = g
				}
				b.weights = append(b.weights, slotted{uint32(s - b.first[last]), row[s]})
			}
			touched[k] = 0
		}
		f++
	}
	b.begin = append(b.begin, uint32(len(b.weights)))
	before := 0
	for k := range b.word {
		b.word[k].before = uint32(before)
		before += bits.OnesCount64(b.word[k].bits)
	}
	return nil
}

// search is the scratch space of one goroutine.
type search struct {
	frontier []reached
	next     []reached
	at       []int32 // start of the scores of each group of the frontier
	scores   []float64
	best     []Ranked
	pairs    []pair
}

// pair is a feature of the instance and a group of the frontier: number k of those with weights,
// which lie between lo and hi.
type pair struct {
	k, lo, hi uint32
	at        int32 // of the group's scores
	value     float64
}

// reached is a group with the score of the path to it.
type reached struct {
	group int32
	score float64
	down  bool // a greedy descent reaches it
}

// Predict returns, for every row of x, the leaf with the highest score among those that the beam
// reaches.
func (b *Beam) Predict(x *dataset.Matrix) []int {
	predicted := make([]int, x.Len())
	for i, ranked := range b.Rank(x, 1) {
		predicted[i] = ranked[0].Node
	}
	return predicted
}

// Rank returns, for every row of x, the k leaves with the highest scores among those that the beam
// reaches, the best first; ties are broken by the smaller id. It panics as Model.LeafScores does if
// the columns of x do not fit.
func (b *Beam) Rank(x *dataset.Matrix, k int) [][]Ranked {
	b.model.mustFit(x)
	ranked := make([][]Ranked, x.Len())
	inChunks(x.Rows, b.model.Workers, func() func(i int) {
		s := new(search)
		return func(i int) { ranked[i] = slices.Clone(b.rank(s, x, i, k)) }
	})
	return ranked
}

// rank searches for one row.
func (b *Beam) rank(s *search, x *dataset.Matrix, i, k int) []Ranked {
	features, values := x.Row(i)
	if f := b.model.features; f != nil {
		features, values = f.rows(features, values)
	}
	t := b.model.Taxonomy
	descend := b.model.Rule == Descend
	s.best = s.best[:0]
	down := -1 // the leaf that a greedy descent reaches
	s.frontier = append(s.frontier[:0], reached{down: descend})
	for len(s.frontier) > 0 {
		b.score(s, features, values)
		s.next = s.next[:0]
		for j, from := range s.frontier {
			scores := s.scores[s.at[j]:]
			children := b.nodes[b.first[from.group]:b.first[from.group+1]]
			b.hide(children, scores, b.model.Unseen)
			if b.fixed != nil {
				b.link(from.group, scores[:len(children)])
			}
			b.hide(children, scores, b.model.isDead)
			at := -1 // the child that a greedy descent takes
			if descend {
				if from.down {
					at = slices.Index(scores[:len(children)], slices.Max(scores[:len(children)]))
				}
				if best := slices.Max(scores[:len(children)]); !math.IsInf(best, -1) {
					from.score -= best // see Model.Rank
				} else {
					clear(scores[:len(children)])
				}
			}
			for c, n := range children {
				if b.model.isDead(int(n)) {
					continue
				}
				score := from.score + scores[c]
				if t.IsLeaf(int(n)) {
					s.best = insert(s.best, k, Ranked{int(n), t.LabelName(int(n)), score})
					if c == at {
						down = int(n)
					}
				} else {
					s.next = keep(s.next, b.width, reached{b.group[n], score, c == at})
				}
			}
		}
		s.frontier, s.next = s.next, s.frontier
	}
	if down >= 0 {
		s.best = firstOf(s.best, t, down, k)
	}
	return s.best
}

// hide sets the scores of some nodes to minus infinity.
func (b *Beam) hide(nodes []int32, scores []float64, which func(n int) bool) {
	if b.model.unseen == nil {
		return
	}
	for k, n := range nodes {
		if which(int(n)) {
			scores[k] = math.Inf(-1)
		}
	}
}

// score computes the scores of the children in the groups of the frontier.
func (b *Beam) score(s *search, features []int32, values []float32) {
	s.at = s.at[:0]
	total := int32(0)
	for _, r := range s.frontier {
		s.at = append(s.at, total)
		total += b.first[r.group+1] - b.first[r.group]
	}
	if cap(s.scores) < int(total) {
		s.scores = make([]float64, total)
	}
	s.scores = s.scores[:total]
	clear(s.scores)
	// Each step reads from addresses that the previous step found, all over memory. Taking each
	// step for all pairs lets the CPU wait for many reads at a time.
	if n := len(features) * len(s.frontier); cap(s.pairs) < n {
		s.pairs = make([]pair, n)
	}
	pairs := s.pairs[:cap(s.pairs)]
	n := 0
	limit := int32(len(b.word) / b.words)
	for k, f := range features {
		if f >= limit {
			break
		}
		v := float64(values[k])
		words := b.word[int(f)*b.words : (int(f)+1)*b.words]
		for j, r := range s.frontier {
			w, shift := words[r.group/64], uint(r.group%64)
			before := w.bits & (1<<shift - 1)
			pairs[n] = pair{k: w.before + uint32(bits.OnesCount64(before)), at: s.at[j], value: v}
			n += int(w.bits >> shift & 1) // those without weights are overwritten
		}
	}
	pairs = pairs[:n]
	for k := range pairs {
		p := &pairs[k]
		p.lo, p.hi = b.begin[p.k], b.begin[p.k+1]
	}
	for k := range pairs {
		p := &pairs[k]
		scores := s.scores[p.at:]
		for _, w := range b.weights[p.lo:p.hi] {
			scores[w.slot] += p.value * float64(w.value)
		}
	}
	if b.always != nil {
		for j, r := range s.frontier {
			for c, v := range b.always[b.first[r.group]:b.first[r.group+1]] {
				s.scores[int(s.at[j])+c] += v
			}
		}
	}
	for j, r := range s.frontier {
		scores := s.scores[s.at[j]:]
		for c, scale := range b.scale[b.first[r.group]:b.first[r.group+1]] {
			scores[c] *= scale
		}
	}
}

// insert inserts a leaf into the k best, which are sorted.
func insert(best []Ranked, k int, r Ranked) []Ranked {
	at := len(best)
	for at > 0 && (best[at-1].Score < r.Score || best[at-1].Score == r.Score && best[at-1].Node > r.Node) {
		at--
	}
	if at >= k {
		return best
	}
	best = slices.Insert(best, at, r)
	return best[:min(len(best), k)]
}

// keep inserts a group into the sorted best of a level. That of the greedy descent comes first:
// none is better.
func keep(level []reached, width int, r reached) []reached {
	at := len(level)
	for at > 0 && (level[at-1].score < r.score || r.down) {
		at--
	}
	if at >= width {
		return level
	}
	level = slices.Insert(level, at, r)
	return level[:min(len(level), width)]
}

package decision

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// saved is a rule in JSON.
type saved struct {
	Format   string     `json:"format"`
	Version  int        `json:"version"`
	Rule     string     `json:"rule"`
	Inner    bool       `json:"inner,omitzero"`
	Loss     *savedLoss `json:"loss,omitempty"` // missing for the tree loss between labels
	Single   bool       `json:"single,omitzero"`
	Rootless bool       `json:"rootless,omitzero"`

	Threshold  float64   `json:"threshold,omitzero"`
	Thresholds []float64 `json:"thresholds,omitempty"`
}

// savedLoss is a loss as given by loss.Additive, or otherwise by its costs: one row per leaf, and
// one column per leaf or, with inner nodes, per node. -1 means a cost that is not finite.
type savedLoss struct {
	Weights []float64   `json:"weights,omitempty"` // of the nodes; missing for 1 each
	Missed  float64     `json:"missed,omitzero"`
	Added   float64     `json:"added,omitzero"`
	Costs   [][]float64 `json:"costs,omitempty"`
}

const (
	format        = "hierml.decision"
	version       = 1
	leastLossName = "least loss"
	largestFName  = "largest F1"
	topDownName   = "top down"
	nodesName     = "node thresholds"
)

// maxSaved bounds the costs in a file.
const maxSaved = 1 << 21

// Marshal returns a rule of this package in JSON, for the leaves of t; nil means LeastLoss{}.
// Unmarshal reads it. A loss is saved as a sum of node weights if it is one, otherwise by its
// costs, so any loss can be saved. Marshal returns an error if there are more than 2^21 costs or
// one is negative, if thresholds do not fit t, and for rules of other packages.
func Marshal(r Rule, t *taxonomy.Taxonomy) ([]byte, error) {
	if t == nil {
		return nil, errors.New("decision: Marshal needs the taxonomy of the rule")
	}
	if err := validate(r, t); err != nil {
		return nil, err
	}
	s := saved{Format: format, Version: version}
	switch r := r.(type) {
	case nil:
		s.Rule = leastLossName
	case LeastLoss:
		s.Rule, s.Inner = leastLossName, r.Inner
		if r.Loss != nil {
			var err error
			if s.Loss, err = lossOf(r, t); err != nil {
				return nil, err
			}
		}
	case LargestF:
		s.Rule, s.Single, s.Rootless = largestFName, r.Single, r.Rootless
	case TopDown:
		s.Rule, s.Threshold = topDownName, r.Threshold
	case NodeThresholds:
		s.Rule, s.Thresholds = nodesName, r.Thresholds
	default:
		return nil, fmt.Errorf("decision: a rule %T cannot be saved; use a rule of package decision", r)
	}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("decision: %w", err)
	}
	return data, nil
}

func lossOf(r LeastLoss, t *taxonomy.Taxonomy) (*savedLoss, error) {
	if weight, missed, added, ok := loss.Additive(r.Loss, t); ok {
		if !slices.ContainsFunc(weight, func(w float64) bool { return w != 1 }) {
			weight = nil
		}
		return &savedLoss{Weights: weight, Missed: missed, Added: added}, nil
	}
	leaves, columns := t.Leaves(), t.Leaves()
	if r.Inner {
		columns = make([]int, t.Len())
		for n := range columns {
			columns[n] = n
		}
	}
	if len(leaves)*len(columns) > maxSaved {
		return nil, fmt.Errorf("decision: the costs of %d predictions for %d leaves are too many for a file; use a loss that is a sum over nodes, such as loss.Symdiff", len(columns), len(leaves))
	}
	s := &savedLoss{}
	byNode := make([]float64, t.Len())
	for _, y := range leaves {
		loss.NodeRow(r.Loss, t, y, byNode)
		row := make([]float64, len(columns))
		for k, n := range columns {
			switch row[k] = byNode[n]; {
			case math.IsNaN(row[k]) || math.IsInf(row[k], 0):
				row[k] = -1
			case row[k] < 0:
				return nil, fmt.Errorf("decision: the loss has the cost %v of predicting %q for %q; costs must not be negative", row[k], t.Name(n), t.LabelName(y))
			}
		}
		s.Costs = append(s.Costs, row)
	}
	return s, nil
}

// Unmarshal reads the output of Marshal for the leaves of t. It validates the data.
func Unmarshal(data []byte, t *taxonomy.Taxonomy) (Rule, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var s saved
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("decision: a rule: %w", err)
	}
	if t == nil {
		return nil, errors.New("decision: Unmarshal needs the taxonomy of the rule")
	}
	if s.Format != format || s.Version != version {
		return nil, fmt.Errorf("decision: the format is %.40q in version %d; this program reads %q in version %d", s.Format, s.Version, format, version)
	}
	var r Rule
	own := saved{Format: format, Version: version, Rule: s.Rule} // the settings that the rule has
	switch s.Rule {
	case leastLossName:
		own.Inner, own.Loss = s.Inner, s.Loss
		l := LeastLoss{Inner: s.Inner}
		if s.Loss != nil {
			var err error
			if l.Loss, err = s.Loss.loss(t, s.Inner); err != nil {
				return nil, err
			}
		}
		r = l
	case largestFName:
		own.Single, own.Rootless = s.Single, s.Rootless
		r = LargestF{Single: s.Single, Rootless: s.Rootless}
	case topDownName:
		own.Threshold = s.Threshold
		r = TopDown{s.Threshold}
	case nodesName:
		own.Thresholds = s.Thresholds
		r = NodeThresholds{s.Thresholds}
	default:
		return nil, fmt.Errorf("decision: a rule is called %.40q; this program knows %q, %q, %q and %q", s.Rule, leastLossName, largestFName, topDownName, nodesName)
	}
	if !reflect.DeepEqual(own, s) {
		return nil, fmt.Errorf("decision: a rule %q has unknown settings", s.Rule)
	}
	if err := validate(r, t); err != nil {
		return nil, err
	}
	return r, nil
}

func (s *savedLoss) loss(t *taxonomy.Taxonomy, inner bool) (loss.Loss, error) {
	if s.Costs == nil {
		if s.Weights == nil {
			s.Weights = slices.Repeat([]float64{1}, t.Len())
		}
		l, err := loss.Weighted(t, s.Weights, s.Missed, s.Added)
		if err != nil {
			return nil, fmt.Errorf("decision: a rule: %w", err)
		}
		return l, nil
	}
	leaves, columns := len(t.Leaves()), len(t.Leaves())
	if inner {
		columns = t.Len()
	}
	if s.Weights != nil || s.Missed != 0 || s.Added != 0 || len(s.Costs) != leaves {
		return nil, fmt.Errorf("decision: a rule has %d costs in addition to weights, or for other than %d leaves", len(s.Costs), leaves)
	}
	c := costs{t, mat.NewDense(leaves, t.Len(), nil)}
	for y, row := range s.Costs {
		if len(row) != columns {
			return nil, fmt.Errorf("decision: a rule has %d costs for leaf %d; expected %d", len(row), y, columns)
		}
		for n := range t.Len() {
			k := n
			if !inner {
				k = t.LeafIndex(n)
			}
			cost := math.NaN()
			if k >= 0 && row[k] != -1 {
				if cost = row[k]; cost < 0 {
					return nil, fmt.Errorf("decision: a rule has the cost %v for leaf %d; costs must not be negative", cost, y)
				}
			}
			c.byNode.Set(y, n, cost)
		}
	}
	return c, nil
}

// costs is a loss that was kept by its costs, of the leaves.
type costs struct {
	t      *taxonomy.Taxonomy
	byNode *mat.Dense // a row a leaf
}

func (c costs) Cost(truth, predicted int) float64 {
	y := c.t.LeafIndex(truth)
	if y < 0 {
		return math.NaN()
	}
	return c.byNode.At(y, predicted)
}

func (c costs) Taxonomy() *taxonomy.Taxonomy { return c.t }

func (c costs) NodeRow(truth int, dst []float64) {
	for n := range dst {
		dst[n] = c.Cost(truth, n)
	}
}

package classifier

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/internal/table"
)

// Constraints are the constraints of training for one instance, one for every label other than its
// own:
//
//	xi_i >= b_z - r_z (F(x_i, y_i) - F(x_i, z))
//
// With margin rescaling b_z is the loss and r_z = 1; with slack rescaling both are the loss; see
// [structured.Rescaling]. Each constraint has a dual coefficient (a Lagrange multiplier). Those of
// an instance are not negative, and their sum is at most C. By complementary slackness, only the
// most violated constraints have a positive coefficient at the optimum.
type Constraints struct {
	Instance int    // row of the training data
	Label    int    // its label, a node
	Name     string // of the label
	// xi_i, the largest violation, or zero if none is positive: the error of the instance
	Slack float64
	C     float64 // upper bound of the sum of the coefficients

	// List has the constraints, the most violated first; ties are broken by the smallest node id.
	List []Constraint
}

// Constraint is the comparison of an instance with one other label.
type Constraint struct {
	Label       int     // z, a node
	Name        string  // of z
	Lead        float64 // F(x_i, y_i) - F(x_i, z)
	Demanded    float64 // the lead without error, b_z/r_z; zero if none is demanded
	Violation   float64 // b_z - r_z Lead; not above zero if the margin holds
	Coefficient float64 // alpha_iz of the dual
}

// String returns the constraints as a table.
func (c *Constraints) String() string { return c.table().String() }

// HTML returns the table of String in HTML.
func (c *Constraints) HTML() string { return c.table().HTML() }

func (c *Constraints) table() *table.Table {
	t := &table.Table{
		Title:   fmt.Sprintf("instance %d, %s: error %s, C = %s", c.Instance, c.Name, table.Number(c.Slack), table.Number(c.C)),
		Columns: []table.Column{{Name: "against", Head: true}, {Name: "lead", Right: true}, {Name: "demanded", Right: true}, {Name: "violation", Right: true}, {Name: "coefficient", Right: true}},
	}
	var columns [4][]float64
	for _, l := range c.List {
		for k, v := range []float64{l.Lead, l.Demanded, l.Violation, l.Coefficient} {
			columns[k] = append(columns[k], v)
		}
	}
	var texts [4][]string
	for k := range columns {
		texts[k] = table.Numbers(columns[k])
	}
	for i, l := range c.List {
		t.Rows = append(t.Rows, table.Texts(l.Name, texts[0][i], texts[1][i], texts[2][i], texts[3][i]))
	}
	return t
}

// Constraints returns the constraints of training instance i under the model's weights, with the
// coefficients of the dual point of the weights. It returns an error for models that do not compare
// the label of every instance with all others (such as those of label sets), for kernel models, and
// for loaded models, which no longer have their training data.
func (m *Model) Constraints(i int) (*Constraints, error) {
	labels, err := m.compared()
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= labels.Blocks() {
		return nil, fmt.Errorf("classifier: instance %d does not exist; the model was trained on instances 0..%d", i, labels.Blocks()-1)
	}
	inputs, ok := m.Problem.Inputs.(*structured.Linear)
	point := m.point()
	if !ok || m.dense == nil || point == nil {
		return nil, fmt.Errorf("classifier: the weights of the model, %s, have no dual point", m.Name)
	}
	candidates := m.attributes.Candidates()
	scores, leads := make([]float64, len(candidates)), make([]float64, len(candidates))
	indices, values := inputs.Matrix().Row(i)
	if m.constants != nil { // of the last column
		k, _ := slices.BinarySearch(indices, int32(m.dense.Features))
		indices, values = indices[:k], values[:k]
	}
	s := m.newScorer()
	m.dense.Scores(indices, values, s.values)
	m.addConstants(s.values)
	m.attributes.Scores(s.values, s.sums, scores)
	y := int(labels.Label(i))
	labels.Leads(y, leads)
	c := &Constraints{Instance: i, Label: candidates[y], Name: m.Taxonomy.LabelName(candidates[y]), C: labels.C(i)}
	coefficients := make([]float64, len(candidates))
	ids, alpha := point.Row(i)
	for k, z := range ids {
		coefficients[z] = alpha[k]
	}
	for z, n := range candidates {
		if z == y {
			continue
		}
		l := Constraint{Label: n, Name: m.Taxonomy.LabelName(n), Lead: scores[y] - scores[z], Demanded: leads[z], Coefficient: coefficients[z]}
		// b - r Lead is r (b/r - Lead).
		if b := labels.Cost(i, int32(z)); leads[z] > 0 {
			l.Violation = b - b/leads[z]*l.Lead
		}
		c.Slack = max(c.Slack, l.Violation)
		c.List = append(c.List, l)
	}
	slices.SortStableFunc(c.List, func(a, b Constraint) int { return cmp.Compare(b.Violation, a.Violation) })
	return c, nil
}

// MarginExcess returns, for every row of x, how much the lead of the predicted label over the
// others exceeds the margin demanded by training. It is the smallest
//
//	F(x, y) - F(x, z) - d(y, z)   over the labels z,
//
// where d is the loss, or 1 with slack rescaling. It is negative within the margins; a training
// instance of the predicted label with a value of at least 0 has no error. Without a second label
// it is 0. MarginExcess returns an error for models that do not compare the label of every instance
// with all others.
func (m *Model) MarginExcess(x *dataset.Matrix) ([]float64, error) {
	labels, err := m.compared()
	if err != nil {
		return nil, err
	}
	if err := m.Check(x); err != nil {
		return nil, err
	}
	scores := m.LeafScores(x)
	leads := make(map[int][]float64)
	excess := make([]float64, x.Len())
	for i := range excess {
		row := scores.RawRowView(i)
		y := structured.Argmax(row)
		if leads[y] == nil {
			leads[y] = make([]float64, len(row))
			labels.Leads(y, leads[y])
		}
		first := true
		for z, s := range row {
			if e := row[y] - s - leads[y][z]; z != y && (first || e < excess[i]) {
				excess[i], first = e, false
			}
		}
	}
	return excess, nil
}

// DualSums returns the sum of the dual coefficients of every training instance, at the dual point
// of the weights. The support vectors are the instances with a positive sum. It returns an error
// for loaded models, kernel models and models that solved several problems.
func (m *Model) DualSums() ([]float64, error) {
	if err := m.checkProblem(); err != nil {
		return nil, err
	}
	point := m.point()
	if point == nil {
		return nil, fmt.Errorf("classifier: the weights of the model, %s, have no dual point", m.Name)
	}
	sums := make([]float64, m.Instances)
	for b := range point.Blocks() {
		_, alpha := point.Row(b)
		for _, v := range alpha {
			sums[m.Problem.Competitors.Example(b)] += v
		}
	}
	return sums, nil
}

// point returns the dual point of the weights, or nil.
func (m *Model) point() *structured.Dual {
	if m.Training.Certificate == nil {
		return nil
	}
	return m.Training.Certificate.Point
}

func (m *Model) checkProblem() error {
	if m.Problem == nil || m.Problem.Competitors == nil {
		return errors.New("classifier: the model does not have the problem that it was trained on: it was loaded or compacted, has a kernel, or solved several problems; train a linear model in this process")
	}
	return nil
}

// compared returns the comparisons that the model was trained on.
func (m *Model) compared() (*structured.Labels, error) {
	if err := m.checkProblem(); err != nil {
		return nil, err
	}
	labels, ok := m.Problem.Competitors.(*structured.Labels)
	if !ok || labels.Attributes() != m.attributes {
		return nil, fmt.Errorf("classifier: the model, %s, was not trained by comparing the label of every instance with all others; use svm.Flat, Hierarchical or Normalized with one label per instance", m.Name)
	}
	return labels, nil
}

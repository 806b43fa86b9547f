package classifier

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/internal/table"
)

// An Ascent solves the problem that a model was trained on again, from the beginning and one
// instance at a time, by block-coordinate Frank-Wolfe [LJSP13]. It is there to look at: a visit
// takes as long as a pass over the instances. Package solver has the methods to train with.
type Ascent struct {
	of     *Model
	labels *structured.Labels
	oracle *structured.Oracle
	point  *structured.Dual
	data   *dataset.Dataset
	model  *Model // at point; nil where it has to be computed
}

// A Visit is one step of an Ascent, in the dual coefficients alpha_iz of one instance. The dual
// value along the direction is a parabola, whose highest point is Slope/Curvature away.
type Visit struct {
	Instance int
	Against  string // the label whose constraint is most violated; "" if none is
	// Direction has the change of each coefficient that a whole step makes, by the names of the
	// labels: it leads to C at Against and zero elsewhere.
	Direction map[string]float64
	Slope     float64 // of the dual value at the beginning: the instance's part of the gap
	Curvature float64 // squared length of the change of the weights that a whole step makes
	Step      float64 // part of the direction that was taken, from 0 to 1
}

// Gain returns by how much the visit raised the dual value.
func (v *Visit) Gain() float64 { return v.Step*v.Slope - v.Step*v.Step*v.Curvature/2 }

// String describes the visit in a line.
func (v *Visit) String() string {
	return fmt.Sprintf("instance %d, towards %s: slope %s, curvature %s, step %s", v.Instance, cmp.Or(v.Against, "zero"), table.Number(v.Slope), table.Number(v.Curvature), table.Number(v.Step))
}

// Ascent returns an ascent that begins at the origin, where all weights are zero. It is an error of
// the models that Constraints refuses.
func (m *Model) Ascent() (*Ascent, error) {
	labels, err := m.compared()
	if err != nil {
		return nil, err
	}
	inputs, ok := m.Problem.Inputs.(*structured.Linear)
	if !ok || m.constants != nil {
		return nil, fmt.Errorf("classifier: this model, %s, has a kernel or constants; an ascent shows linear models without them", m.Name)
	}
	oracle, err := m.Problem.Compile()
	if err != nil {
		return nil, err
	}
	d := &dataset.Dataset{Taxonomy: m.Taxonomy, X: inputs.Matrix(), Vocabulary: m.Vocabulary}
	for i := range labels.Blocks() {
		d.Labels = append(d.Labels, []int{m.attributes.Candidates()[labels.Label(i)]})
	}
	return &Ascent{of: m, labels: labels, oracle: oracle, point: oracle.NewDual(), data: d}, nil
}

// Model returns the model at the point that the ascent has reached, with its certificate.
func (a *Ascent) Model(ctx context.Context) (*Model, error) {
	if a.model != nil {
		return a.model, nil
	}
	state := a.oracle.NewState(structured.Double)
	c, err := a.oracle.Certify(ctx, a.point, state, make([]float64, a.oracle.Blocks()), 1)
	if err != nil {
		return nil, err
	}
	result := &solver.Result{Point: a.point, Primal: c.Primal, Dual: c.Dual, Gap: c.Gap()}
	m := New(a.of.attributes, structured.LinearWeights(state), Solved(result), a.data)
	m.Name, m.C, m.Rule, m.Problem = a.of.Name, a.of.C, a.of.Rule, a.of.Problem
	a.model = m
	return m, nil
}

// Visit moves the coefficients of instance i towards the constraint that is most violated, as far
// as the dual value rises.
func (a *Ascent) Visit(ctx context.Context, i int) (*Visit, error) {
	m, err := a.Model(ctx)
	if err != nil {
		return nil, err
	}
	c, err := m.Constraints(i)
	if err != nil {
		return nil, err
	}
	v := &Visit{Instance: i, Direction: make(map[string]float64), Slope: c.C * c.Slack}
	candidates := m.attributes.Candidates()
	ids, old, direction := make([]int32, len(c.List)), make([]float64, len(c.List)), make([]float64, len(c.List))
	for k, l := range c.List {
		ids[k], old[k], direction[k] = int32(slices.Index(candidates, l.Label)), l.Coefficient, -l.Coefficient
		v.Slope -= l.Coefficient * l.Violation
	}
	if c.Slack > 0 {
		direction[0] += c.C
		v.Against = c.List[0].Name
	}
	for k, s := range direction {
		v.Direction[c.List[k].Name] = s
		for j, t := range direction {
			v.Curvature += s * t * a.labels.Product(i, ids[k], ids[j]) * a.oracle.Inputs().SquaredNorm(i)
		}
	}
	if v.Curvature > 0 {
		v.Step = min(1, v.Slope/v.Curvature)
	}
	floats.AddScaled(old, v.Step, direction)
	point := a.oracle.NewDual()
	point.CopyFrom(a.point)
	point.SetRow(i, ids, old)
	a.point, a.model = point, nil
	return v, nil
}

package classifier_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/loss"
	"github.com/hierml/notebook/hierml/solver"
	"github.com/hierml/notebook/hierml/structured"
	"github.com/hierml/notebook/hierml/svm"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// compared are models that compare each label with all others, and their data.
func compared(t *testing.T) (map[string]*classifier.Model, *dataset.Dataset) {
	d := example.Dense(example.Tree(2, 3), 60, 2, 3)
	tight := solver.Settings{Gap: 1e-6}
	tree := loss.Tree(d.Taxonomy)
	return map[string]*classifier.Model{
		"flat":   fit(t, svm.Flat{C: 2, Settings: tight}, d),
		"margin": fit(t, svm.Hierarchical{Loss: tree, Settings: tight}, d),
		"slack":  fit(t, svm.Hierarchical{Loss: tree, Rescaling: structured.Slack, Settings: tight}, d),
		"norm":   fit(t, svm.Normalized{Loss: tree, Settings: tight, DivideByNorm: true}, d),
	}, d
}

// TestConstraints holds that slacks and coefficients are those of the certificate: the slacks make
// the primal value, and what the coefficients leave of them is the gap [LJSP13], so that
// only the most violated constraints have one.
func TestConstraints(t *testing.T) {
	models, d := compared(t)
	for name, m := range models {
		certificate := m.Training.Certificate
		primal, gap := 0.0, 0.0
		for _, n := range m.Attributes().Columns() {
			w := m.Weights(n)
			primal += floats.Dot(w, w) / 2
		}
		sums, err := m.DualSums()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range d.Len() {
			c, err := m.Constraints(i)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if c.Instance != i || c.Label != d.Labels[i][0] || c.Name != d.Taxonomy.Name(c.Label) || len(c.List) != len(d.Taxonomy.Leaves())-1 {
				t.Fatalf("%s: constraints %+v of instance %d", name, c, i)
			}
			if !slices.IsSortedFunc(c.List, func(a, b classifier.Constraint) int { return int(math.Copysign(1, b.Violation-a.Violation)) }) {
				t.Errorf("%s: instance %d: violations do not descend: %v", name, i, c)
			}
			primal += c.C * c.Slack
			gap += c.C * c.Slack
			sum := 0.0
			for _, l := range c.List {
				sum += l.Coefficient
				gap -= l.Coefficient * l.Violation
				if l.Label == c.Label || l.Name != d.Taxonomy.Name(l.Label) {
					t.Errorf("%s: instance %d is compared with %q", name, i, l.Name)
				}
				if want := map[bool]float64{true: 1, false: loss.Tree(d.Taxonomy).Cost(c.Label, l.Label)}[name == "flat" || name == "slack"]; l.Demanded != want {
					t.Errorf("%s: a lead of %v is demanded of %s over %s, want %v", name, l.Demanded, c.Name, l.Name, want)
				}
				if (l.Violation > 0) != (l.Lead < l.Demanded) && math.Abs(l.Violation) > 1e-9 {
					t.Errorf("%s: instance %d: %+v", name, i, l)
				}
			}
			if math.Abs(sum-sums[i]) > 1e-9 || sum > c.C*(1+1e-9) {
				t.Errorf("%s: the coefficients of instance %d sum to %v, DualSums says %v, and C is %v", name, i, sum, sums[i], c.C)
			}
		}
		if math.Abs(primal-certificate.Primal) > 1e-5*primal {
			t.Errorf("%s: the slacks make a primal value of %v, want %v", name, primal, certificate.Primal)
		}
		if gap < -1e-6*primal || gap > 1e-4*primal {
			t.Errorf("%s: the coefficients leave a gap of %v of a value of %v", name, gap, primal)
		}
	}
}

// TestMarginExcess holds that an instance that is predicted rightly and beyond all margins is one
// without error.
func TestMarginExcess(t *testing.T) {
	models, d := compared(t)
	for name, m := range models {
		excess, err := m.MarginExcess(d.X)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		beyond := 0
		for i, n := range m.Predict(d.X) {
			c, err := m.Constraints(i)
			if err != nil {
				t.Fatal(err)
			}
			clear := n == c.Label && excess[i] > 1e-6
			if clear && c.Slack > 1e-6 || n == c.Label && excess[i] < -1e-6 && c.Slack <= 0 {
				t.Errorf("%s: instance %d is %v beyond the margins and has an error of %v", name, i, excess[i], c.Slack)
			}
			if clear {
				beyond++
			}
		}
		if beyond == 0 || beyond == d.Len() {
			t.Errorf("%s: %d of %d instances are beyond the margins", name, beyond, d.Len())
		}
	}
}

func TestConstraintsRefused(t *testing.T) {
	models, d := compared(t)
	several := *d
	several.Labels = slices.Clone(d.Labels)
	several.Labels[0] = d.Taxonomy.Leaves()[:2]
	flat := models["flat"]
	for _, i := range []int{-1, d.Len()} {
		if _, err := flat.Constraints(i); err == nil {
			t.Errorf("constraints of instance %d of %d", i, d.Len())
		}
	}
	kernel := fit(t, svm.Flat{Kernel: gram.RBF{Gamma: 1}}, d)
	for name, m := range map[string]*classifier.Model{"kernel": kernel, "recursive": fit(t, svm.Recursive{}, d), "several labels": fit(t, svm.Flat{}, &several)} {
		if _, err := m.Constraints(0); err == nil {
			t.Errorf("%s: constraints", name)
		}
		if _, err := m.MarginExcess(d.X); err == nil {
			t.Errorf("%s: excess", name)
		}
		if sums, err := m.DualSums(); (err == nil) != (name == "several labels") || err == nil && len(sums) != d.Len() {
			t.Errorf("%s: dual sums %v, %v", name, sums, err)
		}
	}
}

func ExampleModel_Constraints() {
	t, err := taxonomy.FromPaths([]string{"warm/red", "warm/orange", "cold/blue"}, "/")
	if err != nil {
		fmt.Println(err)
		return
	}
	points := mat.NewDense(4, 2, []float64{1, 0, 1, 0.5, -1, 1, 2, 0})
	leaves := t.Leaves()
	data, err := dataset.FromDense("four points", t, points, [][]int{leaves[:1], leaves[1:2], leaves[2:], leaves[:1]})
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := svm.Hierarchical{C: 1, Settings: solver.Settings{Gap: 1e-9}}.Fit(context.Background(), data)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := model.Constraints(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range c.List {
		fmt.Printf("%s rather than %s: lead %.2f of %g, violation %.2f, coefficient %.2f\n", c.Name, l.Name, l.Lead, l.Demanded, l.Violation, l.Coefficient)
	}
	fmt.Printf("error %.2f\n", c.Slack)
	// Output:
	// warm/orange rather than cold/blue: lead 1.15 of 4, violation 2.85, coefficient 0.11
	// warm/orange rather than warm/red: lead -0.85 of 2, violation 2.85, coefficient 0.89
	// error 2.85
}

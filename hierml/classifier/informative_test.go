package classifier_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/classifier"
	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/gram"
	"github.com/hierml/notebook/hierml/internal/example"
	"github.com/hierml/notebook/hierml/svm"
)

// TestInformativeFeaturesMoveScores compares the weights with how scores change by a unit of a
// feature: the mean score of the leaves below the node against those of the siblings, or the score
// of the node itself in models that go by it.
func TestInformativeFeaturesMoveScores(t *testing.T) {
	all := models(t)
	data := example.Texts(example.Tree(2, 3), 60, 20, 8, 1)
	all["label tree"] = fit(t, svm.PLT{}, data)
	all["softmax"] = fit(t, svm.HierarchicalSoftmax{}, data)
	for name, m := range all {
		if m.Weights(0) == nil {
			continue // of a kernel
		}
		tax, features := m.Taxonomy, m.Features()
		if features > 2000 {
			continue // too many for a row each
		}
		units := &dataset.Matrix{Rows: features + 1, Cols: features, Indptr: []int{0, 0}} // the first is zero
		for f := range features {
			units.Indices, units.Values = append(units.Indices, int32(f)), append(units.Values, 1)
			units.Indptr = append(units.Indptr, f+1)
		}
		byNode := m.Link() != classifier.NoLink || m.Rule == classifier.Descend
		leaves, nodes := m.LeafScores(units), m.NodeScores(units)
		moved := make([][]float64, tax.Len()) // V_n, by feature
		for n := range moved {
			moved[n] = make([]float64, features)
			var below []int
			for y, leaf := range m.Attributes().Candidates() {
				if slices.Contains(tax.Ancestors(leaf), n) {
					below = append(below, y)
				}
			}
			for f := range features {
				if byNode {
					moved[n][f] = nodes.At(f+1, n) - nodes.At(0, n)
					continue
				}
				for _, y := range below {
					moved[n][f] += (leaves.At(f+1, y) - leaves.At(0, y)) / float64(len(below))
				}
			}
		}
		for n := range tax.Len() {
			got, err := m.Informative(n, features)
			if err != nil {
				if byNode && m.Attributes().Column(n) < 0 {
					continue
				}
				t.Fatalf("%s: %v", name, err)
			}
			found := make(map[int]float64)
			for side, list := range [][]classifier.FeatureWeight{got.For, got.Against} {
				for k, f := range list {
					found[f.Feature] = f.Weight
					if f.Weight*float64(1-2*side) <= 0 || k > 0 && math.Abs(list[k-1].Weight) < math.Abs(f.Weight) {
						t.Errorf("%s: node %d: %v", name, n, list)
					}
				}
			}
			siblings := slices.DeleteFunc(tax.SiblingsOrRoots(n), func(s int) bool { return byNode && m.Attributes().Column(s) < 0 })
			if len(siblings) != len(got.Siblings) {
				t.Fatalf("%s: node %d is compared with %v", name, n, got.Siblings)
			}
			for f := range features {
				want, rivals := moved[n][f], 0.0
				for _, s := range siblings {
					rivals += moved[s][f] / float64(len(siblings))
				}
				if want -= rivals; math.Abs(found[f]-want) > 1e-5*max(1, math.Abs(want)) {
					t.Errorf("%s: node %d: feature %d weighs %v, and moves the scores by %v", name, n, f, found[f], want)
				}
			}
		}
	}
}

func TestInformativeShows(t *testing.T) {
	c := pets()
	m := fit(t, svm.Hierarchical{C: 10}, vectorizer(c).Transform(c))
	cats, _ := c.Taxonomy.Node("cats")
	i, err := m.Informative(cats, 3)
	if err != nil {
		t.Fatal(err)
	}
	text, page := i.String(), i.HTML()
	for _, want := range []string{"cats rather than dogs", "for", "against", "meow", "bark"} {
		if !strings.Contains(text, want) || !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s\n%s", want, text, page)
		}
	}
	root, err := m.Informative(c.Taxonomy.Roots()[0], 3)
	if err != nil || len(root.Siblings) != 0 || !strings.HasPrefix(root.String(), "animals\n") {
		t.Errorf("%v, %v", root, err)
	}
}

func TestInformativeRefuses(t *testing.T) {
	d := example.Texts(example.Tree(2, 3), 30, 20, 8, 1)
	m := fit(t, svm.Hierarchical{}, d)
	kernel := fit(t, svm.Hierarchical{Kernel: gram.Linear{}}, d)
	for want, call := range map[string]func() (*classifier.Informative, error){
		"node -1 does not exist; the taxonomy has nodes 0 to 8": func() (*classifier.Informative, error) { return m.Informative(-1, 3) },
		"node 9 does not exist":                                 func() (*classifier.Informative, error) { return m.Informative(9, 3) },
		"0 features requested":                                  func() (*classifier.Informative, error) { return m.Informative(1, 0) },
		"has a kernel and no weights of features":               func() (*classifier.Informative, error) { return kernel.Informative(1, 3) },
	} {
		if i, err := call(); i != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v does not say %q", i, err, want)
		}
	}
}

// TestInformativeOfFewFeatures numbers features as the data does, where the model has weights of
// those alone that occur.
func TestInformativeOfFewFeatures(t *testing.T) {
	d := example.Texts(example.Tree(2, 2), 30, 6, 3, 1)
	wide := *d.X
	wide.Cols, wide.Indices = 1<<30, slices.Clone(d.X.Indices)
	for k := range wide.Indices {
		wide.Indices[k] = 1000 + 7*wide.Indices[k]
	}
	far := *d
	far.X = &wide
	near, moved := fit(t, svm.Hierarchical{}, d), fit(t, svm.Hierarchical{}, &far)
	for n := range d.Taxonomy.Len() {
		a, err := near.Informative(n, 3)
		if err != nil {
			t.Fatal(err)
		}
		b, err := moved.Informative(n, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.For) != len(b.For) {
			t.Fatalf("%v and %v", a, b)
		}
		for k, f := range a.For {
			if b.For[k].Feature != 1000+7*f.Feature || b.For[k].Weight != f.Weight || b.For[k].Name != fmt.Sprint("feature ", 1000+7*f.Feature) {
				t.Errorf("%v and %v", f, b.For[k])
			}
		}
	}
}

func ExampleModel_Informative() {
	c := pets()
	v := vectorizer(c)
	model, err := svm.Hierarchical{C: 10}.Fit(context.Background(), v.Transform(c))
	if err != nil {
		fmt.Println(err)
		return
	}
	cats, _ := c.Taxonomy.Node("cats")
	informative, err := model.Informative(cats, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	for k := range informative.For {
		fmt.Println(informative.For[k].Name, "rather than", informative.Against[k].Name)
	}
	// Output:
	// cat rather than dog
	// meow rather than bark
	// cats rather than wag
}

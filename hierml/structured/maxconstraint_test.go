package structured

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
)

func TestMaxConstraint(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for range 40 {
		n := 1 + r.IntN(14)
		g := example.Random(r, n, 1+r.IntN(min(n, 3)), 1+r.IntN(2))
		a, err := Flat(g).Widen(g.Topological())
		if err != nil {
			t.Fatal(err)
		}
		labels := make([][]int, 8)
		for i := range labels {
			labels[i] = r.Perm(n)[:r.IntN(n+1)]
		}
		c, err := NewMaxConstraint(a, labels, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		columns := a.Columns()
		var want [][]comparison
		var ids [][]int32
		for i, set := range labels {
			for k, node := range columns {
				if b := len(want); c.Example(b) != i || c.C(b) != 0.5 {
					t.Errorf("block %d is of example %d, with C = %v; want example %d, and 0.5", b, c.Example(b), c.C(b), i)
				}
				var block []comparison
				var names []int32
				has := slices.ContainsFunc(set, func(y int) bool { return slices.Contains(g.Ancestors(y), node) })
				for l, other := range columns {
					w := comparison{1, make([]float64, len(columns))}
					switch {
					case has && l == k:
						w.direction[l] = 1
					case !has && slices.Contains(g.Ancestors(other), node):
						w.direction[l] = -1
					default:
						if c.Known(len(want), int32(l)) {
							t.Errorf("block %d knows column %d", len(want), l)
						}
						continue
					}
					block, names = append(block, w), append(names, int32(l))
				}
				want, ids = append(want, block), append(ids, names)
			}
		}
		checkCompetitors(t, r, c, len(columns), want, func(b, k int) int32 { return ids[b][k] })
	}
}

func TestMaxConstraintRefuses(t *testing.T) {
	g := example.Tree(2, 3)
	a, err := Flat(g).Widen(g.Topological())
	if err != nil {
		t.Fatal(err)
	}
	for want, call := range map[string]func() error{
		"needs Attributes":           func() error { _, err := NewMaxConstraint(nil, nil, 1); return err },
		"call Widen with all":        func() error { _, err := NewMaxConstraint(Flat(g), nil, 1); return err },
		"C is 0":                     func() error { _, err := NewMaxConstraint(a, nil, 0); return err },
		"row 1 has label 99; the ta": func() error { _, err := NewMaxConstraint(a, [][]int{{0}, {99}}, 1); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

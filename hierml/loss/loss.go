// Package loss defines the cost of wrong predictions: losses between the true and the predicted
// label. Training uses them as the loss Delta of the structured problem, and evaluation averages
// them.
//
// Labels are node ids of a taxonomy, usually leaves. All losses here are zero for the true label,
// not negative, and safe for concurrent use; except for those made from your own costs, they are
// symmetric. SetLoss is a loss between sets of labels.
package loss

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// Loss is the cost of predicting one label when another is true.
type Loss interface {
	// Cost returns the cost of the prediction; both labels are node ids.
	Cost(truth, predicted int) float64
}

// Table returns the costs between the leaves: row a, column b is the cost of predicting leaf b when
// leaf a is true, both in the order of Taxonomy.Leaves. It returns an error if the loss was made
// for another taxonomy, as far as Check can tell.
func Table(l Loss, t *taxonomy.Taxonomy) (*mat.Dense, error) {
	if l == nil || t == nil {
		return nil, fmt.Errorf("loss: a table of costs needs a loss and a taxonomy")
	}
	if err := Check(l, t); err != nil {
		return nil, err
	}
	leaves := t.Leaves()
	table := mat.NewDense(len(leaves), len(leaves), nil)
	for i, a := range leaves {
		Row(l, t, a, table.RawRowView(i))
	}
	return table, nil
}

// named are the losses that need nothing but a taxonomy.
var named = map[string]func(*taxonomy.Taxonomy) (Loss, error){
	"zero_one":   func(*taxonomy.Taxonomy) (Loss, error) { return ZeroOne(), nil },
	"symdiff":    func(t *taxonomy.Taxonomy) (Loss, error) { return Symdiff(t), nil },
	"half":       func(t *taxonomy.Taxonomy) (Loss, error) { return Half(t), nil },
	"normalized": Normalized,
	"tree":       func(t *taxonomy.Taxonomy) (Loss, error) { return Tree(t), nil },
	"half_graph": func(t *taxonomy.Taxonomy) (Loss, error) { return HalfGraph(t), nil },
	"uni":        Uni,
	"sib":        Sib,
	"sub":        Sub,
}

// Names returns the names that Named accepts, sorted.
func Names() []string { return names(named) }

func names[F any](of map[string]F) []string { return slices.Sorted(maps.Keys(of)) }

// Named returns the loss with the given name on the taxonomy: zero_one, symdiff, half, normalized,
// tree, half_graph, uni, sib or sub.
func Named(name string, t *taxonomy.Taxonomy) (Loss, error) {
	constructor, ok := named[name]
	if !ok {
		return nil, fmt.Errorf("loss: no loss is called %q; the names are %s", name, strings.Join(Names(), ", "))
	}
	return constructor(t)
}

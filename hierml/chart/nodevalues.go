package chart

import (
	"fmt"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// NodeValues draws a taxonomy as Taxonomy does, with each node in the colour of its value: the norm
// of its weights, an alpha, an accuracy. values has one value per node, in the order of their ids,
// NaN for a node without one, which is grey; what names the values. Values of one sign are darker
// the further they are from zero. Values of both signs go from blue over white, which is zero, to
// red.
func NodeValues(t *taxonomy.Taxonomy, values []float64, what string) (*Figure, error) {
	scale, err := newValueScale(t, values, what)
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("%s of %s", short(what, 40), count(t.Len(), "node", "nodes"))
	return drawTaxonomy(t, &coloring{values: values, what: short(what, 40), colors: scale}, title)
}

// coloring is the values of the nodes of a drawing.
type coloring struct {
	values []float64
	what   string
	marked []bool // of the nodes with a rim; nil for none
	colors *valueScale
}

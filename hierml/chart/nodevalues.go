package chart

import (
	"fmt"

	"github.com/hierml/notebook/hierml/taxonomy"
)

// NodeValues draws a taxonomy as Taxonomy does, with every node in the colour of its value: a
// weight's norm, an alpha, an accuracy. There is one value a node, in the order of their ids, where
// NaN is a node without one, which is grey; what names the values. Values of one sign are the
// darker the further they are from zero; values of both signs go from blue over white, which is
// zero, to red.
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

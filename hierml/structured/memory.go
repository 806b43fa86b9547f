package structured

import "github.com/hierml/notebook/hierml/internal/quantized"

// Memory returns how many bytes the weights of the problem take at least, and about how many at the
// end of a training, or 0 and 0 if the inputs do not say.
func (o *Oracle) Memory(p Precision) (least, about int64) {
	if m, ok := o.inputs.(interface {
		memory(columns int, p Precision) (least, about int64)
	}); ok {
		return m.memory(len(o.columns), p)
	}
	return 0, 0
}

// Many reports whether there are so many columns, for weights with precision p, that searching many
// examples at a time takes a fraction of the time of single visits.
func (o *Oracle) Many(p Precision) bool {
	l, ok := o.inputs.(*Linear)
	return ok && !l.isDense(len(o.columns)) && isQuantized(len(o.columns), p)
}

// Columns in which an example has a weight: two at least, and as many as flat SVMs of thousands of
// leaves were found to have near the optimum.
const leastColumns, manyColumns = 2, 60

func (l *Linear) memory(columns int, p Precision) (least, about int64) {
	if !isQuantized(columns, p) {
		bytes := 4 * int64(l.x.Cols) * int64(scoreWidth(columns))
		if p == Double || l.isDense(columns) {
			bytes *= 2
		}
		return bytes, bytes
	}
	for f := range l.x.Cols {
		n := l.byFeature.Indptr[f+1] - l.byFeature.Indptr[f]
		least += quantized.Bytes(columns, l.x.Cols, min(leastColumns, n*leastColumns))
		about += quantized.Bytes(columns, l.x.Cols, min(columns, n*manyColumns))
	}
	return least, about
}

func (k *Kernel) memory(columns int, _ Precision) (least, about int64) {
	bytes := 8 * int64(k.Len()) * int64(scoreWidth(columns))
	return bytes, bytes
}

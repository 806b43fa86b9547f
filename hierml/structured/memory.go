package structured

// Memory returns how many bytes the weights of the problem take at least, and about how many when a training comes
// to its end; 0 and 0 where the inputs do not tell.
func (o *Oracle) Memory(wide bool) (least, about int64) {
	if m, ok := o.inputs.(interface {
		memory(columns int, wide bool) (least, about int64)
	}); ok {
		return m.memory(len(o.columns), wide)
	}
	return 0, 0
}

// Columns in which an example has a weight: two at least, and as many as flat SVMs of thousands of leaves were
// found to have near the optimum.
const leastColumns, manyColumns = 2, 60

func (l *Linear) memory(columns int, wide bool) (least, about int64) {
	if !isMixed(columns, wide) {
		bytes := 4 * int64(l.x.Cols) * int64(scoreWidth(columns))
		if wide || l.isDense(columns) {
			bytes *= 2
		}
		return bytes, bytes
	}
	m := newMixed(columns, 0)
	for f := range l.x.Cols {
		n := l.byFeature[f+1] - l.byFeature[f]
		least += m.bytes(min(leastColumns, n*leastColumns))
		about += m.bytes(min(columns, n*manyColumns))
	}
	return least, about
}

// bytes is what the weights of a feature take.
func (m *mixed) bytes(weights int) int64 {
	if slots := slotsFor(weights); slots <= m.most {
		return 8 * int64(slots)
	}
	return 4 * int64(m.stride)
}

func (k *Kernel) memory(columns int, _ bool) (least, about int64) {
	bytes := 8 * int64(k.Len()) * int64(scoreWidth(columns))
	return bytes, bytes
}

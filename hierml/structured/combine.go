package structured

// Combiner is a [State] with so few weights that whole matrices of them can be combined.
type Combiner interface {
	State
	// Dot returns the inner product with weights of the same inputs and columns. Call Set on them
	// after their last change.
	Dot(other State) float64
	// AddScaled adds a multiple of weights of the same inputs and columns.
	AddScaled(scale float64, other State)
}

// maxCombined bounds the entries of weights that are combined.
const maxCombined = 4 << 20

// AsCombiner returns the state as a Combiner. It returns nil if that would take too much work or
// memory, or if weights of 16 bits would be rounded again.
func AsCombiner(s State) Combiner {
	switch s := s.(type) {
	case *linearState:
		if s.quantized != nil || s.Features*s.Stride > maxCombined {
			return nil
		}
		return s
	case *denseState:
		return s
	case *Expansion:
		if len(s.scores) > maxCombined {
			return nil
		}
		return s
	}
	return nil
}

// Dot returns the inner product of two weight matrices.
func (s *linearState) Dot(other State) float64 {
	w, v := s.Weights, other.(*linearState).Weights
	var sum float64
	for k, x := range w.Data {
		sum += float64(x) * float64(v.Data[k])
	}
	for k, x := range w.Wide {
		sum += x * v.Wide[k]
	}
	return sum
}

// AddScaled adds a multiple of a weight matrix.
func (s *linearState) AddScaled(scale float64, other State) {
	w, v := s.Weights, other.(*linearState).Weights
	for k, x := range v.Data {
		w.Data[k] += float32(scale * float64(x))
	}
	for k, x := range v.Wide {
		w.Wide[k] += scale * x
	}
}

// Dot returns the inner product of two expansions.
func (e *Expansion) Dot(other State) float64 {
	rows := &other.(*Expansion).Rows
	var sum float64
	for i := range e.kernel.Len() {
		columns, values := rows.Row(i)
		for m, c := range columns {
			sum += values[m] * e.scores[i*e.width+int(c)]
		}
	}
	return sum
}

// AddScaled adds a multiple of an expansion.
func (e *Expansion) AddScaled(scale float64, other State) {
	for k, x := range other.(*Expansion).scores {
		e.scores[k] += scale * x
	}
}

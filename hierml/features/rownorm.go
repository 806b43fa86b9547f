package features

import "math"

// RowNorm is the length to which the vectors of instances are scaled.
type RowNorm int

const (
	// UnitLength scales to a Euclidean norm of 1.
	UnitLength RowNorm = iota
	// UnitSum scales to a sum of absolute values of 1.
	UnitSum
	// NoNorm leaves vectors as they are.
	NoNorm
)

var rowNormNames = []string{"unit length", "unit sum", "none"}

func (n RowNorm) String() string { return enumName("RowNorm", int(n), rowNormNames) }

// MarshalText returns the name that String returns.
func (n RowNorm) MarshalText() ([]byte, error) { return marshalEnum("RowNorm", int(n), rowNormNames) }

// UnmarshalText sets the norm by its name.
func (n *RowNorm) UnmarshalText(text []byte) error {
	return unmarshalEnum("RowNorm", (*int)(n), rowNormNames, text)
}

// add adds a value to the sum from which length computes the length of a vector.
func (n RowNorm) add(sum, value float64) float64 {
	switch n {
	case UnitLength:
		return sum + value*value
	case UnitSum:
		return sum + math.Abs(value)
	}
	return sum
}

// scale divides the values by their length, computed from sum. Values that are all zero do not
// change.
func (n RowNorm) scale(values []float32, sum float64) {
	if n == UnitLength {
		sum = math.Sqrt(sum)
	}
	if sum == 0 || n == NoNorm {
		return
	}
	for i, v := range values {
		values[i] = float32(float64(v) / sum)
	}
}

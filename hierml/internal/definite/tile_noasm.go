//go:build !amd64 || noasm

package definite

// tile takes from a tile of c, whose rows are stride apart, the sum over k of the products of the
// packed operands.
func tile(c []float64, stride int, a, b []float64, k int) { tileGo(c, stride, a, b, k) }

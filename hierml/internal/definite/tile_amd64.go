//go:build !noasm

package definite

import "golang.org/x/sys/cpu"

var useAVX2 = cpu.X86.HasAVX2

// tile takes from a tile of c, whose rows are stride apart, the sum over k of the products of the
// packed operands.
func tile(c []float64, stride int, a, b []float64, k int) {
	_ = c[(tileRows-1)*stride+tileColumns-1]
	if !useAVX2 || k == 0 {
		tileGo(c, stride, a, b, k)
		return
	}
	_, _ = a[k*tileRows-1], b[k*tileColumns-1]
	tileAVX2(&c[0], 8*stride, &a[0], &b[0], k)
}

//go:noescape
func tileAVX2(c *float64, stride int, a, b *float64, k int)

//go:build !amd64 || noasm

package structured

// dotColumn returns <x, w>, where the length of x is a multiple of lanes.
func dotColumn(x []float32, w []float64) float64 { return dotColumnGo(x, w) }

// dotColumns sets every entry of dst, of which there is a multiple of 4, to <x, w_c>, where the
// columns w_c follow one another in w and are as long as x.
func dotColumns(dst []float64, x []float32, w []float64) { dotColumnsGo(dst, x, w) }

// addColumn adds u x to w.
func addColumn(w []float64, u float64, x []float32) { addColumnGo(w, u, x) }

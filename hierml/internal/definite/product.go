package definite

// The tiles of a product: rows x columns of the result whose sums are held in registers, and the
// terms of a sum after which the next operands are packed.
const (
	tileRows    = 4
	tileColumns = 8
	depth       = 256
)

// operand is a matrix in memory: element (i, p) is Data[i*Row+p*Column].
type operand struct {
	data        []float64
	row, column int
}

// product multiplies matrices. It holds scratch space: one a goroutine.
type product struct {
	a, b    []float64 // parts of the operands in the order in which they are multiplied
	edge    [tileRows * tileColumns]float64
	whole   []float64
	columns []float64 // of an inverse, or a block
}

// set makes c, which is m x n with rows that are stride apart, the product of a, m x k, and b, k x
// n, which may be c itself.
func (p *product) set(c []float64, stride, m, n, k int, a, b operand) {
	p.whole = grown(p.whole, m*n)
	clear(p.whole)
	p.subtract(p.whole, n, m, n, k, a, b)
	for i := range m {
		for j, v := range p.whole[i*n : (i+1)*n] {
			c[i*stride+j] = -v
		}
	}
}

// subtract takes the product of a, m x k, and b, k x n, from c, which is m x n with rows that are
// stride apart. The result does not depend on how the rows and columns of c are divided among calls.
func (p *product) subtract(c []float64, stride, m, n, k int, a, b operand) {
	wide := (n + tileColumns - 1) / tileColumns * tileColumns
	high := (m + tileRows - 1) / tileRows * tileRows
	p.a, p.b = grown(p.a, high*min(k, depth)), grown(p.b, wide*min(k, depth))
	for from := 0; from < k; from += depth {
		terms := min(depth, k-from)
		pack(p.b, operand{b.data[from*b.row:], b.column, b.row}, n, terms, tileColumns)
		pack(p.a, operand{a.data[from*a.column:], a.row, a.column}, m, terms, tileRows)
		for j := 0; j < n; j += tileColumns {
			right := p.b[j*terms : (j+tileColumns)*terms]
			for i := 0; i < m; i += tileRows {
				left := p.a[i*terms : (i+tileRows)*terms]
				if i+tileRows <= m && j+tileColumns <= n {
					tile(c[i*stride+j:], stride, left, right, terms)
					continue
				}
				p.atEdge(c[i*stride+j:], stride, min(tileRows, m-i), min(tileColumns, n-j), left, right, terms)
			}
		}
	}
}

// atEdge is tile for fewer rows or columns.
func (p *product) atEdge(c []float64, stride, m, n int, a, b []float64, k int) {
	for i := range m {
		copy(p.edge[i*tileColumns:], c[i*stride:i*stride+n])
	}
	tile(p.edge[:], tileColumns, a, b, k)
	for i := range m {
		copy(c[i*stride:i*stride+n], p.edge[i*tileColumns:])
	}
}

// pack writes the rows of a matrix of k columns in groups: of each group the first elements, then the
// second ones, and so on. Rows that the last group lacks are zeros.
func pack(dst []float64, m operand, rows, k, group int) {
	for i := 0; i < rows; i += group {
		part := dst[i*k : (i+group)*k]
		have := min(group, rows-i)
		if have < group {
			clear(part)
		}
		if m.row == 1 { // rows of the group lie side by side
			for p := range k {
				copy(part[p*group:p*group+have], m.data[i+p*m.column:])
			}
			continue
		}
		for r := range have {
			at, to := (i+r)*m.row, r
			for range k {
				part[to] = m.data[at]
				at += m.column
				to += group
			}
		}
	}
}

// tileGo is the portable form of tile. Both give the same bits: no sum is reordered and no
// multiplication fused.
func tileGo(c []float64, stride int, a, b []float64, k int) {
	for i := range tileRows {
		var sum [tileColumns]float64
		for p := range k {
			x := a[p*tileRows+i]
			for j, v := range b[p*tileColumns:][:tileColumns] {
				sum[j] += float64(x * v)
			}
		}
		row := c[i*stride:][:tileColumns]
		for j, v := range sum {
			row[j] -= v
		}
	}
}

// grown returns a slice of the length, with any content.
func grown(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

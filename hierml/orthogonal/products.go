package orthogonal

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Products has the inner products of the vectors of nodes that K couples, directly or through
// others. All others are zero for the regularizer. It is not safe for concurrent use.
type Products struct {
	r *Regularizer
	// data has a square matrix a part. The product of two nodes is the sum of the two entries that
	// are theirs.
	data [][]float64

	// Of AddSquare: entries by part, and the parts that have some.
	entries [][]coordinate
	touched []int
}

// coordinate is one coordinate of a node's vector.
type coordinate struct {
	position int // of the node in its part
	value    float64
}

// NewProducts returns the products of zero vectors.
func (r *Regularizer) NewProducts() *Products {
	p := &Products{r: r, data: make([][]float64, len(r.parts)), entries: make([][]coordinate, len(r.parts))}
	for k, part := range r.parts {
		p.data[k] = make([]float64, len(part.nodes)*len(part.nodes))
	}
	return p
}

// New returns the products of zero vectors of the same nodes.
func (p *Products) New() *Products { return p.r.NewProducts() }

// Len returns the number of nodes.
func (p *Products) Len() int { return p.r.Len() }

// Clear sets the products to those of zero vectors.
func (p *Products) Clear() {
	for _, data := range p.data {
		clear(data)
	}
}

// Add adds a_i b_j to the product of every two nodes i and j, where the sum over all calls is
// symmetric. The products of vectors that are an expansion over instances are the sum over the
// instances of their coefficients with their scores.
func (p *Products) Add(a, b []float64) {
	for k, part := range p.r.parts {
		data, n := p.data[k], len(part.nodes)
		for i, node := range part.nodes {
			v := a[node]
			if v == 0 {
				continue
			}
			row := data[i*n : (i+1)*n]
			for j, other := range part.nodes[i:] {
				row[i+j] += v * b[other]
			}
		}
	}
}

// AddSquare adds v_i v_j to the product of every two of the nodes, which are distinct. The products
// of vectors are the sum over their coordinates of this for the nodes where the coordinate is not
// zero.
func (p *Products) AddSquare(nodes []int, values []float64) {
	for k, node := range nodes {
		part := p.r.part[node]
		if len(p.entries[part]) == 0 {
			p.touched = append(p.touched, part)
		}
		p.entries[part] = append(p.entries[part], coordinate{p.r.position[node], values[k]})
	}
	for _, part := range p.touched {
		data, n := p.data[part], len(p.r.parts[part].nodes)
		entries := p.entries[part]
		for k, e := range entries {
			row := data[e.position*n : (e.position+1)*n]
			for _, f := range entries[k:] {
				row[f.position] += e.value * f.value
			}
		}
		p.entries[part] = entries[:0]
	}
	p.touched = p.touched[:0]
}

// Merge adds other products.
func (p *Products) Merge(q *Products) {
	for k, data := range q.data {
		add(p.data[k], 1, data)
	}
}

// at returns a product of a part.
func (p *Products) at(part, i, j int) float64 {
	n := len(p.r.parts[part].nodes)
	if i == j {
		return p.data[part][i*n+i]
	}
	return p.data[part][i*n+j] + p.data[part][j*n+i]
}

// part returns the products of a part as a matrix.
func (p *Products) part(k int) *mat.Dense {
	n := len(p.r.parts[k].nodes)
	m := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			v := p.at(k, i, j)
			m.Set(i, j, v)
			m.Set(j, i, v)
		}
	}
	return m
}

// setPart replaces the products of a part.
func (p *Products) setPart(k int, m *mat.Dense) {
	n := len(p.r.parts[k].nodes)
	clear(p.data[k])
	for i := range n {
		copy(p.data[k][i*n+i:(i+1)*n], m.RawRowView(i)[i:])
	}
}

// Value returns Omega of vectors with these products.
func (p *Products) Value() float64 {
	var sum float64
	for k, part := range p.r.parts {
		for i, node := range part.nodes {
			sum += p.r.diagonal[node] * p.at(k, i, i) / 2
		}
		for _, e := range part.pairs {
			sum += e.k * math.Abs(p.at(k, e.i, e.j))
		}
	}
	return sum
}

// Trace returns the sum of the squared norms of all vectors.
func (p *Products) Trace() float64 {
	var sum float64
	for k, part := range p.r.parts {
		for i := range part.nodes {
			sum += p.at(k, i, i)
		}
	}
	return sum
}

// Subgradient sets dst to one coordinate of the subgradient of [ZXW11, Theorem 4], by node, for
// vectors with these products, where a has that coordinate of the vectors.
func (p *Products) Subgradient(dst, a []float64) {
	for n, k := range p.r.diagonal {
		dst[n] = k * a[n]
	}
	for k, part := range p.r.parts {
		for _, e := range part.pairs {
			i, j, v := part.nodes[e.i], part.nodes[e.j], e.k
			switch product := p.at(k, e.i, e.j); {
			case product == 0:
				continue
			case product < 0:
				v = -v
			}
			dst[i] += v * a[j]
			dst[j] += v * a[i]
		}
	}
}

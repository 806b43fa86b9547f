package structured

import (
	"context"
	"math"
	"math/bits"
	"sync"
	"unsafe"
)

// mixed are weights of many columns in float32. Texts have few frequent words and many rare ones, and
// an instance has a coefficient with few of many columns: so many features have a weight other than zero in
// few columns. These are in a table. Other features have a row. Different features may be changed at the
// same time.
type mixed struct {
	stride int         // columns, at least one more than those in use, and a multiple of panelWidth
	most   int         // slots of a table
	tables [][]slot    // by feature; nil where there is a row, or nothing
	used   []int32     // by feature, slots of the table in use
	rows   [][]float32 // by feature; nil where there is a table, or nothing
	slabs  slabs
}

// slot is the weight of a column in a table: one of open addressing, as many slots as a power of two.
// The column of a slot not in use is the last of the stride, which has no other use.
type slot struct {
	column int32
	value  float32
}

const (
	leastSlots = 4
	// tableShare is the number of columns for each slot that a table may have: one as large takes half of
	// the bytes of a row.
	tableShare = 4
)

// mixedColumns is the number of columns above which weights are mixed: the 2,702 leaves of EC enzymes take
// no less time so, and more memory, and the 12,294 of DMOZ less of both.
const mixedColumns = 8192

func isMixed(columns int, wide bool) bool { return !wide && columns > mixedColumns }

func newMixed(columns, features int) *mixed {
	m := &mixed{stride: (columns + panelWidth) / panelWidth * panelWidth, tables: make([][]slot, features), used: make([]int32, features), rows: make([][]float32, features)}
	m.most = max(leastSlots, 1<<(bits.Len(uint(m.stride/tableShare))-1))
	return m
}

// home is where the search for a column begins in a table.
func home(column int32, slots int) int {
	return int(uint32(column) * 0x9e3779b1 >> (32 - bits.TrailingZeros(uint(slots))))
}

// find returns where a column is in a table, or where it would be.
func (m *mixed) find(table []slot, column int32) (at int, ok bool) {
	free := int32(m.stride - 1)
	for at = home(column, len(table)); ; at = (at + 1) & (len(table) - 1) {
		switch table[at].column {
		case column:
			return at, true
		case free:
			return at, false
		}
	}
}

func (m *mixed) at(feature int, column int32) float32 {
	if row := m.rows[feature]; row != nil {
		return row[column]
	}
	if table := m.tables[feature]; table != nil {
		if at, ok := m.find(table, column); ok {
			return table[at].value
		}
	}
	return 0
}

// weight returns where the weight of a column is, made if need be. It is valid until the next call for
// the feature.
func (m *mixed) weight(feature int, column int32) *float32 {
	if row := m.rows[feature]; row != nil {
		return &row[column]
	}
	if table := m.tables[feature]; table != nil {
		at, ok := m.find(table, column)
		if ok {
			return &table[at].value
		}
		if int(m.used[feature]) < room(len(table)) {
			table[at].column = column
			m.used[feature]++
			return &table[at].value
		}
	}
	m.grow(feature)
	return m.weight(feature, column)
}

// room is the number of weights for which a table has room.
func room(slots int) int { return slots * 3 / 4 }

// slotsFor returns the slots of a table for a number of weights, 0 for none.
func slotsFor(weights int) (slots int) {
	if weights > 0 {
		for slots = leastSlots; room(slots) < weights; slots *= 2 {
		}
	}
	return slots
}

// grow gives a feature a table of twice the slots, or a row.
func (m *mixed) grow(feature int) {
	table := m.tables[feature]
	if 2*len(table) > m.most {
		row := m.slabs.take(m.stride)
		clear(row)
		for _, s := range table {
			row[s.column] = s.value
		}
		m.releaseTable(feature)
		m.rows[feature] = row
		return
	}
	larger := m.newTable(max(leastSlots, 2*len(table)))
	for _, s := range table {
		if int(s.column) < m.stride-1 {
			m.put(larger, s)
		}
	}
	m.releaseTable(feature)
	m.tables[feature] = larger
}

// newTable returns an empty table.
func (m *mixed) newTable(slots int) []slot {
	table := slotsOf(m.slabs.take(2 * slots))
	m.empty(table)
	return table
}

// empty puts all slots of a table out of use.
func (m *mixed) empty(table []slot) {
	for k := range table {
		table[k] = slot{column: int32(m.stride - 1)}
	}
}

// releaseTable takes the table from a feature, if it has one.
func (m *mixed) releaseTable(feature int) {
	if table := m.tables[feature]; table != nil {
		m.slabs.release(floatsOf(table))
		m.tables[feature] = nil
	}
}

// slotsOf returns the memory of floats, which is that of half as many slots.
func slotsOf(floats []float32) []slot {
	return unsafe.Slice((*slot)(unsafe.Pointer(&floats[0])), len(floats)/2)
}

// floatsOf returns the memory of slots, which is that of twice as many floats.
func floatsOf(slots []slot) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(&slots[0])), 2*len(slots))
}

// put puts a weight into a table that has room for it and not its column.
func (m *mixed) put(table []slot, s slot) {
	at, _ := m.find(table, s.column)
	table[at] = s
}

// append appends the columns, ascending, and values of the weights of a feature that are not zero.
func (m *mixed) append(feature int, columns []int32, values []float64) ([]int32, []float64) {
	if row := m.rows[feature]; row != nil {
		return appendRow(row, columns, values)
	}
	first := len(columns)
	for _, s := range m.tables[feature] {
		if s.value != 0 {
			columns, values = append(columns, s.column), append(values, float64(s.value))
		}
	}
	sortRow(columns[first:], values[first:])
	return columns, values
}

// addRow adds x times u to the columns given of a feature.
func (m *mixed) addRow(feature int, x float64, columns []int32, u []float64) {
	u = u[:len(columns)]
	for j := 0; j < len(columns); j++ {
		if row := m.rows[feature]; row != nil {
			for ; j < len(columns); j++ {
				row[columns[j]] += float32(x * u[j])
			}
			return
		}
		*m.weight(feature, columns[j]) += float32(x * u[j])
	}
}

// scoresAt adds x times the columns given of a feature to dst.
func (m *mixed) scoresAt(feature int, x float64, columns []int32, dst []float64) {
	dst = dst[:len(columns)]
	if row := m.rows[feature]; row != nil {
		for j, c := range columns {
			dst[j] += x * float64(row[c])
		}
		return
	}
	table := m.tables[feature]
	if table == nil {
		return
	}
	for j, c := range columns {
		if at, ok := m.find(table, c); ok {
			dst[j] += x * float64(table[at].value)
		}
	}
}

// addTable adds x times the weights of a table to the scores of the columns.
func addTable[T float32 | float64](table []slot, x T, scores []T) {
	for _, s := range table {
		scores[s.column] += x * T(s.value)
	}
}

// set makes the weights of every feature the sum over the examples that have it, in float64, and then
// rounds them; see State.
func (m *mixed) set(ctx context.Context, l *Linear, u *Rows, workers int) (exact, stored float64, err error) {
	norms := make([][2]float64, (l.x.Cols+chunk-1)/chunk)
	sums := make([]*rowSums, workerCount(workers))
	parallel(l.x.Cols, len(sums), func(worker, lo, hi int) {
		if sums[worker] == nil {
			sums[worker] = &rowSums{values: make([]float64, m.stride), in: make([]bool, m.stride)}
		}
		s := sums[worker]
		for f := lo; f < hi && ctx.Err() == nil; f++ {
			for k := l.byFeature[f]; k < l.byFeature[f+1]; k++ {
				i := l.examples[k]
				lo, hi := u.Border[i], u.Border[i+1]
				s.add(float64(l.values[k]), u.Columns[lo:hi], u.Values[lo:hi])
			}
			s.round(&norms[lo/chunk])
			m.setFeature(f, s.columns, s.rounded)
			s.columns = s.columns[:0]
		}
	})
	for _, norm := range norms {
		exact += norm[0]
		stored += norm[1]
	}
	return exact, stored, ctx.Err()
}

// longest returns the largest norm of the weights of a column, or somewhat more.
func (m *mixed) longest(workers int) float64 {
	squares := make([][]float64, workerCount(workers))
	parallel(len(m.rows), len(squares), func(worker, lo, hi int) {
		if squares[worker] == nil {
			squares[worker] = make([]float64, m.stride)
		}
		sums := squares[worker]
		for f := lo; f < hi; f++ {
			for c, v := range m.rows[f] {
				sums[c] += float64(v) * float64(v)
			}
			for _, s := range m.tables[f] {
				sums[s.column] += float64(s.value) * float64(s.value)
			}
		}
	})
	var largest float64
	for c := range m.stride {
		var sum float64
		for _, s := range squares {
			if s != nil {
				sum += s[c]
			}
		}
		largest = max(largest, sum)
	}
	return math.Sqrt(largest) * (1 + 1e-9)
}

// rowSums sum up the weights of a feature.
type rowSums struct {
	values  []float64 // by column, zero but for those that are in columns
	in      []bool
	columns []int32
	rounded []float32 // of the columns that round leaves
}

func (s *rowSums) add(x float64, columns []int32, u []float64) {
	u = u[:len(columns)]
	for j, c := range columns {
		if !s.in[c] {
			s.in[c] = true
			s.columns = append(s.columns, c)
		}
		s.values[c] += x * u[j]
	}
}

// round leaves the columns whose weights are not zero when they are rounded, and adds the squares of the
// weights and of what they are rounded to to norm.
func (s *rowSums) round(norm *[2]float64) {
	kept := s.columns[:0]
	s.rounded = s.rounded[:0]
	for _, c := range s.columns {
		v := s.values[c]
		rounded := float32(v)
		norm[0] += v * v
		norm[1] += float64(rounded) * float64(rounded)
		if rounded != 0 {
			kept, s.rounded = append(kept, c), append(s.rounded, rounded)
		}
		s.values[c], s.in[c] = 0, false
	}
	s.columns = kept
}

// setFeature sets the weights of a feature to those given and zeros.
func (m *mixed) setFeature(feature int, columns []int32, values []float32) {
	slots := slotsFor(len(columns))
	row := m.rows[feature]
	if slots > m.most || row != nil && 2*slots > m.most { // a table that is nearly full is soon a row again
		if row == nil {
			m.releaseTable(feature)
			row = m.slabs.take(m.stride)
			m.rows[feature] = row
		}
		clear(row)
		for j, c := range columns {
			row[c] = values[j]
		}
		return
	}
	if row != nil {
		m.slabs.release(row)
		m.rows[feature] = nil
	}
	if table := m.tables[feature]; len(table) == slots {
		m.empty(table)
	} else {
		m.releaseTable(feature)
		if slots > 0 {
			m.tables[feature] = m.newTable(slots)
		}
	}
	for j, c := range columns {
		m.put(m.tables[feature], slot{c, values[j]})
	}
	m.used[feature] = int32(len(columns))
}

// slabs are pieces of memory of few sizes. They are asked for in large pages, since weights are read in no
// order. Slabs may be taken and released at the same time.
type slabs struct {
	mutex sync.Mutex
	chunk []float32 // rest of the last
	free  map[int][][]float32
}

// slabChunk is the number of floats that are asked for at a time.
const slabChunk = 16 << 20

// take returns a slab of n floats, of any values.
func (s *slabs) take(n int) []float32 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if free := s.free[n]; len(free) > 0 {
		slab := free[len(free)-1]
		s.free[n] = free[:len(free)-1]
		return slab
	}
	if n > len(s.chunk) {
		s.chunk = newFloats(max(slabChunk, n))
	}
	slab := s.chunk[:n:n]
	s.chunk = s.chunk[n:]
	return slab
}

func (s *slabs) release(slab []float32) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.free == nil {
		s.free = make(map[int][][]float32)
	}
	s.free[len(slab)] = append(s.free[len(slab)], slab)
}

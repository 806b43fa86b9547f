package structured

import (
	"context"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"gonum.org/v1/gonum/floats"

	"github.com/hierml/notebook/hierml/internal/guarded"
	"github.com/hierml/notebook/hierml/internal/pages"
)

// mixed are weights of many columns in 16 bits. Texts have few frequent words and many rare ones,
// and an instance has a coefficient with few of many columns: so many features have a weight other
// than zero in few columns. These are in a table. Other features have a row. A weight is a whole
// number of units of its feature, which become larger as weights do. Different features may be
// changed at the same time.
//
// The weights of a feature are right to half a unit when they are set, and each step that is added
// may be wrong by as much. Steps are some ten to some hundred units as a rule. Certificates set the
// weights anew, and are those of the weights as they are stored.
type mixed struct {
	stride int       // columns, at least one more than those in use, and a multiple of panelWidth
	most   int       // slots of a table
	units  []float32 // by feature; 0 before the first weight, infinite where one is or is no number
	tables [][]slot  // by feature; nil where there is a row, or nothing
	used   []int32   // by feature, slots of the table in use
	rows   [][]int16 // by feature; nil where there is a table, or nothing
	slabs  slabs
	norm   known // largest of the weights of a column, or somewhat more
}

// slot is the weight of a column in a table: one of open addressing, as many slots as a power of
// two. The column of a slot not in use is the last of the stride, which has no other use.
type slot struct {
	column uint16
	value  int16
}

const (
	leastSlots = 4
	// tableShare is the number of columns for each slot that a table may have, where memory counts:
	// one as large takes half of the bytes of a row. Where the rows of all features take no more
	// than rowBytes, tables are smaller by far: a weight is found in a row six times as fast.
	tableShare, smallTableShare = 4, 64
	rowBytes                    = 5e9
	// full is the largest number of units.
	full = math.MaxInt16
	// firstShare is what the largest of the first weights of a feature is of full: a step is the
	// sum of many, and many follow.
	firstShare = 0.25
)

// mixedColumns is the number of columns above which weights are mixed: the 2,702 leaves of EC
// enzymes take no less time so, and more memory, and the 12,294 of DMOZ less of both. Slots know
// columns of 16 bits.
const mixedColumns, mostColumns = 8192, math.MaxUint16 - panelWidth

func isMixed(columns int, p Precision) bool {
	return p == Half && columns > mixedColumns && columns <= mostColumns
}

func newMixed(columns, features int) *mixed {
	m := &mixed{
		stride: (columns + panelWidth) / panelWidth * panelWidth, units: make([]float32, features), tables: make([][]slot, features),
		used: make([]int32, features), rows: make([][]int16, features),
	}
	share := tableShare
	if 2*m.stride*features <= rowBytes {
		share = smallTableShare
	}
	m.most = max(leastSlots, 1<<(bits.Len(uint(m.stride/share))-1))
	return m
}

// home is where the search for a column begins in a table.
func home(column int32, slots int) int {
	return int(uint32(column) * 0x9e3779b1 >> (32 - bits.TrailingZeros(uint(slots))))
}

// find returns where a column is in a table, or where it would be.
func (m *mixed) find(table []slot, column int32) (at int, ok bool) {
	wanted, free := uint16(column), uint16(m.stride-1)
	for at = home(column, len(table)); ; at = (at + 1) & (len(table) - 1) {
		switch table[at].column {
		case wanted:
			return at, true
		case free:
			return at, false
		}
	}
}

// number returns how many units the weight of a column is.
func (m *mixed) number(feature int, column int32) int16 {
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

func (m *mixed) at(feature int, column int32) float64 {
	return unitsOf(m.number(feature, column), float64(m.units[feature]))
}

// unitsOf returns n units: none are zero, whatever the unit.
func unitsOf(n int16, unit float64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) * unit
}

// place returns where the weight of a column is, made if need be. It is valid until the next call
// for the feature.
func (m *mixed) place(feature int, column int32) *int16 {
	if row := m.rows[feature]; row != nil {
		return &row[column]
	}
	if table := m.tables[feature]; table != nil {
		at, ok := m.find(table, column)
		if ok {
			return &table[at].value
		}
		if int(m.used[feature]) < room(len(table)) {
			table[at].column = uint16(column)
			m.used[feature]++
			return &table[at].value
		}
	}
	m.grow(feature)
	return m.place(feature, column)
}

// set1 sets the weight of a column and returns what is stored.
func (m *mixed) set1(feature int, column int32, v float64) float64 {
	m.norm.set(0)
	*m.place(feature, column) = 0
	m.add(feature, column, v)
	return m.at(feature, column)
}

// add adds to the weight of a column.
func (m *mixed) add(feature int, column int32, v float64) {
	place := m.place(feature, column)
	for {
		unit := float64(m.units[feature])
		sum := float64(*place) + math.RoundToEven(v/unit)
		switch {
		case unit == 0 || !(math.Abs(sum) <= full) && !math.IsInf(unit, 1):
			m.coarsen(feature, v)
		case math.IsInf(unit, 1):
			*place = 1
			return
		default:
			*place = int16(sum)
			return
		}
	}
}

// coarsen makes the unit of a feature one that suits a first weight, or twice as large.
func (m *mixed) coarsen(feature int, v float64) {
	unit := m.units[feature]
	if unit == 0 {
		m.units[feature] = unitFor(math.Abs(v) / firstShare)
		return
	}
	m.units[feature] = 2 * unit
	for k, v := range m.rows[feature] {
		m.rows[feature][k] = half(v)
	}
	table := m.tables[feature]
	for k := range table {
		table[k].value = half(table[k].value)
	}
}

// half returns half of a number, rounded to the even one.
func half(v int16) int16 { return v>>1 + v&(v>>1)&1 }

// unitFor returns about the smallest unit of which full ones are at least v: one of nine bits, so
// that every number of units is exact in float32.
func unitFor(v float64) float32 {
	if !(v < math.MaxFloat32) {
		return float32(math.Inf(1))
	}
	const bits, least = 1 << 9, -126
	fraction, exponent := math.Frexp(v / full)
	if exponent < least {
		return 0x1p-126
	}
	return float32(math.Ldexp(math.Ceil(fraction*bits)/bits, exponent))
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
		row := m.slabs.allocate(m.stride)
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
		if int(s.column) != m.stride-1 {
			m.put(larger, s)
		}
	}
	m.releaseTable(feature)
	m.tables[feature] = larger
}

// newTable returns an empty table.
func (m *mixed) newTable(slots int) []slot {
	table := slotsOf(m.slabs.allocate(2 * slots))
	m.empty(table)
	return table
}

// empty puts all slots of a table out of use.
func (m *mixed) empty(table []slot) {
	for k := range table {
		table[k] = slot{column: uint16(m.stride - 1)}
	}
}

// releaseTable takes the table from a feature, if it has one.
func (m *mixed) releaseTable(feature int) {
	if table := m.tables[feature]; table != nil {
		m.slabs.release(numbersOf(table))
		m.tables[feature] = nil
	}
}

// slotsOf returns the memory of numbers, which is that of half as many slots.
func slotsOf(numbers []int16) []slot {
	return unsafe.Slice((*slot)(unsafe.Pointer(&numbers[0])), len(numbers)/2)
}

// numbersOf returns the memory of slots, which is that of twice as many numbers.
func numbersOf(slots []slot) []int16 {
	return unsafe.Slice((*int16)(unsafe.Pointer(&slots[0])), 2*len(slots))
}

// put puts a weight into a table that has room for it and not its column.
func (m *mixed) put(table []slot, s slot) {
	at, _ := m.find(table, int32(s.column))
	table[at] = s
}

// append appends the columns, ascending, and values of the weights of a feature that are not zero.
func (m *mixed) append(feature int, columns []int32, values []float64) ([]int32, []float64) {
	unit := float64(m.units[feature])
	first := len(columns)
	for c, n := range m.rows[feature] {
		if n != 0 {
			columns, values = append(columns, int32(c)), append(values, float64(n)*unit)
		}
	}
	for _, s := range m.tables[feature] {
		if s.value != 0 {
			columns, values = append(columns, int32(s.column)), append(values, float64(s.value)*unit)
		}
	}
	if m.rows[feature] == nil {
		sortRow(columns[first:], values[first:])
	}
	return columns, values
}

// addRow adds x times u to the columns given of a feature.
func (m *mixed) addRow(feature int, x float64, columns []int32, u []float64) {
	u = u[:len(columns)]
	if m.units[feature] == 0 {
		var largest float64
		for _, v := range u {
			largest = max(largest, math.Abs(x*v)) // no number where one is none
		}
		if largest == 0 {
			return
		}
		m.coarsen(feature, largest)
	}
	scale := x / float64(m.units[feature])
	for j := 0; j < len(columns); j++ {
		if row := m.rows[feature]; row != nil {
			j += addUnits(row, scale, columns[j:], u[j:])
			if j == len(columns) {
				return
			}
		} else if place := m.place(feature, columns[j]); increase(place, scale*u[j]) {
			continue
		}
		m.add(feature, columns[j], x*u[j])
		scale = x / float64(m.units[feature])
	}
}

// addUnits adds scale times u to the columns given of a row, up to the first for which there is no
// room, and returns how many these are.
func addUnits(row []int16, scale float64, columns []int32, u []float64) int {
	u = u[:len(columns)]
	for j, c := range columns {
		if !increase(&row[c], scale*u[j]) {
			return j
		}
	}
	return len(columns)
}

// increase adds a number, rounded, to one of units and reports whether there is room.
func increase(place *int16, v float64) bool {
	const whole = 3 << 51 // a float64 of this size has no fraction
	sum := float64(*place) + (float64(v+whole) - whole)
	if !(sum <= full && sum >= -full) {
		return false
	}
	*place = int16(sum)
	return true
}

// scoresAt adds x times the columns given of a feature to dst, with the bits of scores.
func (m *mixed) scoresAt(feature int, x float64, columns []int32, dst []float64) {
	dst = dst[:len(columns)]
	x *= float64(m.units[feature])
	if row := m.rows[feature]; row != nil {
		for j, c := range columns {
			dst[j] += float64(x * float64(row[c]))
		}
		return
	}
	table := m.tables[feature]
	if table == nil {
		return
	}
	for j, c := range columns {
		if at, ok := m.find(table, c); ok {
			dst[j] += float64(x * float64(table[at].value))
		}
	}
}

// scores adds x times all columns of a feature to dst.
func (m *mixed) scores(feature int, x float64, dst []float64) {
	x *= float64(m.units[feature])
	if row := m.rows[feature]; row != nil {
		axpyShort(dst, x, row)
		return
	}
	addTable(m.tables[feature], x, dst)
}

// addTable adds x times the numbers of a table to the scores of the columns.
func addTable[T float32 | float64](table []slot, x T, scores []T) {
	for _, s := range table {
		scores[s.column] += T(x * T(s.value))
	}
}

// set makes the weights of every feature the sum over the examples that have it, in float64, and
// then rounds them; see State.
func (m *mixed) set(ctx context.Context, l *Linear, u *Rows, workers int) (exact, stored float64, err error) {
	norms := make([][2]float64, l.x.Cols/guarded.ChunkSize+1)
	sums := make([]*rowSums, guarded.Workers(workers))
	passed := follow(ctx, false, l.x.Cols)
	guarded.Chunks(l.x.Cols, len(sums), func(worker, lo, hi int) {
		if sums[worker] == nil {
			sums[worker] = &rowSums{values: make([]float64, m.stride), in: make([]bool, m.stride), squares: make([]float64, m.stride)}
		}
		s := sums[worker]
		for f := lo; f < hi && ctx.Err() == nil; f++ {
			examples, entries := l.byFeature.Row(f)
			for k, i := range examples {
				lo, hi := u.Border[i], u.Border[i+1]
				s.add(float64(entries[k]), u.Columns[lo:hi], u.Values[lo:hi])
			}
			m.units[f] = s.round(&norms[lo/guarded.ChunkSize])
			m.setFeature(f, s.columns, s.rounded)
			s.columns = s.columns[:0]
		}
		passed.add(hi - lo)
	})
	for _, norm := range norms {
		exact += norm[0]
		stored += norm[1]
	}
	var squares [][]float64
	for _, s := range sums {
		if s != nil {
			squares = append(squares, s.squares)
		}
	}
	m.norm.set(largestNorm(squares))
	return exact, stored, ctx.Err()
}

// longest returns the largest norm of the weights of a column, or somewhat more.
func (m *mixed) longest(workers int) float64 {
	if norm := m.norm.get(); norm > 0 {
		return norm
	}
	squares := make([][]float64, guarded.Workers(workers))
	guarded.Chunks(len(m.rows), len(squares), func(worker, lo, hi int) {
		if squares[worker] == nil {
			squares[worker] = make([]float64, m.stride)
		}
		sums := squares[worker]
		for f := lo; f < hi; f++ {
			unit := float64(m.units[f])
			for c, n := range m.rows[f] {
				v := unitsOf(n, unit)
				sums[c] += v * v
			}
			for _, s := range m.tables[f] {
				v := unitsOf(s.value, unit)
				sums[s.column] += v * v
			}
		}
	})
	norm := largestNorm(squares)
	m.norm.set(norm)
	return norm
}

// known is a number that is known when it is not 0. It may be set and read at the same time.
type known struct{ bits atomic.Uint64 }

func (k *known) set(v float64) { k.bits.Store(math.Float64bits(v)) }
func (k *known) get() float64  { return math.Float64frombits(k.bits.Load()) }

// largestNorm returns the root of the largest sum of squares of a column, or somewhat more, where
// each slice has some of every column, or is nil.
func largestNorm(squares [][]float64) float64 {
	var sums []float64
	for _, s := range squares {
		if sums == nil {
			sums = s
		} else if s != nil {
			floats.Add(sums, s)
		}
	}
	if len(sums) == 0 {
		return 0
	}
	return math.Sqrt(floats.Max(sums)) * (1 + 1e-9)
}

// rowSums sum up the weights of a feature.
type rowSums struct {
	values  []float64 // by column, zero but for those that are in columns
	in      []bool
	columns []int32
	rounded []int16   // of the columns that round leaves, in units
	squares []float64 // by column, of what all weights so far are rounded to
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

// round leaves the columns whose weights are not zero when they are rounded to units, which it
// chooses, and adds the squares of the weights and of what they are rounded to to norm.
func (s *rowSums) round(norm *[2]float64) (unit float32) {
	var largest float64
	for _, c := range s.columns {
		largest = max(largest, math.Abs(s.values[c])) // no number where one is none
	}
	if largest > 0 || math.IsNaN(largest) {
		unit = unitFor(largest)
	}
	kept := s.columns[:0]
	s.rounded = s.rounded[:0]
	for _, c := range s.columns {
		v := s.values[c]
		n := int16(1) // where the unit is infinite
		if !math.IsInf(float64(unit), 1) {
			n = int16(math.RoundToEven(v / float64(unit)))
		}
		rounded := unitsOf(n, float64(unit))
		norm[0] += v * v
		norm[1] += rounded * rounded
		s.squares[c] += rounded * rounded
		if n != 0 {
			kept, s.rounded = append(kept, c), append(s.rounded, n)
		}
		s.values[c], s.in[c] = 0, false
	}
	s.columns = kept
	return unit
}

// setFeature sets the weights of a feature to those given and zeros.
func (m *mixed) setFeature(feature int, columns []int32, values []int16) {
	slots := slotsFor(len(columns))
	row := m.rows[feature]
	if slots > m.most || row != nil && 2*slots > m.most { // a table that is nearly full is soon a row again
		if row == nil {
			m.releaseTable(feature)
			row = m.slabs.allocate(m.stride)
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
		m.put(m.tables[feature], slot{uint16(c), values[j]})
	}
	m.used[feature] = int32(len(columns))
}

// slabs are pieces of memory of few sizes. They are asked for in large pages, since weights are
// read in no order. Slabs may be taken and released at the same time.
type slabs struct {
	mutex sync.Mutex
	chunk []int16 // rest of the last
	free  map[int][][]int16
}

// slabChunk is the number of numbers that are asked for at a time.
const slabChunk = 32 << 20

// allocate returns a slab of n numbers, of any values.
func (s *slabs) allocate(n int) []int16 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if free := s.free[n]; len(free) > 0 {
		slab := free[len(free)-1]
		s.free[n] = free[:len(free)-1]
		return slab
	}
	if n > len(s.chunk) {
		s.chunk = pages.Zeros[int16](max(slabChunk, n))
	}
	slab := s.chunk[:n:n]
	s.chunk = s.chunk[n:]
	return slab
}

func (s *slabs) release(slab []int16) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.free == nil {
		s.free = make(map[int][][]int16)
	}
	s.free[len(slab)] = append(s.free[len(slab)], slab)
}

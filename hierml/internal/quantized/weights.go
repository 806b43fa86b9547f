// Package quantized keeps large matrices of weights in 16 bits: one row for each feature, one
// column for each class of a linear classifier. It scores instances under them and adds to them.
// When 16 bits are enough, and what the weights mean, is the caller's business.
//
// A weight is a whole number of units of its feature, -32767 to 32767: uniform symmetric
// quantization with one scale a row. A unit is never finer than the largest weight of the feature
// needs, and doubles when a weight outgrows it.
//
// Texts have few frequent words and many rare ones, so many features have weights other than zero
// in few of thousands of columns. Those are in a hash table of four bytes a slot; the other
// features have a row of two bytes a column. The layout is our own; doc/scale.md has measurements.
//
// A fault shows as a score that differs from the sum of At times the values, or as a certificate
// that differs with the number of workers.
package quantized

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
)

// MaxColumns is the largest number of columns: slots of tables have 16 bits for a column, and one
// column stands for an empty slot.
const MaxColumns = math.MaxUint16 - panelWidth

// Weights is a matrix of weights in 16 bits, with a unit for each feature. Different features may
// be changed at the same time; nothing may be read meanwhile.
//
// A weight that [Weights.SetSums] sets is wrong by at most half a unit, and the unit is the largest
// weight of the feature divided by 32767, rounded up to nine bits. Each step that [Weights.Set] or
// [Weights.AddRow] adds is wrong by half a unit more, and each time that the unit doubles, all
// weights of the feature are wrong by another half of the new one. The first step of a feature
// chooses a unit of which its largest weight has 8,191. Steps of a training are tens to hundreds of
// units as a rule.
//
// A feature with a weight that is not a finite float32 has an infinite unit, and its weights other
// than zero are infinite.
type Weights struct {
	stride   int // columns, at least one more than those in use, and a multiple of panelWidth
	maxSlots int // of a table
	units    []float32
	tables   [][]slot  // by feature; nil where there is a row, or nothing
	used     []int32   // by feature, slots of the table in use
	rows     [][]int16 // by feature; nil where there is a table, or nothing
	slabs    slabs
	maxNorm  atomic.Uint64 // bits of the last MaxColumnNorm; 0 if it is not known
}

// slot is a weight in a table: an open addressing hash table whose number of slots is a power of
// two. The column of an empty slot is the last of the stride, which has no other use.
type slot struct {
	column uint16
	units  int16
}

const (
	minSlots = 4
	// tableShare is the number of columns for each slot that the largest table has, where memory
	// counts: it takes half of the bytes of a row. Where the rows of all features take no more than
	// rowBytes, tables are far smaller, because a weight is found in a row six times as fast.
	tableShare, smallTableShare = 4, 64
	rowBytes                    = 5e9
	// maxUnits is the largest number of units of a weight.
	maxUnits = math.MaxInt16
	// firstShare is the share of maxUnits that the largest weight of the first step of a feature
	// has: many steps follow.
	firstShare = 0.25
)

// New returns zero weights of a number of columns, up to [MaxColumns], for each feature.
func New(columns, features int) *Weights {
	w := &Weights{
		units: make([]float32, features), tables: make([][]slot, features),
		used: make([]int32, features), rows: make([][]int16, features),
	}
	w.stride, w.maxSlots = layout(columns, features)
	return w
}

// layout returns the number of columns of a row and of slots of the largest table.
func layout(columns, features int) (stride, maxSlots int) {
	stride = (columns + panelWidth) / panelWidth * panelWidth
	share := tableShare
	if 2*stride*features <= rowBytes {
		share = smallTableShare
	}
	return stride, max(minSlots, 1<<(bits.Len(uint(stride/share))-1))
}

// Bytes returns the bytes that a feature with the given number of weights other than zero takes, in
// a matrix of the given size.
func Bytes(columns, features, weights int) int64 {
	stride, maxSlots := layout(columns, features)
	if slots := slotsFor(weights); slots <= maxSlots {
		return 4 * int64(slots)
	}
	return 2 * int64(stride)
}

// First returns the weights of the first n features, in the same memory.
func (w *Weights) First(n int) *Weights {
	return &Weights{stride: w.stride, maxSlots: w.maxSlots, units: w.units[:n], tables: w.tables[:n], used: w.used[:n], rows: w.rows[:n]}
}

// Stride returns the length of a slice of scores: more than the columns, and a multiple of 64.
// Scores beyond the columns are zero.
func (w *Weights) Stride() int { return w.stride }

// home is where the search for a column begins in a table.
func home(column int32, slots int) int {
	return int(uint32(column) * 0x9e3779b1 >> (32 - bits.TrailingZeros(uint(slots))))
}

// find returns where a column is in a table, or where it would be.
func (w *Weights) find(table []slot, column int32) (at int, ok bool) {
	wanted, free := uint16(column), uint16(w.stride-1)
	for at = home(column, len(table)); ; at = (at + 1) & (len(table) - 1) {
		switch table[at].column {
		case wanted:
			return at, true
		case free:
			return at, false
		}
	}
}

// At returns the weight of a column for a feature, as it is stored.
func (w *Weights) At(feature, column int) float64 {
	unit := float64(w.units[feature])
	if row := w.rows[feature]; row != nil {
		return dequantize(row[column], unit)
	}
	if table := w.tables[feature]; table != nil {
		if at, ok := w.find(table, int32(column)); ok {
			return dequantize(table[at].units, unit)
		}
	}
	return 0
}

// dequantize returns n units: 0 for none, whatever the unit.
func dequantize(n int16, unit float64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) * unit
}

// place returns where the weight of a column is, and makes room for it if it has none. It is valid
// until the next call for the feature.
func (w *Weights) place(feature int, column int32) *int16 {
	if row := w.rows[feature]; row != nil {
		return &row[column]
	}
	if table := w.tables[feature]; table != nil {
		at, ok := w.find(table, column)
		if ok {
			return &table[at].units
		}
		if int(w.used[feature]) < capacity(len(table)) {
			table[at].column = uint16(column)
			w.used[feature]++
			return &table[at].units
		}
	}
	w.grow(feature)
	return w.place(feature, column)
}

// Set sets the weight of a column for a feature and returns what is stored; see [Weights] for how
// far that may be from v.
func (w *Weights) Set(feature, column int, v float64) float64 {
	w.forgetNorm()
	if w.At(feature, column) != 0 {
		*w.place(feature, int32(column)) = 0
	}
	if v != 0 { // zero needs no room, and no unit suits it
		w.add(feature, int32(column), v)
	}
	return w.At(feature, column)
}

// add adds to the weight of a column.
func (w *Weights) add(feature int, column int32, v float64) {
	place := w.place(feature, column)
	for {
		unit := float64(w.units[feature])
		sum := float64(*place) + math.RoundToEven(v/unit)
		switch {
		case unit == 0 || !(math.Abs(sum) <= maxUnits) && !math.IsInf(unit, 1):
			w.coarsen(feature, v)
		case math.IsInf(unit, 1):
			*place = 1
			return
		default:
			*place = int16(sum)
			return
		}
	}
}

// coarsen doubles the unit of a feature, or chooses one for a first weight.
func (w *Weights) coarsen(feature int, v float64) {
	unit := w.units[feature]
	if unit == 0 {
		w.units[feature] = unitFor(math.Abs(v) / firstShare)
		return
	}
	w.units[feature] = 2 * unit
	for k, n := range w.rows[feature] {
		w.rows[feature][k] = halve(n)
	}
	table := w.tables[feature]
	for k := range table {
		table[k].units = halve(table[k].units)
	}
}

// halve returns half of a number, rounded to the even one.
func halve(n int16) int16 { return n>>1 + n&(n>>1)&1 }

// unitFor returns about the smallest unit of which maxUnits are at least v. It has nine bits, so
// that every number of units is exact in float32.
func unitFor(v float64) float32 {
	if !(v < math.MaxFloat32) {
		return float32(math.Inf(1))
	}
	const bits, minExponent = 1 << 9, -126
	fraction, exponent := math.Frexp(v / maxUnits)
	if exponent < minExponent {
		return 0x1p-126
	}
	return float32(math.Ldexp(math.Ceil(fraction*bits)/bits, exponent))
}

// capacity is the number of weights for which a table has room.
func capacity(slots int) int { return slots * 3 / 4 }

// slotsFor returns the slots of a table for a number of weights, 0 for none.
func slotsFor(weights int) (slots int) {
	if weights > 0 {
		for slots = minSlots; capacity(slots) < weights; slots *= 2 {
		}
	}
	return slots
}

// grow gives a feature a table of twice the slots, or a row.
func (w *Weights) grow(feature int) {
	table := w.tables[feature]
	if 2*len(table) > w.maxSlots {
		row := w.slabs.allocate(w.stride)
		clear(row)
		for _, s := range table {
			row[s.column] = s.units
		}
		w.releaseTable(feature)
		w.rows[feature] = row
		return
	}
	larger := w.newTable(max(minSlots, 2*len(table)))
	for _, s := range table {
		if int(s.column) != w.stride-1 {
			w.put(larger, s)
		}
	}
	w.releaseTable(feature)
	w.tables[feature] = larger
}

// newTable returns an empty table.
func (w *Weights) newTable(slots int) []slot {
	table := slotsOf(w.slabs.allocate(2 * slots))
	w.empty(table)
	return table
}

// empty makes all slots of a table empty.
func (w *Weights) empty(table []slot) {
	for k := range table {
		table[k] = slot{column: uint16(w.stride - 1)}
	}
}

// releaseTable takes the table from a feature, if it has one.
func (w *Weights) releaseTable(feature int) {
	if table := w.tables[feature]; table != nil {
		w.slabs.release(numbersOf(table))
		w.tables[feature] = nil
	}
}

// put puts a weight into a table that has room for it and not its column.
func (w *Weights) put(table []slot, s slot) {
	at, _ := w.find(table, int32(s.column))
	table[at] = s
}

// AppendRow appends the columns, ascending, and the values of the weights of a feature that are not
// zero.
func (w *Weights) AppendRow(feature int, columns []int32, values []float64) ([]int32, []float64) {
	unit := float64(w.units[feature])
	for c, n := range w.rows[feature] {
		if n != 0 {
			columns, values = append(columns, int32(c)), append(values, float64(n)*unit)
		}
	}
	table := slices.DeleteFunc(slices.Clone(w.tables[feature]), func(s slot) bool { return s.units == 0 })
	slices.SortFunc(table, func(a, b slot) int { return cmp.Compare(a.column, b.column) })
	for _, s := range table {
		columns, values = append(columns, int32(s.column)), append(values, float64(s.units)*unit)
	}
	return columns, values
}

// AddRow adds x times u to the given columns of a feature, of which u has one entry each. See
// [Weights] for the rounding error of such a step.
func (w *Weights) AddRow(feature int, x float64, columns []int32, u []float64) {
	u = u[:len(columns)]
	w.forgetNorm()
	if w.units[feature] == 0 {
		var largest float64
		for _, v := range u {
			largest = max(largest, math.Abs(x*v)) // NaN if one is
		}
		if largest == 0 {
			return
		}
		w.coarsen(feature, largest)
	}
	scale := x / float64(w.units[feature])
	for j := 0; j < len(columns); j++ {
		if row := w.rows[feature]; row != nil {
			j += addUnits(row, scale, columns[j:], u[j:])
			if j == len(columns) {
				return
			}
		} else if place := w.place(feature, columns[j]); increase(place, scale*u[j]) {
			continue
		}
		w.add(feature, columns[j], x*u[j])
		scale = x / float64(w.units[feature])
	}
}

// addUnits adds scale times u to the given columns of a row, up to the first for which there is no
// room, and returns how many it has added.
func addUnits(row []int16, scale float64, columns []int32, u []float64) int {
	u = u[:len(columns)]
	for j, c := range columns {
		if !increase(&row[c], scale*u[j]) {
			return j
		}
	}
	return len(columns)
}

// increase adds v, rounded, to a number of units and reports whether there is room.
func increase(place *int16, v float64) bool {
	const whole = 3 << 51 // a float64 of this size has no fraction
	sum := float64(*place) + (float64(v+whole) - whole)
	if !(sum <= maxUnits && sum >= -maxUnits) {
		return false
	}
	*place = int16(sum)
	return true
}

// AddScoresAt adds x times the weights of the given columns of a feature to dst, one entry a
// column, with the bits of AddScores.
func (w *Weights) AddScoresAt(feature int, x float64, columns []int32, dst []float64) {
	dst = dst[:len(columns)]
	x *= float64(w.units[feature])
	if row := w.rows[feature]; row != nil {
		for j, c := range columns {
			dst[j] += float64(x * float64(row[c]))
		}
		return
	}
	table := w.tables[feature]
	if table == nil {
		return
	}
	for j, c := range columns {
		if at, ok := w.find(table, c); ok {
			dst[j] += float64(x * float64(table[at].units))
		}
	}
}

// AddScores adds x times the weights of all columns of a feature to dst, which has [Weights.Stride]
// entries, in float64.
func (w *Weights) AddScores(feature int, x float64, dst []float64) {
	x *= float64(w.units[feature])
	if row := w.rows[feature]; row != nil {
		addScaled(dst, x, row)
		return
	}
	addTable(w.tables[feature], x, dst)
}

// addTable adds x times the numbers of a table to the scores of the columns.
func addTable[T float32 | float64](table []slot, x T, scores []T) {
	for _, s := range table {
		scores[s.column] += T(x * T(s.units))
	}
}

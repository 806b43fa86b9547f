package forest

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// division is a test x_feature > threshold and by how much it lowers the sum of squares; no test if
// gain is 0.
type division struct {
	feature   int32
	threshold float32
	gain      float64
}

// search is the scratch space of looking for the best division.
//
// With C_v and c_v the instances with node v in the part and on one side of a test, and Q = sum_v
// w_v C_v^2, q and q' the same of the two sides, the gain is q/n1 + q'/n2 - Q/n, where q' = Q - 2
// sum_v w_v C_v c_v + q. An instance that changes sides changes q by its own nodes, and the middle
// sum by what is known of the instance: so a feature takes the labels of the instances that have
// another value than 0, whatever the number of the others, which are moved as one.
type search struct {
	present []int32   // by feature: entries in the part
	found   []int32   // the features with any
	slot    []int32   // by feature: 1 and its number among the tried ones
	begin   []int     // by number among the tried ones, and one more: where its keys begin
	keys    []uint64  // values in the order of numbers, above, and the row
	side    []float64 // by node of the taxonomy: instances on a side
}

func newSearch(p *problem) search {
	return search{present: make([]int32, p.features), slot: make([]int32, p.features), side: make([]float64, len(p.weights))}
}

// best returns the best division of the part at hand. Of equally good ones it is that of the first
// feature.
func (g *grower) best(ctx context.Context, rows []int32, tried int) (division, error) {
	var best division
	if g.n < float64(2*g.settings.MinLeaf) || !(g.ss > 1e-12*g.n) {
		return best, nil
	}
	g.gather(rows, tried)
	for k, f := range g.found[:min(tried, len(g.found))] {
		if k&63 == 63 {
			if err := ctx.Err(); err != nil {
				return best, fmt.Errorf("forest: growing was stopped: %w", err)
			}
		}
		keys := g.keys[g.begin[k]:g.begin[k+1]]
		slices.Sort(keys)
		g.try(f, keys, &best)
	}
	if best.gain <= 1e-12*g.ss {
		best.gain = 0 // rounding
	}
	return best, nil
}

// gather chooses the features to try, which are then the first of g.found, ascending, and puts
// their values into g.keys.
func (g *grower) gather(rows []int32, tried int) {
	for _, f := range g.found {
		g.present[f], g.slot[f] = 0, 0
	}
	g.found = g.found[:0]
	for _, i := range rows {
		features, values := g.x.Row(int(i))
		for k, f := range features {
			if values[k] == 0 {
				continue
			}
			if g.present[f] == 0 {
				g.found = append(g.found, f)
			}
			g.present[f]++
		}
	}
	if tried < len(g.found) {
		for k := range tried {
			other := k + g.rng.IntN(len(g.found)-k)
			g.found[k], g.found[other] = g.found[other], g.found[k]
		}
	}
	chosen := g.found[:min(tried, len(g.found))]
	slices.Sort(chosen)
	g.begin = append(g.begin[:0], 0)
	total := 0
	for k, f := range chosen {
		g.slot[f] = int32(k + 1)
		total += int(g.present[f])
		g.begin = append(g.begin, total)
	}
	g.keys = slices.Grow(g.keys[:0], total)[:total]
	next := g.present // counts down to where the next key is
	for _, i := range rows {
		features, values := g.x.Row(int(i))
		for k, f := range features {
			if s := g.slot[f]; s > 0 && values[k] != 0 {
				next[f]--
				g.keys[g.begin[s-1]+int(next[f])] = uint64(ordered(values[k]))<<32 | uint64(i)
			}
		}
	}
}

// ordered returns the bits of a number that is not zero such that they have the order of the
// numbers.
func ordered(v float32) uint32 {
	bits := math.Float32bits(v)
	if bits>>31 != 0 {
		return ^bits
	}
	return bits | 1<<31
}

// value returns the number of a key.
func value(key uint64) float32 {
	bits := uint32(key >> 32)
	if bits>>31 != 0 {
		return math.Float32frombits(bits &^ (1 << 31))
	}
	return math.Float32frombits(^bits)
}

// try looks for a better division by a feature, whose values other than 0 are given in ascending
// order.
func (g *grower) try(f int32, keys []uint64, best *division) {
	positive, _ := slices.BinarySearch(keys, uint64(1)<<63)
	stored := 0.0
	for _, key := range keys {
		stored += float64(g.times[uint32(key)])
	}
	zeros := g.n > stored
	// From above: the instances of the highest values on one side.
	side := side{grower: g}
	for at := len(keys); at > positive; {
		for v := keys[at-1] >> 32; at > positive && keys[at-1]>>32 == v; at-- {
			side.add(uint32(keys[at-1]))
		}
		below := float32(0)
		if at > positive || at > 0 && !zeros {
			below = value(keys[at-1])
		}
		if !side.compare(best, f, below) {
			break
		}
	}
	side.clear(keys[positive:])
	// From below: those of the lowest ones.
	for at := 0; at < positive; {
		for v := keys[at] >> 32; at < positive && keys[at]>>32 == v; at++ {
			side.add(uint32(keys[at]))
		}
		if !side.compare(best, f, value(keys[at-1])) {
			break
		}
	}
	side.clear(keys[:positive])
}

// side is one side of a test of the part at hand.
type side struct {
	*grower
	n, q, cross float64
}

// add adds a row.
func (s *side) add(row uint32) {
	k := float64(s.times[row])
	s.n += k
	s.cross += k * s.grower.cross[row]
	for _, v := range s.labels[row] {
		c := s.side[v]
		s.q += s.weights[v] * k * (2*c + k)
		s.side[v] = c + k
	}
}

// compare sets best to the test if that is better, and tells whether more rows may be added.
func (s *side) compare(best *division, feature int32, threshold float32) bool {
	other := s.grower.n - s.n
	least := float64(s.settings.MinLeaf)
	if other < least {
		return false
	}
	if s.n < least {
		return true
	}
	total := s.grower.q
	if gain := s.q/s.n + (total-2*s.cross+s.q)/other - total/s.grower.n; gain > best.gain {
		*best = division{feature, threshold, gain}
	}
	return true
}

// clear empties the side, of which the keys have all rows.
func (s *side) clear(keys []uint64) {
	s.n, s.q, s.cross = 0, 0, 0
	if len(keys) > len(s.nodes) {
		for _, v := range s.nodes {
			s.side[v] = 0
		}
		return
	}
	for _, key := range keys {
		for _, v := range s.labels[uint32(key)] {
			s.side[v] = 0
		}
	}
}

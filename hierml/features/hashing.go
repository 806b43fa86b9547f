package features

import "slices"

// hashTerm returns 64 bits that depend on every bit of the term: FNV-1a, of which only the low bits
// do, followed by the finalizer of MurmurHash3.
func hashTerm(term []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range term {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// hashColumn returns the column of a term by its hash: the high bits, so that hashes ascend with
// columns.
func hashColumn(hash uint64, bits int) int32 { return int32(hash >> (64 - bits)) }

// hashSign returns 1 or -1.
func hashSign(hash uint64) float64 { return 1 - 2*float64(hash&1) }

// hashes appends the hashes of the text's terms, ascending.
func (r *termReader) hashes(text string, to []uint64) []uint64 {
	r.each(text, func(term []byte) { to = append(to, hashTerm(term)) })
	slices.Sort(to)
	return to
}

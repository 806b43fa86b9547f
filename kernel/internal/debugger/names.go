package debugger

import (
	"encoding/binary"
	"fmt"
)

// Front ends name a cell by the hash of its text, between a prefix and a suffix that the kernel
// sends. No such file exists. JupyterLab shows "Cell [4]" instead of a path that contains
// "ipykernel_".
const (
	seed   = 0x9747b28c
	prefix = "/tmp/hierml-cells/ipykernel_"
	suffix = ".go"
)

// Path returns the name of a cell's source in front ends.
func Path(source string) string {
	return fmt.Sprintf("%s%d%s", prefix, murmur2([]byte(source), seed), suffix)
}

// murmur2 is the 32 bit hash MurmurHash2 of Austin Appleby.
func murmur2(data []byte, seed uint32) uint32 {
	const m = 0x5bd1e995
	h := seed ^ uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		k := binary.LittleEndian.Uint32(data) * m
		k ^= k >> 24
		h = h*m ^ k*m
	}
	if len(data) > 0 {
		for i, b := range data {
			h ^= uint32(b) << (8 * i)
		}
		h *= m
	}
	h ^= h >> 13
	h *= m
	return h ^ h>>15
}

package safetensors

import "math"

// ToHalf returns the bits of the half-precision number nearest to v, of two the even one; infinity
// beyond the range.
func ToHalf(v float32) uint16 {
	bits := math.Float32bits(v)
	sign := uint16(bits >> 16 & 0x8000)
	bits &= 0x7fffffff
	switch {
	case bits > 0x7f800000:
		return sign | 0x7e00
	case bits >= 0x477ff000: // 65520 and above
		return sign | 0x7c00
	case bits >= 0x38800000: // normal
		bits += 0xfff + bits>>13&1
		return sign | uint16((bits-0x38000000)>>13)
	}
	// Below 2^-14 the spacing is 2^-24, and so is that of the numbers from 0.5 to 1 in float32.
	return sign | uint16(math.Float32bits(math.Float32frombits(bits)+0.5)-math.Float32bits(0.5))
}

// FromHalf returns the value of a half-precision number.
func FromHalf(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	bits := uint32(h & 0x7fff)
	switch {
	case bits >= 0x7c00:
		bits = bits<<13 | 0x7f800000
	case bits >= 0x400:
		bits = bits<<13 + 0x38000000
	default:
		bits = math.Float32bits(float32(bits) * 0x1p-24)
	}
	return math.Float32frombits(sign | bits)
}

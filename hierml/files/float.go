package files

import (
	"math"
	"strconv"
)

// powersOfTen are those that a float64 represents exactly.
var powersOfTen = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// parseFloat reads the decimal number that begins at the position and ends with a blank or the
// line. It returns the value and the number's end. It is not ok if there is no such number, or if
// it is beyond a float32.
func parseFloat(line []byte, at int) (value float32, end int, ok bool) {
	v, at, ok := scanNumber(line, at)
	if !ok || at < len(line) && line[at] != ' ' && line[at] != '\t' && line[at] != '\r' {
		return 0, at, false
	}
	value = float32(v)
	return value, at, !math.IsInf(float64(value), 0)
}

// scanNumber reads the decimal number that begins at the position. It returns the value, as
// strconv.ParseFloat has it, and the number's end. It is not ok if there is no such number, or if
// it is beyond a float64.
//
// Numbers of up to fifteen digits, which are nearly all, take one pass: the digits as an integer
// and the power of ten are both exact in a float64, so that one multiplication or division rounds
// correctly [Cli90].
func scanNumber[T string | []byte](line T, at int) (value float64, end int, ok bool) {
	start := at
	negative := false
	if at < len(line) && (line[at] == '-' || line[at] == '+') {
		negative = line[at] == '-'
		at++
	}
	var mantissa uint64
	first := at
	for at < len(line) && line[at]-'0' <= 9 {
		mantissa = mantissa*10 + uint64(line[at]-'0') // beyond 18 digits it is not used
		at++
	}
	digits, scale := at-first, 0
	if at < len(line) && line[at] == '.' {
		at++
		first = at
		for at < len(line) && line[at]-'0' <= 9 {
			mantissa = mantissa*10 + uint64(line[at]-'0')
			at++
		}
		scale = first - at
		digits -= scale
	}
	if digits == 0 {
		return 0, at, false
	}
	if at < len(line) && (line[at] == 'e' || line[at] == 'E') {
		exponent, next, ok := parseExponent(line, at+1)
		if !ok {
			return 0, at, false
		}
		at = next
		scale += exponent
	}
	switch {
	case digits < 19 && mantissa < 1<<53 && 0 <= scale && scale < len(powersOfTen):
		value = float64(mantissa) * powersOfTen[scale]
	case digits < 19 && mantissa < 1<<53 && scale < 0 && -scale < len(powersOfTen):
		value = float64(mantissa) / powersOfTen[-scale]
	default:
		var err error
		if value, err = strconv.ParseFloat(string(line[start:at]), 64); err != nil {
			return 0, at, false
		}
		negative = false // ParseFloat saw the sign
	}
	if negative {
		value = -value
	}
	return value, at, true
}

// parseExponent reads what stands after the e of a number.
func parseExponent[T string | []byte](line T, at int) (exponent, end int, ok bool) {
	negative := false
	if at < len(line) && (line[at] == '-' || line[at] == '+') {
		negative = line[at] == '-'
		at++
	}
	start := at
	for at < len(line) && line[at]-'0' <= 9 {
		if exponent < 1e6 {
			exponent = exponent*10 + int(line[at]-'0')
		}
		at++
	}
	if negative {
		exponent = -exponent
	}
	return exponent, at, at > start
}

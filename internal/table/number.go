package table

import (
	"math"
	"strconv"
	"strings"
)

// Digits is how many significant digits of the largest number of a column are shown by default.
const Digits = 5

// Number formats a number with five significant digits, and whole numbers completely.
func Number(v float64) string { return number(v, Digits) }

func number(v float64, digits int) string {
	if whole(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

func whole(v float64) bool { return v == math.Trunc(v) && math.Abs(v) < 1e15 }

// Numbers formats the numbers of a column with the same number of decimals: as many as the largest
// needs for five significant digits, or fewer if the last ones are all 0. If a small number would
// then have less than two digits, each number gets its own five.
func Numbers(values []float64) []string { return Rounded(values, Digits) }

// Rounded returns the numbers of a column: as many digits behind the point in each as the largest
// needs to have the given number of significant ones, fewer where they are all 0. Where that would
// leave less than two digits of a small number, each has as many of its own.
func Rounded(values []float64, digits int) []string {
	texts := make([]string, len(values))
	largest, smallest, all := 0.0, math.Inf(1), true
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		all = all && whole(v)
		largest = max(largest, math.Abs(v))
		if v != 0 {
			smallest = min(smallest, math.Abs(v))
		}
	}
	behind := 0
	if largest > 0 {
		behind = max(0, digits-1-int(math.Floor(math.Log10(largest))))
	}
	fixed := !all && largest < 1e9 && smallest >= 9.5*math.Pow(10, -float64(behind))
	for i, v := range values {
		switch {
		case fixed && !math.IsInf(v, 0) && !math.IsNaN(v):
			texts[i] = strconv.FormatFloat(v, 'f', behind, 64)
		default:
			texts[i] = number(v, digits)
		}
	}
	if fixed && behind > 0 {
		trim(texts, behind)
	}
	return texts
}

// trim removes trailing zeros that all numbers have.
func trim(texts []string, behind int) {
	common := behind
	for _, t := range texts {
		if _, after, ok := strings.Cut(t, "."); ok {
			common = min(common, len(after)-len(strings.TrimRight(after, "0")))
		}
	}
	for i, t := range texts {
		if strings.Contains(t, ".") {
			texts[i] = strings.TrimSuffix(t[:len(t)-common], ".")
		}
	}
}

// Package rounding finds out which columns of numbers lose what tells their rows apart when they
// become float32, as the values of a matrix are. It leaves to others what to do about them, and is
// wrong when a column of small numbers far from zero, such as dates written 20240101, passes.
package rounding

import "math"

// Part is the part of their standard deviation by which numbers may change without a word.
const Part = 1e-3

// Column measures the numbers of a column, which are finite.
type Column struct {
	count       int
	mean, about float64 // about: the sum of squares about the mean
	worst       float64 // the most that a number changes by
	example     float64 // the number
}

// Add adds a number, and reports whether it is the one that changes most so far. The mean and the
// squares are Welford's, which do not cancel.
func (c *Column) Add(v float64) (most bool) {
	c.count++
	off := v - c.mean
	c.mean += off / float64(c.count)
	c.about += off * (v - c.mean)
	lost := math.Abs(v - float64(float32(v)))
	if most = lost > c.worst; most {
		c.worst, c.example = lost, v
	}
	return most
}

// Count returns how many numbers were added.
func (c *Column) Count() int { return c.count }

// Lost reports whether a number changes by more than Part of the standard deviation, and gives the
// one that changes most. Of a constant column nothing is lost.
func (c *Column) Lost() (example float64, lost bool) {
	deviation := math.Sqrt(c.about / float64(max(c.count, 1)))
	return c.example, deviation > 0 && c.worst > Part*deviation
}

// # A walk
//
// This is a notebook that takes a walk through what Go can do, and says so in one
// very long line that has to be wrapped before anybody can read it in an editor.
package main

import (
	"errors"
	"fmt"
	"sort"

	"github.com/hierml/notebook/stdlib/nb"
)

// The sum has a function of its own:
//
// - it is short
// - it is *sweet*

// sum adds up.
func sum(xs ...float64) float64 {
	s := 0.0
	for _, x := range xs {
		s += x // one more
	}
	return s
}

func main() {
	// ## Numbers
	xs := []float64{3, 1, 2} // the data

	// They are sorted in place.
	sort.Float64s(xs)
	nb.Display(xs)

	total, unused := sum(xs...), errors.New("unused")
	_ = unused
	fmt.Println(total)

	// Nothing is shown of this.
	fmt.Println("total:", total)
	_ = total * 2

	// indented
	//
	//	code()
	//
	// That was it.
}

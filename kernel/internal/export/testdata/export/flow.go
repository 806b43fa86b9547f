package main

import (
	"fmt"
	"os"

	"github.com/hierml/notebook/stdlib/nb"
)

func a() int { return b() + 1 }

func b() int { return 41 }

// It uses a name that no cell declares:
//
//	func undone() int { return nowhere() }

var (
	one = 1 // the first
	// two is the second
	two int
)

func both() int { return one + two }

func main() {
	fmt.Println(a())

	var n int
	func() {
		n = 0
		i := 0
	again:
		n += i
		if i++; i < 4 {
			goto again
		}
		fmt.Println(n)
	}()

	var m map[string]int
	fmt.Println(func() int {
		defer fmt.Println("at the end of the cell")
		m = map[string]int{"a": n}
		return m["a"]
	}())

	var p *int

	// This part may fail; the rest runs all the same.
	func() {
		defer func() {
			if r := recover(); r != nil {
				fmt.Fprintln(os.Stderr, "panic:", r)
			}
		}()
		q := 5
		*p = q
	}()

	// This cell does not compile:
	//
	//	Cell [7]:1:1: undefined: undefinedThing
	//
	//	undefinedThing()
	//
	// This cell is not run:
	//
	//	for {}
	nb.Display(m)

	func() { fmt.Println("called") }()

	var three, four int = 3, both()
	fmt.Println(three + four)

	nb.Display(struct{ X int }{3})

	nb.Display([]string{"a"})

	var none error
	nb.Display(none)
}

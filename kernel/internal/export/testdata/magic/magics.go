package main

import (
	"fmt"

	magic2 "github.com/hierml/notebook/stdlib/magic"
	"github.com/hierml/notebook/stdlib/nb"
)

func main() {
	x := 1
	magic2.StartTimer()
	x++
	magic2.StopTimer()
	magic2.Chdir(".")

	magic2.StartTimer()
	y := x * 2
	fmt.Println(y) // shown
	magic2.StopTimer()

	magic2.TimeIt(1, 1, func(magic__n int) {
		for range magic__n {
			_ = y * y
		}
	})
	magic2.Shell("echo $((1 + 2)) 'a \"b\"'")
	magic := "mine"
	nb.Display(magic)

	magic2.Setenv("MAGIC_EXPORT", "1")

	magic2.StartTimer()
	func() {
		x += 3
	}()
	magic2.StopTimer()

	// This cell does not compile:
	//
	//	Cell [6]:1:14: syntax error: unexpected end of cell, expected expression
	//
	//	%time y = x +
	magic2.Bash(`echo one
echo two`)
}

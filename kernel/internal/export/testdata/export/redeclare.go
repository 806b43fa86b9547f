package main

import (
	"fmt"
	"strconv"

	"github.com/hierml/notebook/stdlib/nb"
)

var x = 1

// f is declared more than once. main sets it to the current version.
var f func() int

func f1() int { return 1 }

func g() int { return f() + x }

func f2() int { return 2 }

type T struct{ A int }

func (t T) Get() int { return t.A }

type T2 struct{ B string }

const N = 3

const N2 = "three"

// Get is declared more than once. main sets it to the current version.
var tGet func(T2) string

func (r T2) Get() string { return tGet(r) }

func (t T2) get1() string { return t.B }

func show() string { return T2{"y"}.Get() }

func (t T2) get2() string { return t.B + "!" }

func main() {
	f = f1

	x = 2
	fmt.Println(g())

	f = f2
	fmt.Println(g())

	x2 := "a"
	nb.Display(x2 + "b")

	x3 := 7
	_ = x3
	fmt.Println(g())

	t := T{7}

	u := T2{B: "x"}
	nb.Display(u.B)

	fmt.Println(t.Get())

	var array [N]int
	_ = array

	nb.Display(N2)

	tGet = T2.get1
	nb.Display(show())

	tGet = T2.get2
	nb.Display(show() + u.Get())

	a, err := strconv.Atoi("12")
	_ = err

	b, err := strconv.Atoi("x")
	nb.Display(err)

	a, c := 3, 4
	fmt.Println(a + b + c)

	c = 0
	fmt.Println(c)
}

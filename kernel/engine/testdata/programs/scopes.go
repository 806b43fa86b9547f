package main

import (
	"fmt"
	"strconv"
)

var x = 1
var (
	p, q = 2, 3
	fn   = func() int { return x + p }
)

func init()                          { x = 10 }
func shadow(len int, string int) int { cap := len + string; print := cap * 2; return print }
func named() (x int, s string) {
	x, s = 5, "n"
	if x := 7; x > 6 {
		s += fmt.Sprint(x)
	}
	{
		x := 9
		_ = x
	}
	return
}
func multi(a, b int, c ...string) (sum int, _ string, ok bool) {
	sum = a + b
	return sum, fmt.Sprint(c), true
}
func blank(_ int, _ string) int { return 1 }
func noresult()                 {}

type x2 struct{ x2 int }

func (x2 x2) get() int { return x2.x2 }
func labels() string {
	s := ""
i:
	for i := 0; i < 3; i++ {
		switch i {
		case 1:
			continue i
		case 2:
			break i
		}
		s += fmt.Sprint(i)
	}
	n := 0
again:
	n++
	if n < 3 {
		goto again
	}
	return s + fmt.Sprint(n)
}
func closureShadow() []int {
	var r []int
	for i := 0; i < 3; i++ {
		i := i * 10
		func() { i++; r = append(r, i) }()
	}
	return r
}
func ifelse(n int) string {
	if n < 0 {
		return "neg"
	} else if m := n * 2; m > 10 {
		return fmt.Sprint("big", m)
	} else if m == 4 {
		return "four"
	} else {
		n = m
	}
	return fmt.Sprint(n)
}
func typeNames() string { type int32 string; var v int32 = "t"; return string(v) }
func deferLoop() (s string) {
	for i := range 3 {
		defer func(n int) { s += fmt.Sprint(n, i) }(i * 2)
	}
	return "r"
}
func recursive(n int, acc ...int) []int {
	if n == 0 {
		return acc
	}
	return recursive(n-1, append(acc, n)...)
}
func fnresult() func() func() int {
	a := 0
	return func() func() int { a++; b := a; return func() int { b++; return a*100 + b } }
}
func swtch(v any) (r string) {
	switch x := v.(type) {
	case int:
		x++
		r = fmt.Sprint(x)
	case string:
		x += "!"
		r = x
	case []int:
		x[0] = 9
		r = fmt.Sprint(x)
	}
	return
}
func main() {
	fmt.Println(x, p, q, fn())
	x := x + 1
	{
		x := x * 2
		x++
		fmt.Println(x)
	}
	fmt.Println(x, shadow(2, 3))
	fmt.Println(named())
	fmt.Println(multi(1, 2, "a", "b"))
	fmt.Println(blank(1, ""), x2{4}.get(), labels(), closureShadow())
	for _, n := range []int{-1, 2, 3, 9} {
		fmt.Print(ifelse(n), " ")
	}
	fmt.Println(typeNames(), deferLoop(), recursive(4))
	f := fnresult()
	g, h := f(), f()
	fmt.Println(g(), g(), h())
	fmt.Println(swtch(1), swtch("a"), swtch([]int{1, 2}), swtch(nil))
	true := false
	nil := 3
	fmt.Println(true, nil)
	var fmt2 = fmt.Sprint
	fmt2("x")
	func() { fmt := "shadowed"; _ = fmt }()
	a, b := 1, 2
	b, c := 3, a+b
	fmt.Println(a, b, c)
	if a, err := strconv.Atoi("5"); err == (error)(error(func() error { var e error; return e }())) {
		fmt.Println(a)
	}
	var arr [len("abc")]int
	const k = len(arr)
	fmt.Println(k, arr)
	noresult()
	for i, j := 0, 10; i < j; i, j = i+1, j-2 {
		fmt.Print(i, j, " ")
	}
	fmt.Println()
	var iface interface{ get() int } = x2{8}
	fmt.Println(iface.get())
	m := map[string]func(...int) int{"sum": func(xs ...int) int {
		t := 0
		for _, x := range xs {
			t += x
		}
		return t
	}}
	fmt.Println(m["sum"](1, 2, 3))
}

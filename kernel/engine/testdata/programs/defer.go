package main

import (
	"fmt"
)

func f() (r int) {
	defer func() { r *= 2 }()
	defer func() {
		if e := recover(); e != nil {
			fmt.Println("recovered", e)
			r = 21
		}
	}()
	var m map[string]int
	m["a"] = 1
	return 1
}
func g() (s string, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("got: %v", e)
		}
	}()
	var a []int
	_ = a[5]
	return "x", nil
}
func h(n int) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = e.(error)
		}
	}()
	fmt.Println(10 / n)
	return nil
}

type T struct{ n int }

func nilp() { defer func() { fmt.Println(recover() != nil) }(); var t *T; fmt.Println(t.n) }
func order() {
	for i := 0; i < 3; i++ {
		defer fmt.Print(i, " ")
	}
	fmt.Print("body ")
}
func args() { x := 1; defer fmt.Println("deferred", x); x = 2; fmt.Println("now", x) }

type MyErr struct{ c int }

func custom() {
	defer func() { r := recover(); e, ok := r.(MyErr); fmt.Println(e.c, ok) }()
	panic(MyErr{7})
}
func re() {
	defer func() { fmt.Println("outer", recover()) }()
	defer func() { panic("second") }()
	panic("first")
}
func nested() {
	defer func() { fmt.Println("n", recover()) }()
	func() { defer fmt.Println("inner deferred"); panic("deep") }()
	fmt.Println("not reached")
}
func main() {
	fmt.Println(f())
	_, err := g()
	fmt.Println(err != nil)
	fmt.Println(h(0))
	nilp()
	order()
	fmt.Println()
	args()
	custom()
	re()
	nested()
	defer fmt.Println("main deferred")
	var e error
	func() { defer func() { recover() }(); panic(e) }()
	fmt.Println("done")
}

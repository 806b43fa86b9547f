package main

import (
	"fmt"
	"log"
	"strconv"

	"github.com/hierml/notebook/stdlib/nb"
)

func half(n int) (int, error) {
	if n%2 != 0 {
		return 0, fmt.Errorf("%d is odd", n)
	}
	return n / 2, nil
}

func both(n int) (int, string, error) { return n, fmt.Sprint(n), nil }

func join(n int, s string) string { return fmt.Sprint(n) + s }

type number int

func (n number) next() (number, error) { return n + 1, nil }

// must returns the results of a call without its error, and panics if there is one.
func must[A any](a A, err error) A {
	if err != nil {
		panic(err)
	}
	return a
}

// must2 returns the results of a call without its error, and panics if there is one.
func must2[A, B any](a A, b B, err error) (A, B) {
	if err != nil {
		panic(err)
	}
	return a, b
}

func main() {
	a, b := must(half(4)), must(half(8)) // two
	fmt.Println(a + b + must(half(must(half(8)))))

	value, err := must(number(3).next()).next()
	if err != nil {
		log.Fatal(err)
	}
	nb.Display(value)

	if must(half(6)) == 3 && must(number(1).next()) == 2 {
		fmt.Println(join(must2(both(3))), must(half(2))+1)
	}
	var sum = must(half(10)) + a
	fmt.Println(sum)

	nb.Display(func() string {
		defer fmt.Println("end")
		return strconv.Itoa(must(strconv.Atoi("12"))) + "!"
	}())
}

package main

import (
	"fmt"
	"strconv"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// twice doubles.
func twice(s string) int { return 2 * must(strconv.Atoi(s)) }

// must2 returns the results of a call without its error, and panics if there is one.
func must2[A any](a A, err error) A {
	if err != nil {
		panic(err)
	}
	return a
}

func main() {
	fmt.Println(twice("4"))

	fmt.Println(twice("5") + must2(strconv.Atoi("3")) + must(strconv.Atoi("1")))
}

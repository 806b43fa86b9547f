package main

import (
	"fmt"
	"log"
	"strconv"

	"github.com/hierml/notebook/stdlib/nb"
)

var (
	n int
	s string
)

func useN() int { return n + len(s) }

func F[T any](x T) string { return "one" }

func G() string { return F(2) }

func G2() string { return F2(2) }

func F2[T any](x T) string { return "two" }

func main() {
	var a = 1 // one
	// n is read
	var err error
	n, err = strconv.Atoi("4")
	if err != nil {
		log.Fatal(err)
	}
	s, err = strconv.Unquote(`"q"`)
	if err != nil {
		log.Fatal(err)
	}
	var last = "z"
	fmt.Println(a, n, s, last)

	fmt.Println(useN())

	nb.Display(G())

	nb.Display(G2())
}

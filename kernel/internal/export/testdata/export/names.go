package main

import (
	"bytes"
	"fmt"
	"math"
	rand2 "math/rand"
	rand3 "math/rand/v2"
	"strings"
	str "strings"

	"github.com/hierml/notebook/stdlib/nb"
)

var main2 = 3

func setup() { fmt.Println("first", main2) }

func setup2() { fmt.Println("second", main2) }

func main3() { fmt.Println("mine") }

var rand = 5

func use() int { return rand }

var len2 func(string) int

func size() int { return len2("") }

type E struct{ N int }

type E2 struct{ M string }

type F struct {
	E2
	*bytes.Buffer
}

func main() {
	init2 := 4
	fmt.Println(main2 + init2)

	setup()
	fmt.Println("after")
	setup2()

	main3()

	fmt.Println(rand3.IntN(1))

	fmt.Println(use())

	fmt.Println(rand2.New(rand2.NewSource(1)) != nil)

	nb.Display(str.ToUpper("up"))

	nb.Display(strings.ToLower("LOW"))

	fmt.Println(math.Sqrt(4))

	fmt.Println(len("abc"))

	len2 = func(s string) int { return 42 }

	fmt.Println(size())

outer:
	for i := range 3 {
		for range 3 {
			if i == 1 {
				break outer
			}
			fmt.Print(i)
		}
	}

outer2:
	for i := range 3 {
		for range 3 {
			continue outer2
		}
		fmt.Print(i)
	}

	nb.Display(F{E2: E2{M: "m"}}.E2.M)
}

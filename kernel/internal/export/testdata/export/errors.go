package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/hierml/notebook/stdlib/nb"
)

func add(a, b string) (int, error) {
	x, err := strconv.Atoi(a)
	if err != nil {
		return 0, err
	}
	y := 2
	return x + y, nil
}

func two() (int, string) { return 1, "b" }

type T struct{}

func (T) Check() error { return nil }

func main() {
	n, err2 := strconv.Atoi("12")
	if err2 != nil {
		log.Fatal(err2)
	}
	out1 := n
	fmt.Println(out1)

	var m, k int = 13, 14
	fmt.Println(m + k)

	var f float64
	f, err2 = strconv.ParseFloat("1.5", 64)
	if err2 != nil {
		log.Fatal(err2)
	}
	fmt.Println(f)

	err := errors.New("mine")
	s, err2 := strconv.Unquote(`"a"`) // leaves out the error
	if err2 != nil {
		log.Fatal(err2)
	}
	nb.Display(s)

	if err := os.Setenv("EXPORTED", "yes"); err != nil {
		log.Fatal(err)
	}
	nb.Display(os.Getenv("EXPORTED"))

	out6, err2 := strconv.Atoi("14")
	if err2 != nil {
		log.Fatal(err2)
	}
	fmt.Println(out6)

	fmt.Println(out6 + 1)

	fmt.Println(out1 + out6)

	counts := map[string]int{}
	counts["a"], err2 = add("1", "2")
	if err2 != nil {
		log.Fatal(err2)
	}
	nb.Display(counts)

	out11, out11_2 := two()
	nb.Display(out11, out11_2)

	a, b := out11, out11_2
	nb.Display(fmt.Sprint(a, b))

	nb.Display(`func two() (int, string) { return 1, "b" }
two()`)

	n, err2 = strconv.Atoi("15")
	if err2 != nil {
		log.Fatal(err2)
	}
	if err := json.NewDecoder(strings.NewReader("16")).Decode(&n); err != nil {
		log.Fatal(err)
	}
	nb.Display(err)

	fmt.Println(n)

	// This part may fail; the rest runs all the same.
	func() {
		defer func() {
			if r := recover(); r != nil {
				fmt.Fprintln(os.Stderr, "panic:", r)
			}
		}()
		p, err2 := strconv.Atoi("x")
		if err2 != nil {
			panic(err2)
		}
		fmt.Println("not reached", p)
	}()

	fmt.Println(n)

	if err := (T{}.Check()); err != nil {
		log.Fatal(err)
	}

	var out19 int
	func() {
		defer fmt.Println("done")
		out19, err2 = strconv.Atoi("17")
		if err2 != nil {
			panic(err2)
		}
	}()
	fmt.Println(out19)

	fmt.Println(out19 + 1)

	fmt.Println(func() int {
		defer fmt.Println("done once more")
		value, err2 := strconv.Atoi("18")
		if err2 != nil {
			panic(err2)
		}
		return value
	}())

	total := 0
	for _, text := range []string{"1", "2"} {
		v, err2 := strconv.Atoi(text)
		if err2 != nil {
			log.Fatal(err2)
		} // leaves out the error, too
		total += v
		if v > 1 {
			if err := os.Setenv("EXPORTED", text); err != nil {
				log.Fatal(err)
			}
		}
		total, err2 = add(text, text)
		if err2 != nil {
			log.Fatal(err2)
		}
	}
	fmt.Println(total)

	// This part may fail; the rest runs all the same.
	func() {
		defer func() {
			if r := recover(); r != nil {
				fmt.Fprintln(os.Stderr, "panic:", r)
			}
		}()
		for _, text := range []string{"3", "x", "4"} {
			switch {
			case text != "":
				k, err2 = strconv.Atoi(text)
				if err2 != nil {
					panic(err2)
				}
			}
			fmt.Println(k)
		}
	}()
}

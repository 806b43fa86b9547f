package main

import "fmt"

type pair struct{ a, b []int }

func slice() (s []int) { s = append(s, 1); return }

func array() (a [2]int, p pair) { a[0]++; p.a = append(p.a, a[0]); return a, p }

func lookup() (m map[string]int, err error) {
	if m == nil {
		m = map[string]int{}
	}
	m["a"]++
	return
}

func deferred() (n int, s []int) {
	defer func() { n++; s = append(s, n) }()
	return
}

func main() {
	literal := func() (x any, f func() int, c chan int, ok bool) {
		if x == nil && f == nil && c == nil && !ok {
			ok = true
		}
		x, f, c = 1, func() int { return 1 }, make(chan int)
		return
	}
	for range 3 {
		fmt.Println(slice())
		fmt.Println(array())
		fmt.Println(lookup())
		fmt.Println(deferred())
		_, _, _, ok := literal()
		fmt.Println(ok)
	}
}

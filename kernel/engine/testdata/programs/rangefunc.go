package main

import (
	"fmt"
)

func count(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				fmt.Print("stop ")
				return
			}
		}
	}
}
func pairs(m []string) func(func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for i, s := range m {
			if !yield(i, s) {
				return
			}
		}
	}
}
func find(n, want int) (int, bool) {
	for i := range count(n) {
		if i == want {
			return i * 10, true
		}
	}
	return -1, false
}
func named(n int) (r int, err error) {
	for i := range count(n) {
		r += i
		if i == 2 {
			return
		}
		if i == 9 {
			return 5, nil
		}
	}
	return
}
func nested() string {
	s := ""
outer:
	for i := range count(4) {
		for j, w := range pairs([]string{"a", "b", "c"}) {
			if j == 1 && i == 1 {
				continue outer
			}
			if i == 2 {
				break outer
			}
			if i == 3 {
				return "no"
			}
			s += fmt.Sprint(i, w)
		}
		s += "|"
	}
	return s
}
func deep() int {
	for i := range count(3) {
		for j := range count(3) {
			if i == 1 && j == 1 {
				return i*10 + j
			}
		}
	}
	return 0
}
func main() {
	fmt.Println(find(5, 3))
	fmt.Println(find(2, 3))
	fmt.Println(named(5))
	fmt.Println(nested())
	fmt.Println(deep())
	for range count(2) {
		fmt.Print("x")
	}
	for i := range count(10) {
		switch {
		case i == 2:
			continue
		case i == 4:
			break
		}
		if i == 5 {
			break
		}
		fmt.Print(i)
	}
	fmt.Println()
	var fs []func() int
	for i := range count(3) {
		fs = append(fs, func() int { return i })
	}
	fmt.Println(fs[0](), fs[2]())
}

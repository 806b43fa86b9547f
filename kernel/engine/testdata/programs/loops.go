package main

import (
	"fmt"
)

func main() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i += 10; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	fmt.Println()
	var ps []*int
	for i, x := range []int{5, 6} {
		ps = append(ps, &x, &i)
	}
	for _, p := range ps {
		fmt.Print(*p, " ")
	}
	fmt.Println()
outer:
	for i := range 4 {
		for j := 0; j < 4; j++ {
			if j == 2 {
				continue outer
			}
			if i == 3 {
				break outer
			}
			fmt.Print(i, j, ";")
		}
	}
	fmt.Println()
	for i := 0; i < 5; i++ {
		if i == 1 {
			continue
		}
		defer func() { fmt.Print("d", i, " ") }()
		if i == 3 {
			i++
		}
	}
	for range 2 {
		fmt.Print("r")
	}
	for i, r := range "héé" {
		fmt.Print(i, string(r), " ")
	}
	m := map[string]int{"a": 1}
	for k, v := range m {
		fmt.Print(k, v)
	}
	for k := range m {
		delete(m, k)
	}
	ch := make(chan int, 3)
	ch <- 1
	ch <- 2
	close(ch)
	for v := range ch {
		fmt.Print(" c", v)
	}
	arr := [3]int{1, 2, 3}
	for i, v := range arr {
		arr[2] = 10
		if i == 2 {
			fmt.Print(" a", v)
		}
	}
	for i := range &arr {
		arr[i]++
	}
	fmt.Println(arr)
	var n uint8 = 3
	for i := range n {
		fmt.Printf("%T%d ", i, i)
	}
	x := 0
	for x < 3 {
		x++
	}
	for {
		x++
		if x > 5 {
			break
		}
	}
	fmt.Println(x)
	k := 0
	for k = range 5 {
		if k == 3 {
			break
		}
	}
	fmt.Println(k)
	goto end
end:
	fmt.Println("end")
}

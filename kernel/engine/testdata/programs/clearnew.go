package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

func main() {
	m := map[string]int{"a": 1, "b": 2}
	clear(m)
	s := []int{1, 2, 3}
	clear(s)
	p := new(5)
	*p++
	q := new("x")
	fmt.Println(len(m), s, *p, *q)
	var arr [5]int
	for i := range arr {
		arr[i] = i * i
	}
	sl := arr[1:4]
	sl[0] = 100
	fmt.Println(arr, len(sl), cap(sl))
	b := append([]byte("ab"), "cd"...)
	fmt.Println(copy(b, "zz"), string(b))
	var nils []int
	nils = append(nils, 1)
	fmt.Println(nils, nils[:0] == nil)
	x := []int{1, 2, 3}
	a4 := [3]int(x)
	x[0] = 9
	fmt.Println(a4, x)
	mat := [][]float64{{1, 2}, {3, 4}}
	var sum float64
	for _, r := range mat {
		for _, v := range r {
			sum += v
		}
	}
	fmt.Println(sum, strings.ToUpper("abc"), strconv.Itoa(5)+"!", math.Floor(2.7))
	if v, err := strconv.Atoi("x1"); err != nil {
		fmt.Println(v, err)
	}
	t := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	fmt.Println(t.Format(time.RFC3339), t.Weekday(), t.Add(24*time.Hour).Day())
	n, err := fmt.Sscanf("5 abc", "%d %s", new(int), new(string))
	fmt.Println(n, err)
	u := uint8(250)
	for i := 0; i < 10; i++ {
		u++
	}
	fmt.Println(u)
	var i8 int8 = 127
	i8++
	fmt.Println(i8, ^0, 5&^1, -5/2, -5%2)
}

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

type Temp float64
type Person struct {
	Name string
	Age  int
}

func main() {
	xs := []int{3, 1, 2, 3}
	slices.Sort(xs)
	fmt.Println(xs, slices.Contains(xs, 2), slices.Index(xs, 3), slices.Max(xs), slices.Min(xs))
	ts := []Temp{2.5, -1, 7}
	slices.Sort(ts)
	fmt.Println(ts, slices.Max(ts))
	ds := []time.Duration{time.Second, time.Millisecond}
	slices.Sort(ds)
	fmt.Println(ds)
	ps := []Person{{"b", 2}, {"a", 2}, {"c", 1}}
	slices.SortFunc(ps, func(a, b Person) int {
		return cmp.Or(cmp.Compare(a.Age, b.Age), strings.Compare(a.Name, b.Name))
	})
	fmt.Println(ps)
	i, ok := slices.BinarySearch(xs, 2)
	fmt.Println(i, ok, slices.Equal(xs, []int{1, 2, 3, 3}), slices.Compact(xs))
	m := map[string]int{"x": 1, "y": 2, "z": 3}
	fmt.Println(slices.Sorted(maps.Keys(m)), slices.Sorted(maps.Values(m)))
	fmt.Println(slices.Collect(maps.Values(map[int]Person{1: {"q", 1}})))
	for i, v := range slices.Backward([]string{"a", "b"}) {
		fmt.Print(i, v, " ")
	}
	for c := range slices.Chunk([]int{1, 2, 3, 4, 5}, 2) {
		fmt.Print(c, " ")
	}
	fmt.Println()
	ys := slices.Insert([]int{1, 4}, 1, 2, 3)
	ys = slices.Delete(ys, 0, 1)
	slices.Reverse(ys)
	fmt.Println(ys, slices.IndexFunc(ys, func(i int) bool { return i == 3 }), slices.Concat(ys, ys), slices.Repeat(ys, 2))
	n := maps.Clone(m)
	maps.DeleteFunc(n, func(k string, v int) bool { return v > 1 })
	fmt.Println(n, maps.Equal(m, n), len(m))
	f := sync.OnceValue(func() int { fmt.Print("once "); return 7 })
	fmt.Println(f(), f())
	e, ok := errors.AsType[*fs.PathError](fmt.Errorf("w: %w", &fs.PathError{Op: "open", Path: "p", Err: fs.ErrNotExist}))
	fmt.Println(e.Op, ok)
	for part := range strings.SplitSeq("a,b,c", ",") {
		fmt.Print(part, ";")
	}
	fmt.Println(slices.ContainsFunc(ps, func(p Person) bool { return p.Name == "c" }), min(cmp.Compare(1, 2), 5))
	people := slices.SortedFunc(slices.Values(ps), func(a, b Person) int { return -cmp.Compare(a.Name, b.Name) })
	fmt.Println(people, slices.MaxFunc(ps, func(a, b Person) int { return cmp.Compare(a.Age, b.Age) }))
}

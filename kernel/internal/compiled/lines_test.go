package compiled

import "sort"

// These functions stand for those of a cell 3. The lines are those of the directives.

func late() {
//line /cell/3:2
	panic("late")
}

type pair struct{ list []int }

func (p *pair) at(i int) int {
//line /cell/3:12
	return p.list[i]
}

func outer() {
	p := new(pair)
	f := func() {
//line /cell/3:22
		p.at(2)
	}
//line /cell/3:24
	f()
}

//go:noinline
func down(n int) int {
	if n == 0 {
//line /cell/3:32
		panic("bottom")
	}
//line /cell/3:34
	return 1 + down(n-1)
}

func last[T any](list []T) T {
//line /cell/3:41
	return list[len(list)-1]
}

func sorted() {
	list := []int{3, 1, 2}
//line /cell/3:50
	sort.Slice(list, func(i, j int) bool {
		return list[i] < list[i+j+5]
	})
}

func ranged() {
	list := []int{1}
//line /cell/3:61
	for i := range count {
		_ = list[i]
	}
}

func count(yield func(int) bool) {
//line /cell/3:71
	for i := 0; yield(i); i++ {
	}
}

// failsAt calls f, which is to fail, with nothing in a list and a map, with a list, and with 7.
// What f does counts as done in this line, which alone is one of a cell.
//
//go:noinline
func failsAt(f func([]int, map[any]int, any, int)) {
//line /cell/3:81
	f(nil, nil, []int{}, 7)
}

func again(list []int) int {
//line /cell/3:91
	defer func() { panic(recover()) }()
//line /cell/3:93
	return list[7]
}

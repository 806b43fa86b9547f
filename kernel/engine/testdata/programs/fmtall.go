package main

import (
	"fmt"
)

type P struct {
	X int
	y string
	Z *int
	F float64
	M map[string]int
	S []string
	I any
	E error
}
type Q struct {
	P
	N  P
	PP *P
}
type T struct{ a, b int }

func (t T) String() string { return fmt.Sprintf("T(%d,%d)", t.a, t.b) }

type PT struct{ v int }

func (p *PT) String() string { return fmt.Sprint("PT", p.v) }

type G struct{ v int }

func (g G) GoString() string { return "G!" }

type Er struct{ c int }

func (e Er) Error() string { return fmt.Sprint("Er", e.c) }

type I8 int8
type Str string
type Bs []byte
type Bool bool
type Cx complex128
type U uint
type Fl float32
type Arr [2]I8
type MM map[T][]T
type Pan struct{}

func (Pan) String() string { panic("oops") }
func main() {
	p := P{X: 1, y: "q", F: 2.5, S: []string{"a"}, I: T{1, 2}, E: Er{3}}
	q := Q{P: p, N: p, PP: nil}
	for _, f := range []string{"%v", "%+v", "%s", "%d"} {
		fmt.Println(fmt.Sprintf("%v", f))
	}
	fmt.Printf("%v|%+v\n", p, p)
	fmt.Printf("%v\n%+v\n", q, q)
	fmt.Printf("%v %s %d %+v %q %x\n", T{1, 2}, T{1, 2}, T{1, 2}, T{1, 2}, T{1, 2}, T{1, 2})
	fmt.Println([]T{{1, 2}}, map[string]T{"a": {3, 4}}, [1]T{}, &T{5, 6}, []*T{}, struct{ V T }{T{7, 8}}, struct{ v T }{T{7, 8}})
	fmt.Println(PT{1}, &PT{2}, []PT{{3}}, struct{ P *PT }{nil})
	fmt.Printf("%v %+v %#v\n", G{1}, G{1}, T{1, 2})
	fmt.Println(Er{1}, []error{Er{2}}, []Er{{3}}, struct{ E error }{Er{4}}, struct{ E Er }{Er{5}})
	fmt.Printf("%v %d %x %X %o %b %c %q %U %5d|%-5d|%05d %+d\n", I8(5), I8(5), I8(10), I8(11), I8(8), I8(5), I8(65), I8(65), I8(65), I8(5), I8(5), I8(5), I8(5))
	fmt.Printf("%v %s %q %x %10s|%-10s|%.2s\n", Str("abc"), Str("abc"), Str("abc"), Str("abc"), Str("abc"), Str("abc"), Str("abc"))
	fmt.Printf("%v %s %x %q\n", Bs("hi"), Bs("hi"), Bs("hi"), Bs("hi"))
	fmt.Printf("%v %t %v %.1f %v %v %e %8.2f|%v\n", Bool(true), Bool(false), Cx(1+2i), Cx(1+2i), U(3), Fl(1.5), Fl(1.5), Fl(1.5), Arr{1, 2})
	fmt.Printf("%T %T %T %T %T %T %T %T\n", p, &p, []T{}, MM{}, I8(1), struct{ A I8 }{}, func(T) *P { return nil }, make(chan T))
	fmt.Printf("%v %v\n", MM{T{2, 1}: {{1, 1}}, T{1, 2}: nil}, map[I8]Str{2: "b", 1: "a"})
	fmt.Printf("%d %s %v\n", []I8{1, 2}, []Str{"x", "y"}, [][]I8{{1}, {2, 3}})
	fmt.Printf("%5v|%-8v|%08v|%x\n", I8(3), Str("ab"), I8(7), []Str{"ab", "c"})
	fmt.Println(fmt.Sprint("a", I8(1), I8(2), "b", Str("c"), T{1, 2}, nil), fmt.Sprintln(I8(1), "x"))
	fmt.Printf("%!|%z %d\n", I8(3))
	fmt.Printf("%d %d\n", I8(1))
	fmt.Printf("%s|%v|%d\n", Pan{}, []Pan{{}}, 3)
	fmt.Printf("%v %v %v\n", (*P)(nil), (*T)(nil) == nil, []*P{nil})
	fmt.Printf("%+v %v\n", struct {
		A I8
		b *int
		c []T
	}{1, nil, []T{{1, 2}}}, [2]struct{ x, y I8 }{})
	fmt.Printf("%6.2f|%t|%v|%s\n", []Fl{1, 2.5}, []Bool{true}, map[Str]Bool{"k": true}, []any{Str("s"), Er{9}, T{0, 1}})
	var np *PT
	fmt.Println(np == nil, Str("") == "", len(Str("abc")), Str("abc")[1:])
	fmt.Printf("%v %+v\n", &q.N, &struct{ Z T }{})
	fmt.Printf("%v %v\n", &[]T{{1, 2}}, &map[string]T{"a": {1, 2}})
	fmt.Printf("%08.3f|%+.2e|%g|%G|%6d|%x|% d|% x|%#x|%#o|%#q\n", Fl(3.14159), 12345.678, 1e21, 1e-7, I8(42), "hi", I8(5), Str("abc"), I8(15), I8(8), Str("q"))
}

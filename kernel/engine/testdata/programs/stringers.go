package main

import (
	"fmt"
)

type Color int

const (
	Red Color = iota
	Green
	Blue
)

func (c Color) String() string { return [...]string{"Red", "Green", "Blue"}[c] }

type P struct {
	C    Color
	n    Color
	Next *P
}
type Temp float64
type List []Color
type M map[Color]string
type E struct{ Color }

func main() {
	fmt.Println(Red, []Color{Red, Blue}, map[Color]int{Green: 1, Red: 2}, P{Green, Blue, nil})
	fmt.Printf("%v %d %s %x %+v %q\n", Blue, Blue, Blue, Blue, P{Red, Green, nil}, Green)
	fmt.Printf("%T %T %T %T\n", Red, P{}, []Color{}, &P{})
	fmt.Printf("%5.1f|%v|%6v|%-8v|\n", Temp(3.25), Temp(2), Green, Red)
	fmt.Println(List{1, 2}, M{Red: "r"}, E{Blue}, &P{C: Red}, [2]Color{1, 1})
	var a any = Green
	fmt.Println(a, a == Green, a == Color(2))
	fmt.Printf("%v %+v\n", []any{Red, "s", 1.5, P{}}, map[string]any{"a": Blue})
	fmt.Printf("%#v %#v %#v\n", P{Red, Green, nil}, Red, List{1})
	s := fmt.Sprint(Red) + fmt.Sprintln(Blue, 3)
	fmt.Print(s)
	var st fmt.Stringer = Green
	fmt.Println(st.String(), st)
	fmt.Printf("%v %s\n", struct {
		A Color
		B string
	}{Red, "x"}, []string{"a", "b"})
	fmt.Printf("%08.3f|%+d|%x|%X|%o|%b|%c|%U|%e|%t|%p\n", 3.14159, 5, 255, 255, 8, 5, 'x', 'x', 12345.678, true, nil)
}

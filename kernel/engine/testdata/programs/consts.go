package main

import (
	"fmt"
	"math"
	"time"
)

const Big = 1 << 100
const (
	KB = 1 << (10 * (iota + 1))
	MB
)

type Weekday int

const (
	Sunday Weekday = iota
	Monday
	_
	Wednesday
)
const F = 1.0 / 3
const S = "abc" + "def"

type Flags uint8

const (
	A Flags = 1 << iota
	B
	C
)

func main() {
	fmt.Println(Big>>98, KB, MB, Monday, Wednesday, F, S, len(S), A|C, C&^A, ^A)
	var d time.Duration = 2 * time.Second
	fmt.Println(d, 1500*time.Millisecond, time.Duration(3)*time.Minute, d/4)
	var u8 uint8 = 200
	u8 += 100
	var i8 int8 = -128
	i8--
	fmt.Println(u8, i8, u8<<1, u8>>1, 7/2, -7/2, -7%3, 7&3, 7|8, 7^2, 1<<3)
	var f32 float32 = 0.1
	fmt.Println(f32, float64(f32), f32*3, 0.1+0.2, 1e100, math.MaxInt64, uint64(math.MaxUint64), math.Pi)
	c := complex(1, 2)
	fmt.Println(c*c, real(c), imag(c), 2i*2i)
	r := 'x'
	fmt.Println(r, string(r), 'a'+1, "s"[0], []byte("hé"), []rune("hé"), string([]byte{65, 66}))
	var x any = 3
	fmt.Printf("%T %T %T %T %T\n", x, 2.5, 'a', 1<<3, 2i)
	n := 5
	fmt.Println(1<<n, uint8(1)<<7, int64(1)<<40, -5>>1, uint32(1)<<n)
	var h float64 = 3
	h /= 2
	h *= 1 << 3
	fmt.Println(h, int(h), int(-2.7*h), math.Sqrt(2), h == 12)
	fmt.Println(min(3, 1, 2), max(2.5, 1), min("b", "a"), max(n, 3), math.Inf(1), -math.MaxFloat64)
	var i interface{} = Monday
	_, isInt := i.(int)
	w, isW := i.(Weekday)
	fmt.Println(isInt, w, isW)
	fmt.Println(5.0/2, 5/2, 5/2.0, 1/3.0)
	const local = 10
	var arr [local]int
	fmt.Println(len(arr), cap(arr[:3]))
}

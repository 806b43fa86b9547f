package main

import (
	"errors"
	"fmt"
	"time"
)

type K int

func classify(x any) string {
	switch v := x.(type) {
	case nil:
		return "nil"
	case int, int64:
		return fmt.Sprintf("int %v", v)
	case string:
		return "string " + v
	case []int:
		return fmt.Sprint("slice ", len(v))
	case map[string]any:
		return fmt.Sprint("map ", len(v))
	case error:
		return "error " + v.Error()
	case fmt.Stringer:
		return "stringer " + v.String()
	case func(int) int:
		return fmt.Sprint("func ", v(2))
	case K:
		return "K"
	case *K:
		return "*K"
	case bool:
		if v {
			return "T"
		}
		return "F"
	default:
		return fmt.Sprintf("other %T", v)
	}
}
func main() {
	k := K(1)
	for _, x := range []any{nil, 1, int64(2), "s", []int{1}, map[string]any{"a": 1}, errors.New("e"), time.Second, func(i int) int { return i * 2 }, k, &k, true, 1.5, []string{}} {
		fmt.Println(classify(x))
	}
	for i := 0; i < 6; i++ {
		switch {
		case i == 0:
			fmt.Print("zero ")
			fallthrough
		case i == 1:
			fmt.Print("one ")
		case i > 3:
			if i == 5 {
				break
			}
			fmt.Print("big ")
		default:
			fmt.Print("def ")
		}
	}
	switch x := 5; x {
	case 1, 2:
		fmt.Println("a")
	case 5:
		fmt.Println("five")
	}
	switch s := "b"; {
	case s == "b":
		fmt.Println("b")
	}
	switch k {
	case 1:
		fmt.Println("K1")
	case 2:
	}
	var e error
	switch e {
	case nil:
		fmt.Println("nil error")
	}
	switch f := func() int { return 3 }; f() {
	case 3:
		fmt.Println("three")
	}
	var a any = "q"
	switch a {
	case 1:
		fmt.Println("1")
	case "q":
		fmt.Println("q")
	case K(1):
		fmt.Println("k")
	}
	n, ok := a.(int)
	fmt.Println(n, ok)
	func() { defer func() { fmt.Println(recover()) }(); _ = a.(int) }()
	func() { defer func() { fmt.Println(recover()) }(); var b any = k; _ = b.(string) }()
	func() { defer func() { fmt.Println(recover()) }(); var b any; _ = b.(K) }()
}

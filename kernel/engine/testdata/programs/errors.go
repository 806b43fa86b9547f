package main

import (
	"errors"
	"fmt"
)

type NotFound struct{ Name string }

func (e *NotFound) Error() string { return e.Name + " not found" }

type Code int

func (c Code) Error() string { return fmt.Sprintf("code %d", int(c)) }

var ErrX = errors.New("x")

func find(s string) error {
	if s == "" {
		return ErrX
	}
	if s == "c" {
		return Code(4)
	}
	if s == "ok" {
		return nil
	}
	return &NotFound{s}
}

type wrapped struct {
	msg string
	err error
}

func (w wrapped) Error() string { return w.msg + ": " + w.err.Error() }
func (w wrapped) Unwrap() error { return w.err }
func main() {
	for _, s := range []string{"", "c", "ok", "z"} {
		err := find(s)
		var nf *NotFound
		var c Code
		w := wrapped{"w", err}
		if err == nil {
			fmt.Println("nil")
			continue
		}
		fmt.Println(err, errors.Is(err, ErrX), errors.As(err, &nf), errors.As(err, &c), err == Code(4), errors.Is(w, ErrX), errors.As(w, &nf))
		if nf != nil {
			fmt.Println(nf.Name)
		}
		fmt.Printf("%v %s %q %d\n", w, w, w, c)
		switch e := err.(type) {
		case *NotFound:
			fmt.Println("notfound", e.Name)
		case Code:
			fmt.Println("code", int(e))
		default:
			fmt.Println("other", e)
		}
	}
	e := fmt.Errorf("a: %w", &NotFound{"q"})
	var nf *NotFound
	fmt.Println(errors.As(e, &nf), nf.Name, errors.Unwrap(e) == error(nf))
	j := errors.Join(Code(1), ErrX)
	fmt.Println(errors.Is(j, Code(1)), errors.Is(j, Code(2)), errors.Is(j, ErrX))
	var nilp *NotFound
	var err error = nilp
	fmt.Println(err == nil)
}

// Package sample exports one of each kind.
package sample

import (
	"io"
	io2 "testing/iotest"
)

const (
	Untyped  = 1 << 40
	Exact    = 1.0 / 3
	Name     = "a\"b"
	Yes      = true
	Typed    = Kind(3)
	unlisted = 0
)

type Kind uint8

type Alias = io.Reader

type Pair[K comparable, V any] struct {
	Key   K
	Value V
}

type Number interface{ ~int | ~float64 }

type hidden struct{}

type Shape interface {
	io.Closer
	Area(scale float64, names ...string) (area float64, err error)
	Hidden(hidden) int
	Wrap(r io.Reader, pairs map[string]Pair[string, int]) *Kind
	String() string
	seal()
}

var Default Shape

func Plain(w io.Writer) error { return io2.ErrTimeout }

func Generic[T Number](x T) T { return x }

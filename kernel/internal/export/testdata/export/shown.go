package main

import (
	"fmt"
	"time"

	"github.com/hierml/notebook/stdlib/nb"
	"gonum.org/v1/gonum/mat"
)

type P struct{ X, y int }

type Q struct {
	P
	Z []P
}

type N int

type G[T any] struct{ V T }

type St struct{ A int }

func (s St) String() string { return "St!" }

func pair() (P, *P, int) { return P{}, nil, 3 }

func main() {
	nb.Display(P{1, 2})

	nb.Display(&P{1, 2})

	nb.Display(Q{})

	nb.Display([]P{{1, 2}})

	nb.Display(N(3))

	nb.Display(G[int]{3})

	var p *P
	nb.Display(p)

	nb.Display(pair())

	nb.Display([]any{P{1, 2}, N(4)})

	nb.Display(St{1})

	nb.Display([]St{{1}})

	nb.Display(time.Second)

	nb.Display(fmt.Sprintf("%T %T", P{}, &G[string]{}))

	var none error
	nb.Display(none)

	nb.Display("line\n")

	nb.Display("")

	nb.Display([]byte("text"))

	nb.Display(mat.NewDense(2, 2, []float64{1, 2, 3, 4}))

	fmt.Print("no end of line ")
	nb.Display(P{})
}

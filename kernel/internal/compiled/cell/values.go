package cell

// Reached records that n of the cell's statements have run. It is not inlined, like the functions
// in print.go.
//
//go:noinline
func Reached(n int) { host().Reached(n) }

// Show shows the values of the cell's last expression. It omits the last of several if lastIsError
// is set and it is nil. It is not inlined, like the functions in print.go.
//
//go:noinline
func Show(lastIsError bool, values ...any) {
	if n := len(values); lastIsError && n > 1 && values[n-1] == nil {
		values = values[:n-1]
	}
	host().Show(values)
}

// Failed ends the cell with a panic if err is not nil. A statement at line and column of the cell
// leaves out the error.
func Failed(err error, cell, line, column int) {
	if err != nil {
		host().Failed(err, cell, line, column)
		panic(err)
	}
}

// Kept returns one of the values that a cell has shown, by its index among them.
func Kept[T any](cell, index int) T {
	v := host().Kept(cell, index)
	t, ok := v.(T)
	if !ok && v != nil {
		host().Convert(cell, v, &t)
	}
	return t
}

// Tuple1, Tuple2 and Tuple3 are the results of a call, the last of which is an error.
type (
	Tuple1[A any] struct {
		a   A
		err error
	}
	Tuple2[A, B any] struct {
		a   A
		b   B
		err error
	}
	Tuple3[A, B, C any] struct {
		a   A
		b   B
		c   C
		err error
	}
)

// Results1, Results2 and Results3 combine the results of a call.
func Results1[A any](a A, err error) Tuple1[A]            { return Tuple1[A]{a, err} }
func Results2[A, B any](a A, b B, err error) Tuple2[A, B] { return Tuple2[A, B]{a, b, err} }
func Results3[A, B, C any](a A, b B, c C, err error) Tuple3[A, B, C] {
	return Tuple3[A, B, C]{a, b, c, err}
}

// Stop1, Stop2 and Stop3 return the results of a call at line and column of the cell, which leaves
// out its error. If the error is not nil, they end the cell, as Failed does.
func Stop1[A any](cell, line, column int, t Tuple1[A]) A {
	Failed(t.err, cell, line, column)
	return t.a
}

func Stop2[A, B any](cell, line, column int, t Tuple2[A, B]) (A, B) {
	Failed(t.err, cell, line, column)
	return t.a, t.b
}

func Stop3[A, B, C any](cell, line, column int, t Tuple3[A, B, C]) (A, B, C) {
	Failed(t.err, cell, line, column)
	return t.a, t.b, t.c
}

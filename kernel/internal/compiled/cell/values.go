package cell

// Reached notes that n of the cell's statements are done.
func Reached(n int) { host().Reached(n) }

// Show shows the values of the cell's last expression. The last of several is left out if
// lastIsError is set and it is nil.
func Show(lastIsError bool, values ...any) {
	if n := len(values); lastIsError && n > 1 && values[n-1] == nil {
		values = values[:n-1]
	}
	host().Show(values)
}

// Failed ends the cell if an error is not nil that a statement at line and column of the cell
// leaves out. It panics with the error.
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

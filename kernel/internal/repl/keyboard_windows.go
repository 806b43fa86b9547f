package repl

import "errors"

// A keyboard would be between the terminal and the library that reads keys.
type keyboard struct{}

// openKeyboard returns an error: Windows has no terminal that could be put in between.
func openKeyboard() (*keyboard, error) {
	return nil, errors.New("hierml repl has no editor on Windows. Use a notebook, or pipe the input")
}

func (*keyboard) close() error { return nil }

func (*keyboard) listen() (stop func() error, err error) {
	return nil, errors.ErrUnsupported
}

func (*keyboard) begin() {}

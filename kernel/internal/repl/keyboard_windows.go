package repl

import "errors"

// A keyboard would stand between the terminal and the library that reads keys.
type keyboard struct{}

// openKeyboard refuses: there is no terminal here that could be put in between.
func openKeyboard() (*keyboard, error) {
	return nil, errors.New("the editor of hierml repl is not there on Windows; use a notebook, or give the input by a pipe")
}

func (*keyboard) close() error { return nil }

func (*keyboard) listen() (stop func() error, err error) {
	return nil, errors.ErrUnsupported
}

func (*keyboard) begin() {}

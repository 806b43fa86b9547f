package stdlib

// Unavailable returns why cells cannot import a package of the standard library, nil if they can or
// there is none of that path.
func Unavailable(path string) error {
	if reason := unavailable[path]; reason != "" {
		return &ImportError{Path: path, Reason: reason}
	}
	return nil
}

// unavailable says of packages of the standard library that cells cannot import them, and why.
var unavailable = map[string]string{
	"C":                      "cells hold no C; compiled cells can import a package of a module that does",
	"plugin":                 "a plugin has to be built together with the program that opens it",
	"runtime/cgo":            "it serves code that cgo has compiled",
	"runtime/race":           "it does nothing in a program that is not built with -race",
	"runtime/coverage":       "it serves programs that are built with -cover",
	"testing/cryptotest":     "it changes the random numbers of the whole process, for tests that go test runs",
	"crypto/mlkem/mlkemtest": "it serves the tests of package crypto/mlkem",
	"time/tzdata":            "time zones are those of the system",
	"net/http/pprof":         "it would serve the profiles of every session on the default HTTP server",
	"expvar":                 "it would serve the variables of every session on the default HTTP server",
}

package stdlib

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/hierml/notebook/stdlib/internal/std"
)

var later = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(std.Later) {
		all[strings.TrimSpace(line)] = true
	}
	return all
})

// Later says which release of Go has a package of the standard library or, if name is not empty, a
// name of it, or a method or field "Type.Name", if that of this program has not; else it returns
// nothing.
func (imp *archiveImporter) Later(path, name string) string {
	if !later()[strings.TrimSpace(path+" "+name)] {
		return ""
	}
	return fmt.Sprintf("%s has it; this program was built by %s", std.LaterRelease, strings.Replace(runtime.Version(), "go", "Go ", 1))
}

// Unavailable returns why cells cannot import a package of the standard library, nil if they can or
// there is none of that path.
func Unavailable(path string) error {
	if reason := unavailable[path]; reason != "" {
		return &ImportError{Path: path, Reason: reason}
	}
	if reason := Importer.(*archiveImporter).Later(path, ""); reason != "" {
		return &ImportError{Path: path, Reason: reason}
	}
	return nil
}

// unavailable says of packages of the standard library that cells cannot import them, and why.
var unavailable = map[string]string{
	"C":                      "cells cannot contain C; compiled cells can import a package of a module that contains C",
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

package magic

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// Args prints the arguments of the cells, os.Args[1:]: %args.
func Args() { say("%q", os.Args[1:]) }

// SetArgs sets the arguments of the cells, os.Args[1:]: %args ARGUMENT... Package flag begins anew,
// so that flags can be declared and parsed once more.
func SetArgs(args ...string) {
	os.Args = append(os.Args[:1:1], args...)
	NewFlags()
}

// NewFlags has package flag begin anew, as in the process of a program. A program that has no name
// of its own is called main.
func NewFlags() {
	name := os.Args[0]
	if own, err := os.Executable(); err == nil && filepath.Base(own) == filepath.Base(name) {
		name = "main"
	}
	flag.CommandLine = flag.NewFlagSet(name, flag.ExitOnError)
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "Usage of %s:\n", flag.CommandLine.Name())
		flag.PrintDefaults()
	}
	flag.CommandLine.Usage = func() { flag.Usage() }
}

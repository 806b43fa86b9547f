package magic

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// Args prints the arguments of the cells, os.Args[1:]: %args.
func Args() { say("%q", os.Args[1:]) }

// SetArgs sets the arguments of the cells, os.Args[1:]: %args ARGUMENT... It resets package flag,
// so that flags can be declared and parsed again.
func SetArgs(args ...string) {
	os.Args = append(os.Args[:1:1], args...)
	NewFlags()
}

// NewFlags resets package flag, as in a new process. A program without a name is called main.
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

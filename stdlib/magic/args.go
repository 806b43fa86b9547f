package magic

import (
	"flag"
	"os"
)

// Args prints the arguments of the cells, os.Args[1:]: %args.
func Args() { say("%q", os.Args[1:]) }

// SetArgs sets the arguments of the cells, os.Args[1:]: %args ARGUMENT... Package flag begins anew, so
// that flags can be declared and parsed once more.
func SetArgs(args ...string) {
	os.Args = append(os.Args[:1:1], args...)
	flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	flag.CommandLine.Usage = func() { flag.Usage() }
}

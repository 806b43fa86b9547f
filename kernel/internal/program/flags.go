package program

import (
	"errors"
	"flag"
	"sync"
)

// exitingSets holds the flag sets that exit on errors while ParseFlags makes them return these. A
// set stays here if code that it called, such as Usage, exited.
var exitingSets sync.Map // keys are *flag.FlagSet

// ParseFlags parses arguments as (*flag.FlagSet).Parse does, but calls exit, which does not return,
// where that would end the process.
func ParseFlags(set *flag.FlagSet, arguments []string, exit func(status int)) error {
	exits, err := parseFlags(set, arguments)
	switch {
	case err == nil || !exits:
		return err
	case errors.Is(err, flag.ErrHelp):
		exit(0)
	}
	exit(2)
	return err
}

// parseFlags parses arguments and returns the error also if the set exits on errors, and whether it
// does.
func parseFlags(set *flag.FlagSet, arguments []string) (exits bool, err error) {
	if set.ErrorHandling() == flag.ExitOnError {
		exitingSets.Store(set, nil)
		set.Init(set.Name(), flag.ContinueOnError)
		defer func() {
			set.Init(set.Name(), flag.ExitOnError)
			exitingSets.Delete(set)
		}()
	}
	_, exits = exitingSets.Load(set)
	return exits, set.Parse(arguments)
}

package worker

import (
	"os"
	"strings"

	"github.com/hierml/notebook/kernel/internal/program"
)

// causeOfDeath says in one line why the process ended, from the last words of the Go run time, if
// any, and from the exit state. If it called os.Exit, exit has the status.
func causeOfDeath(lastWords string, state *os.ProcessState) (cause string, exit *program.ExitError) {
	for line := range strings.Lines(lastWords) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "runtime: goroutine stack exceeds"), line == "fatal error: stack overflow":
			return "stack overflow", nil
		case strings.HasPrefix(line, "fatal error: "):
			cause := strings.TrimPrefix(line, "fatal error: ")
			if cause == "runtime: out of memory" || strings.Contains(cause, "cannot allocate memory") {
				return "out of memory", nil
			}
			if strings.HasPrefix(cause, "unexpected signal") {
				continue
			}
			return cause, nil
		case strings.HasPrefix(line, "panic: "):
			return "panic in a goroutine: " + strings.TrimPrefix(line, "panic: "), nil
		case strings.HasPrefix(line, "Exception 0x"): // on Windows
			number, _, _ := strings.Cut(strings.TrimPrefix(line, "Exception "), " ")
			return "exception " + number, nil
		case strings.HasPrefix(line, "SIG"), strings.HasPrefix(line, "[signal SIG"):
			signal, _, _ := strings.Cut(strings.TrimPrefix(line, "[signal "), ":")
			return signal, nil
		}
	}
	if state == nil {
		return "it ended without a message", nil
	}
	switch by := fate(state); {
	case by != "":
		return by, nil
	case state.Exited():
		exit = &program.ExitError{Status: state.ExitCode()}
		return exit.Error(), exit
	}
	return state.String(), nil
}

// isLastWords reports whether the text begins like the Go run time's report of a dying process.
func isLastWords(text string) bool {
	for line := range strings.Lines(text) {
		for _, prefix := range []string{"runtime: goroutine stack exceeds", "fatal error: ", "panic: ", "SIG", "unexpected fault", "Exception 0x"} {
			if strings.HasPrefix(line, prefix) {
				return true
			}
		}
	}
	return false
}

package program_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// TestExitError looks for the status of os.Exit in what becomes of it.
func TestExitError(t *testing.T) {
	death := &program.DeathError{Cause: "exit status 3", Exit: &program.ExitError{Status: 3}}
	for _, tt := range []struct {
		err    error
		status int // -1 for none
	}{
		{program.Exited(0), 0},
		{&program.Error{Name: "exit", Cause: program.Exited(2)}, 2},
		{&program.Error{Name: "WorkerDied", Cause: death}, 3},
		{&program.RuntimeError{Name: "exit", Message: "runtime.Goexit ended the goroutine of the cell"}, -1},
		{&program.DeathError{Cause: "stack overflow"}, -1},
		{fmt.Errorf("a command: exit status 3"), -1},
	} {
		status := -1
		var exit *program.ExitError
		if errors.As(tt.err, &exit) {
			status = exit.Status
		}
		if status != tt.status {
			t.Errorf("%v: status %d, want %d", tt.err, status, tt.status)
		}
	}
}

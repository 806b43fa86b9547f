//go:build unix

package worker

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/machine"
	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/program"
)

func needsMemory(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is read in /proc")
	}
	if raceEnabled {
		t.Skip("the race detector takes several times the memory of the program")
	}
}

func TestMemoryLimit(t *testing.T) {
	needsMemory(t)
	p := startWith(t, Config{Memory: 300 << 20})
	mustRun(t, p, cellOf(1, "set x=1"))
	for i := range 2 {
		var out recorder
		_, err := p.Run(t.Context(), cellOf(2+i, "grow 2000"), &out)
		var stopped *program.StoppedError
		if !errors.As(err, &stopped) || stopped.Name != "OutOfMemory" || !strings.Contains(stopped.Message, "more than the limit of 315 MB") {
			t.Fatalf("got %v", err)
		}
	}
	shown, err := p.Run(t.Context(), cellOf(4, "get x"), &recorder{})
	if err != nil || shown.Data["text/plain"] != "1" {
		t.Fatalf("got %v, %v", shown, err)
	}
	for _, prog := range []*program.Program{
		cellOf(5, "hold 500"),                  // at once
		cellOf(6, "hold 310", "gate never"),    // and it does not end
		cellOf(7, "go hold 500", "gate never"), // in a goroutine
	} {
		_, err := p.Run(t.Context(), prog, &recorder{})
		var death *program.DeathError
		if !errors.As(err, &death) || !strings.HasPrefix(death.Cause, "out of memory: it used ") {
			t.Errorf("%q: got %v", prog.Source, err)
		}
	}
	// What fits is not disturbed.
	if got := mustRun(t, p, cellOf(8, "hold 200", "out a", "release", "hold 200", "out b")); got != "stdout: ab" {
		t.Errorf("got %s", got)
	}
}

func TestMemoryOfABackgroundGoroutine(t *testing.T) {
	needsMemory(t)
	p := startWith(t, Config{Memory: 200 << 20})
	mustRun(t, p, cellOf(1, "hold 120", "go gate go ; hold 500"))
	mustRun(t, p, cellOf(2, "open go"))
	testrun.Await(t, "the child dies", func() bool {
		_, err := p.Run(t.Context(), cellOf(3, "out a"), &recorder{})
		var death *program.DeathError
		return errors.As(err, &death) && strings.HasPrefix(death.Cause, "out of memory")
	})
}

func TestLimit(t *testing.T) {
	if got := limit(-1); got != 0 {
		t.Errorf("limit(-1) = %d", got)
	}
	if got := limit(5); got != 5 {
		t.Errorf("limit(5) = %d", got)
	}
	if got, want := limit(0), machine.Memory()/5*4; got != want {
		t.Errorf("limit(0) = %d, want %d", got, want)
	}
}

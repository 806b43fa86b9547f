package engine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/interpreted/trusted"
	"github.com/hierml/notebook/kernel/internal/program"
)

var (
	randomPrograms = flag.Int("random", usualRandom(), "how many random programs are run")
	keepWhole      = flag.Bool("whole", false, "whether random programs that differ are not made smaller")
	randomSeed     = flag.Uint64("seed", 1, "the seed of the first of them")
)

// usualRandom is how many are run if nobody says how many.
func usualRandom() int {
	if testrun.Long() {
		return 2000
	}
	return 200
}

// together is how many programs are built as one, to learn what they print.
const together = 250

// TestRandomPrograms runs programs that nobody wrote: what they print in a session that begins with
// compiled cells is what they print when the Go compiler has compiled them.
func TestRandomPrograms(t *testing.T) {
	testrun.LeaveOutShort(t)
	if enginetest.Raced {
		t.Skip("what the compiler says does not depend on the race detector")
	}
	runRandom(t, randomProgram, func(t *testing.T) *notebook {
		return newWorkerNotebook(t, program.AutoMode, func(c *engine.Config) { c.Prepared = func() bool { return true } })
	})
}

// TestTrustedPrograms runs programs of what is on the list of package trusted in the interpreter.
func TestTrustedPrograms(t *testing.T) {
	testrun.LeaveOutShort(t)
	if enginetest.Raced {
		t.Skip("what the compiler says does not depend on the race detector")
	}
	if own := len(trustedShapes()) - len(ownTrustedShapes); own < 8 {
		t.Errorf("only %d of %d shapes are on the list", own, len(shapes))
	}
	runRandom(t, trustedProgram, func(t *testing.T) *notebook { return newNotebook(t) })
}

// TestTrustedProgramsAreOnTheList holds that the programs of TestTrustedPrograms show something of
// the list.
func TestTrustedProgramsAreOnTheList(t *testing.T) {
	for seed := range uint64(20) {
		source := trustedProgram(seed)
		checked, err := enginetest.NewSession().Check(program.Cell{Number: 1, Source: source + "\nmain()"})
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		if found := trusted.Outside(checked); len(found) > 0 {
			t.Errorf("program %d: %s\n%s", seed, found[0].Name, source)
		}
		if lines := strings.Count(source, "\n"); lines < 200 {
			t.Errorf("program %d has %d lines", seed, lines)
		}
	}
}

// runRandom runs programs in sessions, many in each, and shows the smallest one it finds that prints
// something else than it should.
func runRandom(t *testing.T, write func(seed uint64) string, begin func(t *testing.T) *notebook) {
	for first := 0; first < *randomPrograms; first += together {
		var programs []enginetest.Example
		for i := first; i < min(first+together, *randomPrograms); i++ {
			seed := *randomSeed + uint64(i)
			programs = append(programs, enginetest.Example{Name: fmt.Sprint(seed), Source: write(seed)})
		}
		t.Run(programs[0].Name, func(t *testing.T) {
			outputs := compileRecovering(t, programs)
			n := begin(t)
			for i, p := range programs {
				got := n.printed(p.Source, sourcesOf(programs[i+1:]))
				if got == outputs[p.Name] {
					continue
				}
				t.Errorf("program %s prints\n%s\nand not\n%s", p.Name, got, outputs[p.Name])
				if *keepWhole {
					continue
				}
				smallest := shrink(p.Source, func(source string) bool {
					want, ok := printedByGo(t, source)
					return ok && begin(t).printed(source, nil) != want
				})
				t.Fatalf("the smallest program that differs:\n%s", smallest)
			}
		})
	}
}

func sourcesOf(programs []enginetest.Example) func() []string {
	return func() (texts []string) {
		for _, p := range programs {
			texts = append(texts, p.Source+"\nmain()")
		}
		return texts
	}
}

// printed returns what a program prints, and by what it ends, as the program does that
// compileRecovering makes of it.
func (n *notebook) printed(source string, next func() []string) string {
	n.cell++
	r := &enginetest.Recorder{}
	_, err := n.engine.Run(context.Background(), program.Cell{Number: n.cell, Source: source + "\nmain()", Next: next}, r)
	text := r.Out()
	var failed *program.RuntimeError
	switch {
	case errors.As(err, &failed):
		text += "panic: " + failed.Message + "\n"
	case err != nil:
		text += "refused: " + err.Error() + "\n"
	}
	return text
}

// compileRecovering is compile of programs that may end by a panic, which is printed.
func compileRecovering(t *testing.T, programs []enginetest.Example) map[string]string {
	t.Helper()
	main := strings.Replace(plainMain, "	programs[i]()\n", "	defer func() {\n		if r := recover(); r != nil {\n			fmt.Println(\"panic:\", r)\n		}\n	}()\n	programs[i]()\n", 1)
	outputs := enginetest.Outputs(t, programs, main, func(p enginetest.Example, pkg string) (string, error) {
		return strings.Replace(p.Source, "package main\n", "package "+pkg+"\n", 1), nil
	})
	byName := map[string]string{}
	for i, p := range programs {
		byName[p.Name] = outputs[i]
	}
	return byName
}

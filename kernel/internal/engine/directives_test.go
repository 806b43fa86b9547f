package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestGoVersion runs programs whose line //go:build asks for a version of Go, in which the rounds
// of a loop have one variable, or one each.
func TestGoVersion(t *testing.T) {
	const loop = "import \"fmt\"\nfunc main() {\n\tvar fs []func() int\n\tfor i := 0; i < 3; i++ {\n\t\tfs = append(fs, func() int { return i })\n\t}\n" +
		"\tfor _, f := range fs {\n\t\tfmt.Print(f())\n\t}\n}\nmain()"
	inModes(t, []program.Mode{program.InterpretedMode, program.CompiledMode}, func(t *testing.T, mode program.Mode) {
		for _, c := range []struct{ first, want, err string }{
			{"//go:build go1.21\n\n", "333", ""},
			{"// old\n//go:build linux && go1.20\n", "333", ""},
			{"//go:build go1.22\n", "012", ""},
			{"//go:build linux\n", "012", ""},
			{"var x = 1\n//go:build go1.21\n", "012", ""},
			{"//go:build go1.21\nimport \"maps\"\nvar m = maps.Keys(map[int]int{})\nfunc f() { for range m { } }\n", "", "go1.23"},
		} {
			n := newWorkerNotebook(t, mode)
			r := &enginetest.Recorder{}
			_, err := n.engine.Run(context.Background(), program.Cell{Number: 1, Source: c.first + loop, Plain: true}, r)
			var failed *program.Error
			if c.want == "333" && mode == program.InterpretedMode {
				if !errors.As(err, &failed) || failed.Name != "Refused" || !strings.Contains(failed.Message, "//go:build") {
					t.Errorf("%q: %v, want a refusal", c.first, err)
				}
				continue
			}
			if c.err == "" && (err != nil || r.Out() != c.want) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("%q: %q, %v, want %q %s", c.first, r.Out(), err, c.want, c.err)
			}
		}
	})
}

// TestGoVersionOfCell refuses to run a cell that asks for the loops of an older version.
func TestGoVersionOfCell(t *testing.T) {
	n := newNotebook(t)
	for _, first := range []string{"//go:build go1.21\n", "//go:build linux && go1.18\n"} {
		if _, _, err := n.run(first + "x := 1"); err == nil || !strings.Contains(err.Error(), ":1:1: cells have the loops of go1.22, and this line asks for those of go1.") {
			t.Errorf("%q: %v, want a refusal", first, err)
		}
	}
	for _, first := range []string{"//go:build go1.22\n", "//go:build linux\n", "var y = 1\n//go:build go1.21\n"} {
		if _, _, err := n.run(first + "x := 1"); err != nil {
			t.Errorf("%q: %v", first, err)
		}
	}
}

// TestDirectives has functions with directives for the compiler.
func TestDirectives(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	n.run(`import "unsafe"
func setup(c chan string, text string) unsafe.Pointer {
	s := text
	runtime.SetFinalizer(&s, func(p *string) { *p = "gone" })
	return unsafe.Pointer(&s)
}
//go:noinline

//go:uintptrescapes
func kept(p uintptr, c chan string) {
	runtime.GC()
	runtime.GC()
	c <- *(*string)(unsafe.Pointer(p))
}
type T struct{}

//go:noinline
//go:uintptrescapes
func (T) kept(p uintptr, c chan string) { kept(p, c) }
c := make(chan string, 1)`)
	for _, cell := range []string{
		"kept(uintptr(setup(c, \"kept\")), c)", "func() { kept(uintptr(setup(c, \"kept\")), c) }()", "go kept(uintptr(setup(c, \"kept\")), c)",
		"func() { defer kept(uintptr(setup(c, \"kept\")), c) }()", "T{}.kept(uintptr(setup(c, \"kept\")), c)",
	} {
		if shown, _, err := n.run(cell + "\n<-c"); err != nil || shown != "kept" {
			t.Errorf("%s: %q, %v", cell, shown, err)
		}
	}
	if _, _, err := n.run("//go:nosplit\n//go:noescape\nfunc f() { }"); err == nil || !strings.Contains(err.Error(), "//go:noescape") {
		t.Errorf("%v", err)
	}
}

// TestInlinedInstances has functions that inline instances of generic functions: those that the
// program has itself, beside others.
func TestInlinedInstances(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	value, _, err := n.run(`xs := []int{5, 2, 9}
slices.SortFunc(xs, func(x, y int) int { return cmp.Compare(x&7, y&7)*8 + cmp.Compare(x, y) })
ys := []float32{5, 2, 9}
slices.SortFunc(ys, func(x, y float32) int { return cmp.Compare(y, x) })
type size uint16
fmt.Sprint(xs, ys, cmp.Compare(size(1), size(2)), cmp.Compare("a", "b"))`)
	if err != nil || value != "[9 2 5] [9 5 2] -1 -1" {
		t.Errorf("%q, %v", value, err)
	}
}

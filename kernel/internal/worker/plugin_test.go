//go:build unix

package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/testprogram"
	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/program"
)

// A compiledSession runs units in a worker of the whole program.
type compiledSession struct {
	*Process
	builder *toolchain.Builder
	cell    int
}

func newCompiledSession(t testing.TB) *compiledSession {
	t.Helper()
	p := testprogram.Open(t, false)
	kit, err := p.Kit()
	if err != nil {
		t.Fatal(err)
	}
	b, err := kit.NewBuilder()
	if err != nil {
		t.Fatal(err)
	}
	process, err := Start(Config{Command: []string{p.File, "worker"}, Grace: time.Second})
	if err != nil {
		t.Fatal(errors.Join(err, b.Close()))
	}
	t.Cleanup(func() {
		if err := errors.Join(process.Close(), b.Close()); err != nil {
			t.Error(err)
		}
	})
	return &compiledSession{process, b, 0}
}

// run builds and runs a cell of declarations and statements. What it writes and shows comes first,
// then the value.
func (s *compiledSession) run(t testing.TB, ctx context.Context, declarations, statements string) (string, error) {
	t.Helper()
	s.cell++
	path := fmt.Sprintf("%s%d", toolchain.Prefix, s.cell)
	source := fmt.Sprintf(`package main

import (
	"fmt"
	"os"
	"runtime/debug"
	cellˑ "github.com/hierml/notebook/kernel/internal/compiled/cell"
	standardˑ "github.com/hierml/notebook/kernel/internal/compiled/standard"
)

var _, _ = fmt.Sprint, os.Args
var _, _ = standardˑ.Of, debug.SetMaxStack

//line /cell/%[1]d:1
%[2]s
func runˑ() {
//line /cell/%[1]d:21
%[3]s
}
func init() { cellˑ.Register(%[4]q, cellˑ.Code{Run: runˑ}) }
`, s.cell, declarations, statements, path)
	file, err := s.builder.Build(ctx, []toolchain.Unit{{Path: path, Source: source}})
	if err != nil {
		t.Fatal(err)
	}
	var out recorder
	shown, err := s.Run(ctx, &program.Program{Cell: s.cell, Compiled: &program.Compiled{Units: program.Units{Plugin: file, Paths: []string{path}}, Run: path}}, &out)
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the plugin's file is left: %v", err)
	}
	text := out.String()
	if shown != nil {
		text += fmt.Sprint("=> ", shown.Data["text/plain"])
	}
	return text, err
}

func TestCompiled(t *testing.T) {
	s := newCompiledSession(t)
	for _, tt := range []struct{ declarations, statements, want string }{
		{"", `cellˑ.Show(false, 1 + 1)`, "=> 2"},
		{"type point struct{ x int }", `cellˑ.FmtPrintf("%T\n", point{}); fmt.Fprint(standardˑ.Of(os.Stderr), "e"); cellˑ.FmtPrint("o"); cellˑ.Println(1.5, "b")`,
			"stdout: main.point\n|stderr: e|stdout: o|stderr: 1.5 b\n"},
		{"", `fmt.Print("itself")`, "stdout: itself"},
	} {
		got, err := s.run(t, t.Context(), tt.declarations, tt.statements)
		if err != nil || got != tt.want {
			t.Errorf("%s\nshows %q, %v\nwant  %q", tt.statements, got, err, tt.want)
		}
	}

	_, err := s.run(t, t.Context(), "func f(list []int) int {\n\treturn list[2]\n}", "f(nil)")
	var failure *program.RuntimeError
	if !errors.As(err, &failure) || fmt.Sprint(failure.Frames) != fmt.Sprint([]program.Frame{{Function: "f", Cell: s.cell, Line: 2, Operation: "index"}, {Cell: s.cell, Line: 21, Operation: "call"}}) {
		t.Errorf("%v, %+v", err, failure.Frames)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := s.run(t, ctx, "", "for { cellˑ.Check() }"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if got, err := s.run(t, t.Context(), "", `cellˑ.Show(false, "on")`); err != nil || got != "=> on" {
		t.Errorf("after an interrupt: %q, %v", got, err)
	}
}

// What compiled cells cannot be kept from doing ends the worker, and the error says where it was.
func TestCompiledDeath(t *testing.T) {
	for name, tt := range map[string]struct{ declarations, statements, cause, where string }{
		"stack overflow":                       {"func f(n int) int {\n\treturn f(n+1) + 1\n}", "debug.SetMaxStack(1 << 20)\nf(0)", "stack overflow", "f"},
		"panic of a goroutine without a guard": {"", "go func() {\n\tpanic(\"alone\")\n}()\ncellˑ.Sleep(1<<40)", "panic in a goroutine: alone", "func"},
		"concurrent writes":                    {"", "m := map[int]int{}\nfor range 4 {\n\tgo func() {\n\t\tfor {\n\t\t\tm[1]++\n\t\t}\n\t}()\n}\ncellˑ.Sleep(1<<40)", "concurrent map ", "func"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newCompiledSession(t)
			_, err := s.run(t, t.Context(), tt.declarations, tt.statements)
			var death *program.DeathError
			if !errors.As(err, &death) || !strings.HasPrefix(death.Cause, tt.cause) {
				t.Fatalf("%v", err)
			}
			if len(death.Frames) == 0 || death.Frames[0].Function != tt.where || death.Frames[0].Line == 0 {
				t.Errorf("frames %+v", death.Frames)
			}
		})
	}
}

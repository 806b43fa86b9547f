package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// archives returns the programs of testdata/programs.
func archives(t testing.TB) map[string][]enginetest.Example {
	t.Helper()
	return enginetest.Archives(t, filepath.Join("testdata", "programs"))
}

// TestPrograms runs whole programs as one cell in the interpreter. What they print is what they
// print when the Go compiler has compiled them, or they are refused with a sentence.
func TestPrograms(t *testing.T) {
	for archive, programs := range archives(t) {
		t.Run(archive, func(t *testing.T) {
			if *enginetest.Update {
				write(t, archive, programs)
			}
			for _, p := range programs {
				t.Run(p.Name, func(t *testing.T) {
					enginetest.SkipGoroutines(t, p.Source)
					checkProgram(t, newNotebook(t), p)
				})
			}
		})
	}
}

func checkProgram(t *testing.T, n *notebook, p enginetest.Example) {
	_, out, err := n.run(p.Source + "\nmain()")
	if p.Refusal != "" && n.mode == program.InterpretedMode {
		var e *program.Error
		if !errors.As(err, &e) || e.Name != "Refused" || !strings.Contains(e.Message, p.Refusal) {
			t.Errorf("%v, want a refusal: %s", err, p.Refusal)
		}
		return
	}
	if err != nil {
		t.Errorf("%v\n%s", err, strings.Join(traceback(err), "\n"))
	}
	if out != p.Want {
		t.Errorf("prints:\n%s\nwant:\n%s", out, p.Want)
	}
}

// TestProgramsAreGo holds that the outputs in the archives are those of the programs that go build
// makes of them. With the race detector it holds that the programs that start goroutines are free
// of races, whose outputs are chance.
func TestProgramsAreGo(t *testing.T) {
	testrun.LeaveOutShort(t)
	everything := slices.DeleteFunc(enginetest.Joined(archives(t)), func(p enginetest.Example) bool {
		return enginetest.Raced && !enginetest.StartsGoroutines(p.Source)
	})
	outputs := compile(t, everything)
	for _, p := range everything {
		if outputs[p.Name] != p.Want {
			t.Errorf("%s prints:\n%s\nwant:\n%s", p.Name, outputs[p.Name], p.Want)
		}
	}
}

// compile returns what the programs print, by their names.
func compile(t *testing.T, programs []enginetest.Example) map[string]string {
	t.Helper()
	outputs := enginetest.Outputs(t, programs, plainMain, func(p enginetest.Example, pkg string) (string, error) {
		return strings.Replace(p.Source, "package main\n", "package "+pkg+"\n", 1), nil
	})
	byName := map[string]string{}
	for i, p := range programs {
		byName[p.Name] = outputs[i]
	}
	return byName
}

const plainMain = `package main

import (
	"fmt"
	"os"
	"strconv"
)

%s
var programs = []func(){
%s}

func main() {
	os.Stdout.WriteString("\x00")
	i, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs[i]()
}
`

// write writes an archive with the outputs of its compiled programs.
func write(t *testing.T, name string, programs []enginetest.Example) {
	t.Helper()
	file := filepath.Join("testdata", "programs", name+".txtar")
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	outputs := compile(t, programs)
	archive.Files = nil
	for i, p := range programs {
		programs[i].Want = outputs[p.Name]
		want := outputs[p.Name]
		if p.Refusal != "" {
			want = "refused: " + p.Refusal + "\n" + want
		}
		archive.Files = append(archive.Files, txtar.File{Name: p.Name + ".go", Data: []byte(p.Source)}, txtar.File{Name: p.Name + ".out", Data: []byte(want)})
	}
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

func traceback(err error) []string {
	var e *program.Error
	if errors.As(err, &e) {
		return e.Traceback
	}
	return nil
}

package engine_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/program"
)

var update = flag.Bool("update", false, "write the golden files anew")

// An example is a whole package main of an archive in testdata/programs, and
// what it prints when it is compiled. A first line "refused: " in the output
// holds part of the sentence with which the engine refuses to interpret it.
type example struct {
	name    string
	source  string
	refusal string
	want    string
}

// archives returns the programs of each archive, by the archive's name.
func archives(t testing.TB) map[string][]example {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "programs", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	all := map[string][]example{}
	for _, file := range files {
		all[strings.TrimSuffix(filepath.Base(file), ".txtar")] = readPrograms(t, file)
	}
	return all
}

// readPrograms returns the programs of an archive.
func readPrograms(t testing.TB, file string) []example {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var programs []example
	outputs := map[string]string{}
	for _, f := range archive.Files {
		if name, ok := strings.CutSuffix(f.Name, ".go"); ok {
			programs = append(programs, example{name: name, source: string(f.Data)})
		} else if name, ok := strings.CutSuffix(f.Name, ".out"); ok {
			outputs[name] = string(f.Data)
		} else {
			t.Fatalf("%s: %s is neither a program nor an output", file, f.Name)
		}
	}
	for i, p := range programs {
		want, ok := outputs[p.name]
		if !ok && !*update {
			t.Fatalf("%s: no output of %s; -update asks go run", file, p.name)
		}
		if rest, ok := strings.CutPrefix(want, "refused: "); ok {
			programs[i].refusal, want, _ = strings.Cut(rest, "\n")
		}
		programs[i].want = want
		delete(outputs, p.name)
	}
	for name := range outputs {
		t.Fatalf("%s: an output of %s, and no such program", file, name)
	}
	return programs
}

// TestPrograms runs whole programs as one cell in the interpreter. What they print is what they
// print when the Go compiler has compiled them, or they are refused with a
// sentence.
func TestPrograms(t *testing.T) {
	for archive, programs := range archives(t) {
		t.Run(archive, func(t *testing.T) {
			if *update {
				write(t, archive, programs)
			}
			for _, p := range programs {
				t.Run(p.name, func(t *testing.T) {
					skipGoroutines(t, p.source)
					p.check(t, newNotebook(t))
				})
			}
		})
	}
}

func (p example) check(t *testing.T, n *notebook) {
	_, out, err := n.run(p.source + "\nmain()")
	if p.refusal != "" && n.mode == program.InterpretedMode {
		var e *program.Error
		if !errors.As(err, &e) || e.Name != "Refused" || !strings.Contains(e.Message, p.refusal) {
			t.Errorf("%v, want a refusal: %s", err, p.refusal)
		}
		return
	}
	if err != nil {
		t.Errorf("%v\n%s", err, strings.Join(traceback(err), "\n"))
	}
	if out != p.want {
		t.Errorf("prints:\n%s\nwant:\n%s", out, p.want)
	}
}

// TestProgramsAreGo holds that the outputs in the archives are those of the
// programs that go build makes of them. With the race detector it holds that the
// programs that start goroutines are free of races, whose outputs are chance.
func TestProgramsAreGo(t *testing.T) {
	testrun.LeaveOutShort(t)
	all := archives(t)
	var everything []example
	for archive, programs := range all {
		for _, p := range programs {
			if raced && !goStatement.MatchString(p.source) {
				continue
			}
			p.name = archive + "/" + p.name
			everything = append(everything, p)
		}
	}
	outputs := compile(t, everything)
	for _, p := range everything {
		if outputs[p.name] != p.want {
			t.Errorf("%s prints:\n%s\nwant:\n%s", p.name, outputs[p.name], p.want)
		}
	}
}

// compile returns what the programs print, by their names.
func compile(t *testing.T, programs []example) map[string]string {
	t.Helper()
	binary := buildPrograms(t, programs, plainMain, func(p example, pkg string) (string, error) {
		return strings.Replace(p.source, "package main\n", "package "+pkg+"\n", 1), nil
	})
	outputs := make([]string, len(programs))
	runPrograms(programs, func(i int, p example) { outputs[i] = runBuilt(t, binary, i, p) })
	byName := map[string]string{}
	for i, p := range programs {
		byName[p.name] = outputs[i]
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
func write(t *testing.T, name string, programs []example) {
	t.Helper()
	file := filepath.Join("testdata", "programs", name+".txtar")
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	outputs := compile(t, programs)
	archive.Files = nil
	for i, p := range programs {
		programs[i].want = outputs[p.name]
		want := outputs[p.name]
		if p.refusal != "" {
			want = "refused: " + p.refusal + "\n" + want
		}
		archive.Files = append(archive.Files, txtar.File{Name: p.name + ".go", Data: []byte(p.source)}, txtar.File{Name: p.name + ".out", Data: []byte(want)})
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

package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/hierml/notebook/kernel/internal/engine"
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
	if p.refusal != "" && n.mode == engine.InterpretedMode {
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
	dir := t.TempDir()
	// The programs are packages of this module only for the length of the
	// build, so that they may import what cells may.
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"build", "-ldflags=-s -w", "-overlay=" + filepath.Join(dir, "overlay.json"), "-o", dir + string(filepath.Separator)}
	if raced {
		args = append(args, "-race")
	}
	for i, p := range programs {
		text := filepath.Join(dir, strings.ReplaceAll(p.name, "/", "_")+".go")
		if err := os.WriteFile(text, []byte(p.source), 0o644); err != nil {
			t.Fatal(err)
		}
		pkg := fmt.Sprintf("p%d.exe", i)
		overlay.Replace[filepath.Join(here, "testdata", "compiled", pkg, "main.go")] = text
		args = append(args, "./testdata/compiled/"+pkg)
	}
	encoded, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), encoded, 0o644); err != nil {
		t.Fatal(err)
	}
	// What the test's end leaves behind would link on for minutes.
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-5*time.Second))
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the programs do not compile: %v\n%s", err, out)
	}
	outputs := map[string]string{}
	var mu sync.Mutex
	var running sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i, p := range programs {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			cmd := exec.Command(filepath.Join(dir, fmt.Sprintf("p%d.exe", i)))
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("%s: %v\n%s", p.name, err, &stderr)
			}
			mu.Lock()
			defer mu.Unlock()
			outputs[p.name] = string(out)
		})
	}
	running.Wait()
	return outputs
}

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

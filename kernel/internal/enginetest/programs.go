package enginetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// An Example is a whole package main of an archive of programs.
type Example struct {
	Name, Source string
	// Refusal is part of the sentence with which the engine refuses to interpret it; empty if it
	// does not. In the archive it is the first line of the output, after "refused: ".
	Refusal string
	// Want is its output when it is compiled.
	Want string
}

// Archives returns the programs of each archive of a folder, by the archive's name.
func Archives(t testing.TB, folder string) map[string][]Example {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	all := map[string][]Example{}
	for _, file := range files {
		all[strings.TrimSuffix(filepath.Base(file), ".txtar")] = ReadArchive(t, file)
	}
	return all
}

// Joined returns the programs of all archives, each name prefixed with that of its archive, in the
// order of the archives' names. [Outputs] then has the packages of the same programs under the same
// names, and finds them in the cache of the go command.
func Joined(archives map[string][]Example) []Example {
	var all []Example
	for _, archive := range slices.Sorted(maps.Keys(archives)) {
		for _, p := range archives[archive] {
			p.Name = archive + "/" + p.Name
			all = append(all, p)
		}
	}
	return all
}

// ReadArchive returns the programs of one archive.
func ReadArchive(t testing.TB, file string) []Example {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var programs []Example
	outputs := map[string]string{}
	for _, f := range archive.Files {
		if name, ok := strings.CutSuffix(f.Name, ".go"); ok {
			programs = append(programs, Example{Name: name, Source: string(f.Data)})
		} else if name, ok := strings.CutSuffix(f.Name, ".out"); ok {
			outputs[name] = string(f.Data)
		} else {
			t.Fatalf("%s: %s is neither a program nor an output", file, f.Name)
		}
	}
	for i, p := range programs {
		want, ok := outputs[p.Name]
		if !ok && !*Update {
			t.Fatalf("%s: no output of %s; -update asks go run", file, p.Name)
		}
		if rest, ok := strings.CutPrefix(want, "refused: "); ok {
			programs[i].Refusal, want, _ = strings.Cut(rest, "\n")
		}
		programs[i].Want = want
		delete(outputs, p.Name)
	}
	for name := range outputs {
		t.Fatalf("%s: an output of %s, and no such program", file, name)
	}
	return programs
}

// Outputs returns what programs print that are built as one: each is a package, whose text become
// returns, and main is package main up to the imports and the list of the programs, which runs that
// of them whose index is its argument.
func Outputs(t *testing.T, programs []Example, main string, become func(p Example, pkg string) (string, error)) []string {
	t.Helper()
	binary := build(t, programs, main, become)
	outputs := make([]string, len(programs))
	var running sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i, p := range programs {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			outputs[i] = run(t, binary, i, p)
		})
	}
	running.Wait()
	return outputs
}

// builtPath is where the programs are packages of this module for the length of a build.
const builtPath = "github.com/hierml/notebook/kernel/internal/enginetest/built"

// builtName returns the name of a program's package, which has the same length as the correct one:
// the output may depend on that.
func builtName(i int) string {
	return fmt.Sprintf("ma%c%c", 'a'+i/26, 'A'+i%26)
}

// build returns the program of Outputs: one link for them all.
func build(t *testing.T, programs []Example, main string, become func(p Example, pkg string) (string, error)) string {
	t.Helper()
	dir := t.TempDir()
	module, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(strings.TrimSpace(string(module)), "kernel", "internal", "enginetest", "built")
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	add := func(name, text string) {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(folder, name)] = file
	}
	var imports, table strings.Builder
	for i, p := range programs {
		text, err := become(p, builtName(i))
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		// Packages are initialized when the process begins, and whatever that prints belongs to one
		// program only.
		calls, inits := "", 0
		text = initFunction.ReplaceAllStringFunc(text, func(string) string {
			inits++
			calls += fmt.Sprintf("init%dˑ(); ", inits)
			return fmt.Sprintf("func init%dˑ() {", inits)
		})
		add(builtName(i)+"/main.go", text+"\nfunc Mainˑ() { "+calls+"main() }\n")
		fmt.Fprintf(&imports, "import %q\n", builtPath+"/"+builtName(i))
		fmt.Fprintf(&table, "\t%s.Mainˑ,\n", builtName(i))
	}
	add("main.go", fmt.Sprintf(main, imports.String(), table.String()))
	encoded, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), encoded, 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "programs.exe")
	begin := time.Now()
	args := []string{"build", "-ldflags=-s -w", "-overlay=" + filepath.Join(dir, "overlay.json"), "-o", binary}
	if Raced {
		args = append(args, "-race")
	}
	if out, err := exec.CommandContext(t.Context(), "go", append(args, builtPath)...).CombinedOutput(); err != nil {
		t.Fatalf("the programs do not compile: %v\n%s", err, out)
	}
	t.Logf("built %d programs in %v", len(programs), time.Since(begin).Round(time.Millisecond))
	return binary
}

var initFunction = regexp.MustCompile(`(?m)^func init\(\) \{`)

// run returns the output of a program in binary. Types print with the name of its own package,
// which differs from the correct one.
func run(t *testing.T, binary string, i int, p Example) string {
	cmd := exec.Command(binary, fmt.Sprint(i))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: %v: %s", p.Name, err, &stderr)
	}
	_, printed, _ := strings.Cut(string(out), "\x00")
	pkg := builtName(i) + "."
	printed = strings.ReplaceAll(printed, builtPath+"/"+pkg, "main.")
	return strings.ReplaceAll(printed, pkg, "main.")
}

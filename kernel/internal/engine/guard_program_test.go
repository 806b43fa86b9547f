package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/stdlib"
)

// TestGuardedPrograms holds that programs with guards compile, and print what
// they print without.
func TestGuardedPrograms(t *testing.T) {
	testrun.LeaveOutShort(t)
	if raced {
		t.Skip("what the compiler says does not depend on the race detector")
	}
	all := archives(t)
	all["guard"] = uninterpreted(t)
	var programs []example
	for archive, list := range all {
		for _, p := range list {
			p.name = archive + "/" + p.name
			programs = append(programs, p)
		}
	}
	binary := buildPrograms(t, programs, guardedMain, func(p example, pkg string) (string, error) {
		return engine.Guarded(p.source, pkg, stdlib.Importer)
	})
	runPrograms(programs, func(i int, p example) {
		if got := runBuilt(t, binary, i, p); got != p.want {
			t.Errorf("%s prints:\n%s\nwant:\n%s", p.name, got, p.want)
		}
	})
}

// runPrograms runs programs, as many at once as there are processors.
func runPrograms(programs []example, run func(i int, p example)) {
	var running sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i, p := range programs {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			run(i, p)
		})
	}
	running.Wait()
}

// uninterpreted returns programs that the interpreter is wrong about.
func uninterpreted(t testing.TB) []example {
	t.Helper()
	return readPrograms(t, filepath.Join("testdata", "guard", "programs.txtar"))
}

// builtPath is where the programs are packages of this module for the length
// of a build.
const builtPath = "github.com/hierml/notebook/kernel/internal/engine/testdata/guarded"

// builtName returns the name of a program's package, which is as long as the
// one that it should have: what it prints may depend on that.
func builtName(i int) string {
	return fmt.Sprintf("ma%c%c", 'a'+i/26, 'A'+i%26)
}

// buildPrograms returns a program that runs that of the programs whose index is
// its argument: one link for them all. Each is a package, whose text become returns; main is package main up to the
// imports and the list of the programs.
func buildPrograms(t *testing.T, programs []example, main string, become func(p example, pkg string) (string, error)) string {
	t.Helper()
	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	add := func(name, text string) {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(here, "testdata", "guarded", name)] = file
	}
	var imports, table strings.Builder
	for i, p := range programs {
		text, err := become(p, builtName(i))
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		// Packages are initialized when the process begins, and whatever that
		// prints belongs to one program only.
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
	binary := filepath.Join(dir, "guarded.exe")
	begin := time.Now()
	args := []string{"build", "-ldflags=-s -w", "-overlay=" + filepath.Join(dir, "overlay.json"), "-o", binary}
	if raced {
		args = append(args, "-race")
	}
	if out, err := exec.CommandContext(t.Context(), "go", append(args, "./testdata/guarded")...).CombinedOutput(); err != nil {
		t.Fatalf("the programs do not compile: %v\n%s", err, out)
	}
	t.Logf("built %d programs in %v", len(programs), time.Since(begin).Round(time.Millisecond))
	return binary
}

var initFunction = regexp.MustCompile(`(?m)^func init\(\) \{`)

const guardedMain = `package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/hierml/notebook/kernel/internal/compiled"
)

%s
var programs = []func(){
%s}

func main() {
	runner := compiled.New(compiled.Config{})
	os.Stdout.WriteString("\x00")
	i, err := strconv.Atoi(os.Args[1])
	if err == nil {
		err = runner.Do(context.Background(), 1, programs[i])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`

// runBuilt returns what a program of those in binary prints. Types print as those of its own
// package, which has another name than it should.
func runBuilt(t *testing.T, binary string, i int, p example) string {
	cmd := exec.Command(binary, fmt.Sprint(i))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: %v: %s", p.name, err, &stderr)
	}
	_, printed, _ := strings.Cut(string(out), "\x00")
	pkg := builtName(i) + "."
	printed = strings.ReplaceAll(printed, builtPath+"/"+pkg, "main.")
	return strings.ReplaceAll(printed, pkg, "main.")
}

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

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/stdlib"
)

// TestGuardedPrograms holds that programs with guards compile, and print what
// they print without.
func TestGuardedPrograms(t *testing.T) {
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
	binary := buildGuarded(t, programs)
	var running sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i, p := range programs {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if got := runGuarded(t, binary, i, p); got != p.want {
				t.Errorf("%s prints:\n%s\nwant:\n%s", p.name, got, p.want)
			}
		})
	}
	running.Wait()
}

// uninterpreted returns programs that the interpreter is wrong about.
func uninterpreted(t testing.TB) []example {
	t.Helper()
	return readPrograms(t, filepath.Join("testdata", "guard", "programs.txtar"))
}

// guardedPath is where the programs are packages of this module for the length
// of a build.
const guardedPath = "github.com/hierml/notebook/kernel/internal/engine/testdata/guarded"

// guardedName returns the name of a program's package, which is as long as the
// one that it should have: what it prints may depend on that.
func guardedName(i int) string {
	return fmt.Sprintf("ma%c%c", 'a'+i/26, 'A'+i%26)
}

// buildGuarded returns a program that runs those of the programs whose indexes
// are its arguments, with guards, by the runner of compiled cells.
func buildGuarded(t *testing.T, programs []example) string {
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
		text, err := engine.Guarded(p.source, guardedName(i), stdlib.Importer)
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
		add(guardedName(i)+"/main.go", text+"\nfunc Mainˑ() { "+calls+"main() }\n")
		fmt.Fprintf(&imports, "import %q\n", guardedPath+"/"+guardedName(i))
		fmt.Fprintf(&table, "\t%s.Mainˑ,\n", guardedName(i))
	}
	add("main.go", fmt.Sprintf(guardedMain, imports.String(), table.String()))
	encoded, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), encoded, 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "guarded.exe")
	begin := time.Now()
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-overlay="+filepath.Join(dir, "overlay.json"), "-o", binary, "./testdata/guarded").CombinedOutput(); err != nil {
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

// runGuarded returns what a program prints. Types print as those of its own
// package, which has another name than it should.
func runGuarded(t *testing.T, binary string, i int, p example) string {
	cmd := exec.Command(binary, fmt.Sprint(i))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: %v: %s", p.name, err, &stderr)
	}
	_, printed, _ := strings.Cut(string(out), "\x00")
	pkg := guardedName(i) + "."
	printed = strings.ReplaceAll(printed, guardedPath+"/"+pkg, "main.")
	return strings.ReplaceAll(printed, pkg, "main.")
}

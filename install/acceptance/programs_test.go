package acceptance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hierml/notebook/install/internal/cut"
	"github.com/hierml/notebook/internal/testprogram"
	"github.com/hierml/notebook/internal/testrun"
	"github.com/hierml/notebook/internal/testrun/given"
)

var (
	chosenPrograms = flag.String("programs", "", "run the programs of HIERML_PROGRAMS whose source and name match this `EXPRESSION`")
	apartPrograms  = flag.Bool("apart", false, "cut the programs at every declaration, methods too")
	keptResults    = flag.String("results", "", "write what each program did to this `FILE`, a line of JSON each")
)

// programSeconds is after how long a program is ended.
const programSeconds = 60

// A ranProgram is what a program did, as cells or by itself.
type ranProgram struct {
	ID string
	// Of a program cut into cells: what its cells wrote, and the error of the one that failed.
	Stdout, Stderr, Ename, Evalue string
	Late                          bool   // it was ended
	Failure                       string // of the test itself
}

// A knownProgram is what go does, as the file says that is beside the programs.
type knownProgram struct {
	Build    string // why it does not build
	Status   int    `json:"rc"`
	Out, Err string
	Late     bool  `json:"to"`
	SameOut  *bool `json:"det_out"` // not if what it writes differs from run to run
}

// byRule are the rules of the chapter on language by which programs that are cut into cells differ
// from what go does, each with what the programs call for that do so.
var byRule = []struct{ rule, calls string }{
	{"code that asks what runs", `runtime\.(Callers?|FuncForPC|Stack)\b|debug\.(Stack|PrintStack)\b|log\.L(short|long)file|AddSource|slog\.(New|NewRecord)`},
	{"counts of goroutines and of memory", `runtime\.(ReadMemStats|NumGoroutine)\b`},
	{"variables live on", `runtime\.(SetFinalizer|AddCleanup)\b|weak\.`},
	{"each cell has a goroutine", `debug\.SetPanicOnFault|runtime\.LockOSThread`},
	{"runtime.Goexit", `runtime\.Goexit`},
	{"a goroutine whose cell is over panics", `(?s)go func\(\).*panic\(`},
	{"no C", `"runtime/cgo"|import "C"`},
	{"the loops of an older Go", `(?m)^//go:build .*go1\.([0-9]|1[0-9]|2[01])\b`},
	{"main and init are no variables", `\b(main|init)\s*:?= `},
	{"variables at the top are those of a package", `(?m)^\ts = append\(s, s\)`},
	{"addresses, which Go leaves open", `&\w+ [!=]= \w+|uintptr\(unsafe\.Pointer\(&\w+\)\) [<>]`},
}

// TestGivenProgramsAsCells cuts the programs in the folder of HIERML_PROGRAMS into cells, runs each
// through jupyter_client in a kernel of its own, and compares it with what go does. The folder has
// programs as corpus/SOURCE/NAME/*.go and what go does as truth/SOURCE/NAME.json (see
// knownProgram). With -apart each declaration and method has a cell.
//
//	HIERML_PROGRAMS=FOLDER go test -v -timeout 2h -run ProgramsAsCells ./install/acceptance -programs regress/ -results /tmp/ran.jsonl
func TestGivenProgramsAsCells(t *testing.T) {
	if *chosenPrograms == "" {
		testrun.LeaveToLong(t, "some thousands of programs take most of an hour")
	}
	folder := given.Folder(t, given.Programs)
	interpreter, data := jupyter(t), kernelData(t)
	if _, err := testprogram.Open(t, false).Kit(); err != nil {
		t.Fatal(err)
	}
	sources := strangers(t, folder)
	var input bytes.Buffer
	encoder := json.NewEncoder(&input)
	cells := cut.Cells
	if *apartPrograms {
		cells = cut.Apart
	}
	for _, id := range slices.Sorted(maps.Keys(sources)) {
		cells, err := cells(sources[id])
		if err != nil {
			t.Logf("%s is left out: %v", id, err)
			continue
		}
		program := map[string]any{"id": id, "folder": filepath.Join(folder, "corpus", id), "cells": slices.Insert(cells, 0, "%strict")}
		if err := encoder.Encode(program); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	private := t.TempDir()
	cmd := interpreter.Command(ctx, private, script(t, "programs.py"), "hierml", strconv.Itoa(runtime.NumCPU()), strconv.Itoa(programSeconds))
	cmd.Env = append(cmd.Env, seeing(data, private)...)
	cmd.Stdin = &input
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	if *keptResults != "" {
		if err := os.WriteFile(*keptResults, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	counts := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<30)
	for lines.Scan() {
		var ran ranProgram
		if err := json.Unmarshal(lines.Bytes(), &ran); err != nil {
			t.Fatalf("the script printed %q: %v", lines.Bytes(), err)
		}
		source, _, _ := strings.Cut(ran.ID, "/")
		counts[source+" "+judge(t, folder, ran, sources[ran.ID])]++
	}
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%s: %d", what, counts[what])
	}
}

// strangers returns the texts of the chosen programs.
func strangers(t *testing.T, folder string) map[string]string {
	t.Helper()
	chosen, err := regexp.Compile(*chosenPrograms)
	if err != nil {
		t.Fatal(err)
	}
	corpus := filepath.Join(folder, "corpus")
	files, err := filepath.Glob(filepath.Join(corpus, "*", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range files {
		id, err := filepath.Rel(corpus, filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		if !chosen.MatchString(filepath.ToSlash(id)) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.ToSlash(id)] = string(text)
	}
	if len(texts) == 0 {
		t.Fatalf("no programs in %s match %q", corpus, *chosenPrograms)
	}
	return texts
}

// judge compares what a program did as cells with what go does, and reports what differs by no
// rule.
func judge(t *testing.T, folder string, ran ranProgram, source string) string {
	content, err := os.ReadFile(filepath.Join(folder, "truth", filepath.FromSlash(ran.ID)+".json"))
	if errors.Is(err, os.ErrNotExist) {
		return "is not known"
	}
	var known knownProgram
	if err == nil {
		err = json.Unmarshal(content, &known)
	}
	if err != nil {
		t.Fatal(err)
	}
	if known.Build != "" || known.Late {
		return "is none that go runs to its end"
	}
	differs := difference(known, ran)
	if differs == "" {
		return "same"
	}
	for _, r := range byRule {
		if regexp.MustCompile(r.calls).MatchString(source) {
			return "differs by the rule: " + r.rule
		}
	}
	t.Errorf("%s: %s", ran.ID, differs)
	return "differs"
}

// strict is what the first cell of each program says.
const strict = "strict is on: as in Go, an unassigned error does not stop the cell; %strict off turns it off\n"

var exited = regexp.MustCompile(`exit status (\d+)`)

// difference says how a program that was run as cells differs from what go does; empty if it is the
// same. Panics end a program by a status, and a cell by an error.
func difference(known knownProgram, ran ranProgram) string {
	status := 0
	switch m := exited.FindStringSubmatch(ran.Evalue); {
	case ran.Failure != "":
		return ran.Failure
	case ran.Late:
		return "it does not end"
	case ran.Ename == "CompileError", ran.Ename == "Refused":
		return "refused: " + ran.Evalue
	case m != nil:
		status, _ = strconv.Atoi(m[1]) // it consists of digits
	case ran.Ename != "":
		status = 2
	}
	if status != known.Status {
		return fmt.Sprintf("status %d, want %d: %s %s", status, known.Status, ran.Ename, ran.Evalue)
	}
	if status == 2 && !strings.Contains(known.Err, firstLine(ran.Evalue)) {
		return fmt.Sprintf("it panics with %q, want %q", ran.Evalue, known.Err)
	}
	if known.SameOut != nil && !*known.SameOut {
		return ""
	}
	out := strings.TrimPrefix(ran.Stdout, strict)
	if !slices.Equal(sortedLines(out), sortedLines(known.Out)) {
		return fmt.Sprintf("it writes %q, want %q", out, known.Out)
	}
	if status == 0 && strings.TrimSpace(ran.Stderr) != strings.TrimSpace(known.Err) {
		return fmt.Sprintf("it writes to standard error %q, want %q", ran.Stderr, known.Err)
	}
	return ""
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// sortedLines are the lines of a text without their order, which goroutines do not keep.
func sortedLines(text string) []string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return lines
}

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// kernelDriver measures a kernel as its client. It needs jupyter_client.
//
//go:embed driver/kernel.py
var kernelDriver []byte

// kernelTook is what a kernel took: seconds to its first reply, bytes of memory then, and seconds
// of a cell.
type kernelTook struct{ Start, Memory, Cell float64 }

const (
	startsOfKernel = 10 // whose median is one value
	cellsOfKernel  = 30 // the same
)

// smallCells are cells in Go and in Python. {i} is another number each time: what ran before is not
// compiled again.
var smallCells = map[string][2]string{
	"1+1":            {"1+{i}", "1+{i}"},
	"x := 1":         {"x := {i}", "x = {i}"},
	"fmt.Println(1)": {"fmt.Println({i})", "print({i})"},
}

// kernelRows are the rows on what a user of the kernel waits for.
var kernelRows = append(slices.Concat(
	kernelRow("start to first reply", "s", 0.1, []string{"start"}, func(t kernelTook) float64 { return t.Start }),
	kernelRow("memory then", "MB", 50, []string{"start"}, func(t kernelTook) float64 { return t.Memory / 1e6 }),
	kernelRow("small cell", "ms", 25, slices.Sorted(maps.Keys(smallCells)), func(t kernelTook) float64 { return t.Cell * 1e3 }),
), contest{row: "size of the program", unit: "MB", goal: 50, cases: []string{"go build"}, once: sizeOfProgram})

// kernelRow is a row whose values are to be at most a goal, and one that compares them with those
// of ipykernel.
func kernelRow(row, unit string, goal float64, cases []string, value func(kernelTook) float64) []contest {
	measure := func(ctx context.Context, s *speed, name string, peer bool) (took, error) {
		var values []float64
		cell, starts, cells := smallCells[name], 1, cellsOfKernel
		if cell[0] == "" {
			starts, cells = startsOfKernel, 0
		}
		for range starts {
			t, err := s.kernel(ctx, cell, cells, peer)
			if err != nil {
				return took{}, err
			}
			values = append(values, value(t))
		}
		return took{Value: median(values)}, nil
	}
	mine := contest{row: "kernel, " + row, unit: unit, goal: goal, client: true, cases: cases}
	mine.once = func(ctx context.Context, s *speed, name string) (mine, theirs took, err error) {
		mine, err = measure(ctx, s, name, false)
		return mine, theirs, err
	}
	both := contest{row: "kernel, " + row + ", both", unit: unit, peer: "ipykernel", goal: 1, cases: cases}
	both.once = func(ctx context.Context, s *speed, name string) (mine, theirs took, err error) {
		if mine, err = measure(ctx, s, name, false); err == nil {
			theirs, err = measure(ctx, s, name, true)
		}
		return mine, theirs, err
	}
	return []contest{mine, both}
}

// kernel starts this program's kernel, or the peer's, and has it run a small cell several times.
func (s *speed) kernel(ctx context.Context, cell [2]string, cells int, peer bool) (t kernelTook, err error) {
	driver := filepath.Join(s.folder, "kernel.py")
	if err := os.WriteFile(driver, kernelDriver, 0o600); err != nil {
		return t, err
	}
	command, text := []string{s.python, "-m", "ipykernel_launcher", "-f", "{file}"}, cell[1]
	if !peer {
		program, err := s.hierml(ctx)
		if err != nil {
			return t, err
		}
		command, text = []string{program, "kernel", "{file}"}, cell[0]
	}
	cmd := exec.CommandContext(ctx, s.python, append([]string{driver, text, strconv.Itoa(cells)}, command...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &t)
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", command[0], err)
	}
	return t, nil
}

// hierml returns the program that -program names, or builds it once.
func (s *speed) hierml(ctx context.Context) (string, error) {
	if s.program != "" {
		return filepath.Abs(s.program)
	}
	program := filepath.Join(s.folder, "hierml")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/hierml/notebook/kernel").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

func sizeOfProgram(ctx context.Context, s *speed, _ string) (mine, theirs took, err error) {
	program, err := s.hierml(ctx)
	if err != nil {
		return mine, theirs, err
	}
	info, err := os.Stat(program)
	if err != nil {
		return mine, theirs, err
	}
	return took{Value: float64(info.Size()) / 1e6}, theirs, nil
}

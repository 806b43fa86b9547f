// Package turned writes a copy of yaegi for the kernel in a page of a browser, where one thread does
// everything: interpreted code takes a turn (package internal/turn) every thousand steps or so, and
// deep recursion does not fill the stack of the browser.
//
// yaegi itself stays as it is, for all else: the copy stands for it in one build, by a go.mod of its
// own.
package turned

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/hierml/notebook/internal/process"
)

const yaegi = "github.com/traefik/yaegi"

// A change replaces a piece of yaegi's interp/run.go, which has to be there once.
type change struct{ old, new string }

var changes = []change{
	{
		"		for exec := n.exec; exec != nil && f.runid() == n.interp.runid(); {\n			exec = exec(f)\n		}\n",
		"		enterCall()\n		for exec := n.exec; exec != nil && f.runid() == n.interp.runid(); {\n			takeStep()\n			exec = exec(f)\n		}\n",
	},
	{
		"	defer func() {\n		f.mutex.Lock()\n		f.recovered = recover()\n",
		"	calls++\n	defer func() {\n		calls--\n		f.mutex.Lock()\n		f.recovered = recover()\n",
	},
}

// added is a file besides.
const added = `package interp

import (
	"runtime"
	_ "unsafe" // for go:linkname
)

//go:linkname take github.com/hierml/notebook/internal/turn.Take
func take()

//go:linkname deep github.com/hierml/notebook/internal/turn.Deep
func deep()

// mostCalls is how many calls may be under way before it is said that they are nested too deep.
const mostCalls = 50_000

var (
	steps uint32 // that were taken
	calls uint32 // that are under way, in all goroutines
)

// takeStep lets others run now and then.
func takeStep() {
	if steps++; steps%1024 == 0 {
		take()
	}
}

// enterCall empties the browser's stack now and then: a call of Go is one there as well, whose
// stack has no room for many and is free whenever another goroutine runs.
func enterCall() {
	if calls%mostCalls == 0 {
		deep()
	}
	if calls%100 == 0 {
		runtime.Gosched()
	}
}
`

// Write writes the copy, and a go.mod and go.sum for the module at root, into folders of dir, and
// returns the path of the go.mod, for the flag -modfile.
func Write(ctx context.Context, root, dir string) (string, error) {
	cmd := process.Bind(exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", yaegi))
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("find the source of %s: %w", yaegi, err)
	}
	copied := filepath.Join(dir, "yaegi")
	if err := os.RemoveAll(copied); err != nil {
		return "", err
	}
	if err := copyModule(strings.TrimSpace(string(out)), copied); err != nil {
		return "", err
	}
	return writeModfile(root, dir, copied)
}

// copyModule copies the packages of yaegi that are used, with the changes.
func copyModule(from, to string) error {
	for _, folder := range []string{".", "interp", "internal/unsafe2", "stdlib/generic"} {
		entries, err := os.ReadDir(filepath.Join(from, folder))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(to, folder), 0o755); err != nil {
			return err
		}
		for _, entry := range entries {
			name := entry.Name()
			if entry.IsDir() || strings.HasSuffix(name, "_test.go") || folder == "." && name != "go.mod" && name != "LICENSE" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(from, folder, name))
			if err != nil {
				return err
			}
			if folder == "interp" && name == "run.go" {
				if text, err = changed(text); err != nil {
					return err
				}
			}
			if err := os.WriteFile(filepath.Join(to, folder, name), text, 0o644); err != nil {
				return err
			}
		}
	}
	// A function without a body is allowed where there is assembly.
	return errors.Join(os.WriteFile(filepath.Join(to, "interp", "turn.go"), []byte(added), 0o644),
		os.WriteFile(filepath.Join(to, "interp", "turn.s"), nil, 0o644))
}

func changed(text []byte) ([]byte, error) {
	s := string(text)
	for _, c := range changes {
		if n := strings.Count(s, c.old); n != 1 {
			return nil, fmt.Errorf("yaegi's interp/run.go has a piece that is to be changed %d times, and not once: this version of yaegi is another; the piece is\n%s", n, c.old)
		}
		s = strings.Replace(s, c.old, c.new, 1)
	}
	return []byte(s), nil
}

func writeModfile(root, dir, copied string) (string, error) {
	const name = "go.mod"
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return "", err
	}
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		return "", err
	}
	if err := file.AddReplace(yaegi, "", copied, ""); err != nil {
		return "", err
	}
	if text, err = file.Format(); err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	return path, errors.Join(os.WriteFile(path, text, 0o644), os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))
}

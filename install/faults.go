package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hierml/notebook/install/internal/modules"
	"github.com/hierml/notebook/internal/process"
)

// knownFaults is the module that has what is known of faults in Go and its modules, a file for each,
// which govulncheck reads, and knownVersion the version of it by which changes are tested: what becomes
// known later is no fault of a change. The long form takes the latest.
const knownFaults, knownVersion = "golang.org/x/vulndb", "v0.0.0-20261105234957-e22db6528018"

// faults looks whether the program and the installer call what is known to be faulty in the modules
// that they are built from. Faults of Go itself are said only: another Go mends them.
func (r *testRun) faults(ctx context.Context) error {
	version := knownVersion
	if r.form.long {
		version = "latest"
	}
	dir, err := modules.Fetch(ctx, "", knownFaults+"@"+version)
	if err != nil {
		if r.ci || ctx.Err() != nil {
			return err
		}
		r.say(err.Error() + "\n")
		return errSkipped
	}
	known := "file://" + filepath.ToSlash(filepath.Join(dir, "data", "osv"))
	cmd := process.Bind(exec.CommandContext(ctx, "go", "tool", "govulncheck", "-format=json", "-db", known, "./kernel", "./install/..."))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := process.Run(cmd); err != nil {
		return fmt.Errorf("govulncheck: %w\n%s", err, stderr.String())
	}
	ofModules, ofGo, err := readFaults(&stdout)
	if err != nil {
		return err
	}
	if len(ofGo) > 0 {
		r.say("what is called of Go's standard library has known faults; another Go mends them:\n  " + strings.Join(ofGo, "\n  ") + "\n")
	}
	if len(ofModules) > 0 {
		return fmt.Errorf("what is called of these modules has known faults (pkg.go.dev/vuln):\n  %s", strings.Join(ofModules, "\n  "))
	}
	return nil
}

// readFaults reads what govulncheck writes. It returns a line for each fault that is called, of
// modules and of Go's standard library.
func readFaults(r io.Reader) (ofModules, ofGo []string, err error) {
	modules, goItself, begun := map[string]bool{}, map[string]bool{}, false
	for messages := json.NewDecoder(r); ; {
		var m struct {
			Config  *struct{}
			Finding *struct {
				OSV   string
				Fixed string `json:"fixed_version"`
				Trace []struct{ Module, Version, Package, Function string }
			}
		}
		if err := messages.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("what govulncheck wrote cannot be read: %w", err)
		}
		begun = begun || m.Config != nil
		// The first of a trace is where the fault is; without a function nothing is known to call it.
		if f := m.Finding; f != nil && len(f.Trace) > 0 && f.Trace[0].Function != "" {
			at := f.Trace[0]
			line := fmt.Sprintf("%s: %s@%s", f.OSV, at.Package, at.Version)
			if f.Fixed != "" {
				line += ", mended in " + f.Fixed
			}
			if at.Module == "stdlib" {
				goItself[line] = true
			} else {
				modules[line] = true
			}
		}
	}
	if !begun {
		return nil, nil, errors.New("govulncheck wrote nothing")
	}
	return slices.Sorted(maps.Keys(modules)), slices.Sorted(maps.Keys(goItself)), nil
}

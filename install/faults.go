package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/hierml/notebook/internal/process"
)

// knownFaults is the module that has what is known of faults in Go and its modules: a file for each,
// which govulncheck reads.
const knownFaults = "golang.org/x/vulndb"

// faults looks whether the program and the installer call what is known to be faulty, in Go's standard
// library or in the modules that they are built from.
func (r *testRun) faults(ctx context.Context) error {
	dir, err := fetch(ctx, knownFaults+"@latest")
	if err != nil {
		if r.ci || ctx.Err() != nil {
			return err
		}
		r.say(err.Error() + "\n")
		return errSkipped
	}
	known := "file://" + filepath.ToSlash(filepath.Join(dir, "data", "osv"))
	return r.tool("go", "tool", "govulncheck", "-db", known, "./kernel", "./install/...")(ctx)
}

// fetch fetches a module at a version, and returns its folder.
func fetch(ctx context.Context, wanted string) (string, error) {
	cmd := process.Bind(exec.CommandContext(ctx, "go", "mod", "download", "-json", wanted))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	runErr := process.Run(cmd)
	var fetched struct{ Dir, Error string }
	if err := errors.Join(runErr, json.Unmarshal(stdout.Bytes(), &fetched)); err != nil {
		return "", fmt.Errorf("go mod download %s: %w: %s%s", wanted, err, fetched.Error, stderr.String())
	}
	return fetched.Dir, nil
}

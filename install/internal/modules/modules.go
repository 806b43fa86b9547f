// Package modules fetches the sources of Go modules.
package modules

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"

	"github.com/hierml/notebook/internal/process"
)

// Fetch returns the folder of a module's source, and downloads it if necessary. The module is given
// as path@version, or by its path alone: then the version is the one that the module at root
// requires. The go command lists folders only of modules that something needed before.
func Fetch(ctx context.Context, root, module string) (string, error) {
	cmd := process.Bind(exec.CommandContext(ctx, "go", "mod", "download", "-json", module))
	cmd.Dir = root
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	runErr := process.Run(cmd)
	var fetched struct{ Dir, Error string }
	if err := errors.Join(runErr, json.Unmarshal(stdout.Bytes(), &fetched)); err != nil {
		return "", fmt.Errorf("go mod download %s: %w: %s%s", module, err, fetched.Error, stderr.String())
	}
	return fetched.Dir, nil
}

package toolchain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
)

// Releases are the releases of Go that programs and cells are tested with, oldest first: of each,
// the version that is fetched where another Go is there. Programs can be built with any version of
// these releases.
var Releases = []string{"go1.26.11", "go1.27.4"}

// Newest returns the newest version of Go that is known to support compiled cells.
func Newest() string { return Releases[len(Releases)-1] }

// A MisfitError says that a Go tool chain cannot be adapted to cells.
type MisfitError struct {
	// Version is that of the tool chain, such as go1.28.0.
	Version string
	reason  string
}

func (e *MisfitError) Error() string {
	return fmt.Sprintf("%s cannot be adapted to cells: %s", goName(e.Version), e.reason)
}

// A Choice names the Go to build a program with.
type Choice struct {
	// Version is its version, such as go1.26.8.
	Version string
	// Misfit says why the Go of the go command is not used, nil if it is. GOTOOLCHAIN must then be
	// set to the version.
	Misfit *MisfitError
}

// Choose checks, before a program is built in a folder, whether cells can be compiled for it with
// the Go that the go command uses there. If not, it fetches the newest supported version. The error
// says why neither is possible; a program that is built nevertheless interprets its cells.
func Choose(ctx context.Context, dir string) (Choice, error) {
	tc, err := askGo(ctx, dir, os.Environ())
	if err == nil && runtime.GOOS == "linux" {
		err = tc.adaptable()
	}
	misfit := (*MisfitError)(nil)
	if !errors.As(err, &misfit) {
		return Choice{Version: tc.GOVERSION}, err
	}
	fetched, err := askGo(ctx, dir, append(os.Environ(), "GOTOOLCHAIN="+Newest()))
	if err == nil {
		err = fetched.adaptable()
	}
	if err != nil {
		return Choice{}, fmt.Errorf("%w; %s can be adapted, but the go command cannot fetch it: %w", misfit, goName(Newest()), err)
	}
	return Choice{Version: Newest(), Misfit: misfit}, nil
}

// askGo returns the tool chain that the go command uses in a folder.
func askGo(ctx context.Context, dir string, env []string) (toolchain, error) {
	tc := toolchain{command: "go", env: env}
	out, err := tc.goCommand(ctx, dir, programBuild, "env", "-json", "GOROOT", "GOVERSION")
	if err != nil {
		return tc, err
	}
	if err := json.Unmarshal([]byte(out), &tc); err != nil {
		return tc, fmt.Errorf("the go command's answer to `go env -json` cannot be read: %w", err)
	}
	return tc, nil
}

// adaptable returns a *MisfitError if the compiler or the linker cannot be changed as cells need
// it.
func (tc toolchain) adaptable() error {
	for _, t := range []tool{compiler, linker} {
		if _, _, err := t.adapt(tc); err != nil {
			return err
		}
	}
	return nil
}

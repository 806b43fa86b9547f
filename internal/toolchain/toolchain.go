package toolchain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// toolchain is a Go tool chain.
type toolchain struct {
	// command is the go command.
	command string
	// env is the environment in which a program was built.
	env []string

	GOROOT    string
	GOVERSION string
	GOTOOLDIR string
	CC        string
}

// findToolchain finds the tool chain that builds in root, which has to be the one that p was built
// by.
func findToolchain(ctx context.Context, p program, root string) (toolchain, error) {
	command, err := exec.LookPath("go")
	if err != nil {
		return toolchain{}, errors.New("the go command was not found; install Go from go.dev/dl and put its bin folder on PATH")
	}
	tc := toolchain{command: command, env: p.environment()}
	out, err := tc.goCommand(ctx, root, programBuild, "env", "-json", "GOROOT", "GOVERSION", "GOTOOLDIR", "CC")
	if err != nil {
		return toolchain{}, fmt.Errorf("the go command does not answer: %w", err)
	}
	if err := json.Unmarshal([]byte(out), &tc); err != nil {
		return toolchain{}, fmt.Errorf("the go command's answer to `go env -json` cannot be read: %w", err)
	}
	version, _, _ := strings.Cut(tc.GOVERSION, " ")
	if version != p.goVersion() {
		return toolchain{}, fmt.Errorf("this program was built by %s and the go command is %s; run `go run ./install` again in %s", p.goVersion(), version, root)
	}
	// The linker takes a C compiler with arguments; here only its name counts.
	cc, _, _ := strings.Cut(tc.CC, " ")
	if _, err := exec.LookPath(cc); err != nil {
		return toolchain{}, fmt.Errorf("%s was not found, whose linker compiled cells need; install gcc or clang", cc)
	}
	return tc, nil
}

// buildKind says what settings a go command runs with.
type buildKind int

const (
	// programBuild is the settings of the program.
	programBuild buildKind = iota
	// plainBuild is those of a tool of Go: of no module or workspace.
	plainBuild
)

// goCommand runs the go command in dir.
func (tc toolchain) goCommand(ctx context.Context, dir string, kind buildKind, args ...string) (string, error) {
	env := append([]string(nil), tc.env...)
	env = append(env, "PWD="+dir)
	if kind == plainBuild {
		env = append(env, "GOFLAGS=", "GOWORK=off", "GO111MODULE=")
	}
	return run(ctx, dir, env, tc.command, args...)
}

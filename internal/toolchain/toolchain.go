package toolchain

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// toolchain is a Go tool chain.
type toolchain struct {
	// command is the go command.
	command string
	// env is the environment in which a program was built, and vendored are further variables of
	// the go command in the module of the program.
	env, vendored []string
	// compiled is called with each package that the go command compiles.
	compiled func(what string)

	GOROOT    string
	GOVERSION string
	GOTOOLDIR string
	CC        string
}

// findToolchain finds the tool chain for the sources, which must be the one with which p was built.
func findToolchain(ctx context.Context, p program, src source) (toolchain, error) {
	command, err := exec.LookPath("go")
	if err != nil {
		return toolchain{}, fmt.Errorf("the go command was not found; install %s from go.dev/dl and put its bin folder on PATH", goName(p.goVersion()))
	}
	tc := toolchain{command: command, env: append(p.environment(), src.settings...), vendored: src.vendored, compiled: func(string) {}}
	dir := src.root
	if dir == "" {
		dir = filepath.Dir(src.archive) // no module
	}
	out, err := tc.goCommand(ctx, dir, programBuild, "env", "-json", "GOROOT", "GOVERSION", "GOTOOLDIR", "CC")
	if err != nil && len(src.settings) > 0 {
		return toolchain{}, fmt.Errorf("this program was built by %s, and the go command has another version and cannot fetch that one; install it from go.dev/dl, or %s: %w", goName(p.goVersion()), src.mend, err)
	}
	if err != nil {
		return toolchain{}, fmt.Errorf("the go command does not answer: %w", err)
	}
	if err := json.Unmarshal([]byte(out), &tc); err != nil {
		return toolchain{}, fmt.Errorf("the go command's answer to `go env -json` cannot be read: %w", err)
	}
	version, _, _ := strings.Cut(tc.GOVERSION, " ")
	if version != p.goVersion() {
		return toolchain{}, fmt.Errorf("this program was built by %[1]s and the go command is %[2]s; install %[1]s from go.dev/dl, or %[3]s", p.goVersion(), version, src.mend)
	}
	// The linker takes a C compiler with arguments; here only its name counts.
	cc, _, _ := strings.Cut(tc.CC, " ")
	if _, err := exec.LookPath(cc); err != nil {
		return toolchain{}, fmt.Errorf("compiled cells need the linker of %s, which was not found; install gcc or clang", cc)
	}
	return tc, nil
}

// goName is what people call a version of Go, such as go1.26.8.
func goName(version string) string {
	if number, ok := strings.CutPrefix(version, "go"); ok {
		return "Go " + number
	}
	return "Go"
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
	command := tc.command
	if kind == plainBuild {
		// A Go that was fetched is in the cache of modules, in which the go command replaces no
		// files by others. The tools need no modules, so they are built as if the cache were
		// elsewhere.
		command = filepath.Join(tc.GOROOT, "bin", "go")
		env = append(env, "GOFLAGS=", "GOWORK=off", "GO111MODULE=", "GOTOOLCHAIN=local", "GOMODCACHE="+filepath.Join(tc.GOROOT, "pkg", "mod"))
	} else {
		env = append(env, tc.vendored...)
	}
	return runSaying(ctx, tc.compiled, dir, env, command, args...)
}

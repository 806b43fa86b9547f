package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/hierml/notebook/internal/process"
	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/internal/toolchain"
)

const module = "github.com/hierml/notebook"

// moduleRoot returns the folder of the clone that the working directory is in.
func moduleRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && modfile.ModulePath(content) == module {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not in a clone of %s; run `go run ./install` in one, or `go run %[2]s/install@latest` anywhere", start, module)
		}
	}
}

// programName returns the file name of the program on this system.
func programName() string {
	if runtime.GOOS == "windows" {
		return "hierml.exe"
	}
	return "hierml"
}

// newSuffix ends the names of files that are made aside of those that they replace.
const newSuffix = ".new"

// buildProgram builds the program of the module at root into path, with these flags of the linker
// and of the go command. It replaces the program there once the new one is complete. The packages
// that are compiled are reported to progress.
func buildProgram(ctx context.Context, root, path string, progress func(what string), ldflags string, flags ...string) error {
	aside := path + newSuffix
	if err := os.Remove(aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	shared, err := toolchain.ProgramFlags(ctx, root, ldflags)
	if err != nil {
		return err
	}
	flags = append(flags, shared...)
	// The go command does not link if the program exists and is up to date. If there are no hard
	// links, it links.
	_ = os.Link(path, aside)
	err = goBuild(ctx, build{root: root, target: "./kernel", path: aside, flags: flags}, progress)
	if err == nil {
		err = protect(aside)
	}
	if err != nil {
		return errors.Join(err, os.Remove(aside))
	}
	return takePlace(aside, path)
}

// protect keeps other users from writing to a program, which may be one of an earlier installation.
func protect(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Chmod(path, info.Mode().Perm()&^0o022)
}

// takePlace moves a temporary file to its place.
func takePlace(aside, path string) error {
	if err := os.Rename(aside, path); err != nil {
		return err
	}
	// Of two names of one file, which are there if nothing was linked, the system renames none.
	if err := os.Remove(aside); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// A build describes a build with the go command: of the program target in the module at root, into
// path.
type build struct {
	root, target, path string
	env, flags         []string
}

func goBuild(ctx context.Context, b build, progress func(what string)) (err error) {
	dir, err := temporary.Folder("", "build")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temporary.Remove(dir)) }()
	// No version control: a clone that belongs to another user would end the build.
	args := append([]string{"build", "-v", "-buildvcs=false"}, b.flags...)
	cmd := process.Bind(exec.CommandContext(ctx, "go", append(args, "-o", b.path, b.target)...))
	cmd.Dir = b.root
	cmd.Env = append(append(os.Environ(), "TMPDIR="+dir), b.env...)
	stderr := toolchain.Messages{Package: progress}
	cmd.Stderr = &stderr
	if err := process.Run(cmd); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("go build %s: %w\n%s", b.target, err, stderr.Text())
	}
	return nil
}

// goEnv returns a variable of the go command in a folder, or in the working directory.
func goEnv(ctx context.Context, dir, variable string) (string, error) {
	return goOutput(ctx, dir, "env", variable)
}

// goOutput returns the output of the go command in a folder.
func goOutput(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := process.Bind(exec.CommandContext(ctx, "go", args...))
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// isOurs reports whether the file at path is a program of this module.
func isOurs(path string) bool {
	info, err := buildinfo.ReadFile(path)
	return err == nil && info.Main.Path == module
}

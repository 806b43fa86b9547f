package main

import (
	"bufio"
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/modfile"
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
			return "", fmt.Errorf("%s is not in a clone of %s; change into one and run `go run ./install` there", start, module)
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

// buildProgram builds the program of the module at root into path, with these flags besides. The
// packages that are compiled are reported to progress.
func buildProgram(ctx context.Context, root, path string, progress func(what string), flags ...string) error {
	// No version control: a clone that belongs to another user would end the build.
	args := append([]string{"build", "-v", "-buildvcs=false"}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "-o", path, "./kernel")...)
	cmd.Dir = root
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var text bytes.Buffer
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		line := strings.TrimPrefix(lines.Text(), "go: ")
		if strings.HasPrefix(line, "#") || strings.Contains(line, ": ") || strings.HasPrefix(line, "\t") {
			fmt.Fprintln(&text, line)
			continue
		}
		progress(line)
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("go build ./kernel: %w\n%s", err, text.String())
	}
	return nil
}

// isOurs reports whether the file at path is a program of this module.
func isOurs(path string) bool {
	info, err := buildinfo.ReadFile(path)
	return err == nil && info.Main.Path == module
}

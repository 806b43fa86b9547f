package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// checkSources reports an error if the sources are not those that p was built from.
func checkSources(ctx context.Context, tc toolchain, p program, src source) error {
	args := append([]string{"list", "-export", "-f", "{{.BuildID}}"}, p.buildFlags()...)
	out, err := tc.goCommand(ctx, src.root, programBuild, append(args, p.info.Path)...)
	if err != nil {
		return fmt.Errorf("the packages of this program do not build any more: %w", err)
	}
	// The ID of a program contains that of its package main, and with it the sums of all packages.
	if id := strings.TrimSpace(out); id != "" && strings.Contains(p.id, "/") && !strings.Contains(p.id, "/"+id+"/") {
		if src.archive != "" {
			return fmt.Errorf("this program was built from other sources than those in %s, or by another Go than %s; %s, and Go from go.dev/dl", src.archive, tc.GOROOT, src.mend)
		}
		return fmt.Errorf("the sources in %s have changed since this program was built from them; run `go run ./install` again there", src.root)
	}
	return nil
}

// compilePackages compiles the packages of p for plugins and puts their archives into dir. It
// returns the names of the archives by import path.
func compilePackages(ctx context.Context, tc toolchain, p program, root, dir string) (map[string]string, error) {
	args := append([]string{"list", "-export", "-deps", "-buildmode=plugin",
		"-f", `{{if and .Export (ne .Name "main")}}{{.ImportPath}} {{.Export}}{{end}}`}, p.buildFlags()...)
	out, err := tc.goCommand(ctx, root, programBuild, append(args, p.info.Path)...)
	if err != nil {
		return nil, fmt.Errorf("the packages of this program cannot be compiled for plugins: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	archives := map[string]string{}
	for line := range strings.Lines(out) {
		path, archive, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		name := strconv.Itoa(len(archives)) + ".a"
		if err := linkFile(archive, filepath.Join(dir, name)); err != nil {
			return nil, err
		}
		archives[path] = name
	}
	if len(archives) == 0 {
		return nil, errors.New("the go command lists no packages of this program")
	}
	return archives, nil
}

// linkFile gives a file a second name, or makes a copy where the file system has no links, the other
// name is on another one, or others can write to the file.
func linkFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if trustworthy(from, info, false) == nil && os.Link(from, to) == nil {
		return nil
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

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

	"github.com/hierml/notebook/internal/beside"
)

// checkSources reports an error if the sources are not those that p was built from.
func checkSources(ctx context.Context, tc toolchain, p program, src source) error {
	args := append([]string{"list", "-v", "-export", "-f", "{{.BuildID}}"}, p.buildFlags()...)
	out, err := tc.goCommand(ctx, src.root, programBuild, append(args, p.info.Path)...)
	if err != nil {
		return fmt.Errorf("the packages of this program do not build any more: %w", err)
	}
	// The ID of a program contains that of its package main, and with it the sums of all packages.
	if id := strings.TrimSpace(out); id != "" && strings.Contains(p.id, "/") && !strings.Contains(p.id, "/"+id+"/") {
		return fmt.Errorf("the sources in %s have changed since this program was built from them; run `go run ./install` again there", src.root)
	}
	return nil
}

// SourceID identifies the source of a program: the program's ID, and the checksum of its package
// main as compiled for plugins, which depends on all packages that it imports. It uses the folder
// of the module and additional environment variables. It is stored beside the program, with the
// sources.
func SourceID(ctx context.Context, program, root string, env ...string) (string, error) {
	p, err := readProgram(program)
	if err != nil {
		return "", err
	}
	tc, err := findToolchain(ctx, p, source{root: root, settings: env})
	if err != nil {
		return "", err
	}
	listed, err := listPackages(ctx, tc, p, root)
	if err != nil {
		return "", err
	}
	return p.id + "\n" + mainSum(listed) + "\n", nil
}

// checkArchive returns an error if an archive is not of the sources from which p was built, or if
// compiling them gives another result than where p was built, because another Go of the same
// version compiles them.
func checkArchive(p program, src source, tc toolchain, listed string) error {
	want, err := os.ReadFile(filepath.Join(filepath.Dir(src.archive), beside.SourceID))
	if err != nil {
		return fmt.Errorf("the sources that this program was built from are not known: %w; %s", err, src.mend)
	}
	id, sum, _ := strings.Cut(strings.TrimSpace(string(want)), "\n")
	if id != p.id {
		return fmt.Errorf("this program was not built from the sources in %s; %s", src.archive, src.mend)
	}
	if listed != "" && mainSum(listed) != sum {
		return fmt.Errorf("the Go in %s differs from the %s that built this program; install that one from go.dev/dl", tc.GOROOT, goName(p.goVersion()))
	}
	return nil
}

// mainSum returns the sum of the package main, from a list of packages: the last part of its ID.
func mainSum(listed string) string {
	for line := range strings.Lines(listed) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "main "); ok {
			return id[strings.LastIndexByte(id, '/')+1:]
		}
	}
	return ""
}

// listPackages compiles the packages of p for plugins. It returns a line for each with its import
// path and the file of its archive, and one with the word main and the ID of its package main.
func listPackages(ctx context.Context, tc toolchain, p program, root string) (string, error) {
	args := append([]string{"list", "-v", "-export", "-deps",
		"-f", `{{if and .Export (ne .Name "main")}}{{.ImportPath}} {{.Export}}{{else if eq .Name "main"}}main {{.BuildID}}{{end}}`}, p.pluginFlags()...)
	out, err := tc.goCommand(ctx, root, programBuild, append(args, p.info.Path)...)
	if err != nil {
		return "", fmt.Errorf("the packages of this program cannot be compiled for plugins: %w", err)
	}
	return out, nil
}

// compilePackages compiles the packages of p for plugins and puts their archives into dir. It
// returns the names of the archives by import path.
func compilePackages(ctx context.Context, tc toolchain, p program, src source, dir string) (map[string]string, error) {
	out, err := listPackages(ctx, tc, p, src.root)
	if err != nil {
		return nil, err
	}
	if src.archive != "" {
		if err := checkArchive(p, src, tc, out); err != nil {
			return nil, err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	archives := map[string]string{}
	for line := range strings.Lines(out) {
		path, archive, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || path == "main" {
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

// linkFile gives a file a second name, or makes a copy where the file system has no links, the
// other name is on another one, or others can write to the file.
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

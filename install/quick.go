package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hierml/notebook/internal/testprogram"
)

// quickLimit is how long the quick form of the tests may take.
const quickLimit = 3 * time.Minute

// quick vets and tests packages and those that import them. What an earlier run has found of the
// same sources is taken from the cache of the go command.
func (r *testRun) quick(ctx context.Context, root, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, quickLimit)
	defer cancel()
	all, err := listAll(ctx)
	if err != nil {
		return err
	}
	chosen, err := r.chosen(ctx, root, all)
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		r.console.printf("no package has changed since main; name some")
		return nil
	}
	r.console.printf("%s", strings.Join(chosen, "\n"))
	if slices.ContainsFunc(all, func(p goPackage) bool { return slices.Contains(chosen, p.ImportPath) && p.tests(testprogram.Package) }) {
		if err := provideProgram(ctx, r.console, root, dir, false); err != nil {
			return err
		}
	}
	tested := slices.DeleteFunc(slices.Clone(chosen), func(p string) bool { return p == acceptance })
	r.stages(ctx,
		stage{"gofmt", gofmt},
		stage{"go vet", r.tool("go", append([]string{"vet"}, chosen...)...)},
		stage{"go test", r.goTest(append([]string{"-vet=off", "-short"}, tested...)...)},
	)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("not all was tested within %s; name fewer packages, or run the full form", seconds(quickLimit))
	}
	return nil
}

// goPackage is what the go command says of a package.
type goPackage struct {
	ImportPath, Dir                    string
	Imports, TestImports, XTestImports []string
}

// tests reports whether the tests of the package import another.
func (p goPackage) tests(other string) bool {
	return slices.Contains(p.TestImports, other) || slices.Contains(p.XTestImports, other)
}

// listAll returns the packages of the module.
func listAll(ctx context.Context) ([]goPackage, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Dir,Imports,TestImports,XTestImports", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list ./...: %w", err)
	}
	var all []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list ./...: %w", err)
		}
		all = append(all, p)
	}
	return all, nil
}

// chosen returns the packages that are named, or have changed, and then those that import them.
func (r *testRun) chosen(ctx context.Context, root string, all []goPackage) (first []string, err error) {
	if len(r.form.packages) > 0 {
		if first, err = list(ctx, r.form.packages...); err != nil {
			return nil, err
		}
	} else {
		files, err := changedFiles(ctx)
		if err != nil {
			return nil, err
		}
		first = packagesOf(all, root, files)
	}
	return append(first, importers(all, first)...), nil
}

// changedFiles returns the files that differ from those of the branch main, or are new, as paths
// below the root with slashes.
func changedFiles(ctx context.Context) ([]string, error) {
	base, err := git(ctx, "merge-base", "main", "HEAD")
	if err != nil {
		return nil, fmt.Errorf("what has changed since main is not known, so name packages: %w", err)
	}
	tracked, err := git(ctx, "diff", "--name-only", strings.TrimSpace(base))
	if err != nil {
		return nil, err
	}
	untracked, err := git(ctx, "ls-files", "--others", "--exclude-standard")
	return slices.DeleteFunc(strings.Split(tracked+untracked, "\n"), func(name string) bool { return name == "" }), err
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, exit.Stderr)
	}
	return string(out), err
}

// packagesOf returns the packages that files belong to: those of their folders, or of the nearest
// above, as for the files of testdata.
func packagesOf(all []goPackage, root string, files []string) []string {
	byFolder := map[string]string{}
	for _, p := range all {
		if below, err := filepath.Rel(root, p.Dir); err == nil {
			byFolder[filepath.ToSlash(below)] = p.ImportPath
		}
	}
	var found []string
	for _, file := range files {
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			if p := byFolder[dir]; p != "" {
				found = append(found, p)
				break
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// importers returns the other packages that import one of these, or whose tests do.
func importers(all []goPackage, of []string) []string {
	var found []string
	for _, p := range all {
		if slices.Contains(of, p.ImportPath) {
			continue
		}
		if slices.ContainsFunc(slices.Concat(p.Imports, p.TestImports, p.XTestImports), func(i string) bool { return slices.Contains(of, i) }) {
			found = append(found, p.ImportPath)
		}
	}
	return found
}

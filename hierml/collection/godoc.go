package collection

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/taxonomy"
	"github.com/hierml/notebook/internal/beside"
)

// GoDoc is GoDocContext without a context.
func GoDoc(root string) (*dataset.Corpus, error) { return GoDocContext(context.Background(), root) }

// GoDocContext returns the documentation of Go's standard library as a corpus, read from the source
// of the Go tree at root, or of the installed one (`go env GOROOT`) if root is empty.
//
// A document is what is written about one exported function, method, type, or group of constants or
// variables: its declaration, then its comment. Symbols without a comment make no document. The ID
// is the import path and the name ("net/http.Client.Do"), the label is the import path, and the
// taxonomy is the paths: net above net/http above net/http/httptest. A package that has packages
// below it gets a miscellaneous leaf of its own, "net (misc)", so that all labels are leaves.
//
// What counts are the packages below root/src that programs can import: commands, vendored packages
// and what is below an internal or testdata folder are left out, as are test files. Files are
// chosen as for GOOS=linux GOARCH=amd64 without cgo and experiments, whatever the machine, so that
// a Go release has one corpus. Documents are ordered by import path, then as package go/doc orders
// symbols: constants, variables, functions, and each type with its own. It takes about a second and
// ends early, with the context's error, when ctx does.
//
// In a page of a browser an empty root stands for the documentation that comes with the page, and
// where Go is not installed for the one that came with the program, if it came in a package.
func GoDocContext(ctx context.Context, root string) (*dataset.Corpus, error) {
	if root == "" && runtime.GOOS == "js" {
		return packedGoDoc(packedFile)
	}
	if root == "" {
		if _, err := exec.LookPath("go"); err != nil {
			if file, err := beside.File("", beside.Documentation); err == nil {
				return packedGoDoc(file)
			}
		}
		installed, err := goRoot(ctx)
		if err != nil {
			return nil, err
		}
		root = installed
	}
	packages, symbols, name, err := goSymbols(ctx, root)
	if err != nil {
		return nil, err
	}
	return symbolCorpus(name, root, packages, symbols)
}

// goSymbols returns the packages of a Go tree, the symbols of each, and the name of the corpus.
func goSymbols(ctx context.Context, root string) (packages []sourcePackage, symbols [][]symbol, name string, err error) {
	if packages, err = findPackages(ctx, root); err != nil {
		return nil, nil, "", err
	}
	if symbols, err = readSymbols(ctx, packages); err != nil {
		return nil, nil, "", err
	}
	name = "Go documentation"
	if version := treeVersion(root); version != "" {
		name += ", " + version
	}
	return packages, symbols, name, nil
}

// goRoot asks the installed Go where its tree is.
func goRoot(ctx context.Context) (string, error) {
	const instead = "install Go (https://go.dev/dl), or call collection.GoDoc with the folder of a Go tree"
	command := exec.CommandContext(ctx, "go", "env", "GOROOT")
	// Asking must not download another version of Go, whatever go.mod the working folder has.
	command.Env = append(os.Environ(), "GOTOOLCHAIN=local")
	out, err := command.Output()
	if ctx.Err() != nil {
		return "", fmt.Errorf("collection: looking for the Go tree: %w", ctx.Err())
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("collection: the command go is not on the PATH, so the Go tree cannot be found: %s", instead)
	}
	if err != nil {
		detail := err.Error()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
			detail = strings.TrimSpace(string(exit.Stderr))
		}
		return "", fmt.Errorf("collection: `go env GOROOT` failed: %s: %s", detail, instead)
	}
	root := strings.TrimSpace(string(out))
	if root == "" {
		return "", fmt.Errorf("collection: `go env GOROOT` names no folder: %s", instead)
	}
	return root, nil
}

// treeVersion returns the first line of root/VERSION, or "" if there is none.
func treeVersion(root string) string {
	text, err := os.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil {
		return ""
	}
	version, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(version)
}

// sourcePackage is a folder with Go files.
type sourcePackage struct {
	path  string   // import path
	files []string // ascending
}

// findPackages returns the folders below root/src that may hold importable packages, ascending by
// import path.
func findPackages(ctx context.Context, root string) ([]sourcePackage, error) {
	// Some systems install src as a symbolic link, which WalkDir would not follow.
	src, err := filepath.EvalSymlinks(filepath.Join(root, "src"))
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(src); err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is not a folder", src)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("collection: %s is not a Go tree: %w; give the folder that `go env GOROOT` prints", root, err)
	}
	files := make(map[string][]string)
	err = filepath.WalkDir(src, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		name := entry.Name()
		if entry.IsDir() {
			skip := name == "testdata" || name == "internal" || name == "vendor" ||
				strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || file == filepath.Join(src, "cmd")
			if skip && file != src {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			dir := filepath.Dir(file)
			files[dir] = append(files[dir], file)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("collection: reading the Go tree: %w", err)
	}
	var packages []sourcePackage
	for dir, list := range files {
		relative, err := filepath.Rel(src, dir)
		if err != nil {
			return nil, fmt.Errorf("collection: reading the Go tree: %w", err)
		}
		if relative == "." {
			continue
		}
		slices.Sort(list)
		packages = append(packages, sourcePackage{path: filepath.ToSlash(relative), files: list})
	}
	slices.SortFunc(packages, func(a, b sourcePackage) int { return strings.Compare(a.path, b.path) })
	return packages, nil
}

// symbolCorpus puts the symbols of the packages together. A taxonomy node is a package with
// documents, or a path above one.
func symbolCorpus(name, root string, packages []sourcePackage, symbols [][]symbol) (*dataset.Corpus, error) {
	var paths []string
	total := 0
	for i, list := range symbols {
		if len(list) > 0 {
			paths = append(paths, packages[i].path)
			total += len(list)
		}
	}
	if total == 0 {
		return nil, fmt.Errorf("collection: no documented Go package below %s; give the folder that `go env GOROOT` prints",
			filepath.Join(root, "src"))
	}
	t, err := taxonomy.FromPaths(paths, "/")
	if err != nil {
		return nil, fmt.Errorf("collection: import paths: %w", err)
	}
	c := &dataset.Corpus{Name: name, Taxonomy: t, Documents: make([]dataset.Document, 0, total)}
	for i, list := range symbols {
		if len(list) == 0 {
			continue
		}
		node, ok := t.Node(packages[i].path)
		if !ok {
			return nil, fmt.Errorf("collection: package %s has no node", path.Clean(packages[i].path))
		}
		labels := []int{node}
		for _, s := range list {
			c.Documents = append(c.Documents, dataset.Document{ID: packages[i].path + "." + s.name, Text: s.text, Labels: labels})
		}
	}
	return c.Leafed()
}

// Command generate writes the symbol tables, the export data and the documentation of package
// stdlib. go generate ./stdlib runs it in the folder of that package. With names of groups as
// arguments it generates only those:
//
//	go generate ./stdlib               # all, from scratch some minutes
//	cd stdlib && go run ./internal/generate hierml
//
// With a later release of Go than that of go.mod, it writes only the additions of that release's
// standard library:
//
//	GOTOOLCHAIN=go1.27.4 go generate ./stdlib
//
// With the flag -e it omits packages that do not compile, and reports them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/types"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"sync"

	"github.com/hierml/notebook/stdlib/internal/extract"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	skip := flag.Bool("e", false, "leave out packages that do not compile")
	flag.Parse()
	var broken func(path, message string)
	if *skip {
		broken = func(path, message string) { fmt.Fprintf(os.Stderr, "left out: %s: %s\n", path, message) }
	}
	if err := run(ctx, flag.Args(), broken); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string, broken func(path, message string)) error {
	layer, err := extract.LayerOf(extract.Release())
	if err != nil {
		return err
	}
	groups := extract.Groups
	if layer.Before != "" && len(names) == 0 {
		names = []string{"std"}
	}
	if len(names) > 0 {
		groups = nil
		for _, name := range names {
			g, ok := extract.Lookup(name)
			if !ok {
				return fmt.Errorf("there is no group %q; the groups are std, gonum and hierml", name)
			}
			if layer.Before != "" && name != "std" {
				return fmt.Errorf("the group %s is generated with %s, but this is %s", name, extract.Releases[0], layer.Release)
			}
			groups = append(groups, g)
		}
	}
	errs := make([]error, len(groups))
	var wg sync.WaitGroup
	for i, g := range groups {
		wg.Go(func() {
			if err := generate(ctx, g, layer, broken); err != nil {
				errs[i] = fmt.Errorf("%s: %w", g.Name, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// generate writes the group's files and removes those of packages that are no longer there.
func generate(ctx context.Context, g extract.Group, layer extract.Layer, broken func(path, message string)) error {
	pkgs, err := g.Load(ctx, ".", broken)
	if err != nil {
		return err
	}
	dir := filepath.FromSlash(g.Dir())
	files, pattern, err := tables(g, layer, pkgs, dir)
	if err != nil {
		return err
	}
	if files[layer.File(extract.Archive)], err = extract.Export(pkgs); err != nil {
		return err
	}
	docs, err := g.Docs(ctx, ".", pkgs)
	if err != nil {
		return err
	}
	if files[layer.File(extract.DocsArchive)], err = extract.Documentation(docs); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return err
	}
	for _, name := range old {
		if _, keep := files[filepath.Base(name)]; keep {
			continue
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d packages\n", g.Name, len(pkgs))
	return nil
}

// tables returns the files of the tables, and the pattern of their names.
func tables(g extract.Group, layer extract.Layer, pkgs []*types.Package, dir string) (files map[string][]byte, pattern string, err error) {
	if layer.Before == "" {
		files, err = g.Tables(pkgs)
		return files, "z_*_table.go", err
	}
	data, err := os.ReadFile(filepath.Join(dir, layer.FileBefore(extract.Archive)))
	if err != nil {
		return nil, "", err
	}
	before, err := extract.ReadArchive(data)
	if err != nil {
		return nil, "", err
	}
	prefix, files, err := g.Additions(layer, pkgs, before)
	return files, prefix + "*.go", err
}

package engine

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
	"github.com/hierml/notebook/stdlib/host"
)

// An outside importer imports the packages of the program, and the packages of other modules that
// were resolved.
type outside struct {
	types.Importer
	modules program.Modules // nil until there are some
	folder  func() string
	// resolved are the paths of packages in modules, and failed says why others cannot be imported.
	resolved map[string]bool
	failed   map[string]error
}

// Foreign reports whether a package is not part of the program.
func (o *outside) Foreign(path string) bool { return o.resolved[path] }

// Import returns a package of the program, or one that was resolved.
func (o *outside) Import(path string) (*types.Package, error) {
	pkg, err := o.Importer.Import(path)
	switch {
	case err == nil:
		return pkg, nil
	case o.failed[path] != nil:
		return nil, o.failed[path]
	case o.resolved[path]:
		return o.modules.Import(path)
	}
	return nil, err
}

// Paths returns the import paths of all packages that are known.
func (o *outside) Paths() []string {
	var paths []string
	if library, ok := o.Importer.(program.Library); ok {
		paths = library.Paths()
	}
	if o.modules != nil {
		paths = slices.Concat(paths, o.modules.Paths())
	}
	return paths
}

// Later implements the method for the standard library.
func (o *outside) Later(path, name string) string {
	if library, ok := o.Importer.(interface {
		Later(path, name string) string
	}); ok {
		return library.Later(path, name)
	}
	return ""
}

// Doc returns the documentation of what a package exports.
func (o *outside) Doc(path, name string) string {
	if path = check.PlainPath(path); o.resolved[path] {
		return o.modules.Doc(path, name)
	}
	if library, ok := o.Importer.(program.Library); ok {
		return library.Doc(path, name)
	}
	return ""
}

// resolve loads the packages that a cell imports and the program does not contain. If some cannot
// be imported, the checker reports why at the import. The error is only that of ctx.
// Engine.declaring is held.
func (e *Engine) resolve(ctx context.Context, src *syntax.Lexed, out program.Output) error {
	e.mu.Lock()
	clear(e.outside.failed)
	paths := e.outside.unknown(src)
	e.mu.Unlock()
	if len(paths) == 0 || e.open == nil {
		return nil
	}
	compiled, err := e.choose(ctx, out)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var failed map[string]error
	switch {
	case e.cannot != nil:
		failed = e.outside.refused(paths, "compiled cells import packages of all modules, but cells cannot be compiled: "+e.cannot.Error())
	case !compiled:
		failed = e.outside.refused(paths, "compiled cells import packages of all modules: %engine compiled")
	default:
		modules, ok := e.compiler.(program.Modules)
		if !ok {
			return nil
		}
		var err error
		failed, err = modules.Resolve(ctx, e.folder(), paths, func(line string) { out.Stream(host.Notes, line+"\n") })
		if err != nil {
			return err
		}
		e.mu.Lock()
		e.outside.modules = modules
		e.mu.Unlock()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, path := range paths {
		if failed[path] != nil {
			e.outside.failed[path] = failed[path]
		} else {
			e.outside.resolved[path] = true
		}
	}
	return nil
}

// refused gives all paths the same error: why cells cannot import them, and advice for the user.
func (o *outside) refused(paths []string, advice string) map[string]error {
	failed := map[string]error{}
	for _, path := range paths {
		_, err := o.Importer.Import(path)
		failed[path] = fmt.Errorf("%w; %s", err, advice)
	}
	return failed
}

// unknown returns the import paths of a cell that are not part of the program and may belong to
// another module.
func (o *outside) unknown(src *syntax.Lexed) []string {
	var paths []string
	for _, it := range src.Items {
		if it.Kind != syntax.ItemImport {
			continue
		}
		// The checker complains about cells that do not parse.
		f, err := parser.ParseFile(token.NewFileSet(), "", "package main;"+src.Text[it.Start:it.End], parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil || slices.Contains(paths, path) {
				continue
			}
			if _, err := o.Importer.Import(path); err != nil && (hasHost(path) || inModule(o.folder())) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// hasHost reports whether an import path begins like a host name, as those of downloadable modules
// do.
func hasHost(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".")
}

// inModule reports whether a folder is in a module or a workspace.
func inModule(folder string) bool {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return false
	}
	for {
		for _, name := range []string{"go.mod", "go.work"} {
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				return true
			}
		}
		outer := filepath.Dir(folder)
		if outer == folder {
			return false
		}
		folder = outer
	}
}

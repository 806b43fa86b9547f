package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Load compiles the packages of the group that are not in the build cache, and returns their types
// in the order of their import paths. dir is a folder of the module whose go.mod selects the
// versions.
//
// A package that does not compile is an error. If broken is not nil, such packages are omitted and
// passed to it instead.
func (g *Group) Load(ctx context.Context, dir string, broken func(path, message string)) ([]*types.Package, error) {
	paths, err := g.list(ctx, dir)
	if err != nil {
		return nil, err
	}
	exports, faults, err := exportFiles(ctx, dir, paths)
	if err != nil {
		return nil, err
	}
	paths = slices.DeleteFunc(paths, func(path string) bool {
		message, isBroken := faults[path]
		if isBroken && broken != nil {
			broken(path, message)
		} else if isBroken {
			err = errors.Join(err, fmt.Errorf("%s does not compile:\n%s", path, message))
		}
		return isBroken
	})
	if err != nil {
		return nil, err
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		file, ok := exports[path]
		if !ok {
			return nil, fmt.Errorf("go list named no export data for %s", path)
		}
		return os.Open(file)
	})
	pkgs := make([]*types.Package, 0, len(paths))
	for _, p := range paths {
		pkg, err := imp.Import(p)
		if err != nil {
			return nil, fmt.Errorf("read the export data of %s: %w", p, err)
		}
		pkgs = append(pkgs, pkg)
	}
	return pkgs, nil
}

// list returns the import paths of the group's packages.
func (g *Group) list(ctx context.Context, dir string) ([]string, error) {
	args := append([]string{"list", "-e", "-json=ImportPath,Name,GoFiles,CgoFiles,Error"}, g.Patterns...)
	var paths []string
	err := goList(ctx, dir, args, func(d *json.Decoder) error {
		var p struct {
			ImportPath, Name  string
			GoFiles, CgoFiles []string
			Error             *struct{ Err string }
		}
		if err := d.Decode(&p); err != nil {
			return err
		}
		switch {
		case g.excludes(p.ImportPath) || p.Name == "main" || strings.HasSuffix(p.ImportPath, "..."):
		case p.Error != nil:
			return errors.New(p.Error.Err)
		case len(p.GoFiles)+len(p.CgoFiles) > 0: // not only tests
			paths = append(paths, p.ImportPath)
		}
		return nil
	})
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("go list found no package for %s", strings.Join(g.Patterns, " "))
	}
	slices.Sort(paths)
	return paths, err
}

// exportFiles returns the files in the build cache with the export data of the packages and of all
// their imports, and the errors of those that do not compile.
func exportFiles(ctx context.Context, dir string, paths []string) (files, faults map[string]string, err error) {
	args := append([]string{"list", "-e", "-export", "-deps", "-json=ImportPath,Export,Error,DepsErrors"}, paths...)
	files, faults = map[string]string{}, map[string]string{}
	type fault struct{ Err string }
	err = goList(ctx, dir, args, func(d *json.Decoder) error {
		var p struct {
			ImportPath, Export string
			Error              *fault
			DepsErrors         []*fault
		}
		if err := d.Decode(&p); err != nil {
			return err
		}
		switch {
		case p.Export != "":
			files[p.ImportPath] = p.Export
		case p.Error != nil:
			faults[p.ImportPath] = p.Error.Err
		case len(p.DepsErrors) > 0:
			faults[p.ImportPath] = p.DepsErrors[0].Err
		}
		return nil
	})
	return files, faults, err
}

// goList runs the go command and calls next to decode each of the values that it prints.
func goList(ctx context.Context, dir string, args []string, next func(*json.Decoder) error) error {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args[:2], " "), err, stderr.Bytes())
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		if err := next(d); err != nil {
			return fmt.Errorf("go %s: %w", strings.Join(args[:2], " "), err)
		}
	}
	return nil
}

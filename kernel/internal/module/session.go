package module

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"sync"

	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// A Program is the program that imported packages must fit.
type Program struct {
	// Path is the program's module, and Folder the folder from which it was built.
	Path, Folder string
	// Packages are the archives of the program's packages, by import path.
	Packages map[string]string
	// Importer imports the packages that the program offers to all cells.
	Importer types.Importer
	// Go is the go command; empty means the one on PATH.
	Go string
	// Flags are the flags with which its packages were compiled, and Env additions to the
	// environment.
	Flags, Env []string
}

// A Session finds packages for the cells of one session. Its methods may be called concurrently.
type Session struct {
	program Program
	add     func(packages map[string]string) error

	asking sync.Mutex        // held while the go command runs
	dir    string            // of the session's module; empty until there is one
	told   map[string]string // versions of modules beside those of the program

	mu    sync.Mutex // guards the following fields, for a short time
	pins  map[string]pin
	found map[string]*found // by import path
	// editions are the identities of the compiled forms of each package, in the order of their
	// creation.
	editions map[string][]string
	archives map[string]string // by the path that cells are compiled with
	types    map[string]*types.Package
	docs     map[string]map[string]string
	used     map[string]program.Module
	// roots are the folders of modules whose packages are known, by module path.
	roots map[string]string
	// flags are those of the user.
	flags []string
}

var _ program.Modules = (*Session)(nil)

// A pin is the version of a module that the session requires.
type pin struct {
	version string
	// asked says that the user named the version, and did not just import one of the module's
	// packages first.
	asked bool
}

// found is a package that cells can import.
type found struct {
	path string // path for compiling cells
	key  string // what the answer depends on
	// local says that its source, or that of its imports, may change.
	local bool
	// dir and files are where its source is.
	dir   string
	files []string
}

// New returns a session whose cells run in the program. It passes archives of packages that the
// program does not have to add, by the paths under which cells import them.
func New(p Program, add func(packages map[string]string) error) *Session {
	return &Session{
		program: p, add: add,
		told:     map[string]string{},
		pins:     map[string]pin{},
		found:    map[string]*found{},
		editions: map[string][]string{},
		archives: map[string]string{},
		types:    map[string]*types.Package{},
		docs:     map[string]map[string]string{},
		used:     map[string]program.Module{},
		roots:    map[string]string{},
	}
}

// Forget implements program.Modules.
func (s *Session) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.found)
	clear(s.editions)
	clear(s.archives)
	clear(s.types)
	clear(s.docs)
	clear(s.used)
	maps.DeleteFunc(s.pins, func(_ string, p pin) bool { return !p.asked })
}

// Close removes the session's folder.
func (s *Session) Close() error {
	s.asking.Lock()
	defer s.asking.Unlock()
	if s.dir == "" {
		return nil
	}
	dir := s.dir
	s.dir = ""
	return temporary.Remove(dir)
}

// Resolve implements program.Modules.
func (s *Session) Resolve(ctx context.Context, folder string, paths []string, progress func(line string)) (map[string]error, error) {
	s.asking.Lock()
	defer s.asking.Unlock()
	failed := map[string]error{}
	err := s.resolve(ctx, folder, paths, progress, failed)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		for _, path := range paths {
			failed[path] = err
		}
	}
	return failed, nil
}

// resolve is Resolve, but puts the errors for single paths into failed. The error concerns all
// paths.
func (s *Session) resolve(ctx context.Context, folder string, paths []string, progress func(line string), failed map[string]error) error {
	place, err := s.place(ctx, folder)
	if err != nil {
		return err
	}
	m, err := s.session(place)
	if err != nil {
		return err
	}
	paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return s.settled(path, m.key) })
	for _, path := range paths {
		if reason := stdlib.Unavailable(path); reason != nil {
			failed[path] = reason
		} else if err := checkPath(path); err != nil {
			failed[path] = err
		}
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return failed[path] != nil })
	if len(paths) == 0 {
		return nil
	}
	listing, err := s.list(ctx, m, paths, progress)
	if err != nil {
		return err
	}
	added := map[string]string{}
	for _, path := range paths {
		err := s.addPackage(ctx, m, listing, path, added)
		var unknown *stdlib.ImportError
		if _, known := s.program.Importer.Import(path); err != nil && errors.As(known, &unknown) && unknown.Meant != "" {
			err = fmt.Errorf("%w; did you mean %q?", err, unknown.Meant)
		}
		var broken *compileError
		if errors.As(err, &broken) {
			broken.seenFrom(folder, m.dir)
		}
		if err != nil {
			failed[path] = s.withSuggestion(ctx, m, path, err)
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(added) > 0 {
		if err := s.add(added); err != nil {
			return err
		}
	}
	s.settle(m, listing, paths, failed, progress)
	// The settled versions affect later answers.
	after, err := s.session(place)
	if err != nil {
		return err
	}
	s.rekey(paths, m.key, after.key)
	return s.tellBeside(ctx, listing, progress)
}

// tellBeside reports once which modules are loaded in a version that the program does not have.
func (s *Session) tellBeside(ctx context.Context, l *listing, progress func(line string)) error {
	for path, version := range l.beside {
		if s.told[path] == version || s.used[path].Path == "" {
			continue
		}
		has, err := s.programVersion(ctx, path)
		if err != nil {
			return err
		}
		s.told[path] = version
		progress(fmt.Sprintf("%s %s is loaded in addition to %s, which this program has", path, version, has))
	}
	return nil
}

// settled reports whether a package was found and nothing that it depends on has changed.
func (s *Session) settled(path, key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.found[path]
	return f != nil && f.key == key && !f.local
}

// rekey records that the answers for some paths are still valid after the module has changed.
func (s *Session) rekey(paths []string, before, after string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range paths {
		if f := s.found[path]; f != nil && f.key == before {
			f.key = after
		}
	}
}

// addPackage makes a listed package importable. It adds archives that the compiler of the cells
// needs to added.
func (s *Session) addPackage(ctx context.Context, m *sessionModule, l *listing, path string, added map[string]string) error {
	all, err := l.closure(path)
	if err != nil {
		return err
	}
	if err := s.overruled(m, l, path, all); err != nil {
		return err
	}
	f := &found{key: m.key, dir: l.packages[path].Dir, files: l.packages[path].GoFiles}
	for _, p := range all {
		switch same, err := s.isProgram(l, p); {
		case err != nil:
			return err
		case same:
			p.path = p.ImportPath
			continue
		}
		if err := s.mayDiffer(ctx, l, path, p); err != nil {
			return err
		}
		f.local = f.local || p.local()
		file, err := s.edition(ctx, l, p)
		if err != nil {
			return err
		}
		added[p.path] = file
	}
	f.path = l.packages[path].path
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found[path] = f
	delete(s.docs, path)
	return nil
}

// overruled reports a module whose version differs from the one that the user, or the go.mod beside
// the notebook, has named.
func (s *Session) overruled(m *sessionModule, l *listing, path string, all []*listed) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range all {
		if p.Module == nil || p.Module.Replace != nil {
			continue
		}
		pin := s.pins[p.Module.Path]
		if named := cmp.Or(m.place.required[p.Module.Path], pin.version); l.chosen[p.Module.Path] != "" && (pin.asked || m.place.required[p.Module.Path] != "") {
			return fmt.Errorf("module %s %s has no package %s; version %s has it (%%mod %s@%s)", p.Module.Path, named, p.ImportPath, p.Module.Version, p.Module.Path, p.Module.Version)
		}
		if pin.asked && pin.version != p.Module.Version {
			return fmt.Errorf("%s is required in %s, but %%mod says %s", p.Module.Path, p.Module.Version, pin.version)
		}
	}
	return nil
}

// Import implements types.Importer for the packages that were found.
func (s *Session) Import(path string) (*types.Package, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.found[path]
	if f == nil {
		return nil, fmt.Errorf("package %s was not asked for", path)
	}
	return s.read(f.path)
}

package module

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/tools/go/gcexportdata"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// read reads the types of a package from its archive. s.mu is held.
func (s *Session) read(path string) (*types.Package, error) {
	if pkg := s.types[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	name := s.archives[path]
	if name == "" {
		name = s.program.Packages[path]
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	//lint:ignore SA1019 the compilers whose archives it reads are those that build plugins
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	own := func(path string) bool { return s.archives[path] != "" }
	return stdlib.ReadExport(r, path, own, s.types)
}

// settle records the versions of modules that were chosen without a request, so that they stay the
// same.
func (s *Session) settle(m *sessionModule, l *listing, paths []string, failed map[string]error, progress func(line string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := map[string]string{}
	for _, path := range paths {
		if failed[path] != nil {
			continue
		}
		all, err := l.closure(path)
		if err != nil {
			continue // it is already known
		}
		for _, p := range all {
			if p.Standard || p.Module == nil || p.Module.Path == s.program.Path || s.program.Packages[p.ImportPath] != "" && p.path == p.ImportPath {
				continue
			}
			if version := l.chosen[p.Module.Path]; version == p.Module.Version && p.Module.Replace == nil {
				kept[p.Module.Path] = version
			}
			u := program.Module{Path: p.Module.Path, Version: p.Module.Version, From: s.from(m, l, p), Used: true}
			if p.local() {
				u.Version = ""
			}
			if old, ok := s.used[u.Path]; ok && old.Version != u.Version && old.Version != "" && u.Version != "" && progress != nil {
				progress(fmt.Sprintf("%s is %s from now on; it was %s", u.Path, u.Version, old.Version))
			}
			s.used[u.Path] = u
			s.roots[u.Path] = p.Module.Dir
		}
	}
	for path, dir := range m.place.modules {
		s.roots[path] = dir
	}
	for path, version := range kept {
		s.pins[path] = pin{version: version}
	}
}

// from says why a package's module has its version. s.mu is held.
func (s *Session) from(m *sessionModule, l *listing, p *listed) string {
	mod := p.Module
	switch pin, ok := s.pins[mod.Path]; {
	case m.place.modules[mod.Path] != "":
		return "folder " + mod.Dir
	case mod.Replace != nil:
		return "replaced by " + strings.TrimSpace(mod.Replace.Path+" "+mod.Replace.Version)
	case ok && pin.asked && pin.version == mod.Version:
		return "%mod"
	case l.chosen[mod.Path] == mod.Version, ok && pin.version == mod.Version:
		return "latest"
	}
	return "required"
}

// List implements program.Modules.
func (s *Session) List() []program.Module {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []program.Module
	for _, m := range s.used {
		list = append(list, m)
	}
	for path, pin := range s.pins {
		if _, ok := s.used[path]; !ok {
			list = append(list, program.Module{Path: path, Version: pin.version, From: "%mod; not imported yet"})
		}
	}
	slices.SortFunc(list, func(a, b program.Module) int { return cmp.Compare(a.Path, b.Path) })
	return list
}

// Require implements program.Modules.
func (s *Session) Require(ctx context.Context, folder, path, version string, progress func(line string)) (string, error) {
	s.asking.Lock()
	defer s.asking.Unlock()
	if version == "none" {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.pins, path)
		return "", nil
	}
	p, err := s.place(ctx, folder)
	if err != nil {
		return "", err
	}
	if dir := p.modules[path]; dir != "" {
		return "", fmt.Errorf("%s is taken from %s, so its version cannot be chosen", path, dir)
	}
	if err := module.CheckPath(path); err != nil {
		var invalid *module.InvalidPathError
		if errors.As(err, &invalid) {
			return "", fmt.Errorf("invalid module path %q: %v", path, invalid.Err)
		}
		return "", err
	}
	m, err := s.session(p)
	if err != nil {
		return "", err
	}
	if err := m.write("package session\n"); err != nil {
		return "", err
	}
	out, err := s.command(ctx, m.dir, progress, "list", "-mod=mod", "-m", "-json=Version", path+"@"+cmp.Or(version, "latest"))
	if err != nil {
		return "", about(strings.TrimSpace(path+" "+version), err)
	}
	var chosen struct{ Version string }
	if err := json.Unmarshal(out, &chosen); err != nil {
		return "", fmt.Errorf("the output of go list for %s: %w", path, err)
	}
	if s.isPart(path) {
		if has, err := s.programVersion(ctx, path); err != nil || has != chosen.Version {
			return "", errors.Join(err, fmt.Errorf("%s is part of this program, in version %s", path, has))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pins[path] = pin{version: chosen.Version, asked: true}
	return chosen.Version, nil
}

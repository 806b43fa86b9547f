package module

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/hierml/notebook/internal/temporary"
)

// modulePath is the path of a session's own module.
const modulePath = "session"

// unversioned is the version with which modules in folders are required.
const unversioned = "v0.0.0-00010101000000-000000000000"

// A place is the modules that the go command finds beside a notebook.
type place struct {
	folder string
	// modules are the paths of the main modules, by their folders.
	modules map[string]string
	// workspace is the go.work, empty if there is none.
	workspace string
	required  map[string]string  // versions of modules
	replace   []*modfile.Replace // with full paths
	exclude   []module.Version
	sums      [][]byte
	files     [][]byte // everything that was read, except sums
}

// place reads the go.mod or go.work for a folder.
func (s *Session) place(ctx context.Context, folder string) (*place, error) {
	p := &place{folder: folder, modules: map[string]string{}, required: map[string]string{}}
	out, err := s.command(ctx, folder, nil, "env", "-json", "GOMOD", "GOWORK")
	if err != nil {
		return nil, err
	}
	var env struct{ GOMOD, GOWORK string }
	if err := json.Unmarshal(out, &env); err != nil {
		return nil, fmt.Errorf("the output of go env: %w", err)
	}
	switch {
	case env.GOWORK != "" && env.GOWORK != "off":
		return p, p.readWorkspace(env.GOWORK, s.program.Path)
	case env.GOMOD != "" && env.GOMOD != os.DevNull:
		return p, p.readModule(env.GOMOD, s.program.Path)
	}
	return p, nil
}

func (p *place) readWorkspace(name, program string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return oneLine(err)
	}
	p.workspace = name
	p.files = append(p.files, data)
	dir := filepath.Dir(name)
	p.takeReplaced(work.Replace, dir, program)
	for _, use := range work.Use {
		folder := filepath.FromSlash(use.Path)
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(dir, folder)
		}
		if err := p.readModule(filepath.Join(folder, "go.mod"), program); err != nil {
			return err
		}
	}
	return p.readSums(name + ".sum")
}

func (p *place) readModule(name, program string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	mod, err := modfile.Parse(name, data, nil)
	if err != nil {
		return oneLine(err)
	}
	if mod.Module == nil || mod.Module.Mod.Path == "" {
		return fmt.Errorf("%s names no module", name)
	}
	p.files = append(p.files, []byte(name), data)
	if path := mod.Module.Mod.Path; path != program {
		p.modules[path] = filepath.Dir(name)
	}
	p.takeReplaced(mod.Replace, filepath.Dir(name), program)
	p.require(mod)
	for _, x := range mod.Exclude {
		p.exclude = append(p.exclude, x.Mod)
	}
	return p.readSums(strings.TrimSuffix(name, ".mod") + ".sum")
}

// require adds the requirements of a module.
func (p *place) require(mod *modfile.File) {
	for _, r := range mod.Require {
		if v := r.Mod.Version; semver.Compare(v, p.required[r.Mod.Path]) > 0 {
			p.required[r.Mod.Path] = v
		}
	}
}

// takeReplaced adds replacements, except those for already replaced modules.
func (p *place) takeReplaced(list []*modfile.Replace, dir, program string) {
	for _, r := range list {
		taken := func(x *modfile.Replace) bool { return x.Old == r.Old }
		if r.Old.Path == program || slices.ContainsFunc(p.replace, taken) {
			continue
		}
		full := &modfile.Replace{Old: r.Old, New: r.New}
		if r.New.Version == "" && !filepath.IsAbs(r.New.Path) {
			full.New.Path = filepath.Join(dir, filepath.FromSlash(r.New.Path))
		}
		p.replace = append(p.replace, full)
	}
}

func (p *place) readSums(name string) error {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	p.sums = append(p.sums, data)
	return err
}

// oneLine returns the first of the errors about the file of a module.
func oneLine(err error) error {
	var list modfile.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return &list[0]
	}
	return err
}

// A sessionModule is the module of a session for one request.
type sessionModule struct {
	dir   string
	place *place
	file  *modfile.File
	sums  [][]byte
	// key identifies everything that the answer depends on, except sources that the user edits.
	key string
}

// temporaryFolder is the folder for temporary files of the go command, in the folder of the module:
// files that a killed command leaves are removed with that.
const temporaryFolder = "tmp"

// session returns the session's module for cells in a place.
func (s *Session) session(p *place) (*sessionModule, error) {
	if s.dir == "" {
		dir, err := temporary.Folder("", "modules")
		if err == nil {
			err = os.Mkdir(filepath.Join(dir, temporaryFolder), 0o700)
		}
		if err != nil {
			return nil, err
		}
		s.dir = dir
	}
	m := &sessionModule{dir: s.dir, place: p}
	data, err := os.ReadFile(filepath.Join(s.program.Folder, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("the folder that this program was built from: %w", err)
	}
	base, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return nil, oneLine(err)
	}
	f := new(modfile.File)
	m.file = f
	// The following fails only for malformed arguments.
	err = errors.Join(f.AddModuleStmt(modulePath), f.AddRequire(s.program.Path, unversioned), f.AddReplace(s.program.Path, "", s.program.Folder, ""))
	if base.Go != nil {
		err = errors.Join(err, f.AddGoStmt(base.Go.Version))
	}
	for _, path := range slices.Sorted(maps.Keys(p.modules)) {
		err = errors.Join(err, f.AddRequire(path, unversioned), f.AddReplace(path, "", p.modules[path], ""))
	}
	var replaced place
	replaced.replace = slices.Clone(p.replace)
	replaced.takeReplaced(base.Replace, s.program.Folder, s.program.Path)
	for _, r := range replaced.replace {
		if p.modules[r.Old.Path] == "" {
			err = errors.Join(err, f.AddReplace(r.Old.Path, r.Old.Version, r.New.Path, r.New.Version))
		}
	}
	for _, x := range p.exclude {
		err = errors.Join(err, f.AddExclude(x.Path, x.Version))
	}
	// If the module itself requires everything, the go command does not consult the requirements of
	// others.
	all := place{required: maps.Clone(p.required)}
	all.require(base)
	s.mu.Lock()
	for path, u := range s.used {
		if !s.pins[path].asked && p.required[path] == "" && semver.Compare(u.Version, all.required[path]) > 0 {
			all.required[path] = u.Version
		}
	}
	for path, pin := range s.pins {
		if semver.Compare(pin.version, all.required[path]) > 0 {
			all.required[path] = pin.version
		}
	}
	s.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(all.required)) {
		if p.modules[path] == "" && path != s.program.Path {
			err = errors.Join(err, f.AddRequire(path, all.required[path]))
		}
	}
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile(filepath.Join(s.program.Folder, "go.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	m.sums = append(slices.Clone(p.sums), sum)
	text, err := f.Format()
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	fmt.Fprintln(h, s.tags())
	for _, part := range append([][]byte{text, data}, p.files...) {
		fmt.Fprintf(h, "%d\n%s", len(part), part)
	}
	m.key = string(h.Sum(nil))
	return m, nil
}

// write writes the module with the file that imports the requested packages. It keeps additions of
// the go command to go.sum.
func (m *sessionModule) write(source string) error {
	name := filepath.Join(m.dir, "go.sum")
	before, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var lines []string
	for _, part := range append(m.sums, before) {
		lines = append(lines, strings.Split(strings.TrimSpace(string(part)), "\n")...)
	}
	slices.Sort(lines)
	sums := strings.TrimSpace(strings.Join(slices.Compact(lines), "\n")) + "\n"
	text, err := m.file.Format()
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(name, []byte(sums), 0o600),
		os.WriteFile(filepath.Join(m.dir, "go.mod"), text, 0o600),
		os.WriteFile(filepath.Join(m.dir, importer), []byte(source), 0o600))
}

// mayImport reports whether a package is internal to a module of the notebook's folder.
func (m *sessionModule) mayImport(path string) bool {
	outer, ok := internalTo(path)
	if !ok {
		return false
	}
	for module, dir := range m.place.modules {
		rel, err := filepath.Rel(dir, m.place.folder)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			continue
		}
		at := strings.TrimSuffix(module+"/"+filepath.ToSlash(rel), "/.")
		if at == outer || strings.HasPrefix(at, outer+"/") {
			return true
		}
	}
	return false
}

// internalTo returns the path of the folder to which an internal package is internal.
func internalTo(path string) (outer string, ok bool) {
	elements := strings.Split(path, "/")
	for i, element := range slices.Backward(elements) {
		if element == "internal" && i > 0 {
			return strings.Join(elements[:i], "/"), true
		}
	}
	return "", false
}

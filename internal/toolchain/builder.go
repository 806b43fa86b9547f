package toolchain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/hierml/notebook/internal/lock"
)

// A Builder builds units into plugins, one after the other, for one worker: units may import those
// of earlier builds.
type Builder struct {
	kit    *Kit
	using  *lock.Lock
	folder *folder
	// packages is the part of the linker's configuration that names the packages of the program.
	packages string

	mu     sync.Mutex
	units  map[string]*unit  // by import path
	others map[string]string // archives that were added, by import path
	built  int
	// refused is the linker's output when another way to link was used.
	refused []string
}

// unit is a unit in files.
type unit struct {
	path    string
	imports []string
	// source is the text, export the data for importers, and object the code to link.
	source, export, object string
	embed                  *Embed
	// done is closed when the compiler has ended.
	done chan struct{}
}

// CompileError is a unit that does not compile.
type CompileError struct {
	// Text is the compiler's output.
	Text string
}

func (e *CompileError) Error() string { return "the compiler refuses the cell: " + e.Text }

// NewBuilder returns a builder with a private folder, which Close removes.
func (k *Kit) NewBuilder() (*Builder, error) {
	using, err := lock.Shared(k.dir + usersSuffix)
	if err == nil {
		if using == nil {
			return nil, errors.New("the files for compiling cells are being removed, because this program was installed again; restart hierml")
		}
		_, err = os.Stat(filepath.Join(k.dir, "compile"))
	}
	if err != nil {
		return nil, fmt.Errorf("the files for compiling cells are gone; restart hierml: %w", err)
	}
	folder, err := newFolder("cells", "")
	if err != nil {
		return nil, errors.Join(err, using.Release())
	}
	var packages strings.Builder
	for _, path := range slices.Sorted(maps.Keys(k.info.Archives)) {
		fmt.Fprintf(&packages, "packagefile %s=%s\n", path, k.archive(path))
	}
	return &Builder{kit: k, using: using, folder: folder, packages: packages.String(), units: map[string]*unit{}, others: map[string]string{}}, nil
}

func (k *Kit) archive(path string) string {
	return filepath.Join(k.dir, "archives", k.info.Archives[path])
}

// Slow is that of the kit.
func (b *Builder) Slow() string { return b.kit.Slow() }

// Close removes the builder's folder with the plugins in it.
func (b *Builder) Close() error {
	return errors.Join(b.folder.remove(), b.using.Release())
}

// Build compiles units and links them into a plugin, whose file it returns. The file may be removed
// as soon as it is loaded. If a unit does not compile, the error is a *CompileError. If there is no
// place where code can be stored or loaded from, it is a *PlaceError. After an error, none of the
// units was built. Build stops when ctx is done.
func (b *Builder) Build(ctx context.Context, units []Unit) (plugin string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(units) == 0 {
		return "", errors.New("nothing to build")
	}
	plugin, err = b.build(ctx, units)
	if place := (*PlaceError)(nil); errors.As(err, &place) && place.Variable == cellsVariable && b.move() == nil {
		return b.build(ctx, units)
	}
	return plugin, err
}

func (b *Builder) build(ctx context.Context, units []Unit) (plugin string, err error) {
	dir := b.folder.path
	added, err := b.add(dir, units)
	if err == nil {
		err = b.compile(ctx, dir, added)
	}
	if err == nil {
		plugin, err = b.link(ctx, dir, added)
	}
	if err == nil {
		err = tryFile(plugin, cellsVariable)
	}
	if err != nil {
		for _, u := range added {
			delete(b.units, u.path)
		}
		return "", plainly(b.kit.blame(ctx, err), dir, cellsVariable)
	}
	return plugin, nil
}

// move makes the builder continue in another folder, with everything that it has built.
func (b *Builder) move() error {
	to, err := newFolder("cells", b.folder.parent)
	if err != nil {
		return err
	}
	if err := os.CopyFS(to.path, os.DirFS(b.folder.path)); err != nil {
		return errors.Join(err, to.remove())
	}
	for _, u := range b.units {
		for _, file := range []*string{&u.source, &u.export, &u.object} {
			*file = filepath.Join(to.path, filepath.Base(*file))
		}
	}
	from := b.folder
	b.folder = to
	return from.remove()
}

// add writes the sources of units into dir and makes them known.
func (b *Builder) add(dir string, units []Unit) ([]*unit, error) {
	var added []*unit
	for _, u := range units {
		if b.units[u.Path] != nil || !strings.HasPrefix(u.Path, Prefix) {
			return added, fmt.Errorf("%s cannot be the path of a new unit", u.Path)
		}
		file, err := parser.ParseFile(token.NewFileSet(), "", u.Source, parser.ImportsOnly)
		if err != nil {
			return added, &CompileError{err.Error()}
		}
		base := filepath.Join(dir, strconv.Itoa(len(b.units)))
		next := &unit{path: u.Path, source: base + ".go", export: base + ".a", object: base + ".o", embed: u.Embed, done: make(chan struct{})}
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return added, &CompileError{err.Error()}
			}
			_, known := b.archive(path)
			if !known && b.units[path] == nil && path != "unsafe" {
				return added, fmt.Errorf("package %s is not part of this program", path)
			}
			next.imports = append(next.imports, path)
		}
		if err := os.WriteFile(next.source, []byte(u.Source), 0o600); err != nil {
			return added, err
		}
		b.units[u.Path] = next
		added = append(added, next)
	}
	return added, nil
}

// compile compiles units, each after those of them that it imports.
func (b *Builder) compile(ctx context.Context, dir string, units []*unit) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, u := range units {
		group.Go(func() error {
			for _, path := range u.imports {
				if other := b.units[path]; other != nil {
					select {
					case <-other.done:
					case <-ctx.Done():
						return ctx.Err()
					}
				}
			}
			err := b.compileOne(ctx, dir, u)
			if err == nil {
				close(u.done)
			}
			return err
		})
	}
	return group.Wait()
}

func (b *Builder) compileOne(ctx context.Context, dir string, u *unit) error {
	var config strings.Builder
	for _, path := range u.imports {
		if other := b.units[path]; other != nil {
			fmt.Fprintf(&config, "packagefile %s=%s\n", path, other.export)
		} else if file, ok := b.archive(path); ok {
			fmt.Fprintf(&config, "packagefile %s=%s\n", path, file)
		}
	}
	args := []string{"-o", u.export, "-linkobj", u.object, "-p", u.path, "-complete", "-trimpath", dir + "=>"}
	if u.embed != nil {
		text, err := json.Marshal(u.embed)
		if err != nil {
			return err
		}
		if err := os.WriteFile(u.source+".embed", text, 0o600); err != nil {
			return err
		}
		args = append(args, "-embedcfg", u.source+".embed")
	}
	err := b.runCompiler(ctx, dir, u.source+".cfg", config.String(), append(args, filepath.Base(u.source))...)
	var failed *commandError
	if errors.As(err, &failed) && !failed.noRoom() {
		return &CompileError{failed.text}
	}
	return err
}

// runCompiler runs the compiler with an import configuration that it writes to a file.
func (b *Builder) runCompiler(ctx context.Context, dir, file, config string, args ...string) error {
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return err
	}
	// Nobody debugs a plugin, so it is linked without debug data.
	args = append([]string{"-importcfg", file, "-dynlink", "-pack", "-c=1", "-dwarf=false"}, args...)
	if b.kit.has("compile/host") {
		args = append([]string{"-host", filepath.Join(b.kit.dir, symbolsFile)}, args...)
	}
	if b.kit.info.Race {
		args = append([]string{"-race"}, args...)
	}
	_, err := run(ctx, dir, b.environment(), filepath.Join(b.kit.dir, "compile"), args...)
	return err
}

// link links units, and the packages that they need, into a plugin.
func (b *Builder) link(ctx context.Context, dir string, units []*unit) (string, error) {
	b.built++
	name := "plugin" + strconv.Itoa(b.built)
	path := filepath.Join(dir, name)

	main, pluginPath := units[0].object, units[0].path
	if len(units) > 1 {
		main, pluginPath = path+".a", filepath.Base(dir)+"/"+name
		if err := b.compileMain(ctx, dir, name, pluginPath, units); err != nil {
			return "", err
		}
	}

	objects := bytes.NewBufferString(b.packages)
	for path, file := range b.others {
		fmt.Fprintf(objects, "packagefile %s=%s\n", path, file)
	}
	for _, u := range b.units {
		fmt.Fprintf(objects, "packagefile %s=%s\n", u.path, u.object)
	}
	if err := os.WriteFile(path+".cfg", objects.Bytes(), 0o600); err != nil {
		return "", err
	}
	args := []string{"-importcfg", path + ".cfg", "-buildmode=plugin", "-pluginpath=" + pluginPath, "-extldflags=-Wl,-z,norelro", "-s", "-w"}
	if b.kit.info.Race {
		args = append(args, "-race")
	}
	args = append(args, "-o", path+".so", main)
	// Symbols of the program are imported from it, reading as little as possible of its packages.
	// If that is not enough, they are read completely; if symbols of the program cannot be
	// imported, they are linked.
	host := []string{"-host", filepath.Join(b.kit.dir, symbolsFile)}
	ways := [][]string{append(host[:2:2], "-part"), host, nil}
	if !b.kit.has("link/part") {
		ways = ways[1:]
	}
	if !b.kit.has("link/imports") {
		ways = ways[1:]
	}
	var err error
	for _, way := range ways {
		err = b.runLinker(ctx, dir, path, way, args)
		var failed *commandError
		if !errors.As(err, &failed) {
			break
		}
		b.refused = append(b.refused, failed.text)
	}
	if err != nil {
		return "", fmt.Errorf("the cell cannot be linked: %w", err)
	}
	return path + ".so", nil
}

// runLinker links the plugin path+".so", with the linker of the system if necessary.
func (b *Builder) runLinker(ctx context.Context, dir, path string, way, args []string) error {
	link := func(more ...string) error {
		_, err := run(ctx, dir, b.environment(), filepath.Join(b.kit.dir, "link"), slices.Concat(way, more, args)...)
		return err
	}
	if b.kit.info.Writes && way != nil {
		objects := path + ".tmp"
		if err := os.Mkdir(objects, 0o700); err != nil {
			return err
		}
		written := false
		err := link("-extld=none", "-tmpdir="+objects)
		if err == nil {
			written, err = writeShared(objects, path+".so")
		}
		if err := errors.Join(err, os.RemoveAll(objects)); err != nil || written {
			return err
		}
	}
	if b.kit.info.Linker[0] == fastld {
		return link("-extld=" + filepath.Join(b.kit.dir, fastld))
	}
	return link("-extld=" + b.kit.info.Linker[0])
}

// compileMain compiles a package that imports the units, so that initializing it initializes them.
// It is the package main of the plugin; where there is one unit, that is.
func (b *Builder) compileMain(ctx context.Context, dir, name, path string, units []*unit) error {
	source, config := "package main\n", ""
	for _, u := range units {
		source += "import _ " + strconv.Quote(u.path) + "\n"
		config += "packagefile " + u.path + "=" + u.export + "\n"
	}
	file := filepath.Join(dir, name+".go")
	if err := os.WriteFile(file, []byte(source+"func main() {}\n"), 0o600); err != nil {
		return err
	}
	return b.runCompiler(ctx, dir, file+".cfg", config, "-o", filepath.Join(dir, name+".a"), "-p", path, name+".go")
}

// environment returns that of the compiler and the linker. They are so short that collecting
// garbage only costs time.
func (b *Builder) environment() []string {
	return slices.Concat(os.Environ(), b.kit.info.Settings, []string{"GOGC=off", "GOMEMLIMIT=1GiB", "TMPDIR=" + b.folder.path})
}

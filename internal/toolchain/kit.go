package toolchain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/hierml/notebook/internal/lock"
	"github.com/hierml/notebook/internal/process"
)

// Settings say which kit Open opens. The zero value is that of the running program.
type Settings struct {
	// Program is the file of the program that will load the plugins; if empty, that of this
	// process.
	Program string
	// Root is the folder of the module that the program was built from; if empty, the one that this
	// package was compiled in. It is needed to make a kit, not to open one.
	Root string
	// Progress, if set, is called with each step of the making of a kit, which takes from seconds
	// to a minute. It is not called if the kit is there.
	Progress func(step string)
}

// A Kit is what is needed to build plugins for one build of a program. It is a folder in the user's
// cache.
type Kit struct {
	dir  string
	info kitInfo
}

// kitInfo is what a kit's folder says about itself. The file is written last.
type kitInfo struct {
	// Root and Program are the module and the import path of package main that the kit was made
	// for.
	Root, Program string
	Race          bool
	// GOROOT is the tool chain.
	GOROOT string
	// Flags are those of the go command when it builds for the program, and Settings what it, the
	// compiler and the linker have to find in their environment.
	Flags, Settings []string
	// Linker are the arguments that name the linker of the system, and Writes is set if the kit's
	// does without it where it can.
	Linker []string
	Writes bool
	// Archives are the files of the packages, by import path.
	Archives map[string]string
	// Files are the sizes of all files of the kit, by their paths in it.
	Files map[string]int64
}

// Beside the folder of a kit are two files for locks: of the process that makes it, and of those
// that use it. There may be what was not finished, and what was damaged.
const (
	makerSuffix   = ".make"
	usersSuffix   = ".lock"
	asideSuffix   = ".making"
	damagedSuffix = ".damaged"
)

// format is part of a kit's identity. It changes with the layout of the folder and with how its
// files are made.
const format = "8"

// Find returns the kit of a program if there is one. It takes no time. The error is fs.ErrNotExist if
// there is none.
func Find(s Settings) (*Kit, error) {
	_, _, k, err := find(s)
	if err != nil {
		return nil, err
	}
	return k, nil
}

// find also returns what the kit is of, and the folder that it is to be made in if the error is
// fs.ErrNotExist or a *damagedError.
func find(s Settings) (p program, kits string, k *Kit, err error) {
	if runtime.GOOS != "linux" {
		return p, "", nil, fmt.Errorf("cells can be compiled on Linux only, not on %s; under Windows, WSL is a Linux", runtime.GOOS)
	}
	if s.Program == "" {
		// Also after an upgrade: the kit of another build is not this one's.
		if s.Program, err = process.Program(); err != nil {
			return p, "", nil, err
		}
	}
	if p, err = readProgram(s.Program); err != nil {
		return p, "", nil, err
	}
	if kits, err = kitsFolder(); err != nil {
		return p, "", nil, err
	}
	k = &Kit{dir: filepath.Join(kits, identity(p))}
	if err := trustPath(kits); errors.Is(err, fs.ErrNotExist) {
		return p, kits, k, err
	} else if err != nil {
		return p, "", nil, plainly(err, kits, "XDG_CACHE_HOME")
	}
	return p, kits, k, k.read()
}

// Open returns the kit of a program, which it makes if there is none or it is damaged. The error
// says in one sentence why cells cannot be compiled for the program, and what would change that.
func Open(ctx context.Context, s Settings) (*Kit, error) {
	if s.Progress == nil {
		s.Progress = func(string) {}
	}
	p, kits, k, err := find(s)
	if err == nil {
		return k, nil
	}
	if k == nil || !toBeMade(err) {
		return nil, err
	}
	err = os.MkdirAll(kits, 0o700)
	if err == nil {
		err = trustPath(kits)
	}
	if err != nil {
		return nil, plainly(err, kits, "XDG_CACHE_HOME")
	}
	making, err := lockMaking(ctx, k.dir+makerSuffix, s.Progress)
	if err != nil {
		return nil, plainly(err, kits, "XDG_CACHE_HOME")
	}
	err = k.read() // another process may have made it meanwhile
	if toBeMade(err) {
		if damaged := (*damagedError)(nil); errors.As(err, &damaged) {
			s.Progress("making anew what is damaged: " + damaged.what)
		}
		err = k.make(ctx, p, s)
	}
	if err := errors.Join(err, making.Release()); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, plainly(err, kits, "XDG_CACHE_HOME")
	}
	return k, removeOld(kits, k)
}

// identity names the kit of p: the same for all that the kit is the same for.
func identity(p program) string {
	sum := sha256.New()
	fmt.Fprintln(sum, format, p.id, p.info.GoVersion, p.info.Path, p.info.Settings)
	fmt.Fprintln(sum, compiler, linker, string(fastldSource))
	return hex.EncodeToString(sum.Sum(nil))[:24]
}

// kitsFolder returns the folder that kits are in.
func kitsFolder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for compiled code: %w", err)
	}
	return filepath.Join(cache, "hierml", "compiled"), nil
}

// lockMaking waits until this process is the only one that makes the kit.
func lockMaking(ctx context.Context, path string, progress func(string)) (*lock.Lock, error) {
	for waited := false; ; waited = true {
		l, err := lock.Alone(path)
		if l != nil || err != nil {
			return l, err
		}
		if !waited {
			progress("waiting for another process that does the same")
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

const (
	infoFile    = "kit.json"
	symbolsFile = "symbols"
)

// read reads what the kit says about itself, and marks it as used now. The programs in the kit are
// to be executed, so that it has to be the user's own, and whole.
func (k *Kit) read() error {
	if err := trust(k.dir); err != nil {
		return err
	}
	if err := k.readInfo(); err != nil {
		return err
	}
	if err := k.check(); err != nil {
		return err
	}
	now := time.Now()
	err := os.Chtimes(filepath.Join(k.dir, infoFile), now, now)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	return err
}

func (k *Kit) readInfo() error {
	content, err := os.ReadFile(filepath.Join(k.dir, infoFile))
	if err != nil {
		return err
	}
	var info kitInfo
	if err := json.Unmarshal(content, &info); err != nil {
		return &damagedError{k.dir, infoFile + " cannot be read"}
	}
	if len(info.Files) == 0 || len(info.Archives) == 0 || len(info.Linker) == 0 {
		return &damagedError{k.dir, infoFile + " is not complete"}
	}
	k.info = info
	return nil
}

// make makes the kit's folder: aside, and under its name when it is complete.
func (k *Kit) make(ctx context.Context, p program, s Settings) error {
	root, err := p.sourceFolder(s.Root)
	if err != nil {
		return err
	}
	tc, err := findToolchain(ctx, p, root)
	if err != nil {
		return err
	}
	aside := k.dir + asideSuffix
	// What is written on the way goes with the folder, also if this process is killed.
	temporary := filepath.Join(aside, "tmp")
	tc.env = append(tc.env, "TMPDIR="+temporary)
	err = os.RemoveAll(aside)
	if err == nil {
		err = os.MkdirAll(temporary, 0o700)
	}
	if err != nil {
		return err
	}
	s.Progress("comparing the sources with the program")
	err = checkSources(ctx, tc, p, root)
	if err == nil {
		err = errors.Join(k.fill(ctx, tc, p, root, aside, s.Progress), os.RemoveAll(aside+usersSuffix))
	}
	if err == nil {
		err = k.replace(aside)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(aside))
	}
	return nil
}

// replace puts a complete kit in the place of a damaged one, or of none. Builders that use the
// damaged one go on with the other: it was made for the same program.
func (k *Kit) replace(complete string) error {
	damaged := k.dir + damagedSuffix
	if err := os.RemoveAll(damaged); err != nil {
		return err
	}
	if err := os.Rename(k.dir, damaged); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(os.Rename(complete, k.dir), os.RemoveAll(damaged))
}

// fill makes the kit in dir.
func (k *Kit) fill(ctx context.Context, tc toolchain, p program, root, dir string, progress func(string)) error {
	progress("building the compiler and the linker for cells")
	source := filepath.Join(dir, "source")
	if err := compiler.build(ctx, tc, source, filepath.Join(dir, "compile")); err != nil {
		return err
	}
	if err := linker.build(ctx, tc, source, filepath.Join(dir, "link")); err != nil {
		return err
	}
	if err := writeSymbols(p.file, filepath.Join(dir, symbolsFile)); err != nil {
		return err
	}
	progress("compiling the packages of this program for cells")
	archives, err := compilePackages(ctx, tc, p, root, filepath.Join(dir, "archives"))
	if err != nil {
		return err
	}
	k.info = kitInfo{
		Root: root, Program: p.info.Path, Race: p.race(), Archives: archives,
		GOROOT: tc.GOROOT, Flags: p.buildFlags(), Settings: p.settings(),
	}
	progress("trying them")
	if err := k.chooseLinker(ctx, tc, dir); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(dir, "tmp")); err != nil {
		return err
	}
	if k.info.Files, err = inventory(dir); err != nil {
		return err
	}
	content, err := json.MarshalIndent(k.info, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, infoFile), content, 0o600)
}

// fastld in the arguments of the linker stands for that of the kit.
const fastld = "fastld"

// chooseLinker sets the linker of the kit, whose folder is dir, to the fastest one with which a
// plugin can be built, and has the kit do without where it can.
func (k *Kit) chooseLinker(ctx context.Context, tc toolchain, dir string) error {
	try := &Kit{dir: dir, info: k.info}
	try.info.Linker = []string{fastld}
	err := buildFastld(ctx, tc, filepath.Join(dir, fastld))
	if err == nil {
		err = try.tryBuild(ctx)
	}
	if err != nil && ctx.Err() == nil {
		try.info.Linker = []string{tc.CC}
		if err = try.tryBuild(ctx); err != nil {
			err = fmt.Errorf("a plugin cannot be built with %s: %w", tc.CC, err)
		}
	}
	if err == nil {
		try.info.Writes = true
		try.info.Writes = try.tryBuild(ctx) == nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	k.info = try.info
	return err
}

const module = "github.com/hierml/notebook"

// sourceFolder returns the folder of the module that p was built from: root, or if that is empty
// the one that this package was compiled in.
func (p program) sourceFolder(root string) (string, error) {
	if root == "" {
		if p.setting("-trimpath") == "true" {
			return "", errors.New("this program was built with -trimpath and does not know where its sources are; take the flag out of GOFLAGS and run `go run ./install` again")
		}
		_, file, _, _ := runtime.Caller(0) // ROOT/internal/toolchain/kit.go
		root = filepath.Dir(filepath.Dir(filepath.Dir(file)))
	}
	content, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil || modfile.ModulePath(content) != module {
		return "", fmt.Errorf("the sources that this program was built from are not in %s; clone %s and run `go run ./install` in the clone", root, module)
	}
	return root, nil
}

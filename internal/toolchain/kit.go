package toolchain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hierml/notebook/internal/lock"
	"github.com/hierml/notebook/internal/process"
)

// Settings say which kit Open opens. The zero value is that of the running program.
type Settings struct {
	// Program is the file of the program that will load the plugins; if empty, that of this
	// process.
	Program string
	// Root is the folder of the module from which the program was built. If empty, it is the
	// archive of the sources that came with the program, or else the folder from which this package
	// was compiled. Only making a kit needs it.
	Root string
	// Progress, if set, is called with each step of the making of a kit, which takes from seconds
	// to a minute. It is not called if the kit is there.
	Progress func(step string)
	// Compiled, if set, is called with the number of packages that the current step has compiled.
	Compiled func(packages int)
}

// A Kit contains everything to build plugins for one build of a program. It is a folder in the
// user's cache.
type Kit struct {
	dir  string
	info kitInfo
}

// kitInfo is the description of a kit in its folder. It is written last.
type kitInfo struct {
	// Root and Program are the module and the import path of package main that the kit was made
	// for.
	Root, Program string
	// Unpacked says that Root is in the kit: the program came with an archive of its sources.
	Unpacked bool
	Race     bool
	// GOROOT is the tool chain.
	GOROOT string
	// Flags are the flags of the go command to compile packages for plugins of the program, and
	// Settings the environment variables for it, the compiler and the linker.
	Flags, Settings []string
	// Linker are the arguments that name the linker of the system, and Writes is set if the kit's
	// does without it where it can.
	Linker []string
	Writes bool
	// Without names the patches that do not fit this Go, such as link/part. Cells take longer to
	// build without them: some seconds, as measured.
	Without []string
	Seconds float64
	// Archives are the files of the packages, by import path.
	Archives map[string]string
	// Files are the sizes of all files of the kit, by their paths in it.
	Files map[string]int64
}

// Beside the folder of a kit are two lock files: of the process that makes it, and of those that
// use it. There may also be unfinished and damaged kits.
const (
	makerSuffix   = ".make"
	usersSuffix   = ".lock"
	asideSuffix   = ".making"
	damagedSuffix = ".damaged"
)

// format is part of a kit's identity. It changes with the layout of the folder and with how its
// files are made.
const format = "10"

// find returns the kit of a program if there is one, and a description of the program. It takes no
// time. If there is none, the error is fs.ErrNotExist or a *damagedError, and kits is the folder to
// make it in.
func find(s Settings) (p program, kits string, k *Kit, err error) {
	if runtime.GOOS != "linux" {
		return p, "", nil, unsupportedError("cells can be compiled on Linux only, not on " + runtime.GOOS + "; under Windows, WSL is a Linux")
	}
	if s.Program == "" {
		// After an upgrade, too: the kit of another build does not fit this one.
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
		return p, "", nil, plainly(err, kits, kitsVariable)
	}
	return p, kits, k, k.read()
}

// An unsupportedError is an errors.ErrUnsupported: nothing that the user installs would change it.
type unsupportedError string

func (e unsupportedError) Error() string { return string(e) }

func (unsupportedError) Is(target error) bool { return target == errors.ErrUnsupported }

// Open returns the kit of a program, and makes it if it is missing or damaged. The error says in
// one sentence why cells cannot be compiled for the program, and what would change that; it is
// errors.ErrUnsupported if nothing would.
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
		return nil, plainly(err, kits, kitsVariable)
	}
	making, err := lockMaking(ctx, k.dir+makerSuffix, s.Progress)
	if err != nil {
		return nil, plainly(err, kits, kitsVariable)
	}
	err = k.read() // another process may have made it meanwhile
	if toBeMade(err) {
		if damaged := (*damagedError)(nil); errors.As(err, &damaged) {
			s.Progress("making the damaged files again: " + damaged.what)
		}
		err = k.make(ctx, p, s)
	}
	if err := errors.Join(err, making.Release()); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, plainly(err, kits, kitsVariable)
	}
	return k, removeOld(kits, k)
}

// identity names the kit of p. It is the same for programs that can share a kit.
func identity(p program) string {
	sum := sha256.New()
	fmt.Fprintln(sum, format, p.id, p.info.GoVersion, p.info.Path, p.info.Settings)
	fmt.Fprintln(sum, string(fastldSource))
	for _, t := range []tool{compiler, linker} {
		all, err := t.patches(p.goVersion())
		fmt.Fprintln(sum, t, all, err) // an error comes again when the kit is made
	}
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
	return lock.Wait(ctx, path, func() { progress("waiting for another process that does the same") })
}

const (
	infoFile    = "kit.json"
	symbolsFile = "symbols"
)

// read reads the description of the kit, and marks the kit as used now. Programs in the kit will be
// executed, so it must belong to the user, and be complete.
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
	if err := k.tryRunning(); err != nil {
		return err
	}
	now := time.Now()
	err := os.Chtimes(filepath.Join(k.dir, infoFile), now, now)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	return err
}

// tryRunning returns a *PlaceError if the programs of the kit cannot be run where they are.
func (k *Kit) tryRunning() error { return tryFile(filepath.Join(k.dir, "compile"), kitsVariable) }

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

// has reports whether the compiler or the linker of the kit has a patch.
func (k *Kit) has(name string) bool { return !slices.Contains(k.info.Without, name) }

// Slow says in half a sentence which patches do not fit the Go that the kit was made with, and how
// long a cell takes to build without them; empty if all fit.
func (k *Kit) Slow() string {
	switch n := len(k.info.Without); n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("patch %s does not fit this Go, so a cell takes %.2f s to build; a newer hierml may have one that fits", k.info.Without[0], k.info.Seconds)
	default:
		return fmt.Sprintf("patches %s and %s do not fit this Go, so a cell takes %.2f s to build; a newer hierml may have some that fit",
			strings.Join(k.info.Without[:n-1], ", "), k.info.Without[n-1], k.info.Seconds)
	}
}

// make makes the kit's folder: aside, and under its name when it is complete.
func (k *Kit) make(ctx context.Context, p program, s Settings) error {
	if err := tryPlaces(); err != nil {
		return err
	}
	if err := tryLoading(filepath.Dir(k.dir)); err != nil {
		return newPlaceError(kitsVariable, fmt.Sprintf("the compiler for cells cannot be kept in %s, which %v;", filepath.Dir(k.dir), err), err)
	}
	src, err := p.findSource(s)
	if err != nil {
		return err
	}
	tc, err := findToolchain(ctx, p, src)
	if err != nil {
		return err
	}
	packages, say := 0, s.Progress
	s.Progress = func(step string) { packages = 0; say(step) }
	tc.compiled = func(string) {
		packages++
		if s.Compiled != nil {
			s.Compiled(packages)
		}
	}
	aside := k.dir + asideSuffix
	// Temporary files are removed with the folder, even if this process is killed.
	temporary := filepath.Join(aside, "tmp")
	tc.env = append(tc.env, "TMPDIR="+temporary)
	err = os.RemoveAll(aside)
	if err == nil {
		err = os.MkdirAll(temporary, 0o700)
	}
	if err != nil {
		return err
	}
	if src.archive != "" {
		s.Progress("unpacking the sources of this program")
		src.root = filepath.Join(aside, moduleFolder)
		err = unpack(src.archive, src.root)
	}
	if err == nil {
		s.Progress("comparing the sources with the program")
		if src.archive != "" {
			err = checkArchive(p, src, tc, "") // what is compiled of it is compared when it is
		} else {
			err = checkSources(ctx, tc, p, src)
		}
	}
	if err == nil {
		err = k.fill(ctx, tc, p, src, aside, s.Progress)
		if misfit := (*MisfitError)(nil); errors.As(err, &misfit) {
			err = fmt.Errorf("%w; %s, with a network: that fetches %s to build this program", err, src.mend, goName(Newest()))
		}
		err = errors.Join(err, os.RemoveAll(aside+usersSuffix))
	}
	if err == nil {
		err = k.replace(aside)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(aside))
	}
	return nil
}

// replace moves a complete kit to its place, in which a damaged one may be. Builders that use the
// damaged one continue with the new one: it was made for the same program.
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
func (k *Kit) fill(ctx context.Context, tc toolchain, p program, src source, dir string, progress func(string)) error {
	progress("building the compiler and the linker for cells")
	source := filepath.Join(dir, "source")
	var without []string
	for _, t := range []tool{compiler, linker} {
		left, err := t.build(ctx, tc, source, filepath.Join(dir, t.name))
		if err != nil {
			return err
		}
		for _, p := range left {
			without = append(without, t.name+"/"+p.name)
		}
	}
	if err := writeSymbols(p.file, filepath.Join(dir, symbolsFile)); err != nil {
		return err
	}
	progress("compiling the packages of this program for cells")
	archives, err := compilePackages(ctx, tc, p, src, filepath.Join(dir, "archives"))
	if err != nil {
		return err
	}
	k.info = kitInfo{
		Root: src.root, Program: p.info.Path, Race: p.race(), Archives: archives,
		Without: without, GOROOT: tc.GOROOT, Flags: p.pluginFlags(), Settings: append(p.settings(), src.settings...),
	}
	if src.archive != "" {
		k.info.Root, k.info.Unpacked = filepath.Join(k.dir, moduleFolder), true
	}
	progress("trying them")
	if err := k.chooseLinker(ctx, tc, dir); err != nil {
		return err
	}
	if len(without) > 0 {
		started := time.Now()
		if err := (&Kit{dir: dir, info: k.info}).tryBuild(ctx); err != nil {
			return err
		}
		k.info.Seconds = time.Since(started).Seconds()
	}
	if err := os.RemoveAll(filepath.Join(dir, "tmp")); err != nil {
		return err
	}
	if k.info.Files, err = inventory(dir); err != nil {
		return err
	}
	// The sources are read when cells import other modules: checking each of them at every start
	// would take too long.
	maps.DeleteFunc(k.info.Files, func(name string, _ int64) bool {
		return strings.HasPrefix(name, moduleFolder+string(filepath.Separator))
	})
	content, err := json.MarshalIndent(k.info, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, infoFile), content, 0o600)
}

// fastld in the arguments of the linker means the kit's own.
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
		try.info.Writes = runtime.GOARCH == "amd64" && try.has("link/object")
		try.info.Writes = try.info.Writes && try.tryBuild(ctx) == nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	k.info = try.info
	return err
}

package toolchain

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/lock"
	"github.com/hierml/notebook/internal/testrun"
)

// root is the folder of the module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// newCache gives the test a cache folder of its own, in which there is no kit but what the go
// command has cached.
func newCache(t *testing.T) string {
	t.Helper()
	gocache, err := run(t.Context(), ".", os.Environ(), "go", "env", "GOCACHE")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("GOCACHE", strings.TrimSpace(gocache))
	t.Setenv("XDG_CACHE_HOME", dir)
	return dir
}

// onPath makes dir the only folder of PATH, with links to these programs in it.
func onPath(t *testing.T, programs ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range programs {
		for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
			file := filepath.Join(folder, name)
			if _, err := os.Stat(file); err == nil {
				if err := os.Symlink(file, filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
	}
	t.Setenv("PATH", dir)
}

// fakeGo puts a go command first on PATH that answers `go env -json` so.
func fakeGo(t *testing.T, answer string) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\ncat <<'END'\n" + answer + "\nEND\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// variant builds a small program with the settings.
func variant(t *testing.T, env []string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.org/small\n\ngo 1.26\n",
		"main.go": "package main\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "small")
	env = append(append(os.Environ(), "GOWORK=off"), env...)
	if _, err := run(t.Context(), dir, env, "go", append(append([]string{"build"}, args...), "-o", file)...); err != nil {
		t.Fatal(err)
	}
	return file
}

// makeKitsFolder makes the folder that kits are in.
func makeKitsFolder(t *testing.T) string {
	t.Helper()
	kits, err := kitsFolder()
	if err == nil {
		err = os.MkdirAll(kits, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return kits
}

// plant puts a kit that everybody can write to where that of the program would be.
func plant(t *testing.T, file string) {
	t.Helper()
	p, err := readProgram(file)
	if err != nil {
		t.Fatal(err)
	}
	kits := makeKitsFolder(t)
	dir := filepath.Join(kits, identity(p))
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil { // whatever the umask
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, infoFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestOpenErrors holds that what is missing is said in one sentence.
func TestOpenErrors(t *testing.T) {
	h := open(t, false)
	for _, test := range []struct {
		name    string
		prepare func(t *testing.T, s *Settings)
		want    string // a regular expression
	}{
		{"no go command", func(t *testing.T, _ *Settings) { onPath(t) },
			`^the go command was not found; install Go 1[0-9.]+ from go.dev/dl and put its bin folder on PATH$`},
		{"no C compiler", func(t *testing.T, _ *Settings) { onPath(t, "go") },
			`^compiled cells need the linker of \w+, which was not found; install gcc or clang$`},
		{"another version", func(t *testing.T, _ *Settings) { fakeGo(t, `{"GOVERSION": "go1.1"}`) },
			"^this program was built by go[0-9.]+ and the go command is go1.1; install go[0-9.]+ from go.dev/dl, or run `go run ./install` again in "},
		{"a go command that answers otherwise", func(t *testing.T, _ *Settings) { fakeGo(t, "?") },
			"^the go command's answer to `go env -json` cannot be read: "},
		{"cache that cannot be made", func(t *testing.T, _ *Settings) {
			file := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("XDG_CACHE_HOME", filepath.Join(file, "cache"))
		}, `^compiled code cannot be written to \S+: .*; restart hierml with XDG_CACHE_HOME set to a folder that has room and is not mounted noexec$`},
		{"no folder for the cache", func(t *testing.T, _ *Settings) {
			t.Setenv("XDG_CACHE_HOME", "")
			t.Setenv("HOME", "")
		}, `^there is no folder for compiled code: .*`},
		{"a cache of others", func(t *testing.T, s *Settings) {
			if err := os.Chmod(makeKitsFolder(t), 0o777); err != nil {
				t.Fatal(err)
			}
		}, `^other users can write to \S+/compiled, so hierml does not run programs from it; remove it, or set XDG_CACHE_HOME to another folder$`},
		{"a kit of others", func(t *testing.T, s *Settings) { plant(t, s.Program) },
			`^other users can write to \S+/compiled/\w+, so hierml does not run programs from it; remove it, or set XDG_CACHE_HOME to another folder$`},
		{"no sources", func(t *testing.T, s *Settings) { s.Root = t.TempDir() },
			"^the sources that this program was built from are not in \\S+; clone " + module + " and run `go run ./install` in the clone$"},
		{"no program", func(t *testing.T, s *Settings) { s.Program = filepath.Join(t.TempDir(), "none") },
			`^\S+none does not say how it was built: .*`},
		{"without cgo", func(t *testing.T, s *Settings) { s.Program = variant(t, []string{"CGO_ENABLED=0"}) },
			"^this program was built without cgo and cannot load compiled cells; install a C compiler \\(gcc\\) and run `go run ./install` again, with CGO_ENABLED=1$"},
		{"static", func(t *testing.T, s *Settings) {
			s.Program = variant(t, nil, "-ldflags=-linkmode=external -extldflags=-static")
		}, "^this program is linked statically and cannot load compiled cells; build it without -static, by `go run ./install`$"},
		{"another program", func(t *testing.T, s *Settings) { s.Program = variant(t, nil, "-ldflags=-linkmode=external") },
			"^the packages of this program do not build any more: .*"},
	} {
		t.Run(test.name, func(t *testing.T) {
			newCache(t)
			s := Settings{Program: h.file, Root: root(t)}
			test.prepare(t, &s)
			_, err := Open(t.Context(), s)
			if err == nil {
				t.Fatal("no error")
			}
			if !regexp.MustCompile(test.want).MatchString(err.Error()) || strings.Contains(err.Error(), "\n") && test.name != "another program" {
				t.Errorf("got  %s\nwant %s", err, test.want)
			}
		})
	}
}

// TestProgramFlags holds that the kit of a program that was built with these flags uses the
// packages of the program: none is compiled again.
func TestProgramFlags(t *testing.T) {
	p, err := readProgram(open(t, false).file)
	if err != nil {
		t.Fatal(err)
	}
	if minorOf(p.goVersion()) > lastDynlink {
		t.Skip("with this Go, a kit compiles the packages again")
	}
	src := source{root: root(t)}
	tc, err := findToolchain(t.Context(), p, src)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := listPackages(t.Context(), tc, p, src.root)
	if err != nil {
		t.Fatal(err)
	}
	if sum := mainSum(listed); sum == "" || !strings.Contains(p.id, "/"+sum+"/") {
		t.Errorf("the package main of the kit is %q, which is not part of the program %q", sum, p.id)
	}
}

func TestOpenCancelled(t *testing.T) {
	h := open(t, false)
	cache := newCache(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := Open(ctx, Settings{Program: h.file, Root: root(t), Progress: func(string) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	left, err := filepath.Glob(filepath.Join(cache, "hierml", "compiled", "*", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
}

// TestOpenWithoutToolchain holds that a kit that was made is used without the go command and the
// sources.
func TestOpenWithoutToolchain(t *testing.T) {
	h := open(t, false)
	onPath(t)
	k, err := Open(t.Context(), Settings{Program: h.file, Root: t.TempDir(), Progress: func(step string) { t.Error(step) }})
	if err != nil {
		t.Fatal(err)
	}
	b, err := k.NewBuilder()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if k.info.Linker[0] != fastld {
		return // it needs gcc
	}
	if _, err := b.Build(t.Context(), []Unit{text("cell/1", "func runˑ() {}")}); err != nil {
		t.Error(err)
	}
}

// TestOpenTogether holds that of several that need a kit one makes it, and that nothing is left of
// it when it is removed.
func TestOpenTogether(t *testing.T) {
	testrun.LeaveOutShort(t)
	h := open(t, false)
	newCache(t)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			k, err := Open(t.Context(), Settings{Program: h.file, Root: root(t)})
			if err != nil {
				t.Error(err)
			} else if _, err := os.Stat(filepath.Join(k.dir, infoFile)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if removed, err := Remove(h.file); err != nil || len(removed.Folders) != 1 || len(removed.InUse) != 0 {
		t.Fatal(removed, err)
	}
	dir, err := kitsFolder()
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Remove: %v, %v", left, err)
	}
}

func TestRemoveOld(t *testing.T) {
	const info = `{"Root": "root", "Program": "main", "Linker": ["cc"], "Archives": {"a": "0.a"}, "Files": {"link": 1}}`
	dir := t.TempDir()
	kit := func(name string) *Kit {
		k := &Kit{dir: filepath.Join(dir, name), info: kitInfo{Root: "root", Program: "main"}}
		if err := os.Mkdir(k.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(k.dir, infoFile), []byte(info), 0o600); err != nil {
			t.Fatal(err)
		}
		return k
	}
	oldest, inUse, young, made := kit("oldest"), kit("used"), kit("young"), kit("made")
	other, forgotten := kit("other"), kit("forgotten")
	for _, k := range []*Kit{other, forgotten} {
		if err := os.WriteFile(filepath.Join(k.dir, infoFile), []byte(strings.Replace(info, "root", "elsewhere", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// What was damaged is of no program that is known.
	damaged := kit("damaged")
	if err := os.WriteFile(filepath.Join(damaged.dir, infoFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	then := time.Now().AddDate(0, 0, -70)
	if err := os.Chtimes(damaged.dir, then, then); err != nil {
		t.Fatal(err)
	}
	// What was killed left these, with its lock, and what is made at the moment is like them.
	killed, alive := &Kit{dir: filepath.Join(dir, "killed")}, &Kit{dir: filepath.Join(dir, "alive")}
	for _, k := range []*Kit{killed, alive} {
		for _, suffix := range []string{asideSuffix, damagedSuffix} {
			if err := os.MkdirAll(filepath.Join(k.dir+suffix, "archives"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		making, err := lock.Alone(k.dir + makerSuffix)
		if err != nil {
			t.Fatal(err)
		}
		if k == alive {
			defer making.Release()
		} else if err := making.Release(); err != nil {
			t.Fatal(err)
		}
	}
	ages := map[*Kit]int{oldest: 3, inUse: 2, other: 50, forgotten: 70}
	for k, days := range ages {
		then := time.Now().AddDate(0, 0, -days)
		if err := os.Chtimes(filepath.Join(k.dir, infoFile), then, then); err != nil {
			t.Fatal(err)
		}
	}
	l, err := lock.Shared(inUse.dir + usersSuffix)
	if err != nil || l == nil {
		t.Fatal(l, err)
	}
	defer l.Release()
	if err := removeOld(dir, made); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		kit  *Kit
		gone bool
	}{{oldest, true}, {inUse, false}, {young, false}, {made, false}, {other, false}, {forgotten, true}, {damaged, true}} {
		if _, err := os.Stat(test.kit.dir); errors.Is(err, fs.ErrNotExist) != test.gone {
			t.Errorf("%s: %v", filepath.Base(test.kit.dir), err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*killed*")); err != nil || len(left) > 0 {
		t.Errorf("left by a killed process: %q, %v", left, err)
	}
	if left, err := filepath.Glob(alive.dir + ".*"); err != nil || len(left) != 3 {
		t.Errorf("left of what is being made: %q, %v", left, err)
	}
}

// TestRace holds that a program with the race detector gets plugins with it.
func TestRace(t *testing.T) {
	testrun.LeaveToLong(t, "the standard library and all packages are compiled with the race detector")
	testBuild(t, open(t, true))
}

// TestChangedSources holds that a program of other sources than those in its folder is found out.
func TestChangedSources(t *testing.T) {
	h := open(t, false)
	p, err := readProgram(h.file)
	if err != nil {
		t.Fatal(err)
	}
	src, err := p.findSource(Settings{Root: root(t)})
	if err != nil {
		t.Fatal(err)
	}
	tc, err := findToolchain(t.Context(), p, src)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkSources(t.Context(), tc, p, src); err != nil {
		t.Error(err)
	}
	p.id = "a/b/c/d"
	if err := checkSources(t.Context(), tc, p, src); err == nil || !strings.Contains(err.Error(), "have changed since this program was built from them; run `go run ./install` again there") {
		t.Errorf("got %v", err)
	}
}

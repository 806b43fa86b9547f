package module

import (
	"context"
	"encoding/json"
	"errors"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A fixture is a program, a folder for a notebook and a session.
type fixture struct {
	*testing.T
	*Session
	folder string
	added  map[string]string
	said   []string
	// offered are the packages that all cells can import.
	offered offered
}

// offered is an importer of packages with nothing in them.
type offered []string

func (o *offered) Import(path string) (*types.Package, error) {
	if slices.Contains(*o, path) {
		return types.NewPackage(path, "none"), nil
	}
	return nil, errors.New(path + " is not offered")
}

// write writes files, by names in the notebook's folder.
func (f *fixture) write(files map[string]string) {
	f.Helper()
	for name, text := range files {
		name = filepath.Join(f.folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			f.Fatal(err)
		}
	}
}

// newFixture returns a session of a program that consists of package fmt and of
// golang.org/x/sync/errgroup v0.1.0.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	root := t.TempDir()
	f := &fixture{T: t, folder: filepath.Join(root, "program"), added: map[string]string{}}
	f.write(map[string]string{
		"go.mod":  "module example.org/program\n\ngo 1.26.0\n\nrequire golang.org/x/sync v0.1.0\n",
		"main.go": "package main\n\nimport (\n\t\"fmt\"\n\n\t\"golang.org/x/sync/errgroup\"\n)\n\nfunc main() { fmt.Println(errgroup.Group{}) }\n",
	})
	program := Program{
		Path: "example.org/program", Folder: f.folder, Packages: map[string]string{}, Importer: &f.offered,
		Flags: []string{"-buildmode=plugin"},
		Env: []string{"GOPROXY=" + proxy(t), "GOMODCACHE=" + filepath.Join(root, "modules"), "GOFLAGS=-modcacherw",
			"GOSUMDB=off", "GOWORK=", "GO111MODULE=", "GOTOOLCHAIN=local"},
	}
	cmd := exec.Command("go", "list", "-mod=mod", "-export", "-deps", "-buildmode=plugin", "-json=ImportPath,Export", ".")
	cmd.Dir, cmd.Env = f.folder, append(os.Environ(), program.Env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Export != "" {
			program.Packages[p.ImportPath] = p.Export
		}
	}
	f.folder = filepath.Join(root, "notebook")
	if err := os.Mkdir(f.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	f.Session = New(program, func(packages map[string]string) error {
		for path, file := range packages {
			if _, err := os.Stat(file); err != nil {
				t.Errorf("archive of %s: %v", path, err)
			}
			f.added[path] = file
		}
		return nil
	})
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// resolve resolves one path and returns its package.
func (f *fixture) resolve(path string) (*types.Package, error) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), 2*time.Minute)
	defer cancel()
	failed, err := f.Resolve(ctx, f.folder, []string{path}, func(line string) { f.said = append(f.said, line) })
	if err != nil {
		f.Fatal(err)
	}
	if err := failed[path]; err != nil {
		return nil, err
	}
	return f.Import(path)
}

// constant returns the value of a constant of a package.
func (f *fixture) constant(path, name string) string {
	f.Helper()
	pkg, err := f.resolve(path)
	if err != nil {
		f.Fatal(err)
	}
	c, ok := pkg.Scope().Lookup(name).(*types.Const)
	if !ok {
		f.Fatalf("%s has no constant %s", path, name)
	}
	return pkg.Path() + " " + c.Val().String()
}

func (f *fixture) want(got, want string) {
	f.Helper()
	if got != want {
		f.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLatest(t *testing.T) {
	f := newFixture(t)
	f.want(f.constant("example.org/m/greet", "Version"), `example.org/m/greet "v1.2.0"`)
	f.want(strings.Join(f.said, "; "), "downloading example.org/m v1.2.0")
	f.want(strings.Join(f.Paths(), " "), "example.org/m/broken example.org/m/greet example.org/m/odd-name")
	f.want(f.Doc("example.org/m/greet", ""), "Package greet greets.\n")
	f.want(f.Doc("example.org/m/greet", "Greeting.Text"), "Text is what is said.\n")
	pkg, err := f.resolve("example.org/m/odd-name")
	if err != nil || pkg.Name() != "odd" {
		t.Errorf("odd-name: %v, %v", pkg, err)
	}
	// A package of the program has the archive that it has there.
	if _, err := f.resolve("golang.org/x/sync/errgroup"); err != nil {
		t.Error(err)
	}
	if f.added["golang.org/x/sync/errgroup"] != "" || f.added["fmt"] != "" || f.added["example.org/m/greet"] == "" {
		t.Errorf("added %v", f.added)
	}

	// What is there is not asked for again.
	f.want(f.constant("example.org/m/greet", "Version"), `example.org/m/greet "v1.2.0"`)
	f.program.Env = append(f.program.Env, "GOPROXY=off")
	if err := os.RemoveAll(filepath.Join(f.folder, "..", "modules")); err != nil {
		t.Fatal(err)
	}
	f.want(f.constant("example.org/m/greet", "Version"), `example.org/m/greet "v1.2.0"`)
}

func TestFailures(t *testing.T) {
	f := newFixture(t)
	f.offered = offered{"golang.org/x/sync/errgroup"}
	for _, test := range []struct{ path, want string }{
		{"example.org/m/cmd/tool", `import "example.org/m/cmd/tool" is a program, not an importable package`},
		{"example.org/m/internal/hidden", "use of internal package example.org/m/internal/hidden not allowed"},
		{"example.org/m/nothing", "module example.org/m (v1.2.0) has no package example.org/m/nothing; it has example.org/m/broken, example.org/m/greet, example.org/m/odd-name"},
		{"example.org/future", "example.org/future v1.0.0 needs go 1.99, but this program was built with go " + strings.TrimPrefix(goVersion(t), "go")},
		{"example.org/unknown", "example.org/unknown was not found: no module of that name can be downloaded"},
		{"nodots/x", "package nodots/x is neither in the standard library nor in the module beside the notebook"},
		{"../x", `invalid import path "../x": invalid path element ".."`},
		{"example.org/newer", "example.org/newer v1.0.0 needs golang.org/x/sync v0.99.0, but this program has v0.1.0; an older version may work (%mod example.org/newer@VERSION)"},
	} {
		_, err := f.resolve(test.path)
		if err == nil {
			t.Errorf("%s: no error", test.path)
			continue
		}
		f.want(err.Error(), test.want)
	}
	_, err := f.resolve("example.org/m/broken")
	if want := `package example.org/m/broken does not compile: `; err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), `broken.go:3:13: cannot use "text" (untyped string constant) as int value in variable declaration`) {
		t.Errorf("broken: %v", err)
	}
	// A package of the same module that needs nothing of the program's.
	f.want(f.constant("example.org/newer/apart", "One"), "example.org/newer/apart 1")
	// A failed import leaves nothing behind.
	f.want(f.constant("example.org/n", "Greets"), `example.org/n "v1.0.0"`)
}

func goVersion(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestNoNetwork(t *testing.T) {
	f := newFixture(t)
	f.want(f.constant("example.org/m/greet", "Version"), `example.org/m/greet "v1.2.0"`)
	for _, test := range []struct{ proxy, want string }{
		{"off", "cannot download example.org/n: GOPROXY is off"},
		{"http://127.0.0.1:1", "cannot download example.org/n: no network (127.0.0.1:1: connect: connection refused)"},
	} {
		f.program.Env = append(f.program.Env, "GOPROXY="+test.proxy)
		_, err := f.resolve("example.org/n")
		if err == nil {
			t.Fatal("no error")
		}
		f.want(err.Error(), test.want)
		// What is there needs no network.
		f.want(f.constant("example.org/m/odd-name", "Zero"), `example.org/m/odd-name 0`)
	}
}

func TestModuleBesideNotebook(t *testing.T) {
	f := newFixture(t)
	f.write(map[string]string{
		"go.mod":                 "module own\n\ngo 1.26\n\nrequire example.org/m v1.0.0\n",
		"a/a.go":                 "package a\n\nimport \"own/b\"\n\n// A is b's.\nconst A = \"a of \" + b.B\n",
		"b/b.go":                 "package b\n\nconst B = \"b\"\n",
		"internal/i/i.go":        "package i\n\nconst I = 1\n",
		"a/internal/j/j.go":      "package j\n\nconst J = 1\n",
		"notebooks/deep/text.md": "",
	})
	f.want(f.constant("example.org/m/greet", "Version"), `example.org/m/greet "v1.0.0"`)
	f.want(f.constant("own/a", "A"), `own/a "a of b"`)
	f.want(f.constant("own/a", "A"), `own/a "a of b"`)
	f.want(f.constant("own/internal/i", "I"), `own/internal/i 1`)
	f.folder = filepath.Join(f.folder, "notebooks", "deep")
	f.want(f.constant("own/internal/i", "I"), `own/internal/i 1`)
	if _, err := f.resolve("own/a/internal/j"); err == nil || err.Error() != "use of internal package own/a/internal/j not allowed" {
		t.Errorf("own/a/internal/j: %v", err)
	}

	f.folder = filepath.Dir(filepath.Dir(f.folder))
	f.write(map[string]string{"b/b.go": "package b\n\nconst B = \"another\"\n"})
	f.want(f.constant("own/a", "A"), `own/a~2 "a of another"`)
	f.want(f.constant("own/b", "B"), `own/b~2 "another"`)
	f.write(map[string]string{"b/b.go": "package b\n\nconst B = \"b\"\n"})
	f.want(f.constant("own/a", "A"), `own/a "a of b"`)
	f.write(map[string]string{"b/b.go": "package b\n\nconst B = 1\n"})
	if _, err := f.resolve("own/a"); err == nil || !strings.HasPrefix(err.Error(), "package own/a does not compile: ") {
		t.Errorf("own/a: %v", err)
	}
}

package module

import (
	"path/filepath"
	"strings"
	"testing"
)

// require is what %mod does.
func (f *fixture) require(module, version string) string {
	f.Helper()
	chosen, err := f.Require(f.Context(), f.folder, module, version, nil)
	if err != nil {
		return err.Error()
	}
	return chosen
}

func (f *fixture) modules() string {
	var lines []string
	for _, m := range f.List() {
		lines = append(lines, strings.TrimSpace(strings.Join([]string{m.Path, m.Version, m.From}, " ")))
	}
	return strings.ReplaceAll(strings.Join(lines, "; "), f.folder, "FOLDER")
}

func TestRequire(t *testing.T) {
	f := newFixture(t)
	f.offered = offered{"golang.org/x/sync/errgroup"}
	f.want(f.modules(), "")
	f.want(f.require("example.org/m", "v1.0.0"), "v1.0.0")
	f.want(f.modules(), "example.org/m v1.0.0 %mod; not imported yet")
	f.want(f.constant("example.org/m/greet", "Version"), `example.org/m/greet "v1.0.0"`)
	f.want(f.modules(), "example.org/m v1.0.0 %mod")
	_, err := f.resolve("example.org/m/odd-name")
	if err == nil || err.Error() != "module example.org/m v1.0.0 has no package example.org/m/odd-name; version v1.2.0 has it (%mod example.org/m@v1.2.0)" {
		t.Errorf("odd-name: %v", err)
	}

	// Another version is another form of the package.
	f.want(f.require("example.org/m", ""), "v1.2.0")
	f.want(f.constant("example.org/m/greet", "Version"), `example.org/m/greet~2 "v1.2.0"`)
	f.want(strings.Join(f.said[len(f.said)-1:], ""), "example.org/m is v1.2.0 from now on; it was v1.0.0")
	f.want(f.constant("example.org/n", "Greets"), `example.org/n "v1.2.0"`)
	f.want(f.require("example.org/m", "v1.0.0"), "v1.0.0")
	f.want(f.constant("example.org/n", "Greets"), `example.org/n~2 "v1.0.0"`)
	f.want(f.constant("example.org/m/greet", "Version"), `example.org/m/greet "v1.0.0"`)
	f.want(f.modules(), "example.org/m v1.0.0 %mod; example.org/n v0.1.0 latest")
	f.want(f.require("example.org/m", "none"), "")
	f.want(f.constant("example.org/m/odd-name", "Zero"), `example.org/m/odd-name 0`)

	f.want(f.require("example.org/m", "v1.7.0"), "example.org/m v1.7.0 was not found: no module of that name can be downloaded")
	f.want(f.require("Example org", ""), `invalid module path "Example org": invalid char ' '`)

	f.want(f.require("golang.org/x/sync", "latest"), "golang.org/x/sync is part of this program, in version v0.1.0")
	f.want(f.require("golang.org/x/sync", "v0.1.0"), "v0.1.0")
	f.want(f.require("golang.org/x/sync", "none"), "")

	f.Forget()
	f.want(f.modules(), "")
	f.want(f.constant("example.org/m/greet", "Version"), `example.org/m/greet "v1.2.0"`)
}

func TestOverruled(t *testing.T) {
	f := newFixture(t)
	f.write(map[string]string{"go.mod": "module own\n\ngo 1.26\n\nrequire example.org/m v1.2.0\n"})
	f.want(f.require("example.org/m", "v1.0.0"), "v1.0.0")
	_, err := f.resolve("example.org/m/greet")
	if want := "example.org/m is required in v1.2.0, but %mod says v1.0.0"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	f.want(f.require("own", "v1.0.0"), "own is taken from "+f.folder+", so its version cannot be chosen")
}

func TestWorkspace(t *testing.T) {
	f := newFixture(t)
	f.write(map[string]string{
		"go.work":      "go 1.26\n\nuse (\n\t./a\n\t./b\n)\n\nreplace example.org/m => ./m\n",
		"a/go.mod":     "module example.org/a\n\ngo 1.26\n\nrequire example.org/b v0.0.0\n",
		"a/a.go":       "package a\n\nimport (\n\t\"example.org/b/c\"\n\t\"example.org/m/greet\"\n)\n\nconst A = \"a and \" + c.C + \" and \" + greet.Version\n",
		"b/go.mod":     "module example.org/b\n\ngo 1.26\n",
		"b/c/c.go":     "package c\n\nconst C = \"c\"\n",
		"m/go.mod":     "module example.org/m\n\ngo 1.26\n",
		"m/greet/m.go": "package greet\n\nconst Version = \"folder\"\n",
	})
	folder := f.folder
	f.folder = filepath.Join(folder, "b", "c")
	f.want(f.constant("example.org/a", "A"), `example.org/a "a and c and folder"`)
	f.want(f.constant("example.org/b/c", "C"), `example.org/b/c "c"`)
	f.folder = folder
	f.want(f.modules(), "example.org/a  folder FOLDER/a; example.org/b  folder FOLDER/b; example.org/m  replaced by FOLDER/m")
	f.want(strings.Join(f.Paths(), " "), "example.org/a example.org/b/c example.org/m/greet")

	// A module that is broken says so.
	f.write(map[string]string{"b/go.mod": "modul example.org/b\n"})
	_, err := f.resolve("example.org/a")
	if err == nil || !strings.HasSuffix(err.Error(), "b/go.mod:1: unknown directive: modul") {
		t.Errorf("broken go.mod: %v", err)
	}
}

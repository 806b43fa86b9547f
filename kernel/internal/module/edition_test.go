package module

import (
	"go/types"
	"strings"
	"testing"
)

// TestEditions holds what changes of a package make one that can be loaded beside what it was.
func TestEditions(t *testing.T) {
	f := newFixture(t)
	f.write(map[string]string{
		"go.mod":        "module own\n\ngo 1.26\n",
		"e/e.go":        "package e\n\nimport (\n\t\"embed\"\n\t_ \"embed\"\n)\n\n//go:embed all:data one*.txt\nvar Files embed.FS\n\n//go:embed one.txt\nvar One string\n",
		"e/one.txt":     "one",
		"e/data/_a.txt": "a",
		"s/s.go":        "package s\n\nfunc F()\n",
		"s/s.s":         "TEXT ·F(SB),0,$0\n\tRET\n",
		"over/over.go":  "package over\n\nimport \"own/s\"\n\nvar F = s.F\n",
	})
	path := func(of string) string {
		t.Helper()
		pkg, err := f.resolve(of)
		if err != nil {
			return err.Error()
		}
		return pkg.Path()
	}
	f.want(path("own/e"), "own/e")
	f.want(path("own/over"), "own/over")
	before := f.added["own/e"]

	f.write(map[string]string{"e/data/_a.txt": "b"})
	f.want(path("own/e"), "own/e~2")
	f.write(map[string]string{"e/one.txt": "two"})
	f.want(path("own/e"), "own/e~3")
	f.want(path("own/e"), "own/e~3")
	f.want(f.Doc("own/e", "One"), "")
	if f.added["own/e"] != before || f.added["own/e~2"] == "" || f.added["own/e~2"] == f.added["own/e~3"] {
		t.Errorf("archives %v", f.added)
	}

	// A comment changes nothing.
	f.write(map[string]string{"over/over.go": "package over\n\nimport \"own/s\" // s\n\nvar F = s.F\n"})
	f.want(path("own/over"), "own/over")

	f.write(map[string]string{"s/s.go": "package s\n\nfunc F()\n\nvar V int\n"})
	f.want(path("own/over"), "own/over~2")
	f.want(path("own/s"), "own/s~2")
	f.Forget()
	f.want(path("own/over"), "own/over")
}

// TestConflictWithReplacement holds that a package of the program cannot be replaced.
func TestConflictWithReplacement(t *testing.T) {
	f := newFixture(t)
	f.offered = offered{"golang.org/x/sync/errgroup"}
	f.write(map[string]string{
		"go.mod":             "module own\n\ngo 1.26\n\nreplace golang.org/x/sync => ./sync\n",
		"own.go":             "package own\n\nimport \"golang.org/x/sync/errgroup\"\n\nvar G errgroup.Group\n",
		"sync/go.mod":        "module golang.org/x/sync\n",
		"sync/errgroup/e.go": "package errgroup\n\ntype Group struct{ Mine int }\n",
	})
	_, err := f.resolve("own")
	if want := "own needs golang.org/x/sync in "; err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), ", but this program has v0.1.0") {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestBesideProgram holds that what cells cannot meet of the program may be there in another
// version, too.
func TestBesideProgram(t *testing.T) {
	f := newFixture(t)
	pkg, err := f.resolve("example.org/newer")
	if err != nil {
		t.Fatal(err)
	}
	f.want(strings.Join(f.said, "; "), "downloading example.org/newer v1.0.0; downloading golang.org/x/sync v0.99.0; golang.org/x/sync v0.99.0 is loaded in addition to v0.1.0, which this program has")
	group := pkg.Scope().Lookup("Group").Type()
	f.want(types.TypeString(types.Unalias(group), nil)+" "+types.TypeString(group.Underlying(), nil), "golang.org/x/sync/errgroup~2.Group struct{Later bool}")
	if f.added["golang.org/x/sync/errgroup"] != "" || f.added["golang.org/x/sync/errgroup~2"] == "" {
		t.Errorf("added %v", f.added)
	}
	f.want(f.modules(), "example.org/newer v1.0.0 latest; golang.org/x/sync v0.99.0 required")
	// The package itself is the one that the others mean.
	if pkg, err = f.resolve("golang.org/x/sync/errgroup"); err != nil || pkg.Path() != "golang.org/x/sync/errgroup~2" {
		t.Errorf("errgroup: %v, %v", pkg, err)
	}
}

package stdlib

import (
	"go/types"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/hierml/notebook/internal/testrun"
)

// TestConstantsOfThisSystem holds that cells get the constants that this program has, each with its
// place in its package.
func TestConstantsOfThisSystem(t *testing.T) {
	for path, constants := range differing {
		pkg, err := Importer.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range constants {
			got, ok := pkg.Scope().Lookup(name).(*types.Const)
			if !ok || got.Val() != want.value || got.Parent() != pkg.Scope() || got.Pkg() != pkg {
				t.Errorf("%s.%s is %v", path, name, got)
			}
		}
	}
}

// TestConstantsOfOtherSystems holds that no constant has another value on another system but those
// that are known to, and that the known ones have the type that they are given.
func TestConstantsOfOtherSystems(t *testing.T) {
	testrun.LeaveToLong(t, "the standard library is compiled for five systems")
	here := constantsOf(t, "linux/amd64")
	for path, constants := range differing {
		for name, c := range constants {
			if got := here[path+"."+name]; !strings.HasPrefix(got, types.Typ[c.kind].String()+" ") {
				t.Errorf("%s.%s is a constant of type %s, not %q", path, name, types.Typ[c.kind], got)
			}
		}
	}
	for _, system := range []string{"windows/amd64", "darwin/arm64", "linux/arm64", "js/wasm"} {
		there := constantsOf(t, system)
		for name, value := range here {
			at := strings.LastIndexByte(name, '.')
			if there[name] != value && differing[name[:at]][name[at+1:]] == nil {
				t.Errorf("on %s, %s is %q, and %q here", system, name, there[name], value)
			}
		}
	}
}

// constantsOf returns the types and values of the constants of the standard library on a system,
// but for those of packages that are offered on one system only or to nobody.
func constantsOf(t *testing.T, system string) map[string]string {
	t.Helper()
	goos, goarch, _ := strings.Cut(system, "/")
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedExportFile,
		Env:  append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
	}
	found, err := packages.Load(config, "std")
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]string{}
	for _, p := range found {
		if p.PkgPath == "syscall" || p.PkgPath == "log/syslog" || unavailable[p.PkgPath] != "" || strings.Contains("/"+p.PkgPath+"/", "/internal/") || strings.HasPrefix(p.PkgPath, "vendor/") {
			continue
		}
		for _, name := range p.Types.Scope().Names() {
			if c, ok := p.Types.Scope().Lookup(name).(*types.Const); ok && c.Exported() {
				constants[p.PkgPath+"."+name] = c.Type().String() + " " + c.Val().ExactString()
			}
		}
	}
	return constants
}

package checks

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/hierml/notebook/internal/testrun"
)

// TestSystems checks the types of all packages and of their tests for the systems that doc/ways.md
// names and for the browser, where no test of this run can try them. Nothing is compiled.
func TestSystems(t *testing.T) {
	page, err := os.ReadFile(root + "/doc/ways.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"windows/amd64", "darwin/arm64"} {
		if !strings.Contains(string(page), "`"+system+"`") {
			t.Errorf("ways.md does not name %s", system)
		}
		check(t, system, true)
	}
	check(t, "js/wasm", false)
}

// check checks the types of all packages, and of their tests if tests is set, for a system.
func check(t *testing.T, system string, tests bool) {
	t.Helper()
	goos, goarch, _ := strings.Cut(system, "/")
	patterns := "./..."
	if goos == "js" {
		patterns = "./kernel/page"
	}
	all, err := packages.Load(&packages.Config{
		Context: t.Context(), Dir: root, Tests: tests,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
		Env:  append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
	}, patterns)
	if err != nil {
		t.Fatal(err)
	}
	packages.Visit(all, nil, func(p *packages.Package) {
		for _, err := range p.Errors {
			t.Errorf("%s: %v", system, err)
		}
	})
}

// TestVetOfSystems vets and compiles all packages and their tests for the same systems and for the
// others that ways.md names.
func TestVetOfSystems(t *testing.T) {
	testrun.LeaveToLong(t, "everything is compiled for four systems")
	for _, system := range []string{"windows/amd64", "windows/arm64", "darwin/arm64", "linux/arm64"} {
		goos, goarch, _ := strings.Cut(system, "/")
		cmd := exec.CommandContext(t.Context(), "go", "vet", "./...")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", system, err, out)
		}
	}
}

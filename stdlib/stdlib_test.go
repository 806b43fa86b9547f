package stdlib

import (
	"go/types"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/traefik/yaegi/interp"
)

func TestImporterSharesTypes(t *testing.T) {
	// io.Writer reached through fmt is the io.Writer of package io, even when all packages are
	// imported at once.
	paths := Paths()
	imp := &archiveImporter{packages: map[string]*types.Package{}}
	var wg sync.WaitGroup
	for _, path := range paths {
		wg.Go(func() {
			pkg, err := imp.Import(path)
			if err != nil {
				t.Error(err)
			} else if !pkg.Complete() || pkg.Path() != path {
				t.Errorf("%s: path %s, complete %v", path, pkg.Path(), pkg.Complete())
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	fmtPackage, _ := imp.Import("fmt")
	ioPackage, _ := imp.Import("io")
	param := fmtPackage.Scope().Lookup("Fprint").(*types.Func).Signature().Params().At(0).Type()
	if want := ioPackage.Scope().Lookup("Writer").Type(); param != want {
		t.Errorf("fmt.Fprint takes %v, which is not the %v of package io", param, want)
	}
	svg, _ := imp.Import("gonum.org/v1/plot/vg/vgsvg")
	if !types.Implements(types.NewPointer(svg.Scope().Lookup("Canvas").Type()), mustInterface(t, imp, "gonum.org/v1/plot/vg", "Canvas")) {
		t.Error("*vgsvg.Canvas does not implement vg.Canvas")
	}
}

func mustInterface(t *testing.T, imp types.Importer, path, name string) *types.Interface {
	t.Helper()
	pkg, err := imp.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	return pkg.Scope().Lookup(name).Type().Underlying().(*types.Interface)
}

func TestImporterNamesWhatWasMeant(t *testing.T) {
	for _, tt := range []struct{ path, want string }{
		{"no/such", "package no/such is not available: cells import the standard library, gonum, gonum/plot and hierml"},
		{"github.com/gonum/mat", `package github.com/gonum/mat is not available: cells import the standard library, gonum, gonum/plot and hierml; did you mean "gonum.org/v1/gonum/mat"?`},
		{"plugin", "package plugin is not available: a plugin has to be built together with the program that opens it"},
	} {
		_, err := Importer.Import(tt.path)
		if err == nil || err.Error() != tt.want {
			t.Errorf("import %q: %v\nwant %s", tt.path, err, tt.want)
		}
	}
}

func TestDoc(t *testing.T) {
	imp := Importer.(*archiveImporter)
	for _, tt := range []struct{ path, name, want string }{
		{"strings", "ToUpper", "ToUpper returns s with all"},
		{"strings", "", "Package strings implements simple functions"},
		{"strings", "Builder.WriteString", "WriteString appends the contents of s"},
		{"net/http", "Client.Timeout", "Timeout specifies a time limit"},
		{"io", "Reader.Read", ""},
		{"math", "Pi", "https://oeis.org/A000796"},
		{"net/http", "MethodGet", "Common HTTP methods."},
		{"net/http", "StatusNotFound", "RFC 9110, 15.5.5"},
		{"io", "EOF", "EOF is the error returned by Read"},
		{"gonum.org/v1/gonum/mat", "Dense.Mul", "Mul takes the matrix product of a and b"},
		{"gonum.org/v1/plot", "New", "New returns a new plot"},
		{"github.com/hierml/notebook/stdlib/nb", "", "Package nb"},
		{"builtin", "append", "The append built-in function appends"},
		{"builtin", "append()", "func append(slice []Type, elems ...Type) []Type"},
		{"strings", "nothing", ""},
		{"no/such", "X", ""},
	} {
		got := imp.Doc(tt.path, tt.name)
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s %q: %q, want %q", tt.path, tt.name, got, tt.want)
		}
	}
}

func TestPreloadedNamesExist(t *testing.T) {
	for name, path := range Preloaded {
		pkg, err := Importer.Import(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if pkg.Name() != name {
			t.Errorf("%s stands for %s, whose name is %s", name, path, pkg.Name())
		}
	}
	for name, path := range map[string]string{
		"fmt": "fmt", "filepath": "path/filepath", "http": "net/http", "rand": "math/rand/v2", "path": "path",
		"nb": "github.com/hierml/notebook/stdlib/nb", "mat": "gonum.org/v1/gonum/mat", "plot": "gonum.org/v1/plot",
		"draw": "gonum.org/v1/plot/vg/draw", "optimize": "gonum.org/v1/gonum/optimize", "hash": "hash",
	} {
		if Preloaded[name] != path {
			t.Errorf("%s stands for %q, want %q", name, Preloaded[name], path)
		}
	}
}

func TestSymbolsRunInYaegi(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{`import "strings"; func F() string { return strings.ToUpper("a") }`, "A"},
		{`import ("fmt"; "math"); func F() string { return fmt.Sprint(float32(math.Pi), math.MaxInt64) }`, "3.1415927 9223372036854775807"},
		{`import ("fmt"; "time"); func F() string { return fmt.Sprint(3 * time.Second) }`, "3s"},
		{`import ("fmt"; "gonum.org/v1/gonum/mat"); func F() string { return fmt.Sprint(mat.Det(mat.NewDense(2, 2, []float64{1, 2, 3, 4}))) }`, "-2"},
		{`import ("fmt"); type T struct{ N int }; func (t T) String() string { return "a T" }; func F() string { return fmt.Sprint(T{1}) }`, "a T"},
		{`import ("sort"; "fmt"); type S []int; func (s S) Len() int { return len(s) }; func (s S) Less(i, j int) bool { return s[i] < s[j] }
			func (s S) Swap(i, j int) { s[i], s[j] = s[j], s[i] }; func F() string { s := S{3, 1, 2}; sort.Sort(s); return fmt.Sprint([]int(s)) }`, "[1 2 3]"},
		{`import ("io"; "os"; "bytes"); func F() string { var b bytes.Buffer; var w io.Writer = &b; w.Write([]byte("x")); if os.Args == nil { return "" }; return b.String() }`, "x"},
		{`import ("os/exec"); func F() string { out, err := exec.Command("echo", "-n", "hello").Output(); if err != nil { return err.Error() }; return string(out) }`, "hello"},
		{`import ("os"; "fmt"); func F() (s string) { defer func() { s = fmt.Sprint(recover()) }(); os.Exit(3); return "" }`, "exit status 3"},
	} {
		in := interp.New(interp.Options{})
		if err := in.Use(Symbols()); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Eval(tt.source); err != nil {
			t.Errorf("%s: %v", tt.source, err)
			continue
		}
		f, err := in.Eval("F()")
		if err != nil {
			t.Errorf("%s: %v", tt.source, err)
		} else if f.String() != tt.want {
			t.Errorf("%s\n= %q, want %q", tt.source, f.String(), tt.want)
		}
	}
}

func BenchmarkImportFmt(b *testing.B) { benchmarkImport(b, "fmt") }

func BenchmarkImportHTTP(b *testing.B) { benchmarkImport(b, "net/http") }

func BenchmarkImportAll(b *testing.B) { benchmarkImport(b, Paths()...) }

func BenchmarkDocHTTP(b *testing.B) {
	for b.Loop() {
		var d documentation
		if _, err := d.of("net/http"); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkImport(b *testing.B, paths ...string) {
	for b.Loop() {
		imp := &archiveImporter{packages: map[string]*types.Package{}}
		for _, p := range paths {
			if _, err := imp.Import(p); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkUse(b *testing.B) {
	for b.Loop() {
		if err := interp.New(interp.Options{}).Use(Symbols()); err != nil {
			b.Fatal(err)
		}
	}
}

// TestStandardLibrary holds that each package of the standard library can be imported, or that
// there is a sentence which says why not.
func TestStandardLibrary(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{"C": true}
	for _, path := range strings.Fields(string(out)) {
		if strings.HasPrefix(path, "vendor/") || strings.Contains("/"+path+"/", "/internal/") {
			continue
		}
		listed[path] = true
		pkg, err := Importer.Import(path)
		_, reason := unavailable[path]
		switch {
		case path == "unsafe":
			if pkg != types.Unsafe {
				t.Errorf("unsafe: %v, %v", pkg, err)
			}
		case reason && (err == nil || !strings.Contains(err.Error(), unavailable[path])):
			t.Errorf("%s: error %v, want one that says %s", path, err, unavailable[path])
		case !reason && err != nil:
			t.Error(err)
		case !reason && !slices.Contains(Paths(), path):
			t.Errorf("%s: there is no table", path)
		}
	}
	for path := range unavailable {
		if !listed[path] {
			t.Errorf("%s is not a package of the standard library", path)
		}
	}
}

package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdd holds that cells can import packages that are no part of the program, and share them.
func TestAdd(t *testing.T) {
	h := open(t, false)
	p := h.kit.Packages()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.org/m\n\ngo 1.26\n",
		"m.go":      "package m\n\nimport \"example.org/m/deep\"\n\ntype T struct{ deep.D }\n\nvar Count int\n",
		"c/c.go":    "package c\n\n// #cgo LDFLAGS: -lm\n// #include <math.h>\nimport \"C\"\n\nfunc Gamma(x float64) float64 { return float64(C.tgamma(C.double(x))) }\n",
		"deep/d.go": "package deep\n\nimport \"strings\"\n\ntype D struct{}\n\nfunc (D) Up(s string) string { return strings.ToUpper(s) }\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := append([]string{"list", "-export", "-f", "{{.ImportPath}} {{.Export}}"}, p.Flags...)
	out, err := run(t.Context(), dir, append(append(os.Environ(), p.Env...), "GOWORK=off"), p.Go, append(args, "./...")...)
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]string{}
	for line := range strings.Lines(out) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		packages[path] = file
	}
	b := h.builder(t)
	for range 2 { // that they are there already is no error
		if err := b.Add(packages); err != nil {
			t.Fatal(err)
		}
	}
	var runs []string
	for _, u := range []Unit{
		text("cell/1", "var t any = m.T{}\nfunc runˑ() { m.Count++ }", "example.org/m"),
		text("cell/2", `func runˑ() { m.Count++; t, ok := k1.t.(m.T); fmt.Print(ok, m.Count, t.Up("up"), c.Gamma(5)) }`, "fmt", "example.org/m", "example.org/m/c", `k1 "cell/1"`),
	} {
		plugin, err := b.Build(t.Context(), []Unit{u})
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, plugin+"="+u.Path)
	}
	if got, want := h.run(t, runs...), "true 2UP24"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, test := range []struct{ path, file, want string }{
		{"example.org/m", "another", "package example.org/m is there already, in another form"},
		{"fmt", "fmt.a", "fmt cannot be the path of a package that is added"},
		{"cell/9", "9.a", "cell/9 cannot be the path of a package that is added"},
	} {
		if err := b.Add(map[string]string{test.path: test.file}); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.path, err, test.want)
		}
	}
}

package turned

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The copies compile for a browser.
func TestWrite(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	flags, err := Write(t.Context(), root, strings.TrimSpace(string(goroot)), dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "yaegi", "interp", "run.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{"enterCall()", "takeStep()", "calls++", "calls--"} {
		if n := strings.Count(string(text), call); n != 1 {
			t.Errorf("run.go has %s %d times", call, n)
		}
	}
	cmd := exec.Command("go", append(append([]string{"build"}, flags...), "context", yaegi+"/interp", plot+"/...")...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestChangedRefusesAnotherVersion(t *testing.T) {
	m := copied()[0]
	if _, err := changed("run.go", []byte("package interp\n"), m.changes["interp/run.go"]); err == nil || !strings.Contains(err.Error(), "0 times") {
		t.Errorf("the error is %v", err)
	}
}

// The files that the copy of gonum/plot reads are there.
func TestFonts(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	fonts, err := Fonts(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	for _, variant := range []string{"Serif", "Mono", "Sans"} {
		for _, style := range []string{"Regular", "Italic", "Bold", "BoldItalic"} {
			name := "Liberation" + variant + "-" + style + ".ttf"
			if fonts[name] == "" {
				t.Errorf("there is no %s", name)
			}
			delete(fonts, name)
		}
	}
	if len(fonts) > 0 {
		t.Errorf("the copy does not read %v", fonts)
	}
}

package doc

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestNotice compares the modules that the program is linked with to those that NOTICE.md has. What
// is linked differs between systems: the page is that of Linux.
func TestNotice(t *testing.T) {
	page, err := os.ReadFile("../NOTICE.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^` ]+)` \\| [^|]+ \\| [^|]+ \\|$").FindAllStringSubmatch(string(page), -1) {
		named[m[1]] = true
	}
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./kernel")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for module := range strings.FieldsSeq(string(out)) {
		if !linked[module] && !named[module] {
			t.Errorf("the program is linked with %s: say in NOTICE.md what its licence asks for", module)
		}
		linked[module] = true
	}
	if len(linked) < 20 {
		t.Errorf("only %d modules are linked, which cannot be", len(linked))
	}
	for module := range named {
		if !linked[module] {
			t.Errorf("the program is not linked with %s any more: take it out of NOTICE.md", module)
		}
	}
}

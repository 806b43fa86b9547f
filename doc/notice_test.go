package doc

import (
	"os"
	"regexp"
	"testing"
)

// TestNotice compares the modules that the program is linked with to those that NOTICE.md has.
func TestNotice(t *testing.T) {
	page, err := os.ReadFile("../NOTICE.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^` ]+)` \\| [^|]+ \\| [^|]+ \\|$").FindAllStringSubmatch(string(page), -1) {
		named[m[1]] = true
	}
	linked := linkedModules(t)
	for path := range linked {
		if !named[path] {
			t.Errorf("the program is linked with %s: say in NOTICE.md what its licence asks for", path)
		}
	}
	for path := range named {
		if linked[path] == nil {
			t.Errorf("the program is not linked with %s any more: take it out of NOTICE.md", path)
		}
	}
}

package doc

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = ".."

// files returns the files of the repository with one of the endings given, by their paths from the
// root.
func files(t *testing.T, endings ...string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" && !strings.HasSuffix(filepath.Dir(path), "hierml")) {
			return filepath.SkipDir
		}
		if !e.IsDir() && slices.Contains(endings, filepath.Ext(name)) {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

var (
	// A citation is in brackets and begins with a key: authors and the last two digits of the year.
	citation = regexp.MustCompile(`(?:^|[^\w\])])\[([A-Z][A-Za-z]*[0-9]{2}(?:, [^\[\]]*)?)\]`)
	key      = regexp.MustCompile(`^[A-Z][A-Za-z]*[0-9]{2}$`)
	entry    = regexp.MustCompile(`(?m)^\* \*\*\[([A-Z][A-Za-z]*[0-9]{2})\]\*\* `)
)

// TestKeys looks up the keys that code, notebooks and documents cite papers by, and whether each is
// used.
func TestKeys(t *testing.T) {
	page, err := os.ReadFile("papers.md")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, m := range entry.FindAllStringSubmatch(string(page), -1) {
		if _, ok := used[m[1]]; ok {
			t.Errorf("papers.md has %s twice", m[1])
		}
		used[m[1]] = false
	}
	if len(used) < 30 {
		t.Fatalf("papers.md has %d entries; does each stand on a line that begins with * **[KEY]**?", len(used))
	}
	for _, path := range files(t, ".go", ".md", ".ipynb") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range citation.FindAllStringSubmatch(string(text), -1) {
			for _, part := range strings.Split(m[1], ", ") {
				if !key.MatchString(part) {
					continue
				}
				if _, ok := used[part]; !ok {
					t.Errorf("%s cites [%s], which doc/papers.md does not have", path, m[1])
				} else if filepath.Base(path) != "papers.md" {
					used[part] = true
				}
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(used)) {
		if !used[k] {
			t.Errorf("nothing cites [%s] of papers.md", k)
		}
	}
}

// TestNamedTestsExist holds that the tests that the pages name exist: of errata, and of promises.
func TestNamedTestsExist(t *testing.T) {
	exist := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	for _, path := range files(t, ".go") {
		if !strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range function.FindAllStringSubmatch(string(text), -1) {
			exist[m[1]] = true
		}
	}
	for _, name := range []string{"papers.md", "security.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(string(page), -1)
		if len(named) == 0 {
			t.Errorf("%s names no tests", name)
		}
		for _, m := range named {
			if !exist[m[1]] {
				t.Errorf("%s names %s, which is no test", name, m[1])
			}
		}
	}
}

// TestErrataNameFiles holds that the files that papers.md names exist.
func TestErrataNameFiles(t *testing.T) {
	page, err := os.ReadFile("papers.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`([a-z]+/[a-z]+\\.go)`").FindAllStringSubmatch(string(page), -1) {
		if _, err := os.Stat(filepath.Join(root, "hierml", m[1])); err != nil {
			if _, err := os.Stat(m[1][len("doc/"):]); !strings.HasPrefix(m[1], "doc/") || err != nil {
				t.Errorf("papers.md names hierml/%s, which is no file", m[1])
			}
		}
	}
}

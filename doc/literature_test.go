package doc

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// entries returns the papers of papers.md by their keys, each on one line.
func entries(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("papers.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\* \*\*\[([A-Z][A-Za-z]*[0-9]{2})\]\*\* .*(?:\n  .*)*`).FindAllStringSubmatch(string(page), -1) {
		all[m[1]] = regexp.MustCompile(`\n +`).ReplaceAllString(m[0], " ")
	}
	return all
}

// literature returns the keys that cells of text cite, and the text that is to stand at their end:
// a heading and the papers in the order of their keys, as papers.md has them. It is empty where
// nothing is cited.
func literature(t *testing.T, texts []string, papers map[string]string) string {
	t.Helper()
	var keys []string
	for _, m := range citation.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
		for _, part := range strings.Split(m[1], ", ") {
			if key.MatchString(part) && !slices.Contains(keys, part) {
				keys = append(keys, part)
			}
		}
	}
	if len(keys) == 0 {
		return ""
	}
	slices.Sort(keys)
	lines := []string{"## Literature", ""}
	for _, k := range keys {
		if !strings.Contains(papers[k], "](https://") {
			t.Errorf("papers.md has no link for [%s], which a chapter cites", k)
		}
		lines = append(lines, papers[k])
	}
	return strings.Join(lines, "\n")
}

// TestLiterature holds that every notebook ends with the papers that its text cites, with titles,
// years and links, as papers.md has them, and no others.
func TestLiterature(t *testing.T) {
	papers := entries(t)
	paths, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	cited := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var notebook struct {
			Cells []struct {
				Kind   string   `json:"cell_type"`
				Source []string `json:"source"`
			} `json:"cells"`
		}
		if err := json.Unmarshal(text, &notebook); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		var texts []string
		last := ""
		for i, c := range notebook.Cells {
			source := strings.Join(c.Source, "")
			if c.Kind != "markdown" {
				continue
			}
			if !strings.HasPrefix(source, "## Literature") {
				texts = append(texts, source)
				continue
			}
			if last = source; i != len(notebook.Cells)-1 {
				t.Errorf("%s: the literature is in cell %d; it is to be the last", path, i)
			}
		}
		want := literature(t, texts, papers)
		if last != want {
			t.Errorf("%s ends with the literature\n%s\nwant a last cell of text with\n%s", path, last, want)
		}
		if want != "" {
			cited++
		}
	}
	if cited < 8 {
		t.Errorf("%d notebooks cite papers; are their citations found?", cited)
	}
}

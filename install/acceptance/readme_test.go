package acceptance

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testprogram"
)

// TestReadme runs the Go that the README shows, and holds it to two screens.
func TestReadme(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	if lines := strings.Count(text, "\n"); lines > 90 {
		t.Errorf("%d lines are more than two screens", lines)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(text, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d pieces of Go, want a first cell and a first script", len(blocks))
	}
	dir := t.TempDir()
	cell, err := json.Marshal(blocks[0][1])
	if err != nil {
		t.Fatal(err)
	}
	notebook := `{"cells": [{"cell_type": "code", "id": "first", "metadata": {}, "execution_count": null, "outputs": [], "source": ` +
		string(cell) + `}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`
	executed := filepath.Join(dir, "executed.ipynb")
	hierml(t, filepath.Join(dir, "first.ipynb"), notebook, "notebook", "run", "-o", executed)
	result, err := os.ReadFile(executed)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(result), "parent accuracy") {
		t.Errorf("the first cell shows no report:\n%s", result)
	}
	if out := hierml(t, filepath.Join(dir, "small.go"), blocks[1][1], "run"); !strings.Contains(out, "from cat to oak: 4 edges") {
		t.Errorf("the first script prints\n%s", out)
	}
	for _, link := range regexp.MustCompile(`(?:\]\(|src=")([^)":]+)[)"]`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(root(), filepath.FromSlash(link[1]))); err != nil {
			t.Errorf("the README refers to %s: %v", link[1], err)
		}
	}
}

// hierml writes a file and runs the program on it. It returns what is printed.
func hierml(t *testing.T, path, content string, args ...string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(testprogram.Open(t, false).File, append(args, path)...).CombinedOutput()
	if err != nil {
		t.Fatalf("hierml %q: %v\n%s", args, err, out)
	}
	return string(out)
}

package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testGolden runs a test for each file of a folder of testdata with an extension,
// and compares what the file's text becomes with the file beside it that has
// another one. -update writes that.
func testGolden(t *testing.T, folder, from, to string, become func(t *testing.T, text string) string) {
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*"+from))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), from), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := become(t, string(text))
			golden := strings.TrimSuffix(file, from) + to
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("becomes:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// cellsOf returns the cells of a text, which lines of three hyphens separate.
func cellsOf(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n---\n")
}

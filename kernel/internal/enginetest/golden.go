package enginetest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Update is the flag -update, which writes golden files anew.
var Update = flag.Bool("update", false, "write the golden files anew")

// Golden runs a test for each file of a folder of testdata with an extension, and compares what the
// file's text becomes with the file beside it that has another one. -update writes that.
func Golden(t *testing.T, folder, from, to string, become func(t *testing.T, text string) string) {
	t.Helper()
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
			if *Update {
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

// Cells returns the cells of a text, which lines of three hyphens separate.
func Cells(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n---\n")
}

// Seeds adds the cells of files, and the programs of archives, that match patterns to a fuzz
// target.
func Seeds(f *testing.F, patterns ...string) {
	f.Helper()
	for _, seed := range seeds(f, patterns...) {
		f.Add(seed)
	}
}

// seeds returns the cells of files, and the programs of archives, that match patterns.
func seeds(t testing.TB, patterns ...string) (list []string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		for _, file := range files {
			if filepath.Ext(file) == ".txtar" {
				for _, p := range ReadArchive(t, file) {
					list = append(list, p.Source)
				}
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, Cells(string(text))...)
		}
	}
	return list
}

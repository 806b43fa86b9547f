package enginetest

import (
	"flag"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Update is the flag -update, which writes golden files anew.
var Update = flag.Bool("update", false, "write the golden files anew")

// Golden runs a test for each file of a folder of testdata with an extension, and compares the
// result for the file's text with the file of the other extension beside it. -update writes that.
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

// DocExamples runs the examples of the package comment in a file of the package under test. An
// example is an indented block: cells, separated by lines of three hyphens, then a line "=>", then
// lines of the result for the last cell. These lines must be consecutive there, except for a line
// "...", which stands for any number of lines. Leading space, and numbers in names, may differ.
func DocExamples(t *testing.T, file string, become func(cells []string) (string, error)) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	var p comment.Parser
	found := 0
	for _, block := range p.Parse(parsed.Doc.Text()).Content {
		code, ok := block.(*comment.Code)
		if !ok {
			continue
		}
		source, want, ok := strings.Cut(code.Text, "\n=>\n")
		if !ok {
			continue
		}
		found++
		got, err := become(Cells(source))
		if err != nil {
			got = err.Error()
		}
		if missing, ok := contains(plainLines(got), plainLines(want)); !ok {
			t.Errorf("%s: the example\n%s\nhas no %q where it is expected, but becomes\n%s", file, source, missing, got)
		}
	}
	if found == 0 {
		t.Errorf("%s has no examples", file)
	}
}

var numbersInNames = regexp.MustCompile(`__\d+(_\d+)*`)

// plainLines returns the lines of a text, as DocExamples compares them.
func plainLines(text string) []string {
	var lines []string
	for line := range strings.Lines(numbersInNames.ReplaceAllString(text, "__N")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// contains reports whether lines contain want, in which "..." stands for any lines, and otherwise
// which of these is missing.
func contains(lines, want []string) (missing string, ok bool) {
	for _, part := range strings.Split(strings.Join(want, "\n"), "...") {
		part = strings.Trim(part, "\n")
		_, rest, ok := strings.Cut("\n"+strings.Join(lines, "\n")+"\n", "\n"+part+"\n")
		if !ok {
			return part, false
		}
		lines = strings.Split(rest, "\n")
	}
	return "", true
}

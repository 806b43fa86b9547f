// Package checks runs the tools that check the sources as a whole.
package checks

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

const root = "../.."

// run returns what a command prints in the root of the module, and fails the test where it fails.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestFormat(t *testing.T) {
	gofmt := filepath.Join(run(t, "go", "env", "GOROOT"), "bin", "gofmt")
	if files := run(t, gofmt, "-l", "."); files != "" {
		t.Errorf("run gofmt -w on these files:\n%s", files)
	}
}

// TestCommentWidth checks that the prose of comments that fill their lines has at most 100 columns.
// Tables, code, outputs of examples and links are not prose.
func TestCommentWidth(t *testing.T) {
	const columns, tab = 100, 4
	for file := range strings.FieldsSeq(run(t, "git", "ls-files", "*.go")) {
		if strings.Contains(file, "testdata/") || strings.Contains(file, "prelude/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text[:min(len(text), 300)], []byte("// Code generated")) {
			continue
		}
		output := false
		set := token.NewFileSet()
		handle := set.AddFile(file, -1, len(text))
		var s scanner.Scanner
		s.Init(handle, text, nil, scanner.ScanComments)
		for {
			pos, tok, comment := s.Scan()
			if tok == token.EOF {
				break
			}
			at := set.PositionFor(pos, false)
			indent := text[at.Offset-at.Column+1 : at.Offset]
			if tok != token.COMMENT || len(bytes.Trim(indent, "\t")) > 0 {
				output = false
				continue
			}
			output = output || strings.HasPrefix(comment, "// Output:") || strings.HasPrefix(comment, "// Unordered output:")
			prose := strings.HasPrefix(comment, "// ") && !strings.HasPrefix(comment, "//  ") && !strings.Contains(comment, "://")
			if width := tab*len(indent) + utf8.RuneCountInString(comment); prose && !output && width > columns {
				t.Errorf("%s:%d: a comment of %d columns; wrap it at %d", file, at.Line, width, columns)
			}
		}
	}
}

func TestStaticcheck(t *testing.T) {
	run(t, "go", "tool", "staticcheck", "./...")
}

// TestWorkflows checks .github/workflows. It uses no other linters, which not every machine has.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(root + "/.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d workflows: %v", len(files), err)
	}
	args := []string{"tool", "actionlint", "-shellcheck=", "-pyflakes="}
	for _, file := range files {
		args = append(args, strings.TrimPrefix(file, root+"/"))
	}
	run(t, "go", args...)
}

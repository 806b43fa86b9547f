package collection

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/hierml/internal/example"
)

// tree writes the files below a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var smallTree = map[string]string{
	"VERSION": "go9.9\ntime 2030-01-01T00:00:00Z\n",
	"src/net/net.go": `// Package net is about networks.
package net

// Limits of messages.
const (
	Least = 1
	Most  = 2 // included
)

const Undocumented = 3

// ErrClosed is returned by a closed connection.
var ErrClosed error

// Conn is a connection.
type Conn struct {
	// Name of the peer.
	Name   string
	secret int
}

// Dial returns a connection to the address.
func Dial(address string) (*Conn, error) { return nil, nil }

// Close closes the connection.
func (c *Conn) Close() error { return nil }

func (c *Conn) Bare() {}

// hidden is not exported.
func hidden() {}

// Later does what is done later.
func Later() {}
`,
	"src/net/net_windows.go":         "package net\n\n// Windows is elsewhere.\nfunc Windows() {}\n",
	"src/net/net_linux.go":           "package net\n\n// Linux is here.\nfunc Linux() {}\n",
	"src/net/net_arm64.go":           "package net\n\n// Arm is elsewhere.\nfunc Arm() {}\n",
	"src/net/ignored.go":             "//go:build ignore\n\npackage main\n\n// Ignored is a program.\nfunc Ignored() {}\n",
	"src/net/net_test.go":            "package net\n\n// TestNet is a test.\nfunc TestNet() {}\n",
	"src/net/http/http.go":           "package http\n\n// Get asks.\nfunc Get() {}\n",
	"src/net/http/testdata/x.go":     "package x\n\n// X is data.\nfunc X() {}\n",
	"src/net/internal/secret/s.go":   "package secret\n\n// S is internal.\nfunc S() {}\n",
	"src/vendor/example.org/v/v.go":  "package v\n\n// V is vendored.\nfunc V() {}\n",
	"src/cmd/tool/tool.go":           "package tool\n\n// Tool is a command's.\nfunc Tool() {}\n",
	"src/program/program.go":         "package main\n\n// Main is a program's.\nfunc Main() {}\n",
	"src/container/list/list.go":     "package list\n\n// New is new.\nfunc New() {}\n",
	"src/builtin/builtin.go":         "package builtin\n\n// append appends.\nfunc append() {}\n",
	"src/bare/bare.go":               "package bare\n\nfunc Bare() {}\n",
	"src/_skipped/skipped.go":        "package skipped\n\n// Skipped is skipped.\nfunc Skipped() {}\n",
	"src/experiment/experimental.go": "//go:build goexperiment.some\n\npackage experiment\n\n// E is an experiment.\nfunc E() {}\n",
}

func TestGoDoc(t *testing.T) {
	c, err := GoDoc(tree(t, smallTree))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range c.Documents {
		if len(d.Labels) != 1 {
			t.Fatalf("%s has the labels %v", d.ID, d.Labels)
		}
		got = append(got, d.ID+": "+c.Taxonomy.Name(d.Labels[0]))
	}
	want := []string{
		"builtin.append: builtin",
		"container/list.New: container/list",
		"net.Least: net (misc)", "net.ErrClosed: net (misc)", "net.Later: net (misc)", "net.Linux: net (misc)",
		"net.Conn: net (misc)", "net.Dial: net (misc)", "net.Conn.Close: net (misc)",
		"net/http.Get: net/http",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if c.Name != "Go documentation, go9.9" {
		t.Errorf("name %q", c.Name)
	}
	const conn = "type Conn struct {\n\t// Name of the peer.\n\tName string\n\t// contains filtered or unexported fields\n}\n\nConn is a connection."
	if text := c.Documents[6].Text; text != conn {
		t.Errorf("text %q", text)
	}
	if text := c.Documents[8].Text; text != "func (c *Conn) Close() error\n\nClose closes the connection." {
		t.Errorf("text %q", text)
	}
}

func TestGoDocSymbolicLink(t *testing.T) {
	root := tree(t, smallTree)
	linked := t.TempDir()
	if err := os.Symlink(filepath.Join(root, "src"), filepath.Join(linked, "src")); err != nil {
		t.Skipf("symbolic links are needed: %v", err)
	}
	c, err := GoDoc(linked)
	if err != nil {
		t.Fatal(err)
	}
	if c.Len() != 10 || c.Name != "Go documentation" {
		t.Errorf("%q has %d documents", c.Name, c.Len())
	}
}

func TestGoDocErrors(t *testing.T) {
	tests := []struct {
		name  string
		root  string
		words []string
	}{
		{"no folder", filepath.Join(t.TempDir(), "none"), []string{"not a Go tree", "go env GOROOT"}},
		{"no src", t.TempDir(), []string{"not a Go tree", "src", "go env GOROOT"}},
		{"src is a file", tree(t, map[string]string{"src": "x"}), []string{"not a Go tree", "not a folder"}},
		{"empty src", tree(t, map[string]string{"src/README": "x"}), []string{"no documented Go package"}},
		{"syntax", tree(t, map[string]string{"src/a/a.go": "package a\n\nfunc {}\n"}), []string{"a.go:3:6"}},
		{"two packages", tree(t, map[string]string{"src/a/a.go": "package a\n", "src/a/b.go": "package b\n"}), []string{"b.go", "package b", "package a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := GoDoc(test.root)
			if err == nil || c != nil {
				t.Fatalf("got %v, %v", c, err)
			}
			for _, w := range test.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
	t.Run("no command", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if _, err := GoDoc(""); err == nil || !strings.Contains(err.Error(), "the command go") || !strings.Contains(err.Error(), "https://go.dev/dl") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := GoDocContext(ctx, tree(t, smallTree)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if _, err := GoDocContext(ctx, ""); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// The tree that is installed gives what the tour promises.
func TestGoDocInstalled(t *testing.T) {
	c, err := GoDoc("")
	if err != nil {
		t.Fatal(err)
	}
	classes := make(map[int]int)
	ids := make(map[string]bool)
	for _, d := range c.Documents {
		classes[d.Labels[0]]++
		if !c.Taxonomy.IsLeaf(d.Labels[0]) || strings.TrimSpace(d.Text) == "" {
			t.Fatalf("%s has the label %s and the text %q", d.ID, c.Taxonomy.Name(d.Labels[0]), d.Text)
		}
		if ids[d.ID] {
			t.Errorf("two documents are called %s", d.ID)
		}
		ids[d.ID] = true
	}
	if c.Len() < 4000 || len(classes) < 130 || len(classes) != len(c.Taxonomy.Leaves()) {
		t.Errorf("%d documents in %d classes of %d leaves", c.Len(), len(classes), len(c.Taxonomy.Leaves()))
	}
	for _, path := range [][2]string{{"net", "net/http"}, {"net/http", "net/http/httptest"}, {"net/http", "net/http (misc)"}} {
		if parent, child := example.Node(t, c.Taxonomy, path[0]), example.Node(t, c.Taxonomy, path[1]); !slices.Equal(c.Taxonomy.Parents(child), []int{parent}) {
			t.Errorf("%s is not below %s", path[1], path[0])
		}
	}
	for _, id := range []string{"net/http.Client.Do", "strings.Builder", "builtin.append", "io.EOF"} {
		if !ids[id] {
			t.Errorf("no document %s", id)
		}
	}
	// Not the machine but Go's release decides: with one processor it is the same.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	again, err := GoDoc("")
	if err != nil || fmt.Sprint(again.Documents) != fmt.Sprint(c.Documents) {
		t.Errorf("read again, it is another corpus: %v", err)
	}
}

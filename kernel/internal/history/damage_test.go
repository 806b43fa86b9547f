//go:build unix

package history

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDamaged has files with lines that are not cells: each is set aside whole, the log is told,
// and the history continues with the other lines.
func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h", "history.jsonl")
	fill(t, path, []string{"a", "b"}, []string{"c"})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const all = "1/1 a; 1/2 b=out b; 2/1 c"
	lines := bytes.SplitAfter(good, []byte("\n"))
	for name, test := range map[string]struct {
		content string
		want    string
	}{
		"text":            {strings.Repeat("this is not a history\n", 1000), ""},
		"no cells":        {"{}\n[]\n\"\"\n3\n", ""},
		"numbers":         {string(good) + `{"session":-1,"line":2,"input":"x"}` + "\n" + `{"session":9007199254740993,"line":2,"input":"x"}` + "\n", all},
		"a line":          {string(lines[0]) + string(lines[1][5:]) + string(lines[2]), "1/1 a; 2/1 c"},
		"zeros":           {string(lines[0]) + strings.Repeat("\x00", 5000) + "\n" + string(lines[2]), "1/1 a; 2/1 c"},
		"another history": {"SQLite format 3\x00\n" + string(good), all},
	} {
		for _, reading := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "history.jsonl")
				if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
					t.Fatal(err)
				}
				h, j := open(path)
				if reading {
					if got := describe(h.Search("*", 0, false)); got != test.want {
						t.Errorf("%s, want %s", got, test.want)
					}
				}
				h.Add(1, "new", "")
				h.Close()
				h, _ = open(path)
				got := describe(h.Search("*", 0, false))
				if before, ok := strings.CutSuffix(got, "/1 new"); !ok || !strings.HasPrefix(before, test.want) {
					t.Errorf("%s, want %s and a new cell", got, test.want)
				}
				aside, err := filepath.Glob(path + ".damaged-*")
				if err != nil || len(aside) != 1 || strings.Count(j.String(), "set aside") != 1 {
					t.Fatalf("%d files are set aside, %v; %s", len(aside), err, j)
				}
				if kept, err := os.ReadFile(aside[0]); err != nil || string(kept) != test.content {
					t.Errorf("%d bytes are set aside, %v", len(kept), err)
				}
			})
		}
	}
}

// TestCutAnywhere has files whose last line was not written to its end: it alone is lost, and
// nothing is set aside.
func TestCutAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h", "history.jsonl")
	fill(t, path, []string{"a", "c"})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second := bytes.IndexByte(good, '\n') + 1
	for cut := range good {
		if err := os.WriteFile(path, good[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		fill(t, path, []string{"new"})
		want := map[bool]string{false: "1/1 new", true: "1/1 a; 2/1 new"}[cut >= second]
		h, j := open(path)
		if got := describe(h.Tail(0)); got != want || j.String() != "" {
			t.Fatalf("cut at %d: %s, want %s; %s", cut, got, want, j)
		}
	}
}

// TestLarge has a file that is larger than a history can be: it is set aside unread.
func TestLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Fatal(err)
	}
	h, j := open(path)
	h.Add(1, "new", "")
	if got := describe(h.Tail(0)); got != "1/1 new" || strings.Count(j.String(), "set aside") != 1 {
		t.Errorf("%s; %s", got, j)
	}
}

// TestRemoved has the file removed while a kernel runs: its next cells do not get into the
// session of another kernel.
func TestRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h", "history.jsonl")
	fill(t, path, []string{"a"})
	h, _ := open(path)
	h.Add(1, "b", "")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	fill(t, path, []string{"c"})
	h.Add(2, "d", "")
	if got, want := describe(h.Tail(0)), "1/1 c; 2/2 d"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

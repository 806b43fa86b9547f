//go:build unix

package history

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// oldHistory returns a file that an earlier version of this program wrote.
func oldHistory(t *testing.T, name string) []byte {
	t.Helper()
	if order.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the file was written by a machine with another byte order")
	}
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// place writes an old history where an earlier version had it, and returns the path of the new one.
func place(t *testing.T, content []byte) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "history.db"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "history.jsonl")
}

// TestOldHistory has a history of an earlier version: it is read once and then removed.
func TestOldHistory(t *testing.T) {
	path := place(t, oldHistory(t, "small.db.gz"))
	const want = "1/1 a := 1; 1/2 b=out b; 1/3 a; 2/1 世界; 2/2 b=out b"
	h, j := open(path)
	if got := describe(h.Tail(0)); got != want || j.String() != "" {
		t.Errorf("%s, want %s; %s", got, want, j)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "history.db")); err == nil {
		t.Error("the old file is still there")
	}
	fill(t, path, []string{"c"})
	if got := describe(h.Tail(0)); got != want+"; 3/1 c" {
		t.Error(got)
	}

	path = place(t, oldHistory(t, "large.db.gz")) // with several levels of pages, and one that is continued
	h, j = open(path)
	h.Add(1, "new", "")
	cells := h.Search("*", 0, false)
	if len(cells) != 402 || j.String() != "" {
		t.Fatalf("%d cells; %s", len(cells), j)
	}
	for i, c := range cells {
		var want Cell
		switch {
		case i < 200:
			want = Cell{Session: 1, Line: i + 1, Input: fmt.Sprint("cell ", i)}
		case i == 200:
			want = Cell{Session: 2, Line: 1, Input: strings.Repeat("long ", 3000)}
		case i < 401:
			want = Cell{Session: 3, Line: i - 200, Input: fmt.Sprint("cell ", i-1)}
		default:
			want = Cell{Session: 4, Line: 1, Input: "new"}
		}
		if c != want {
			t.Fatalf("cell %d is %v, want %v", i, c, want)
		}
	}
}

// TestDamagedOldHistory has histories of an earlier version with damage of which bbolt ends the
// process, or which it never finishes reading: each is set aside, and ends no kernel.
func TestDamagedOldHistory(t *testing.T) {
	content := oldHistory(t, "large.db.gz")
	const size = 4096
	pages := func(spoil func(page []byte, id int)) []byte {
		b := bytes.Clone(content)
		for id := 2; id*size < len(b); id++ {
			spoil(b[id*size:], id)
		}
		return b
	}
	for name, damaged := range map[string][]byte{
		"nothing":         {},
		"text":            []byte(strings.Repeat("this is not a history\n", 1000)),
		"no descriptions": append(make([]byte, 2*size), content[2*size:]...),
		"one page":        content[:size],
		"a page refers to itself": pages(func(page []byte, id int) {
			if order.Uint16(page[8:]) == branchPage {
				order.PutUint64(page[pageHeader+8:], uint64(id))
			}
		}),
		"long pages":         pages(func(page []byte, _ int) { order.PutUint32(page[12:], 1<<31) }),
		"entries everywhere": pages(func(page []byte, _ int) { order.PutUint16(page[10:], 1<<16-1) }),
		"entries that overlap": pages(func(page []byte, _ int) {
			if order.Uint16(page[8:]) == leafPage {
				for at := pageHeader; at < size/4; at += entrySize {
					order.PutUint32(page[at+4:], 16)
					order.PutUint32(page[at+12:], size/2)
				}
			}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			path := place(t, damaged)
			h, j := open(path)
			h.Add(1, "new", "")
			if got := describe(h.Tail(0)); got != "1/1 new" || strings.Count(j.String(), "set aside") != 1 {
				t.Errorf("%s; %s", got, j)
			}
			aside, err := filepath.Glob(filepath.Join(filepath.Dir(path), "history.db.damaged-*"))
			if err != nil || len(aside) != 1 {
				t.Fatal(aside, err)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || !bytes.Equal(kept, damaged) {
				t.Errorf("%d bytes are set aside, %v", len(kept), err)
			}
		})
	}
	generator := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		b := bytes.Clone(content)
		for range 1 + generator.IntN(3) {
			page := generator.IntN(len(b)/size) * size
			b[page+generator.IntN(128)] = byte(generator.Uint32())
		}
		for _, meta := range []int{pageHeader, size + pageHeader} { // so that the spoiled descriptions count
			sum := fnv.New64a()
			sum.Write(b[meta : meta+metaSummed])
			order.PutUint64(b[meta+metaSummed:], sum.Sum64())
		}
		if cells, err := readBolt(b); err == nil && len(cells) > 1000 {
			t.Fatalf("%d cells", len(cells))
		}
	}
}

//go:build unix

package history

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDamaged has files that are not histories, or not any more: each is set aside whole, the log
// is told, and the history begins anew.
func TestDamaged(t *testing.T) {
	var inputs []string
	for i := range 2000 {
		inputs = append(inputs, fmt.Sprintf("cell %d %s", i, strings.Repeat("x", 50)))
	}
	sound := filepath.Join(t.TempDir(), "h", "history.db")
	fill(t, sound, inputs[:1000], inputs[1000:])
	content, err := os.ReadFile(sound)
	if err != nil {
		t.Fatal(err)
	}
	generator := rand.New(rand.NewPCG(1, 2))
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(generator.Uint32())
		}
		return b
	}
	spoiled := func(from, to int) []byte {
		b := bytes.Clone(content)
		copy(b[from:to], noise(to-from))
		return b
	}
	lengths := bytes.Clone(content) // of the pages, which bbolt believes
	for page := 2 * os.Getpagesize(); page < len(lengths); page += os.Getpagesize() {
		binary.NativeEndian.PutUint32(lengths[page+12:], 1<<31)
	}
	for name, damaged := range map[string][]byte{
		"one byte":      {'x'},
		"text":          []byte(strings.Repeat("this is not a history\n", 1000)),
		"noise":         noise(1 << 16),
		"no meta pages": spoiled(0, 2*os.Getpagesize()),
		"no cells":      spoiled(2*os.Getpagesize(), len(content)),
		"one page":      content[:os.Getpagesize()],
		"long pages":    lengths,
		"half of it":    content[:len(content)/2],
	} {
		for _, reading := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " reading ", reading), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "history.db")
				if err := os.WriteFile(path, damaged, 0o600); err != nil {
					t.Fatal(err)
				}
				h, j := open(path)
				if reading {
					h.Search("*", 0, false)
				}
				h.Add(1, "a", "")
				h.Close()
				h, _ = open(path)
				cells := h.Tail(1)
				if len(cells) != 1 || cells[0].Input != "a" {
					t.Errorf("the new cell is not kept: %s; %s", describe(cells), j)
				}
				h.Search("*", 0, false)
				aside, err := filepath.Glob(path + ".damaged-*")
				if err != nil {
					t.Fatal(err)
				}
				if len(aside) != 1 || strings.Count(j.String(), "set aside") != 1 {
					t.Fatalf("%d files are set aside; %s", len(aside), j)
				}
				if kept, err := os.ReadFile(aside[0]); err != nil || len(kept) < len(damaged) {
					t.Errorf("%d bytes of %d are set aside, %v", len(kept), len(damaged), err)
				}
			})
		}
	}
}

//go:build unix

package history

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// bases are files of histories in the forms that they come in: with one cell, several levels of
// pages, texts that go on for many pages, and free pages where the oldest cells were.
func bases(t testing.TB) [][]byte {
	t.Helper()
	var files [][]byte
	keep := func(l limits, sessions ...[]Cell) {
		s := &store{path: filepath.Join(t.TempDir(), "h", "history.db"), limits: l, setAside: func(to string, reason error) {
			t.Fatalf("a good file is set aside: %v", reason)
		}}
		for _, cells := range sessions {
			if _, err := s.write(time.Minute, 0, cells); err != nil {
				t.Fatal(err)
			}
		}
		content, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, content)
	}
	session := func(n, size int) []Cell {
		var cells []Cell
		for i := range n {
			cells = append(cells, Cell{Line: i + 1, Input: strings.Repeat("x", size), Output: "y"})
		}
		return cells
	}
	keep(onDisk, session(1, 5))
	keep(onDisk, session(300, 100), session(30, 2000))
	keep(onDisk, session(3, 20_000), session(5, 10))
	keep(limits{cells: 60, bytes: 1 << 20}, session(50, 900), session(40, 900), session(55, 1200))
	return files
}

// spoil changes a file as the bytes of a plan say, eight for a change. Half of the changes of the
// first two pages are given a right sum.
func spoil(content, plan []byte) []byte {
	b := bytes.Clone(content)
	size := os.Getpagesize()
	for ; len(plan) >= 8 && len(b) > 2*size; plan = plan[8:] {
		pages := len(b) / size
		page := int(binary.LittleEndian.Uint16(plan[1:])) % pages
		at := page*size + int(binary.LittleEndian.Uint16(plan[3:]))%size
		header := page*size + int(plan[3])%(16+4*16)
		value := plan[5:8]
		switch plan[0] % 9 {
		case 0: // a byte
			b[at] ^= value[0] | 1
		case 1: // one of the numbers that a page begins with
			b[header] = value[0]
		case 2: // a word there, to something large
			copy(b[header&^3:], []byte{value[0], value[1], value[2], value[0]})
		case 3: // to the number of a page
			order.PutUint64(b[header&^7:], uint64(value[0])%uint64(pages))
		case 4: // a page is another one
			other := int(value[0]) % pages
			copy(b[page*size:(page+1)*size], b[other*size:(other+1)*size])
			if value[1]%2 == 0 {
				order.PutUint64(b[page*size:], uint64(page)) // and calls itself by its place
			}
		case 5: // a page is nothing
			clear(b[page*size : (page+1)*size])
		case 6: // noise from there to the end of a page
			noise := rand.New(rand.NewPCG(uint64(value[0]), uint64(value[1])))
			for i := at; i < (page+1)*size; i++ {
				b[i] = byte(noise.Uint32())
			}
		case 7: // cut off
			b = b[:at]
		case 8: // one of the descriptions
			order.PutUint64(b[page%2*size+16+int(value[0])%7*8:], uint64(value[1]))
		}
		for i := range 2 {
			if begin := i*size + pageHeader; len(b) >= begin+metaSize && plan[7]%2 == 0 {
				sum := fnv.New64a()
				sum.Write(b[begin : begin+metaSummed])
				order.PutUint64(b[begin+metaSummed:], sum.Sum64())
			}
		}
	}
	return b
}

// outlives holds that what is taken for a history can be used as one, and that anything else is
// set aside. bbolt itself would end this process.
func outlives(t *testing.T, path string, content []byte) (setAside bool) {
	t.Helper()
	var reason error
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &store{path: path, limits: onDisk, setAside: func(to string, why error) {
		setAside, reason = true, why
		if err := os.Remove(to); err != nil {
			t.Error(err)
		}
	}}
	all := func(cells *bolt.Bucket) error {
		return newestFirst(cells, 0, func(stored) bool { return true })
	}
	sound := newWalk(bytes.NewReader(content), int64(len(content))).file() == nil
	if err := s.view(time.Minute, all); err != nil {
		t.Error(err)
	}
	for range 2 {
		if _, err := s.write(time.Minute, 0, []Cell{{Line: 1, Input: strings.Repeat("z", 3000)}}); err != nil {
			t.Error(err)
		}
	}
	if err := s.view(time.Minute, all); err != nil {
		t.Error(err)
	}
	if sound && setAside {
		t.Errorf("the file was opened before it was found to be damaged: %v", reason)
	}
	return setAside
}

// TestSpoiledAnywhere is the finding env_history_damaged: damage of any kind at any place ends no
// kernel, and a file that can still be read stays.
func TestSpoiledAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	generator := rand.New(rand.NewPCG(3, 4))
	for n, base := range bases(t) {
		if outlives(t, path, base) {
			t.Errorf("the good file %d is set aside", n)
		}
		aside := 0
		const cases = 120
		for range cases {
			plan := make([]byte, 8*(1+generator.IntN(3)))
			for i := range plan {
				plan[i] = byte(generator.Uint32())
			}
			if outlives(t, path, spoil(base, plan)) {
				aside++
			}
			if t.Failed() {
				t.Fatalf("the file %d, changed by %x", n, plan)
			}
		}
		if aside == 0 || aside == cases {
			t.Errorf("of the file %d, %d of %d damaged ones are set aside", n, aside, cases)
		}
	}
}

func FuzzSpoiled(f *testing.F) {
	files := bases(f)
	f.Add(byte(1), []byte{3, 4, 0, 16 + 8, 0, 4, 0, 0})
	f.Add(byte(3), []byte{2, 2, 0, 10, 0, 255, 255, 255})
	f.Add(byte(2), []byte{8, 0, 0, 0, 0, 2, 3, 0, 4, 3, 0, 0, 0, 2, 0, 0})
	f.Fuzz(func(t *testing.T, base byte, plan []byte) {
		if len(plan) <= 80 {
			outlives(t, filepath.Join(t.TempDir(), "history.db"), spoil(files[int(base)%len(files)], plan))
		}
	})
}

// TestDamagedByName has the kinds of damage of which bbolt ends the process, or never ends: the
// finding env_history_damaged.
func TestDamagedByName(t *testing.T) {
	content := bases(t)[1]
	size := os.Getpagesize()
	for name, spoil := range map[string]func(b []byte){
		"a page refers to itself": func(b []byte) {
			for page := 2; page*size < len(b); page++ { // the newest branch is among them
				if order.Uint16(b[page*size+8:]) == flagBranch {
					order.PutUint64(b[page*size+pageHeader+8:], uint64(page))
				}
			}
		},
		"terabytes of free pages": func(b []byte) {
			for page := 2; page*size < len(b); page++ {
				if order.Uint16(b[page*size+8:]) == flagFreelist {
					order.PutUint16(b[page*size+10:], 1<<16-1)
					order.PutUint64(b[page*size+pageHeader:], 1<<40)
				}
			}
		},
		"pages are free and in use": func(b []byte) {
			for page := 2; page*size < len(b); page++ {
				if order.Uint16(b[page*size+8:]) == flagFreelist {
					order.PutUint16(b[page*size+10:], 1)
					order.PutUint64(b[page*size+pageHeader:], usedLeaf(t, b))
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := bytes.Clone(content)
			spoil(b)
			if !outlives(t, filepath.Join(t.TempDir(), "history.db"), b) {
				t.Error("it is not set aside")
			}
		})
	}
}

// usedLeaf returns a page of the cells that are in use.
func usedLeaf(t *testing.T, content []byte) uint64 {
	w := newWalk(bytes.NewReader(content), int64(len(content)))
	if err := w.file(); err != nil {
		t.Fatal(err)
	}
	for page := range w.used {
		if page > 1 && w.used[page] && order.Uint16(content[page*int(w.pageSize)+8:]) == flagLeaf {
			return uint64(page)
		}
	}
	t.Fatal("no leaf is in use")
	return 0
}

// TestWrongTotals has a file that says that it has more than it may have: nothing is deleted for
// that.
func TestWrongTotals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h", "history.db")
	fill(t, path, []string{"a", "b", "c"})
	s := &store{path: path, limits: onDisk}
	if err := s.update(time.Minute, func(tx *bolt.Tx, _ *bolt.Bucket) error {
		return writeTotals(tx, limits{cells: 1 << 40, bytes: 1 << 40})
	}); err != nil {
		t.Fatal(err)
	}
	fill(t, path, []string{"d"})
	h, _ := open(path)
	if got, want := describe(h.Tail(0)), "1/1 a; 1/2 b=out b; 1/3 c; 2/1 d"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

//go:build unix

package history

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hierml/notebook/internal/lock"
)

// TestMain makes a kernel of the test binary that writes a session of cells.
func TestMain(m *testing.M) {
	if path := os.Getenv("HIERML_TEST_HISTORY_KILLED"); path != "" {
		keepUntilKilled(path)
	}
	if path := os.Getenv("HIERML_TEST_HISTORY_FULL"); path != "" {
		fmt.Println(keepOnFullDisk(path))
		os.Exit(0)
	}
	if path := os.Getenv("HIERML_TEST_HISTORY_THREE"); path != "" {
		keepThree(path)
		os.Exit(0)
	}
	if path := os.Getenv("HIERML_TEST_HISTORY"); path != "" {
		h := Open(path, slog.Default())
		for line := range cellsOfWriter {
			h.Add(line+1, fmt.Sprint("process ", os.Getpid(), " line ", line+1), "")
		}
		if err := settled(h); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		h.Close()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const cellsOfWriter = 50

// settled writes all cells to the file, which other kernels use.
func settled(h *History) error {
	for range 60 {
		if written(h) {
			return nil
		}
	}
	return errors.New("cells are not written after a minute")
}

// A journal is a log that can be looked at.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func open(path string) (*History, *journal) {
	j := new(journal)
	return Open(path, slog.New(slog.NewTextHandler(j, nil))), j
}

// fill writes sessions of cells to a file, each in a history of its own.
func fill(t *testing.T, path string, sessions ...[]string) {
	t.Helper()
	for _, inputs := range sessions {
		h, j := open(path)
		for i, input := range inputs {
			h.Add(i+1, input, map[bool]string{true: "out " + input}[strings.HasPrefix(input, "b")])
		}
		h.Close()
		if j.String() != "" {
			t.Fatal(j.String())
		}
	}
}

func describe(cells []Cell) string {
	var b strings.Builder
	for _, c := range cells {
		fmt.Fprintf(&b, "%d/%d %s%s; ", c.Session, c.Line, c.Input, strings.TrimSuffix("="+c.Output, "="))
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func TestQuestions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h", "history.jsonl")
	fill(t, path, []string{"a1", "b", "a1"}, nil, []string{"a2", "b"})
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	own := []string{"a1", "c", "b"}
	tests := []struct {
		name string
		ask  func(h *History) []Cell
		want string
	}{
		{"tail", func(h *History) []Cell { return h.Tail(4) }, "2/2 b=out b; 3/1 a1; 3/2 c; 3/3 b=out b"},
		{"tail by default", func(h *History) []Cell { return h.Tail(0) }, "1/1 a1; 1/2 b=out b; 1/3 a1; 2/1 a2; 2/2 b=out b; 3/1 a1; 3/2 c; 3/3 b=out b"},
		{"tail of this session", func(h *History) []Cell { return h.Tail(1) }, "3/3 b=out b"},
		{"this session", func(h *History) []Cell { return h.Range(0, 0, 0) }, "3/1 a1; 3/2 c; 3/3 b=out b"},
		{"from line 2", func(h *History) []Cell { return h.Range(0, 2, 0) }, "3/2 c; 3/3 b=out b"},
		{"lines 1 and 2", func(h *History) []Cell { return h.Range(0, 1, 3) }, "3/1 a1; 3/2 c"},
		{"by number", func(h *History) []Cell { return h.Range(3, 1, 2) }, "3/1 a1"},
		{"the one before", func(h *History) []Cell { return h.Range(-1, 0, 0) }, "2/1 a2; 2/2 b=out b"},
		{"two before", func(h *History) []Cell { return h.Range(-2, 2, 3) }, "1/2 b=out b"},
		{"three before", func(h *History) []Cell { return h.Range(-3, 0, 0) }, ""},
		{"long before", func(h *History) []Cell { return h.Range(-1<<63, -1<<63, 0) }, ""},
		{"first", func(h *History) []Cell { return h.Range(1, -1, 3) }, "1/1 a1; 1/2 b=out b"},
		{"not yet", func(h *History) []Cell { return h.Range(4, 0, 0) }, ""},
		{"stop before start", func(h *History) []Cell { return h.Range(1, 3, 2) }, ""},
		{"search", func(h *History) []Cell { return h.Search("a*", 0, false) }, "1/1 a1; 1/3 a1; 2/1 a2; 3/1 a1"},
		{"search n", func(h *History) []Cell { return h.Search("a*", 2, false) }, "2/1 a2; 3/1 a1"},
		{"search unique", func(h *History) []Cell { return h.Search("a?", 0, true) }, "2/1 a2; 3/1 a1"},
		{"search n unique", func(h *History) []Cell { return h.Search("[ab]*", 2, true) }, "3/1 a1; 3/3 b=out b"},
		{"search case", func(h *History) []Cell { return h.Search("A*", 0, false) }, ""},
	}
	// The cells of this session are answered alike before they are in the file, once they are, and
	// when some are.
	for _, when := range []string{"in memory", "in the file", "in both"} {
		h, j := open(path)
		if when == "in memory" {
			h.notBefore = time.Now().Add(time.Hour)
		}
		for i, input := range own {
			h.Add(i+1, input, map[bool]string{true: "out " + input}[input == "b"])
			if when == "in both" && i == 1 {
				h.Tail(1) // which writes
				h.mu.Lock()
				h.notBefore = time.Now().Add(time.Hour)
				h.mu.Unlock()
			}
		}
		for _, test := range tests {
			if got := describe(test.ask(h)); got != test.want {
				t.Errorf("%s, %s: %s, want %s", test.name, when, got, test.want)
			}
		}
		if len(j.String()) > 0 {
			t.Error(j)
		}
		h.Close()
		// The next run of the same is to be session 3 again.
		if err := os.WriteFile(path, before, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMemory(t *testing.T) {
	h, _ := open("")
	defer h.Close()
	if got := h.Range(-1, 0, 0); len(got) > 0 {
		t.Error(got)
	}
	for i := range maxCells + 5 {
		h.Add(i+1, fmt.Sprint(i+1), "")
	}
	if got, want := describe(h.Tail(2)), "1/10004 10004; 1/10005 10005"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := describe(h.Range(0, 0, 8)), "1/6 6; 1/7 7"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for i := range 40 {
		h.Add(20_000+i, strings.Repeat("x", 1<<19), "")
	}
	if n := len(h.Search("*", 0, false)); n != 32 {
		t.Errorf("%d cells of half a mebibyte are in memory, want 32", n)
	}
}

// TestUnusable has files that cannot be opened, of which the log hears once.
func TestUnusable(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(folder, "locked.jsonl")
	l, err := lock.Alone(locked + ".lock")
	if err != nil || l == nil {
		t.Fatal(l, err)
	}
	defer l.Release()
	for name, path := range map[string]string{
		"the folder is a file": filepath.Join(file, "history.jsonl"),
		"the file is a folder": folder,
		"others keep the file": locked,
	} {
		t.Run(name, func(t *testing.T) {
			h, j := open(path)
			h.Add(1, "a", "")
			if got, want := describe(h.Tail(0)), "1/1 a"; got != want {
				t.Errorf("%s, want %s", got, want)
			}
			h.Add(2, "b", "")
			if got, want := describe(h.Range(0, 0, 0)), "1/1 a; 1/2 b"; got != want {
				t.Errorf("%s, want %s", got, want)
			}
			h.Close()
			if n := strings.Count(j.String(), "is kept in memory only"); n != 1 {
				t.Errorf("the log hears %d times of it: %s", n, j)
			}
			if info, err := os.Stat(folder); err != nil || !info.IsDir() || info.Mode().Perm()&0o700 != 0o700 {
				t.Errorf("the folder was moved, or closed to its user: %v, %v", info, err)
			}
		})
	}
}

// TestRecovery has a file that cannot be written for a while.
func TestRecovery(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "folder")
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "history.jsonl")
	h, _ := open(path)
	h.Add(1, "a", "")
	h.Tail(1)
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	h.Add(2, "b", "")
	h.Close()
	h, _ = open(path)
	if got, want := describe(h.Tail(0)), "1/1 a; 1/2 b"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestLazy(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "folder")
	h, j := open(filepath.Join(folder, "history.jsonl"))
	if got := h.Tail(0); len(got) > 0 {
		t.Error(got)
	}
	h.Close()
	h.Close()
	if _, err := os.Stat(folder); err == nil {
		t.Error("a session without cells leaves a folder")
	}
	h.Add(1, "late", "")
	if got := h.Tail(0); len(got) > 0 || j.String() != "" {
		t.Error(got, j)
	}
}

func TestPrivate(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "folder")
	path := filepath.Join(folder, "history.jsonl")
	for _, loosen := range []bool{false, true} {
		if loosen {
			for _, path := range []string{folder, path} {
				if err := os.Chmod(path, 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}
		fill(t, path, []string{"a"})
		for path, want := range map[string]os.FileMode{folder: 0o700, path: 0o600} {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm() != want {
				t.Errorf("%s has the mode %v, want %v", path, info.Mode().Perm(), want)
			}
		}
	}
}

func TestLongTexts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h", "history.jsonl")
	whole, long := strings.Repeat("w", maxText), strings.Repeat("世", 1<<20)
	h, _ := open(path)
	h.Add(1, whole, whole)
	h.Add(2, long, long+"\xff")
	h.Close()
	h, _ = open(path)
	got := h.Tail(0)
	if len(got) != 2 || got[0].Input != whole || got[0].Output != whole {
		t.Fatalf("%d cells; a mebibyte is not kept", len(got))
	}
	for _, text := range []string{got[1].Input, got[1].Output} {
		kept, mark, ok := strings.Cut(text, "\n")
		if !ok || !strings.HasPrefix(long, kept) || len(kept) < maxText-4 || !strings.Contains(mark, "more bytes were not kept") {
			t.Errorf("%d bytes are kept with the mark %q", len(kept), mark)
		}
	}
}

func TestLimits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h", "history.jsonl")
	s := &store{path: path, max: 8000}
	var want []Cell
	for session := range 5 {
		for line := range 100 {
			c := Cell{Line: line + 1, Input: fmt.Sprint("cell ", session, line)}
			number, err := s.write(time.Second, map[bool]int{false: session + 1}[line == 0], []Cell{c})
			if err != nil {
				t.Fatal(err)
			}
			c.Session = number
			want = append(want, c)
			if info, err := os.Stat(path); err != nil || info.Size() > s.max || info.Mode().Perm() != 0o600 {
				t.Fatalf("after %d cells: %v, %v", len(want), info, err)
			}
		}
	}
	h, _ := open(path)
	got := h.Search("*", 0, false)
	if len(got) < 100 || len(got) > 200 || !reflect.DeepEqual(got, want[len(want)-len(got):]) {
		t.Errorf("%d cells are left: %s", len(got), describe(got))
	}
}

// TestManyKernels has ten processes, and two sessions in this one, write at the same time.
func TestManyKernels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h", "history.jsonl")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for range 10 {
		writers.Go(func() {
			cmd := exec.Command(program)
			cmd.Env = append(os.Environ(), "HIERML_TEST_HISTORY="+path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	for i := range 2 {
		writers.Go(func() {
			h, j := open(path)
			for line := range cellsOfWriter {
				h.Add(line+1, fmt.Sprint("session ", i, " line ", line+1), "")
				if line%10 == 0 {
					h.Search("*line 1", 0, true)
				}
			}
			if err := settled(h); err != nil {
				t.Error(err, j)
			}
			h.Close()
		})
	}
	writers.Wait()
	h, j := open(path)
	perSession := make(map[int]int)
	for _, c := range h.Search("* line *", 0, true) {
		perSession[c.Session]++
		if !strings.HasSuffix(c.Input, fmt.Sprint(" line ", c.Line)) {
			t.Errorf("session %d, line %d: %q", c.Session, c.Line, c.Input)
		}
	}
	for session := 1; session <= 12; session++ {
		if perSession[session] != cellsOfWriter {
			t.Errorf("session %d has %d cells, want %d", session, perSession[session], cellsOfWriter)
		}
	}
	if len(perSession) != 12 || j.String() != "" {
		t.Errorf("%d sessions, want 12; %s", len(perSession), j)
	}
}

func TestConcurrentUse(t *testing.T) {
	h, j := open(filepath.Join(t.TempDir(), "h", "history.jsonl"))
	var users sync.WaitGroup
	for user := range 4 {
		users.Go(func() {
			for i := range 25 {
				h.Add(user*25+i+1, "x", "")
				h.Tail(3)
				h.Range(0, 0, 0)
			}
		})
	}
	users.Wait()
	if err := settled(h); err != nil {
		t.Fatal(err)
	}
	if got := h.Range(0, 0, 0); len(got) != 100 || got[99].Line != 100 {
		t.Errorf("%d cells, want 100", len(got))
	}
	h.Close()
	if j.String() != "" {
		t.Error(j)
	}
}

func BenchmarkSearch(b *testing.B) {
	path := filepath.Join(b.TempDir(), "h", "history.jsonl")
	s := &store{path: path, max: maxFile}
	for session := range 60 {
		var cells []Cell
		for line := range 1000 {
			cells = append(cells, Cell{Line: line + 1, Input: strings.Repeat("x := compute(values)\n", 20) + fmt.Sprint(session*1000+line)})
		}
		if _, err := s.write(time.Minute, 0, cells); err != nil {
			b.Fatal(err)
		}
	}
	h, _ := open(path)
	for _, pattern := range []string{"*nothing*", "*[q-s]esu?t*", "*59999"} {
		b.Run(pattern, func(b *testing.B) {
			for b.Loop() {
				h.Search(pattern, 0, true)
			}
		})
	}
	b.Run("tail", func(b *testing.B) {
		for b.Loop() {
			h.Tail(1000)
		}
	})
}

package session

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hierml/notebook/stdlib/display"
)

func TestPayload(t *testing.T) {
	c, evaluator := connectedTo(t)
	for _, end := range []string{"", "raise"} {
		reply, _ := c.Execute(code("page one\nnext a\nnext b replace\npage two\n" + end))
		want := "[map[data:map[text/plain:one] source:page start:0]" +
			" map[replace:false source:set_next_input text:a]" +
			" map[replace:true source:set_next_input text:b]" +
			" map[data:map[text/plain:two] source:page start:0]]"
		if got := fmt.Sprint(reply.Content["payload"]); got != want {
			t.Errorf("payload %s\nwant    %s", got, want)
		}
	}
	if reply, _ := c.Execute(code("hello")); fmt.Sprint(reply.Content["payload"]) != "[]" {
		t.Errorf("the next cell's payload is %v", reply.Content["payload"])
	}
	// When the reply is gone, a page is displayed.
	c.Execute(code("latepage replied"))
	close(evaluator.gate("replied"))
	if m := c.Recv("iopub"); m.Type() != "display_data" || fmt.Sprint(m.Content["data"]) != "map[text/plain:late]" {
		t.Errorf("late: %s %v", m.Type(), m.Content)
	}
}

// TestNotes checks that lines of the kernel are no output of an error, and stand together where
// nothing is between them.
func TestNotes(t *testing.T) {
	c := connected(t)
	_, published := c.Execute(code("print notes a\nprint notes b\nprint stdout x\nprint notes c\ndisplay 1\nprint notes d"))
	var got []string
	ids := make(map[string]string)
	for _, m := range published {
		data, _ := m.Content["data"].(map[string]any)
		metadata, _ := m.Content["metadata"].(map[string]any)
		transient, _ := m.Content["transient"].(map[string]any)
		id, _ := transient["display_id"].(string)
		switch text, _ := data["text/plain"].(string); {
		case m.Type() == "stream":
			got = append(got, fmt.Sprint(m.Content["name"], m.Content["text"]))
		case !display.IsNote(metadata):
			if text != "" {
				got = append(got, text)
			}
		case m.Type() == "update_display_data":
			got = append(got, "instead of "+ids[id]+": "+text)
		default:
			got, ids[id] = append(got, text), text
		}
	}
	if want := []string{"a", "instead of a: a\nb", "stdoutx\n", "c", "x", "d"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestOutputIsBounded(t *testing.T) {
	c := connected(t)
	const writes, size = 40 << 10, 1 << 10
	_, published := c.Execute(code(fmt.Sprintf("stream %d %d\nprint stderr gone\nhello", writes, size)))
	var shown int
	var notes []string
	for _, m := range published {
		text, _ := m.Content["text"].(string)
		switch {
		case m.Content["name"] == "stdout":
			shown += len(text)
		case m.Content["name"] == "stderr":
			notes = append(notes, text)
		}
	}
	if shown < maxText || shown > maxText+maxTail {
		t.Errorf("%d bytes are shown, want %d and the end", shown, maxText)
	}
	all := strings.Join(notes, "")
	if strings.Count(all, "output truncated at 5 MiB") != 1 || strings.Count(all, " of text omitted here") != 1 || strings.Contains(all, "gone") {
		t.Errorf("notes %q", notes)
	}
	_, path, _ := strings.Cut(all, "the whole text is in ")
	path, _, _ = strings.Cut(path, "]")
	if whole, err := os.ReadFile(path); err != nil || len(whole) != writes*size-maxText+len("gone\n") {
		t.Errorf("%q has %d bytes, %v", path, len(whole), err)
	}
	if got := published[len(published)-2].Type(); got != "execute_result" {
		t.Errorf("the value of the cell is missing; the last is %s", got)
	}
	if _, published := c.Execute(code("print stdout hello")); published[2].Content["text"] != "hello\n" {
		t.Error("the next cell cannot write")
	}
}

func TestDisplaysAreBounded(t *testing.T) {
	c := connected(t)
	_, published := c.Execute(code(fmt.Sprintf("displays %d 10\ndisplay 10 a update\nclear\ndisplay 10", maxData/dataCost+5)))
	count := make(map[string]int)
	notes := ""
	for _, m := range published {
		count[m.Type()]++
		if text, ok := m.Content["text"].(string); ok {
			notes += text
		}
	}
	if n := count["display_data"]; n < maxData/dataCost*9/10 || n > maxData/dataCost {
		t.Errorf("%d values are shown", n)
	}
	if count["update_display_data"] != 1 || published[len(published)-3].Type() != "display_data" {
		t.Errorf("what takes the place of what was shown is not: %v", count)
	}
	if strings.Count(notes, "display limit") != 1 || strings.Count(notes, "[not shown: ") != 1 {
		t.Errorf("notes %q", notes)
	}
}

// A cell that writes without end costs the kernel no memory, and stops at once when it is told to.
func TestFloodIsInterrupted(t *testing.T) {
	c, evaluator := connectedTo(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cell := c.Send("shell", "execute_request", code("flood"))
	waitFor(t, c, cell, "execute_input")
	for {
		if m := c.Recv("iopub"); strings.Contains(fmt.Sprint(m.Content["text"]), "output truncated") {
			break
		}
	}
	for before := evaluator.flooded.Load(); evaluator.flooded.Load() < before+100; { // it goes on
		runtime.Gosched()
	}
	start := time.Now()
	ask(t, c, "interrupt_request", nil)
	if m := c.Recv("shell"); m.Content["ename"] != "Interrupted" {
		t.Errorf("reply %v", m.Content)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("interrupted after %v", d)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
}

func TestBudget(t *testing.T) {
	var b budget
	text := func(s, shown, note string) {
		t.Helper()
		gotShown, gotNote := b.text(s)
		if gotShown != shown || !strings.Contains(gotNote, note) || note == "" && gotNote != "" {
			t.Errorf("%.20q: shown %.20q, note %q", s, gotShown, gotNote)
		}
	}
	text("hello", "hello", "")
	// A rune at the limit is left out whole, and so is what follows.
	long := strings.Repeat("世", maxText/3)
	shown, note := b.text(long)
	if !utf8.ValidString(shown) || len(shown) < maxText-8 || note == "" {
		t.Errorf("%d bytes are shown, valid: %v", len(shown), utf8.ValidString(shown))
	}
	text("x", "", "")
	b.clear()
	text("again", "again", "")
	b.curb()
	text(strings.Repeat("x", curbedText), strings.Repeat("x", curbedText), "")
	text("y", "", "interrupted")
	text("y", "", "")
}

func TestSpill(t *testing.T) {
	long := strings.Repeat("0123456789\n", maxTail/8)
	for _, c := range []struct {
		name            string
		texts           []string
		said, end, file string
	}{
		{"nothing", nil, "", "", ""},
		{"little", []string{"a\n", "b\n"}, "\n[the end of the text; until the kernel ends, the whole text is in FILE]\n", "a\nb\n", "a\nb\n"},
		{"much", []string{"first\n", long, "last\n"}, "\n[24.01 KiB of text omitted here; until the kernel ends, the whole text is in FILE]\n", "", "first\n" + long + "last\n"},
		{"a long line", []string{strings.Repeat("世", maxTail)}, "\n[128 KiB of text omitted here; until the kernel ends, the whole text is in FILE]\n", "", strings.Repeat("世", maxTail)},
		{"cleared", []string{"a\n", "CLEAR", "b\n"}, "\n[the end of the text; until the kernel ends, the whole text is in FILE]\n", "b\n", "a\nb\n"},
		{"cleared at last", []string{"a\n", "CLEAR"}, "", "", "a\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			var s spill
			for _, text := range c.texts {
				if text == "CLEAR" {
					s.cleared()
					continue
				}
				s.write(text)
			}
			said, end, path := s.close()
			if path != "" {
				said = strings.ReplaceAll(said, path, "FILE")
			}
			if said != c.said {
				t.Errorf("said %q, want %q", said, c.said)
			}
			if c.end != "" && end != c.end || !utf8.ValidString(end) || len(end) > maxTail || !strings.HasSuffix(c.file, end) {
				t.Errorf("the end has %d bytes: %.40q", len(end), end)
			}
			var file []byte
			if path != "" {
				var err error
				if file, err = os.ReadFile(path); err != nil {
					t.Fatal(err)
				}
			}
			if string(file) != c.file {
				t.Errorf("the file has %d bytes, want %d", len(file), len(c.file))
			}
			s.write("late")
			if after, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(after) > 1 || path == "" && len(after) > 0 {
				t.Errorf("files after the end: %v, %v", after, err)
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
		var s spill
		s.write("a\nb\n")
		said, end, path := s.close()
		if !strings.Contains(said, "without the last 4 bytes: ") || !strings.Contains(said, "/missing: ") || end != "a\nb\n" || path != "" {
			t.Errorf("said %q, end %q, path %q", said, end, path)
		}
	})
}

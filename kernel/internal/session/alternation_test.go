package session

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestAlternation(t *testing.T) {
	var a alternation
	now := time.Unix(0, 0)
	for i := range 1 + alternations {
		name := []string{"stdout", "stderr"}[i%2]
		if to, first := a.stream(name, now); to != name || first {
			t.Fatalf("text %d goes to %s, %v", i, to, first)
		}
	}
	for i, want := range []bool{true, false} {
		if to, first := a.stream("stderr", now); to != "stdout" || first != want {
			t.Errorf("text %d beyond goes to %s, %v", i, to, first)
		}
	}
	if to, first := a.stream("stdout", now); to != "stdout" || first {
		t.Errorf("text of the same stream goes to %s, %v", to, first)
	}
	now = now.Add(2 * time.Second / perSecond)
	for i, want := range []string{"stderr", "stdout", "stdout"} {
		name := []string{"stderr", "stdout", "stderr"}[i]
		if to, _ := a.stream(name, now); to != want {
			t.Errorf("later, text %d goes to %s, want %s", i, to, want)
		}
	}
}

// TestAlternatingStreams publishes lines of both streams in turn: in their order, in few messages,
// and says that they are together.
func TestAlternatingStreams(t *testing.T) {
	c := connected(t)
	var cell, want strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&cell, "print stdout out %d\nprint stderr err %d\n", i, i)
		fmt.Fprintf(&want, "out %d\nerr %d\n", i, i)
	}
	id := c.Send("shell", "execute_request", code(cell.String()))
	var got strings.Builder
	messages, notes := 0, 0
	for _, m := range c.UntilIdle(id) {
		switch m.Type() {
		case "stream":
			messages++
			got.WriteString(fmt.Sprint(m.Content["text"]))
		case "display_data":
			notes++
		}
	}
	if got.String() != want.String() {
		t.Errorf("the text is not in order: %d bytes, want %d", got.Len(), want.Len())
	}
	if most := alternations + 100; messages > most || notes != 1 {
		t.Errorf("%d messages and %d notes, want at most %d and 1", messages, notes, most)
	}
}

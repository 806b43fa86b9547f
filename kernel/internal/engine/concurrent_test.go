package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestAtTheSameTime runs short cells while a long one waits for them.
func TestAtTheSameTime(t *testing.T) {
	if enginetest.Raced {
		t.Skip("yaegi notes the channel that stops it for each source it evaluates, while functions that begin read it")
	}
	n := newNotebook(t)
	if _, _, err := n.run("x := 1\ngo1 := make(chan bool)\nstarted := make(chan bool, 1)\nfunc f() int { return 1 }"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	type result struct {
		bundle *program.Bundle
		err    error
	}
	ended := make(chan result, 1)
	go func() {
		b, err := n.engine.Run(ctx, program.Cell{Number: 50, Source: "type T struct{ A int }\nlate := T{3}\nstarted <- true\n<-go1\nx = 7\nlate.A"}, &enginetest.Recorder{})
		ended <- result{b, err}
	}()
	if _, _, err := n.run("<-started"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ cell, want, refusal string }{
		{cell: "x + f()", want: "2"},
		{cell: "late", refusal: "undefined: late"},
		{cell: "T{}", refusal: "undefined: T"},
		{cell: "func f() int { return 2 }\nf()", want: "2"},
		{cell: "type T struct{ B string }\nshort := T{\"b\"}\nshort.B", want: "b"},
	} {
		got, _, err := n.run(c.cell)
		switch {
		case c.refusal == "" && (err != nil || got != c.want):
			t.Errorf("%s: %q, %v", c.cell, got, err)
		case c.refusal != "" && (err == nil || !strings.Contains(err.Error(), c.refusal)):
			t.Errorf("%s: %v, not refused with %q", c.cell, err, c.refusal)
		}
	}
	if _, _, err := n.run("go1 <- true"); err != nil {
		t.Fatal(err)
	}
	r := <-ended
	if r.err != nil || r.bundle == nil || r.bundle.Data["text/plain"] != "3" {
		t.Errorf("the long cell: %v, %v", r.bundle, r.err)
	}
	for cell, want := range map[string]string{"x": "7", "late.A": "3", "T{4}.A": "4", "short.B": "b"} {
		if got, _, err := n.run(cell); err != nil || got != want {
			t.Errorf("%s: %q, %v", cell, got, err)
		}
	}
}

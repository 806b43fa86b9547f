package main

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLanes holds that a lane which has ended takes a group of stages while another lane still
// runs, that the stages of a group follow each other whatever became of the first, and that each
// runs once.
func TestLanes(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var said bytes.Buffer
	r := &testRun{console: &console{out: &said}}
	reached := make(chan bool)
	nothing := func(context.Context) error { return nil }
	long := func(ctx context.Context) error {
		select {
		case <-reached:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	r.lanes(ctx, [][]stage{
		{{"needed", func(context.Context) error { return errors.New("not there") }}, {"needing", func(context.Context) error { close(reached); return nil }}},
		{{"last", nothing}},
	}, []stage{{"long", long}}, []stage{{"short", nothing}})

	var begun []string
	for line := range strings.Lines(said.String()) {
		if name, isBegin := strings.CutPrefix(strings.TrimSpace(line), "== "); isBegin && !strings.Contains(name, " ") {
			begun = append(begun, name)
		}
	}
	short, needed, needing := slices.Index(begun, "short"), slices.Index(begun, "needed"), slices.Index(begun, "needing")
	if short < 0 || needed < short || needing < needed {
		t.Errorf("the stages began in the order %q", begun)
	}
	slices.Sort(begun)
	if want := []string{"last", "long", "needed", "needing", "short"}; !slices.Equal(begun, want) {
		t.Errorf("the stages %q began, want %q", begun, want)
	}
	if want := []string{"needed"}; !slices.Equal(r.failed, want) {
		t.Errorf("the stages %q failed, want %q:\n%s", r.failed, want, said.String())
	}
}

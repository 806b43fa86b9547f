package session

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/hierml/notebook/kernel/internal/history"
	"github.com/hierml/notebook/kernel/internal/wire"
	"github.com/hierml/notebook/kernel/internal/wire/wiretest"
)

func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hierml", "history.jsonl")
	var h *history.History
	for range 2 {
		h = history.Open(path, slog.New(slog.DiscardHandler))
		for i, input := range []string{"a := 1", "b", "a := 1"} {
			h.Add(i+1, input, map[bool]string{true: "out"}[input == "b"])
		}
		h.Close()
	}
	h = history.Open(path, slog.New(slog.DiscardHandler))
	defer h.Close()
	zero, stop := 0, 3
	tests := []struct {
		request wire.HistoryRequest
		want    string
	}{
		{wire.HistoryRequest{Access: "tail", N: 2}, "[[2 2 b] [2 3 a := 1]]"},
		{wire.HistoryRequest{N: 1}, "[[2 3 a := 1]]"},
		{wire.HistoryRequest{Access: "tail", N: 2, Output: true}, "[[2 2 [b out]] [2 3 [a := 1 <nil>]]]"},
		{wire.HistoryRequest{Access: "range"}, "[]"},
		{wire.HistoryRequest{Access: "range", Session: -1, Start: 2, Stop: &stop}, "[[2 2 b]]"},
		{wire.HistoryRequest{Access: "range", Session: -1, Start: 2, Stop: &zero}, "[[2 2 b] [2 3 a := 1]]"},
		{wire.HistoryRequest{Access: "range", Session: 1, Start: 3}, "[[1 3 a := 1]]"},
		{wire.HistoryRequest{Access: "search", Pattern: "a*", N: 3}, "[[1 3 a := 1] [2 1 a := 1] [2 3 a := 1]]"},
		{wire.HistoryRequest{Access: "search", Pattern: "[^a]", Unique: true, Output: true}, "[[2 2 [b out]]]"},
		{wire.HistoryRequest{Access: "search", N: 1}, "[[2 3 a := 1]]"},
	}
	for _, test := range tests {
		got, err := entries(h, test.request)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("%+v: %v, want %s", test.request, got, test.want)
		}
	}
}

// TestHistoryOfRuns has two kernels in turn keep their cells in one file.
func TestHistoryOfRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hierml", "history.jsonl")
	for run := range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		info := wiretest.TCP(t)
		file := info.File(t)
		go func() {
			ended <- Serve(ctx, file, new(fake).open, Config{Log: slog.New(slog.DiscardHandler), History: path})
		}()
		c := wiretest.Dial(t, info)
		before := c.Ask("shell", "history_request", map[string]any{"hist_access_type": "range", "session": -1, "output": true})
		want := "[]"
		if run == 1 {
			want = "[[1 1 [hello hello]] [1 2 [raise <nil>]]]"
		}
		if got := fmt.Sprint(before.Content["history"]); got != want {
			t.Errorf("run %d: the session before is %s, want %s", run+1, got, want)
		}
		c.Execute(code("hello"))
		c.Execute(map[string]any{"code": "hello", "silent": true})
		c.Execute(map[string]any{"code": "hello", "store_history": false})
		c.Execute(code("raise"))
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

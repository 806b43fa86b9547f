package session

import (
	"fmt"
	"testing"

	"github.com/hierml/notebook/kernel/wire"
)

func TestHistory(t *testing.T) {
	var h history
	for i, input := range []string{"a := 1", "b", "a := 1", "c[1]"} {
		h.add(i+1, input, map[bool]string{true: "out"}[input == "b"])
	}
	stop := 3
	tests := []struct {
		request wire.HistoryRequest
		want    string
	}{
		{wire.HistoryRequest{Access: "tail", N: 2}, "[[1 3 a := 1] [1 4 c[1]]]"},
		{wire.HistoryRequest{Access: "tail"}, "[[1 1 a := 1] [1 2 b] [1 3 a := 1] [1 4 c[1]]]"},
		{wire.HistoryRequest{Access: "tail", N: 3, Output: true}, "[[1 2 [b out]] [1 3 [a := 1 <nil>]] [1 4 [c[1] <nil>]]]"},
		{wire.HistoryRequest{Access: "range", Start: 2, Stop: &stop}, "[[1 2 b]]"},
		{wire.HistoryRequest{Access: "range", Session: 1, Start: 4}, "[[1 4 c[1]]]"},
		{wire.HistoryRequest{Access: "range", Session: -1}, "[]"},
		{wire.HistoryRequest{Access: "search", Pattern: "a*"}, "[[1 1 a := 1] [1 3 a := 1]]"},
		{wire.HistoryRequest{Access: "search", Pattern: "a*", Unique: true}, "[[1 3 a := 1]]"},
		{wire.HistoryRequest{Access: "search", Pattern: "*", N: 1}, "[[1 4 c[1]]]"},
		{wire.HistoryRequest{Access: "search", Pattern: "[bx]"}, "[[1 2 b]]"},
		{wire.HistoryRequest{Access: "search", Pattern: "[!b]"}, "[]"},
		{wire.HistoryRequest{Access: "search", Pattern: "c?1]"}, "[[1 4 c[1]]]"},
		{wire.HistoryRequest{Access: "search", Pattern: "c[[]1]"}, "[[1 4 c[1]]]"},
		{wire.HistoryRequest{Access: "search", Pattern: "["}, "[]"},
		{wire.HistoryRequest{Access: "search"}, "[[1 1 a := 1] [1 2 b] [1 3 a := 1] [1 4 c[1]]]"},
	}
	for _, test := range tests {
		got, err := h.read(test.request)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("%+v: %v, want %s", test.request, got, test.want)
		}
	}
}

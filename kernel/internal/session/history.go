package session

import (
	"fmt"

	"github.com/hierml/notebook/kernel/internal/history"
	"github.com/hierml/notebook/kernel/internal/wire"
)

// entries returns the entries that a request asks for, oldest first. The output of a cell without a
// value is empty.
func entries(h *history.History, request wire.HistoryRequest) ([][3]any, error) {
	var cells []history.Cell
	switch request.Access {
	case "tail", "":
		cells = h.Tail(request.N)
	case "range":
		stop := 0 // the end, as in IPython
		if request.Stop != nil {
			stop = *request.Stop
		}
		cells = h.Range(request.Session, request.Start, stop)
	case "search":
		pattern := request.Pattern
		if pattern == "" {
			pattern = "*"
		}
		cells = h.Search(pattern, request.N, request.Unique)
	default:
		return nil, fmt.Errorf(`hist_access_type is %q, expected "range", "tail" or "search"`, request.Access)
	}
	result := make([][3]any, len(cells))
	for i, c := range cells {
		result[i] = [3]any{c.Session, c.Line, c.Input}
		if request.Output {
			var output any
			if c.Output != "" {
				output = c.Output
			}
			result[i][2] = [2]any{c.Input, output}
		}
	}
	return result, nil
}

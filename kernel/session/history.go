package session

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hierml/notebook/kernel/wire"
)

// thisSession is the number of the session in the history. There is no other:
// the history lives as long as the kernel.
const thisSession = 1

// A history holds the cells that were run. It is safe for concurrent use.
type history struct {
	mu      sync.Mutex
	entries []entry
}

// An entry is one cell. A cell without a value has no output.
type entry struct {
	line          int
	input, output string
}

func (h *history) add(line int, input, output string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries = append(h.entries, entry{line, input, output})
}

// read returns the entries that a request asks for, oldest first.
func (h *history) read(request wire.HistoryRequest) ([][3]any, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []entry
	switch request.Access {
	case "tail", "":
		found = last(h.entries, request.N)
	case "range":
		found = h.between(request)
	case "search":
		matching, err := h.search(request.Pattern, request.Unique)
		if err != nil {
			return nil, err
		}
		found = last(matching, request.N)
	default:
		return nil, fmt.Errorf(`hist_access_type is %q, expected "range", "tail" or "search"`, request.Access)
	}
	result := make([][3]any, len(found))
	for i, e := range found {
		result[i] = [3]any{thisSession, e.line, e.input}
		if request.Output {
			var output any
			if e.output != "" {
				output = e.output
			}
			result[i][2] = [2]any{e.input, output}
		}
	}
	return result, nil
}

// last returns the last n entries; all for n = 0.
func last(entries []entry, n int) []entry {
	if n <= 0 || n >= len(entries) {
		return entries
	}
	return entries[len(entries)-n:]
}

// between returns the lines of a range.
func (h *history) between(request wire.HistoryRequest) []entry {
	if request.Session != 0 && request.Session != thisSession {
		return nil
	}
	var found []entry
	for _, e := range h.entries {
		if e.line >= request.Start && (request.Stop == nil || e.line < *request.Stop) {
			found = append(found, e)
		}
	}
	return found
}

// search returns the entries whose input matches a glob; of equal ones only
// the last if unique is set.
func (h *history) search(pattern string, unique bool) ([]entry, error) {
	if pattern == "" {
		pattern = "*"
	}
	expression, err := regexp.Compile(globExpression(pattern))
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	var found []entry
	seen := make(map[string]bool)
	for _, e := range slices.Backward(h.entries) {
		if !expression.MatchString(e.input) || unique && seen[e.input] {
			continue
		}
		seen[e.input] = true
		found = append(found, e)
	}
	slices.Reverse(found)
	return found, nil
}

// globExpression translates a glob of *, ?, [set] and [!set] into a regular
// expression that matches whole texts.
func globExpression(glob string) string {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for len(glob) > 0 {
		c := glob[0]
		switch {
		case c == '*':
			b.WriteString(".*")
		case c == '?':
			b.WriteByte('.')
		case c == '[' && strings.IndexByte(glob[1:], ']') > 0:
			end := 1 + strings.IndexByte(glob[1:], ']')
			set := glob[1:end]
			b.WriteByte('[')
			if rest, negated := strings.CutPrefix(set, "!"); negated {
				b.WriteByte('^')
				set = rest
			}
			b.WriteString(strings.NewReplacer(`\`, `\\`, `[`, `\[`, `^`, `\^`).Replace(set))
			b.WriteByte(']')
			glob = glob[end+1:]
			continue
		default:
			n := strings.IndexAny(glob[1:], "*?[") + 1
			if n == 0 {
				n = len(glob)
			}
			b.WriteString(regexp.QuoteMeta(glob[:n]))
			glob = glob[n:]
			continue
		}
		glob = glob[1:]
	}
	b.WriteString(`\z`)
	return b.String()
}

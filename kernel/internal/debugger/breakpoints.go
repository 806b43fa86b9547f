package debugger

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A breakpoint is a breakpoint of a source.
type breakpoint struct {
	ID        int
	Line      int    `json:"line"`
	Condition string `json:"condition"`
	Hits      string `json:"hitCondition"`
	Log       string `json:"logMessage"`
	hits      int
}

// bind finds the sites of the breakpoints of a source: for each the first statement in its line, or
// else in the next line that has one. d.mu is held.
func (d *Debugger) bind(path string) {
	for i := range d.sites {
		if p := d.sites[i]; p.Site != nil && p.path == path {
			delete(d.bound, i)
		}
	}
	for _, b := range d.breakpoints[path] {
		// The cell may have run several times, and functions of old runs may still exist.
		best := map[int]int{} // by the first site of the hooks
		for i, p := range d.sites {
			if p.Site == nil || p.Entry || p.Line < b.Line || p.path != path {
				continue
			}
			at, there := best[p.First]
			if !there || cmp.Or(cmp.Compare(p.Line, d.sites[at].Line), cmp.Compare(p.Column, d.sites[at].Column)) < 0 {
				best[p.First] = i
			}
		}
		for _, i := range best {
			d.bound[i] = append(d.bound[i], b)
			b.Line = d.sites[i].Line
		}
	}
}

// meets reports whether a program must stop at a breakpoint that it has reached.
func (d *Debugger) meets(b *breakpoint, c *call) bool {
	if b.Condition != "" {
		var v value
		var err error
		d.quietly(func() { v, err = d.evaluate(b.Condition, c) })
		if err != nil {
			d.config.Print(fmt.Sprintf("breakpoint in line %d: %v\n", b.Line, err))
			return true
		}
		if v = v.open(); v.rv.Kind() != reflect.Bool || !v.rv.Bool() {
			return false
		}
	}
	d.mu.Lock()
	b.hits++
	hits := b.hits
	d.mu.Unlock()
	if b.Hits != "" && !enough(b.Hits, hits) {
		return false
	}
	if b.Log == "" {
		return true
	}
	var text string
	d.quietly(func() { text = d.filled(b.Log, c) })
	d.config.Print(text + "\n")
	return false
}

// enough reports whether a number of hits meets a condition: a number, optionally after ==, >, >=,
// <, <= or %.
func enough(condition string, hits int) bool {
	condition = strings.TrimSpace(condition)
	number := strings.TrimLeft(condition, "=<>% ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return true
	}
	switch strings.TrimSpace(strings.TrimSuffix(condition, number)) {
	case ">":
		return hits > n
	case ">=":
		return hits >= n
	case "<":
		return hits < n
	case "<=":
		return hits <= n
	case "%":
		return n > 0 && hits%n == 0
	}
	return hits == n
}

// filled returns the text of a log point, with expressions in braces replaced by their values.
func (d *Debugger) filled(text string, c *call) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		out.WriteString(before)
		expression, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			if found {
				out.WriteString("{" + rest)
			}
			return out.String()
		}
		if v, err := d.evaluate(expression, c); err != nil {
			fmt.Fprintf(&out, "{%v}", err)
		} else if v = v.open(); v.rv.Kind() == reflect.String {
			out.WriteString(v.rv.String())
		} else {
			out.WriteString(v.text())
		}
		text = after
	}
}

// lines returns the lines of a source at which a program can stop. d.mu is held.
func (d *Debugger) lines(path string) []int {
	var lines []int
	for _, p := range d.sites {
		if p.Site != nil && !p.Entry && p.path == path {
			lines = append(lines, p.Line)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

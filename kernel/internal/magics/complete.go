package magics

import (
	"strings"
)

// Completeness tells, as IsComplete does, whether a cell with magics is whole as far as they are
// concerned, and what Go is left of it. A cell that is a script or the text of a file ends with an
// empty line.
func Completeness(source string) (status, rest string) {
	uses, _ := Find(source)
	if len(uses) == 0 {
		return "", source
	}
	last := source[strings.LastIndexByte(source, '\n')+1:]
	blank := strings.TrimSpace(last) == "" && strings.Contains(source, "\n")
	m := uses[0]
	if m.Whole && (m.Kind == nil || m.End == len(source)) {
		if blank {
			return "complete", ""
		}
		return "incomplete", ""
	}
	rest = Without(source)
	if strings.TrimSpace(rest) == "" {
		if m.Whole && !blank {
			return "incomplete", ""
		}
		return "complete", ""
	}
	return "", rest
}

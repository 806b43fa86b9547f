package magics

import (
	"strings"
)

// Completeness tells, like IsComplete, whether a cell is complete as far as its magics are
// concerned, and returns the Go code that is left. A cell that is a script or the text of a file
// ends with an empty line.
func Completeness(source string, known func(string) bool) (status, rest string) {
	uses, _ := Find(source, known)
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
	rest = Without(source, known)
	if strings.TrimSpace(rest) == "" {
		if m.Whole && !blank {
			return "incomplete", ""
		}
		return "complete", ""
	}
	return "", rest
}

// Without replaces everything that is not Go in a cell with blanks, so that offsets and lines stay
// the same. known is as for Find.
func Without(source string, known func(string) bool) string {
	uses, _ := Find(source, known)
	if len(uses) == 0 {
		return source
	}
	out := []byte(source)
	for _, m := range uses {
		from, to := m.Statement, m.StatementEnd
		if m.Kind == &QuestionKind {
			from, to = m.Argument, m.ArgumentEnd
		}
		if m.Command {
			from, to = m.Start, m.Start
		}
		for i := m.Start; i < m.End; i++ {
			if (i < from || i >= to) && out[i] != '\n' {
				out[i] = ' '
			}
		}
		if m.Lines && m.End-m.Start >= len(`""`) {
			copy(out[m.Start:], `""`) // a value for the statement
		}
	}
	return string(out)
}

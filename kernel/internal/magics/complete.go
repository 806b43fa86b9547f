package magics

import (
	"strings"
)

// Completeness tells, as IsComplete does, whether a cell with magics is whole as far as they are
// concerned, and what Go is left of it. A cell that is a script or the text of a file ends with an
// empty line.
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

// Without returns the cell with blanks in place of all that is not Go, so that every offset and
// line stays what it was. The known names are those that Find asks for.
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
			copy(out[m.Start:], `""`) // a value, that the statement has one
		}
	}
	return string(out)
}

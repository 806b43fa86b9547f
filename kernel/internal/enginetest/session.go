package enginetest

import (
	"go/format"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/interpreted/lower"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
	"github.com/hierml/notebook/stdlib"
)

// A Session has the stages of an engine that run nothing.
type Session struct {
	Checker *check.Checker
	lowerer *lower.Lowerer
}

// NewSession returns a new session, whose cells import what all cells may.
func NewSession() *Session {
	c := check.New(stdlib.Importer, stdlib.Preloaded, false)
	return &Session{Checker: c, lowerer: lower.New(c)}
}

// Check translates, parses and checks a cell.
func (s *Session) Check(cell program.Cell) (*check.Checked, error) {
	src, _, problems := magics.Translate(cell, s.Checker.Known)
	if len(problems) > 0 {
		return nil, syntax.ProblemsError("CompileError", problems)
	}
	return s.Checker.CheckSource(src)
}

// Lower returns the interpreter's code for a cell, and commits the cell as if it had run.
func (s *Session) Lower(cell program.Cell) (string, error) {
	checked, err := s.Check(cell)
	if err != nil {
		return "", err
	}
	l, p, problems := s.lowerer.Lower(checked)
	if len(problems) > 0 {
		return "", syntax.ProblemsError("Refused", problems)
	}
	l.Commit(len(l.K.Body))
	return strings.Join(p.Source, "\n"), nil
}

// LoweredExamples runs the examples of a package comment, see [DocExamples], whose cells are
// lowered.
func LoweredExamples(t *testing.T, file string) {
	t.Helper()
	DocExamples(t, file, func(cells []string) (string, error) {
		session := NewSession()
		var last []byte
		for i, cell := range cells {
			lowered, err := session.Lower(program.Cell{Number: i + 1, Source: cell})
			if err != nil {
				return "", err
			}
			if last, err = format.Source([]byte(lowered)); err != nil {
				return "", err
			}
		}
		return string(last), nil
	})
}

package check_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/interpreted/lower"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// TestDocExamples checks the examples of doc.go: which functions follow the last cell, and the
// notes.
func TestDocExamples(t *testing.T) {
	enginetest.DocExamples(t, "doc.go", func(cells []string) (string, error) {
		session := enginetest.NewSession()
		lowerer := lower.New(session.Checker)
		var last []string
		for i, source := range cells {
			checked, err := session.Check(program.Cell{Number: i + 1, Source: source})
			if err != nil {
				return "", err
			}
			last = nil
			for _, fn := range session.Checker.Session.All {
				if checked.Follows(fn) {
					last = append(last, fn.Name+" is declared again\n")
				}
			}
			if last == nil {
				last = []string{"nothing is declared again\n"}
			}
			ch, _, problems := lowerer.Lower(checked)
			if len(problems) > 0 {
				return "", syntax.ProblemsError("Refused", problems)
			}
			last = append(last, ch.Notes()...)
			ch.Commit(len(checked.Body))
		}
		return strings.Join(last, ""), nil
	})
}

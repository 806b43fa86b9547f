package emit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/compiled/emit"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// TestEmission compares the units that cells become with the files beside them.
func TestEmission(t *testing.T) {
	enginetest.Golden(t, "emission", ".cells", ".units", func(t *testing.T, text string) string {
		session := enginetest.NewSession()
		emitter := emit.New(session.Checker)
		var got strings.Builder
		for i, source := range enginetest.Cells(text) {
			cell := program.Cell{Number: i + 1, Source: source}
			checked, err := session.Check(cell)
			if err != nil {
				t.Fatal(err)
			}
			l, unit, compiled, problems := emitter.Compile(checked)
			if len(problems) > 0 {
				t.Fatal(syntax.ProblemsError("CompileError", problems))
			}
			l.Commit(len(checked.Body))
			l.Keep()
			if unit == nil {
				fmt.Fprintf(&got, "// %s runs %s again\n", cell.Title(), compiled.Paths[0])
				continue
			}
			got.WriteString(unit.Source)
		}
		return got.String()
	})
}

// TestDocExamples emits the examples of doc.go.
func TestDocExamples(t *testing.T) {
	enginetest.DocExamples(t, "doc.go", func(cells []string) (string, error) {
		session := enginetest.NewSession()
		emitter := emit.New(session.Checker)
		last := ""
		for i, source := range cells {
			checked, err := session.Check(program.Cell{Number: i + 1, Source: source})
			if err != nil {
				return "", err
			}
			l, unit, _, problems := emitter.Compile(checked)
			if len(problems) > 0 {
				return "", syntax.ProblemsError("CompileError", problems)
			}
			l.Commit(len(checked.Body))
			l.Keep()
			last = unit.Source
		}
		return last, nil
	})
}

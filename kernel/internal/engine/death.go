package engine

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/hierml/notebook/kernel/internal/program"
)

// buried makes the session that of a new worker: the variables are gone, and
// everything else is declared again when it is used.
func (e *Engine) buried(death *program.DeathError) *program.Error {
	// Each program that ran learns of the death, the last one perhaps when
	// others already have a new worker.
	if death.Process == 0 || death.Process > e.dead {
		e.dead = death.Process
		e.session.lose(death.Cause)
		e.forgetCompiled()
	}
	err := &program.Error{
		Name:    "WorkerDied",
		Message: "the worker process died: " + death.Cause + "; variables are lost, declarations are kept",
		Cause:   death,
	}
	err.Traceback = append(err.Traceback, red+err.Message+plain)
	err.Traceback = append(err.Traceback, frameLines(e.checker.files, death.Frames)...)
	return err
}

// lose makes the session that of a worker which knows nothing of it.
func (s *session) lose(cause string) {
	for _, d := range s.byObject {
		if _, ok := d.object.(*types.Var); ok && d.lowered != "" && d.lost == "" {
			s.loseVariable(d, "the variable was lost when the worker process died: "+cause)
		}
	}
	s.loseOutputs("the value was lost when the worker process died: " + cause)
	for _, fn := range s.all {
		fn.emitted, fn.valued = false, false
	}
	s.sent = map[string]bool{}
	s.emitted = map[string]bool{}
	s.localTypes = map[types.Object]string{}
	s.instances = map[string]string{}
	s.funcInstances = map[string]*function{}
	s.described = map[int]int{}
}

// loseVariable says of a variable that it is gone, and why.
func (s *session) loseVariable(d *declaration, why string) {
	d.lost = why
	s.loses = true
	if s.live[d.name] == d {
		s.gone[d.name] = d
		delete(s.live, d.name)
	}
}

// loseOutputs says of what the cells showed that it is gone, and why.
func (s *session) loseOutputs(why string) {
	for _, out := range s.outputs {
		if out.lost == "" {
			out.lost = why
		}
	}
}

// runtimeError words a panic.
func runtimeError(c *files, r *program.RuntimeError) *program.Error {
	msg := r.Message
	if r.Name != "exit" && r.Name != "interrupted" {
		msg = r.Name + ": " + msg
	}
	err := &program.Error{Name: r.Name, Message: r.Message, Cause: r}
	for _, line := range strings.Split(msg, "\n") {
		err.Traceback = append(err.Traceback, bold+red+line+plain)
	}
	err.Traceback = append(err.Traceback, frameLines(c, r.Frames)...)
	return err
}

// frameLines shows the active calls of a panic, the innermost first.
func frameLines(c *files, frames []program.Frame) []string {
	var out []string
	for i, f := range frames {
		src := c.cellSource(f.Cell)
		text := c.cellTitle(f.Cell)
		line, column := c.failed(f)
		if line > 0 {
			text += fmt.Sprintf(":%d", line)
			if column > 0 {
				text += fmt.Sprintf(":%d", column)
			}
		}
		if f.Function != "" {
			text += " in " + f.Function
		}
		out = append(out, bold+text+plain)
		if src != nil && (i == 0 || f.Function == "") {
			out = append(out, src.excerpt(line, column)...)
		}
		if f.More > 0 {
			out = append(out, fmt.Sprintf("… %d more", f.More))
		}
	}
	return out
}

// cellTitle returns what errors call a cell.
func (c *files) cellTitle(number int) string {
	if src := c.cellSource(number); src != nil {
		return src.cell.Title()
	}
	return program.Cell{Number: number}.Title()
}

func (c *files) cellSource(cell int) *source {
	for _, src := range c.sources {
		if src.cell.Number == cell {
			return src
		}
	}
	return nil
}

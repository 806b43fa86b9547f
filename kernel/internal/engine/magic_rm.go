package engine

import (
	"strings"

	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// remove forgets the declarations that %rm names. It forgets none if one of them does not exist.
// Code that uses them keeps them.
func (e *Engine) remove(src *syntax.Source, m *magics.Use, argument string) error {
	e.declaring.Lock()
	defer e.declaring.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.checker.Session
	names := strings.Fields(argument)
	at := m.Argument
	for _, name := range names {
		at += strings.Index(src.Cell.Source[at:], name)
		if d := s.Live[name]; (d == nil || d.Cell <= 0) && s.Gone[name] == nil {
			return syntax.ProblemsError("CompileError", []syntax.Problem{{Source: src, Offset: at, Msg: "no cell has declared " + name}})
		}
		at += len(name)
	}
	for _, name := range names {
		s.Forget(name)
	}
	return nil
}

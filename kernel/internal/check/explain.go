package check

import (
	"fmt"
	"strings"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// Explain adds to complaints about undefined names what happened to these names.
func (c *Checker) Explain(problems []syntax.Problem) []syntax.Problem {
	s := c.Session
	for i, p := range problems {
		if name, ok := mistaken(p.Msg); ok {
			problems[i].Msg += c.DeclaredAgain(name)
		}
		if name, ok := strings.CutPrefix(p.Msg, "undefined: "); ok && s.Missed[name].Cell != 0 && s.Live[name] == nil {
			problems[i].Msg += " (" + s.Missed[name].Why() + ")"
		}
		if name, ok := strings.CutPrefix(p.Msg, "undefined: "); ok && s.Live[name] == nil {
			if d := s.DeferredOf(name); d != nil {
				problems[i].Msg = fmt.Sprintf("undefined: %s (%s)", name, d.Why())
			}
		}
		if name, ok := strings.CutPrefix(p.Msg, "undefined: "); ok && s.Gone[name] != nil {
			problems[i].Msg = fmt.Sprintf("undefined: %s (%s)", name, s.Gone[name].Lost)
		}
		if problems[i].Msg != p.Msg {
			problems[i].Hint = ""
		}
	}
	return problems
}

// DeclaredAgain says in parentheses which cell declared a type again; empty if the session has no
// such type.
func (c *Checker) DeclaredAgain(name string) string {
	d := c.Session.Live[name]
	if d == nil || d.Spec == nil {
		return ""
	}
	return fmt.Sprintf(" (%s was declared again in %s; values made before have the older type)", name, c.CellTitle(d.Cell))
}

// mistaken returns the name of a type that a complaint confuses with another of the same name.
func mistaken(msg string) (name string, ok bool) {
	before, after, ok := strings.Cut(msg, ") as ")
	if !ok {
		return "", false
	}
	want, _, _ := strings.Cut(after, " ")
	got := before[strings.LastIndexByte(before, ' ')+1:]
	return strings.TrimLeft(want, "*[]"), got == want
}

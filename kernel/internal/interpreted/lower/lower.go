package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/change"
	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/conversion"
	"github.com/hierml/notebook/kernel/internal/interpreted/refusal"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
	"github.com/hierml/notebook/kernel/internal/interpreted/traceback"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A lowering turns one checked cell into a program.
type lowering struct {
	conversion.Conversions

	// entry identifies the cell's frame.
	entry string
	// measured says that the end of the measurement of the cell's last statement is written.
	measured bool
	// recoverers are the numbers of function literals, see deferee.
	recoverers map[*ast.FuncLit]int
	// deferredLiterals are those that stand in a defer statement as what is called.
	deferredLiterals map[*ast.FuncLit]bool
	// natural holds the variables that are never negative.
	natural map[types.Object]bool
}

// A Lowerer lowers the cells of one session.
type Lowerer struct {
	checker  *check.Checker
	Preludes *shape.Preludes
	sent     *shape.Sent
}

// New returns a lowerer for the session of a checker.
func New(c *check.Checker) *Lowerer { return &Lowerer{c, shape.NewPreludes(c), shape.NewSent()} }

// Anew returns a lowerer for the next session of the same interpreter.
func (x *Lowerer) Anew(c *check.Checker) *Lowerer {
	return &Lowerer{c, shape.NewPreludes(c), x.sent.Anew()}
}

// Forget notes that another interpreter takes the place of the one that was sent what is lowered.
func (x *Lowerer) Forget() { x.sent = shape.NewSent() }

// Lower turns a checked cell into a program. The session's tables already know the new declarations
// when it returns, but their names are not live: commit makes them so, rollback forgets them.
func (x *Lowerer) Lower(k *check.Checked) (ch *change.Change, prog *program.Program, problems []syntax.Problem) {
	ch = change.New(x.checker, k)
	l := &lowering{Conversions: conversion.Conversions{Shapes: shape.NewShapes(ch, x.Preludes, x.sent)}, natural: map[types.Object]bool{}, recoverers: map[*ast.FuncLit]int{}, deferredLiterals: map[*ast.FuncLit]bool{}}
	defer l.RecoverRefusal(func(p syntax.Problem) { prog, problems = nil, []syntax.Problem{p} })
	if !l.Sent.Imports[shape.BridgePath] {
		l.Sent.Imports[shape.BridgePath] = true
		l.Later(func() { delete(l.Sent.Imports, shape.BridgePath) })
		l.Imports = append(l.Imports, fmt.Sprintf("import %s %q", shape.Bridge, shape.BridgePath))
	}
	refusal.Cell(ch)
	l.Declare()
	l.OnCommit(func() { l.Sent.Obsolete = append(l.Sent.Obsolete, l.Obsolete...) })
	for _, v := range l.Variables {
		if v.Fresh {
			l.Pos = v.Local.Pos()
			l.Vars = append(l.Vars, shape.Variable{Name: v.Declaration.Lowered, Typ: l.Typ(v.Global.Type())})
		}
	}
	for _, spec := range k.Types {
		l.emitType(spec)
	}
	l.RelowerMentioning()
	l.Extend()
	body := l.cellBody()
	for len(l.Queue) > 0 {
		f := l.Queue[0]
		l.Queue = l.Queue[1:]
		l.function(f)
	}
	return ch, l.program(body), nil
}

// program assembles what was lowered.
func (l *lowering) program(body string) *program.Program {
	p := &program.Program{Cell: l.K.Source.Cell.Number, Title: l.K.Source.Cell.Title(), Temporary: l.Temporary, Keep: l.Shown != nil && !l.K.Source.Cell.Aside}
	if obsolete := l.Sent.Obsolete; len(obsolete) > 0 {
		p.Temporary = append(p.Temporary, obsolete...)
		l.Sent.Obsolete = nil
		l.Later(func() { l.Sent.Obsolete = append(obsolete, l.Sent.Obsolete...) })
	}
	if len(l.Imports) > 0 {
		p.Source = append(p.Source, strings.Join(l.Imports, "\n")+"\n")
	}
	var decls []string
	if p.Recursive = l.Recursive(); len(p.Recursive) > 0 {
		unit := slices.Clone(l.Types)
		for _, name := range p.Recursive {
			made := l.temp()
			unit = append(unit, fmt.Sprintf("var %s %s", made, name))
			p.Temporary = append(p.Temporary, made)
		}
		p.Source = append(p.Source, strings.Join(unit, "\n")+"\n")
	} else {
		decls = append(decls, l.Types...)
	}
	for _, v := range l.Vars {
		decls = append(decls, fmt.Sprintf("var %s %s", v.Name, v.Typ))
		p.Variables = append(p.Variables, v.Name)
	}
	decls = append(decls, l.Funcs...)
	if len(l.Setup) > 0 || body != "" {
		p.Call = fmt.Sprintf("cell__%d", l.S.Unique())
		text := strings.Join(l.Setup, "\n")
		if text != "" {
			text += "\n"
		}
		decls = append(decls, "func "+p.Call+"() {\n"+l.entry+text+body+"}")
	}
	if len(decls) > 0 {
		p.Source = append(p.Source, strings.Join(decls, "\n")+"\n")
	}
	return p
}

// emitType declares a type of the cell. Generic ones are declared when they are instantiated,
// aliases and interfaces never.
func (l *lowering) emitType(spec *ast.TypeSpec) {
	obj, ok := l.K.Info.Defs[spec.Name].(*types.TypeName)
	if !ok || obj.IsAlias() || spec.TypeParams != nil || spec.Name.Name == "_" {
		return
	}
	l.Pos = spec.Pos()
	l.EnsureType(l.S.ByObject[obj].Lowered, obj.Type())
}

func (l *lowering) notes(info *types.Info, function string, cell int) traceback.Notes {
	return traceback.New(l.Shapes, typed.Tree{Info: info, Natural: l.natural}, function, cell)
}

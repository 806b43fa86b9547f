package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// loopBody writes the body of a loop. prologue comes first in every iteration.
func (b *body) loopBody(s *ast.BlockStmt, label, prologue string) string {
	return b.withTarget(&target{label: label, loop: true}, func() string {
		b.Forget()
		b.loops++
		text := b.stmts(s.List)
		if b.declaresAgain(s.List, prologue) {
			text = "{\n" + text + "}\n"
		}
		text = "{\n" + prologue + text + "}"
		b.loops--
		b.Forget()
		return text
	})
}

// declaresAgain reports whether statements declare a variable that the prologue before them
// declares.
func (b *body) declaresAgain(list []ast.Stmt, prologue string) bool {
	return slices.ContainsFunc(list, func(s ast.Stmt) bool {
		var names []ast.Expr
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				names = s.Lhs
			}
		case *ast.DeclStmt:
			for _, spec := range s.Decl.(*ast.GenDecl).Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, id := range v.Names {
						names = append(names, id)
					}
				}
			}
		}
		return slices.ContainsFunc(names, func(e ast.Expr) bool {
			obj := b.Info.Defs[e.(*ast.Ident)]
			return obj != nil && strings.Contains("\n"+prologue, "\n"+b.local(obj)+" := ")
		})
	})
}

func labelled(label, text string) string {
	if label == "" {
		return text
	}
	return labelName(label) + ":\n" + text
}

// labelName is a label in lowered code: the interpreter takes one for the variable of the same
// name.
func labelName(name string) string { return name + "__label" }

// forStmt writes a for loop with a condition. A variable of it that outlives its iteration, in a
// function literal or by its address, is a new one in each, as Go has it.
func (b *body) forStmt(s *ast.ForStmt, label string) string {
	note, end := b.Hoist(s)
	defer end()
	if vars := b.kept(s); len(vars) > 0 || looksUp(s.Post) || b.becomesSeveral(s.Post) {
		return note + b.Mark(s.Init) + b.keepingLoop(s, label, vars)
	}
	var out strings.Builder
	out.WriteString(note)
	out.WriteString(b.Mark(s.Init, s.Cond))
	head, tail := "for ", "\n"
	if s.Init != nil {
		// The interpreter comes back to what begins a loop of which nothing else stands before the
		// body.
		text, before := "", s.Post == nil
		if assign, ok := s.Init.(*ast.AssignStmt); ok {
			var several bool
			text, several = b.inlined(assign)
			before = before || several || slices.ContainsFunc(assign.Rhs, b.computedAgain)
		} else {
			text = b.simple(s.Init)
		}
		if before {
			out.WriteString("{\n" + text + "\n")
			tail = "\n}\n"
		} else {
			head += text
		}
	}
	prologue := ""
	head += "; "
	if s.Cond != nil {
		b.Forget()
		if again := b.Mark(s.Cond); again != "" && s.Body != nil {
			// The body notes other lines: note this one each time.
			prologue = again + "if !(" + b.expr(s.Cond) + ") {\nbreak\n}\n"
		} else {
			head += b.condition(s.Cond)
		}
	}
	head += "; "
	if s.Post != nil {
		head += b.simple(s.Post)
	}
	if s.Post == nil {
		head = "for " + strings.Trim(strings.TrimPrefix(head, "for "), "; ")
	}
	out.WriteString(labelled(label, head+" "+b.loopBody(s.Body, label, prologue)))
	return out.String() + tail
}

// computedAgain reports values that the interpreter would compute before each iteration of the loop
// at whose beginning they stand.
func (b *body) computedAgain(e ast.Expr) bool {
	again := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			again = again || b.Info.Types[n].Value == nil
		case *ast.StarExpr, *ast.FuncLit:
			again = true
		}
		return !again
	})
	return again
}

// looksUp reports an assignment of a value and whether there is one.
func looksUp(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	return ok && len(a.Lhs) == 2 && len(a.Rhs) == 1 && leavesValue(a.Rhs[0])
}

// keepingLoop writes a for loop whose variables are new in each iteration, or which ends an
// iteration with several statements.
func (b *body) keepingLoop(s *ast.ForStmt, label string, vars []*types.Var) string {
	n := b.l.S.Unique()
	var out, prologue strings.Builder
	out.WriteString("{\n")
	if s.Init != nil {
		out.WriteString(b.ahead(s.Init))
	}
	first := fmt.Sprintf("first__%d", n)
	fmt.Fprintf(&out, "%s := true\n", first)
	for i, v := range vars {
		name := b.local(v)
		last := fmt.Sprintf("last__%d_%d", n, i)
		fmt.Fprintf(&out, "%s := &%s\n", last, name)
		fmt.Fprintf(&prologue, "%s := *%s\n%s = &%s\n", name, last, last, name)
	}
	post := ""
	if s.Post != nil {
		post = b.Mark(s.Post) + b.ahead(s.Post)
	}
	fmt.Fprintf(&prologue, "if %s {\n%s = false\n} else {\n%s}\n", first, first, post)
	if s.Cond != nil {
		b.Forget()
		prologue.WriteString(b.Mark(s.Cond) + "if !(" + b.expr(s.Cond) + ") {\nbreak\n}\n")
	}
	out.WriteString(labelled(label, "for "+b.loopBody(s.Body, label, prologue.String())))
	return out.String() + "\n}\n"
}

// kept returns the variables of a for loop that outlive an iteration.
func (b *body) kept(s *ast.ForStmt) []*types.Var {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		return nil
	}
	var vars []*types.Var
	outlives := false
	for _, e := range init.Lhs {
		if id, ok := e.(*ast.Ident); ok {
			if v, ok := b.Info.Defs[id].(*types.Var); ok && id.Name != "_" {
				vars = append(vars, v)
				outlives = outlives || b.Outlives(v, s)
			}
		}
	}
	if !outlives {
		return nil
	}
	return vars
}

// rangeStmt writes a range loop.
func (b *body) rangeStmt(s *ast.RangeStmt, label string) string {
	t := b.TypeOf(s.X)
	if sig, ok := t.(*types.Signature); ok {
		return b.rangeOverFunc(s, label, sig)
	}
	note, end := b.Hoist(s)
	defer end()
	note += b.Mark(s.X)
	if basic, ok := t.(*types.Basic); ok && basic.Info()&types.IsInteger != 0 {
		return note + b.rangeOverInt(s, label)
	}
	x := b.expr(s.X)
	var key, value types.Type
	switch u := t.(type) {
	case *types.Pointer:
		x = "(*" + b.operand(s.X) + ")[:]" // the elements as they are by then
		array := u.Elem().Underlying().(*types.Array)
		key, value = types.Typ[types.Int], array.Elem()
		if s.Value == nil || isBlank(s.Value) {
			// Only the length matters, also of a nil pointer.
			x = fmt.Sprintf("make([]struct{}, %d)", array.Len())
			if b.runs(s.X) {
				note += b.l.temp() + " := " + b.expr(s.X) + "\n"
			}
		}
	case *types.Array:
		key, value = types.Typ[types.Int], u.Elem()
		if s.Value == nil && !b.runs(s.X) && len(b.Operations(nil, s.X)) > 0 {
			// Only the length matters, also of what a nil pointer points to.
			x = fmt.Sprintf("make([]struct{}, %d)", u.Len())
		}
	case *types.Slice:
		key, value = types.Typ[types.Int], u.Elem()
	case *types.Basic:
		return note + b.rangeOverString(s, label, "string("+x+")")
	case *types.Map:
		key, value = u.Key(), u.Elem()
	case *types.Chan:
		key = u.Elem()
	default:
		b.l.Refuse(s.X.Pos(), fmt.Sprintf("range over %s", b.Info.TypeOf(s.X)))
	}
	if value != nil && s.Value != nil {
		if _, channels := value.Underlying().(*types.Chan); channels {
			return note + b.rangeByIndex(s, label, x, t, key, value)
		}
	}
	k, v, prologue := b.rangeVariables(s, key, value)
	head := "for "
	switch {
	case v != "_":
		head += k + ", " + v + " := range "
	case k != "_":
		head += k + " := range "
	default:
		head += fmt.Sprintf("i__%d := range ", b.l.S.Unique())
	}
	if strings.Contains(x, "{") {
		x = "(" + x + ")"
	}
	if _, ok := t.(*types.Chan); ok {
		// The interpreter would look at the variable again for each value.
		channel := fmt.Sprintf("x__%d", b.l.S.Unique())
		return note + fmt.Sprintf("{\n%s := %s\n%s\n}\n", channel, x, labelled(label, head+channel+" "+b.loopBody(s.Body, label, prologue)))
	}
	return note + labelled(label, head+x+" "+b.loopBody(s.Body, label, prologue)) + "\n"
}

// rangeByIndex writes a range over a list or map of channels, which the interpreter takes for one
// over a channel.
func (b *body) rangeByIndex(s *ast.RangeStmt, label, x string, t, key, value types.Type) string {
	if _, ok := t.(*types.Map); ok {
		b.l.Refuse(s.X.Pos(), "range over the values of a map of channels: the interpreter confuses it with a range over a channel")
	}
	n := b.l.S.Unique()
	k, v, prologue := b.rangeVariables(s, key, value)
	if k == "_" {
		k = fmt.Sprintf("i__%d", n)
	}
	if v != "_" {
		prologue = fmt.Sprintf("%s := x__%d[%s]\n", v, n, k) + prologue
	}
	head := fmt.Sprintf("for %s := 0; %s < len(x__%d); %s++ ", k, k, n, k)
	return fmt.Sprintf("{\nx__%d := %s\n%s\n}\n", n, x, labelled(label, head+b.loopBody(s.Body, label, prologue)))
}

// rangeVariables returns the names of a range loop's variables, "_" where there is none, and the
// prologue that makes them those that the body sees. If they are places that exist already, the
// operands of both are evaluated before either is set.
func (b *body) rangeVariables(s *ast.RangeStmt, key, value types.Type) (k, v, prologue string) {
	var operands, sets strings.Builder
	variable := func(e ast.Expr, t types.Type) string {
		if e == nil {
			return "_"
		}
		temp := fmt.Sprintf("e__%d", b.l.S.Unique())
		if isBlank(e) {
			return "_"
		}
		if s.Tok == token.DEFINE {
			v := b.Info.Defs[e.(*ast.Ident)].(*types.Var)
			name := b.local(v)
			if b.Outlives(v, s.Body) || b.Assigned(v, s.Body) {
				sets.WriteString(name + " := " + temp + "\n")
				return temp
			}
			return name
		}
		b.setPlace(&operands, &sets, e, temp, t)
		return temp
	}
	k = variable(s.Key, key)
	v = variable(s.Value, value)
	return k, v, operands.String() + sets.String()
}

// setPlace writes the evaluation of a place's operands, and then that it is set to what the
// variable name of type t holds.
func (b *body) setPlace(operands, sets *strings.Builder, e ast.Expr, name string, t types.Type) {
	to := b.evaluated(e, func(text string) string {
		temp := b.l.temp()
		fmt.Fprintf(operands, "%s := %s\n", temp, text)
		return temp
	})
	sets.WriteString(to.text + " = " + b.l.Convert(name, t, to.t, e.Pos()) + "\n")
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

func (b *body) rangeOverInt(s *ast.RangeStmt, label string) string {
	t := types.Default(b.Info.TypeOf(s.X))
	if s.Key != nil && !isBlank(s.Key) {
		if key := b.Info.TypeOf(s.Key); key != nil {
			t = key
		}
	}
	typ := b.l.Typ(t)
	n := b.l.S.Unique()
	name, _, prologue := b.rangeVariables(s, t, nil)
	if name == "_" {
		name = fmt.Sprintf("i__%d", n)
	}
	limit := fmt.Sprintf("n__%d", n)
	pre := fmt.Sprintf("%s := %s(%s)\n", limit, typ, b.expr(s.X))
	if tv := b.Info.Types[s.X]; tv.Value != nil {
		limit, pre = b.like(s.X), ""
	}
	head := fmt.Sprintf("for %s := %s(0); %s < %s; %s++ ", name, typ, name, limit, name)
	text := labelled(label, head+b.loopBody(s.Body, label, prologue))
	if pre == "" {
		return text + "\n"
	}
	return "{\n" + pre + text + "\n}\n"
}

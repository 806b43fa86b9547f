package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/interpreted/shape"
	"github.com/hierml/notebook/kernel/internal/state"
)

// funcBody writes the body of a function or literal with its braces.
func (b *body) funcBody(block *ast.BlockStmt) string {
	list, hook := b.entry(block)
	text := ""
	if typed.Defers(list) {
		text = b.protected(func() string { return b.stmts(list) })
	} else {
		text = b.stmts(list)
	}
	return b.Wrap(b.entered(block)+b.zeroResults()+hook+text, block.Lbrace)
}

// zeroResults clears the named results: the interpreter leaves in them what the call before, from
// the same place, returned.
func (b *body) zeroResults() string {
	var out strings.Builder
	for i, name := range b.resultNames {
		n := b.l.S.Unique()
		fmt.Fprintf(&out, "var zero__%d %s\n%s = zero__%d\n", n, b.l.Typ(b.results.At(i).Type()), name, n)
	}
	return out.String()
}

// block writes a block with its braces.
func (b *body) block(block *ast.BlockStmt) string {
	b.Forget()
	text := "{\n" + b.stmts(block.List) + "}"
	b.Forget()
	return text
}

func (b *body) stmts(list []ast.Stmt) string {
	var out strings.Builder
	for _, s := range list {
		out.WriteString(b.stmt(s, ""))
	}
	return out.String()
}

// stmt writes a statement and a line end after it.
func (b *body) stmt(s ast.Stmt, label string) string {
	b.l.C.StopIfCancelled()
	b.l.Pos = s.Pos()
	text := b.statement(s, label)
	if b.CallsBack(s) {
		b.Forget()
	}
	return text
}

func (b *body) statement(s ast.Stmt, label string) string {
	switch s := s.(type) {
	case *ast.EmptyStmt:
		return ""
	case *ast.DeclStmt:
		return b.declStmt(s)
	case *ast.AssignStmt:
		return b.Mark(s) + b.assign(s) + "\n"
	case *ast.IncDecStmt:
		return b.Mark(s) + b.step(s) + "\n"
	case *ast.ExprStmt:
		if text, ok := b.received(s.X); ok {
			return b.Mark(s) + text + "\n"
		}
		if b.function == nil && b.enclosing == nil {
			if text, ok := b.checkedCall(s); ok {
				return text
			}
		}
		return b.Mark(s) + b.expr(s.X) + "\n"
	case *ast.SendStmt:
		c := b.TypeOf(s.Chan).(*types.Chan)
		return b.Mark(s) + b.expr(s.Chan) + " <- " + b.to(s.Value, c.Elem()) + "\n"
	case *ast.BlockStmt:
		return b.block(s) + "\n"
	case *ast.IfStmt:
		if b.Hook(s) {
			return b.hook(s)
		}
		return b.ifStmt(s)
	case *ast.ForStmt:
		return b.forStmt(s, label)
	case *ast.RangeStmt:
		return b.rangeStmt(s, label)
	case *ast.SwitchStmt:
		return b.switchStmt(s, label)
	case *ast.TypeSwitchStmt:
		return b.typeSwitch(s, label)
	case *ast.SelectStmt:
		return b.selectStmt(s, label)
	case *ast.LabeledStmt:
		b.Forget()
		if canBreak(s.Stmt) {
			text := b.stmt(s.Stmt, s.Label.Name)
			if b.jumped(s.Label.Name) {
				return labelName(b.destination(s.Label.Name)) + ":\n{\n}\n" + text
			}
			return text
		}
		return labelName(s.Label.Name) + ":\n" + b.stmt(s.Stmt, "")
	case *ast.BranchStmt:
		return b.branch(s.Tok, s.Label, s.Pos()) + "\n"
	case *ast.ReturnStmt:
		return b.Mark(s) + b.returnStmt(s) + "\n"
	case *ast.GoStmt:
		return b.Mark(s.Call) + b.goStmt(s) + "\n"
	case *ast.DeferStmt:
		return b.Mark(s.Call) + b.deferStmt(s) + "\n"
	}
	b.l.Refuse(s.Pos(), fmt.Sprintf("the interpreter has no statement like this (%T)", s))
	return ""
}

// declStmt writes a var declaration. Constants are folded where they are used, and types are
// declared where they are first mentioned.
func (b *body) declStmt(s *ast.DeclStmt) string {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return ""
	}
	var out strings.Builder
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		out.WriteString(b.Mark(spec))
		lhs := make([]place, len(spec.Names))
		early := b.evaluatedEarly(spec)
		var values []string
		if early {
			values = b.evaluateEarly(spec, &out)
		}
		for i, id := range spec.Names {
			lhs[i] = b.declared(id)
			if lhs[i].text == "_" {
				continue
			}
			if !lhs[i].top {
				fmt.Fprintf(&out, "var %s %s\n", lhs[i].text, b.l.Typ(lhs[i].t))
			} else if len(spec.Values) == 0 {
				out.WriteString(b.zero(lhs[i]))
			}
		}
		if b.l.K.Remembered[spec] {
			lhs[len(lhs)-1].stop = true
		}
		for i, value := range values {
			if lhs[i].t != nil {
				fmt.Fprintf(&out, "%s = %s\n", lhs[i].text, value)
			}
		}
		if !early && len(spec.Values) > 0 {
			out.WriteString(b.store(lhs, spec.Values, "=") + "\n")
		}
	}
	return out.String()
}

// zero sets a variable to its zero value.
func (b *body) zero(v place) string {
	switch v.t.Underlying().(type) {
	case *types.Array, *types.Basic:
		return fmt.Sprintf("%s = %s\n", v.text, b.l.Zero(v.t))
	case *types.Struct:
		// The interpreter would put another variable in the place of one to which T{} is assigned.
		zero := b.l.temp()
		return fmt.Sprintf("var %s %s\n%s = %s\n", zero, b.l.Typ(v.t), v.text, zero)
	}
	return v.text + " = nil\n"
}

// A place is what a value is stored in.
type place struct {
	text  string
	t     types.Type // nil for the blank identifier
	top   bool       // a variable of the session
	new   bool       // declared by this statement
	stop  bool       // an error for which the cell stops
	given bool       // compiled code calls what is in it
}

// ofCompiled reports whether an expression is the field of a compiled type that holds a function.
func (b *body) ofCompiled(e ast.Expr) bool {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if _, ok := b.TypeOf(sel).(*types.Signature); !ok {
		return false
	}
	s := b.Info.Selections[sel]
	return s != nil && s.Kind() == types.FieldVal && !state.IsSession(s.Obj())
}

// declared returns the place that an identifier in a declaration stands for.
func (b *body) declared(id *ast.Ident) place {
	if id.Name == "_" {
		return place{text: "_"}
	}
	obj := b.Info.Defs[id]
	isNew := obj != nil
	if obj == nil {
		obj = b.Info.Uses[id]
	}
	if d := b.l.S.ByObject[obj]; d != nil {
		return place{text: d.Lowered, t: obj.Type(), top: true}
	}
	return place{text: b.local(obj), t: obj.Type(), new: isNew}
}

// step writes x++ and x--.
func (b *body) step(s *ast.IncDecStmt) string {
	if t, ok := b.TypeOf(s.X).(*types.Basic); ok && t.Kind() == types.Uintptr {
		// The interpreter would stop there.
		return b.expr(s.X) + " " + s.Tok.String()[:1] + "= 1"
	}
	return b.expr(s.X) + s.Tok.String()
}

func (b *body) assign(s *ast.AssignStmt) string {
	if before, end := b.callsFirst(s); before != "" {
		defer end()
		return before + b.assignNow(s)
	}
	return b.assignNow(s)
}

func (b *body) assignNow(s *ast.AssignStmt) string {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		lhs := b.placed(s.Lhs[0])
		if s.Tok == token.SHL_ASSIGN || s.Tok == token.SHR_ASSIGN {
			return lhs + " " + s.Tok.String() + " " + b.shiftCount(s.Rhs[0])
		}
		return lhs + " " + s.Tok.String() + " " + b.like(s.Rhs[0])
	}
	if len(s.Lhs) == 1 && b.isEntry(s.Lhs[0]) {
		defer b.failing(s.Rhs[0])()
	}
	if !b.l.K.Remembered[s] && b.careful(s) {
		return b.assignCarefully(s)
	}
	lhs := make([]place, len(s.Lhs))
	define := false
	for i, e := range s.Lhs {
		id, ok := e.(*ast.Ident)
		switch {
		case ok && s.Tok == token.DEFINE:
			lhs[i] = b.declared(id)
			define = define || lhs[i].new
		case ok && id.Name == "_":
			lhs[i] = place{text: "_"}
		default:
			lhs[i] = place{text: b.placed(e), t: b.Info.TypeOf(e), given: b.ofCompiled(e)}
		}
	}
	if b.l.K.Remembered[s] {
		lhs[len(lhs)-1].stop = true
	}
	if !define {
		return b.store(lhs, s.Rhs, "=")
	}
	before := ""
	for _, p := range lhs {
		if !p.new && p.text != "_" {
			// Some are declared and some assigned: the interpreter would make new ones of all.
			for _, q := range lhs {
				if q.new {
					before += fmt.Sprintf("var %s %s\n", q.text, b.l.Typ(q.t))
				}
			}
			return before + b.store(lhs, s.Rhs, "=")
		}
	}
	return b.store(lhs, s.Rhs, ":=")
}

// store writes the assignment of values to places.
func (b *body) store(lhs []place, rhs []ast.Expr, op string) string {
	left := make([]string, len(lhs))
	for i, p := range lhs {
		left[i] = p.text
	}
	if len(rhs) == 1 && len(lhs) > 1 {
		return b.storeTuple(lhs, left, rhs[0], op)
	}
	right := make([]string, len(rhs))
	before := ""
	literals := op == ":=" && len(rhs) > 1 && slices.ContainsFunc(rhs, b.replaces)
	for i, e := range rhs {
		if literals && !b.plain(e) {
			t := lhs[i].t
			if t == nil {
				t = types.Default(b.Info.TypeOf(e))
			}
			// Of several values, one of which takes its variable's place, the interpreter does not
			// assign the others.
			if b.inline {
				right[i] = fmt.Sprintf("func() %s { v := %s; return v }()", b.l.Parenthesized(t), b.initial(e, t))
				continue
			}
			right[i] = b.l.temp()
			before += right[i] + " := " + b.initial(e, t) + "\n"
			continue
		}
		if op == "=" && lhs[i].t != nil && (b.replaces(e) || len(rhs) > 1 && !b.plain(e)) {
			// Assigned directly, a literal would take the variable's place instead of getting into
			// it, and of several values, those with calls are not all assigned.
			right[i] = b.l.temp()
			if b.Info.Types[e].IsNil() {
				before += fmt.Sprintf("var %s %s\n", right[i], b.l.Typ(lhs[i].t))
				continue
			}
			if lhs[i].given {
				before += right[i] + " := " + b.interruptible(e, lhs[i].t) + "\n"
				continue
			}
			before += right[i] + " := " + b.initial(e, lhs[i].t) + "\n"
			continue
		}
		switch {
		case lhs[i].t == nil && op == "=" && len(rhs) > 1 && !b.plain(e):
			// It is evaluated in its turn.
			right[i] = b.l.temp()
			before += right[i] + " := " + b.initial(e, types.Default(b.Info.TypeOf(e))) + "\n"
		case lhs[i].t == nil:
			right[i] = b.blanked(e)
		case op == ":=":
			right[i] = b.initial(e, lhs[i].t)
		case lhs[i].given:
			right[i] = b.interruptible(e, lhs[i].t)
		default:
			right[i] = b.to(e, lhs[i].t)
		}
	}
	return before + b.together(lhs, left, right, op)
}

// together writes the assignment of several values. The interpreter cannot make one of which some
// are in interfaces, and evaluates map keys too late, so these are made one after the other: first
// those that go by other variables, then to variables.
func (b *body) together(lhs []place, left, right []string, op string) string {
	apart := false
	for i, p := range lhs {
		apart = apart || p.t != nil && types.IsInterface(p.t)
		if apart || !strings.HasSuffix(left[i], "]") {
			continue
		}
		for _, other := range left {
			apart = apart || token.IsIdentifier(other) && other != left[i] && strings.Contains(left[i], other)
		}
	}
	if op != "=" || len(left) < 2 || !apart {
		return strings.Join(left, ", ") + " " + op + " " + strings.Join(right, ", ")
	}
	values, parts, variables := "", "", ""
	for i, target := range left {
		temp := b.l.temp()
		switch t := lhs[i].t; {
		case strings.HasPrefix(right[i], "t__") && token.IsIdentifier(right[i]):
			temp = right[i]
		case target == "_":
			values += "_ = " + right[i] + "\n"
			continue
		case t != nil && types.IsInterface(t):
			values += fmt.Sprintf("var %s %s = %s\n", temp, b.l.Typ(t), right[i])
		default:
			values += fmt.Sprintf("var %s %s\n%s = %s\n", temp, b.l.Typ(t), temp, right[i])
		}
		if token.IsIdentifier(target) {
			variables += target + " = " + temp + "\n"
			continue
		}
		for j, other := range left {
			if i != j && (strings.HasPrefix(target, other+"[") || strings.HasPrefix(target, other+".")) && !token.IsIdentifier(other) {
				b.l.Refuse(b.l.Pos, "the interpreter cannot run an assignment to a value and to a part of it in one statement, through an interface or a map")
			}
		}
		parts += target + " = " + temp + "\n"
	}
	return values + strings.TrimSuffix(parts+variables, "\n")
}

func (b *body) allPlain(list []ast.Expr) bool {
	for _, e := range list {
		if !b.plain(e) {
			return false
		}
	}
	return true
}

// plain reports expressions without calls, without what the interpreter makes calls of, and without
// nil, which has no type.
func (b *body) plain(e ast.Expr) bool {
	if tv := b.Info.Types[e]; tv.Value != nil || tv.IsNil() {
		return tv.Value != nil
	}
	plain := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.SliceExpr, *ast.TypeAssertExpr, *ast.CompositeLit, *ast.FuncLit:
			plain = plain && b.Info.Types[n.(ast.Expr)].Value != nil
		case *ast.UnaryExpr:
			plain = plain && n.Op != token.ARROW
		case *ast.StarExpr:
			plain = plain && !b.readByFunction(n)
		case *ast.SelectorExpr:
			method := b.Info.Selections[n]
			plain = plain && (method == nil || method.Kind() == types.FieldVal)
		}
		return plain
	})
	return plain
}

// replaces reports values that the interpreter puts in the place of a variable when it assigns
// them.
func (b *body) replaces(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		return e.Op == token.ARROW
	}
	return false
}

// blanked writes a value that is thrown away.
func (b *body) blanked(e ast.Expr) string {
	if b.Info.Types[e].IsNil() {
		return "0"
	}
	if b.operates(e) {
		// The interpreter would look for the type of the place that it has not.
		return b.l.Parenthesized(types.Default(b.Info.TypeOf(e))) + "(" + b.expr(e) + ")"
	}
	defer b.failing(e)()
	return b.expr(e)
}

// operates reports the operations whose result the interpreter writes to where it is assigned.
func (b *body) operates(e ast.Expr) bool {
	if b.Info.Types[e].Value != nil {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		return true
	case *ast.UnaryExpr:
		return e.Op != token.ARROW && e.Op != token.AND
	}
	return false
}

// storeTuple writes the assignment of several results at once: those of a call, or of a comma-ok
// form.
func (b *body) storeTuple(lhs []place, left []string, e ast.Expr, op string) string {
	tuple, ok := b.Info.TypeOf(e).(*types.Tuple)
	if !ok {
		b.l.Refuse(e.Pos(), "a value where several are expected")
	}
	direct := true
	for i, p := range lhs {
		// The interpreter does not assign results to elements of maps.
		if p.stop || p.t != nil && !token.IsIdentifier(p.text) || p.t != nil && !types.Identical(p.t, types.Default(tuple.At(i).Type())) {
			direct = false
		}
	}
	_, call := ast.Unparen(e).(*ast.CallExpr)
	if direct && (call || op == ":=") {
		if !leavesValue(e) || left[0] == "_" {
			return strings.Join(left, ", ") + " " + op + " " + b.expr(e)
		}
		found := left[1]
		if found == "_" {
			found = b.l.temp()
		}
		return left[0] + ", " + found + " := " + b.expr(e) + "\n" + b.zeroUnless(found, left[0], tuple.At(0).Type())
	}
	// Through temporaries, each converted on its own.
	n := b.l.S.Unique()
	temps := make([]string, len(lhs))
	var values, targets []string
	var places []place
	stop := ""
	for i, p := range lhs {
		temps[i] = fmt.Sprintf("t__%d_%d", n, i)
		if p.stop {
			stop = b.stop(temps[i], e)
			continue
		}
		if p.t == nil {
			temps[i] = "_"
			continue
		}
		places = append(places, p)
		targets = append(targets, p.text)
		values = append(values, b.l.Convert(temps[i], types.Default(tuple.At(i).Type()), p.t, e.Pos()))
	}
	if len(targets) == 0 && !call {
		// The interpreter would not look for an entry, and receive into something else.
		return b.l.temp() + ", " + b.l.temp() + " := " + b.expr(e)
	}
	if len(targets) == 0 {
		return strings.Join(left, ", ") + " = " + b.expr(e)
	}
	if leavesValue(e) && temps[0] != "_" {
		if temps[1] == "_" {
			temps[1] = b.l.temp()
		}
		stop += b.zeroUnless(temps[1], temps[0], tuple.At(0).Type()) + "\n"
	}
	return strings.Join(temps, ", ") + " := " + b.expr(e) + "\n" + stop + b.together(places, targets, values, op)
}

func (b *body) ifStmt(s *ast.IfStmt) string {
	var out strings.Builder
	out.WriteString(b.Mark(s.Init, s.Cond))
	head, end := "if ", "\n"
	if assign, ok := s.Init.(*ast.AssignStmt); ok {
		text, several := b.inlined(assign)
		if several {
			head, end = "{\n"+text+"\nif ", "\n}\n"
		} else {
			head += text + "; "
		}
	} else if s.Init != nil {
		head += b.simple(s.Init) + "; "
	}
	out.WriteString(head + b.condition(s.Cond) + " " + b.block(s.Body))
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		out.WriteString(" else " + b.block(e))
	case *ast.IfStmt:
		text := b.ifStmt(e)
		out.WriteString(" else {\n" + text + "}")
		b.Forget()
	}
	return out.String() + end
}

// condition writes the condition of an if or for. Composite literals in it are in parentheses where
// they were in the source.
func (b *body) condition(e ast.Expr) string {
	if b.Info.Types[e].Value != nil {
		return b.expr(e)
	}
	text := b.expr(e)
	if strings.Contains(text, "{") {
		return "(" + text + ")"
	}
	return text
}

// inlined writes an assignment that stands before a condition, and reports whether it must have
// lines of its own: if it became several statements, or holds a literal, whose braces would be
// taken for a block.
func (b *body) inlined(s *ast.AssignStmt) (text string, several bool) {
	b.inline = true
	text = b.assign(s)
	b.inline = false
	return text, multiline(s, text) || slices.ContainsFunc(s.Rhs, holdsLiteral)
}

// holdsLiteral reports whether there is a composite literal in an expression.
func holdsLiteral(e ast.Expr) bool {
	holds := false
	ast.Inspect(e, func(n ast.Node) bool {
		_, literal := n.(*ast.CompositeLit)
		holds = holds || literal
		return !holds
	})
	return holds
}

// ahead writes a statement that stands before a condition, on lines of its own.
func (b *body) ahead(s ast.Stmt) string {
	if assign, ok := s.(*ast.AssignStmt); ok {
		text, _ := b.inlined(assign)
		return text + "\n"
	}
	return b.simple(s) + "\n"
}

// multiline reports whether an assignment became several statements.
func multiline(s *ast.AssignStmt, text string) bool {
	if strings.Contains(text, "\n") && (strings.HasPrefix(text, "t__") || strings.HasPrefix(text, "_, t__") || len(s.Rhs) == 1 && len(s.Lhs) == 2) {
		return true
	}
	return s.Tok == token.ASSIGN && (len(s.Rhs) > 1 || len(s.Lhs) == 1) && strings.Contains(text, "\n")
}

// simple writes a statement that stands before a condition.
func (b *body) simple(s ast.Stmt) string {
	switch s := s.(type) {
	case *ast.AssignStmt:
		text, several := b.inlined(s)
		if several {
			b.l.Refuse(s.Pos(), "the interpreter cannot run an assignment of several values of different types before a condition")
		}
		return text
	case *ast.IncDecStmt:
		return b.step(s)
	case *ast.ExprStmt:
		if text, ok := b.received(s.X); ok {
			return text
		}
		return b.expr(s.X)
	case *ast.SendStmt:
		c := b.TypeOf(s.Chan).(*types.Chan)
		return b.expr(s.Chan) + " <- " + b.to(s.Value, c.Elem())
	case *ast.EmptyStmt:
		return ""
	}
	b.l.Refuse(s.Pos(), "the interpreter cannot run such a statement before a condition")
	return ""
}

func (b *body) returnStmt(s *ast.ReturnStmt) string {
	if t := b.rangeFunc(); t != nil {
		return b.returnThrough(s, t)
	}
	if b.deferring != "" {
		return b.returnDeferring(s)
	}
	if len(s.Results) == 0 {
		return "return"
	}
	return b.returnValues(s)
}

// returnDeferring sets the results of a function whose statements are a literal of their own.
func (b *body) returnDeferring(s *ast.ReturnStmt) string {
	if len(s.Results) == 0 {
		return "return"
	}
	places := make([]place, len(b.resultNames))
	for i := range places {
		places[i] = place{text: b.resultNames[i], t: b.results.At(i).Type()}
	}
	return b.store(places, s.Results, "=") + "\nreturn"
}

func (b *body) returnValues(s *ast.ReturnStmt) string {
	if len(s.Results) == 1 && b.results.Len() > 1 {
		tuple := b.Info.TypeOf(s.Results[0]).(*types.Tuple)
		names := make([]string, tuple.Len())
		same := true
		n := b.l.S.Unique()
		for i := range names {
			names[i] = fmt.Sprintf("r__%d_%d", n, i)
			same = same && types.Identical(tuple.At(i).Type(), b.results.At(i).Type())
		}
		if same {
			return "return " + b.expr(s.Results[0])
		}
		values := make([]string, len(names))
		for i := range names {
			values[i] = b.l.Convert(names[i], tuple.At(i).Type(), b.results.At(i).Type(), s.Pos())
		}
		return strings.Join(names, ", ") + " := " + b.expr(s.Results[0]) + "\nreturn " + strings.Join(values, ", ")
	}
	if b.crosses(s.Results) {
		return b.returnCrossing(s.Results)
	}
	values := make([]string, len(s.Results))
	for i, e := range s.Results {
		values[i] = b.functionAs(e, b.results.At(i).Type())
	}
	return "return " + strings.Join(values, ", ")
}

// goStmt writes a go statement. The goroutine is started by the bridge, which turns a panic of it
// into an error of the cell instead of the process's end.
func (b *body) goStmt(s *ast.GoStmt) string {
	before, call := b.deferred(s.Call)
	f := fmt.Sprintf("g__%d", b.l.S.Unique())
	return "{\n" + before + f + " := " + call + "\n" + shape.Bridge + ".Go(" + f + ")\n}"
}

// deferStmt notes a deferred call with the bridge, which makes it when the function around ends
// (defer.go).
func (b *body) deferStmt(s *ast.DeferStmt) string {
	if b.rangeFunc() != nil {
		b.l.Refuse(s.Pos(), "the interpreter cannot run a defer inside a range over a function")
	}
	if lit, ok := ast.Unparen(s.Call.Fun).(*ast.FuncLit); ok {
		b.l.deferredLiterals[lit] = true
	}
	before, call := b.deferred(s.Call)
	if id := functionName(s.Call.Fun); id != nil && b.Info.Types[s.Call.Fun].IsBuiltin() && id.Name == "recover" {
		// It is as if the function around called it.
		call = fmt.Sprintf("func() { %s.RecoverAtLast(%d) }", shape.Bridge, b.recoverer())
	}
	f := fmt.Sprintf("g__%d", b.l.S.Unique())
	return before + f + " := " + call + "\n" + fmt.Sprintf("%s.Defer(%s, %s, %d)", shape.Bridge, b.deferring, f, b.deferee(s.Call))
}

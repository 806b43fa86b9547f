package hooks

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// alias is the text's name for the package of the hooks if the cell does not import it, variable
// begins the names of copies, and changed is the value that tells which were changed. Users do not
// type them.
const (
	alias    = "debugˑ"
	variable = "copyˑ"
	changed  = "changedˑ"
)

// Add returns the source of a checked cell with hooks, and a description of these. The sites are
// numbered from first on. If the cell has no statements, there are no hooks, and the source is nil.
func Add(k *check.Checked, c *check.Checker, first int) (*syntax.Lexed, *program.Hooks) {
	cell := k.Source.Cell
	w := &writer{
		k: k, c: c, alias: k.Source.Alias,
		hooks: &program.Hooks{Cell: cell.Number, Title: cell.Title(), Source: cell.Source, First: first},
	}
	if w.alias == "" {
		w.alias = alias
	}
	w.statements()
	for _, f := range k.Funcs {
		if src, _ := c.Within(f.Decl.Pos()); f.Again == nil && f.Pending == nil && f.Body != nil && src == k.Source {
			w.scope = nil
			w.declareFields(f.Decl.Recv)
			w.function(w.name(f), f.Decl.Type, f.Decl.Body)
		}
	}
	if len(w.hooks.Sites) == 0 {
		return nil, nil
	}
	t := *k.Source.Translation
	t.Alias = w.alias
	t.Insert(w.edits)
	return syntax.NewLexed(&syntax.Source{Cell: cell, Translation: &t}), w.hooks
}

// A writer writes the hooks of one cell.
type writer struct {
	k     *check.Checked
	c     *check.Checker
	alias string
	edits syntax.Edits
	hooks *program.Hooks

	in    int // the index of the function that is walked
	scope []binding
}

// A binding is a name in scope and its variable; nil if it is not one.
type binding struct {
	name string
	v    *types.Var
}

// name returns the user's name for a function or method.
func (w *writer) name(f *check.Func) string {
	name := f.Decl.Name.Name
	if f.Decl.Recv == nil {
		return name
	}
	if base := syntax.ReceiverBase(f.Decl); base != nil {
		if _, pointer := ast.Unparen(f.Decl.Recv.List[0].Type).(*ast.StarExpr); pointer {
			return "(*" + base.Name + ")." + name
		}
		return base.Name + "." + name
	}
	return name
}

// statements walks the statements at the top of the cell, in whose scope are the names of the
// session that the cell mentions.
func (w *writer) statements() {
	if len(w.k.Body) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(w.k.Mentioned)) {
		if d := w.c.Session.Live[name]; d != nil {
			if v, ok := w.k.Pkg.Scope().Lookup(name).(*types.Var); ok && v == d.Object {
				w.scope = append(w.scope, binding{name, v})
			}
		}
	}
	w.in = w.add(program.HookedFunction{})
	for i, s := range w.k.Body {
		switch {
		case syntax.Variables(s) == nil:
			w.site(s, s.Pos())
		case i == 0 || syntax.Variables(w.k.Body[i-1]) == nil:
			w.run(w.k.Body[i:])
		}
		w.walk(s)
	}
}

// run writes the hook before a run of declarations of variables at the beginning of statements,
// which may have another order than in the cell, and groups.
func (w *writer) run(stmts []ast.Stmt) {
	first := stmts[0]
	for _, s := range stmts {
		specs := syntax.Variables(s)
		if specs == nil {
			break
		}
		if slices.ContainsFunc(specs, func(v *ast.ValueSpec) bool { return w.k.Embedded[v] != nil }) {
			return // they belong to the comments before them
		}
		if s.Pos() < first.Pos() {
			first = s
		}
	}
	_, at := w.c.Within(first.Pos())
	for _, it := range w.k.Items {
		if it.Kind == syntax.ItemStatement && it.Start <= at && at < it.End {
			w.site(first, first.Pos()-token.Pos(at-it.Start))
		}
	}
}

// add adds a function.
func (w *writer) add(f program.HookedFunction) int {
	w.hooks.Functions = append(w.hooks.Functions, f)
	return len(w.hooks.Functions) - 1
}

// function walks a function. Its scope is that of its surroundings.
func (w *writer) function(name string, t *ast.FuncType, body *ast.BlockStmt) {
	if body == nil || !w.verbatim(body) {
		return
	}
	outer := w.in
	leaf := !w.calls(body)
	w.in = w.add(program.HookedFunction{Name: name, Leaf: leaf})
	w.declareFields(t.Params)
	w.declareFields(t.Results)
	if !leaf {
		n := w.number(t, true)
		w.insert(body.Lbrace+1, fmt.Sprintf("if %s.Stops(%d) { defer %[1]s.Leave(%[1]s.Enter(%[2]d)) }; ", w.alias, n))
	}
	w.block(body.List)
	w.in = outer
}

// literal walks a function literal, which sees the outer variables that it mentions.
func (w *writer) literal(lit *ast.FuncLit) {
	mentioned := map[types.Object]bool{}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			mentioned[w.k.Info.Uses[id]] = true
		}
		return true
	})
	outer := w.scope
	w.scope = nil
	for _, b := range outer {
		if b.v != nil && !mentioned[b.v] {
			b.v = nil
		}
		w.scope = append(w.scope, b)
	}
	name := w.hooks.Functions[w.in].Name
	if name != "" {
		name += "."
	}
	w.function(name+"func", lit.Type, lit.Body)
	w.scope = outer
}

// block walks a list of statements in a new scope.
func (w *writer) block(list []ast.Stmt) {
	defer w.leave(len(w.scope))
	for _, s := range list {
		w.site(s, s.Pos())
		w.walk(s)
	}
}

// leave ends the scopes that began after a number of names.
func (w *writer) leave(names int) { w.scope = w.scope[:names:names] }

// walk walks the parts of a statement, and adds its declarations to the scope.
func (w *writer) walk(s ast.Stmt) {
	switch s := s.(type) {
	case nil:
	case *ast.LabeledStmt:
		w.walk(s.Stmt)
	case *ast.BlockStmt:
		w.block(s.List)
	case *ast.IfStmt:
		defer w.leave(len(w.scope))
		w.walk(s.Init)
		w.literals(s.Cond)
		w.block(s.Body.List)
		w.walk(s.Else)
	case *ast.ForStmt:
		defer w.leave(len(w.scope))
		w.walk(s.Init)
		w.literals(s.Cond)
		w.literals(s.Post)
		w.block(s.Body.List)
	case *ast.RangeStmt:
		defer w.leave(len(w.scope))
		w.literals(s.X)
		w.declare(s.Key)
		w.declare(s.Value)
		w.block(s.Body.List)
	case *ast.SwitchStmt:
		defer w.leave(len(w.scope))
		w.walk(s.Init)
		w.literals(s.Tag)
		w.clauses(s.Body)
	case *ast.TypeSwitchStmt:
		defer w.leave(len(w.scope))
		w.walk(s.Init)
		w.literals(s.Assign)
		w.clauses(s.Body)
	case *ast.SelectStmt:
		w.clauses(s.Body)
	case *ast.AssignStmt:
		w.literals(s)
		for _, e := range s.Lhs {
			w.declare(e)
		}
	case *ast.DeclStmt:
		w.literals(s)
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					w.declare(id)
				}
			case *ast.TypeSpec:
				w.scope = append(w.scope, binding{name: spec.Name.Name})
			}
		}
	default:
		w.literals(s)
	}
}

func (w *writer) clauses(body *ast.BlockStmt) {
	for _, s := range body.List {
		begin := len(w.scope)
		switch s := s.(type) {
		case *ast.CaseClause:
			for _, e := range s.List {
				w.literals(e)
			}
			if v, ok := w.k.Info.Implicits[s].(*types.Var); ok {
				w.scope = append(w.scope, binding{v.Name(), v})
			}
			w.block(s.Body)
		case *ast.CommClause:
			w.walk(s.Comm)
			w.block(s.Body)
		}
		w.leave(begin)
	}
}

// declare adds a name to the scope, if it is declared here.
func (w *writer) declare(e ast.Expr) {
	id, ok := e.(*ast.Ident)
	if !ok || id.Name == "_" {
		return
	}
	if obj := w.k.Info.Defs[id]; obj != nil {
		v, _ := obj.(*types.Var) // nil for a constant
		w.scope = append(w.scope, binding{id.Name, v})
	}
}

func (w *writer) declareFields(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		for _, id := range f.Names {
			w.declare(id)
		}
	}
}

// literals walks the function literals in a node.
func (w *writer) literals(n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			w.literal(lit)
		}
		return !ok
	})
}

// verbatim reports whether a node is the same in the cell and in the text, and not made for a
// magic.
func (w *writer) verbatim(n ast.Node) bool {
	t := w.k.Source.Translation
	_, start := w.c.Within(n.Pos())
	if len(t.Pieces) == 0 {
		return true
	}
	for i, p := range t.Pieces {
		if p.At <= start && (i+1 == len(t.Pieces) || start < t.Pieces[i+1].At) {
			return p.Verbatim
		}
	}
	return false
}

// site writes the hook of a statement at its beginning.
func (w *writer) site(s ast.Stmt, at token.Pos) {
	if _, empty := s.(*ast.EmptyStmt); empty || !w.verbatim(s) {
		return
	}
	n := w.number(s, false)
	site := &w.hooks.Sites[len(w.hooks.Sites)-1]
	site.Calls = w.calls(s)
	var names, copies, pointers, back []string
	for _, v := range w.variables() {
		c := fmt.Sprintf("%s%d", variable, len(names))
		back = append(back, fmt.Sprintf("if %s&%d != 0 { %s = %s }", changed, 1<<len(names), v.name, c))
		names, copies, pointers = append(names, v.name), append(copies, c), append(pointers, ", &"+c)
		site.Variables = append(site.Variables, program.HookedVariable{Name: v.name, Type: typed.Shown(v.v.Type())})
	}
	stop := fmt.Sprintf("%s.Stop(%d%s)", w.alias, n, strings.Join(pointers, ""))
	if len(names) > 0 {
		stop = fmt.Sprintf("%s := %s; if %s := %s; %[3]s != 0 { %[5]s }", strings.Join(copies, ", "), strings.Join(names, ", "), changed, stop, strings.Join(back, "; "))
	}
	w.insert(at, fmt.Sprintf("if %s.Stops(%d) { %s }; ", w.alias, n, stop))
}

// number returns the number of a new site: that of a statement, or the entry of a function.
func (w *writer) number(n ast.Node, entry bool) int {
	line, column := w.position(n.Pos())
	end, _ := w.position(headEnd(n))
	if entry {
		end = line
	}
	w.hooks.Sites = append(w.hooks.Sites, program.Site{Function: w.in, Line: line, Column: column, End: end, Entry: entry})
	return w.hooks.First + len(w.hooks.Sites) - 1
}

func (w *writer) position(pos token.Pos) (line, column int) {
	src, offset := w.c.At(pos)
	return src.Position(offset)
}

// headEnd returns the end of a statement, or the beginning of the first block in it.
func headEnd(n ast.Node) token.Pos {
	end := n.End()
	ast.Inspect(n, func(n ast.Node) bool {
		if block, ok := n.(*ast.BlockStmt); ok {
			end = min(end, block.Lbrace)
			return false
		}
		return true
	})
	return end
}

func (w *writer) insert(pos token.Pos, text string) {
	_, at := w.c.Within(pos)
	w.edits.Insert(at, text)
}

// variables returns the variables in scope that can be copied, the innermost first.
func (w *writer) variables() (found []binding) {
	seen := map[string]bool{}
	for _, b := range slices.Backward(w.scope) {
		if !seen[b.name] && b.v != nil && len(found) < maxVariables && size(b.v.Type()) <= maxCopied && !locks(b.v.Type()) {
			found = append(found, b)
		}
		seen[b.name] = true
	}
	return found
}

// maxVariables is how many variables a hook passes: one bit per variable says whether it was
// changed.
const maxVariables = 60

// locks reports whether values of a type must not be copied, like those of package sync.
func locks(t types.Type) bool {
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
		switch named.Obj().Pkg().Path() {
		case "sync", "sync/atomic":
			return !types.IsInterface(named)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return locks(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if locks(f.Type()) {
				return true
			}
		}
	}
	return false
}

// maxCopied bounds the size of a variable that is passed, in words.
const maxCopied = 1 << 12

// size estimates the size of a value in words.
func size(t types.Type) int64 {
	switch u := t.Underlying().(type) {
	case *types.Array:
		if n := size(u.Elem()); u.Len() <= maxCopied {
			return u.Len() * n
		}
		return maxCopied + 1
	case *types.Struct:
		n := int64(0)
		for f := range u.Fields() {
			n = min(n+size(f.Type()), maxCopied+1)
		}
		return n
	}
	return 1
}

// calls reports whether a node calls something that is, or may call, a function with hooks. It
// ignores the statements in its blocks and literals; for a block, all statements count.
func (w *writer) calls(root ast.Node) bool {
	found := false
	_, all := root.(*ast.BlockStmt)
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return all && !found
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || !w.harmless(n)
		case *ast.RangeStmt:
			_, function := w.k.Info.TypeOf(n.X).Underlying().(*types.Signature)
			found = found || function
		}
		return !found
	})
	return found
}

// harmless reports whether a call is a conversion, or one of a builtin, or of a function of the
// standard library that gets no function as an argument.
func (w *writer) harmless(call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	if tv := w.k.Info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
		return true
	}
	selector, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := w.k.Info.Uses[selector.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Signature().Recv() != nil || f.Signature().TypeParams() != nil {
		return false
	}
	if first, _, _ := strings.Cut(f.Pkg().Path(), "/"); strings.Contains(first, ".") || f.Pkg().Path() == state.PackagePath {
		return false
	}
	for p := range f.Signature().Params().Variables() {
		if _, basic := p.Type().Underlying().(*types.Basic); !basic {
			return false
		}
	}
	return true
}

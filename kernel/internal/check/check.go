package check

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"go/version"
	"maps"
	"math"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// GoVersion is the language version of cells: that of the Go that built this program, which also
// compiles the cells.
var GoVersion = version.Lang(runtime.Version())

// A Checker type-checks cells against a session. It does not change the session; a Checked holds
// the declarations of a cell that passed.
type Checker struct {
	*syntax.Files
	Session    *state.Session
	Transcript *state.Transcript
	Importer   types.Importer
	Preloaded  map[string]string
	// Strict says that cells handle errors as Go does.
	Strict bool
	// Folder returns the working directory of the cells; nil if there is none.
	Folder func() string
	// NotRun says which cell that has not run declares a name; nil if that is not known.
	NotRun func(name string) string
	// Pkg is the package of all cells, emptied for each.
	Pkg *types.Package
	// Context, if not nil, is that of the current cell (cancel.go).
	Context context.Context
}

// New returns a checker for a new session.
func New(importer types.Importer, preloaded map[string]string, strict bool) *Checker {
	c := &Checker{Importer: importer, Preloaded: preloaded, Strict: strict}
	c.Reset()
	return c
}

// Reset makes the session a new one.
func (c *Checker) Reset() {
	c.Files, c.Session, c.Transcript, c.Pkg = syntax.NewFiles(), state.NewSession(), state.NewTranscript(), nil
}

// Fresh returns the notebook's package with an empty scope. Package and scope are the same for all
// cells: go/types compares packages by pointer where it decides about unexported fields, and scopes
// where it decides what is local.
func (c *Checker) Fresh() *types.Package {
	empty := types.NewPackage(state.PackagePath, "main")
	if c.Pkg == nil {
		c.Pkg = empty
	} else {
		*c.Pkg.Scope() = *empty.Scope()
	}
	return c.Pkg
}

// A TopVariable is a variable that a statement at the top of a cell declares.
type TopVariable struct {
	Local  *types.Var // as the statements see it
	Global *types.Var // as functions and later cells see it
	// Statement is the index of the statement in the cell's body.
	Statement int
}

// A Func is a function or method of a checked cell.
type Func struct {
	Decl *ast.FuncDecl // as written
	// Body is the same function with its receiver, if any, as first parameter: the form that is
	// checked and lowered.
	Body   *ast.FuncDecl
	Object *types.Func
	// Receiver is the type the method belongs to; nil for functions.
	Receiver *types.TypeName
	// Pending are the names in the body that no cell has declared yet; such a body is not checked.
	Pending state.Waits
	// Again is the function of an earlier cell that is declared again with the cell; nil for the
	// cell's own functions.
	Again *state.Function
}

// A Checked cell is a parsed cell with its types.
type Checked struct {
	*Reading
	Pkg       *types.Package
	Info      *types.Info
	Funcs     []*Func
	Types     []*ast.TypeSpec
	Variables []*TopVariable
	Imported  []*types.PkgName
	Dotted    []types.Object
	strict    bool
	// Remembered holds the assignments that leave out an error, which now have a blank for it.
	// initial holds the declarations whose variables get their values in the next statement.
	Remembered map[ast.Node]bool
	Initial    map[ast.Stmt]bool
	// stoppers are the functions that wrap calls within expressions (nested.go).
	stoppers []*types.Func
	// same holds the names of types that the cell declares unchanged. renewed holds those that are
	// new nevertheless, because a method has another signature.
	same, renewed map[string]bool
	// again holds the functions of earlier cells that the cell declares again, by their
	// declarations, and left those that do not compile with it.
	again map[*ast.FuncDecl]*state.Function
	Left  []*state.Follower
	// declarations are those of the cell and those that join it, as written.
	declarations []ast.Decl
	// Deferred are all declarations that wait after the cell. NewlyDeferred are those that no note
	// has named yet, and takenOut those of the cell.
	Deferred, NewlyDeferred, takenOut []*state.Deferred
	joined                            []*state.Deferred // of earlier cells
	// Embedded are the files that variables embed.
	Embedded map[*ast.ValueSpec]*Embedding
	// lent are the variables declared temporarily among the declarations (constvars.go).
	lent map[types.Object]bool
	// undo reverts changes of the check to types of earlier cells.
	undo []func()
}

// Rollback reverts the changes of the check to types of earlier cells.
func (c *Checked) Rollback() {
	for i := len(c.undo) - 1; i >= 0; i-- {
		c.undo[i]()
	}
	c.undo = nil
}

// NewInfo returns an info that records everything that the stages need.
func NewInfo() *types.Info {
	return &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Instances:  map[*ast.Ident]types.Instance{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Implicits:  map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
}

// CheckSource parses and checks a cell, whose text other cells can recall from now on. The error is
// a *program.Error.
func (c *Checker) CheckSource(l *syntax.Lexed) (*Checked, error) {
	if cell := l.Cell; !cell.Aside {
		c.Transcript.Inputs[cell.ExecutionCount()] = cell.Source
	}
	parsed, problems := c.Parse(l)
	if len(problems) > 0 {
		return nil, syntax.ProblemsError("CompileError", problems)
	}
	checked, problems := c.CheckWaiting(parsed)
	if len(problems) > 0 {
		return nil, syntax.ProblemsError("CompileError", c.Explain(problems))
	}
	return checked, nil
}

// Parse parses a cell, and replaces its references to earlier ones (recall.go).
func (c *Checker) Parse(l *syntax.Lexed) (*Reading, []syntax.Problem) {
	p, problems := c.Files.Parse(l)
	if len(problems) > 0 {
		return nil, problems
	}
	r := &Reading{Parsed: p}
	return r, c.Recall(r)
}

// check type-checks a parsed cell. The order is that of a notebook: first what the cell declares
// (without bodies), then its statements one after the other, then the bodies of its functions,
// which see all of it.
//
// It uses the assumptions of the attempt, and corrects those that turn out wrong.
func (c *Checker) check(p *Reading, a *attempt) (*Checked, []failure) {
	k := &Checked{Reading: p, Pkg: c.Fresh(), Info: NewInfo(), strict: c.Strict, renewed: a.renewed}
	k.Remember(a.forgotten)
	k.adopt(c, a)
	k.join(a.followers.with)
	if p.Declarations != nil {
		k.declarations = divided(p.Declarations.Decls)
	}
	passed := false
	defer func() {
		if !passed {
			k.Rollback()
		}
	}()
	var problems []failure
	complain := func(pos token.Pos, msg string) {
		f := failure{Problem: c.Problem(pos, msg), pos: pos}
		if f.order = f.Offset; len(problems) > 0 && strings.HasPrefix(msg, "\t") {
			f.order = problems[len(problems)-1].order
		}
		problems = append(problems, f)
	}

	c.ImportAll(k, complain)
	c.embed(k, func(offset int, msg string) {
		problems = append(problems, failure{Problem: syntax.Problem{Source: k.Source, Offset: k.Source.Origin(offset), Msg: msg}})
	})
	late := c.Declarations(k)
	Parenthesize(k.Types)
	for _, f := range k.Funcs {
		if f.Again == nil {
			f.Pending = a.pending[c.originOf(f.Decl)]
		}
	}
	for _, f := range k.Funcs {
		if f.Decl.Body == nil {
			complain(f.Decl.Name.Pos(), "missing function body")
		}
	}
	takeBack := k.lendVariables()
	c.Insert(k)
	c.refuseForeign(k, complain)
	c.RefuseLongConstants(k, complain)
	if len(problems) > 0 {
		return k, c.judged(k, problems, a)
	}

	gets := map[string]bool{} // methods to be added to types of earlier cells
	for _, f := range late {
		gets[state.DeclaredBy(f.Decl)[0]] = true
	}
	seen := map[string]bool{}
	conf := &types.Config{
		Importer:  c.Importer,
		GoVersion: GoVersion,
		Sizes:     c.sizes(),
		Error: func(err error) {
			c.StopIfCancelled()
			e, ok := err.(types.Error)
			if !ok || c.forgiven(k, e) {
				return
			}
			if m := lacksMethod.FindStringSubmatch(e.Msg); m != nil && gets[m[1]+"."+m[2]] {
				return // see constraints
			}
			key := fmt.Sprint(e.Pos, e.Msg)
			if !seen[key] {
				seen[key] = true
				complain(e.Pos, withoutStops(k.recallWording(compilerWording(e.Msg))))
			}
		},
	}
	chk := types.NewChecker(conf, c.Fset, k.Pkg, k.Info)
	// Files reports errors through conf.Error and returns the first. For some wrong code it panics
	// after reporting the error, as does the compiler: type A = [A(B{})]A.
	crashed := false
	files := func(f *ast.File) {
		c.StopIfCancelled()
		if crashed {
			return
		}
		defer func() {
			fault := recover()
			if _, of := fault.(runtime.Error); fault != nil && !(of && len(problems) > 0) {
				panic(fault)
			}
			crashed = fault != nil
		}()
		_ = chk.Files([]*ast.File{f})
	}

	if p.Declarations != nil {
		conf.IgnoreFuncBodies = true
		files(p.Declarations)
		conf.IgnoreFuncBodies = false
		takeBack()
		c.Insert(k)
		if len(problems) == 0 {
			c.AddMethods(k, late, complain)
			if len(gets) > 0 {
				k.constraints(complain)
			}
		}
		clear(gets)
	}
	if p.Statements != nil {
		files(p.Statements)
		k.overflow(complain)
	}
	c.TopVariables(k)
	if f := c.Bodies(k); f != nil {
		files(f)
	}
	in := k.initialization()
	if rest, count := in.ahead(problems), len(problems); len(rest) == 0 || len(rest) < count {
		in.refuseCycles(c.Session.Live, complain)
		if len(problems) > count {
			problems = append(rest, problems[count:]...)
		}
	}
	if len(problems) > 0 {
		return k, c.judged(k, problems, a)
	}
	in.sortVariables()
	passed = true
	return k, nil
}

// judged sorts failures. It adds to each which declaration could solve it and further hints.
func (c *Checker) judged(k *Checked, failures []failure, a *attempt) []failure {
	failures = slices.DeleteFunc(failures, k.follows)
	sort.SliceStable(failures, func(i, j int) bool { return failures[i].order < failures[j].order })
	for i := range failures {
		f := &failures[i]
		f.wait = c.undeclared(k, f.pos, f.Msg)
		if i < syntax.MaxProblems { // The time for a hint grows with the cell.
			f.Hint = c.hint(k, f.pos, f.Msg)
		}
		if f.wait != nil && c.Session.DeferredOf(f.wait.Name) == nil {
			f.wait.Hint = cmp.Or(f.Hint, f.wait.Hint)
		}
	}
	if !c.Strict {
		maps.Copy(a.forgotten, Forgets(k))
	}
	return failures
}

// follows reports whether a failure is only the consequence of an unknown type that has its own
// failure. A literal may have no type because the literal around it has none, or a type may lack a
// field or method that an embedded unknown type could have.
func (k *Checked) follows(f failure) bool {
	path := k.pathTo(f.pos)
	switch {
	case strings.HasPrefix(f.Msg, "missing type in composite literal"):
		return slices.ContainsFunc(path, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			return ok && lit.Pos() < f.pos && !known(k.Info.TypeOf(lit))
		})
	case strings.Contains(f.Msg, " undefined (type "), strings.Contains(f.Msg, "(missing method "):
		return slices.ContainsFunc(path, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				n = sel.X
			}
			e, ok := n.(ast.Expr)
			return ok && embedsUnknown(k.Info.TypeOf(e))
		})
	}
	return false
}

// embedsUnknown reports whether a type embeds one that is not known.
func embedsUnknown(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t := deref(t).Underlying().(type) {
	case *types.Struct:
		for f := range t.Fields() {
			if f.Embedded() && !known(deref(f.Type())) {
				return true
			}
		}
	case *types.Interface:
		for e := range t.EmbeddedTypes() {
			if !known(e) {
				return true
			}
		}
	}
	return false
}

func known(t types.Type) bool { return t != nil && t != types.Typ[types.Invalid] }

// overflow reports a constant that is the cell's value and too large for its default type. It uses
// the words of go/types, which does not see that the value is used.
func (k *Checked) overflow(complain func(token.Pos, string)) {
	if k.Value == nil || k.Silent {
		return
	}
	tv := k.Info.Types[k.Value.X]
	if tv.Value == nil || tv.Type == nil {
		return
	}
	if basic, ok := tv.Type.(*types.Basic); !ok || basic.Info()&types.IsUntyped == 0 {
		return
	}
	kind := strings.TrimPrefix(tv.Type.String(), "untyped ")
	shown := types.Default(tv.Type)
	large := false
	switch kind {
	case "int":
		_, exact := constant.Int64Val(constant.ToInt(tv.Value))
		large = !exact
	case "rune":
		n, exact := constant.Int64Val(constant.ToInt(tv.Value))
		large = !exact || int64(int32(n)) != n
	case "float", "complex":
		for _, part := range []constant.Value{constant.Real(tv.Value), constant.Imag(tv.Value)} {
			f, _ := constant.Float64Val(part)
			large = large || math.IsInf(f, 0)
		}
	}
	if large {
		complain(k.Value.Pos(), fmt.Sprintf("cannot use %s (untyped %s constant %s) as %s value (overflows)", types.ExprString(k.Value.X), kind, tv.Value, shown))
	}
}

// ImportAll resolves the cell's import declarations.
func (c *Checker) ImportAll(k *Checked, complain func(token.Pos, string)) {
	for _, spec := range k.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			complain(spec.Path.Pos(), "invalid import path: "+spec.Path.Value)
			continue
		}
		pkg, err := c.Importer.Import(path)
		if err != nil {
			complain(spec.Path.Pos(), importWording(path, err))
			continue
		}
		name := pkg.Name()
		if spec.Name != nil {
			name = spec.Name.Name
		}
		switch name {
		case "_":
		case "init":
			complain(spec.Name.Pos(), "cannot import package as init - init must be a func")
		case ".":
			scope := pkg.Scope()
			for _, n := range scope.Names() {
				if obj := scope.Lookup(n); obj.Exported() {
					k.Dotted = append(k.Dotted, obj)
				}
			}
		default:
			k.Imported = append(k.Imported, types.NewPkgName(spec.Pos(), k.Pkg, name, pkg))
		}
	}
}

func importWording(path string, err error) string {
	msg := err.Error()
	if strings.Contains(msg, path) {
		return msg
	}
	return fmt.Sprintf("could not import %s (%s)", path, msg)
}

// Declarations collects the cell's types and functions, leaves out types that are declared again
// unchanged, and returns the methods of types of earlier cells. These become functions, because
// go/types has no way to declare them.
func (c *Checker) Declarations(k *Checked) (late []*Func) {
	if k.Parsed.Declarations == nil {
		return nil
	}
	file := k.Parsed.Declarations
	declared := map[string]bool{}
	for name := range file.Scope.Objects {
		declared[name] = true
	}
	same := c.unchangedTypes(k, file, declared)
	k.same = same
	for _, pkg := range k.Imported {
		// If an import and a declaration have the same name, the declaration wins, like the later
		// of two declarations elsewhere in a notebook.
		if declared[pkg.Name()] {
			delete(k.Mentioned, pkg.Name())
		}
	}
	var decls []ast.Decl
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok == token.TYPE {
				var specs []ast.Spec
				for _, s := range d.Specs {
					spec := s.(*ast.TypeSpec)
					if same[spec.Name.Name] {
						delete(declared, spec.Name.Name)
						k.Mentioned[spec.Name.Name] = true
						continue
					}
					k.Types = append(k.Types, spec)
					specs = append(specs, s)
				}
				if len(specs) == 0 {
					continue
				}
				d.Specs = specs
			}
			decls = append(decls, d)
		case *ast.FuncDecl:
			if d.Recv != nil && len(d.Recv.List) != 1 {
				decls = append(decls, d) // which go/types complains about
				continue
			}
			f := &Func{Decl: d, Again: k.again[d]}
			k.Funcs = append(k.Funcs, f)
			if d.Recv != nil {
				if base := syntax.ReceiverBase(d); base != nil && !declaredType(k, file, base.Name, same) {
					if live := c.Session.Live[base.Name]; live != nil && live.Spec != nil {
						f.Receiver = state.OwnerOf(live.Object.(*types.TypeName))
						k.Mentioned[base.Name] = true
						late = append(late, f)
						if _, ok := f.Receiver.Type().(*types.Named); ok && c.Session.ByObject[f.Receiver] != nil {
							params := c.receiverTypeParams(k, f)
							if params != nil {
								k.mention(params) // the constraints
							}
							f.Body = PlainFunction(d, fmt.Sprintf("%s.%s", base.Name, d.Name.Name), params)
							decls = append(decls, f.Body)
						}
						continue
					}
				}
			}
			decls = append(decls, d)
		}
	}
	file.Decls = decls
	return late
}

// declaredType reports whether the cell itself declares the named type.
func declaredType(k *Checked, file *ast.File, name string, same map[string]bool) bool {
	obj := file.Scope.Lookup(name)
	return obj != nil && obj.Kind == ast.Typ && !same[name]
}

// aliases returns the names of the package of magic functions in the text of a cell and of the
// functions that follow it.
func (c *Checker) aliases(k *Checked) map[string]bool {
	names := map[string]bool{k.Source.Alias: true}
	for written := range k.again {
		if src, _ := c.Within(written.Pos()); src != nil {
			names[src.Alias] = true
		}
	}
	for _, d := range k.joined {
		if src, _ := c.Within(d.Decl.Pos()); src != nil {
			names[src.Alias] = true
		}
	}
	delete(names, "")
	return names
}

// Insert puts the live objects that the cell mentions into its package scope.
func (c *Checker) Insert(k *Checked) {
	scope := k.Pkg.Scope()
	if pkg, err := c.Importer.Import(syntax.MagicPath); err == nil {
		for name := range c.aliases(k) {
			scope.Insert(types.NewPkgName(token.NoPos, k.Pkg, name, pkg))
		}
	}
	declared := func(name string) bool { // by functions, of which init cannot be called
		return name != "init" && k.Parsed.Declarations != nil && syntax.DeclaresTop(k.Parsed.Declarations, name)
	}
	for _, pkg := range k.Imported {
		if !declared(pkg.Name()) {
			scope.Insert(pkg)
		}
	}
	for _, obj := range k.Dotted {
		if k.Mentioned[obj.Name()] && !declared(obj.Name()) {
			scope.Insert(obj)
		}
	}
	for _, r := range k.Recalled {
		scope.Insert(r.object)
	}
	for _, f := range k.stoppers {
		scope.Insert(f)
	}
	for name := range k.Mentioned {
		if declared(name) || scope.Lookup(name) != nil {
			continue
		}
		if d := c.Session.Live[name]; d != nil {
			scope.Insert(d.Object)
			continue
		}
		if path := c.Preloaded[name]; path != "" && types.Universe.Lookup(name) == nil && c.Session.Gone[name] == nil && !k.hides(name) && !k.defersName(c, name) {
			if pkg, err := c.Importer.Import(path); err == nil {
				scope.Insert(types.NewPkgName(token.NoPos, k.Pkg, name, pkg))
			}
		}
	}
}

// defersName reports whether a declaration of a name is deferred.
func (k *Checked) defersName(c *Checker, name string) bool {
	return c.Session.DeferredOf(name) != nil || slices.ContainsFunc(k.takenOut, func(d *state.Deferred) bool { return slices.Contains(state.DeclaredBy(d.Decl), name) })
}

// Known reports whether a name is defined in the session, before a cell declares anything.
func (c *Checker) Known(name string) bool {
	return c.Session.Live[name] != nil || c.Session.Gone[name] != nil || c.Preloaded[name] != "" || types.Universe.Lookup(name) != nil
}

// hides reports whether the statements at the cell's top declare a variable with the name of a
// package, without using the package before.
func (k *Checked) hides(name string) bool {
	for _, stmt := range k.Body {
		uses := false
		ast.Inspect(stmt, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				id, ok := sel.X.(*ast.Ident)
				uses = uses || ok && id.Name == name
			}
			return !uses
		})
		if uses {
			return false
		}
		if slices.ContainsFunc(syntax.VariablesOf(stmt), func(id *ast.Ident) bool { return id.Name == name }) {
			return true
		}
	}
	return false
}

// sameObject reports whether two objects are the same declaration or import.
func sameObject(a, b types.Object) bool {
	p, ok := a.(*types.PkgName)
	q, also := b.(*types.PkgName)
	return a == b || ok && also && p.Imported() == q.Imported()
}

// TopVariables makes package-level variables of the variables that the statements at the cell's top
// declare, so that functions and later cells see them.
func (c *Checker) TopVariables(k *Checked) {
	k.eachDeclared(func(local *types.Var, statement int) {
		global := types.NewVar(local.Pos(), k.Pkg, local.Name(), local.Type())
		k.Variables = append(k.Variables, &TopVariable{local, global, statement})
		switch prior := k.Pkg.Scope().Lookup(local.Name()); {
		case prior == nil:
			k.Pkg.Scope().Insert(global)
		case prior.Pkg() != k.Pkg || !types.Identical(prior.Type(), global.Type()):
			replaceInScope(k.Pkg.Scope(), global)
		}
	})
	for id, obj := range k.Info.Uses {
		if k.lent[obj] {
			k.Info.Uses[id] = k.Pkg.Scope().Lookup(id.Name)
		}
	}
}

// eachDeclared calls a function for each variable that the statements at the cell's top declare,
// with the index of the statement that gives it its value.
func (k *Checked) eachDeclared(visit func(local *types.Var, statement int)) {
	seen := map[*types.Var]bool{}
	for i, stmt := range k.Body {
		if k.Initial[stmt] {
			i++
		}
		for _, id := range syntax.VariablesOf(stmt) {
			if local, ok := k.Info.Defs[id].(*types.Var); ok && id.Name != "_" && !seen[local] {
				seen[local] = true
				visit(local, i)
			}
		}
	}
}

// replaceInScope makes a name in a scope refer to another object. Scopes cannot do that, and
// objects keep the address of their scope, so it rebuilds the scope in place.
func replaceInScope(scope *types.Scope, obj types.Object) {
	removeFromScope(scope, map[string]bool{obj.Name(): true})
	scope.Insert(obj)
}

func removeFromScope(scope *types.Scope, gone map[string]bool) {
	fresh := types.NewPackage(state.PackagePath, "main").Scope()
	for _, name := range scope.Names() {
		if !gone[name] {
			fresh.Insert(scope.Lookup(name))
		}
	}
	*scope = *fresh
}

// forgiven reports errors that are not errors in a notebook: the last expression is used, since it
// is shown, and so are the variables at the top of a cell.
func (c *Checker) forgiven(k *Checked, e types.Error) bool {
	if k.Value != nil && strings.HasSuffix(e.Msg, "is not used") {
		x := ast.Unparen(k.Value.X)
		if e.Pos == k.Value.X.Pos() || e.Pos == x.Pos() {
			return true
		}
		switch x := x.(type) {
		case *ast.BinaryExpr:
			return e.Pos == x.OpPos
		case *ast.SelectorExpr:
			return e.Pos == x.Sel.Pos()
		}
	}
	if strings.HasPrefix(e.Msg, "declared and not used") {
		for _, stmt := range k.Body {
			for _, id := range syntax.VariablesOf(stmt) {
				if id.Pos() == e.Pos {
					return true
				}
			}
		}
	}
	return false
}

// compilerWording changes the words of go/types into those of the compiler where they differ.
func compilerWording(msg string) string {
	return strings.TrimSuffix(msg, "\n")
}

// divided splits type declarations, so that each type can wait alone.
func divided(decls []ast.Decl) (out []ast.Decl) {
	for _, decl := range decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE || len(g.Specs) < 2 {
			out = append(out, decl)
			continue
		}
		for _, spec := range g.Specs {
			out = append(out, &ast.GenDecl{TokPos: spec.Pos(), Tok: token.TYPE, Specs: []ast.Spec{spec}})
		}
	}
	return out
}

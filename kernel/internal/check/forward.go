package check

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// Declarations may be in any order across the cells. A function whose body uses a name that no cell
// has declared yet is pending: its signature is known, its body is neither checked nor lowered, and
// functions that use it are pending too. A declaration is deferred if the declaration itself needs
// such a name: the signature of a function, a type, a group of constants. The session does not know
// it. When a cell declares the name, the waiting function or declaration is checked again, as part
// of that cell.

// An attempt holds the assumptions of one check of a cell. The check corrects those that turn out
// wrong.
type attempt struct {
	// followers are functions of earlier cells, and joined are deferred declarations, that are
	// declared with the cell.
	followers followers
	joined    []*state.Deferred
	// pending are the waits of functions, and deferred those of declarations of the cell.
	pending, deferred map[origin]state.Waits
	// forgotten are the places that leave out an error, and renewed the types that must become new
	// ones.
	forgotten map[token.Pos]int
	renewed   map[string]bool
}

// An origin is the place of a declaration, the same each time it is parsed.
type origin struct {
	source *syntax.Source
	offset int
}

func (c *Checker) originOf(n ast.Node) origin {
	src, offset := c.Within(n.Pos())
	return origin{src, offset}
}

// A failure is a problem at a position of the tree. If the declaration of a name could solve it,
// wait is that name.
type failure struct {
	syntax.Problem
	pos  token.Pos
	wait *state.Wait
	// order is the offset of the failure, or of the failure that it continues.
	order int
}

// problemsOf returns the failures that no later cell can solve, with hints. It omits a declaration
// that could wait if one that cannot wait lacks the same name.
func (k *Checked) problemsOf(failures []failure) (out []syntax.Problem) {
	var lacking state.Waits
	for _, f := range failures {
		if f.wait != nil && k.declarationOf(f) == nil {
			lacking = append(lacking, *f.wait)
		}
	}
	for _, f := range failures {
		if f.wait != nil && k.declarationOf(f) != nil && (state.Waits{*f.wait}).Within(lacking) {
			continue
		}
		out = append(out, f.Problem)
		if f.wait != nil && f.Hint == "" && k.decides(f.pos) {
			out[len(out)-1].Hint = cmp.Or(f.wait.Hint, " (declare "+f.wait.String()+" in this cell or an earlier one)")
		}
	}
	return out
}

// decides reports whether a position is in a declaration that cannot wait, or not at this position:
// of a variable, in the signature of a function or a type, or in an init function.
func (k *Checked) decides(pos token.Pos) bool {
	within := func(n ast.Node) bool { return n.Pos() <= pos && pos < n.End() }
	for _, d := range k.declarations {
		if within(d) {
			return !inBody(d, pos) || !canWait(d)
		}
	}
	return slices.ContainsFunc(k.Body, func(s ast.Stmt) bool {
		_, ok := s.(*ast.DeclStmt)
		return ok && within(s)
	})
}

// CheckWaiting checks a cell. Declarations that only lack names become pending or deferred.
// Declarations of earlier cells that waited for names of this cell join it, and functions that
// mention changed names follow it (following.go).
func (c *Checker) CheckWaiting(p *Reading) (*Checked, []syntax.Problem) {
	names, own, variables := declaredNames(p.Parsed)
	a := &attempt{pending: map[origin]state.Waits{}, deferred: map[origin]state.Waits{}, forgotten: map[token.Pos]int{}, renewed: map[string]bool{}}
	a.followers.with, a.joined = c.Session.WaitingFor(names, func(name string) bool { return own[name] })
	a.followers.with = append(a.followers.with, lateFor(c.Session, own, variables)...)
	var kept []*state.Deferred  // that the cell does not complete
	var before []syntax.Problem // with no declaration of the cell deferred
	for first := true; ; first = false {
		if !first {
			// The check has changed the tree.
			var problems []syntax.Problem
			if p, problems = c.Parse(p.Lexed); len(problems) > 0 {
				return nil, problems
			}
		}
		known := len(a.forgotten) + len(a.renewed)
		k, failures := c.check(p, a)
		if len(failures) == 0 {
			if !a.follow(c, k) {
				k.Left = a.followers.left
				k.defers(c, a, own, kept)
				return k, nil
			}
			k.Rollback()
			continue
		}
		if len(a.forgotten)+len(a.renewed) > known {
			continue
		}
		// Without a declaration, others fail, too; they get another attempt.
		if a.defers(c, k, failures) {
			if before == nil {
				before = k.problemsOf(a.own(failures))
			}
			continue
		}
		rest := a.drop(failures, true)
		if len(rest) == 0 {
			if a.followers.drop(c, failures) {
				continue
			}
			rest = a.drop(failures, false)
		}
		if len(rest) > 0 {
			kept = append(kept, rest...)
			continue
		}
		if !a.waits(c, k, failures) {
			// The rest of the cell may need functions that follow.
			if a.follow(c, k) {
				continue
			}
			if before == nil {
				before = k.problemsOf(failures)
			}
			return nil, before
		}
	}
}

// in reports whether a failure is in a declaration.
func (f *failure) in(decl ast.Decl) bool { return decl.Pos() <= f.pos && f.pos < decl.End() }

// own returns the failures that are not in declarations of earlier cells.
func (a *attempt) own(failures []failure) []failure {
	return slices.DeleteFunc(slices.Clone(failures), func(f failure) bool {
		return slices.ContainsFunc(a.joined, func(d *state.Deferred) bool { return f.in(d.Decl) }) ||
			slices.ContainsFunc(a.followers.with, func(x *state.Follower) bool { return f.in(x.Fn.Written) })
	})
}

// drop takes out the joined declarations that do not compile with the cell, either all of them or
// only those that lack names. It returns what they wait for now. A function of which only the body
// waits stays.
func (a *attempt) drop(failures []failure, lacking bool) (dropped []*state.Deferred) {
	a.joined = slices.DeleteFunc(a.joined, func(d *state.Deferred) bool {
		rest := *d
		rest.Waits, rest.Fault = nil, ""
		for _, f := range failures {
			if !f.in(d.Decl) || f.wait != nil && inBody(d.Decl, f.pos) {
				continue
			}
			if f.wait != nil {
				rest.Waits = rest.Waits.Add(*f.wait)
			} else if rest.Fault == "" {
				rest.Fault = f.Msg
			}
		}
		if rest.Waits != nil {
			rest.Fault = "" // this may be a consequence of the missing name
		}
		failed := rest.Waits != nil || rest.Fault != "" && !lacking
		if failed {
			dropped = append(dropped, &rest)
		}
		return failed
	})
	return dropped
}

func inBody(decl ast.Decl, pos token.Pos) bool {
	f, ok := decl.(*ast.FuncDecl)
	return ok && f.Body != nil && f.Body.Pos() <= pos
}

// declarationOf returns the declaration that contains a failure, or nil if that cannot wait. A
// program has nothing to wait for, and an init function runs at once.
func (k *Checked) declarationOf(f failure) ast.Decl {
	i := slices.IndexFunc(k.declarations, f.in)
	if i < 0 || k.Source.Cell.Plain || k.Source.Program || !canWait(k.declarations[i]) {
		return nil
	}
	return k.declarations[i]
}

// defers records which declarations of the cell wait because they themselves lack names. It reports
// whether there are any.
func (a *attempt) defers(c *Checker, k *Checked, failures []failure) bool {
	deferred := map[origin]state.Waits{}
	for _, f := range failures {
		decl := k.declarationOf(f)
		if decl == nil || f.wait == nil || inBody(decl, f.pos) || slices.ContainsFunc(state.DeclaredBy(decl), c.isLive) { // the live one would take its place
			continue
		}
		if from := c.originOf(decl); from.source == k.Source {
			deferred[from] = deferred[from].Add(*f.wait)
		}
	}
	maps.Copy(a.deferred, deferred)
	return len(deferred) > 0
}

// waits records which functions wait in their bodies, and for what, if that explains all failures.
func (a *attempt) waits(c *Checker, k *Checked, failures []failure) bool {
	pending := map[origin]state.Waits{}
	for _, f := range failures {
		decl := k.declarationOf(f)
		if decl == nil || !inBody(decl, f.pos) {
			return false
		}
		if f.wait != nil {
			from := c.originOf(decl)
			pending[from] = pending[from].Add(*f.wait)
		}
	}
	for _, f := range failures {
		waits := pending[c.originOf(k.declarationOf(f))]
		if f.wait == nil && !(waits != nil && strings.HasPrefix(f.Msg, "declared and not used")) && !k.selectsFrom(f, waits) {
			return false
		}
	}
	for at, waits := range pending {
		for _, w := range waits {
			a.pending[at] = a.pending[at].Add(w)
		}
	}
	return true
}

// canWait reports whether others can find a declaration later, and whether it need not run at once.
func canWait(decl ast.Decl) bool {
	f, ok := decl.(*ast.FuncDecl)
	name := state.DeclaredBy(decl)
	return len(name) > 0 && name[0] != "_" && (!ok || f.Recv != nil || f.Name.Name != "init")
}

// isLive reports whether a name, or that of a method, is declared.
func (c *Checker) isLive(name string) bool {
	owner, method, ok := strings.Cut(name, ".")
	d := c.Session.Live[owner]
	return d != nil && (!ok || d.Spec != nil && d.Spec.Methods[method] != nil)
}

// defers records which declarations wait after the cell, and which no longer do.
func (k *Checked) defers(c *Checker, a *attempt, own map[string]bool, kept []*state.Deferred) {
	for _, d := range c.Session.Deferred {
		names := state.DeclaredBy(d.Decl)
		if !slices.Contains(a.joined, d) && !slices.ContainsFunc(names, func(name string) bool { return own[name] }) {
			if i := slices.IndexFunc(kept, func(x *state.Deferred) bool { return x.Decl == d.Decl }); i >= 0 {
				if !kept[i].Waits.Within(d.Waits) || kept[i].Fault != d.Fault {
					k.NewlyDeferred = append(k.NewlyDeferred, kept[i])
				}
				d = kept[i]
			}
			k.Deferred = append(k.Deferred, d)
		}
	}
	for _, d := range k.takenOut {
		k.Deferred, k.NewlyDeferred = append(k.Deferred, d), append(k.NewlyDeferred, d)
	}
}

// adopt removes the deferred declarations from the cell and adds those of earlier cells that join
// it.
func (k *Checked) adopt(c *Checker, a *attempt) {
	if len(a.joined)+len(a.deferred) == 0 {
		return
	}
	file := k.declarationFile()
	var decls []ast.Decl
	for _, decl := range divided(file.Decls) {
		waits := a.deferred[c.originOf(decl)]
		if waits == nil {
			decls = append(decls, decl)
			continue
		}
		k.takenOut = append(k.takenOut, &state.Deferred{Decl: decl, Cell: k.Source.Cell.Number, Waits: waits})
		if f, ok := decl.(*ast.FuncDecl); !ok || f.Recv == nil {
			for _, name := range state.DeclaredBy(decl) {
				delete(file.Scope.Objects, name)
			}
		}
	}
	k.joined = slices.Clone(a.joined)
	for _, d := range k.joined {
		decl := copyOf(d.Decl)
		decls = append(decls, decl)
		k.mention(decl)
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				file.Scope.Insert(ast.NewObj(ast.Fun, decl.Name.Name))
			}
		case *ast.GenDecl:
			kind := ast.Con
			if decl.Tok == token.TYPE {
				kind = ast.Typ
			}
			for _, name := range state.DeclaredBy(decl) {
				obj := ast.NewObj(kind, name)
				if decl.Tok == token.TYPE {
					obj.Decl = decl.Specs[0]
				}
				file.Scope.Insert(obj)
			}
		}
	}
	file.Decls = decls
}

// copyOf returns a declaration whose parts the check may replace.
func copyOf(decl ast.Decl) ast.Decl {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		written := *decl
		return &written
	case *ast.GenDecl:
		group := *decl
		group.Specs = slices.Clone(decl.Specs)
		if spec, ok := group.Specs[0].(*ast.TypeSpec); ok {
			own := *spec
			group.Specs[0] = &own
		}
		return &group
	}
	return decl
}

// mention records the names in a declaration that joins the cell.
func (k *Checked) mention(decl ast.Node) {
	ast.Inspect(decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			k.Mentioned[id.Name] = true
		}
		return true
	})
}

// declarationFile returns the file of the cell's declarations, and creates it if necessary.
func (k *Checked) declarationFile() *ast.File {
	if k.Parsed.Declarations == nil {
		file := &ast.File{Name: ast.NewIdent("main"), Scope: ast.NewScope(nil), GoVersion: k.GoVersion}
		if s := k.Parsed.Statements; s != nil {
			file.FileStart, file.FileEnd = s.FileStart, s.FileEnd
		}
		k.Parsed.Declarations = file
	}
	return k.Parsed.Declarations
}

var lacksMethod = regexp.MustCompile(`(?:^|: |\t|dynamic type |\(type )\*?([\pL_][\pL\d_]*)(?:\[.*?\])?\)? (?:does not (?:implement|satisfy) .*)?\(missing method ([\pL_][\pL\d_]*)\)`)

// lacksName matches complaints about a name that is not declared, or is only that of a package.
var lacksName = regexp.MustCompile(`^(?:undefined: (\S+)(?: \(but have .*)?|undefined array length (\S+) or missing type constraint|invalid array length (\S+)|use of package (\S+) not in selector|(\S+) \(package name\) is not a type)$`)

// undeclared returns the name whose declaration could solve a problem, or nil.
func (c *Checker) undeclared(k *Checked, pos token.Pos, msg string) *state.Wait {
	path := k.pathTo(pos)
	if m := lacksName.FindStringSubmatch(msg); m != nil {
		name := strings.Join(m[1:], "")
		if token.IsIdentifier(name) && (strings.HasPrefix(msg, "undefined") || c.onlyPackage(k, name)) {
			call := innermost[*ast.CallExpr](path)
			return &state.Wait{Name: name, Calls: call != nil && ast.Unparen(call.Fun).Pos() == pos && token.IsIdentifier(types.ExprString(call.Fun))}
		}
	}
	if wait := c.variableFor(k, path); wait != nil {
		return wait
	}
	declarable := func(t types.Type) *types.Named {
		named, ok := types.Unalias(t).(*types.Named)
		if !ok || !state.IsSession(named.Obj()) || types.IsInterface(named) {
			return nil
		}
		return named
	}
	if sel := selected(path); sel != nil && strings.Contains(msg, " undefined (type ") {
		t := k.Info.TypeOf(sel.X)
		if t == nil {
			return nil
		}
		if p, ok := types.Unalias(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		if named := declarable(t); named != nil {
			return waitForSelected(path, named.Obj().Name())
		}
	}
	if m := lacksMethod.FindStringSubmatch(msg); m != nil {
		obj := k.Pkg.Scope().Lookup(m[1])
		if d := c.Session.Live[m[1]]; obj == nil && d != nil { // a type that the cell does not mention
			obj = d.Object
		}
		if obj, ok := obj.(*types.TypeName); ok && declarable(obj.Type()) != nil {
			return &state.Wait{Name: "." + m[2], Owner: m[1]}
		}
	}
	return nil
}

// waitForSelected returns the wait for the field or method that a selector selects from a name.
func waitForSelected(path []ast.Node, owner string) *state.Wait {
	sel := selected(path)
	call := innermost[*ast.CallExpr](path)
	return &state.Wait{Name: "." + sel.Sel.Name, Owner: owner, Calls: call != nil && call.Fun == ast.Expr(sel)}
}

// onlyPackage reports whether a name is that of a package because no cell has declared it.
func (c *Checker) onlyPackage(k *Checked, name string) bool {
	return c.Preloaded[name] != "" && c.Session.Live[name] == nil && !slices.ContainsFunc(k.Imported, func(p *types.PkgName) bool { return p.Name() == name })
}

// variableFor returns the wait for a variable with the name of a package, when a path selects a
// name that the package lacks: heap.n, user.Name. It returns nil if the name is probably a typing
// error: an exported name is close to one of the package, a later Go has it, or the declaration
// also uses the package otherwise. An unexported name is an error if it differs from one of the
// package only in case, and the function of the package has as many arguments.
func (c *Checker) variableFor(k *Checked, path []ast.Node) *state.Wait {
	sel := selected(path)
	if sel == nil {
		return nil
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok || !c.onlyPackage(k, id.Name) {
		return nil
	}
	pkg, ok := k.Info.Uses[id].(*types.PkgName)
	if !ok {
		return nil
	}
	near := nearest(sel.Sel.Name, k.members(id))
	slip := near != "" && strings.EqualFold(near, sel.Sel.Name) && couldBe(path, pkg.Imported().Scope().Lookup(near))
	if sel.Sel.IsExported() {
		slip = near != "" || c.later(k, path, "undefined") != ""
		ast.Inspect(path[slices.IndexFunc(path, func(n ast.Node) bool { _, ok := n.(ast.Decl); return ok })], func(n ast.Node) bool {
			if other, ok := n.(*ast.SelectorExpr); ok && k.Info.Uses[other.Sel] != nil {
				x, ok := other.X.(*ast.Ident)
				slip = slip || ok && k.Info.Uses[x] == types.Object(pkg)
			}
			return !slip
		})
	}
	if slip {
		return nil
	}
	wait := waitForSelected(path, id.Name)
	wait.Hint = " (package " + c.Preloaded[id.Name] + " has no " + sel.Sel.Name + ")"
	return wait
}

// selectsFrom reports whether a failure is about a selection from a name for which a declaration
// waits. The check takes the name for a package, but it will be a variable.
func (k *Checked) selectsFrom(f failure, waits state.Waits) bool {
	return slices.ContainsFunc(k.pathTo(f.pos), func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			n = call.Fun
		}
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		id, ok := sel.X.(*ast.Ident)
		return ok && slices.ContainsFunc(waits, func(w state.Wait) bool { return w.Owner == id.Name })
	})
}

// couldBe reports whether an object fits a selector: if the selector is called, the object must be
// a function with as many arguments.
func couldBe(path []ast.Node, obj types.Object) bool {
	call := innermost[*ast.CallExpr](path)
	if call == nil || call.Fun != ast.Expr(selected(path)) {
		return true
	}
	sig, ok := obj.Type().(*types.Signature)
	return ok && (len(call.Args) == sig.Params().Len() || sig.Variadic() && len(call.Args) >= sig.Params().Len()-1)
}

// declaredNames returns the names that a cell declares and that others may wait for, those that
// identify its own declarations, and those of its variables.
func declaredNames(p *syntax.Parsed) (names, own, variables map[string]bool) {
	names, own, variables = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, spec := range p.Imports {
		name := strings.Trim(spec.Path.Value, "`\"")
		name = name[strings.LastIndexByte(name, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = true
	}
	for _, stmt := range p.Body {
		for _, id := range syntax.VariablesOf(stmt) {
			names[id.Name], own[id.Name], variables[id.Name] = true, true, true
		}
	}
	if p.Declarations != nil {
		for _, d := range p.Declarations.Decls {
			state.Ends(d, names)
			for _, name := range state.DeclaredBy(d) {
				own[name] = true
			}
		}
	}
	return names, own, variables
}

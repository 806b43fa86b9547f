package engine

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// goVersion is the language version that cells are written in.
const goVersion = "go1.26"

// A checker type-checks cells against a session. It changes nothing in the
// session; the declarations of a cell that passed are in its checked.
type checker struct {
	*files
	session   *session
	importer  types.Importer
	preloaded map[string]string
	// strict says that cells are Go in what they do with errors, too.
	strict bool
	// pkg is the package of all cells, emptied for each.
	pkg *types.Package
}

// newChecker returns a checker for a new session.
func newChecker(importer types.Importer, preloaded map[string]string, strict bool) *checker {
	return &checker{files: newFiles(), session: newSession(), importer: importer, preloaded: preloaded, strict: strict}
}

// fresh returns the notebook's package with an empty scope. Package and scope
// are the same for all cells: go/types compares packages by pointer where it
// decides about unexported fields, and scopes where it decides what is local.
func (c *checker) fresh() *types.Package {
	empty := types.NewPackage(packagePath, "main")
	if c.pkg == nil {
		c.pkg = empty
	} else {
		*c.pkg.Scope() = *empty.Scope()
	}
	return c.pkg
}

// A topVariable is a variable that a statement at the top of a cell declares.
type topVariable struct {
	local  *types.Var // as the statements know it
	global *types.Var // as functions and later cells know it
	// statement is the index of the statement in the cell's body.
	statement int
}

// A checkedFunc is a function or method of a checked cell.
type checkedFunc struct {
	decl *ast.FuncDecl // as written
	// body is the same function with its receiver, if any, as first
	// parameter: the form in which it was checked and is lowered.
	body   *ast.FuncDecl
	object *types.Func
	// receiver is the type the method belongs to; nil for functions.
	receiver *types.TypeName
	// pending names the function that the body calls and that no cell has
	// declared yet; such a body is not checked.
	pending string
	// again is the function of an earlier cell that is declared again with the
	// cell; nil for the cell's own functions.
	again *function
}

// A checked cell is a parsed cell with its types.
type checked struct {
	*reading
	pkg       *types.Package
	info      *types.Info
	funcs     []*checkedFunc
	types     []*ast.TypeSpec
	variables []*topVariable
	imported  []*types.PkgName
	dotted    []types.Object
	strict    bool
	// remembered holds the assignments that leave out an error, which now have
	// a blank for it, and initial the declarations whose variables get their
	// values by the statement after.
	remembered map[ast.Node]bool
	initial    map[ast.Stmt]bool
	// same holds the names of types that the cell declares as they are, and
	// renewed those which are new all the same, for a method of another signature.
	same, renewed map[string]bool
	// again holds the functions of earlier cells that the cell declares again,
	// by their declarations, and left those that do not compile with it.
	again map[*ast.FuncDecl]*function
	left  []*follower
	// undo takes back what the check did to types of earlier cells.
	undo []func()
}

func (c *checked) rollback() {
	for i := len(c.undo) - 1; i >= 0; i-- {
		c.undo[i]()
	}
	c.undo = nil
}

func newInfo() *types.Info {
	return &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Instances:  map[*ast.Ident]types.Instance{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Implicits:  map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
}

// check type-checks a parsed cell. The order is that of a notebook: first
// what the cell declares (without bodies), then its statements one after the
// other, then the bodies of its functions, which see all of it.
//
// waiting holds, for functions of the cell by their offset, the name of the
// undeclared function that they call, and followers those of earlier cells that
// are declared again. forgotten holds the places of the assignments that leave
// out an error, and renewed the names of types that must not stay what they are;
// check adds what it finds wrong for want of that.
func (c *checker) check(p *reading, waiting map[int]string, followers []*follower, forgotten map[token.Pos]bool, renewed map[string]bool) (*checked, []problem) {
	k := &checked{reading: p, pkg: c.fresh(), info: newInfo(), strict: c.strict, renewed: renewed}
	k.remember(forgotten)
	k.join(followers)
	var problems []problem
	var places []token.Pos
	complain := func(pos token.Pos, msg string) {
		problems = append(problems, c.problem(pos, msg))
		places = append(places, pos)
	}

	c.importAll(k, complain)
	late := c.declarations(k)
	shield(k.types)
	for _, f := range k.funcs {
		if f.again == nil {
			f.pending = waiting[int(f.decl.Pos()-p.declarations.FileStart)]
		}
	}
	c.insert(k)
	c.refuseForeign(k, complain)
	if len(problems) > 0 {
		return nil, problems
	}

	seen := map[string]bool{}
	conf := &types.Config{
		Importer:  c.importer,
		GoVersion: goVersion,
		Sizes:     types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			e, ok := err.(types.Error)
			if !ok || c.forgiven(k, e) {
				return
			}
			key := fmt.Sprint(e.Pos, e.Msg)
			if !seen[key] {
				seen[key] = true
				complain(e.Pos, k.recallWording(compilerWording(e.Msg)))
			}
		},
	}
	chk := types.NewChecker(conf, c.fset, k.pkg, k.info)
	// Files reports through conf.Error; its result is the first of those.
	files := func(f *ast.File) { _ = chk.Files([]*ast.File{f}) }

	if p.declarations != nil {
		conf.IgnoreFuncBodies = true
		files(p.declarations)
		conf.IgnoreFuncBodies = false
		if len(problems) == 0 {
			c.addMethods(k, late, complain)
		}
	}
	if p.statements != nil {
		files(p.statements)
		k.overflow(complain)
	}
	c.topVariables(k)
	if f := c.bodies(k); f != nil {
		files(f)
	}
	if len(problems) > 0 {
		for i := range problems {
			problems[i].hint = c.hint(k, places[i], problems[i].msg)
		}
		if !c.strict {
			for _, place := range forgets(k) {
				forgotten[place] = true
			}
		}
		k.rollback()
		sort.SliceStable(problems, func(i, j int) bool { return problems[i].offset < problems[j].offset })
		return nil, problems
	}
	return k, nil
}

// overflow complains of a constant that is the cell's value and too large for
// what it is shown as, in the words of go/types, which has not seen it used.
func (k *checked) overflow(complain func(token.Pos, string)) {
	if k.value == nil || k.silent {
		return
	}
	tv := k.info.Types[k.value.X]
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
		complain(k.value.Pos(), fmt.Sprintf("cannot use %s (untyped %s constant %s) as %s value (overflows)", types.ExprString(k.value.X), kind, tv.Value, shown))
	}
}

// importAll resolves the cell's import declarations.
func (c *checker) importAll(k *checked, complain func(token.Pos, string)) {
	for _, spec := range k.imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			complain(spec.Path.Pos(), "invalid import path: "+spec.Path.Value)
			continue
		}
		pkg, err := c.importer.Import(path)
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
		case ".":
			scope := pkg.Scope()
			for _, n := range scope.Names() {
				if obj := scope.Lookup(n); obj.Exported() {
					k.dotted = append(k.dotted, obj)
				}
			}
		default:
			k.imported = append(k.imported, types.NewPkgName(spec.Pos(), k.pkg, name, pkg))
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

// declarations collects the cell's types and functions, leaves out types that
// are declared again as they are, and returns the methods of types of earlier
// cells. These are taken out of their types and become functions, because
// go/types has no way to declare them.
func (c *checker) declarations(k *checked) (late []*checkedFunc) {
	if k.parsed.declarations == nil {
		return nil
	}
	file := k.parsed.declarations
	declared := map[string]bool{}
	for name := range file.Scope.Objects {
		declared[name] = true
	}
	same := c.unchangedTypes(k, file, declared)
	k.same = same
	for _, pkg := range k.imported {
		// An import and a declaration of one name: the declaration wins, as
		// the later of two declarations does everywhere in a notebook.
		if declared[pkg.Name()] {
			delete(k.mentioned, pkg.Name())
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
						k.mentioned[spec.Name.Name] = true
						continue
					}
					k.types = append(k.types, spec)
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
			f := &checkedFunc{decl: d, again: k.again[d]}
			k.funcs = append(k.funcs, f)
			if d.Recv != nil {
				if base := receiverBase(d); base != nil && !declaredType(k, file, base.Name, same) {
					if live := c.session.live[base.Name]; live != nil && live.spec != nil {
						f.receiver = ownerOf(live.object.(*types.TypeName))
						k.mentioned[base.Name] = true
						late = append(late, f)
						if named, ok := f.receiver.Type().(*types.Named); ok && named.TypeParams().Len() == 0 && c.session.byObject[f.receiver] != nil {
							f.body = plainFunction(d, fmt.Sprintf("%s.%s", base.Name, d.Name.Name), nil)
							decls = append(decls, f.body)
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
func declaredType(k *checked, file *ast.File, name string, same map[string]bool) bool {
	obj := file.Scope.Lookup(name)
	return obj != nil && obj.Kind == ast.Typ && !same[name]
}

// insert puts the live objects that the cell mentions into its package scope.
func (c *checker) insert(k *checked) {
	scope := k.pkg.Scope()
	if name := k.source.alias; name != "" {
		if pkg, err := c.importer.Import(magicPath); err == nil {
			scope.Insert(types.NewPkgName(token.NoPos, k.pkg, name, pkg))
		}
	}
	declared := func(name string) bool {
		return k.parsed.declarations != nil && declaresTop(k.parsed.declarations, name)
	}
	for _, pkg := range k.imported {
		if !declared(pkg.Name()) {
			scope.Insert(pkg)
		}
	}
	for _, obj := range k.dotted {
		if k.mentioned[obj.Name()] && !declared(obj.Name()) {
			scope.Insert(obj)
		}
	}
	for _, r := range k.recalled {
		scope.Insert(r.object)
	}
	for name := range k.mentioned {
		if declared(name) || scope.Lookup(name) != nil {
			continue
		}
		if d := c.session.live[name]; d != nil {
			scope.Insert(d.object)
			continue
		}
		if path := c.preloaded[name]; path != "" && types.Universe.Lookup(name) == nil && c.session.gone[name] == nil && !k.hides(name) {
			if pkg, err := c.importer.Import(path); err == nil {
				scope.Insert(types.NewPkgName(token.NoPos, k.pkg, name, pkg))
			}
		}
	}
}

// hides reports whether the statements at the cell's top declare a variable
// that has the name of a package, and do not use the package before.
func (k *checked) hides(name string) bool {
	for _, stmt := range k.body {
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
		if slices.ContainsFunc(declaredBy(stmt), func(id *ast.Ident) bool { return id.Name == name }) {
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

func declaresTop(file *ast.File, name string) bool {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == name {
				return true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.Name == name {
						return true
					}
				case *ast.ValueSpec:
					for _, id := range s.Names {
						if id.Name == name {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// topVariables makes package-level variables of those that the statements at
// the cell's top declare, so that functions and later cells see them.
func (c *checker) topVariables(k *checked) {
	byLocal := map[*types.Var]bool{}
	for i, stmt := range k.body {
		if k.initial[stmt] {
			i++
		}
		for _, id := range declaredBy(stmt) {
			local, ok := k.info.Defs[id].(*types.Var)
			if !ok || id.Name == "_" || byLocal[local] {
				continue
			}
			byLocal[local] = true
			global := types.NewVar(local.Pos(), k.pkg, local.Name(), local.Type())
			k.variables = append(k.variables, &topVariable{local, global, i})
			switch prior := k.pkg.Scope().Lookup(local.Name()); {
			case prior == nil:
				k.pkg.Scope().Insert(global)
			case prior.Pkg() != k.pkg || !types.Identical(prior.Type(), global.Type()):
				replaceInScope(k.pkg.Scope(), global)
			}
		}
	}
}

// replaceInScope has a name mean another object. A scope has no way to do so, and
// objects keep the address of the scope, which is therefore made anew in its place.
func replaceInScope(scope *types.Scope, obj types.Object) {
	fresh := types.NewPackage(packagePath, "main").Scope()
	fresh.Insert(obj)
	for _, name := range scope.Names() {
		if name != obj.Name() {
			fresh.Insert(scope.Lookup(name))
		}
	}
	*scope = *fresh
}

// declaredBy returns the identifiers that a statement at the top declares.
func declaredBy(stmt ast.Stmt) []*ast.Ident {
	var ids []*ast.Ident
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			for _, e := range s.Lhs {
				if id, ok := e.(*ast.Ident); ok {
					ids = append(ids, id)
				}
			}
		}
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
			for _, spec := range d.Specs {
				ids = append(ids, spec.(*ast.ValueSpec).Names...)
			}
		}
	}
	return ids
}

// forgiven reports errors that a notebook does not make: the last expression
// is used, being shown, and so are the variables at the top of a cell.
func (c *checker) forgiven(k *checked, e types.Error) bool {
	if k.value != nil && strings.HasSuffix(e.Msg, "is not used") {
		x := ast.Unparen(k.value.X)
		if e.Pos == k.value.X.Pos() || e.Pos == x.Pos() {
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
		for _, stmt := range k.body {
			for _, id := range declaredBy(stmt) {
				if id.Pos() == e.Pos {
					return true
				}
			}
		}
	}
	return false
}

// compilerWording turns the words of go/types into those of the compiler
// where they differ.
func compilerWording(msg string) string {
	return strings.TrimSuffix(msg, "\n")
}

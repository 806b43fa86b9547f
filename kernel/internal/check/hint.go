package check

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// hint returns a hint to append to a complaint about the cell, or nothing.
func (c *Checker) hint(k *Checked, pos token.Pos, msg string) string {
	if name := c.lacking(msg); name != "" && c.NotRun != nil {
		if text := c.NotRun(name); text != "" {
			return " (" + text + ")"
		}
	}
	path := k.pathTo(pos)
	if text := c.hidden(k, path); text != "" {
		return " (" + text + ")"
	}
	if text := k.counterpart(path, msg); text != "" {
		return " (" + text + ")"
	}
	if text := c.later(k, path, msg); text != "" {
		return " (" + text + ")"
	}
	if name := c.nearestName(k, path, msg); name != "" {
		return " (did you mean " + name + "?)"
	}
	for _, help := range []func([]ast.Node, string) string{misused, k.errorWithin, k.errorReturned, k.secondLeft, declares, k.availableFields, k.resultHas, c.contextLeftOut, k.noFunction, k.typeAlone, k.otherModel, c.packageAlone, pointerMethod} {
		if text := help(path, msg); text != "" {
			return " (" + text + ")"
		}
	}
	return ""
}

// lacking returns the missing name that a complaint is about, or the name of a package that a
// missing declaration would have hidden. It is empty for other complaints.
func (c *Checker) lacking(msg string) string {
	m := lacksName.FindStringSubmatch(msg)
	if m == nil {
		return ""
	}
	name, _, selects := strings.Cut(strings.Join(m[1:], ""), ".")
	if (selects || !strings.HasPrefix(msg, "undefined")) && c.Preloaded[name] == "" || c.Session.Missed[name].Cell != 0 {
		return ""
	}
	return name
}

// library is the prefix of the paths of hierml's own packages.
const library = "github.com/hierml/notebook/hierml/"

// counterpart names hierml's counterpart to a name of Python's libraries that a complaint is about.
func (k *Checked) counterpart(path []ast.Node, msg string) string {
	if len(path) == 0 {
		return ""
	}
	id, ok := path[len(path)-1].(*ast.Ident)
	if !ok || strings.Contains(msg, "but does have ") || strings.Contains(msg, "(but have ") {
		return ""
	}
	if word, ok := strings.CutPrefix(msg, "undefined: "); ok {
		_, name, selected := strings.Cut(word, ".")
		if selected {
			return syntax.CounterpartOf(name, false)
		}
		text := syntax.CounterpartOf(word, false)
		if sel, ok := parent(path).(*ast.SelectorExpr); ok && sel.X == id && text != "" { // np.array: prefer array
			return cmp.Or(syntax.CounterpartOf(sel.Sel.Name, true), text)
		}
		return text
	}
	var of types.Type
	switch sel := selected(path); {
	case sel != nil && strings.Contains(msg, "has no field or method"):
		of = k.Info.TypeOf(sel.X)
	case strings.HasPrefix(msg, "unknown field "):
		if lit := innermost[*ast.CompositeLit](path); lit != nil {
			of = k.Info.TypeOf(lit)
		}
	}
	if of == nil {
		return ""
	}
	named, ok := types.Unalias(deref(of)).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || !strings.HasPrefix(named.Obj().Pkg().Path(), library) {
		return ""
	}
	return syntax.CounterpartOf(id.Name, true)
}

// parent returns the node around the innermost one.
func parent(path []ast.Node) ast.Node {
	if len(path) < 2 {
		return nil
	}
	return path[len(path)-2]
}

// misuse is a use of one of hierml's values that Python's libraries would allow.
type misuse struct {
	complaint  *regexp.Regexp // its first group is an expression, if there is one, for %s in code
	types      string         // of the value, separated by blanks
	says, code string
}

// misuses are all of them. Their replacements compile where those of syntax.Counterparts do.
var misuses = sync.OnceValue(func() []misuse {
	lacks := regexp.MustCompile(`^invalid argument: (\S+) \(.*\) for built-in len$`)
	index := regexp.MustCompile(`^(?:invalid operation: )?cannot index (\S+) \(.*\)$`)
	loop := regexp.MustCompile(`^cannot range over (\S+) \(.*\)`)
	as := func(want string) *regexp.Regexp {
		return regexp.MustCompile(`^cannot use (.*) \(.*\) as ` + regexp.QuoteMeta(want) + ` value in `)
	}
	return []misuse{
		{lacks, "*dataset.Corpus *dataset.Dataset *dataset.Table", "", `%s.Len()`},
		{index, "*dataset.Corpus", "", `%s.Documents[0]`},
		{index, "*dataset.Dataset", "", `%s.Subset([]int{0})`},
		{index, "*dataset.Table", "", `%s.Column("column")`},
		{loop, "*dataset.Corpus", "", `for i, document := range %s.Documents { fmt.Println(i, document.Text) }`},
		{loop, "*dataset.Dataset", "", `for i, labels := range %s.Labels { fmt.Println(i, labels) }`},
		{as("context.Context"), "*dataset.Dataset *dataset.Matrix *dataset.Corpus [][]float64 []string", "", `model := svm.Flat{C: 1}.Fit(nb.Context(), trainSet)`},
		{as("*dataset.Dataset"), "*dataset.Corpus", "it takes vectors of the texts", `features.Text{}.Fit(%s).Transform(%[1]s)`},
		{as("*dataset.Dataset"), "*dataset.Table", "it takes vectors of the rows", `features.Columns{}.Fit(nb.Context(), %s).Transform(nb.Context(), %[1]s)`},
		{as("*dataset.Dataset"), "string []string", "make a corpus of the texts and labels, and vectors of the corpus", `features.Text{}.Fit(corpus).Transform(corpus)`},
		{as("*dataset.Matrix"), "string", "it takes a vector of the text; a pipeline takes texts", `model.Predict(words.Vectors("a text"))`},
		{as("*dataset.Matrix"), "[]string", "it takes vectors of the texts", `model.Predict(words.Vectors(%s...))`},
		{as("*dataset.Matrix"), "*dataset.Corpus", "it takes vectors of the texts", `model.Predict(words.Transform(%s).X)`},
		{as("*dataset.Matrix"), "*dataset.Dataset", "", `%s.X`},
		{as("*dataset.Matrix"), "[]float64 [][]float64", "", `x := dataset.MatrixOf([]float64{1, 2}, []float64{3, 4})`},
		{regexp.MustCompile(`^unknown field \w+ in struct literal of type features.TFIDF$`), "", "features.Text has more settings", `features.Text{NGrams: [2]int{1, 2}}.Fit(train)`},
	}
})

// ofType finds the type in a complaint.
var ofType = regexp.MustCompile(`\((?:[^()]*of type |untyped )([^\s()]+)`)

// misused says what to write instead of the misuse that a complaint is about.
func misused(_ []ast.Node, msg string) string {
	of := ""
	if m := ofType.FindStringSubmatch(msg); m != nil {
		of = m[1]
	}
	for _, u := range misuses() {
		x := u.complaint.FindStringSubmatch(msg)
		if x == nil || u.types != "" && !slices.Contains(strings.Fields(u.types), of) {
			continue
		}
		code := u.code
		if strings.Contains(code, "%") {
			code = fmt.Sprintf(code, x[1])
		}
		return syntax.Counterpart{Says: u.says, Code: code}.String()
	}
	return ""
}

var noAddress = regexp.MustCompile(`^cannot call pointer method (\w+) on (\S+)$`)

// pointerMethod says how to call a method that needs the address of its value.
func pointerMethod(path []ast.Node, msg string) string {
	m := noAddress.FindStringSubmatch(msg)
	sel := selected(path)
	if m == nil || sel == nil {
		return ""
	}
	value := "…"
	if _, ok := ast.Unparen(sel.X).(*ast.CompositeLit); ok {
		value = m[2] + "{…}"
	}
	return fmt.Sprintf("assign the value to a variable first: v := %s; v.%s(…)", value, m[1])
}

// later says that a later release of Go has the name that a complaint reports as missing.
func (c *Checker) later(k *Checked, path []ast.Node, msg string) string {
	library, ok := c.Importer.(interface {
		Later(path, name string) string
	})
	if !ok || len(path) == 0 || !strings.Contains(msg, "undefined") && !strings.HasPrefix(msg, "unknown field ") {
		return ""
	}
	id, ok := path[len(path)-1].(*ast.Ident)
	if !ok {
		return ""
	}
	sel := selected(path)
	if sel == nil {
		if lit := innermost[*ast.CompositeLit](path); lit != nil && strings.HasPrefix(msg, "unknown field ") {
			return laterOf(library.Later, k.Info.TypeOf(lit), id.Name)
		}
		return library.Later(id.Name, "")
	}
	if x, ok := sel.X.(*ast.Ident); ok {
		if pkg, ok := k.Info.Uses[x].(*types.PkgName); ok {
			return library.Later(pkg.Imported().Path(), id.Name)
		}
	}
	return laterOf(library.Later, k.Info.TypeOf(sel.X), id.Name)
}

// laterOf is later for a field or method of a type.
func laterOf(later func(path, name string) string, t types.Type, name string) string {
	if t == nil {
		return ""
	}
	named, ok := types.Unalias(deref(t)).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	return later(named.Obj().Pkg().Path(), named.Obj().Name()+"."+name)
}

// hidden says that a variable hides a package, if the package has the name that a complaint reports
// as missing from the variable.
func (c *Checker) hidden(k *Checked, path []ast.Node) string {
	sel := selected(path)
	if sel == nil {
		return ""
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok || c.Preloaded[id.Name] == "" {
		return ""
	}
	if _, variable := k.Info.Uses[id].(*types.Var); !variable {
		return ""
	}
	pkg, err := c.Importer.Import(c.Preloaded[id.Name])
	if err != nil || pkg.Scope().Lookup(sel.Sel.Name) == nil {
		return ""
	}
	return "the variable " + id.Name + " hides the package " + id.Name + ": rename it, or import the package under another name"
}

// pathTo returns the nodes of the cell around a position, the innermost last.
func (k *Checked) pathTo(pos token.Pos) (path []ast.Node) {
	var roots []ast.Node
	if k.Statements != nil {
		roots = append(roots, k.Statements)
	}
	if k.Declarations != nil {
		roots = append(roots, k.Declarations)
	}
	for _, d := range k.declarations {
		roots = append(roots, d)
	}
	for _, root := range roots {
		ast.Inspect(root, func(n ast.Node) bool {
			if n == nil || pos < n.Pos() || n.End() <= pos {
				return false
			}
			path = append(path, n)
			return true
		})
		if len(path) > 1 {
			return path
		}
		path = nil
	}
	return nil
}

// nearestName suggests the name that was meant by an unknown one: the nearest name that is valid
// there.
func (c *Checker) nearestName(k *Checked, path []ast.Node, msg string) string {
	if len(path) < 2 {
		return ""
	}
	id, ok := path[len(path)-1].(*ast.Ident)
	if !ok {
		return ""
	}
	if strings.Contains(msg, "but does have ") || strings.Contains(msg, "(but have ") { // which name it
		return ""
	}
	var names []string
	switch sel := selected(path); {
	case sel != nil && strings.Contains(msg, "undefined"):
		names = k.members(sel.X)
	case strings.HasPrefix(msg, "undefined: "):
		names = c.namesAt(k, path, id)
	case strings.HasPrefix(msg, "unknown field "):
		names = k.fieldsAround(path)
	}
	if of := innermost[*ast.FuncDecl](path); of != nil && !transposed(id.Name, of.Name.Name) && !strings.EqualFold(id.Name, of.Name.Name) {
		names = slices.DeleteFunc(names, func(name string) bool { return name == of.Name.Name }) // inside rec, rec2 is another function
	}
	return nearest(id.Name, names)
}

// members returns the exported names of a package, or the fields and methods of a value.
func (k *Checked) members(x ast.Expr) (names []string) {
	if id, ok := x.(*ast.Ident); ok {
		if pkg, ok := k.Info.Uses[id].(*types.PkgName); ok {
			return slices.DeleteFunc(pkg.Imported().Scope().Names(), func(name string) bool { return !token.IsExported(name) })
		}
	}
	t := k.Info.TypeOf(x)
	if t == nil {
		return nil
	}
	names = fields(t)
	if _, pointer := t.Underlying().(*types.Pointer); !pointer && !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	for selection := range types.NewMethodSet(t).Methods() {
		names = append(names, selection.Obj().Name())
	}
	return names
}

// fields returns the names of the fields of a struct, or of what a pointer points to, with those of
// structs within.
func fields(t types.Type) (names []string) {
	if t == nil {
		return nil
	}
	s, ok := deref(t).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for f := range s.Fields() {
		names = append(names, f.Name())
		if _, pointer := f.Type().Underlying().(*types.Pointer); f.Embedded() && !pointer {
			names = append(names, fields(f.Type())...)
		}
	}
	return names
}

// fieldsAround returns the names of the fields of the innermost composite literal of a path.
func (k *Checked) fieldsAround(path []ast.Node) []string {
	if lit := innermost[*ast.CompositeLit](path); lit != nil {
		return fields(k.Info.TypeOf(lit))
	}
	return nil
}

// deref returns what a pointer points to, or the type.
func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// selected returns the selector whose name is the innermost node of a path, or nil.
func selected(path []ast.Node) *ast.SelectorExpr {
	if len(path) < 2 {
		return nil
	}
	if sel, ok := path[len(path)-2].(*ast.SelectorExpr); ok && sel.Sel == path[len(path)-1] {
		return sel
	}
	return nil
}

// namesAt returns the names that are valid at an identifier.
func (c *Checker) namesAt(k *Checked, path []ast.Node, id *ast.Ident) []string {
	names := k.Pkg.Scope().Names()
	for name := range c.Session.Live {
		names = append(names, name)
	}
	if !assigned(path) {
		names = append(names, types.Universe.Names()...)
		for name := range c.Preloaded {
			names = append(names, name)
		}
	}
	for ident, obj := range k.Info.Defs {
		if obj != nil && obj.Parent() != nil && ident.Pos() < id.Pos() && obj.Parent().Contains(id.Pos()) {
			names = append(names, ident.Name)
		}
	}
	return names
}

// assigned reports whether the innermost node of a path is being assigned to.
func assigned(path []ast.Node) bool {
	assignment, ok := parent(path).(*ast.AssignStmt)
	return ok && slices.ContainsFunc(assignment.Lhs, func(x ast.Expr) bool { return x == path[len(path)-1] })
}

// nearest returns the name that a mistyped one probably means, or nothing. It differs only in case,
// in one letter of four, or by two letters that changed places. Names of three letters have no
// neighbours: sum is not svm.
func nearest(mistyped string, names []string) string {
	slices.Sort(names) // the first of those as near
	letters := utf8.RuneCountInString(mistyped)
	best, distance := "", max(1, (letters+1)/4)+1
	for _, name := range slices.Compact(names) {
		if longer := utf8.RuneCountInString(name) - letters; max(longer, -longer) >= distance {
			continue // as many letters are missing, or too many
		}
		d := levenshtein.ComputeDistance(mistyped, name)
		switch {
		case name == mistyped, !token.IsIdentifier(name): // the cell cannot have it
			continue
		case strings.EqualFold(mistyped, name):
			d = 0
		case transposed(mistyped, name):
			d = 1
		case utf8.RuneCountInString(name) < 2 || letters < 3:
			continue
		case utf8.RuneCountInString(name) <= 3 && letters <= 3:
			continue
		}
		if d < distance {
			best, distance = name, d
		}
	}
	return best
}

// transposed reports whether two neighbours among the letters of two words changed places.
func transposed(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) != len(y) {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:])
}

// errorWithin says what to do with a call that returns a value and an error where one value is
// wanted, if a complaint is about that.
func (k *Checked) errorWithin(path []ast.Node, msg string) string {
	if !strings.HasPrefix(msg, "multiple-value ") && !strings.HasPrefix(msg, "too many arguments in call") {
		return ""
	}
	inFunction := false
	var call *ast.CallExpr
	for _, n := range path {
		switch n := n.(type) {
		case *ast.FuncDecl:
			inFunction = inFunction || n.Body == nil || len(k.Body) == 0 || n.Body.Pos() > k.Body[0].Pos() || n.Body.End() < k.Body[0].End()
		case *ast.FuncLit:
			inFunction = true
		case *ast.CallExpr:
			if returnsError(k.Info, n) {
				call = n
			}
			for _, arg := range n.Args {
				if inner, ok := ast.Unparen(arg).(*ast.CallExpr); ok && call == nil && returnsError(k.Info, inner) {
					call = inner
				}
			}
		}
	}
	if call == nil {
		return ""
	}
	name := called(call)
	if !inFunction && !k.strict { // the error is not the problem
		return ""
	}
	return name + " also returns an error: assign both in a statement before, x, err := " + name + "(…), or panic with it by must(" + name + "(…))"
}

// returnsError reports whether a call has one value and an error.
func returnsError(info *types.Info, call *ast.CallExpr) bool {
	results, ok := info.TypeOf(call).(*types.Tuple)
	return ok && results.Len() == 2 && typed.IsError(results.At(1).Type())
}

// called is what a call calls, without its package or value.
func called(call *ast.CallExpr) string {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return "f"
}

// errorReturned says what to do with a call that returns a value and an error, in the return
// statement of a function with one result, if a complaint is about that.
func (k *Checked) errorReturned(path []ast.Node, msg string) string {
	if !strings.HasPrefix(msg, "too many return values") {
		return ""
	}
	var of *ast.FuncType // the returning function
	for _, n := range path {
		switch n := n.(type) {
		case *ast.FuncDecl:
			of = n.Type
		case *ast.FuncLit:
			of = n.Type
		case *ast.ReturnStmt:
			if of == nil || of.Results.NumFields() != 1 || len(n.Results) != 1 {
				continue
			}
			if call, ok := ast.Unparen(n.Results[0]).(*ast.CallExpr); ok && returnsError(k.Info, call) {
				return called(call) + " also returns an error: let the function return (" + types.ExprString(of.Results.List[0].Type) + ", error)"
			}
		}
	}
	return ""
}

// secondLeft says what to do with a call whose last result has no variable, if a complaint is about
// that.
func (k *Checked) secondLeft(path []ast.Node, msg string) string {
	if !strings.HasPrefix(msg, "assignment mismatch: ") {
		return ""
	}
	for _, n := range slices.Backward(path) {
		var left, right []ast.Expr
		sign := " = "
		switch n := n.(type) {
		case *ast.AssignStmt:
			left, right, sign = n.Lhs, n.Rhs, " "+n.Tok.String()+" "
		case *ast.ValueSpec:
			left, right = names(n), n.Values
		default:
			continue
		}
		if len(right) != 1 {
			return ""
		}
		call, ok := ast.Unparen(right[0]).(*ast.CallExpr)
		if !ok {
			return ""
		}
		results, ok := k.Info.TypeOf(call).(*types.Tuple)
		if !ok || results.Len() != len(left)+1 {
			return ""
		}
		var variables []string
		for _, x := range left {
			variables = append(variables, types.ExprString(x))
		}
		of := sign + types.ExprString(call.Fun) + "(…)"
		last := results.At(len(left)).Type()
		switch basic, _ := last.Underlying().(*types.Basic); {
		case typed.IsError(last):
			return called(call) + " also returns an error: " + strings.Join(append(variables, "err"), ", ") + of
		case basic != nil && basic.Kind() == types.Bool:
			return called(call) + " also returns whether it succeeded: " + strings.Join(append(variables, "ok"), ", ") + of
		}
		return ""
	}
	return ""
}

// declares says how to declare a variable that is assigned to, if a complaint is that it is
// undefined.
func declares(path []ast.Node, msg string) string {
	if !strings.HasPrefix(msg, "undefined: ") || strings.Contains(msg, "(") || len(path) < 2 { // the rest of the message explains it
		return ""
	}
	assignment, ok := path[len(path)-2].(*ast.AssignStmt)
	if !ok || assignment.Tok != token.ASSIGN || !assigned(path) {
		return ""
	}
	var left []string
	for _, x := range assignment.Lhs {
		id, ok := x.(*ast.Ident)
		if !ok {
			return ""
		}
		left = append(left, id.Name)
	}
	value := "…"
	if text := types.ExprString(assignment.Rhs[0]); len(assignment.Rhs) == 1 && len(text) <= 20 {
		value = text
	}
	return strings.Join(left, ", ") + " := " + value + " declares it"
}

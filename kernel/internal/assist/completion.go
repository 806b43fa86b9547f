package assist

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// A Completion is the list of candidates for a position of a cell.
type Completion struct {
	// Start and End bound, in Unicode code points of the source, the text that a candidate
	// replaces.
	Start, End int
	Candidates []Candidate
}

// A Candidate is one way to complete a cell.
type Candidate struct {
	Text string
	// Kind is "function", "method", "type", "struct", "interface", "field", "variable", "constant",
	// "package", "keyword", "label" or "path".
	Kind string
	// Signature is the type of the candidate in Go's notation; for a function its parameters and
	// results.
	Signature string
}

// An Assistant completes and describes names in a cell that is being edited. It runs nothing.
type Assistant struct {
	// Mutex is held while the assistant reads the declarations of the session.
	Mutex   sync.Locker
	Checker *check.Checker
	// Folder returns the working directory of the cells, empty for that of this process. modules
	// returns the session's modules that begin with a text. value returns a variable's value in a
	// few words, or nothing if that needs user code. DataSets returns the names of known data sets;
	// nil means none.
	Folder   func() string
	Modules  func(text string) []Candidate
	Value    func(v *types.Var) string
	DataSets func() []string
}

// Complete returns the candidates at the cursor, a position in Unicode code points of the source,
// given the declarations of the session. Candidates with the typed case come first, and among those
// the ones with the type that the position expects; then the names of the cell, those of the
// session, those of the language, and packages. A candidate replaces the text before the cursor,
// and the rest of the word after it if the candidate contains that, too.
func (a *Assistant) Complete(source string, cursor int) (found Completion) {
	cursor = max(0, min(cursor, utf8.RuneCountInString(source)))
	defer func() {
		// If the engine fails, only the answer is lost, not the kernel.
		if r := recover(); r != nil {
			reportFault("completion", r)
			found = Completion{Start: cursor, End: cursor}
		}
	}()
	at := syntax.ByteOffset(source, cursor)
	start, candidates, ok := a.completeMagic(source, at)
	if ok {
		if len(candidates) == 0 {
			start = at
		}
		return Completion{Start: utf8.RuneCountInString(source[:start]), End: cursor, Candidates: candidates}
	}
	source = magics.Without(source, a.known)
	end := at
	switch tok, open := syntax.Unended(source[:at]); tok {
	case token.COMMENT, token.CHAR:
		start = at
	case token.STRING:
		start, candidates = a.completeString(source, at, open+1)
	default:
		var word int
		start, word = syntax.WordAround(source, at)
		candidates = a.completeName(source, start, at)
		if slices.ContainsFunc(candidates, func(c Candidate) bool { return strings.HasPrefix(c.Text, source[start:word]) }) {
			end = word
		}
	}
	if len(candidates) == 0 {
		start = at
	}
	return Completion{
		Start:      utf8.RuneCountInString(source[:start]),
		End:        cursor + utf8.RuneCountInString(source[at:end]),
		Candidates: candidates,
	}
}

// reportFault logs that the engine failed. The user does not see it, because an error in place of
// completions would be in the way.
func reportFault(what string, fault any) {
	slog.Error("the engine failed at "+what, "fault", fmt.Sprint(fault), "stack", string(debug.Stack()))
}

// completeName completes source[start:at], a name or the place for one.
func (a *Assistant) completeName(source string, start, at int) []Candidate {
	c := &completer{source: source, prefix: source[start:at], seen: map[string]bool{}}
	if c.prefix != "" && c.prefix[0] >= '0' && c.prefix[0] <= '9' {
		return nil
	}
	end := 0
	for _, l := range syntax.Lex(source[:start]) {
		if l.Tok != token.EOF && !(l.Tok == token.SEMICOLON && l.Lit != ";") {
			c.before, end = l.Tok, l.End(source)
		}
	}
	c.newLine = strings.Contains(source[min(end, start):start], "\n")
	if c.before.IsLiteral() && c.before != token.IDENT && !c.newLine {
		return nil // the period belongs to a number, or an operator is missing
	}
	before := syntax.Mend(source[:start])
	c.levels = syntax.OpenLevels(before)
	if c.before == token.RBRACE && !c.newLine {
		if inner := c.levels[len(c.levels)-1]; inner.First == token.IF && !inner.Last {
			c.offerKeywords(token.ELSE)
		}
		return c.sorted()
	}
	a.Mutex.Lock()
	defer a.Mutex.Unlock()
	show(a.Checker, syntax.Cut(before, placeholder, syntax.Following(source, start)), len(before), func(v *view) {
		c.view = v
		c.complete(len(before))
	})
	return c.sorted()
}

// placeholder is the name that stands for the one to complete.
const placeholder = "a__cursor"

// Ranks of candidates: those of lower rank come first.
const (
	rankField = iota
	rankLocal
	rankSession
	rankUniverse
	rankKeyword
	rankPackage
)

// A completer collects the candidates for a name.
type completer struct {
	*view
	source   string
	prefix   string
	before   token.Token    // the last token before the name
	newLine  bool           // the name is not on the line of that token
	levels   []syntax.Level // around the name
	expected expectation
	found    []ranked
	seen     map[string]bool
}

type ranked struct {
	Candidate
	rank, fit int
}

// sorted returns the candidates in order.
func (c *completer) sorted() []Candidate {
	distance := func(r ranked) int {
		switch {
		case r.Text == c.prefix:
			return 0
		case strings.HasPrefix(r.Text, c.prefix):
			return 1
		}
		return 2 // another case
	}
	// Among the names in scope, a value is more likely than a type.
	isType := func(r ranked) int {
		if r.rank != rankPackage && (r.Kind == "type" || r.Kind == "struct" || r.Kind == "interface") {
			return 1
		}
		return 0
	}
	slices.SortFunc(c.found, func(a, b ranked) int {
		return cmp.Or(distance(a)-distance(b), a.fit-b.fit, a.rank-b.rank, isType(a)-isType(b), cmp.Compare(a.Text, b.Text))
	})
	out := make([]Candidate, len(c.found))
	for i, r := range c.found {
		out[i] = r.Candidate
	}
	return out
}

// wants reports whether a name can be a candidate. Ask for the innermost meaning of a name first.
func (c *completer) wants(name string) bool {
	if c.seen[name] || name == "_" || name == placeholder || !token.IsIdentifier(name) && !token.IsKeyword(name) {
		return false
	}
	c.seen[name] = true
	return len(name) >= len(c.prefix) && strings.EqualFold(name[:len(c.prefix)], c.prefix)
}

// addObject adds an object, unless it is a value in the place of a type.
func (c *completer) addObject(obj types.Object, rank int) {
	if !c.wants(obj.Name()) {
		return
	}
	if c.expected.isType {
		switch obj.(type) {
		case *types.TypeName, *types.PkgName:
		default:
			return
		}
	}
	c.found = append(c.found, ranked{Candidate{obj.Name(), kindOf(obj), c.typeOf(obj)}, rank, c.expected.fit(obj)})
}

// complete examines the surroundings of the name, at an offset of the text, to find out what it can
// be.
func (c *completer) complete(offset int) {
	path := c.pathTo(offset)
	if path == nil {
		behind := !c.newLine && (c.before == token.RPAREN || c.before == token.RBRACK)
		if c.before != token.PERIOD && !behind {
			c.names(c.position(offset))
			c.keywords(nil)
		}
		return
	}
	id := path[len(path)-1].(*ast.Ident)
	c.expected = c.expects(path)
	switch parent := path[len(path)-2].(type) {
	case *ast.BranchStmt:
		c.labels(path, parent, c.source)
		return
	case *ast.SelectorExpr:
		if parent.Sel == id {
			c.selected(parent.X)
			return
		}
	case *ast.CompositeLit:
		if c.fieldsOf(parent) {
			return
		}
	case *ast.FuncDecl, *ast.TypeSpec, *ast.ImportSpec, *ast.LabeledStmt:
		if spec, ok := parent.(*ast.TypeSpec); !ok || spec.Name == id {
			return // a name being declared, or a label
		}
	case *ast.ValueSpec:
		if slices.Contains(parent.Names, id) {
			return
		}
	case *ast.Field:
		if slices.Contains(parent.Names, id) {
			return
		}
	}
	c.names(id.Pos())
	c.keywords(path)
}

// selected offers the names that may follow x and a period.
func (c *completer) selected(x ast.Expr) {
	if id, ok := x.(*ast.Ident); ok {
		if pkg, ok := c.k.Info.Uses[id].(*types.PkgName); ok {
			scope := pkg.Imported().Scope()
			for _, name := range scope.Names() {
				if token.IsExported(name) {
					c.addObject(scope.Lookup(name), rankPackage)
				}
			}
			return
		}
	}
	tv, ok := c.k.Info.Types[x]
	if !ok || tv.Type == nil {
		return
	}
	for _, obj := range members(tv.Type, c.k.Pkg) {
		if _, isFunc := obj.(*types.Func); isFunc || tv.IsValue() {
			c.addObject(obj, rankField)
		}
	}
}

// fieldsOf offers the fields that a struct literal has not named yet, and reports whether nothing
// else can follow.
func (c *completer) fieldsOf(lit *ast.CompositeLit) bool {
	t := c.k.Info.TypeOf(lit)
	if t == nil {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	u, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	named := map[string]bool{}
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				named[id.Name] = true
			}
		}
	}
	if len(named) == 0 && len(lit.Elts) > 1 {
		return false // values without field names
	}
	for f := range u.Fields() {
		if !named[f.Name()] && (f.Exported() || f.Pkg() == c.k.Pkg) {
			c.addObject(f, rankField)
		}
	}
	return len(named) > 0 || c.prefix == ""
}

// later reports whether an object is a variable that the cell's statements declare after a
// position: the variable is in scope only below its declaration.
func (c *completer) later(obj types.Object, pos token.Pos) bool {
	f := c.k.Statements
	return f != nil && f.FileStart <= pos && pos < f.FileEnd &&
		slices.ContainsFunc(c.k.Variables, func(v *check.TopVariable) bool { return v.Global == obj })
}

// names offers the names that are valid at a position.
func (c *completer) names(pos token.Pos) {
	top := c.k.Pkg.Scope()
	for s := c.scopeAt(pos); s != nil && s != top && s != types.Universe; s = s.Parent() {
		for _, name := range s.Names() {
			// Names are in scope from their declaration on.
			if in, obj := s.LookupParent(name, pos); in == s {
				c.addObject(obj, rankLocal)
			}
		}
	}
	for _, name := range top.Names() {
		obj := top.Lookup(name)
		rank := rankLocal
		if c.later(obj, pos) {
			continue
		}
		if _, ok := obj.(*types.PkgName); ok {
			rank = rankPackage
		} else if d := c.Session.Live[name]; d != nil && d.Object == obj {
			rank = rankSession
		}
		c.addObject(obj, rank)
	}
	for _, obj := range c.k.Dotted {
		c.addObject(obj, rankLocal)
	}
	for _, d := range c.Session.Live {
		rank := rankSession
		if _, ok := d.Object.(*types.PkgName); ok {
			rank = rankPackage
		}
		c.addObject(d.Object, rank)
	}
	inConst := slices.ContainsFunc(c.levels, func(l syntax.Level) bool { return l.First == token.CONST })
	for _, name := range types.Universe.Names() {
		if name != "iota" || inConst {
			c.addObject(types.Universe.Lookup(name), rankUniverse)
		}
	}
	for name, path := range c.Preloaded {
		if c.Session.Gone[name] == nil && c.wants(name) {
			c.found = append(c.found, ranked{Candidate{name, "package", fmt.Sprintf("%q", path)}, rankPackage, fitsNot})
		}
	}
	c.cellContext()
	c.must()
}

// must offers the predeclared function of cells, unless another has its name.
func (c *completer) must() {
	if c.Strict || c.expected.isType || c.Session.Gone[program.Must] != nil || !c.wants(program.Must) {
		return
	}
	c.found = append(c.found, ranked{Candidate{program.Must, "function", "[T any](value T, err error) T"}, rankUniverse, fitsNot})
}

// cellContext offers the cell's context where a context is expected, before those of the session:
// the user most likely wants one that an interrupt cancels.
func (c *completer) cellContext() {
	const call = "nb.Context()"
	wanted := c.expected.want != nil && !c.expected.isType && types.TypeString(c.expected.want, nil) == "context.Context"
	if wanted && c.Preloaded["nb"] != "" && c.Session.Live["nb"] == nil && c.k.Pkg.Scope().Lookup("nb") == nil && strings.HasPrefix(call, c.prefix) {
		c.found = append(c.found, ranked{Candidate{call, "function", "() context.Context"}, rankLocal, fitsWell})
	}
}

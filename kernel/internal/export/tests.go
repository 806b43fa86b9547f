package export

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hierml/notebook/kernel/internal/check"
	"github.com/hierml/notebook/kernel/internal/state"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// Tests are the tests that a session has declared, as a package for the go command.
type Tests struct {
	// Names are those of the tests, benchmarks, examples and fuzz tests, sorted.
	Names []string
	// Declared is the file with what they use, and Tested the one with themselves.
	Declared, Tested string
	variables        map[string][]string // by test
}

// Variables returns the variables of the session that some tests use, sorted. Each has the value
// that the declaration in its cell gives it: no other statement of a cell is in the package.
func (t *Tests) Variables(tests []string) []string {
	list := slices.Clone(t.variables["TestMain"])
	for _, name := range tests {
		list = append(list, t.variables[name]...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// WriteTests writes the tests of a session, and what they use, as a package: the newest declaration
// of each name, as it stands in its cell. Lines are those of the cells. It returns nil if there are
// no tests.
func WriteTests(c *check.Checker) (*Tests, error) {
	t := &testWriter{Checker: c, wanted: map[string]bool{}, pieces: map[pieceAt]*testPiece{}}
	tests := &Tests{variables: map[string][]string{}}
	var wrong []syntax.Problem
	for _, name := range slices.Sorted(maps.Keys(c.Session.Live)) {
		is, fault := t.isTest(name, c.Session.Live[name])
		if is {
			tests.Names = append(tests.Names, name)
		}
		if src, offset := t.Within(c.Session.Live[name].Object.Pos()); fault != "" && src != nil {
			wrong = append(wrong, syntax.Problem{Source: src, Offset: src.Origin(offset), Msg: fault})
		}
	}
	if len(wrong) > 0 {
		return nil, syntax.ProblemsError("CompileError", wrong)
	}
	if len(tests.Names) == 0 {
		return nil, nil
	}
	for _, name := range tests.Names {
		if err := t.want(name); err != nil {
			return nil, err
		}
	}
	if main := c.Session.Live["TestMain"]; main != nil && takes(main.Object, "M") {
		if err := t.want("TestMain"); err != nil {
			return nil, err
		}
	}
	t.stop = "must"
	for slices.ContainsFunc(slices.Collect(maps.Keys(t.wanted)), func(name string) bool { return strings.HasPrefix(name, t.stop+"_") }) {
		t.stop += "0"
	}
	for again := true; again; {
		tests.Declared, tests.Tested = t.file(false), t.file(true)
		var err error
		if again, err = t.verify(tests.Declared, tests.Tested); err != nil {
			return nil, err
		}
	}
	for _, test := range t.order {
		if test.test {
			for p := range t.uses(test) {
				tests.variables[test.name] = append(tests.variables[test.name], p.names...)
			}
		}
	}
	return tests, nil
}

// testKinds are the beginnings of the names that the go command takes for tests, and what their
// functions take.
var testKinds = []struct{ prefix, takes string }{{"Test", "T"}, {"Benchmark", "B"}, {"Fuzz", "F"}, {"Example", ""}}

// isTest reports whether a declaration is one that the go command takes for a test. The fault of
// one that was meant as such, and is none, is worded as that command does. A function with results
// that takes nothing of package testing, such as TestError(m Model) float64, is not meant.
func (t *testWriter) isTest(name string, d *state.Declaration) (is bool, fault string) {
	if d.Function == nil {
		return false, ""
	}
	for _, k := range testKinds {
		rest, ok := strings.CutPrefix(name, k.prefix)
		if !ok || name == "TestMain" && takes(d.Object, "M") {
			continue
		}
		sig, parameter := d.Object.(*types.Func).Signature(), ""
		tests := false
		for v := range sig.Params().Variables() {
			tests = tests || strings.Contains(types.TypeString(v.Type(), nil), "testing.")
		}
		takes := takes(d.Object, k.takes)
		if k.takes != "" {
			parameter = strings.ToLower(k.takes) + " *testing." + k.takes
		}
		if name == "TestMain" {
			parameter = "m *testing.M"
		}
		r, _ := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsLower(r):
			if takes && tests {
				fault = fmt.Sprintf("%s has malformed name: first letter after '%s' must not be lowercase", name, k.prefix)
			}
		case takes:
			return true, ""
		case sig.TypeParams().Len() > 0 && tests:
			fault = fmt.Sprintf("wrong signature for %s, test functions cannot have type parameters", name)
		case tests || sig.Results().Len() == 0:
			fault = fmt.Sprintf("wrong signature for %s, must be: func %s(%s)", name, name, parameter)
		}
	}
	return false, fault
}

// takes reports whether a function takes a pointer to a type of package testing alone, or nothing
// if that is empty, and returns nothing.
func takes(obj types.Object, name string) bool {
	f, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	sig := f.Signature()
	switch {
	case sig.Results().Len() > 0 || sig.TypeParams().Len() > 0 || sig.Variadic():
		return false
	case name == "":
		return sig.Params().Len() == 0
	}
	return sig.Params().Len() == 1 && types.TypeString(sig.Params().At(0).Type(), nil) == "*testing."+name
}

// A testWriter writes the package of a session's tests.
type testWriter struct {
	*check.Checker
	// wanted holds the names that the tests use, directly or not, and pieces what declares them.
	wanted map[string]bool
	pieces map[pieceAt]*testPiece
	order  []*testPiece
	// used are the pieces that each uses directly.
	used map[*testPiece][]*testPiece
	// pruned says that pieces and their mentions are those that are used, as types tell.
	pruned bool
	// stop begins the names of the functions around calls that leave out their error.
	stop string
}

// A pieceAt is the place of a declaration.
type pieceAt struct {
	source *syntax.Source
	offset int
}

// A testPiece is a declaration that is in the package.
type testPiece struct {
	source     *syntax.Source
	start, end int // in the source's Go
	kind       token.Token
	test       bool
	name       string // of a test
	text       string
	mentions   map[string]bool
	names      []string // of variables
	// owner is the declaration of the type that a method belongs to.
	owner *testPiece
	// stopped says that the error of the call that gives the variables their values is left out.
	stopped bool
	// first and last are the lines of the file that it has.
	first, last int
}

// want puts what a name stands for, and all that this uses, into the package.
func (t *testWriter) want(name string) error {
	d := t.Session.Live[name]
	if t.wanted[name] || d == nil || d.Cell == 0 {
		t.wanted[name] = true
		return nil
	}
	t.wanted[name] = true
	if !state.IsSession(d.Object) {
		return nil // imported with a dot
	}
	if _, ok := d.Object.(*types.PkgName); ok {
		return nil
	}
	test, _ := t.isTest(name, d)
	p, err := t.addDeclaration(name, d.Object.Pos(), test || name == "TestMain")
	if err != nil || d.Spec == nil {
		return err
	}
	for _, method := range slices.Sorted(maps.Keys(d.Spec.Methods)) {
		if f := d.Spec.Methods[method]; f.Written != nil {
			m, err := t.addDeclaration(name+"."+method, f.Written.Name.Pos(), false)
			if err != nil {
				return err
			}
			m.owner = p
		}
	}
	return nil
}

// addDeclaration puts the declaration at a position into the package.
func (t *testWriter) addDeclaration(name string, pos token.Pos, test bool) (*testPiece, error) {
	src, offset := t.Within(pos)
	if src == nil {
		return nil, fmt.Errorf("the declaration of %s was not found: declare it again", name)
	}
	items := syntax.Split(src.Text)
	i := slices.IndexFunc(items, func(it syntax.Item) bool { return it.Start <= offset && offset < it.End })
	if i < 0 {
		return nil, fmt.Errorf("the declaration of %s was not found: declare it again", name)
	}
	it := items[i]
	at := pieceAt{src, it.Start}
	if p := t.pieces[at]; p != nil {
		return p, nil
	}
	p := &testPiece{source: src, start: it.Start, end: it.End, test: test, name: name, mentions: map[string]bool{}}
	p.text = src.Text[it.Start:it.End]
	behind := 0
	if i > 0 {
		behind = items[i-1].End
	}
	if strings.Contains(src.Text[behind:it.Start], "//go:embed") {
		return nil, syntax.ProblemsError("CompileError", []syntax.Problem{{Source: src, Offset: src.Origin(it.Start), Msg: "tests cannot use files that a cell embeds: read them with os.ReadFile"}})
	}
	if it.Kind == syntax.ItemStatement {
		p.kind = token.VAR
		if !strings.HasPrefix(p.text, "var") {
			if p.text = defining(p.text); p.text == "" {
				return nil, fmt.Errorf("tests use %s, whose declaration is not possible in a package", name)
			}
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", syntax.DeclarationPrefix+p.text, parser.AllErrors)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written for tests: %w", name, err)
	}
	t.pieces[at] = p
	t.order = append(t.order, p)
	t.old(p, file)
	syntax.Mentions(file, p.mentions)
	for _, mentioned := range slices.Sorted(maps.Keys(p.mentions)) {
		if err := t.want(mentioned); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// defining makes a statement that defines variables a declaration of them, with as many bytes
// before the values.
func defining(text string) string {
	list, _, _ := syntax.Statements(text)
	if len(list) != 1 {
		return ""
	}
	s, ok := list[0].(*ast.AssignStmt)
	if !ok || s.Tok != token.DEFINE {
		return ""
	}
	at := int(s.TokPos) - 1 - syntax.PrefixLength
	return "var " + text[:at] + "=" + text[at+len(":="):]
}

// old makes the names of a declaration that stand for something else by now blanks. Their places
// stay: of constants they decide about the values.
func (t *testWriter) old(p *testPiece, file *ast.File) {
	if len(file.Decls) == 0 {
		return
	}
	g, ok := file.Decls[0].(*ast.GenDecl)
	if !ok {
		return
	}
	text := []byte(p.text)
	shift := 0
	if p.kind == token.VAR && !strings.HasPrefix(p.source.Text[p.start:p.end], "var") {
		shift = len("var ")
	}
	blank := func(id *ast.Ident) {
		d := t.Session.Live[id.Name]
		start := int(id.Pos()) - 1 - syntax.PrefixLength
		if d != nil && id.Name != "_" {
			src, offset := t.Within(d.Object.Pos())
			if src == p.source && offset == p.start+start-shift {
				if p.kind == token.VAR {
					p.names = append(p.names, id.Name)
				}
				return
			}
		}
		copy(text[start:], "_"+strings.Repeat(" ", len(id.Name)-1))
	}
	for _, spec := range g.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for _, id := range spec.Names {
				blank(id)
			}
		case *ast.TypeSpec:
			blank(spec.Name)
		}
	}
	p.text = string(text)
}

// file writes the file of the tests, or the other.
func (t *testWriter) file(test bool) string {
	mentions := map[string]bool{}
	var stops []int
	for _, p := range t.order {
		if p.test == test {
			maps.Copy(mentions, p.mentions)
		}
		if n := len(p.names); p.stopped && !slices.Contains(stops, n) {
			stops = append(stops, n)
		}
	}
	var out strings.Builder
	out.WriteString("package main\n\n")
	dotted := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(mentions)) {
		d, path := t.Session.Live[name], ""
		switch {
		case d == nil:
			if path = t.Preloaded[name]; path == "" {
				continue
			}
		case state.IsSession(d.Object):
			pkg, ok := d.Object.(*types.PkgName)
			if !ok {
				continue
			}
			path = check.PlainPath(pkg.Imported().Path())
		default: // of a package that was imported with a dot
			if path := check.PlainPath(d.Object.Pkg().Path()); !dotted[path] {
				dotted[path] = true
				fmt.Fprintf(&out, "import . %q\n", path)
			}
			continue
		}
		fmt.Fprintf(&out, "import %s %q\n", name, path)
	}
	lines := strings.Count(out.String(), "\n")
	for _, p := range t.order {
		if p.test != test {
			continue
		}
		text := p.text
		if p.stopped {
			at := strings.Index(text, "=") + 1
			text = text[:at] + " " + t.stopOf(len(p.names)) + "(" + text[at:] + ")"
		}
		fmt.Fprintf(&out, "\n//line %s:%d\n%s\n", fileName(p.source), p.line(), text)
		p.first, p.last = lines+3, lines+3+strings.Count(text, "\n")
		lines = p.last
	}
	if test {
		return out.String()
	}
	for _, n := range stops {
		out.WriteString("\n//line cells.go:1\n" + stopText(t.stopOf(n), n))
	}
	if !slices.ContainsFunc(t.order, func(p *testPiece) bool { return strings.HasPrefix(p.text, "func main(") }) {
		out.WriteString("\n//line cells.go:1\nfunc main() {}\n")
	}
	return out.String()
}

// stopOf is the name of the function around calls with n values that leave out their error.
func (t *testWriter) stopOf(n int) string { return t.stop + strings.Repeat("_", n) }

// fileName is what the go command takes a cell for.
func fileName(src *syntax.Source) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '_'
		}
		return r
	}, src.Cell.Title())
}

// line is the line of the cell that the declaration begins in.
func (p *testPiece) line() int {
	return 1 + strings.Count(p.source.Cell.Source[:min(p.source.Origin(p.start), len(p.source.Cell.Source))], "\n")
}

// verify type-checks the package. It reports whether it has to be written once more: there are
// variables whose values come with an error that their cells leave out, or it has more than is
// used.
func (t *testWriter) verify(declared, tested string) (again bool, err error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, f := range []struct{ name, text string }{{"cells.go", declared}, {testedFile, tested}} {
		file, err := parser.ParseFile(fset, f.name, f.text, parser.SkipObjectResolution)
		if err != nil {
			return false, fmt.Errorf("the package of the tests has a fault: %w", err)
		}
		files = append(files, file)
	}
	var faults []string
	conf := &types.Config{
		Importer: t.Importer, GoVersion: check.GoVersion, Sizes: types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			var e types.Error
			if !errors.As(err, &e) {
				faults = append(faults, err.Error())
				return
			}
			p := t.pieceOf(fset.PositionFor(e.Pos, false))
			switch {
			case p == nil && !t.pruned: // an import that is not used
			case p != nil && p.kind == token.VAR && !p.stopped && leavesError(e.Msg):
				p.stopped, again = true, true
			default:
				at := fset.Position(e.Pos)
				faults = append(faults, fmt.Sprintf("%s:%d: %s", at.Filename, at.Line, e.Msg))
			}
		},
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg, _ := conf.Check(state.PackagePath, fset, files, info) // which reports to Error
	switch {
	case again:
		return true, nil
	case !t.pruned:
		t.prune(fset, pkg, info)
		return true, nil
	case len(faults) > 0:
		return false, fmt.Errorf("tests do not compile with the newest declaration of each name:\n%s", strings.Join(faults, "\n"))
	}
	return false, nil
}

// leavesError reports what is said of variables for which a call has a value too many.
func leavesError(msg string) bool {
	return strings.Contains(msg, "assignment mismatch") || strings.Contains(msg, "in single-value context")
}

// testedFile is the name of the file with the tests.
const testedFile = "cells_test.go"

// prune leaves what the tests do not use: the names of fields, as keys of literals, may have looked
// like that of something.
func (t *testWriter) prune(fset *token.FileSet, pkg *types.Package, info *types.Info) {
	t.pruned = true
	t.used = map[*testPiece][]*testPiece{}
	for _, p := range t.order {
		p.mentions = map[string]bool{}
		if p.owner != nil {
			t.used[p.owner] = append(t.used[p.owner], p)
		}
	}
	for id, obj := range info.Uses {
		p := t.pieceOf(fset.PositionFor(id.Pos(), false))
		if p == nil {
			continue
		}
		_, isPackage := obj.(*types.PkgName)
		d := t.Session.Live[id.Name]
		switch {
		case isPackage, obj.Pkg() != pkg && d != nil && !state.IsSession(d.Object):
			p.mentions[id.Name] = true
		case obj.Pkg() == pkg:
			if of := t.pieceOf(fset.PositionFor(obj.Pos(), false)); of != nil {
				t.used[p] = append(t.used[p], of)
			}
		}
	}
	tests := slices.DeleteFunc(slices.Clone(t.order), func(p *testPiece) bool { return !p.test })
	used := t.uses(tests...)
	t.order = slices.DeleteFunc(t.order, func(p *testPiece) bool { return !used[p] })
}

// uses returns pieces, and what they use, directly or not.
func (t *testWriter) uses(pieces ...*testPiece) map[*testPiece]bool {
	all := map[*testPiece]bool{}
	for len(pieces) > 0 {
		p := pieces[len(pieces)-1]
		pieces = pieces[:len(pieces)-1]
		if !all[p] {
			all[p] = true
			pieces = append(pieces, t.used[p]...)
		}
	}
	return all
}

// pieceOf returns the declaration at a line of a file.
func (t *testWriter) pieceOf(at token.Position) *testPiece {
	for _, p := range t.order {
		if p.test == (at.Filename == testedFile) && p.first <= at.Line && at.Line <= p.last {
			return p
		}
	}
	return nil
}

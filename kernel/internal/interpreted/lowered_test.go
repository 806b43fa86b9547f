package interpreted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
	"golang.org/x/tools/txtar"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/stdlib"
)

// A listener is an executor that runs nothing and keeps what is to be declared.
type listener struct {
	program.Executor // for what is not asked
	source           []string
}

func (l *listener) Run(_ context.Context, p *program.Program, _ program.Output) (*program.Bundle, error) {
	l.source = append(l.source, p.Source...)
	if p.Declared != nil {
		p.Declared()
	}
	return nil, nil
}

func (*listener) Close() error { return nil }

// sessions returns the cells of all that the engine is tested with.
func sessions(t testing.TB) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	testdata := filepath.Join("..", "engine", "testdata")
	cells, err := filepath.Glob(filepath.Join("lower", "testdata", "lowering", "*.cells"))
	if err != nil || len(cells) == 0 {
		t.Fatalf("no cells: %v", err)
	}
	for _, file := range cells {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = strings.Split(string(text), "\n---\n")
	}
	text, err := os.ReadFile(filepath.Join(testdata, "notebook-behaviours.json"))
	if err != nil {
		t.Fatal(err)
	}
	var behaviours struct {
		Cases []struct {
			Name  string
			Cells []string
		}
	}
	if err := json.Unmarshal(text, &behaviours); err != nil {
		t.Fatal(err)
	}
	for _, c := range behaviours.Cases {
		all["behaviour "+c.Name] = c.Cells
	}
	programs, err := filepath.Glob(filepath.Join(testdata, "programs", "*.txtar"))
	if err != nil || len(programs) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, file := range programs {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".go") {
				all[filepath.Base(file)+" "+f.Name] = []string{string(f.Data) + "\nmain()"}
			}
		}
	}
	return all
}

// TestLoweredInterfaces holds that no lowered code leaves it to the interpreter to make an
// interface of a value of a session type: such values become interfaces as arguments of the bridge,
// or of compiled functions that look at their shape only. It looks at the lowered text by itself,
// in which each conversion is an instruction of package ssa.
func TestLoweredInterfaces(t *testing.T) {
	bridge := bridgePackage(t)
	for name, cells := range sessions(t) {
		t.Run(name, func(t *testing.T) {
			for _, fault := range violations(t, bridge, lowered(t, cells)) {
				t.Error(fault)
			}
		})
	}
}

// FuzzLoweredInterfaces holds the same of any cell.
func FuzzLoweredInterfaces(f *testing.F) {
	bridge := bridgePackage(f)
	for _, cells := range sessions(f) {
		f.Add(strings.Join(cells, "\n"))
	}
	f.Fuzz(func(t *testing.T, cell string) {
		if _, own, _ := magics.Translate(program.Cell{Source: cell}, func(string) bool { return false }); len(own.Before)+len(own.After) > 0 {
			t.Skip("a magic that the engine carries out: it may run any file or program")
		}
		for _, fault := range violations(t, bridge, lowered(t, []string{cell})) {
			t.Error(fault)
		}
	})
}

// lowered returns what the cells of a session become, as far as they are not refused.
func lowered(t testing.TB, cells []string) []string {
	t.Helper()
	l := &listener{}
	e := engine.New(engine.Config{Executor: l, Importer: stdlib.Importer, Preloaded: stdlib.Preloaded})
	for i, cell := range cells {
		var refused *program.Error
		if _, err := e.Run(t.Context(), program.Cell{Number: i + 1, Source: cell}, &enginetest.Recorder{}); err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		}
	}
	return l.source
}

// TestFaults holds that the check finds what it is for.
func TestFaults(t *testing.T) {
	bridge := bridgePackage(t)
	for text, want := range map[string]int{
		"type T__1 struct{ X int }\nfunc f() interface{} { return T__1{1} }":                                                  1,
		"type T__1 struct{ X int }\nfunc f() interface{} { return b__.Carry(1, T__1{1}) }":                                    0,
		"import fmt \"fmt\"\ntype T__1 int\nfunc f() { fmt.Println(T__1(1), []T__1{}) }":                                      2,
		"import sort \"sort\"\ntype T__1 int\nfunc f(s []T__1) { sort.Slice(s, func(i, j int) bool { return s[i] < s[j] }) }": 0,
		"type T__1 int\nfunc f(x interface{}) T__1 { return x.(T__1) }":                                                       1,
		"import io \"io\"\nfunc f(r io.Reader) interface{} { return r }":                                                      1,
		"import io \"io\"\nfunc f(r io.Reader) interface{} { return b__.Unwrap(r) }":                                          0,
		"func f() interface{} { return struct{ x int }{1} }":                                                                  1,
		"import io \"io\"\nfunc f(x interface{}) io.Reader { return x.(io.Reader) }":                                          1,
		"import io \"io\"\ntype T__1 int\nfunc (T__1) Read([]byte) (int, error) { return 0, nil }\nvar r io.Reader = T__1(1)": 1,
	} {
		if got := violations(t, bridge, []string{"import b__ \"hierml/bridge\"", text}); len(got) != want {
			t.Errorf("%s: %v, want %d", text, got, want)
		}
	}
}

var importLine = regexp.MustCompile(`(?m)^import .*$`)

// violations returns where lowered units leave conversions to the interpreter.
func violations(t testing.TB, bridge *gotypes.Package, units []string) []string {
	t.Helper()
	all := strings.Join(units, "\n")
	imports := importLine.FindAllString(all, -1)
	slices.Sort(imports)
	text := "package main\n" + strings.Join(slices.Compact(imports), "\n") + "\n" + importLine.ReplaceAllString(all, "")
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "lowered.go", strings.ReplaceAll(text, "\n//line ", "\n// line "), parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	info := &gotypes.Info{
		Types: map[ast.Expr]gotypes.TypeAndValue{}, Defs: map[*ast.Ident]gotypes.Object{}, Uses: map[*ast.Ident]gotypes.Object{},
		Implicits: map[ast.Node]gotypes.Object{}, Selections: map[*ast.SelectorExpr]*gotypes.Selection{}, Scopes: map[ast.Node]*gotypes.Scope{},
		Instances: map[*ast.Ident]gotypes.Instance{}, FileVersions: map[*ast.File]string{},
	}
	var found []string
	conf := gotypes.Config{
		Importer: importers{bridge},
		Error: func(err error) {
			var e gotypes.Error
			if !errors.As(err, &e) || !e.Soft {
				found = append(found, err.Error())
			}
		},
	}
	pkg, _ := conf.Check("main", fset, []*ast.File{file}, info) // Error has the errors
	if len(found) > 0 {
		return found
	}
	prog := ssa.NewProgram(fset, 0)
	known := map[*gotypes.Package]bool{}
	var create func(p *gotypes.Package)
	create = func(p *gotypes.Package) {
		if known[p] {
			return
		}
		known[p] = true
		for _, q := range p.Imports() {
			create(q)
		}
		prog.CreatePackage(p, nil, nil, true)
	}
	for _, p := range pkg.Imports() {
		create(p)
	}
	main := prog.CreatePackage(pkg, []*ast.File{file}, info, false)
	main.Build()
	for f := range ssautil.AllFunctions(prog) {
		if f.Pkg != main && (f.Parent() == nil || f.Parent().Pkg != main) {
			continue
		}
		for _, block := range f.Blocks {
			for _, instr := range block.Instrs {
				if fault := faultOf(pkg, instr); fault != "" {
					found = append(found, fmt.Sprintf("%s in %s: %s", fset.Position(instr.Pos()), f, fault))
				}
			}
		}
	}
	return found
}

// faultOf says what is wrong with an instruction.
func faultOf(pkg *gotypes.Package, instr ssa.Instruction) string {
	switch v := instr.(type) {
	case *ssa.MakeInterface:
		if ofSession(pkg, v.X.Type(), 0) && !feeds(v, 0) {
			return fmt.Sprintf("a %s becomes a %s", v.X.Type(), v.Type())
		}
	case *ssa.ChangeInterface:
		from, to := v.X.Type().Underlying().(*gotypes.Interface), v.Type().Underlying().(*gotypes.Interface)
		if from.NumMethods() > 0 && to.NumMethods() == 0 && !holdsCarriers(v.X.Type()) && !feeds(v, 0) {
			return fmt.Sprintf("a %s becomes a %s", v.X.Type(), v.Type())
		}
	case *ssa.TypeAssert:
		if call, ok := v.X.(*ssa.Call); ok && ofBridge(call.Call) {
			return "" // the bridge knows what it returns
		}
		if i, ok := v.AssertedType.Underlying().(*gotypes.Interface); ok && i.NumMethods() > 0 || ofSession(pkg, v.AssertedType, 0) {
			return fmt.Sprintf("asks a %s whether it is a %s", v.X.Type(), v.AssertedType)
		}
	}
	return ""
}

// holdsCarriers reports error and fmt.Stringer.
func holdsCarriers(t gotypes.Type) bool {
	text := gotypes.TypeString(t, nil)
	return text == "error" || text == "fmt.Stringer"
}

// ofSession reports types whose values are not what the compiler would have made: declared in
// lowered code, or with fields that are not exported.
func ofSession(pkg *gotypes.Package, t gotypes.Type, depth int) bool {
	if depth > 10 {
		return false
	}
	switch t := gotypes.Unalias(t).(type) {
	case *gotypes.Named:
		return t.Obj().Pkg() == pkg
	case *gotypes.Pointer:
		return ofSession(pkg, t.Elem(), depth+1)
	case *gotypes.Slice:
		return ofSession(pkg, t.Elem(), depth+1)
	case *gotypes.Array:
		return ofSession(pkg, t.Elem(), depth+1)
	case *gotypes.Chan:
		return ofSession(pkg, t.Elem(), depth+1)
	case *gotypes.Map:
		return ofSession(pkg, t.Key(), depth+1) || ofSession(pkg, t.Elem(), depth+1)
	case *gotypes.Signature:
		for _, tuple := range []*gotypes.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				if ofSession(pkg, v.Type(), depth+1) {
					return true
				}
			}
		}
	case *gotypes.Struct:
		for f := range t.Fields() {
			if !f.Exported() || ofSession(pkg, f.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// raws are the compiled functions that get values as they are.
var raws = []string{"sort.Slice", "sort.SliceStable", "sort.SliceIsSorted", "encoding/json.Marshal", "encoding/json.MarshalIndent", "(*encoding/json.Encoder).Encode", "encoding/json.Unmarshal", "(*encoding/json.Decoder).Decode"}

func ofBridge(call ssa.CallCommon) bool {
	f := call.StaticCallee()
	return f != nil && f.Object() != nil && f.Object().Pkg() != nil && f.Object().Pkg().Path() == "hierml/bridge"
}

// feeds reports whether all that becomes of a value is to be an argument of the bridge or of a
// function that gets values as they are.
func feeds(v ssa.Value, depth int) bool {
	if v.Referrers() == nil || len(*v.Referrers()) == 0 || depth > 5 {
		return depth <= 5
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Call:
			f := r.Call.StaticCallee()
			if !ofBridge(r.Call) && (f == nil || f.Object() == nil || !slices.Contains(raws, f.Object().(*gotypes.Func).FullName())) {
				return false
			}
		case *ssa.Store: // an element of a list of arguments
			index, ok := r.Addr.(*ssa.IndexAddr)
			if !ok || r.Val != v && r.Addr != v || r.Val == v && !feeds(index.X, depth+1) {
				return false
			}
		case *ssa.Slice:
			if !feeds(r, depth+1) {
				return false
			}
		case *ssa.IndexAddr: // where another element is stored
		default:
			return false
		}
	}
	return true
}

// importers imports the bridge, and what cells may.
type importers struct{ bridge *gotypes.Package }

func (i importers) Import(path string) (*gotypes.Package, error) {
	if path == "hierml/bridge" {
		return i.bridge, nil
	}
	return stdlib.Importer.Import(path)
}

// bridgePackage declares the functions of the bridge. What it returns of types of its own can only
// be given back to it.
func bridgePackage(t testing.TB) *gotypes.Package {
	t.Helper()
	imports := map[string]string{}
	var text strings.Builder
	for _, symbols := range newInterpreter(t).bridge() {
		for name, f := range symbols {
			fmt.Fprintf(&text, "func %s%s\n", name, strings.TrimPrefix(goType(f.Type(), imports), "func"))
		}
	}
	head := "package bridge\n"
	for path, alias := range imports {
		head += fmt.Sprintf("import %s %q\n", alias, path)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "bridge.go", head+text.String(), 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := gotypes.Config{Importer: stdlib.Importer, IgnoreFuncBodies: true}
	pkg, err := conf.Check("hierml/bridge", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// goType writes a type.
func goType(t reflect.Type, imports map[string]string) string {
	if t.PkgPath() != "" {
		if !token.IsExported(t.Name()) || strings.Contains(t.PkgPath(), "/worker/") {
			return "interface{}"
		}
		alias, ok := imports[t.PkgPath()]
		if !ok {
			alias = fmt.Sprintf("p%d", len(imports))
			imports[t.PkgPath()] = alias
		}
		return alias + "." + t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		if inner := goType(t.Elem(), imports); inner != "interface{}" {
			return "*" + inner
		}
		if t.Implements(reflect.TypeFor[io.ReadWriter]()) {
			return "interface { Read([]byte) (int, error); Write([]byte) (int, error); WriteString(string) (int, error) }"
		}
		return "interface{}"
	case reflect.Slice:
		return "[]" + goType(t.Elem(), imports)
	case reflect.Func:
		params := make([]string, t.NumIn())
		for i := range params {
			params[i] = goType(t.In(i), imports)
			if t.IsVariadic() && i == len(params)-1 {
				params[i] = "..." + strings.TrimPrefix(params[i], "[]")
			}
		}
		results := make([]string, t.NumOut())
		for i := range results {
			results[i] = goType(t.Out(i), imports)
		}
		return "func(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ")"
	}
	return t.String()
}

package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestNamesOfCompiledCode asks the run time what the running code is called: what it is in a Go
// program, with the cell in place of the file.
func TestNamesOfCompiledCode(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	course{"", []step{
		{"type T struct{}\nfunc (T) m() string { return at() }\nfunc (*T) M() string { return func() string { return at() }() }\ntype G[A any] struct{}\nfunc (G[A]) m() string { return at() }\n" +
			"func at() string {\n\tpc, file, line, _ := runtime.Caller(1)\n\treturn fmt.Sprint(runtime.FuncForPC(pc).Name(), \" \", filepath.Base(file), \" \", line)\n}", ""},
		{"T{}.m()", "main.T.m Cell [1] 2"}, {"new(T).M()", "main.(*T).M.func1 Cell [1] 3"}, {"G[T]{}.m()", "main.G[...].m Cell [1] 5"},
		{"func() string { return at() }()", "main.init.func1 Cell [5] 1"}, {"\nat()", "main.init Cell [6] 2"}, {"\nat()", "main.init Cell [7] 2"},
		{"var inits string\nfunc init() { inits += at() }\nfunc init() { inits += at() }\ninits", "main.init.0 Cell [8] 2main.init.1 Cell [8] 3"},
		{"runtime.FuncForPC(reflect.ValueOf(T.m).Pointer()).Name()", "main.T.m"},
		{"var lines strings.Builder\nlog.New(&lines, \"\", log.Lshortfile).Print(\"x\")\nlines.String()", "Cell [10]:2: x\n"},
		{"reflect.TypeOf(T{}).PkgPath() + reflect.TypeFor[G[T]]().PkgPath()", "mainmain"},
		{"func fails() { panic(1) }", ""}, {"fails()", "! panic: 1"},
	}}.check(t, n)
}

// TestNamesOfFirstFunctions asks for the name of the function that comes first in a cell's code,
// and panics in it.
func TestNamesOfFirstFunctions(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	course{"", []step{
		{"name := func(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }", ""},
		{"func f(a int) int { return a }\nname(f)", "main.f"},
		{"func alone() {}", ""}, {"name(alone)", "main.alone"},
		{"type T struct{}\nfunc (T) M() {}\nname(T.M)", "main.T.M"}, {"name(T{}.M)", "main.T.M-fm"},
		{"type P struct{}\nfunc (*P) M() {}", ""}, {"name((*P).M)", "main.(*P).M"},
		{"func gen[A any](A) {}\nname(gen[int])", "main.gen[...]"},
		{"func literal() func() { return func() {} }\nname(literal())", "main.init.literal.func1"}, // Go too names what it is inlined in
		{"name(func() {})", "main.init.func1"},
	}}.check(t, n)
	_, _, err := n.run("func div(a, b int) int { return a / b }\ndiv(1, 0)")
	if got := uncoloured(traceback(err)); !strings.Contains(got, ":1:35 in div\n") {
		t.Errorf("shows:\n%s\nwant a place in div", got)
	}
}

// TestFilesOfCompiledCode runs scripts, whose text the run time finds in the file, and has each
// kind of failure tell the place.
func TestFilesOfCompiledCode(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	run := func(source string) (string, error) {
		n.cell++
		r := &enginetest.Recorder{}
		_, err := n.engine.Run(t.Context(), program.Cell{Number: n.cell, Name: "sub/ca.go", File: "/srv/some folder/sub/ca.go", Source: source}, r)
		return r.Out(), err
	}
	const where = "_, file, line, _ := runtime.Caller(0)\nfmt.Print(file, \":\", line)"
	if out, err := run(where + "\nlog.New(os.Stdout, \" \", log.Llongfile).Print(\"x\")"); err != nil || out != "/srv/some folder/sub/ca.go:1 /srv/some folder/sub/ca.go:3: x\n" {
		t.Errorf("%q, %v", out, err)
	}
	for source, want := range map[string]string{
		"\nfunc f(p *int) int {\n\treturn *p\n}\nf(nil)":           "sub/ca.go:3:9 in f",
		"\nfunc h(x, y [1 << 30]byte) byte { return x[1] + y[2] }": "sub/ca.go:2:6: stack frame too large",
	} {
		out, err := run(source)
		var failed *program.Error
		if !errors.As(err, &failed) || !strings.Contains(uncoloured(failed.Traceback), want) {
			t.Errorf("%s\ngives %q, %v, %v, want %s", source, out, err, failed, want)
		}
	}
}

// TestRepeatedConstants declares constants whose repeated expression means something else when it
// is repeated.
func TestRepeatedConstants(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	course{"", []step{
		{"type kind int\nconst X = 2\nconst K kind = 1", ""},
		{"func f() []any {\n\tconst (\n\t\tX = X + X + iota\n\t\tY\n\t\tZ = 'a'\n\t)\n\treturn []any{X, Y, Z}\n}\nf()", "[4 9 97]"},
		{"func g() []any {\n\tconst (\n\t\tK kind = K + 1\n\t\t_\n\t\tL\n\t)\n\treturn []any{K, L}\n}\ng()", "[2 3]"},
		{"func h() []any {\n\tconst (\n\t\tA = iota\n\t\tiota = iota\n\t\tB\n\t\tC = 1.5\n\t)\n\treturn []any{A, iota, B, C}\n}\nh()", "[0 1 1 1.5]"},
	}}.check(t, n)
}

// TestTypesOfOneName holds two declarations of a name apart where the run time and reflect compare
// types.
func TestTypesOfOneName(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	course{"", []step{
		{"type T struct{ X int }\nfunc (T) m() string { return \"old\" }\nvar old any = T{1}\nvar olds any = []T{{1}}\ntype I interface{ m() string }", ""},
		{"type T struct{ X, Y int }\nfunc (T) m() string { return \"new\" }\nvar now any = T{X: 1}\nvar nows any = []T{{X: 1}}", ""},
		{"fmt.Sprintf(\"%T %T\", old, now)", "main.T main.T"},
		{"reflect.TypeOf(old) == reflect.TypeOf(now) || reflect.TypeOf(olds) == reflect.TypeOf(nows) || old == now", "false"},
		{"reflect.TypeOf(old).PkgPath() == reflect.TypeOf(now).PkgPath()", "true"},
		{"_, a := old.(T)\n_, b := now.(T)\n_, c := olds.([]T)\n_, d := nows.([]T)\n[]bool{a, b, c, d}", "[false true false true]"},
		{"old.(I).m() + now.(I).m()", "oldnew"},
		{"len(map[any]int{old: 1, now: 2})", "2"},
		{"func() string { switch old.(type) {\n\tcase I: return \"an I\"\n\tcase T: return \"a T\"\n\t}\n\treturn \"\"\n}()", "an I"},
		{"reflect.SliceOf(reflect.TypeOf(old)) == reflect.TypeOf(olds) && reflect.SliceOf(reflect.TypeOf(now)) == reflect.TypeOf(nows)", "true"},
		{"reflect.TypeOf(old).AssignableTo(reflect.TypeOf(now)) || reflect.TypeOf(olds).ConvertibleTo(reflect.TypeOf(nows))", "false"},
		{"func f() any { type L struct{ A int }; return L{1} }\nfunc g() any { type L struct{ A int }; return L{1} }\nf() == g()", "false"},
		{"_ = old.(T)", "! interface conversion: interface {} is main.T, not main.T"},
	}}.check(t, n)
}

// TestGobNames writes types by the names that a Go program has for them, and lets the newest
// declaration of a name have it.
func TestGobNames(t *testing.T) {
	n := newWorkerNotebook(t, program.CompiledMode)
	const write = "var b bytes.Buffer\nvar v any = R{A: 7}\ngob.NewEncoder(&b).Encode(&v)\nstrings.Contains(b.String(), \"main.R\")"
	const declare = "import \"encoding/gob\"\ntype R struct{ A int }\ngob.Register(R{})\ngob.RegisterName(\"list\", []R{})"
	course{"", []step{
		{declare, ""}, {write, "true"}, {declare, ""}, {write, "true"},
		{"type R struct{ A, B int }\nvar register = gob.Register\nregister(R{})\ngob.RegisterName(\"list\", []R{})", ""},
		{"var r any\ngob.NewDecoder(&b).Decode(&r)\n_, ok := r.(R)\nfmt.Sprintf(\"%t %+v\", ok, r)", "true {A:7 B:0}"},
		{"gob.RegisterName(\"list\", 1)", "! gob: registering duplicate types for \"list\": []main.R != int"},
		{"gob.RegisterName(\"other\", R{})", "! gob: registering duplicate names for main.R"},
	}}.check(t, n)
}

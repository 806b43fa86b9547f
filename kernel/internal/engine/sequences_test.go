package engine_test

import (
	"slices"
	"strings"
	"testing"
)

// A step is a cell and what comes of it: the value that it shows, or behind "! " a part of its
// error, or behind "? " a part of what it notes.
type step struct{ cell, want string }

// A course is the cells of a session, one after the other.
type course struct {
	name  string
	steps []step
}

// TestRefusedCell refuses a cell in the middle of a redeclaration.
func TestRefusedCell(t *testing.T) {
	course{"", []step{
		{"const c = 1", ""}, {"func f() int { return c }", ""}, {"const c = 2\nfunc g() int { return f() }\ntype T []T\nvar t T", "! type T refers to itself"}, {"tree := Tree{\"a\": {}}\ntype Tree map[string]Tree", "! Cell [4]:2:6: type Tree refers to itself"}, {"f() + c", "2"}, {"g()", "! undefined: g"}, {"const c = 3", ""}, {"f() + c", "6"},
	}}.check(t, newNotebook(t))
}

// TestSequences runs cells as a researcher does for hours: again, out of order, and with
// declarations that change below what uses them.
func TestSequences(t *testing.T) {
	for _, c := range courses {
		t.Run(c.name, func(t *testing.T) { c.check(t, newNotebook(t)) })
		t.Run("lines of Windows/"+c.name, func(t *testing.T) { c.ofWindows().check(t, newNotebook(t)) })
	}
}

// ofWindows returns a course whose lines end as editors on Windows end them.
func (c course) ofWindows() course {
	steps := slices.Clone(c.steps)
	for i := range steps {
		steps[i].cell = strings.ReplaceAll(steps[i].cell, "\n", "\r\n")
	}
	return course{c.name, steps}
}

func (c course) cells() []string {
	var cells []string
	for _, step := range c.steps {
		cells = append(cells, step.cell)
	}
	return cells
}

func (c course) check(t *testing.T, n *notebook) {
	for i, step := range c.steps {
		n.waits(c.cells()[i+1:])
		shown, _, notes, err := n.runNoting(step.cell)
		want, failing := strings.CutPrefix(step.want, "! ")
		note, noting := strings.CutPrefix(step.want, "? ")
		switch {
		case failing && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("cell %d, %q: %q, error %v, want the error %q", i+1, step.cell, shown, err, want)
		case failing:
		case err != nil:
			t.Errorf("cell %d, %q: %v", i+1, step.cell, err)
		case noting && !strings.Contains(notes, note):
			t.Errorf("cell %d, %q: notes %q, want %q", i+1, step.cell, notes, note)
		case !noting && (shown != step.want || notes != ""):
			t.Errorf("cell %d, %q: %q and notes %q, want %q", i+1, step.cell, shown, notes, step.want)
		}
	}
}

var courses = []course{
	{"nil as the list of what is appended or passed on", []step{
		{"func list(name string, xs ...any) string { return fmt.Sprint(name, len(xs), xs == nil) }\ntype T struct{}\nfunc (T) m(xs ...error) bool { return xs == nil }\ntype I interface{ m(...error) bool }\ntype L []int\nfunc of[X any](xs ...X) bool { return xs == nil }", ""},
		{"list(\"c\", nil...)", "c0 true"}, {"var i I = T{}\ng := i.m\nfmt.Sprint(T{}.m(nil...), i.m(nil...), g(nil...), T.m(T{}, nil...), of[I](nil...))", "true true true true true"},
		{"append([]int{1}, nil...)", "[1]"}, {"append([]string{\"a\"}, (nil)...)", "[a]"}, {"append(L{2}, nil...)", "[2]"}, {"append([]error(nil), nil...) == nil", "true"}, {"append([]int{3}, L(nil)...)", "[3]"},
		{"m := map[string][]byte{}\nm[\"a\"] = append(m[\"a\"], nil...)\nfunc r() [][]int { return append([][]int{{4}}, nil...) }\nfmt.Sprint(m, m[\"a\"] == nil, r(), fmt.Sprint(nil...), errors.Join(nil...))", "map[a:[]] true [[4]]<nil>"},
		{"var out string\nfunc d() { defer func(xs ...int) { out += fmt.Sprint(xs == nil) }(nil...) }\nd()\nout", "true"},
	}},
	{"nil as an element that is appended", []step{
		{"x := append([]error{}, nil)\ny := append([][]int{}, nil)\nfmt.Sprint(x, y, x[0] == nil, y[0] == nil)", "[<nil>] [[]] true true"}, {"append([]any{1}, nil)", "[1 <nil>]"},
		{"type I interface{ M() }\ntype S struct{ n []int }\ntype N []int\nfmt.Sprint(append([]*S{}, nil, (nil)), len(append([]*S{}, &S{}, nil)), append([]I{}, nil), append([]N{{1}}, nil, N{2}), append([]chan int{}, nil), append([]fmt.Stringer{}, nil), len(append([]func(){}, nil, nil)))", "[<nil> <nil>] 2 [<nil>] [[1] [] [2]] [<nil>] [<nil>] 2"},
		{"func g[T any](xs []T, x T) []T { return append(xs, x) }\nfunc loop() (out []map[string]int, es []error) { for range 2 { out = append(out, nil, map[string]int{}); es = append(es, nil, errors.New(\"x\")) }; return }\nm, es := loop()\nfmt.Sprint(g([]error{}, nil), g([][]int{}, nil), g([]*int{}, nil), m, es)", "[<nil>] [[]] [<nil>] [map[] map[] map[] map[]] [<nil> x <nil> x]"},
		{"var p *int\nq := append([]*int{}, nil, new(3))\nfmt.Sprint(q[0] == p, *q[1])", "true 3"},
	}},
	{"nil as the value that a cell shows", []step{{"nil", "? "}, {"_ == nil && Out[1] == nil", "true"}, {"x := Out[1]\nx = 3\nx", "3"}, {"fmt.Sprint(Out[1])", "<nil>"}}},
	{"variables that are called init and main", []step{
		{"init := 3\nfunc f() int { init++; return init }", ""}, {"f() + init", "8"}, {"_, main := 1, \"m\"\np := &init\n*p = 7", ""}, {"func init() { init++ }\ninit", "8"}, {"var a, init = main, 2\nf() + len(a)", "4"},
		{"var init func() string\ninit = func() string { return main }\nfor main := range 2 { init := main; _ = init }\ninit()", "m"}, {"const init = 3", "! cannot declare init - must be func"},
		{"func main() { fmt.Print(1) }", "? note: main is declared; call main() to run it"}, {"main()", ""},
	}},
	{"carriage returns, which raw strings do not have", []step{
		{"s := `a\r\nb`\r\nn := len(s)", ""}, {"n", "3"}, {"const c = `\r\n`", ""}, {"var v = `x\r\n\r\ny`\r\nlen(c + v)", "5"}, {"func f() string {\r\n\treturn `\r\n`\r\n}\r\nlen(f() + `\r\n`)", "2"},
		{"/* a\r\nb */ len(`\r`)", "0"}, {"%%capture\r\nq := `a\r\nb`", ""}, {"len(q)", "3"}, {"%prof w := `a\r\nb`\r\nlen(w)", "3"}, {"len([]string{`a\r\nb`,\r\n\t`c`}[0])", "3"},
	}},
	{"variables are initialized behind what they need", []step{
		{"var p = f()\nfunc f() int { return z }\nvar z = 5", ""}, {"p", "5"},
		{"var a = b + 1\nvar b = 2", ""}, {"a", "3"}, {"b = 10", ""}, {"var a = b + 1\nvar b = 2", ""}, {"a", "3"},
	}},
	{"constants of variables", []step{
		{"const n1 = len(arr)\nvar arr [n2]int\nconst n2 = 4\nn1", "4"}, {"n1 + len(arr)", "8"}, {"arr[1] = 7\nconst n3 = n1 * len(arr)\nn3", "16"},
		{"var arr [5]string\nconst n1 = len(arr)\nfunc size() int { return n1 + len(arr) }\nn1 + size()", "15"}, {"len(arr)", "5"},
		{"var m map[string][20]int\nvar s struct { a [10]bool; p *[3]int }\nvar list = [...]string{\"a\", \"b\"}\nconst a, b, c, d = len(m[\"\"]), cap(s.a), len(list), len(s.p)\n[]int{a, b, c, d}", "[20 10 2 3]"},
		{"import \"unsafe\"\ntype row [len(list)]int\nvar wide, narrow int64 = 1, 2\nfunc sum(r row, x [unsafe.Sizeof(wide)]int) int { return len(r) + len(x) }\nsum(row{1, 2}, [8]int{})", "10"},
		{"fmt.Sprint(len(arr))\nvar arr [2]int\nconst n4 = len(arr)\nn4", "2"},
		{"const z = len(y)\nvar y = [2]int{z, undeclared}", "! undefined: undeclared"}, {"const z = len(y)\nvar y [z]int", "! initialization cycle"},
		{"const z = len(zs)\nvar zs = []int{}", "! is not constant"}, {"var fs = [...]func() int{func() int { return n5 }}\nconst n5 = len(fs)\nfs[0]()", "1"},
	}},
	{"variables take what is there where nothing else can be", []step{
		{"z := 1", ""}, {"var p = z\nz = 3\nvar q = z", ""}, {"[]int{p, q}", "[1 3]"},
		{"var p = z\nz++\nvar z = 7", ""}, {"[]int{p, z}", "[3 7]"},
		{"func f() int { return z }", ""}, {"var p = f()\nvar z = 8", ""}, {"[]int{p, z}", "[7 8]"},
		{"var p = z + 1\nvar z = p + 1", ""}, {"[]int{p, z}", "[9 10]"},
	}},
	{"a variable as the key of a literal", []step{
		{"k, n := \"a\", 1", ""}, {"map[string]int{k: 1}", "map[a:1]"}, {"const c = 2", ""}, {"[...]int{c: 7}", "[0 0 7]"},
		{"func f() map[string]int { return map[string]int{k: 3} }\nf()", "map[a:3]"}, {"struct{ k int }{k: 5}", "{k:5}"}, {"k", "a"},
	}},
	{"a cell again", []step{{"x := 1", ""}, {"x = x + 1\nx", "2"}, {"x = x + 1\nx", "3"}, {"x := 1", ""}, {"x = x + 1\nx", "2"}}},
	{"a struct changes while variables live", []step{
		{"type P struct{ X int }\nfunc (p P) Get() int { return p.X }", ""}, {"p := P{1}", ""},
		{"type P struct{ X, Y int }\nfunc (p P) Get() int { return p.X + p.Y }", ""},
		{"p.Get()", "1"}, {"P{1, 2}.Get()", "3"}, {"p.Y", "! p.Y undefined"}, {"p = P{1, 2}", "! P was declared again in Cell [3]"}, {"p := P{1, 2}", ""}, {"p.Get()", "3"},
	}},
	{"a type again as it was", []step{
		{"type P struct{ X int }", ""}, {"p := P{1}", ""}, {"type P struct{ X int }", ""}, {"p = P{2}\np.X", "2"},
	}},
	{"functions of an older type", []step{
		{"type P struct{ X int }", ""}, {"func f(p P) int { return p.X }", ""}, {"type P struct{ X, Y int }", ""},
		{"f(P{1, 2})", "1"}, {"func f(p P) int { return p.X + p.Y }", ""}, {"f(P{1, 2})", "3"},
	}},
	{"old values and functions of the new type", []step{
		{"type P struct{ X int }\np := P{1}", ""}, {"func f(p P) int { return p.X }", ""}, {"f(p)", "1"}, {"type P struct{ X, Y int }", ""},
		{"f(p)", "! P was declared again in Cell [4]; values made before have the older type"}, {"f(P{3, 4})", "3"},
	}},
	{"functions that keep an older type", []step{
		{"type P struct{ X int }\np := P{1}", ""}, {"func f(p P) int { return p.X }", ""}, {"type P struct{ Y int }", "? note: f keeps the older P: p.X undefined"}, {"f(p)", "1"},
		{"f(P{1})", "! P was declared again in Cell [3]"}, {"type P struct{ X int }", ""}, {"f(P{5})", "5"},
	}},
	{"functions that use what they cannot have both", []step{
		{"type P struct{ X int }\ntype M struct{ items []P }\nvar m M", ""}, {"func add(m *M, p P) int { m.items = append(m.items, p); return len(m.items) }", ""}, {"add(&m, P{1})", "1"},
		{"type P struct{ X, Y int }", "? note: add keeps the older P"}, {"add(&m, P{1, 2})", "! P was declared again"}, {"type M struct{ items []P }\nvar m M", ""}, {"add(&m, P{1, 2})", "1"},
	}},
	{"callers of functions of an older type", []step{
		{"type P struct{ X int }", ""}, {"func f(p P) int { return p.X }", ""}, {"func g() int { return f(P{4}) }", ""},
		{"type P struct{ Y, X int }", "? note: g keeps the older P: too few values in struct literal of type P"},
		{"g()", "4"}, {"func f(p P) int { return 10 * p.X }", ""}, {"f(P{X: 5})", "50"}, {"g()", "4"},
		{"func g() int { return f(P{X: 4}) }\ng()", "40"},
	}},
	{"a method's body changes below its callers", []step{
		{"type T struct{}\nfunc (T) M() int { return 1 }", ""}, {"func f() int { return T{}.M() }", ""}, {"func (T) M() int { return 2 }", ""}, {"f()", "2"},
	}},
	{"a method's signature changes", []step{
		{"type T struct{}\nfunc (T) M() int { return 1 }", ""}, {"func f() int { return T{}.M() }", ""},
		{"func (T) M() string { return \"a\" }", "! has a different signature than before"}, {"f()", "1"}, {"T{}.M()", "1"},
		{"t := T{}", ""}, {"type T struct{}\nfunc (T) M() string { return \"a\" }", "? note: f keeps the older T: cannot use T{}.M() (value of type string) as int value"}, {"T{}.M()", "a"}, {"f()", "1"}, {"t.M()", "1"},
		{"func f() string { return T{}.M() }\nf()", "a"}, {"type T struct{}\nfunc (T) M() string { return \"b\" }\nf()", "b"},
	}},
	{"methods in other cells follow their type", []step{
		{"type T struct{ X int }", ""}, {"func (t T) Get() int { return t.X }", ""}, {"func (t *T) Set(x int) { t.X = x }", ""}, {"old := T{1}", ""}, {"type T struct{ X, Y int }", ""},
		{"t := T{1, 2}\nt.Set(5)\nt.Get()", "5"}, {"old.Set(7)\nold.Get()", "7"}, {"func (t T) Get() int { return t.X + t.Y }", ""}, {"t.Get()", "7"}, {"old.Get()", "7"},
		{"type T struct{ Z int }", "? (*T).Set keeps the older T"}, {"T{}.Get()", "! T{}.Get undefined"},
	}},
	{"methods of a generic type follow it", []step{
		{"type L[T any] struct{ items []T }\nfunc (l *L[T]) Add(x T) { l.items = append(l.items, x) }\nfunc (l L[T]) Len() int { return len(l.items) }", ""}, {"l := L[int]{}\nl.Add(1)", ""},
		{"type L[T any] struct{ items []T; n int }\nfunc (l L[T]) Len() int { return 10 * len(l.items) }", ""}, {"m := L[string]{}\nm.Add(\"a\")\nm.Len()", "10"}, {"l.Add(2)\nl.Len()", "2"},
	}},
	{"a function's signature changes below its callers", []step{
		{"func f() int { return 1 }", ""}, {"func g() int { return f() + 1 }\nfunc h() int { return g() }", ""}, {"func f() string { return \"a\" }", "? g does not compile any more"},
		{"h()", "! h calls g, which calls f, and does not compile with it"}, {"f()", "a"}, {"func f() int { return 5 }", ""}, {"h()", "6"},
	}},
	{"a signature that callers can bear", []step{
		{"func f(n int) int { return n }", ""}, {"func g() int { return f(1) }", ""}, {"func f(n float64) int { return int(n) + 10 }", ""}, {"g()", "11"},
	}},
	{"an interface changes", []step{
		{"type S interface{ Area() int }", ""}, {"type Sq struct{ n int }\nfunc (s Sq) Area() int { return s.n * s.n }", ""}, {"func total(s ...S) int { t := 0; for _, x := range s { t += x.Area() }; return t }", ""},
		{"total(Sq{2}, Sq{3})", "13"}, {"type S interface{ Area() int; Name() string }", ""}, {"var s S = Sq{1}", "! missing method Name"}, {"total(Sq{2})", "! missing method Name"},
		{"func (s Sq) Name() string { return \"sq\" }", ""}, {"var s S = Sq{4}\ns.Name()", "sq"}, {"total(s)", "16"},
	}},
	{"an import's name for a variable", []step{
		{"import str \"strings\"", ""}, {"str.ToUpper(\"a\")", "A"}, {"str := 3", ""}, {"str + 1", "4"}, {"import str \"strings\"\nstr.ToUpper(\"b\")", "B"},
	}},
	{"a package's name for a variable", []step{
		{"strings.ToUpper(\"a\")", "A"}, {"func up(s string) string { return strings.ToUpper(s) }", ""}, {"strings := []string{\"x\"}", ""}, {"len(strings)", "1"}, {"up(\"b\")", "B"},
		{"strings.ToUpper(\"c\")", "! strings.ToUpper undefined"}, {"import \"strings\"", ""}, {"strings.ToUpper(\"d\")", "D"},
	}},
	{"builtins", []step{
		{"len := 3", ""}, {"len + 1", "4"}, {"func f(s []int) int { return cap(s) + len }\nf(make([]int, 2))", "5"}, {"len([]int{1})", "! cannot call"}, {"func len(s []int) int { return 77 }", "? note: f keeps the older len: "}, {"len(nil)", "77"},
		{"f(make([]int, 2))", "5"},
	}},
	{"types of Go's own", []step{
		{"type int struct{ X float64 }", ""}, {"int{2.5}.X", "2.5"}, {"3", "3"}, {"n := 4", ""}, {"n + 1", "5"}, {"type string = float64", ""}, {"string(3) / 2", "1.5"},
	}},
	{"true and nil", []step{{"true := false", ""}, {"true", "false"}, {"1 == 1", "true"}, {"nil := 3\nnil", "3"}, {"iota := 2\niota", "2"}}},
	{"constants", []step{
		{"const N = 3", ""}, {"func f() int { return N }\nvar a [N]int", ""}, {"const N = 5", ""}, {"f()", "5"}, {"len(a)", "3"}, {"var b [N]int\nlen(b)", "5"}, {"N := \"v\"", ""}, {"N", "? note: f keeps the older N: cannot use N"}, {"f()", "5"}, {"const N = 2.5", "? note: f keeps the older N: "}, {"N * 2", "5"},
	}},
	{"functions of constants", []step{
		{"const rate = 0.1\nconst epochs = 3", ""}, {"func train() float64 { return rate * epochs }", ""}, {"func twice() float64 { return 2 * train() }", ""}, {"twice()", "0.6"}, {"const rate = 1", ""}, {"twice()", "6"},
		{"const epochs = \"three\"", "? note: train keeps the older epochs: "}, {"twice()", "6"}, {"const rate = 2", "? note: train keeps the older rate: "}, {"const epochs = 5", ""}, {"twice()", "20"},
	}},
	{"constants of a type", []step{
		{"type Day int\nconst (\n\tMon Day = iota\n\tTue\n)", ""}, {"d := Tue", ""}, {"func (d Day) String() string { return [...]string{\"Mon\", \"Tue\"}[d] }", ""}, {"d", "Tue"},
		{"type Day int\nconst (\n\tMon Day = iota\n\tTue\n\tWed\n)", ""}, {"int(Wed) + int(d)", "3"}, {"d == Tue", "true"},
	}},
	{"a generic function", []step{
		{"func m[T any](xs []T) int { return len(xs) }", ""}, {"func g() int { return m([]int{1}) }", ""}, {"g() + m([]string{\"a\", \"b\"})", "3"}, {"func m[T any](xs []T) int { return 10 * len(xs) }", ""}, {"m([]string{\"a\", \"b\"})", "20"}, {"g()", "10"},
	}},
	{"a generic function for a plain one", []step{
		{"func m(xs []int) int { return len(xs) }", ""}, {"func g() int { return m([]int{1}) }", ""}, {"func m[T any](xs []T) int { return 10 * len(xs) }", ""}, {"m([]string{\"a\", \"b\"})", "20"}, {"g()", "10"},
		{"func m(xs []int) int { return 100 * len(xs) }", ""}, {"g()", "100"},
	}},
	{"methods of a generic type in a later cell", []step{
		{"type L[T any] struct{ items []T }", ""}, {"l := L[int]{[]int{1, 2}}", ""}, {"func (l L[T]) Len() int { return len(l.items) }", ""}, {"l.Len()", "2"},
	}},
	{"a generic type again", []step{
		{"type L[T any] struct{ items []T }\nfunc (l L[T]) Len() int { return len(l.items) }", ""}, {"l := L[int]{[]int{1, 2}}", ""}, {"type L[T any] struct{ items []T }\nfunc (l L[T]) Len() int { return 10 * len(l.items) }", ""},
		{"L[int]{[]int{1}}.Len()", "10"}, {"l.Len()", "20"},
	}},
	{"methods of an alias", []step{
		{"type T struct{ X int }\ntype A = T", ""}, {"func (a A) Get() int { return a.X }", ""}, {"T{3}.Get()", "3"}, {"A{4}.Get()", "4"},
	}},
	{"methods of an alias of a package's type", []step{
		{"type B = strings.Builder", ""}, {"func (b B) Get() int { return 1 }", "! cannot define new methods on non-local type"},
	}},
	{"init functions", []step{
		{"x := 1\nfunc init() { x += 10 }\ny := x\nfunc init() { x += 100 }\nx + y", "122"}, {"func init() { x = 5 }", ""}, {"x", "5"}, {"init()", "! undefined: init"},
	}},
	{"a function becomes a variable", []step{
		{"func f() int { return 1 }", ""}, {"func g() int { return f() }", ""}, {"f := 3", ""}, {"f", "? note: g keeps the older f: invalid operation: cannot call f (variable of type int)"}, {"g()", "1"}, {"f := func() int { return 7 }", ""}, {"f()", "7"}, {"g()", "7"}, {"func f() int { return 9 }", ""}, {"f() + g()", "18"},
	}},
	{"a variable becomes a function", []step{
		{"f := 3", ""}, {"func g() int { return f }", ""}, {"func f() int { return 4 }", "? note: g keeps the older f: cannot use f"}, {"f()", "4"}, {"g()", "3"},
	}},
	{"a type becomes a variable", []step{
		{"type T struct{ X int }", ""}, {"t := T{1}\nfunc f(x T) int { return x.X }", ""}, {"T := 5", ""}, {"T + f(t)", "? note: f keeps the older T: T (package-level variable) is not a type"}, {"T + f(t)", "6"}, {"type T string", "? note: f keeps the older T: x.X undefined"}, {"T(\"a\")", "a"},
	}},
	{"mutual recursion over three cells", []step{
		{"func a(n int) int { if n == 0 { return 0 }; return b(n-1) + 1 }", "? a calls b, which no cell has declared yet"}, {"a(0)", "! a calls b, which no cell has declared yet"},
		{"func b(n int) int { if n == 0 { return 0 }; return c(n-1) + 1 }", "? b calls c"}, {"a(3)", "! a calls b, which calls c, which no cell has declared yet"},
		{"func c(n int) int { if n == 0 { return 0 }; return a(n-1) + 1 }", ""}, {"a(7) + b(3)", "10"}, {"func b(n int) int { return 100 }", ""}, {"a(7)", "101"},
	}},
	{"a forward reference of a method", []step{
		{"type T struct{ n int }\nfunc (t T) Go() int { return helper(t) }", "? calls helper"}, {"T{1}.Go()", "! helper"}, {"func helper(t T) int { return t.n + 1 }", ""}, {"T{1}.Go()", "2"},
	}},
	{"a forward reference to a variable", []step{
		{"func f() int { return later }", "? note: f uses later, which no cell has declared yet"}, {"f()", "! undefined: later (f uses later, which no cell has declared yet)"}, {"later := 3", ""}, {"f()", "3"}, {"later = 4\nf()", "4"},
	}},
	{"functions that are named before they are declared", []step{
		{"func pick() func(int) int { return later }\nfunc use(xs []int) []int { return apply(later, xs) }", "? note: pick uses later, which no cell has declared yet\nnote: use uses apply and later, which no cell has declared yet"},
		{"func apply(f func(int) int, xs []int) (out []int) { for _, x := range xs { out = append(out, f(x)) }; return }", ""}, {"pick()(1)", "! undefined: later (pick uses later, which no cell has declared yet)"},
		{"func later(x int) int { return 2 * x }", ""}, {"fmt.Sprint(pick()(4), use([]int{1, 2}))", "8 [2 4]"}, {"func later(x int) int { return 3 * x }", ""}, {"pick()(4)", "12"},
	}},
	{"a parser whose methods call each other, from the top down", []step{
		{"type parser struct { toks []string; pos int }\nfunc (p *parser) expr() int { v := p.term(); for p.peek() == \"+\" { p.next(); v += p.term() }; return v }", "? note: (*parser).expr calls parser.term, parser.peek and parser.next, which no cell has declared yet"},
		{"func (p *parser) term() int { v := p.factor(); for p.peek() == \"*\" { p.next(); v *= p.factor() }; return v }", "? (*parser).term calls parser.factor"},
		{"(&parser{}).expr()", "! (*parser).expr calls"},
		{"func (p *parser) factor() int { if p.peek() == \"(\" { p.next(); v := p.expr(); p.next(); return v }; n, _ := strconv.Atoi(p.next()); return n }", "? (*parser).factor calls parser.peek and parser.next"},
		{"func (p *parser) peek() string { if p.pos < len(p.toks) { return p.toks[p.pos] }; return \"\" }\nfunc (p *parser) next() string { t := p.peek(); p.pos++; return t }", ""},
		{"(&parser{toks: strings.Fields(\"2 + 3 * ( 4 + 1 )\")}).expr()", "17"},
	}},
	{"types that bodies use before they are declared", []step{
		{"func run() int { var s stack; s.push(1); s.push(2); t := stack{xs: []int{9}}; u := any(s); v, ok := u.(stack); if !ok { return -1 }; return s.pop() + t.pop() + v.pop() + len(pair[int]{1, 2}.all()) }", "? note: run uses stack and pair, which no cell has declared yet"},
		{"type stack struct { xs []int }", "? note: run uses stack.push, stack.pop and pair, which no cell has declared yet"},
		{"func (s *stack) push(x int) { s.xs = append(s.xs, x) }\nfunc (s *stack) pop() int { n := len(s.xs) - 1; x := s.xs[n]; s.xs = s.xs[:n]; return x }", ""},
		{"type pair[T any] struct { a, b T }\nfunc (p pair[T]) all() []T { return []T{p.a, p.b} }", ""}, {"run()", "15"},
	}},
	{"variables and constants that bodies use before they are declared", []step{
		{"func area(r float64) float64 { return pi2 * r * r * scale }\nfunc bump() int { counter++; return counter }", "? note: area uses pi2 and scale, which no cell has declared yet\nnote: bump uses counter"},
		{"const pi2 = 3.0\nvar scale = 2.0", ""}, {"counter := 5", ""}, {"fmt.Sprint(area(2), bump(), counter)", "24 6 6"},
	}},
	{"functions and methods before the types in their signatures", []step{
		{"func total(s stack) int { n := 0; for _, x := range s.xs { n += x }; return n }\nfunc (s *stack) push(x int) { s.xs = append(s.xs, x) }\nfunc mk() *stack { return &stack{} }", "? note: stack.push uses stack, which no cell has declared yet\nnote: total uses stack, which no cell has declared yet"},
		{"total", "! undefined: total (total uses stack, which no cell has declared yet)"}, {"type stack struct { xs []int }", ""}, {"s := mk()\ns.push(3); s.push(4)\ntotal(*s)", "7"},
	}},
	{"types that need each other", []step{
		{"type A struct { b *B; n int }", "? note: A uses B, which no cell has declared yet"}, {"type B struct { a *A; c []C }", "? note: B uses C"}, {"A{}", "! undefined: A (A uses B, which no cell has declared yet)"}, {"type C map[string]A", ""},
		{"x := A{n: 1, b: &B{c: []C{{\"k\": A{n: 7}}}}}\nx.b.a = &x\nfmt.Sprint(x.b.a.n, x.b.c[0][\"k\"].n)", "1 7"},
	}},
	{"interfaces whose methods come later", []step{
		{"type Shape interface { Area() float64; Name() string }\ntype Sq struct { s float64 }\nfunc sum(xs ...Shape) (t float64) { for _, x := range xs { t += x.Area() }; return }\nfunc demo() float64 { return sum(Sq{2}, &Circle{1}) }\n" +
			"func kind(s Shape) string { switch s := s.(type) { case Sq: return s.Name() + \"!\"; case *Circle: return s.Name() }; return \"\" }", "? note: demo uses Sq.Area and Circle, which no cell has declared yet\nnote: kind uses Sq.Area, Sq.Name and Circle"},
		{"var shape Shape = Sq{1}", "! (missing method Area) (declare Sq.Area in this cell or an earlier one)"},
		{"func (s Sq) Area() float64 { return s.s * s.s }", "? demo uses Sq.Name"}, {"type Circle struct { r float64 }\nfunc (c *Circle) Area() float64 { return 3 * c.r }\nfunc (c *Circle) Name() string { return \"circle\" }", ""},
		{"func (s Sq) Name() string { return \"sq\" }", ""}, {"fmt.Sprint(demo(), kind(Sq{1}), kind(&Circle{}))", "7sq!circle"},
	}},
	{"constants before their type", []step{
		{"const ( Red Color = iota; Green )\nfunc (c Color) String() string { return names[c] }", "? note: Color.String uses Color, which no cell has declared yet\nnote: Red uses Color"},
		{"var names = [...]string{\"red\", \"green\"}", ""}, {"type Color int", ""}, {"fmt.Sprint(Red, Green, []Color{1, 0})", "red green [green red]"},
	}},
	{"generic functions before what they use", []step{
		{"func Map[T, U any](s Seq[T], f func(T) U) (out Seq[U]) { s.each(func(t T) { out = append(out, f(t)) }); return }", "? Map uses Seq"}, {"type Num interface { ~int | ~float64 }\nfunc Sum[T Num](s Seq[T]) (t T) { for _, x := range s { t = add(t, x) }; return }", "? Sum uses Seq"},
		{"func twice[T Num](x T) T { return add(x, x) }", "? twice calls add"},
		{"type Seq[T any] []T\nfunc (s Seq[T]) each(f func(T)) { for _, x := range s { f(x) } }", "? Sum calls add"}, {"func add[T Num](a, b T) T { return a + b }", ""},
		{"fmt.Sprint(Map(Seq[int]{1, 2}, func(i int) string { return fmt.Sprint(i, \"!\") }), Sum(Seq[float64]{1, 2.5}), twice(4))", "[1! 2!] 3.5 8"},
	}},
	{"types whose words need later constants and types", []step{
		{"type Grid [size][size]Cell\ntype Row = [size]Cell\ntype File struct { Buf; open bool }\ntype Reading interface { Reader; Close() error }", "? note: Grid uses size and Cell, which no cell has declared yet\nnote: Reading uses Reader"},
		{"const size = 2", ""}, {"type Cell struct { Alive bool }\nfunc (g *Grid) Set(i, j int) { g[i][j].Alive = true }", ""}, {"var g Grid\ng.Set(1, 1)\nfmt.Sprint(g, Row{})", "[[{false} {false}] [{false} {true}]] [{false} {false}]"},
		{"type Reader interface { Read() string }\ntype Buf struct { s string }\nfunc (b Buf) Read() string { return b.s }", ""}, {"func (f File) Close() error { return nil }", ""}, {"var r Reading = File{Buf{\"hi\"}, true}\nr.Read()", "hi"},
	}},
	{"a constraint that comes later", []step{
		{"func Max[T Ordered](a, b T) T { if a > b { return a }; return b }", "? note: Max uses Ordered"}, {"type Ordered interface { ~int | ~string }", ""}, {"Max(\"a\", \"b\") + fmt.Sprint(Max(1, 2))", "b2"},
	}},
	{"an error type that comes later", []step{
		{"func check(n int) error { if n < 0 { return &NegErr{n} }; return nil }\nfunc isNeg(err error) bool { var e *NegErr; return errors.As(err, &e) }", "? note: check uses NegErr"}, {"type NegErr struct { n int }", "? note: check uses NegErr.Error"},
		{"func (e *NegErr) Error() string { return fmt.Sprint(\"neg \", e.n) }", ""}, {"fmt.Sprint(check(-1), isNeg(fmt.Errorf(\"x: %w\", check(-2))), isNeg(nil))", "neg -1 true false"},
	}},
	{"what a type parameter lacks while its constraint waits", []step{
		{"func Sum[L Length](ls ...L) (s float64) { for _, l := range ls { s += float64(l.ToMeter()) }; return s }", "? Sum uses Length"}, {"type Length interface{ ~float64; ToMeter() Meter }", "? note: Length uses Meter, which no cell has declared yet\n"}, {"Sum()", "! undefined: Sum (Sum uses Length, which no cell has declared yet)"},
		{"type Meter float64\nfunc (m Meter) ToMeter() Meter { return m }", ""}, {"Sum(Meter(1), 2)", "3"},
	}},
	{"variables whose values need each other", []step{
		{"var v1 = v2\nvar v2 = v1", "! Cell [1]:1:5: initialization cycle: v1 refers to v2, v2 refers to v1"}, {"var a = b\nvar b = f()\nfunc f() int { return a }", "! initialization cycle: a refers to b, b refers to f, f refers to a"},
		{"var v1 int = func() int { return v2 }()\nvar v2 int = v1", "! initialization cycle: v1 refers to v2, v2 refers to v1"}, {"var a, b = c, 1\nvar c = a + d", "! initialization cycle: a refers to c, c refers to a\nCell [4]:2:13: undefined: d"},
		{"var a = b\nx := 3\nvar b = a", "! undefined: b"}, {"var b = 2\nvar a = b", ""}, {"var a = b\nvar b = a + 1", ""}, {"a * b", "6"},
	}},
	{"a function that calls one with a name like its own", []step{
		{"func rec() int { return rec2() }", "? note: rec calls rec2, which no cell has declared yet"}, {"func fact(n int) int { return fatc(n - 1) }", "? fact calls fatc (did you mean fact?)"}, {"func count(n int) int { return counter(n) }", "? note: count calls counter, which no cell has declared yet"},
		{"func outer() int { return reck() }", "? outer calls reck (did you mean rec?)"}, {"func rec2() int { return 4 }", ""}, {"rec()", "4"},
	}},
	{"a cell whose statements lack what its functions could wait for", []step{
		{"func (t *Q9) M() {}; x := Q9{}", "! CompileError: Cell [1]:1:27: undefined: Q9"}, {"func f() { Q9() }\nx := Q9()", "! CompileError: Cell [2]:2:6: undefined: Q9"}, {"func f(x T) {}\nf(2)\ny := Z", "! CompileError: Cell [3]:1:10: undefined: T (declare T in this cell or an earlier one)\nCell [3]:3:6: undefined: Z"},
	}},
	{"the place of a declaration in a message", []step{
		{"func two[T any]() {}", ""}, {"two()", "! in call to two, cannot infer T (declared at Cell [1]:1:10)"}, {"import \"fmt\"; func five[T any]() {}; five()", "! (declared at Cell [3]:1:25)"}, {"func f() { two() }", "! (declared at Cell [1]:1:10)"},
		{"%time func() { two() }()", "! (declared at Cell [1]:1:10)"}, {"// c\nfunc six[T any]() {}\nsix()", "! (declared at Cell [6]:2:10)"},
	}},
	{"characters that Go does not have", []step{
		{"@x", "! CompileError: Cell [1]:1:1: invalid character U+0040 '@'"}, {"x := 5 # c", "! Cell [2]:1:8: invalid character U+0023 '#'"}, {"x ? 1 : 2", "! Cell [3]:1:3: invalid character U+003F '?'"},
		{"func f() {\n\tg($)\n}", "! CompileError: Cell [4]:2:4: invalid character U+0024 '$'"}, {"x := 'ab'", "! syntax error: illegal rune literal (write text in double quotes)"},
	}},
	{"a cell of which one declaration waits keeps the methods of its others", []step{
		{"type Log struct{ lines []string }", ""}, {"l := &Log{}", ""},
		{"func (q Q) Swap(i, j int) { q[i], q[j] = q[j], q[i] }\nfunc (l *Log) Write(p []byte) (int, error) { l.lines = append(l.lines, string(p)); return len(p), nil }\nw := bufio.NewWriter(l)", "? note: Q.Swap uses Q, which no cell has declared yet"},
		{"type Q []int", ""}, {"w.WriteString(\"x\")\nw.Flush()\nq := Q{1, 2}\nq.Swap(0, 1)\nfmt.Sprint(q, l.lines)", "[2 1] [x]"},
	}},
	{"constants and types that wait beside methods", []step{
		{"type Base0 struct{ n int }\ntype Log struct{ lines []string }", ""},
		{"const Body = Boil*3/8\ntype Mid struct { *Base; name string }\nfunc (l *Log) Write(p []byte) (int, error) { l.lines = append(l.lines, string(p)); return len(p), nil }\nfunc (m Mid) String() string { return fmt.Sprint(m.name, m.id) }\nvar w io.Writer = &Log{}", "? note: Body uses Boil, which no cell has declared yet"},
		{"const Boil = 16\ntype Base struct { id int }", ""}, {"w.Write([]byte(\"q\"))\nfmt.Sprint(w, Body, Mid{&Base{1}, \"m\"})", "&{[q]} 6 m1"},
	}},
	{"a function and the method that it calls beside one that waits", []step{
		{"type Job struct { id int; reply chan string }", ""},
		{"func (p P) Get() int { return p.X }\nfunc (j Job) Text() string { return fmt.Sprint(\"job \", j.id) }\nfunc work(j Job) string { return j.Text() }\nfunc serve(j Job) string { return work(j) }", "? note: P.Get uses P, which no cell has declared yet"},
		{"var on = serve(Job{})", ""}, {"type P struct{ X int }", ""}, {"on + fmt.Sprint(P{2}.Get())", "job 02"},
	}},
	{"a type that waits for a constant through two steps", []step{
		{"type Row [Max + 1]int\ntype Color int", "? note: Row uses Max"}, {"const Max Color = Blue", "? note: Max uses Blue, which no cell has declared yet"},
		{"type Table struct { rows [2]Row; by map[Color]string }", "? note: Table uses Row, which no cell has declared yet"},
		{"table := Table{by: map[Color]string{Red: \"r\"}}\nconst ( Red Color = iota; Green; Blue )", ""}, {"fmt.Sprint(table, Max)", "{[[0 0 0] [0 0 0]] map[0:r]} 2"},
	}},
	{"a variable is declared again, and pointers to it stay", []step{
		{"type D struct{ n int }\nvar a, b = D{2}, [1]D{{3}}\np, q := &a, &b\nvalues := []any{a, &a}", ""}, {"var a D\nvar b [1]D", ""}, {"fmt.Sprint(p == &a, p.n, q == &b, q[0], values[1] == any(&a))", "true 0 true {0} true"},
	}},
	{"a type that mentions packages is declared as it was", []step{
		{"import mrand \"math/rand\"\ntype C struct{ v int; mu sync.Mutex; at time.Duration; r *mrand.Rand }", ""}, {"c := &C{v: 1}", ""}, {"type C struct{ v int; mu sync.Mutex; at time.Duration; r *mrand.Rand }", ""}, {"func (c *C) V() int { return c.v }\nfunc of(c *C) int { return c.V() }", ""}, {"c.V() + of(c)", "2"},
		{"import mrand \"math/rand/v2\"\ntype C struct{ v int; mu sync.Mutex; at time.Duration; r *mrand.Rand }", ""}, {"of(c)", "! cannot use c (variable of type *C) as"},
	}},
	{"a generic type that mentions packages is declared as it was", []step{
		{"type C[T cmp.Ordered] struct{ v T; mu sync.Mutex }", ""}, {"c := &C[int]{v: 1}", ""}, {"type C[T cmp.Ordered] struct{ v T; mu sync.Mutex }", ""}, {"func (c *C[T]) V() T { return c.v }", ""}, {"c.V()", "1"},
	}},
	{"constants wait beside others that have a blank, too", []step{
		{"const ( A = iota*N + 1; _; B )", "? note: A uses N, which no cell has declared yet"}, {"const ( _ = iota; C; D )", ""}, {"const N = 3", ""}, {"fmt.Sprint(A, B, C, D)", "1 7 1 2"},
		{"const ( _ = iota * M; E )", "? note: E uses M, which no cell has declared yet"}, {"const M = 4", ""}, {"E", "4"},
	}},
	{"a function converts a variable whose type gets the method later", []step{
		{"type Shape interface{ Area() int };  type Rect struct{ a, b int };  r := &Rect{2, 3}", ""},
		{"func static() map[Shape]string { return map[Shape]string{r: \"r\"} }", "? note: static uses Rect.Area, which no cell has declared yet"},
		{"func (r *Rect) Area() int { return r.a * r.b }", ""}, {"len(static())", "1"},
	}},
	{"a type argument whose method comes later, behind generic functions", []step{
		{"func walk() string { return show(apply([]int{1, 2}, func(n int) Meters { return Meters(n) })...) }", "? note: walk uses show, apply and Meters"},
		{"func apply[A, B any](xs []A, f func(A) B) []B { out := make([]B, 0, len(xs)); for _, x := range xs { out = append(out, f(x)) }; return out }", ""},
		{"func show[T fmt.Stringer](xs ...T) string { return strings.Join(apply(xs, func(x T) string { return x.String() }), \",\") }", ""},
		{"type Meters int", "? note: walk uses Meters.String, which no cell has declared yet"},
		{"func (m Meters) String() string { return fmt.Sprint(\"m:\", float64(m)) }", ""}, {"type Table[V any] = map[string][]V", ""},
		{"t := Table[Meters]{\"a\": {1, 2}}", ""}, {"fmt.Sprint(show(Meters(4), 5), walk(), show(t[\"a\"]...))", "m:4,m:5m:1,m:2m:1,m:2"},
	}},
	{"a later function has the name of a package", []step{
		{"func f() string { return trace(\"x\") + sort() }", "? note: f calls trace (no cell has declared a variable trace; the package is runtime/trace) and sort"},
		{"func trace(s string) string { return \"t\" + s }\nfunc sort() string { return \"s\" }", ""}, {"f()", "txs"},
	}},
	{"a later type has the name of a package", []step{
		{"func (p *parser) next() int { return p.n }\nfunc (r ring[T]) size() int { return len(r.xs) }\nfunc mk(x int) token { return token{x} }\ntype A struct{ l *list; s scanner }", "? note: A uses list and scanner, which no cell has declared yet"},
		{"func run() int { p := &parser{1}; var h map[string]heap; q := []time{{2}}; return p.n + len(h) + q[0].x + scale }\nfunc wide[T path](x T) T { return x }", "? note: run uses parser, heap, time and scale, which no cell has declared yet"},
		{"var t token", "! token (package name) is not a type (declare token in this cell or an earlier one)"}, {"func (d time.Duration) m() {}", "! cannot define new methods on non-local type"},
		{"type (\n\tparser struct{ n int }\n\ttoken struct{ x int }\n\tlist struct{ next *list }\n\tscanner struct{}\n\tring[T any] struct{ xs []T }\n)", ""},
		{"type heap [size]int\ntype path interface{ ~int }\nconst scale = 7", "? heap uses size"}, {"const size = 3\ntype time token", ""}, {"fmt.Sprint(mk(2), A{}, run(), wide(3), (&parser{4}).next(), ring[int]{[]int{1}}.size())", "{2} {<nil> {}} 10 3 4 1"},
	}},
	{"a later constant that is the length of an array has the name of a package", []step{
		{"type row [size][ring]int\nfunc f() int { var a [ring]P; return len(a) + len([ring]P{{1}}) + len([size][]int{{1}}) }", "? note: f uses ring, P and size, which no cell has declared yet"},
		{"const ring, size = 3, 2\ntype P struct{ int }", ""}, {"f() + len(row{})", "10"},
	}},
	{"a later variable has the name of a package", []step{
		{"func f() int { n := heap.n; return n + heap.push(3) }\nfunc name() string { return user.Name }\nfunc get() int { return log.Get() }", "? note: f uses heap.n (package container/heap has no n) and heap.push"},
		{"f()", "! undefined: heap.n (f uses heap.n, which no cell has declared yet)"}, {"heap.n", "! undefined: heap.n"},
		{"type H struct{ n int }\nfunc (h *H) push(x int) int { h.n += x; return h.n }\nvar heap = &H{1}\nuser := struct{ Name string }{\"me\"}", ""}, {"func (*H) Get() int { return 5 }\nvar log = heap", ""}, {"fmt.Sprint(f(), name(), get())", "5me5"},
	}},
	{"a later variable has the name of a package, and its methods those of functions", []step{
		{"func k() int { heap.Push(3); heap.items[0]++; return heap.Pop() }", "? note: k uses heap.items (package container/heap has no items), which no cell has declared yet"}, {"func k2() { heap.Push(3) }", "! not enough arguments in call to heap.Push"},
		{"type H struct{ items []int }\nfunc (h *H) Push(x int) { h.items = append(h.items, x) }\nfunc (h *H) Pop() int { return h.items[0] + len(h.items) }\nvar heap = &H{}", ""}, {"k()", "5"},
	}},
	{"a slip in the name of what a package has", []step{
		{"func f() []string { return strings.Spilt(\"a\", \"b\") }", "! undefined: strings.Spilt (did you mean Split?)"}, {"func f() string { return strings.toUpper(\"a\") }", "! undefined: strings.toUpper (but have ToUpper)"}, {"func f() float64 { return math.pi }", "! undefined: math.pi (but have Pi)"},
		{"func f() { fmt.Print(1); fmt.Show(2) }", "! undefined: fmt.Show"}, {"import \"strings\"\nfunc f() string { return strings.Nope() }", "! undefined: strings.Nope"},
	}},
	{"composite literals of later types, whose elements leave out theirs", []step{
		{"func f() int { q := queue{{1, 2}}; p := &grid{{1}}; return len(q) + len(*p) + len(reg{\"a\": {1}}) + len(map[string]queue{\"a\": {{1, 2}}}) }\nfunc g() int { return len(map[P]Q{{1}: {{2}}}) + len([]queue{{{1, 2}}}) + len([numStates]P{{1}, {2}}) + len([]struct{ q queue }{{queue{{1, 2}}}}) }",
			"? note: f uses queue, grid and reg, which no cell has declared yet\nnote: g uses P, Q, queue and numStates, which no cell has declared yet"},
		{"func h() any { return nix{{1}, 2}.x + struct{ a []int }{{1}}.a }", "! missing type in composite literal"}, {"var q = queue{{1}}", "! undefined: queue (declare queue in this cell or an earlier one)"},
		{"type queue []pair\ntype pair struct{ a, b int }\ntype grid [1][1]int\ntype reg map[string]struct{ n int }\nconst numStates = 4", ""}, {"type P struct{ x int }\ntype Q []P", ""}, {"10 * f() + g()", "47"},
	}},
	{"a type is declared again in the cell that uses it", []step{
		{"type P struct{ X int }\nfunc (p P) Get() int { return p.X }\nfunc mk(x int) P { return P{X: x} }\nfunc use(p P) int { return p.Get() + 1 }", ""}, {"old := mk(3)", ""},
		{"type P struct{ X, Y int }\nfunc (p P) Get() int { return p.X + p.Y }\nvar young P = mk(7)\nuse(young) + use(P{1, 2})", "12"}, {"old.Get()", "3"},
		{"type P struct{ X, Y, Z int }\nfunc (p P) Sum() int { return p.Get() + p.Z }\nP{1, 2, 3}.Sum() + use(P{1, 2, 3})", "10"},
	}},
	{"types within functions that embed later ones", []step{
		{"func f(x any) string { type I interface { Named; Area() int }; i := x.(I); return fmt.Sprint(i.Name(), i.Area()) }\nfunc g() string { type L struct { *Base; n int }; var s fmt.Stringer = L{&Base{}, 2}; return s.String() }\nfunc h(x interface{ Named }) string { return x.Name() }", "? note: f uses Named, which no cell has declared yet\nnote: g uses Base"},
		{"type Named interface { Name() string }\ntype Base struct{}\nfunc (*Base) Area() int { return 3 }\nfunc (*Base) Name() string { return \"b\" }\nfunc (*Base) String() string { return \"s\" }", ""}, {"f(&Base{}) + g() + h(&Base{})", "b3sb"},
	}},
	{"a package that is imported later under the name of another", []step{
		{"func f() string { return color.EscapeString(\"<\") }", "? note: f calls color.EscapeString (package image/color has no EscapeString), which no cell has declared yet"}, {"import color \"html\"", ""}, {"f()", "&lt;"},
	}},
	{"an automaton from the top down", []step{
		{"type machine [numStates]transition\nfunc (m machine) run(xs []int) (n int) { for s := range m { for _, x := range xs { n += m[s][x].n } }; return n + int(accept) }\nfunc mk() (m machine) { m[start] = transition{{1}, {2}}; m[accept][0].n = 3; return m }\nconst ( start state = iota; accept )", "? note: machine uses numStates and transition"},
		{"type transition [numSyms]edge\ntype state int", "? note: transition uses numSyms and edge"}, {"const numStates, numSyms = 2, 2", ""}, {"type edge struct { n int }", ""}, {"mk().run([]int{0, 1})", "7"},
	}},
	{"a package that is imported later", []step{
		{"func f() string { return h.EscapeString(\"<\") }", "? note: f uses h, which no cell has declared yet"}, {"import h \"html\"", ""}, {"f()", "&lt;"},
	}},
	{"deferred declarations that are declared again", []step{
		{"func f(x T) int { return 1 }", "? f uses T"}, {"func f(x U) int { return 2 }", "? f uses U"}, {"type T int", ""}, {"f(T(1))", "! undefined: f (f uses U, which no cell has declared yet)"}, {"type U int", ""}, {"f(3)", "2"}, {"func f(x V) int { return 3 }", "! undefined: V (declare V in this cell or an earlier one)"}, {"f(3)", "2"},
	}},
	{"deferred declarations with other faults", []step{
		{"func f(x T) int { return \"a\" + x }", "? f uses T"}, {"type T int", "? note: f does not compile: "}, {"f(1)", "! undefined: f (f does not compile: "}, {"func f(x T) int { return 1 + int(x) }", ""}, {"f(1)", "2"},
	}},
	{"a typo where a name may come later", []step{
		{"func f() { prntln(1) }", "? note: f calls prntln (did you mean println?), which no cell has declared yet"}, {"f()", "! undefined: prntln (f calls prntln, which no cell has declared yet)"}, {"func g(count int) int { return cuont }", "? note: g uses cuont (did you mean count?)"},
		{"type P struct{ Width int }\nfunc (p P) Area() int { return p.Widht * 2 }", "? note: P.Area uses P.Widht (did you mean Width?)"},
	}},
	{"what cannot wait", []step{
		{"type T struct { b B }\nvar t T", "! undefined: B (declare B in this cell or an earlier one)"}, {"var x B", "! undefined: B (declare B in this cell or an earlier one)"}, {"func init() { later() }", "! undefined: later (declare later in this cell or an earlier one)"},
		{"var y = later()", "! undefined: later (declare later in this cell or an earlier one)"}, {"func f(x int) int { return x.m() }", "! x.m undefined"}, {"type _ struct{ b B }", "! undefined: B (declare B"},
	}},
	{"a forward reference in a literal", []step{
		{"f := func() int { return later() }", "! undefined: later"}, {"func g() func() int { return func() int { return later() } }", "? g calls later"}, {"func later() int { return 3 }", ""}, {"g()()", "3"},
	}},
	{"a forward reference with another signature", []step{
		{"func f() int { return later(1) + 1 }", "? f calls later"}, {"func later(s string) int { return 3 }", "? f"}, {"f()", "! f"}, {"later(\"a\")", "3"}, {"func later(n int) int { return n }", ""}, {"f()", "2"},
	}},
	{"a cell that does not compile changes nothing", []step{
		{"x := 1\nfunc f() int { return 1 }\ntype T struct{ A int }", ""}, {"x := 2\nfunc f() int { return 2 }\ntype T struct{ B int }\nnope", "! undefined: nope"}, {"x + f() + T{A: 3}.A", "5"},
	}},
	{"an assertion to a type that was declared again", []step{
		{"type T struct{ A int }\nvar x, list any = T{1}, []*T{}", ""}, {"type T struct{ A, B int }", ""}, {"x.(T)", "! (T was declared again in Cell [2]; values made before have the older type)"}, {"list.([]*T)", "! (T was declared again in Cell [2]"},
		{"_, ok := x.(T)\nok", "false"}, {"x = T{2, 3}\nx.(T).B", "3"}, {"x.(*T)", "! interface conversion: interface {} is main.T, not *main.T"},
	}},
	{"a cell that panics keeps what was done", []step{
		{"func f() int { return 1 }", ""}, {"a := 1\nfunc f() int { return 2 }\nb := 2\npanic(\"x\")\nc := 3", "! x"}, {"a + b + f()", "5"}, {"c", "! undefined: c (Cell [2] ended before the statement that declares it)"}, {"c := 6", ""}, {"c", "6"},
	}},
	{"a panic in the middle of a redeclaration", []step{
		{"a, b := 1, 2", ""}, {"a := \"new\"\npanic(\"x\")\nb := \"new\"", "! x"}, {"a", "new"}, {"b", "2"},
	}},
	{"a panic in a declaration of the same type", []step{
		{"a := 1\nbad := func() int { panic(\"x\") }", ""}, {"a := bad()", "! x"}, {"a", "1"}, {"var a int = bad()", "! x"}, {"a", "1"}, {"a, z := 2, bad()", "! x"}, {"a", "1"},
	}},
	{"a panic in a declaration of another type", []step{
		{"a := 1\nfunc f() int { return a }", ""}, {"a := func() string { panic(\"x\") }()", "! x"}, {"a + f()", "2"},
	}},
	{"functions follow a variable of the same type", []step{
		{"x := 1", ""}, {"func f() int { return x }", ""}, {"x := 2", ""}, {"f()", "2"}, {"var x int", ""}, {"f()", "0"},
	}},
	{"functions keep a variable of another type", []step{
		{"x := 1", ""}, {"func f() int { x++; return x }", ""}, {"x := \"a\"", ""}, {"x", "? note: f keeps the older x: "}, {"f() + f()", "5"}, {"x", "a"}, {"x := 50", ""}, {"f()", "51"}, {"x", "51"},
	}},
	{"closures and redeclared variables", []step{
		{"x := 1\ninc := func() int { x++; return x }", ""}, {"x := 10", ""}, {"inc()", "11"}, {"x", "11"}, {"p := &x", ""}, {"x := 20", ""}, {"*p", "20"},
	}},
	{"variables of one cell that mention each other", []step{
		{"a := 1\nb := a + 1\na = 5\nc := a + b", ""}, {"a + b + c", "14"}, {"a := a + 1", ""}, {"a", "6"},
	}},
	{"a redeclaration from itself", []step{{"x := 1", ""}, {"x := x + 1", ""}, {"x", "2"}, {"x := fmt.Sprint(x)", ""}, {"x + \"!\"", "2!"}}},
	{"embedding a type that changes", []step{
		{"type A struct{ X int }\nfunc (a A) Get() int { return a.X }", ""}, {"type B struct{ A }", ""}, {"b := B{A{1}}", ""}, {"func (a A) Get() int { return a.X * 10 }", ""}, {"b.Get()", "10"},
		{"type A struct{ Y string }", "? note: A.Get keeps the older A"}, {"b.Get()", "10"}, {"B{A{\"q\"}}", "! A was declared again"}, {"type B struct{ A }", ""}, {"B{A{\"q\"}}.Y", "q"},
	}},
	{"types that mention each other", []step{
		{"type Node struct{ Kids []*Node; E *Edge }\ntype Edge struct{ To *Node }", ""}, {"n := &Node{E: &Edge{}}\nn.E.To = n", ""}, {"type Node struct{ Kids []*Node; E *Edge }\ntype Edge struct{ To *Node }", ""}, {"n.E.To = &Node{}", ""},
	}},
	{"a method added to a value in an interface", []step{
		{"type T struct{ n int }\nvar i any = T{3}", ""}, {"func (t T) String() string { return fmt.Sprint(\"T\", t.n) }", ""}, {"T{4}", "T4"}, {"fmt.Sprint(i)", "T3"},
	}},
	{"dot imports", []step{{"import . \"strings\"", ""}, {"ToUpper(\"a\")", "A"}, {"func ToUpper(s string) string { return s }", ""}, {"ToUpper(\"a\")", "a"}}},
	{"a function value follows", []step{
		{"func f() int { return 1 }", ""}, {"g := f\nfs := []func() int{f}", ""}, {"func f() int { return 2 }", ""}, {"fs = append(fs, f)\nf() * 100 + fs[1]() * 10", "220"},
	}},
	{"a method value, and a function beside it", []step{
		{"func s() int { return 1 }\nfunc b() int { return s() }\ntype T struct{ n int }\nfunc (t T) M(xs ...int) int { return s()*100 + t.n + len(xs) }\nfunc (t *T) P() int { return s()*10 + t.n }\nt := T{0}", ""},
		{"g, m, p := b, t.M, t.P\nt.n = 5\n[]int{g(), m(), m(1, 2), p()}", "[1 100 102 15]"}, {"func s() int { return 2 }", ""}, {"[]int{b(), m(), m(nil...), p()}", "[2 200 200 25]"},
		{"var e, h = (*T).P, t.P\n[]int{e(&t), h()}", "[25 25]"}, {"func get() (func() int, func(...int) int) { a, c := b, t.M; return a, c }\nx, y := get()\nfunc s() int { return 3 }\n[]int{x(), y(7)}", "[3 306]"},
	}},
	{"deleting by declaring again", []step{
		{"big := make([]int, 1000)", ""}, {"var big []int", ""}, {"len(big)", "0"}, {"func f() int { return len(big) }\nf()", "0"},
	}},
	{"functions of variables", []step{
		{"data := []int{1, 2}", ""}, {"func mean() float64 { s := 0.0; for _, x := range data { s += float64(x) }; return s / float64(len(data)) }", ""}, {"mean()", "1.5"},
		{"data := []float64{1, 2.5}", ""}, {"mean()", "1.75"}, {"data := map[string]int{\"a\": 4}\nmean()", "1.75"}, {"mean()", "4"}, {"data := 3\npanic(\"x\")", "! x"}, {"mean()", "? note: mean keeps the older data: "}, {"mean()", "4"},
	}},
	{"a variable of another type that fails", []step{
		{"a := 1", ""}, {"func f() string { return fmt.Sprint(a) }", ""}, {"a := func() string { panic(\"x\") }()", "! x"}, {"f()", "1"}, {"a := \"s\"", ""}, {"f()", "s"}, {"a", "s"},
	}},
	{"a model whose type is edited", []step{
		{"type Model struct{ w float64 }\nfunc (m *Model) Fit(x float64) { m.w += x }\nm := &Model{}", ""}, {"func train(n int) float64 { for range n { m.Fit(1) }; return m.w }", ""}, {"train(3)", "3"},
		{"type Model struct{ w, rate float64 }\nfunc (m *Model) Fit(x float64) { m.w += m.rate * x }\nm := &Model{rate: 2}", ""}, {"train(3)", "6"}, {"m.w", "6"}, {"m = &Model{rate: 1}", ""}, {"train(1)", "1"},
	}},
	{"functions of both a type and a variable", []step{
		{"type P struct{ X int }\nbest := P{1}", ""}, {"func better(p P) bool { return p.X > best.X }", ""}, {"better(P{2})", "true"}, {"type P struct{ X, Y int }\nbest := P{5, 5}", "? note: better keeps the older P: the cell declares the variable best again"},
		{"better(P{2, 2})", "false"}, {"better(best)", "false"},
	}},
	{"two callers, of which one follows", []step{
		{"func f() int { return 1 }", ""}, {"func g() string { return fmt.Sprint(f()) }", ""}, {"func h() int { return f() }", ""}, {"func f() float64 { return 1.5 }", "? note: h does not compile any more: cannot use f()"},
		{"g()", "1.5"}, {"h()", "! h calls f, and does not compile with it"}, {"func h() float64 { return f() }", ""}, {"h()", "1.5"},
	}},
	{"a function that waits for two", []step{
		{"func f() int { return a() + b() }", "? note: f calls a and b, which no cell has declared yet"}, {"func a() int { return 1 }", ""}, {"f()", "! f calls b, which no cell has declared yet"}, {"func b() int { return 2 }", ""}, {"f()", "3"},
	}},
	{"a function that waits for two, the other way round", []step{
		{"func f() int { return a() + b() }", "? note: f calls a and b, which no cell has declared yet"}, {"func b() int { return 2 }", ""}, {"f()", "! f calls a, which no cell has declared yet"}, {"func a() int { return 1 }", ""}, {"f()", "3"},
	}},
	{"a function that waits for a variable", []step{
		{"func f() int { return later(2) }", "? f calls later"}, {"later := func(n int) int { return 10 * n }", ""}, {"f()", "20"},
	}},
	{"a function that waits for a type", []step{
		{"func f() int { return int(Later(2)) }", "? f calls Later"}, {"type Later float64", ""}, {"f()", "2"},
	}},
	{"a constraint changes", []step{
		{"type Num interface{ ~int }", ""}, {"func sum[T Num](xs ...T) T { var s T; for _, x := range xs { s += x }; return s }", ""}, {"sum(1, 2)", "3"}, {"sum(1.5, 2)", "! float64 does not satisfy Num"},
		{"type Num interface{ ~int | ~float64 }", ""}, {"sum(1.5, 2)", "3.5"}, {"sum(1, 2)", "3"},
	}},
	{"what a generic function calls", []step{
		{"func h() int { return 1 }", ""}, {"func g[T any](x T) int { return h() }", ""}, {"func k() int { return g(\"a\") + g(2) }\nk()", "2"}, {"func h() int { return 5 }\nk()", "10"}, {"const n = 3\nfunc h() int { return n }\nk()", "6"}, {"const n = 4", ""}, {"k() + g(1.5)", "12"},
	}},
	{"a result's type changes below its callers", []step{
		{"type P struct{ X int }\nfunc mk() P { return P{1} }", ""}, {"func x() int { return mk().X }", ""}, {"func y() int { return 10 * x() }", ""}, {"type P struct{ A, X int }\nfunc mk() P { return P{1, 2} }\ny()", "20"}, {"type P struct{ X int16 }", "? note: mk keeps the older P"}, {"y()", "20"},
	}},
	{"mutual recursion over a type that changes", []step{
		{"type P struct{ X int }", ""}, {"func a(p P, n int) int { if n == 0 { return p.X }; return b(p, n-1) }", "? a calls b"}, {"func b(p P, n int) int { if n == 0 { return -p.X }; return a(p, n-1) }", ""}, {"a(P{3}, 3)", "-3"},
		{"type P struct{ Y, X int }", ""}, {"a(P{1, 4}, 3)", "-4"}, {"func b(p P, n int) int { return 100 }", ""}, {"a(P{}, 3)", "100"},
	}},
	{"literals keep what they were made with", []step{
		{"func f() int { return 1 }\nconst c = 1\nh := func() int { return f() + c }", ""}, {"const c = 5\nfunc f() string { return \"a\" }", ""}, {"h()", "2"},
	}},
	{"a cell that panics after a redeclaration", []step{
		{"const c = 1\nfunc f() int { return c }", ""}, {"func g() int { return f() }", ""}, {"const c = 2\npanic(\"x\")", "! x"}, {"g() + c", "4"},
	}},
	{"an array's length", []step{
		{"const n = 2", ""}, {"type Buf [n]int\nfunc size(b Buf) int { return len(b) }", ""}, {"size(Buf{})", "2"}, {"const n = 3", ""}, {"size(Buf{})", "2"}, {"type Buf [n]int\nfunc size(b Buf) int { return len(b) }", ""}, {"size(Buf{})", "3"},
	}},
	{"an error type is edited while it is matched", []step{
		{"type E struct{ Code int }\nfunc (e *E) Error() string { return fmt.Sprint(\"E\", e.Code) }", ""}, {"func fail() error { return &E{3} }", ""}, {"func code(err error) int { var e *E; if errors.As(err, &e) { return e.Code }; return -1 }", ""}, {"old := fail()\ncode(old)", "3"},
		{"_, err := 1, fail()\ncode(err)", "3"}, {"type E struct{ Code, Sub int }\nfunc (e *E) Error() string { return \"new\" }", "? fail keeps the older E"}, {"func fail() error { return &E{3, 4} }", ""}, {"code(fail())", "3"}, {"code(err)", "-1"},
	}},
	{"the order of cells is the other way round", []step{
		{"g()", "! undefined: g"}, {"func g() int { return f() }", "? g calls f"}, {"func f() int { return n }", "? f uses n"}, {"g()", "! g calls f, which uses n, which no cell has declared yet"}, {"n := 2", ""}, {"g()", "2"}, {"n := 3\ng()", "3"},
	}},
	{"blank declarations", []step{{"var _ = 3\nfunc _() int { return 1 }\ntype _ struct{}\nconst _ = 4", ""}, {"var _ fmt.Stringer = time.Duration(1)\n1", "1"}}},
	{"a label twice and goto", []step{{"i := 0\nloop:\nfor { i++; if i > 3 { break loop } }\ni", "4"}, {"loop:\nfor { i++; if i > 6 { break loop } }\ni", "7"}}},
	{"defer at the top", []step{{"x := 1\ndefer func() { x = 5 }()\nx", "1"}, {"x", "5"}}},
	{"main is a function", []step{{"func main() { fmt.Print(\"m\") }", "? note: main is declared; call main() to run it"}, {"func main() { fmt.Print(\"n\") }\nmain()", ""}, {"func main() int { return 1 }", "! func main must have no arguments and no return values"}}},
	{"two functions of one name in a cell", []step{{"func f() int { return 1 }\nfunc f() int { return 2 }", "! f redeclared"}, {"f()", "! undefined: f"}}},
	{"a variable and a function of one name in a cell", []step{{"func f() int { return 1 }\nf := 2", ""}, {"f", "2"}}},
	{"a type that a failed cell used", []step{
		{"type T struct{ X int }\nvar p *T\np.X", "! nil pointer"}, {"T{3}.X", "3"}, {"p == nil", "true"}, {"func (t T) M() int { return t.X }\npanic(\"x\")", "! x"}, {"T{4}.M()", "4"},
	}},
}

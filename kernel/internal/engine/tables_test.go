package engine_test

import (
	"slices"
	"testing"

	"github.com/hierml/notebook/kernel/internal/engine"
	"github.com/hierml/notebook/kernel/internal/program"
)

// limit and its like declare a type of an error, and never convert it to one as the compiler would.
const (
	limit   = "type Limit int\nfunc (l Limit) Error() string { return fmt.Sprint(\"limit \", int(l)) }\n"
	missing = "type Missing struct{ Key string }\nfunc (m *Missing) Error() string { return \"no \" + m.Key }\n"
	fault   = "type Fault struct{ at int }\nfunc (f Fault) Error() string { return fmt.Sprint(\"fault \", f.at) }\n"
	shape   = "type Shape interface{ Area() int }\ntype Square struct{ side int }\nfunc (s Square) Area() int { return s.side * s.side }\n"
)

// tables are sessions in which the runtime converts a value to an interface with methods before a
// cell contains the conversion. Their values are those of go run.
var tables = []course{
	{"errors.Is of an int", []step{
		{limit + "err := fmt.Errorf(\"check: %w\", Limit(3))", ""},
		{"fmt.Sprint(errors.Is(err, Limit(3)), errors.Is(err, Limit(4)))", "true false"},
		{"fmt.Sprint(errors.Is(fmt.Errorf(\"%w\", Limit(4)), Limit(4)))", "true"},
	}},
	{"errors.Is of a pointer", []step{
		{missing + "var p = &Missing{\"p\"}", ""},
		{"e := fmt.Errorf(\"w: %w\", p)", ""},
		{"errors.Is(e, p)", "true"},
		{"var q error = p\nfmt.Sprint(errors.Is(e, q), q == errors.Unwrap(e), errors.Unwrap(e) == p)", "true true true"},
		{"m := map[error]int{errors.Unwrap(e): 1}\nm[p]++\nm[q]++\nfmt.Sprint(len(m), m[p])", "1 3"},
	}},
	{"errors.Is of a struct", []step{
		{fault + "func find() error { return fmt.Errorf(\"find: %w\", Fault{1}) }\nfunc is(err error) bool { return errors.Is(err, Fault{1}) }", ""},
		{"err := find()", ""},
		{"fmt.Sprint(is(err), errors.Is(err, Fault{1}), errors.Is(errors.Join(io.EOF, err), Fault{1}))", "true true true"},
	}},
	{"errors.AsType and errors.As", []step{
		{missing, ""},
		{"e := fmt.Errorf(\"w: %w\", &Missing{\"a\"})", ""},
		{"n, ok := errors.AsType[*Missing](e)\nfmt.Sprint(n, ok)", "no a true"},
		{"var m *Missing\nfmt.Sprint(errors.As(e, &m), m)", "true no a"},
	}},
	{"errors.AsType of a value", []step{
		{fault, ""},
		{"var e error = fmt.Errorf(\"w: %w\", Fault{2})", ""},
		{"f, ok := errors.AsType[Fault](e)\nfmt.Sprint(f, ok)", "fault 2 true"},
	}},
	{"an assertion of any", []step{
		{limit, ""},
		{"var boxed any = Limit(1)\ndyn := boxed.(error)", ""},
		{"stat := error(Limit(1))\nfmt.Sprint(dyn == stat, errors.Is(dyn, stat), errors.Is(stat, dyn))", "true true true"},
		{"m := map[error]string{dyn: \"dyn\"}\nm[stat]", "dyn"},
		{"fmt.Sprint([1]error{dyn} == [1]error{stat}, struct{ e error }{dyn} == struct{ e error }{stat}, slices.Index([]error{stat, dyn}, stat), slices.Index([]error{io.EOF, dyn}, stat), slices.Equal([]error{dyn}, []error{stat}))", "true true 0 1 true"},
		{"func same[T comparable](a, b T) bool { return a == b }\nfmt.Sprint(same(dyn, stat), same[any](dyn, stat), same([2]error{dyn}, [2]error{stat}), same(struct{ E error }{dyn}, struct{ E error }{stat}))", "true true true true"},
		{"c := make(chan error, 2)\nc <- dyn\nc <- stat\n<-c == <-c", "true"},
	}},
	{"keys of maps", []step{
		{shape + "l := list.New()\nl.PushBack(Square{1})\nl.PushBack(Square{2})\nl.PushBack(Square{1});", ""},
		{"seen := map[Shape]int{}\nfor e := l.Front(); e != nil; e = e.Next() { seen[e.Value.(Shape)]++ }", ""},
		{"seen[Square{1}]++\nfmt.Sprint(len(seen), seen[Square{1}], seen[Square{2}], seen[Square{3}])", "2 3 1 0"},
		{"delete(seen, Square{1})\nfmt.Sprint(seen)", "map[{2}:1]"},
	}},
	{"a visited set", []step{
		{"type Node interface{ Kids() []Node }\ntype Leaf struct{ n int }\nfunc (l Leaf) Kids() []Node { return nil }\ntype Branch struct{ kids []any }\nfunc (b *Branch) Kids() (ns []Node) { for _, k := range b.kids { ns = append(ns, k.(Node)) }; return }\nroot := &Branch{[]any{Leaf{1}, Leaf{2}}}", ""},
		{"first := root.Kids()", ""},
		{"seen := map[Node]bool{}\nfor _, k := range first { seen[k] = true }\nfmt.Sprint(seen[Leaf{1}], seen[Leaf{3}], len(seen))", "true false 2"},
		{"delete(seen, Leaf{1})\nlen(seen)", "1"},
	}},
	{"recover", []step{
		{fault + "func try(f func()) (err error) { defer func() { if r := recover(); r != nil { err = r.(error) } }(); f(); return }", ""},
		{"count := map[error]int{}\nfor i := range 4 { count[try(func() { panic(Fault{i % 2}) })]++ }", ""},
		{"count[Fault{0}]++\nfmt.Sprint(len(count), count[Fault{0}], count[Fault{1}])", "2 3 2"},
	}},
	{"sync.Map and a channel of any", []step{
		{"type Name string\nfunc (n Name) Key() string { return string(n) }\ntype Keyer interface{ Key() string }\nvar sm sync.Map\nsm.Store(Name(\"a\"), 1)\nc := make(chan any, 1)\nc <- Name(\"a\")", ""},
		{"var ks []Keyer\nsm.Range(func(k, v any) bool { ks = append(ks, k.(Keyer)); return true })\nks = append(ks, (<-c).(Keyer))", ""},
		{"m := map[Keyer]int{}\nfor _, k := range ks { m[k]++ }\nm[Name(\"a\")]++\nfmt.Sprint(m[Name(\"a\")], len(m))", "3 1"},
		{"var by sync.Map\nby.Store(ks[0], 5)\nv, ok := by.Load(Keyer(Name(\"a\")))\nfmt.Sprint(v, ok)", "5 true"},
	}},
	{"fmt.Stringer", []step{
		{"type Color int\nfunc (c Color) String() string { return fmt.Sprint(\"color \", int(c)) }", ""},
		{"fmt.Sprint(Color(1), any(Color(2)).(fmt.Stringer))", "color 1 color 2"},
		{"var xs []fmt.Stringer\nfor _, x := range []any{Color(1), Color(2)} { xs = append(xs, x.(fmt.Stringer)) }", ""},
		{"fmt.Sprint(slices.Contains(xs, fmt.Stringer(Color(2))), slices.Index(xs, fmt.Stringer(Color(1))))", "true 0"},
		{"set := map[fmt.Stringer]bool{xs[0]: true}\nset[Color(1)] = true\nfmt.Sprint(set)", "map[color 1:true]"},
		{"func() string { switch xs[0] {\n\tcase fmt.Stringer(Color(1)): return \"one\"\n\t}\n\treturn \"\"\n}()", "one"},
	}},
	{"types of the library", []step{
		{"var boxed any = &strings.Builder{}\nw := boxed.(io.Writer)\nvar count any = json.Number(\"3\")\ns := count.(fmt.Stringer)", ""},
		{"func is[T io.Writer](w io.Writer) bool { _, ok := w.(T); return ok }\nb := boxed.(*strings.Builder)\nfmt.Sprint(w == io.Writer(b), is[*strings.Builder](w), map[io.Writer]int{w: 1}[b])", "true true 1"},
		{"fmt.Sprint(map[fmt.Stringer]int{json.Number(\"3\"): 4}[s], slices.Index([]fmt.Stringer{s}, fmt.Stringer(json.Number(\"3\"))))", "4 0"},
		{"var d any = time.Second\nfmt.Sprint(map[fmt.Stringer]int{d.(fmt.Stringer): 4}[time.Second], map[fmt.Stringer]int{time.Minute: 5}[any(time.Minute).(fmt.Stringer)])", "4 5"},
	}},
	{"interfaces without a name and of a later cell", []step{
		{fault + "type plain int\nfunc (p plain) name() string { return fmt.Sprint(\"plain \", int(p)) }\nvar x, y any = Fault{1}, plain(2)", ""},
		{"e := x.(interface{ Error() string })\nn := y.(interface{ name() string })\nn.name()", "plain 2"},
		{"type namer interface{ name() string }\nn2 := y.(namer)\nfmt.Sprint(n2.name(), n == n2, map[interface{ Error() string }]int{e: 7}[Fault{1}])", "plain 2true 7"},
		{"m := map[namer]int{n2: 8}\nfmt.Sprint(m[plain(2)], m[n], n2 == namer(plain(2)))", "8 8 true"},
	}},
	{"a type without its interface", []step{
		{"type hidden struct{ n int }\nfunc (h *hidden) secret() int { return h.n }\nvar one any = &hidden{3}", ""},
		{"type secretive interface{ secret() int }\nfunc ask(x any) int { return x.(secretive).secret() }\nask(one)", "3"},
		{"var s secretive = one.(*hidden)\nfmt.Sprint(s.secret(), s == one.(secretive), map[secretive]int{s: 4}[one.(secretive)])", "3 true 4"},
	}},
	{"generic types and interfaces", []step{
		{"type Box[T any] struct{ v T }\nfunc (b Box[T]) Get() T { return b.v }\ntype Getter[T any] interface{ Get() T }\none, a := Box[int]{1}, Box[string]{\"a\"}\nvar x, y any = one, a", ""},
		{"g := x.(Getter[int])\nh := y.(Getter[string])", ""},
		{"fmt.Sprint(map[Getter[int]]int{g: 5}[Box[int]{1}], map[Getter[string]]int{Box[string]{\"a\"}: 6}[h], slices.Index([]Getter[int]{g}, Getter[int](Box[int]{1})))", "5 6 0"},
		{"func holds[T Getter[int]](g Getter[int]) bool { _, ok := g.(T); return ok }\nfmt.Sprint(holds[Box[int]](g), g == Getter[int](Box[int]{1}))", "true true"},
	}},
	{"switches of many cases", []step{
		{"type A struct{}\nfunc (A) Error() string { return \"A\" }\ntype B int\nfunc (B) Error() string { return \"B\" }\ntype C string\nfunc (C) Error() string { return \"C\" }\ntype D struct{ d int }\nfunc (*D) Error() string { return \"D\" }\ntype E []int\nfunc (E) Error() string { return \"E\" }\ntype F map[int]int\nfunc (F) Error() string { return \"F\" }\nall := []any{A{}, B(1), C(\"c\"), &D{}, E{1}, F(nil), io.EOF}", ""},
		{"var es []error\nfor _, x := range all { es = append(es, x.(error)) }", ""},
		{"func kind(e error) string { switch e.(type) {\n\tcase A: return \"a\"\n\tcase B: return \"b\"\n\tcase C: return \"c\"\n\tcase *D: return \"d\"\n\tcase E: return \"e\"\n\tcase F: return \"f\"\n\tcase nil: return \"nil\"\n\t}\n\treturn \"?\"\n}\nfunc kinds(es ...error) (s string) { for _, e := range es { s += kind(e) }; return }\nkinds(append(es, nil)...)", "abcdef?nil"},
		{"func is[T error](e error) string { switch e.(type) {\n\tcase T: return \"T\"\n\tcase interface{ Unwrap() error }: return \"wrap\"\n\t}\n\treturn \"?\"\n}\nfmt.Sprint(is[A](es[0]), is[B](es[0]), is[*D](es[3]), is[A](fmt.Errorf(\"%w\", A{})))", "T?Twrap"},
		{"kinds(A{}, B(2), C(\"\"), &D{}, E{}, F(nil), nil)", "abcdefnil"},
	}},
	{"values in declarations", []step{
		{limit + "var dyn = errors.Unwrap(fmt.Errorf(\"%w\", Limit(1)))", ""},
		{"var all = []error{Limit(1), Limit(2)}\nvar one error = Limit(1)\nvar found = errors.Is(dyn, Limit(1)) && slices.Contains(all, dyn)\nvar names = map[error]string{Limit(1): \"one\", Limit(2): \"two\"}", ""},
		{"fmt.Sprint(found, names[dyn], one == dyn, slices.Index(all, dyn))", "trueonetrue 0"},
	}},
	{"a type declared again", []step{
		{limit + "err := fmt.Errorf(\"%w\", Limit(1))", ""},
		{"errors.Is(err, Limit(1))", "true"},
		{limit + "func (l Limit) Twice() int { return 2 * int(l) }\nagain := fmt.Errorf(\"%w\", Limit(2))", ""},
		{"e := errors.Unwrap(again)\nm := map[error]int{e: 3}\nfmt.Sprint(errors.Is(again, Limit(2)), m[Limit(2)], Limit(2).Twice())", "true 3 4"},
		{"n, ok := errors.AsType[Limit](again)\nfmt.Sprint(n, ok)", "limit 2 true"},
	}},
}

// compiledTables are like tables. The interpreter refuses the first, and does not see methods that
// come later in the other one.
var compiledTables = []course{
	{"reflect.DeepEqual", []step{
		{shape + "var x any = Square{2}", ""},
		{"seen := map[Shape]int{x.(Shape): 1}", ""},
		{"var other any = map[Shape]int{Square{2}: 1}\nreflect.DeepEqual(other, any(seen)) && reflect.DeepEqual(x.(Shape), Shape(Square{2}))", "true"},
	}},
	{"a method declared later", []step{
		{"type T struct{ n int }\nvar x any = T{1}\nvar xs = []any{T{1}, &T{2}}", ""},
		{"func (t T) String() string { return fmt.Sprint(\"T\", t.n) }", ""},
		{"s := x.(fmt.Stringer)\nt := xs[0].(fmt.Stringer)", ""},
		{"fmt.Sprint(s, s == t, s == fmt.Stringer(T{1}), map[fmt.Stringer]int{s: 1}[T{1}])", "T1 true true 1"},
	}},
}

// TestOneTable holds that there is one table of each type and interface, by which Go compares
// interfaces with methods, whoever made it first: also where the process that runs cells
// is replaced.
func TestOneTable(t *testing.T) {
	for _, c := range tables {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			t.Run("interpreted", func(t *testing.T) { c.check(t, newWorkerNotebook(t, program.InterpretedMode)) })
		})
	}
	for _, c := range slices.Concat(tables, compiledTables) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			t.Run("compiled", func(t *testing.T) { c.check(t, newWorkerNotebook(t, program.CompiledMode)) })
			t.Run("replaced", func(t *testing.T) {
				n := newWorkerNotebook(t, program.CompiledMode, func(c *engine.Config) { c.MaxPlugins = 2 })
				for _, step := range c.steps {
					if shown, _, err := n.run(step.cell); shown != step.want || err != nil {
						t.Errorf("%q: %q, %v, want %q", step.cell, shown, err, step.want)
					}
				}
			})
		})
	}
}

// TestOneTableOfModules holds the same for packages of modules, and before they are initialized.
func TestOneTableOfModules(t *testing.T) {
	const module = `!mkdir e f && printf 'module own\n\ngo 1.26\n' > go.mod
!printf 'package e\n\nimport "fmt"\n\ntype Limit int\n\nfunc (l Limit) Error() string { return fmt.Sprint(int(l)) }\n\nvar Last = fmt.Errorf("last: %%w", Limit(1))\n' > e/e.go
!printf 'package f\n\nimport (\n\t"errors"\n\n\t"own/e"\n)\n\nvar Found = errors.Is(e.Last, e.Limit(1))\n\nvar Names = map[error]string{e.Limit(1): "one"}\n' > f/f.go`
	newWorkerNotebook(t, program.CompiledMode).turns(t, []turn{
		{source: module},
		{source: "import \"own/e\"\ninner := errors.Unwrap(e.Last)\ninner", want: "1"},
		{source: "import \"own/f\"\nfmt.Sprint(f.Found, f.Names[inner])", want: "trueone"},
		{source: "fmt.Sprint(errors.Is(e.Last, e.Limit(1)), inner == error(e.Limit(1)))", want: "true true"},
	})
}

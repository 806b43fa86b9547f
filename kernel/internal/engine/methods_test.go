package engine_test

import (
	"slices"
	"testing"

	"github.com/hierml/notebook/kernel/internal/program"
)

// laterMethods declare methods in cells behind functions and values that have to know them.
var laterMethods = []course{
	{"printed, in functions of earlier cells", []step{
		{"type P struct{ x int }\nfunc show() string { return fmt.Sprint(P{1}, []P{{2}}, &P{3}, map[string]P{\"a\": {4}}) }", ""}, {"show()", "{1} [{2}] &{3} map[a:{4}]"},
		{"func (p P) String() string { return \"P!\" }", ""}, {"show()", "P! [P!] P! map[a:P!]"},
		{"func (p P) Format(s fmt.State, verb rune) { fmt.Fprintf(s, \"<%c>\", verb) }", ""}, {"show() + fmt.Sprintf(\"%d\", P{})", "<v> [<v>] <v> map[a:<v>]<d>"},
	}},
	{"of values in variables, maps, channels and interfaces", []step{
		{"type P struct{ x int }\nvar a any = P{1}\nm := map[any]string{P{1}: \"one\"}\nlist, c := []any{P{2}, &P{3}}, make(chan any, 1)\nc <- P{4}\nbox := struct{ V any }{P{5}}", ""},
		{"func (p P) String() string { return fmt.Sprint(\"P\", p.x) }", ""},
		{"fmt.Sprint(a, m, list, <-c, box, a == any(P{1})) + m[P{1}]", "P1 map[P1:one] [P2 P3] P4 {P5} trueone"},
		{"s, ok := list[0].(fmt.Stringer)\nfmt.Sprint(s, ok)", "P2 true"},
		{"func kind(v any) string { switch v := v.(type) { case error: return \"error \" + v.Error(); case fmt.Stringer: return \"stringer \" + v.String() }; return \"\" }\nkind(a)", "stringer P1"},
		{"func (p P) Error() string { return \"E\" }", ""}, {"kind(a) + fmt.Sprint(a, m)", "error EE map[E:one]"}, {"delete(m, P{1})\nlen(m)", "0"},
	}},
	{"of pointers", []step{
		{"type Q struct{ n int }\nvar q any = &Q{1}\nfunc pointer() any { return &Q{2} }\nfunc value() any { return Q{3} }", ""}, {"func (q *Q) String() string { return fmt.Sprint(\"Q\", q.n) }", ""},
		{"fmt.Sprint(q, pointer(), value())", "Q1 Q2 {3}"}, {"_, ok := value().(fmt.Stringer)\n_, p := pointer().(fmt.Stringer)\nfmt.Sprint(ok, p)", "false true"},
	}},
	{"instead of promoted ones", []step{
		{"type base struct{ n int }\nfunc (b base) String() string { return fmt.Sprint(\"base\", b.n) }\ntype top struct{ base }\nfunc all() []fmt.Stringer { return []fmt.Stringer{top{base{1}}} }\nfunc text(t top) string { return fmt.Sprint(t) + \"/\" + t.String() }\nkept := all()", ""},
		{"func (t top) String() string { return \"top\" }", ""}, {"fmt.Sprintln(all()[0], all()[0].String(), text(top{}), top{}, kept[0], kept[0].String())", "top top top/top top top top\n"},
	}},
	{"between what promotes and what is promoted, by names of neither", []step{
		{"type base struct{}\nfunc (base) Name() string { return \"base\" }\ntype mid struct{ base }\ntype top struct{ *mid }\nfunc made() top { return top{&mid{}} }\nfunc say() string { return made().Name() }\nfunc of[T interface{ Name() string }](x T) string { return x.Name() }\nfunc generic() string { return of(made()) }", ""},
		{"say() + generic()", "basebase"}, {"func (mid) Name() string { return \"mid\" }", ""}, {"say() + generic()", "midmid"}, {"func (top) Name() string { return \"top\" }", ""}, {"say() + generic()", "toptop"},
	}},
	{"that make a selection ambiguous", []step{
		{"type A struct{}\nfunc (A) String() string { return \"A\" }\ntype B struct{}\ntype C struct{ A; B }\nvar c any = C{}\nfmt.Sprint(c)", "A"},
		{"func (B) String() string { return \"B\" }", ""}, {"_, ok := c.(fmt.Stringer)\nfmt.Sprint(c, ok)", "{A B} false"},
	}},
	{"of errors", []step{
		{"type wrap struct{ error }\nfunc fail() error { return wrap{io.EOF} }\nearlier := fail()\nerrors.Is(earlier, io.EOF)", "false"},
		{"func (w wrap) Error() string { return \"wrapped \" + w.error.Error() }\nfunc (w wrap) Unwrap() error { return w.error }", ""},
		{"fmt.Sprint(fail(), errors.Is(fail(), io.EOF), errors.Is(earlier, io.EOF))", "wrapped EOF true true"},
		{"type many struct{ name string }\nfunc (m *many) Error() string { return m.name }\nvar err error = fmt.Errorf(\"in: %w\", &many{\"m\"})", ""},
		{"func (m *many) Unwrap() []error { return []error{fs.ErrExist, wrap{fs.ErrClosed}} }\nfunc (m *many) Is(target error) bool { return target == io.EOF }", ""},
		{"var w wrap\nfmt.Sprint(errors.Is(err, fs.ErrClosed), errors.Is(err, io.EOF), errors.Is(err, fs.ErrInvalid), errors.As(err, &w), w)", "true true false true wrapped file already closed"},
	}},
	{"that compiled packages call", []step{
		{"type up struct{ io.Reader }\nfunc made(r io.Reader) io.Reader { return up{r} }\nearlier := made(strings.NewReader(\"earlier\"))", ""},
		{"func (u up) Read(p []byte) (int, error) { n, err := u.Reader.Read(p); copy(p, bytes.ToUpper(p[:n])); return n, err }", ""},
		{"a, _ := io.ReadAll(made(strings.NewReader(\"abc\")))\nb, _ := io.ReadAll(earlier)\nstring(a) + string(b)", "ABCEARLIER"},
		{"type down struct{ sort.Interface }\nfunc sorted(xs ...int) []int { sort.Sort(down{sort.IntSlice(xs)}); return xs }\nsorted(2, 3, 1)", "[1 2 3]"},
		{"func (d down) Less(i, j int) bool { return d.Interface.Less(j, i) }", ""}, {"sorted(2, 3, 1)", "[3 2 1]"},
	}},
	{"in literals and goroutines of earlier cells", []step{
		{"type D struct{ n int }\nfunc (d *D) Set(n int) { d.n = n }\nf := func(d D) string { return fmt.Sprint(d, &d, []D{d}, map[string]D{\"a\": d}, [1]any{d}, struct{ D D }{d}) }\npool := sync.Pool{New: func() any { return D{3} }}\nvar fs = map[string]func() any{\"a\": func() any { return &D{4} }}", ""},
		{"func text[T any](x T) func() string { return func() string { return fmt.Sprint(x, []T{x}) } }\ng := text(D{1})\nin, out := make(chan D), make(chan string)\ngo func() { for d := range in { out <- fmt.Sprint(d) } }()", ""},
		{"kind := func(v any) string { switch v := v.(type) { case int, []D, string: return \"other\"; case D: return fmt.Sprint(\"D\", v.n); case *D: return fmt.Sprint(\"*D\", v.n); case fmt.Stringer: return \"stringer\" }; return \"none\" }\nis := func(v any) (D, bool) { d, ok := v.(D); return d, ok }\nnames := func(v any) bool { _, ok := v.(fmt.Stringer); return ok }", ""},
		{"f(D{1}) + kind(D{1}) + kind(&D{1}) + fmt.Sprint(is(D{5})) + fmt.Sprint(names(D{}))", "{1} &{1} [{1}] map[a:{1}] [{1}] {{1}}D1*D1{5} truefalse"},
		{"func (d D) String() string { return fmt.Sprint(\"D\", d.n) }", ""},
		{"f(D{1})", "D1 D1 [D1] map[a:D1] [D1] {D1}"}, {"in <- D{2}\nfmt.Sprint(pool.Get(), fs[\"a\"](), g(), <-out)", "D3 D4D1 [D1]D2"},
		{"kind(D{1}) + kind(&D{1}) + kind([]D{}) + fmt.Sprint(is(D{5})) + fmt.Sprint(is(&D{5})) + fmt.Sprint(names(D{}))", "D1*D1otherD5 trueD0 falsetrue"},
		{"func (d D) String() string { return fmt.Sprint(\"again\", d.n) }", ""},
		{"in <- D{2}\nfmt.Sprint(f(D{1}), pool.Get(), fs[\"a\"](), g(), <-out)", "again1 again1 [again1] map[a:again1] [again1] {again1}again3 again4again1 [again1]again2"},
	}},
	{"of interfaces in literals of earlier cells", []step{
		{"type shape interface{ area() int }\ntype sq struct{ n int }\nfunc (s sq) area() int { return s.n * s.n }\nsum := func(all ...shape) (n int) { for _, s := range all { n += s.area() }; return n }\nof := func(v any) bool { _, ok := v.(shape); return ok }\nby := map[shape]string{sq{1}: \"one\"}\nname := func(s shape) string { return by[s] }", ""},
		{"sum(sq{2}, &sq{3}) + len(name(sq{1}))", "16"}, {"func (s sq) String() string { return \"sq\" }", ""}, {"fmt.Sprint(sum(sq{2}, &sq{3}), of(sq{}), of(1), name(sq{1}), by)", "13 true falseonemap[sq:one]"},
	}},
	{"again, called by literals and values of methods", []step{
		{"type in struct{ n int }\nfunc (i *in) Add(ns ...int) int { for _, n := range ns { i.n += n }; return i.n }\nfunc (i in) Twice() (int, error) { return 2 * i.n, nil }\nfunc (i in) None() {}\ntype out struct{ *in; name string }\nfunc (o out) Name(s string) string { return o.name + s }", ""},
		{"i, o := in{1}, out{&in{2}, \"o\"}\nadd, twice, none, name, of := i.Add, o.Twice, i.None, o.Name, o.in.Add", ""},
		{"f := func() string { n, _ := i.Twice(); m, _ := o.in.Twice(); i.None(); return fmt.Sprint(n, m, o.Add(), (&i).Add(1, 2), o.Name(\"x\"), out.Name(o, \"y\")) }\nexpr, ptr, promoted := in.Twice, (*in).Add, out.Twice\nsum := func(ns ...int) int { defer i.None(); return (*in).Add(&i, ns...) + i.Add(ns...) }", ""},
		{"f() + fmt.Sprint(add(1), of([]int{1, 2}...), name(\"z\"), sum(1))", "2 4 2 4oxoy5 5oz13"},
		{"fmt.Sprint(twice())+fmt.Sprint(expr(in{4}))+fmt.Sprint(promoted(o), ptr(&i, 1))", "4 <nil>8 <nil>10 8"},
		{"func (i *in) Add(ns ...int) int { return -len(ns) }\nfunc (i in) Twice() (int, error) { return 3, io.EOF }\nfunc (o out) Name(s string) string { return s + s }", ""},
		{"f() + fmt.Sprint(add(1), of([]int{1, 2}...), name(\"z\"), sum(1))", "3 3 0 -2xxyy-1 -2zz-2"},
		{"fmt.Sprint(twice())+fmt.Sprint(expr(in{4}))+fmt.Sprint(ptr(&i, 1))", "3 EOF3 EOF-1"},
		{"func (i in) String() string { return \"in\" }", ""}, {"f() + fmt.Sprint(add(), i)", "3 3 0 -2xxyy0 in"},
	}},
	{"of types that methods of interfaces without a name mention", []step{
		{"type A int\ntype H struct{ n int }\nfunc (h H) Handle(a A) (A, error) { return a + A(h.n), nil }\ntype B struct{ h interface{ Handle(A) (A, error) }; n int }\nvar b, empty = B{h: H{1}, n: 7}, &B{n: 8}\ntype S struct{ n int }\nfunc (s S) Next() S { return S{s.n + 1} }\nvar next interface{ Next() S } = S{1}\nlist := map[string]interface{ Next() S }{\"a\": S{2}}\nc := make(chan interface{ Handle(A) (A, error) }, 1)\nc <- H{3}", ""},
		{"func (a A) String() string { return fmt.Sprint(\"a\", int(a)) }", ""}, {"func (s S) String() string { return fmt.Sprint(\"s\", s.n) }", ""},
		{"x, _ := b.h.Handle(1)\ny, _ := (<-c).Handle(1)\nfmt.Sprint(x, y, b.n, empty.n, empty.h, next.Next(), list[\"a\"].Next())", "a2 a4 7 8 <nil> s2 s3"},
	}},
	{"called by init functions", []step{
		{"func early() int { return later.get() }", "? early uses later"}, {"ran := 0\nfunc init() { ran = early() }", "! undefined: later (early uses later, which no cell has declared yet)"},
		{"type T int\nvar later = T(5)", "? early calls T.get"}, {"ran := 0\nfunc init() { ran = early() }", "! early calls T.get, which no cell has declared yet"}, {"func (t T) get() int { return int(t) }", ""}, {"ran := 0\nfunc init() { ran = early() }", ""}, {"ran", "5"},
	}},
	{"that satisfy constraints in declarations that wait for them", []step{
		{"type unit interface{ comparable; Name() string; Size() int }\ntype of[U unit] struct{ n int; u U }\nfunc (o of[U]) String() string { return fmt.Sprint(o.n, o.u.Name()) }", ""}, {"type length uint8", ""},
		{"type dist = of[length]", "? dist uses length.Name"}, {"type trip struct{ legs []of[length] }", "? trip uses length.Name"}, {"func sum(ds ...of[length]) (all of[length]) { for _, d := range ds { all.n += d.n * d.u.Size() }; return all }", "? sum uses length.Name"},
		{"func (l length) Name() string { return \"m\" }", "? dist uses length.Size"}, {"func (l length) Size() int { return int(l) }\ntype way of[length]", ""},
		{"fmt.Sprint(dist{2, 3}, trip{[]dist{{1, 1}}}, sum(dist{2, 3}, dist{1, 4}), way{5, 6}.n)", "2m {[{1 1}]} 10m 5"},
		{"type wrong int\nfunc (w wrong) Name() int { return 1 }", ""}, {"func (w wrong) Size() int { return 1 }\ntype bad of[wrong]", "! wrong type for method Name"},
	}},
	{"of generic types, and generic functions, that wait for a function", []step{
		{"func side(b bool) int { if b { return right }; return left }", "? side uses right and left"},
		{"type node[K cmp.Ordered] struct{ k K; kids [2]*node[K] }\nfunc (n *node[K]) next(k K) *node[K] { return n.kids[side(n.k < k)] }", "? (*node).next calls side, which waits for right"},
		{"func turn[T any](xs []T, b bool) T { return xs[side(b)] }", "? turn calls side, which waits for right"}, {"func twice[T any](xs []T) []T { return []T{turn(xs, false), turn(xs, true)} }", "? twice calls turn, which waits for side"},
		{"root := &node[int]{k: 1}\nroot.kids[1] = &node[int]{k: 5}\nroot.k", "1"}, {"const ( left = iota; right )", ""}, {"fmt.Sprint(root.next(3).k, twice([]string{\"a\", \"b\"}), turn([]int{1, 2}, true))", "5 [a b] 2"},
		{"func side(b bool) int { return 0 }", ""}, {"fmt.Sprint(root.next(3) == nil, twice([]int{1, 2}))", "true [1 1]"},
	}},
	{"that wait for a function, of values in interfaces", []step{
		{"type T struct{ n int }\nfunc (t T) Value() int { return deep(t.n) }\nvar ts = []interface{ Value() int }{T{1}, &T{2}}", "? T.Value calls deep"}, {"func deep(n int) int { return n }", ""}, {"ts[0].Value() + ts[1].Value()", "3"},
	}},
	{"beside a generic function declared again, of which another type has an instance", []step{
		{"func first[T, K any](vs []T, key func(T) K) K { return key(vs[0]) }", ""}, {"type P struct{ x int }\nps := []P{{1}}", ""}, {"type R struct{ a, b int }\nr := &R{2, 3}", ""},
		{"func (p P) String() string { return \"p\" }", ""}, {"first(ps, P.String)", "p"},
		{"func first[T, K any](vs []T, key func(T) K) K { return key(vs[len(vs)-1]) }\nfunc (r *R) Area() int { return r.a * r.b }", ""}, {"fmt.Sprint(first(ps, P.String), r.Area())", "p6"},
	}},
	{"that recover, called by literals and as values", []step{
		{"type R struct{ log []string }\nfunc (r *R) Catch() { r.log = append(r.log, fmt.Sprint(recover())) }\nr := &R{}", ""}, {"call := func() { defer r.Catch(); panic(1) }\ncall()", ""}, {"catch := r.Catch\nfunc() { defer catch(); panic(2) }()\nfmt.Sprint(r.log)", "[1 2]"},
	}},
	{"that wait in two steps", []step{
		{"type T struct{ n int }\nfunc scale(n int) int { return both(n + 50) }", "? scale calls both"},
		{"func both(n int) int { return T{n}.n + deep(n%3) }\nfunc (t T) Value() int { return scale(t.n) }\nvar ts = []interface{ Value() int }{T{1}, &T{2}}", "? both calls deep"},
		{"func deep(n int) int { return n }", ""}, {"bound := T{3}.Value\nfmt.Sprint(ts[0].Value(), ts[1].Value(), bound())", "51 53 55"},
	}},
	{"of a generic stack", []step{
		{"type Stack[T any] struct{ items []T }", ""}, {"s := Stack[int]{}\nvar named Stack[string]\np := &s", ""},
		{"func (s *Stack[T]) Push(xs ...T) *Stack[T] { s.items = append(s.items, xs...); return s }", ""},
		{"func (s *Stack[E]) Pop() (top E, ok bool) {\n\tif len(s.items) == 0 { return }\n\ttop, s.items = s.items[len(s.items)-1], s.items[:len(s.items)-1]\n\treturn top, true\n}\nfunc (s Stack[_]) Len() int { return len(s.items) }", ""},
		{"s.Push(1, 2).Push(3)\nnamed.Push(\"a\")\nx, ok := s.Pop()\nfmt.Sprint(x, ok, s.Len(), p.Len(), named.Len(), s)", "3 true 2 2 1 {[1 2]}"},
		{"func (s Stack[T]) String() string { return fmt.Sprint(\"stack \", s.items) }", ""}, {"fmt.Sprint(s, named, []any{s, p}) + named.String()", "stack [1 2] stack [a] [stack [1 2] stack [1 2]]stack [a]"},
		{"func (s Stack[T]) String() string { return fmt.Sprint(\"again \", len(s.items)) }", ""}, {"fmt.Sprint(s, named, []any{s, p})", "again 2 again 1 [again 2 again 2]"},
		{"func (s Stack[T]) Len(n int) int { return n }", "! method Stack.Len has a different signature than before"},
		{"t := Stack[float64]{}\nt.Push(1.5)\nfmt.Sprint(t)", "again 1"},
	}},
	{"of generic types, in functions, values and interfaces of earlier cells", []step{
		{"type Pair[K comparable, V any] struct { Key K; Val V }\nfunc show[K comparable, V any](p Pair[K, V]) string { return fmt.Sprint(p, []any{p}) }\nfunc one() string { return show(Pair[string, int]{\"a\", 1}) }\nvar held any = Pair[int, bool]{1, true}\nset := map[any]int{Pair[int, bool]{1, true}: 7}\nf := func() string { return fmt.Sprint(Pair[int, int]{1, 2}) }", ""},
		{"one() + fmt.Sprint(held) + f()", "{a 1} [{a 1}]{1 true}{1 2}"},
		{"func (p Pair[K, V]) String() string { return fmt.Sprintf(\"%v=%v\", p.Key, p.Val) }", ""},
		{"one() + fmt.Sprint(held) + f()", "a=1 [a=1]1=true1=2"}, {"_, is := held.(fmt.Stringer)\nfmt.Sprint(is, held == any(Pair[int, bool]{1, true}), set[Pair[int, bool]{1, true}])", "true true 7"},
	}},
	{"of generic types with constraints", []step{
		{"type Num interface{ ~int | ~float64 }\ntype Vec[T Num] []T", ""}, {"func (v Vec[T]) Sum() (s T) { for _, x := range v { s += x }; return }\nfunc (v Vec[T]) Map(f func(T) T) Vec[T] { out := make(Vec[T], len(v)); for i, x := range v { out[i] = f(x) }; return out }", ""},
		{"Vec[int]{1, 2}.Map(func(x int) int { return 2 * x }).Sum()", "6"},
		{"type Tree[K cmp.Ordered] struct { key K; left, right *Tree[K] }", ""}, {"func (t *Tree[K]) Add(k K) *Tree[K] {\n\tswitch {\n\tcase t == nil: return &Tree[K]{key: k}\n\tcase k < t.key: t.left = t.left.Add(k)\n\tdefault: t.right = t.right.Add(k)\n\t}\n\treturn t\n}", ""},
		{"func (t *Tree[K]) All() iter.Seq[K] { return func(yield func(K) bool) { t.walk(yield) } }", "? note: (*Tree).All calls"}, {"func (t *Tree[K]) walk(yield func(K) bool) bool { return t == nil || t.left.walk(yield) && yield(t.key) && t.right.walk(yield) }", ""},
		{"var root *Tree[string]\nfor _, w := range strings.Fields(\"to be or not\") { root = root.Add(w) }\nslices.Collect(root.All())", "[be not or to]"},
	}},
	{"of generic types, that satisfy interfaces and constraints", []step{
		{"type Box[T any] struct{ v T }\ntype Sizer interface{ Size() int }", ""}, {"func total[S Sizer](all ...S) (n int) { for _, s := range all { n += s.Size() }; return }\nfunc sizers() []Sizer { return []Sizer{Box[int]{1}, &Box[string]{\"a\"}} }", "? sizers uses Box"},
		{"func (b Box[T]) Size() int { return len(fmt.Sprint(b.v)) }", ""}, {"fmt.Sprint(total(Box[int]{123}, Box[int]{4}), total(sizers()...))", "4 2"},
	}},
	{"of a generic type that is declared as it was", []step{
		{"type Box[T any] struct{ v T }\nfunc (b Box[T]) Get() T { return b.v }", ""}, {"b := Box[int]{1}\nfunc get(b Box[int]) int { return b.Get() }", ""}, {"type Box[T any] struct{ v T }\nfunc (b Box[T]) Get() T { return b.v }", ""}, {"get(b) + b.Get()", "2"},
	}},
	{"of a type that methods of interfaces mention", []step{
		{"type Ev int\ntype Sink interface{ Put(Ev) }\ntype mem struct{}\nfunc (mem) Put(Ev) {}\nvar s Sink = mem{}\nvar all = []Sink{mem{}, &mem{}}\nm := map[Sink]int{mem{}: 1}", ""}, {"func (e Ev) String() string { return \"ev\" }", ""}, {"s.Put(1)\nfmt.Sprint(s, len(all), len(m), m[mem{}])", "{} 2 1 1"},
		{"type Ctx struct{ n int }\ntype Handler interface{ Serve(*Ctx) (Ctx, error); Next() Handler }\ntype h struct{ name string }\nfunc (x *h) Serve(c *Ctx) (Ctx, error) { return *c, nil }\nfunc (x *h) Next() Handler { return x }\nroutes := map[string][]Handler{\"a\": {&h{\"x\"}}}\ntype Node interface{ Kids() []Node; Parent() *Tree }\ntype Tree struct{ kids []Node; ctx Ctx }\nfunc (t *Tree) Kids() []Node { return t.kids }\nfunc (t *Tree) Parent() *Tree { return t }\nroot := &Tree{kids: []Node{&Tree{}, &Tree{kids: []Node{&Tree{}}}}}\nvar w struct { Handler; n int }\nw.Handler = &h{\"w\"}\nvar f func(Handler) Handler = func(h Handler) Handler { return h.Next() }", ""},
		{"func (c *Ctx) String() string { return fmt.Sprint(\"ctx\", c.n) }", ""}, {"a, _ := routes[\"a\"][0].Serve(&Ctx{3})\nfmt.Sprint(&a, len(root.kids), len(root.kids[1].Kids()), root.Parent() == root, w.Next().(*h).name, f(w).(*h).name)", "ctx3 2 1 trueww"},
	}},
	{"again, of values that packages keep", []step{
		{"type S struct{}\nfunc (s *S) ServeHTTP(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, \"old\") }\nmux := http.NewServeMux()\nmux.Handle(\"/\", &S{})\nfunc get() string { w := httptest.NewRecorder(); mux.ServeHTTP(w, httptest.NewRequest(\"GET\", \"/\", nil)); return w.Body.String() }\nget()", "old"}, {"func (s *S) ServeHTTP(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, \"new\") }", ""}, {"get()", "new"},
	}},
	{"that wait for a function", []step{
		{"type P struct{}\nfunc show() string { return fmt.Sprint(P{}) }\nfunc (P) String() string { return later() }", "? P.String calls later"}, {"func later() string { return \"later\" }", ""}, {"show()", "later"},
	}},
}

// laterCompiledMethods are not for the interpreter.
var laterCompiledMethods = []course{
	{"of a type that functions in templates take", []step{
		{"type Role int\nt := template.Must(template.New(\"t\").Funcs(template.FuncMap{\"is\": func(r Role, n int) bool { return int(r) == n }}).Parse(\"{{is . 1}}\"))\nfunc text() string { var b strings.Builder; err := t.Execute(&b, Role(1)); return fmt.Sprint(b.String(), err) }\ntext()", "true<nil>"}, {"func (r Role) String() string { return \"R\" }", ""}, {"text()", "true<nil>"},
	}},
	{"that take a method from a value in an interface", []step{
		{"type A interface{ ID() int }\ntype Base struct{ id int }\nfunc (b Base) ID() int { return b.id }\ntype Dog struct{ Base }\nvar x A = Dog{Base{1}}", ""}, {"func (d *Dog) ID() int { return 0 }", "? note: x became empty when a type was compiled again: a value of type main.Dog, which does not implement main.A"}, {"x == nil", "true"},
	}},
}

// TestLaterMethods runs them interpreted, in which mode values and functions know methods by
// tables, and compiled.
func TestLaterMethods(t *testing.T) {
	for _, c := range laterMethods {
		t.Run(c.name, func(t *testing.T) { c.check(t, newNotebook(t)) })
	}
	for _, c := range slices.Concat(laterMethods, laterCompiledMethods) {
		t.Run("compiled/"+c.name, func(t *testing.T) { c.check(t, newWorkerNotebook(t, program.CompiledMode)) })
		t.Run("ahead/"+c.name, func(t *testing.T) {
			n := newWorkerNotebook(t, program.CompiledMode)
			n.ahead = true
			c.check(t, n)
		})
	}
}

// TestMethodsTooLate declares methods for which the interpreter cannot make what is there again. It
// refuses them by name, and goes on without them.
func TestMethodsTooLate(t *testing.T) {
	for _, c := range []course{
		{"", []step{
			{"type T int\nfunc g() string { text, _ := json.Marshal([]T{1}); return string(text) }", ""},
			{"func (T) MarshalJSON() ([]byte, error) { return []byte(\"7\"), nil }", "! json of a type of the session needs compiled cells"},
			{"func g() string { return \"none\" }", ""}, {"f := func() string { text, _ := json.Marshal(T(1)); return string(text) }", ""},
			{"func (T) MarshalJSON() ([]byte, error) { return []byte(\"7\"), nil }", "! method MarshalJSON of T: a function literal of an earlier cell encodes such values as JSON"},
			{"f() + g()", "1none"},
		}},
		{"", []step{
			{"type W struct{}\nfunc (W) Write(p []byte) (int, error) { return len(p), nil }\nvar w io.Writer = W{}", ""},
			{"func (W) WriteString(s string) (int, error) { return 1000, nil }", "! method WriteString of W: compiled code may have such a value as io.Writer"},
			{"func (W) Close() error { return nil }", ""}, {"n, _ := io.WriteString(w, \"abc\")\nn", "3"},
		}},
		{"", []step{
			{"type base struct{}\nfunc (base) Val() string { return \"b\" }\ntype D struct{ base }\nfunc use(d D) string { return d.Val() + \"!\" }", ""},
			{"func (D) Val() int { return 3 }", "? use keeps the older D.Val: invalid operation"}, {"fmt.Sprintln(use(D{}), D{}.Val())", "b! 3\n"},
		}},
	} {
		c.check(t, newNotebook(t))
	}
}

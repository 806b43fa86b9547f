package engine_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// A generator writes programs: what they all declare, and a function that each has beside it.
type generator struct {
	declarations string // from the package clause on
	function     func(seed uint64) string
	// inCell is how many programs stand in a cell. One that may end by a panic stands alone.
	inCell int
	// refused is told why a program is refused; it is nil if none may be.
	refused func(reason string)
}

// call is the call of the function of a program, as a statement.
func (generator) call(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 2))
	return fmt.Sprintf("fmt.Println(f%d(%d, %d, %q))", seed, r.IntN(200)-100, r.IntN(250), string(rune('a'+r.IntN(26))))
}

// program returns the whole of a program.
func (g generator) program(seed uint64) string {
	return g.declarations + g.function(seed) + "func main() {\n\t" + g.call(seed) + "\n}\n"
}

const recordTypes = `type Num int16

func (n Num) Twice() Num { return n * 2 }

type Rec struct {
	A int
	B uint8
	C [3]int32
	D []int64
	E map[string]int
	F float64
	P *Rec
}

func (r Rec) Sum() int { return r.A + int(r.B) + int(r.C[1]) + len(r.D) }

func (r *Rec) Add(n int) int {
	r.A += n
	r.B++
	r.C[n&1]--
	return r.A
}

`

// everything writes programs of all that Go has.
var everything = generator{
	declarations: "package main\n\nimport (\n\t\"cmp\"\n\t\"errors\"\n\t\"fmt\"\n\t\"iter\"\n\t\"slices\"\n\t\"strconv\"\n\t\"strings\"\n\t\"sync\"\n)\n\n" +
		"var _, _, _, _ = slices.Max[[]int], strconv.Itoa, strings.Repeat, new(sync.Mutex)\n" + declarations + recordTypes + "type Shape interface{ Sum() int }\n\n",
	function: func(seed uint64) string {
		w := &writer{Rand: rand.New(rand.NewPCG(seed, 0)), shapes: shapes}
		w.function(seed)
		return w.String()
	},
	inCell: 10,
}

// A writer writes a function: it knows which variables of which types there are.
type writer struct {
	strings.Builder
	*rand.Rand
	vars   map[string][]string
	fresh  int
	depth  int
	loops  int
	traces int
	shapes []string
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *writer) line(format string, args ...any) {
	w.printf("%s%s\n", strings.Repeat("\t", w.depth), fmt.Sprintf(format, args...))
}

var (
	integers = []string{"int", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "uint", "Num"}
	kinds    = append([]string{"float64", "float32", "string", "bool"}, integers...)
)

func (w *writer) pick(list ...string) string { return list[w.IntN(len(list))] }

func (w *writer) function(seed uint64) {
	w.vars = map[string][]string{"int": {"a"}, "uint8": {"b"}, "string": {"s"}}
	w.fresh = 0
	w.printf("func f%d(a int, b uint8, s string) (out string) {\n", seed)
	w.depth = 1
	w.line("defer func() {")
	w.line("\tif r := recover(); r != nil {")
	w.line("\t\tout += fmt.Sprint(\"!\", r)")
	w.line("\t}")
	w.line("}()")
	w.line("r := Rec{A: a, B: b, C: [3]int32{1, 2, 3}, D: []int64{4, 5}, E: map[string]int{s: 7}, F: 1.5}")
	w.line("q := &Rec{A: 2, D: make([]int64, 2, 5), E: map[string]int{}}")
	w.line("r.P = q")
	w.line("xs := []int{1, 2, 3, 4}")
	w.line("var arr [4]uint16")
	w.line("m := map[int]Rec{1: r}")
	w.line("recs := []Rec{r, *q}")
	w.line("_, _, _, _, _ = xs, arr, m, q, recs")
	w.line("var sh Shape = r")
	w.line("_ = sh")
	for _, kind := range kinds {
		w.declare(kind)
	}
	w.block(12)
	w.line("for _, k := range []int{1, 2, 3} {")
	w.line("\tout += fmt.Sprint(m[k].A, m[k].C, \" \")")
	w.line("}")
	w.line("out += fmt.Sprint(r.A, r.B, r.C, r.D, r.E, r.F, q.A, q.B, q.C, q.D, q.E, xs, arr, r.Sum(), len(xs), cap(q.D))")
	for _, kind := range kinds {
		for _, v := range w.vars[kind] {
			w.line("out += fmt.Sprint(\" \", %s)", v)
		}
	}
	w.line("return out")
	w.printf("}\n\n")
}

func (w *writer) declare(kind string) {
	w.fresh++
	name := fmt.Sprintf("v%d", w.fresh)
	w.line("var %s %s = %s", name, kind, w.expr(kind, 2))
	w.trace(name)
	w.vars[kind] = append(w.vars[kind], name)
}

// trace prints what a variable has become, so that the first difference names the statement.
func (w *writer) trace(place string) {
	w.traces++
	w.line("fmt.Println(%d, %s)", w.traces, place)
}

// block writes statements in a scope of their own.
func (w *writer) block(n int) {
	saved := map[string][]string{}
	for k, v := range w.vars {
		saved[k] = v[:len(v):len(v)]
	}
	for range n {
		w.statement()
	}
	w.vars = saved
}

func (w *writer) inner(n int) {
	w.depth++
	w.block(n)
	w.depth--
}

func (w *writer) statement() {
	kind := w.pick(kinds...)
	integer := w.pick(integers...)
	deep := w.depth > 3
	switch n := w.IntN(30); {
	case n < 4:
		place := w.place(kind)
		w.line("%s = %s", place, w.expr(kind, 3))
		w.trace(place)
	case n < 6:
		place := w.place(integer)
		w.line("%s %s= %s", place, w.pick("+", "-", "*", "&", "|", "^", "&^"), w.expr(integer, 2))
		w.trace(place)
	case n == 6:
		place := w.place(integer)
		w.line("%s %s= %s & 7", place, w.pick("<<", ">>"), w.expr(w.pick("uint8", "uint", "uint64"), 2))
		w.trace(place)
	case n == 7:
		place := w.place(integer)
		w.line("%s%s", place, w.pick("++", "--"))
		w.trace(place)
	case n == 8:
		w.declare(kind)
	case n == 9:
		a, b := w.place(kind), w.place(kind)
		w.line("%s, %s = %s, %s", a, b, w.expr(kind, 1), w.expr(kind, 1))
		w.trace(a)
		w.trace(b)
	case n == 10 && !deep:
		w.line("if %s {", w.expr("bool", 2))
		w.inner(2)
		w.line("} else {")
		w.inner(1)
		w.line("}")
	case n == 11 && !deep:
		w.loops++
		i := fmt.Sprintf("i%d", w.loops)
		w.line("for %s := range %d {", i, 1+w.IntN(4))
		w.loopBody("int", i)
		w.line("}")
	case n == 12 && !deep:
		w.loops++
		i, k := fmt.Sprintf("i%d", w.loops), w.pick("int", "uint8", "int64", "Num")
		w.line("for %s := %s(0); %s < %d; %s++ {", i, k, i, 1+w.IntN(5), i)
		w.loopBody(k, "")
		w.line("}")
	case n == 13 && !deep:
		w.loops++
		i := fmt.Sprintf("i%d", w.loops)
		over := w.pick("xs", "arr", "r.D", "r.C", "q.D")
		k := map[string]string{"xs": "int", "arr": "uint16", "r.D": "int64", "r.C": "int32", "q.D": "int64"}[over]
		w.line("for _, %s := range %s {", i, over)
		w.loopBody(k, i)
		w.line("}")
	case n == 14 && !deep:
		w.line("switch %s & 3 {", w.expr("int", 2))
		for c := range 3 {
			w.line("case %d:", c)
			w.inner(1)
			if c < 2 && w.IntN(4) == 0 {
				w.line("\tfallthrough")
			}
		}
		w.line("default:")
		w.inner(1)
		w.line("}")
	case n == 15 && !deep:
		w.line("func() {")
		if w.IntN(2) == 0 {
			w.line("\tdefer func(n int) { r.A += n }(%s)", w.expr("int", 1))
		}
		w.inner(2)
		w.line("}()")
	case n == 16:
		w.line("xs = append(xs[:%d], %s)", w.IntN(3), w.expr("int", 1))
	case n == 17:
		w.line("m[%d] = *q", w.IntN(4))
	case n == 18:
		w.line("r, *q = *q, r")
		w.line("r.P = q")
	case n == 19 && w.IntN(4) == 0:
		w.line("%s", w.pick("sh = r", "sh = *q", "sh = q"))
	case n == 19:
		w.line("%s", w.pick("r.Add(a & 3)", "q.Add(1)", "r.D = append(r.D, 9)", "q.D = append(q.D[:1], r.D...)", "copy(xs, xs[1:])", "{ arr2 := arr; arr2[1] = 9; arr[2] += arr2[1] }", "{ c := r.C; c[0] = 8; r.C[2] -= c[0] }"))
	case n == 20:
		w.line("out += fmt.Sprint(%s, \";\")", w.expr(kind, 2))
	default:
		w.shape()
	}
}

// shapes are statements in which {int}, {bool} and the like stand for expressions of a type, {=int}
// for what can be assigned to, {n} for a new name, and {m} for another.
var shapes = []string{
	"{n}, {m} := {int}, {string}\nfmt.Println({n}, {m})",
	"{n}, {m} := divmod({int}, {int})\nfmt.Println({n}, {m})",
	"{=int}, {=int} = divmod({int}, {int})",
	"fmt.Println(sum(divmod({int}, {int})))",
	"fmt.Println(sum(), sum({int}), sum({int}, {int}, {int}), sum(xs...))",
	"recs[{int}&1].A += {int}\nfmt.Println(recs[0].A, recs[1].A)",
	"recs[{int}&1].C[1] = {int32}\nfmt.Println(recs[0].C, recs[1].C)",
	"recs[1] = r\nrecs[1].B = {uint8}\nfmt.Println(recs[1].B, r.B)",
	"for i := range recs {\n\trecs[i].A++\n\trecs[i].Add({int} & 1)\n}\nfmt.Println(recs[0].A, recs[1].A)",
	"for _, {n} := range recs {\n\t{n}.A += 100\n\tfmt.Println({n}.A, {n}.Sum())\n}",
	"{n} := &recs[{int}&1]\n{n}.A, {n}.B = {int}, {uint8}\nfmt.Println(recs[0].A, recs[1].B)",
	"{n} := &xs[0]\n*{n} = {int}\n*{n}++\nfmt.Println(xs[0])",
	"{n} := r.Add\n{=int} = {n}({int}&3) + {n}(1)\nfmt.Println(r.A)",
	"{n} := (*Rec).Add\nfmt.Println({n}(q, {int}&3), q.A)",
	"{n} := {int}\n{m} := func(k int) int { {n} += k; return {n} }\nfmt.Println({m}(1), {m}({int}), {n})",
	"var {n} []func() int\nfor i := range 3 {\n\t{n} = append({n}, func() int { i++; return i + a })\n}\nfmt.Println({n}[0](), {n}[0](), {n}[2]())",
	"for i := 0; i < 3; i++ {\n\tdefer func(n int) { fmt.Println(\"deferred\", n, i, r.A) }({int})\n}",
	"func() {\n\tdefer fmt.Println(\"first\", {int})\n\tdefer func() { fmt.Println(recover() != nil) }()\n\tif {bool} {\n\t\tpanic({string})\n\t}\n}()",
	"{n} := map[string][]int{\"k\": {{int}}}\n{n}[s] = append({n}[s], {int}, {int})\n{n}[\"k\"][0]--\nfmt.Println({n})",
	"{n} := map[Key]int{{1, \"a\"}: {int}}\n{n}[Key{a & 1, s}]++\n{n}[Key{1, \"a\"}] *= 2\nfmt.Println(len({n}), {n}[Key{1, \"a\"}])",
	"if {n}, ok := r.E[{string}]; ok && {bool} {\n\tfmt.Println(\"found\", {n})\n} else {\n\tfmt.Println(\"none\", {n})\n}",
	"{n}:\nfor i := range 4 {\n\tfor j := range 3 {\n\t\tif i*j+{int}&1 > 2 {\n\t\t\tcontinue {n}\n\t\t}\n\t\tif {bool} && i > 1 {\n\t\t\tbreak {n}\n\t\t}\n\t\tfmt.Print(i, j, \" \")\n\t}\n}\nfmt.Println()",
	"switch {n} := any({int}).(type) {\ncase string:\n\tfmt.Println(\"string\", {n})\ncase int:\n\tfmt.Println(\"int\", {n}+1)\n}",
	"for _, {n} := range []any{{int}, {uint8}, {string}, {bool}, {Num}, r.C, nil, q == nil, sh, {float64}} {\n\tfmt.Println(kind({n}))\n}",
	"switch {\ncase {bool}:\n\tfmt.Println(1)\n\tfallthrough\ncase {bool}:\n\tfmt.Println(2)\ncase {bool}:\n\tfmt.Println(3)\ndefault:\n\tfmt.Println(4)\n}",
	"switch {string} {\ncase \"a\", s:\n\tfmt.Println(\"s\")\ncase {string}:\n\tfmt.Println(\"other\")\n}",
	"for i, c := range {string} + \"é!\" {\n\tfmt.Print(i, string(c), c, \" \")\n}\nfmt.Println()",
	"{n} := []byte({string} + \"xyz\")\n{n}[0] ^= 32\ncopy({n}[1:], {string})\nfmt.Println(string({n}), len({n}))",
	"{n} := []rune({string} + \"äö\")\nslices.Reverse({n})\nfmt.Println(string({n}), {n})",
	"{n} := make(chan int, 3)\n{n} <- {int}\n{n} <- {int}\nclose({n})\nfor v := range {n} {\n\tfmt.Println(v)\n}",
	"{n} := make(chan int, 1)\nselect {\ncase {n} <- {int}:\n\tfmt.Println(\"sent\", len({n}))\ndefault:\n\tfmt.Println(\"full\")\n}\nfmt.Println(<-{n})",
	"{n} := make(chan int)\ngo func() {\n\tdefer close({n})\n\tfor i := range 3 {\n\t\t{n} <- i * 2\n\t}\n}()\nfor v := range {n} {\n\t{=int} += v\n}",
	"{n} := [2][3]int{{1, 2}, {{int}}}\n{m} := {n}\n{m}[1][0]++\n{n}[0] = {m}[1]\nfmt.Println({n}, {m}, {n} == {m})",
	"{n} := struct {\n\tX int\n\tY Rec\n}{{int}, r}\n{n}.Y.A += {n}.X\n{n}.Y.C[0]--\nfmt.Println({n}.X, {n}.Y.A, {n}.Y.C, r.C)",
	"{n} := Outer{Rec: r, Name: {string}}\n{n}.Add({int} & 3)\n{n}.A *= 2\nfmt.Println({n}.A, {n}.Rec.A, {n}.Sum(), {n}.Name)",
	"{n} := &Outer{Rec: *q}\nsh = {n}\nfmt.Println(sh.Sum(), {n}.Rec.Sum())",
	"fmt.Println(apply(func(x int) int { return x*2 + a }, {int}, {int}))",
	"fmt.Println(total([]int{{int}, 1}), total([]float64{{float64}}), largest({int}, {int}), largest({string}, \"m\"))",
	"{n} := Pair[string, int]{{string}, {int}}\n{n}.Second++\nfmt.Println({n}, {n}.Swap())",
	"for {n} := range count({int} & 7) {\n\tif {n} == 5 {\n\t\tbreak\n\t}\n\tif {bool} {\n\t\tcontinue\n\t}\n\tfmt.Print({n}, \" \")\n}\nfmt.Println()",
	"if {n}, err := check({int}); err != nil {\n\tfmt.Println(err, errors.Is(err, errSmall))\n} else {\n\tfmt.Println({n})\n}",
	"{n} := fmt.Errorf(\"w %d: %w\", {int}, errSmall)\nfmt.Println({n}, errors.Unwrap({n}) == errSmall)",
	"var {n} *Rec\nif {bool} {\n\t{n} = q\n}\nif {n} != nil && {n}.A != 0 {\n\tfmt.Println({n}.Sum())\n} else {\n\tfmt.Println({n} == nil)\n}",
	"xs = append(xs, xs[:{int}&1]...)\nfmt.Println(xs, len(xs))",
	"{n} := xs[1:]\n{n}[0] = {int}\n{n} = append({n}[:1:1], 7)\nfmt.Println(xs, {n}, cap({n}) > 1)",
	"slices.SortFunc(xs, func(x, y int) int { return cmp.Compare(x&7, y&7)*8 + cmp.Compare(x, y) })\nfmt.Println(xs)",
	"{n} := {int}\n{ {n} := {n} + 1; {n}++; fmt.Println({n}) }\nfmt.Println({n})",
	"const {n} = 7\nfmt.Println({n}<<2, a+{n}, uint8({n})-b, float64({n})/2, {n}/2)",
	"goto {n}\n{n}:\nfmt.Println({int})",
	"r.E[{string}], r.A = {int}, r.A+1\nfmt.Println(len(r.E), r.A)",
	"delete(r.E, {string})\nfmt.Println(len(r.E))",
	"m[{int}&3] = Rec{A: {int}}\nfmt.Println(len(m), m[0].A+m[1].A)",
	"r.P, q = q, &Rec{A: {int}, D: []int64{1, 2}, E: map[string]int{}, P: &r}\nfmt.Println(r.P.A, q.P.A)",
	"fmt.Println(fib({int}&7), even({int}&15))",
	"fmt.Printf(\"%v %d %5.2f|%-4s|%q %x %t %T\\n\", {Num}, {uint8}, {float64}, {string}, {string}, {uint16}, {bool}, {int8})",
	"var {n} fmt.Stringer = Level({int} & 1)\nfmt.Println({n}, {n}.String(), []Level{1, 0}, map[Level]int{1: 2})",
	"fmt.Println(strings.Repeat({string}, {int}&3), strconv.Itoa({int}), strings.ToUpper({string}))",
	"{n} := [...]string{2: {string}, 0: \"z\"}\nfmt.Println(len({n}), {n})",
	"{n}, ok := any(sh).(*Outer)\nfmt.Println({n} != nil, ok)",
	"{n} := new(int)\n*{n} += {int}\n{m} := {n}\n*{m} <<= 1\nfmt.Println(*{n})",
	"func() {\n\tvar {n} = {int}\n\tfor {n} > 3 {\n\t\t{n} /= 3\n\t}\n\tfmt.Println({n})\n}()",
	"{n} := complex({float64}, 2)\nfmt.Println(real({n}*{n}), imag({n}))",
	"{n} := []Rec{{A: {int}}, r}\n{n}[0], {n}[1] = {n}[1], {n}[0]\nfmt.Println({n}[0].A, {n}[1].A)",
	"{n} := []*Rec{q, &r}\n{n}[1].A++\nfor _, p := range {n} {\n\tp.A--\n}\nfmt.Println(r.A, q.A)",
	"if len(xs) > 2 {\n\txs[0], xs[1], xs[2] = xs[2], {int}, xs[0]\n}\nfmt.Println(xs)",
	"{=int} = xs[0] + func() int { xs[0]++; return xs[0] }()",
	"var {n} any = {bool} && !{bool}\n{n} = !{n}.(bool)\nvar {m} any = {int}\n{m} = -{m}.(int)\n{m} = {m} == {n}\nfmt.Println({n}, {m})",
	"{n} := []any{{int}, !{bool}, -{float64}, fib, {Num}, {string} == s}\n{n}[0], {n}[1] = {n}[1] == {n}[5], {n}[0]\nfmt.Println({n}[0], {n}[1], {n}[2], {n}[3].(func(int) int)(3), {n}[4])",
	"fmt.Println(given(fib), given(even), given({bool}), given(divmod), given({Num}), given(nil))",
	"{n} := {float64} * 0\n{m} := -{n}\nfmt.Println(inverse({n}), inverse({m}), Vec{{m}, 1}.slope(), (&Vec{{n}, -1}).slope(), 1/max({n}, {m}))",
	"switch {n} := any(mixed({int}, r)).(type) {\ncase interface{ Sum() int }:\n\tfmt.Println(\"sum\", {n}.Sum() != 0)\ncase Num, int:\n\tfmt.Printf(\"%T %v\\n\", {n}, {n})\ncase fmt.Stringer:\n\tfmt.Println({n})\n}",
	"switch {n} := any({int}); {int} {\ncase {n}, 3:\n\tfmt.Println(\"same\")\ncase len(xs):\n\tfmt.Println(\"length\")\ndefault:\n\tfmt.Println({n})\n}",
	"func() {\n\tdefer func() { fmt.Println(recover()) }()\n\t{n} := map[any]int{1: {int}}\n\tif {bool} {\n\t\tdelete({n}, []int{1})\n\t}\n\t{n}[any(m)] = {int}\n\tfmt.Println({n})\n}()",
	"func() {\n\tdefer func() { fmt.Println(recover()) }()\n\tfmt.Println(xs[{int}&7])\n\tfmt.Println(xs[{int}&3 : {int}&7])\n\tfmt.Println(r.D[:{int}&3:{int}&3])\n}()",
	"func() {\n\tdefer func() { fmt.Println(recover()) }()\n\tvar {n} *Rec\n\tif {bool} {\n\t\t{n} = q\n\t}\n\txs[0] = {n}.A\n\tfmt.Println({n}.Add({int}&1), {n}.C[{int}&3])\n}()",
	"func() {\n\tdefer func() { fmt.Println(recover()) }()\n\tvar {n} any = {int}\n\tif {bool} {\n\t\t{n} = {Num}\n\t}\n\tfmt.Println({n}.(Num).Twice())\n}()",
	"for {n} := 0; {n} < 3; {n}++ {\n\tdefer func() { out += fmt.Sprint({n}) }()\n\t{n} := {n} * {int}\n\tfmt.Println({n})\n}",
	"var {n} []*int\nfor {m} := range 3 {\n\t{n} = append({n}, &{m})\n\tvar {m} = {m} + {int}\n\tfmt.Println({m})\n}\nfmt.Println(*{n}[0], *{n}[2])",
	"var {n} sync.WaitGroup\nvar {m} sync.Mutex\nfor i := range 4 {\n\t{n}.Go(func() {\n\t\t{m}.Lock()\n\t\tdefer {m}.Unlock()\n\t\tr.A += i * (a + 1)\n\t})\n}\n{n}.Wait()\nfmt.Println(r.A)",
	"{n} := Tree[int]{}\nfor _, v := range xs {\n\t{n}.insert(v)\n}\n{n}.insert({int})\nfor v := range {n}.all() {\n\tif v > {int} {\n\t\tbreak\n\t}\n\tfmt.Print(v, \" \")\n}\nfmt.Println()",
	"{n} := map[string]func(int) int{\"fib\": func(n int) int { return fib(n & 7) }, \"a\": func(n int) int { return n + a }}\nif f, ok := {n}[{string}]; ok {\n\tfmt.Println(f({int}))\n}\nfmt.Println({n}[\"a\"]({int}), len({n}))",
	"var {n} error = Fault({int} & 3)\n{m} := fmt.Errorf(\"in %s: %w\", {string}, {n})\nvar f Fault\nfmt.Println({m}, errors.As({m}, &f), f, errors.Is({m}, Fault(1)), {n} == Fault(1))",
	"{n}, {m} := {int}, {int}\n{n}, {m} = {m}, {n}\nxs[{n}&1], {n} = {n}, {m}\nfmt.Println({n}, {m}, xs[0], xs[1])",
	"{n} := [3]Vec{{float64(a), 1}, {2, {float64}}}\nfor i, v := range {n} {\n\t{n}[2].X += v.X\n\tfmt.Println(i, v == {n}[i], v)\n}",
	"fmt.Printf(\"%v %+v %T|%v\\n\", Vec{1, {float64}}, Key{{int}, s}, Pair[Num, []Level]{}, []any{Level(1), Fault({int} & 1), &Key{1, \"k\"} != nil})",
}

var declarations = `
type Key struct {
	N int
	S string
}

type Outer struct {
	Rec
	Name string
}

type Level int

func (l Level) String() string { return [...]string{"low", "high"}[l] }

type Pair[A, B any] struct {
	First  A
	Second B
}

func (p Pair[A, B]) Swap() Pair[B, A] { return Pair[B, A]{p.Second, p.First} }

var errSmall = errors.New("small")

func check(n int) (int, error) {
	if n < 10 {
		return 0, fmt.Errorf("check %d: %w", n, errSmall)
	}
	return n, nil
}

func divmod(a, b int) (q, r int) {
	defer func() {
		if recover() != nil {
			q, r = -1, a
		}
	}()
	return a / b, a % b
}

func sum(xs ...int) (n int) {
	for _, x := range xs {
		n += x
	}
	return
}

func apply(f func(int) int, xs ...int) []int {
	out := make([]int, 0, len(xs))
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}

func total[T int | float64](xs []T) (t T) {
	for _, x := range xs {
		t += x
	}
	return t
}

func largest[T cmp.Ordered](a, b T) T {
	if a > b {
		return a
	}
	return b
}

func count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func kind(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case int, uint8:
		return fmt.Sprint("number ", v)
	case Num:
		return fmt.Sprint("Num ", v.Twice())
	case string:
		return "string " + v
	case Shape:
		return fmt.Sprint("Shape ", v.Sum())
	case bool:
		return fmt.Sprint(!v)
	}
	return fmt.Sprintf("%T %v", v, v)
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func even(n int) bool { return n == 0 || odd(n-1) }

func odd(n int) bool { return n != 0 && even(n-1) }

type Vec struct{ X, Y float64 }

func (v Vec) slope() float64 { return v.Y / v.X }

func inverse(x float64) float64 { return 1 / x }

type Fault uint8

func (f Fault) Error() string { return fmt.Sprintf("fault %d", uint8(f)) }

func given(v any) string {
	switch v := v.(type) {
	case func(int) int:
		return fmt.Sprint("function ", v(4))
	case func(int) bool:
		return fmt.Sprint("predicate ", v(4))
	case bool, Num:
		return fmt.Sprintf("%T %v", v, v)
	}
	return fmt.Sprintf("%T", v)
}

func mixed(n int, r Rec) any {
	switch n & 3 {
	case 0:
		return n
	case 1:
		return Num(n)
	case 2:
		return &r
	}
	return Level(n & 1)
}

type Tree[T cmp.Ordered] struct {
	left, right *Tree[T]
	value       T
	full        bool
}

func (t *Tree[T]) insert(v T) {
	switch {
	case !t.full:
		t.value, t.full = v, true
	case v < t.value:
		if t.left == nil {
			t.left = &Tree[T]{}
		}
		t.left.insert(v)
	default:
		if t.right == nil {
			t.right = &Tree[T]{}
		}
		t.right.insert(v)
	}
}

func (t *Tree[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) { t.push(yield) }
}

func (t *Tree[T]) push(yield func(T) bool) bool {
	return t == nil || !t.full || t.left.push(yield) && yield(t.value) && t.right.push(yield)
}

`

var hole = regexp.MustCompile(`{(n|m|=?(?:` + strings.Join(kinds, "|") + `))}`)

// shape writes one of the shapes, in a block of its own.
func (w *writer) shape() {
	shape := w.shapes[w.IntN(len(w.shapes))]
	w.fresh += 2
	text := hole.ReplaceAllStringFunc(shape, func(h string) string {
		kind := h[1 : len(h)-1]
		switch {
		case kind == "n":
			return fmt.Sprintf("n%d", w.fresh)
		case kind == "m":
			return fmt.Sprintf("n%d", w.fresh-1)
		case kind[0] == '=':
			return w.place(kind[1:])
		}
		return w.expr(kind, 2)
	})
	w.line("{")
	w.depth++
	for line := range strings.Lines(text) {
		w.line("%s", strings.TrimSuffix(line, "\n"))
	}
	w.depth--
	w.line("}")
}

// loopBody writes the body of a loop, in which its variable may be read.
func (w *writer) loopBody(kind, name string) {
	saved := w.vars[kind]
	if name != "" {
		w.line("\t_ = %s", name)
		w.vars[kind] = append(saved[:len(saved):len(saved)], name)
	}
	w.inner(2)
	if w.IntN(3) == 0 {
		w.line("\tif %s {", w.expr("bool", 1))
		w.line("\t\t%s", w.pick("break", "continue"))
		w.line("\t}")
	}
	w.vars[kind] = saved
}

// place writes what can be assigned to.
func (w *writer) place(kind string) string {
	places := append([]string(nil), w.vars[kind]...)
	switch kind {
	case "int":
		places = append(places, "r.A", "q.A", "r.P.A", "xs[a&1]", "r.E[s]", "q.E[\"k\"]", "*&r.A")
	case "uint8":
		places = append(places, "r.B", "q.B", "b")
	case "int32":
		places = append(places, "r.C[a&1]", "q.C[2]", "(&r).C[b&1]")
	case "int64":
		places = append(places, "r.D[0]", "q.D[0]")
	case "uint16":
		places = append(places, "arr[b&3]", "arr[1]")
	case "float64":
		places = append(places, "r.F", "q.F")
	}
	return w.pick(places...)
}

// expr writes an expression of a type, which is never a constant.
func (w *writer) expr(kind string, depth int) string {
	vars := w.vars[kind]
	if len(vars) == 0 {
		vars = []string{kind + "(a)"}
		if kind == "bool" {
			vars = []string{"(a > 3)"}
		}
	}
	if depth == 0 {
		if w.IntN(4) == 0 {
			return w.reading(kind, w.pick(vars...))
		}
		return w.pick(vars...)
	}
	sub := func() string { return w.expr(kind, depth-1) }
	switch kind {
	case "bool":
		k := w.pick(kinds...)
		switch n := w.IntN(5); {
		case n == 0:
			return "(" + sub() + w.pick(" && ", " || ", " != ") + sub() + ")"
		case n == 1:
			return "!" + sub()
		case k == "bool":
			return sub()
		}
		return "(" + w.expr(k, depth-1) + w.pick(" < ", " <= ", " == ", " != ", " > ") + w.expr(k, depth-1) + ")"
	case "string":
		switch w.IntN(4) {
		case 0:
			integer := w.pick(integers...)
			return "fmt.Sprint(" + w.expr(integer, depth-1) + ")"
		case 1:
			return "string([]byte{'a' + " + w.expr("uint8", depth-1) + "%26})"
		case 2:
			return "(" + sub() + ")[:0]"
		}
		return "(s + " + w.pick(vars...) + "[:min(3, len(" + w.pick(vars...) + "), len(s))])"
	case "float64", "float32":
		switch w.IntN(4) {
		case 0:
			return kind + "(" + w.expr(w.pick("int8", "uint8", "int16"), depth-1) + ")"
		case 1:
			return "(-(" + sub() + "))"
		}
		return "(" + sub() + w.pick(" + ", " - ") + sub() + ")"
	}
	switch w.IntN(9) {
	case 0:
		return kind + "(" + w.expr(w.pick(integers...), depth-1) + ")"
	case 1:
		return "(" + sub() + " << (" + w.expr(w.pick("uint8", "uint16", "uint"), depth-1) + " & 15))"
	case 2:
		return "(" + sub() + " >> (" + w.expr(w.pick("uint8", "uint32", "uint64"), depth-1) + " & 15))"
	case 3:
		return "(" + sub() + w.pick(" / ", " % ") + "(" + sub() + " | 1))"
	case 4:
		return "(" + w.pick("-", "^", "+") + "(" + sub() + "))"
	case 5:
		return w.pick("min", "max") + "(" + sub() + ", " + sub() + ")"
	case 6:
		return "(" + sub() + w.pick(" + ", " - ", " * ") + w.constant(kind) + ")"
	}
	return "(" + sub() + w.pick(" + ", " - ", " * ", " & ", " | ", " ^ ", " &^ ") + sub() + ")"
}

// reading writes an expression that reads something bigger than a variable.
func (w *writer) reading(kind, otherwise string) string {
	switch kind {
	case "int":
		return w.pick("r.Sum()", "q.Sum()", "sh.Sum()", "xs[len(xs)-1]", "m[1].A", "r.P.A", "len(s)", "len(m)", "r.E[s]", "func() int { return a + r.A }()", "(*q).A", "[]int{a, 2}[a&1]", "map[bool]int{true: a}[a > 0]", "int(s[0]|1)", "(func(n int) int { return n &^ 1 })(a)", "Rec.Sum(r)", "(*Rec).Sum(q)")
	case "int32":
		return w.pick("r.C[0]", "q.C[a&1]", "[2]int32{1, 2}[b&1]", "m[2].C[1]")
	case "uint8":
		return w.pick("r.B", "m[1].B", "s[0]", "q.P.B", "b")
	case "Num":
		return otherwise + ".Twice()"
	case "bool":
		return w.pick("(r.P == q)", "(q.P != nil)", "(r.C == q.C)", "(sh != nil)", "(s == \"a\")", "(len(xs) > 2)")
	case "float64":
		return w.pick("r.F", "q.F", "float64(len(xs))")
	case "int64":
		return w.pick("r.D[0]", "q.D[len(q.D)-1]", "int64(len(r.D))")
	}
	return otherwise
}

func (w *writer) constant(kind string) string {
	switch kind {
	case "string":
		return `"k"`
	case "float64", "float32":
		return "2.5"
	}
	return fmt.Sprint(1 + w.IntN(100))
}

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/toolchain"
	"github.com/hierml/notebook/kernel/internal/compiled/emit"
	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestConstantsOfMovedTypes declares methods after the constants of their type.
func TestConstantsOfMovedTypes(t *testing.T) {
	compiled := newWorkerNotebook(t, program.CompiledMode)
	for _, c := range movedConstants {
		t.Run(c.name, func(t *testing.T) {
			c.check(t, compiled)
			c.check(t, newNotebook(t))
		})
	}
}

// Each course has names of its own, so that all can run in one session.
var movedConstants = []course{
	{"a switch over an enum of another cell", []step{
		{"type Color int\nconst ( Red Color = iota; Green )", ""},
		{"func (c Color) String() string { switch c { case Red: return \"red\"; case Green: return \"green\" }; return \"?\" }", ""},
		{"var c Color = Green\nfmt.Sprint(Red, Green, Color(7), c == Green)", "red green ? true"}, {"Red", "red"},
	}},
	{"type, constant and method in three cells", []step{
		{"type Size float64", ""}, {"const KB Size = 1024", ""},
		{"func (s Size) String() string { if s >= KB { return fmt.Sprint(\"big \", float64(s/KB)) }; return \"small\" }", ""},
		{"fmt.Sprint(KB, Size(3), KB*2)", "big 1 small big 2"},
	}},
	{"a method that does not name the constant", []step{
		{"type Lvl int\nconst Hi Lvl = 3", ""}, {"func (l Lvl) String() string { return strings.Repeat(\"*\", int(l)) }", ""},
		{"x := Hi\nx == Lvl(3)", "true"}, {"func isHi(l Lvl) bool { return l == Hi }\nisHi(3)", "true"},
	}},
	{"map literals, generic functions and array sizes", []step{
		{"type Day int\nconst ( Sat Day = iota + 6; Sun )\ntype Named interface{ ~int; String() string }", ""},
		{"func (d Day) String() string { return map[Day]string{Sat: \"sat\", Sun: \"sun\"}[d] }\nfunc show[T Named](xs ...T) (s string) { for _, x := range xs { s += x.String() }; return }", ""},
		{"show(Sat, Sun, Day(6))", "satsunsat"}, {"arr := [Sun]int{}\nlen(arr)", "7"},
	}},
	{"several methods, one after the other", []step{
		{"type Kind uint8\nconst ( KindA Kind = 1 << iota; KindB; KindC; All = KindA | KindB | KindC )", ""},
		{"func (k Kind) Has(o Kind) bool { return k&o == o }", ""}, {"[]bool{All.Has(KindB), KindA.Has(KindC)}", "[true false]"},
		{"func (k Kind) String() string { var s []string; for i, n := range []string{\"A\", \"B\", \"C\"} { if k.Has(KindA << i) { s = append(s, n) } }; return strings.Join(s, \"|\") }", ""},
		{"fmt.Sprint(All, KindA, KindB|KindC)", "A|B|C A B|C"},
		{"func (k Kind) String() string { return \"K\" + strconv.Itoa(int(k)) }", ""}, {"fmt.Sprint(All, KindA == Kind(1), KindB)", "K7 true K2"},
	}},
	{"errors that are constants", []step{
		{"type Code int\nconst ( NotFound Code = 404; Gone Code = 410 )\nvar texts = map[Code]string{NotFound: \"not found\"}", ""},
		{"func (c Code) Error() string { return texts[c] }\nfunc find() error { return fmt.Errorf(\"find: %w\", NotFound) }", ""},
		{"failure := find()\nvar code Code\n[]any{failure.Error(), errors.Is(failure, NotFound), errors.Is(failure, Gone), errors.As(failure, &code), code == NotFound}", "[find: not found true false true true]"},
		{"failures := map[error]bool{NotFound: true}", ""}, {"func (c Code) Temporary() bool { return c == Gone }", ""},
		{"var other Code\n[]any{errors.Is(failure, NotFound), errors.As(failure, &other), failures[NotFound], failures[Gone], code.Temporary(), Gone.Temporary()}", "[true true true false false true]"},
		{"failures[NotFound] = false\nlen(failures)", "1"},
	}},
	{"functions of earlier cells", []step{
		{"type Ink int\nconst Black Ink = 1\nfunc isBlack(c Ink) bool { return c == Black }", ""}, {"func (c Ink) Next() Ink { return c + 1 }", ""},
		{"isBlack(1)", "true"}, {"fmt.Sprint(Black.Next(), isBlack(Black))", "2 true"},
	}},
	{"strings, in switches and maps of functions", []step{
		{"type Op string\nconst ( Plus Op = \"+\"; Minus Op = \"-\" )\nfunc eval(o Op, a, b int) int { switch o { case Plus: return a + b; case Minus: return a - b }; return 0 }\n" +
			"var ops = map[Op]func(a, b int) int{Plus: func(a, b int) int { return a + b }, Minus: func(a, b int) int { return a - b }}", ""},
		{"func (o Op) Apply(a, b int) int { return eval(o, a, b) }", ""}, {"fmt.Sprint(Op(\"-\").Apply(5, 3), Plus.Apply(1, 1), ops[Minus](7, 4), len(ops))", "2 2 3 2"},
	}},
	{"array sizes in types and variables", []step{
		{"type Idx int\nconst N Idx = 3\ntype Row [N]float64\ntype Tab struct { rows [2]Row; by map[Idx]string }\nvar tab Tab", ""}, {"func (i Idx) Twice() Idx { return i * 2 }", ""},
		{"tab.by = map[Idx]string{N: \"n\"}\nfmt.Sprint(len(tab.rows[0]), tab.by[3], N.Twice())", "3n6"},
	}},
	{"constants of a type that had methods", []step{
		{"type Celsius float64\nfunc (c Celsius) F() float64 { return float64(c)*9/5 + 32 }", ""}, {"const Boil Celsius = 100", ""},
		{"func (c Celsius) K() float64 { return float64(c) + 273.15 }\nBoil.F()", "212"}, {"fmt.Sprint(Boil.K(), Celsius(1).K())", "373.15 274.15"},
	}},
	{"labels of literals", []step{
		{"type Act int\nconst ( Add Act = iota; Sub )\nvar acts = [...]string{Add: \"add\", Sub: \"sub\"}\nvar table = map[Act]func(a, b int) int{Add: func(a, b int) int { return a + b }, Sub: func(a, b int) int { return a - b }}", ""},
		{"func (o Act) String() string { return acts[o] }", ""}, {"fmt.Sprint(table[Sub](5, 3), \" \", Act(1))", "2 sub"},
		{"found := \"\"\nfor o := range table { if o == Sub { found = acts[Sub] } }\nfound", "sub"},
	}},
	{"constants that other cells compute", []step{
		{"type Temp float64\nconst Zero Temp = -273.15", ""}, {"const ( Ice = Zero + 273.15; Steam = Ice + 100 )", ""}, {"func (t Temp) F() Temp { return t*9/5 + 32 }\nSteam.F()", "212"},
		{"func (t Temp) String() string { return fmt.Sprintf(\"%.1f°\", float64(t)) }", ""}, {"fmt.Sprint([]Temp{Ice, Steam}, map[Temp]string{Steam: \"b\"}[100])", "[0.0° 100.0°]b"},
	}},
	{"aliases", []step{
		{"type Paint int\ntype P = Paint\nconst White P = 1\nconst Blue Paint = 2\nfunc white(c P) bool { return c == White }", ""}, {"func (c Paint) Name() string { if c == White { return \"white\" }; return \"blue\" }", ""},
		{"fmt.Sprint(White.Name(), Blue.Name(), white(Blue), white(White))", "whitebluefalse true"},
	}},
	{"generic types", []step{
		{"type Unit int\nconst ( M Unit = iota; KM )\ntype Q[T ~int] struct { V T; U Unit }\nfunc mk[T ~int](v T) Q[T] { return Q[T]{v, KM} }\nvar q = mk(5)\nvar qs = map[Unit]Q[Unit]{KM: {KM, M}}", ""},
		{"func (u Unit) String() string { return [...]string{\"m\", \"km\"}[u] }", ""}, {"fmt.Sprint(q, mk(KM), qs, q.U == KM)", "{5 km} {km km} map[km:{km m}] true"},
		{"func (u Unit) Base() bool { return u == M }", ""}, {"fmt.Sprint(q.U.Base(), mk(M).V.Base(), qs[KM].U.Base())", "false true true"},
	}},
	{"constants of instances", []step{
		{"type Num[T any] int\ntype Of struct{}\nconst One Num[string] = 1\nconst Two Num[Of] = 2\nfunc two(n Num[Of]) bool { return n == Two }", ""}, {"func (Of) M() int { return 1 }", ""}, {"fmt.Sprint(two(Two), Two, One)", "true 2 1"},
	}},
	{"names that hide", []step{
		{"type L int\nconst A L = 1\nfunc inner() (L, L) { const A L = 7; return A, L(1) }\nfunc param(A L) L { return A + 1 }", ""}, {"func (l L) String() string { return fmt.Sprint(\"L\", int(l)) }", ""},
		{"fmt.Sprint(inner())", "L7 L1"}, {"const A L = 2", ""}, {"fmt.Sprint(A, param(A))", "L2 L3"}, {"func (l L) Inc() L { return l + A }", ""}, {"fmt.Sprint(A.Inc(), param(A).Inc())", "L4 L5"},
	}},
	{"durations", []step{
		{"type Dur int64\nconst ( Ns Dur = 1; Us = 1000 * Ns; Ms = 1000 * Us; S = 1000 * Ms )\nfunc wait(d Dur) Dur { return d * 2 }\nvar timeout = 3 * S", ""},
		{"func (d Dur) Seconds() float64 { return float64(d) / float64(S) }", ""}, {"const Min = 60 * S", ""}, {"func (d Dur) String() string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + \"s\" }", ""},
		{"fmt.Sprint(Min, timeout, wait(Min), 1500*Ms, timeout > S)", "60s 3s 120s 1.5s true"},
	}},
	{"runes, truth values, complex and large numbers", []step{
		{"type R rune\ntype B bool\ntype Z complex128\ntype U uint64\nconst ( r R = 'x'; yes B = true; no B = !yes; z Z = 2 + 3i; big U = 1<<64 - 1 )", ""},
		{"func (r R) Q() string { return strconv.QuoteRune(rune(r)) }\nfunc (b B) Not() B { return !b }\nfunc (z Z) Im() float64 { return imag(z) }\nfunc (u U) Hex() string { return fmt.Sprintf(\"%x\", uint64(u)) }", ""},
		{"fmt.Sprint(r.Q(), yes.Not() == no, z.Im(), big.Hex())", "'x'true 3ffffffffffffffff"},
	}},
	{"method values and embedding", []step{
		{"type W int\nconst Mon W = 1\ntype Date struct { W; n int }\nvar date = Date{Mon, 2}", ""}, {"func (w W) Next() W { return w + 1 }", ""}, {"next := Mon.Next\nfmt.Sprint(next(), W.Next(Mon), date.Next(), date.W == Mon)", "2 2 2 true"},
	}},
	{"what a cell showed", []step{
		{"type Sh int\nconst Shown Sh = 1\nShown", "1"}, {"func (s Sh) String() string { return \"s\" + strconv.Itoa(int(s)) }", ""}, {"_ == Shown", "true"}, {"Shown", "s1"},
	}},
	{"a cell of constants that runs twice", []step{
		{"type Heat float32", ""}, {"const Boil Heat = 100", ""}, {"const Boil Heat = 100", ""}, {"func (h Heat) Hot() bool { return h >= Boil }", ""}, {"fmt.Sprint(Boil.Hot(), Heat(3).Hot(), Boil == 100)", "true false true"},
	}},
	{"one name twice", []step{
		{"type Hue int\nconst Pink Hue = 1\ntype T struct { C Hue }\nvar old = T{Pink}", ""}, {"type T struct { C Hue; n int }\nvar young = T{Pink, 1}", ""}, {"func (c Hue) String() string { return \"pink\" }", ""},
		{"fmt.Sprintf(\"%T %v %T %v\", old, old, young, young)", "main.T {pink} main.T {pink 1}"},
	}},
}

// TestConstantsInInterfaces compares constants with values that went into interfaces before the
// type had methods.
func TestConstantsInInterfaces(t *testing.T) {
	course{"", []step{
		{"type Suit int\nconst ( Clubs Suit = iota; Hearts )\nvar x any = Hearts\nvar list = []any{Clubs, Hearts, 1}\nvar m = map[any]string{Hearts: \"h\", 1: \"one\"}", ""},
		{"func (s Suit) String() string { return [...]string{\"clubs\", \"hearts\"}[s] }", ""}, {"fmt.Sprint(x, list, m[Hearts], m[1], x == Hearts, list[0] == Clubs)", "hearts [clubs hearts 1]honetrue true"},
		{"func pick(v any) string { switch v { case Hearts: return \"H\"; default: return \"?\" } }\npick(x)", "H"},
	}}.check(t, newWorkerNotebook(t, program.CompiledMode))
}

// TestPendingMethods gives types their methods before the bodies of these compile.
func TestPendingMethods(t *testing.T) {
	course{"", []step{
		{"type Shape interface { Area() float64 }\ntype Sq struct { s float64 }", ""}, {"func (s Sq) Area() float64 { return scale * s.s }", "? note: Sq.Area uses scale, which no cell has declared yet"},
		{"var shapes = []Shape{Sq{1}, Sq{2}}\nfunc total() (t float64) { for _, s := range shapes { t += s.Area() }; return }", ""}, {"total()", "! Sq.Area uses scale, which no cell has declared yet"},
		{"const scale = 2.0", ""}, {"total()", "6"},
		{"type T struct { n int }\nfunc (t *T) String() string { return helper(t.n) }\nvar s fmt.Stringer = &T{2}", "? (*T).String calls helper"}, {"func helper(n int) string { return fmt.Sprint(\"T\", n) }", ""}, {"fmt.Sprint(&T{1}, s)", "T1 T2"},
	}}.check(t, newWorkerNotebook(t, program.CompiledMode))
}

// A complainer is a compiler that refuses each unit for all names that the emission made in it.
type complainer struct {
	program.Compiler
	cell *int
}

var madeName = regexp.MustCompile(`[\pL\d]*` + emit.Mark + `[\pL\d]*(\.[\pL\d]+)?`)

func (c complainer) Build(_ context.Context, units []toolchain.Unit) (string, error) {
	names := []string{fmt.Sprintf("%q.T", units[0].Path)}
	names = append(names, madeName.FindAllString(units[0].Source, -1)...)
	return "", &toolchain.CompileError{Text: fmt.Sprintf("%s:1:1: cannot use %s", program.Cell{Number: *c.cell}.CompiledFile(), strings.Join(names, " as "))}
}

// TestUserNames has the compiler complain about every name that the emission makes.
func TestUserNames(t *testing.T) {
	cell := 0
	n := newWorkerNotebookWith(t, program.CompiledMode, func(c program.Compiler) program.Compiler { return complainer{c, &cell} })
	for _, p := range enginetest.Joined(archives(t)) {
		cell = n.cell + 1
		_, _, err := n.run(p.Source + "\nmain()")
		var failed *program.Error
		if !errors.As(err, &failed) || !strings.Contains(failed.Message, "cannot use T as ") {
			t.Errorf("%s: %v, want a complaint", p.Name, err)
		} else if said := failed.Message + strings.Join(failed.Traceback, "\n"); strings.Contains(said, emit.Mark) || strings.Contains(said, toolchain.Prefix) {
			t.Errorf("%s: %s", p.Name, said)
		}
	}
}

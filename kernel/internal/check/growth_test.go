package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// chain returns a line for each of n numbers, with # in place of the number and @ of the next.
func chain(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.NewReplacer("#", fmt.Sprint(i), "@", fmt.Sprint(i+1)).Replace(line) + "\n")
	}
	return b.String()
}

// TestGrowth checks cells whose declarations grow with a power of their number, which no machine has
// the memory or time for, and some that look like them.
func TestGrowth(t *testing.T) {
	const pair = "func pair[T any](x T) struct{ a, b T } { return struct{ a, b T }{x, x} }\nx0 := 1\n"
	const call, parts, deep, text, texts = "the type of this is made of more than 20000 types", "is made of more than 20000 types", "in each other more than 300 deep", "a constant string of more than 16 MiB", "have more than 128 MiB together"
	for _, c := range []struct{ cell, want string }{
		{"const a0 = \"x\"\n" + chain(40, "const a@ = a# + a#") + "len(a40)", text},
		{"func f() int {\nconst a0 = \"x\"\n" + chain(40, "const a@ = a# + (a#)") + "return len(a40)\n}", text},
		{"type S string\nconst a0 = S(\"x\")\n" + chain(40, "const a@ = S(string(a#) + string(a#))"), text},
		{"const (\na0 = \"x\"\n" + chain(40, "a@ = a# + a#") + ")", text},
		{"const a0 = \"x\"\n" + chain(21, "const a@ = a# + a#") + chain(100, "s# := a21 + \"#\""), texts},
		{"type t0 int\n" + chain(40, "type t@ struct{ a, b t# }"), parts},
		{"type t0 int\n" + chain(40, "type t@ [2]struct{ a, b t# }"), parts},
		{"type t0 struct{ m int }\ntype s0 t0\n" + chain(40, "type t@ struct{ t#; s# }\ntype s@ struct { t#; s# }"), parts},
		{"type t0 = int\n" + chain(40, "type t@ = struct{ a, b *t# }"), parts},
		{"type t0 = int\n" + chain(40, "type t@ = func(t#) t#"), parts},
		{"type P[A, B any] struct{ a *A; b *B }\ntype t0 = int\n" + chain(40, "type t@ = P[t#, t#]"), parts},
		{"type P0[T any] struct{ x T }\n" + chain(40, "type P@[T any] struct{ a P#[[]T]; b P#[*T] }"), parts},
		{"type P0[T any] struct{ x T }\n" + chain(40, "type P@[T any] struct{ a *P#[[]T]; b *P#[*T] }"), parts},
		{"type t0 int\n" + chain(400, "type t@ [2]t#"), deep},
		{"type t0 interface{ m() }\n" + chain(400, "type t@ interface{ t#; n#() }"), deep},
		{pair + chain(35, "x@ := pair(x#)"), call},
		{pair + chain(35, "var x@ = pair(x#)"), call},
		{pair + chain(35, "x@ := pair(x#)\ny# := x@.a\nx@ := pair(y#)"), call},
		{pair + "y := " + strings.Repeat("pair(", 35) + "x0" + strings.Repeat(")", 35), call},
		{pair + strings.Repeat("if x0 := pair(x0); true {\n", 35) + strings.Repeat("}", 35), call},
		{pair + "func f() {\nx0 := 1\n" + chain(35, "x@ := pair(x#)\n_ = x@") + "}", call},
		{pair + "type P[A, B any] struct{ a A; b B }\nfunc f(x P[" + strings.Repeat("P[int, int], ", 1) + "int]) {\nx0 := x\n" + chain(35, "if x@ := pair(x#); true {\nx# := x@") + strings.Repeat("}", 35) + "}", call},
		{pair + "func apply[A, B any](f func(A) B, x A) B { return f(x) }\n" + chain(35, "x@ := apply(pair, x#)"), call},
		{"func pair[S ~[]E, E any](x S) []struct{ a, b E } { return nil }\nx0 := []int{}\n" + chain(35, "x@ := pair(x#)"), call},
		{"type P[A, B any] struct{ a A; b B }\nfunc pair[T any](x T) P[T, T] { return P[T, T]{x, x} }\nx0 := 1\n" + chain(35, "x@ := pair(x#)"), call},
		{"type P[T any] struct{ v struct{ a, b T } }\nfunc in[T any](x T) (p P[T]) { return }\nx0 := 1\n" + chain(35, "x@ := in(x#.v)"), call},
		{"type P0[T any] struct{ x T }\n" + chain(35, "type P@[T any] struct{ x T }\nfunc (P#[T]) next() (p P@[struct{ a, b T }]) { return }") + "y := P0[int]{}" + strings.Repeat(".next()", 35), call},
		{"func two[T any](x T) (T, []T) { return x, nil }\nfunc join[A, B any](a A, b B) func(A) B { return nil }\nx0 := 1\n" + chain(35, "x@ := join(two(x#))"), call},

		{"func id[T any](x T) T { return x }\nx0 := struct{ a, b int }{}\n" + chain(300, "x@ := id(x#)"), ""},
		{"type list[T any] struct{ head, tail *node[T] }\ntype node[T any] struct{ next, last *node[T]; of *list[T]; v T }\nfunc (l list[T]) rest(n int) list[T] { return l }\n" +
			"func filter[T any](l list[T], f func(T) bool) list[T] { return l }\nfunc each[T, U any](l list[T], f func(T) U) (m list[U]) { return }\nx0 := list[int]{}\n" +
			chain(300, "x@ := each(filter(x#, func(int) bool { return true }).rest(1), func(x int) int { return x })"), ""},
		{"func group[K comparable, V any](xs []V, f func(V) K) map[K][]V { return nil }\nx0 := []int{}\n" + chain(100, "x@ := group(x#, func(x int) string { return \"\" })[\"\"]"), ""},
		{"x0 := map[string][]int{}\n" + chain(100, "x@ := maps.Collect(maps.All(x#))\ny# := slices.Collect(maps.Values(x@))\nz# := slices.Concat(y#, y#)"), ""},
		{"func swap[A, B any](a A, b B) (B, A) { return b, a }\n" + chain(300, "func f#(a, b int) int { a, b = swap(a, b); if a, b := swap(a, b); a > b { return a }; return b }"), ""},
		{"func swap[A, B any](a A, b B) (B, A) { return b, a }\n" + chain(100, "{\na, b := 1, \"\"\nif b, a := swap(a, b); a > 0 {\nf := func(a, b int) { b, a = swap(a, b) }\nf(len(b), a)\n}\n}"), ""},

		{"const a0 = 1\n" + chain(60, "const a@ = a# + a#"), ""},
		{"const a0 = \"x\"\n" + chain(20, "const a@ = a# + a#") + "len(a20)", ""},
		{"a0 := \"x\"\n" + chain(40, "a@ := a# + a#"), ""},
		{"const a0 = \"x\"\n" + chain(2000, "const a@ = a# + \"x\""), ""},
		{"type t0 int\n" + chain(2000, "type t@ struct{ a, b *t#; c []t#; f func(t#) t# }"), ""},
		{"type t0 int\n" + chain(200, "type t@ struct{ a t# }"), ""},
		{"type T struct{ l, r *T; s []T; m map[string]U }\ntype U struct{ t T; u *U }", ""},
		{"type T[K any] struct{ l, r *T[K]; u *U[K] }\ntype U[K any] struct{ t, s *T[K] }\nvar x T[int]", ""},
		{"type T struct{\n" + chain(30000, "f# int") + "}", ""},
	} {
		_, err := enginetest.NewSession().Check(program.Cell{Number: 1, Source: c.cell})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.100s\ngives %.300v, want an error with %q", c.cell, err, c.want)
		}
	}
}

// TestGrowthOfSession declares, cell after cell, what doubles what the cell before declared.
func TestGrowthOfSession(t *testing.T) {
	for _, c := range []struct{ first, next, want string }{
		{"const a0 = \"x\"", "const a@ = a# + a#", "a constant string of more than"},
		{"type t0 int", "type t@ struct{ a, b t# }", "is made of more than"},
		{"type t0 = int", "type t@ = struct{ a, b *t# }", "is made of more than"},
		{"func pair[T any](x T) struct{ a, b T } { return struct{ a, b T }{x, x} }\nx0 := 1", "x@ := pair(x#)", "the type of this is made of more than"},
		{"type B[T any] struct{ x T }\nfunc (B[T]) next(int) (p struct{ a, b T }) { return }\nfunc in[T any](x T) (b B[T]) { return }\nx0 := 1", "x@ := in(x#).next(1)", "the type of this is made of more than"},
		{"type P0[T any] struct{ x T }", "type P@[T any] struct{ a P#[[]T]; b P#[*T] }", "is made of more than"},
	} {
		session := enginetest.NewSession()
		_, err := session.Lower(program.Cell{Number: 1, Source: c.first})
		for i := 0; i < 40 && err == nil; i++ {
			_, err = session.Lower(program.Cell{Number: i + 2, Source: strings.NewReplacer("#", fmt.Sprint(i), "@", fmt.Sprint(i+1)).Replace(c.next)})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gives %.300v, want an error with %q", c.next, err, c.want)
		}
	}
}

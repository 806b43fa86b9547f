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
	const parts, deep, text, texts = "is made of more than 20000 types", "in each other more than 300 deep", "a constant string of more than 16 MiB", "have more than 128 MiB together"
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

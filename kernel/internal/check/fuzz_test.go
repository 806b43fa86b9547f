package check_test

import (
	"testing"
	"time"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// FuzzCheck parses and checks two cells, of which the second sees the first. Whatever they are,
// that ends and does not panic.
func FuzzCheck(f *testing.F) {
	for _, cells := range [][2]string{
		{"x := 1\nx + 1", "x = 2"},
		{"type T struct{ l, r *T }\nfunc (t T) sum() int { return 1 }", "T{}.sum()"},
		{"type P[A, B any] struct{ a *A; b []B }\ntype Q = P[int, P[string, int]]", "type R[T any] struct{ x P[T, *R[T]]; Q }"},
		{"const a = \"x\" + \"y\"\nconst (\nb = a + a\nc\nd = len(b)\n)", "const a = b + c\nvar t [len(a)]int"},
		{"func f() int { return g() }", "func g() int { return 1 }\nf()"},
		{"import \"strconv\"\nn := strconv.Atoi(\"1\")", "switch any(n).(type) { case int, P: }"},
		{"l: m: for { if true { goto l } else if x := 1; x > 0 { break m } }", "defer func() { recover() }()"},
		{"type I interface { ~int | string; m(); J }\ntype J interface { I }", "type A = []A\ntype B [unsafe.Sizeof(B{})]int"},
	} {
		f.Add(cells[0], cells[1])
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		const most = 2048
		if len(first) > most || len(second) > most {
			t.Skip("too long to be checked soon")
		}
		checkCells(first, second)
	})
}

// TestCheckSpoiled holds the same of cells that are spoiled.
func TestCheckSpoiled(t *testing.T) {
	first := ""
	for second := range enginetest.Spoiled(t, 1000, "../interpreted/lower/testdata/lowering/*.cells") {
		checkCells(first, second)
		first = second
	}
}

func checkCells(cells ...string) {
	ended := time.AfterFunc(time.Minute, func() { panic("the check does not end") })
	defer ended.Stop()
	session := enginetest.NewSession()
	for i, source := range cells {
		syntax.Completeness(source)
		// What does not check is refused with an error.
		_, _ = session.Lower(program.Cell{Number: i + 1, Source: source})
	}
}

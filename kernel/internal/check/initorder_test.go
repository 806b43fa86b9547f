package check_test

import (
	"strings"
	"testing"

	"github.com/hierml/notebook/kernel/internal/enginetest"
	"github.com/hierml/notebook/kernel/internal/program"
)

// TestInitializationCycles refuses, as Go does, variables of a package whose values need
// themselves, and nothing else.
func TestInitializationCycles(t *testing.T) {
	for _, c := range []struct{ cell, want string }{
		{"var x = f()\nfunc f() int { return x }", ":1:5: initialization cycle: x refers to f, f refers to x"},
		{"var a = g()\nfunc g() int { return b }\nvar b = f()\nfunc f() int { return a }", ":1:5: initialization cycle: a refers to g, g refers to b, b refers to f, f refers to a"},
		{"type T struct{}\nfunc (T) m() int { return x }\nvar x = T{}.m()", ":3:5: initialization cycle: x refers to m, m refers to x"},
		{"var p, q = two()\nfunc two() (int, int) { return 1, q }", ":1:5: initialization cycle: q refers to two, two refers to q"},
		{"var x = func() int { return g() }()\nfunc g() int { return f() }\nfunc f() int { if x > 0 { return g() }; return 0 }", "initialization cycle: x refers to g, g refers to f, f refers to x"},
		{"var x = f()\nfunc f() int { return y }\nvar y = 1", ""},
		{"func f(n int) int { if n == 0 { return 0 }; return g(n - 1) }\nfunc g(n int) int { return f(n) }\nvar x = f(3)", ""},
		{"var x int\nfunc f() int { return x }\nvar y = f()", ""},
		{"var x = 1\nx = f()\nfunc f() int { return x }", ""},
		{"x := f()\nfunc f() int { return 1 }\nvar y = x", ""},
	} {
		_, err := enginetest.NewSession().Check(program.Cell{Number: 1, Source: c.cell})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)) {
			t.Errorf("%s\ngives %v, want an error that ends in %q", c.cell, err, c.want)
		}
	}

	// A variable that is declared anew has a value.
	session := enginetest.NewSession()
	for n, cell := range []string{"var x = 1\nfunc f() int { return x }", "var x = f()", "var x = x + 1", "var x = g()\nfunc g() int { return x }"} {
		if _, err := session.Lower(program.Cell{Number: n + 1, Source: cell}); err != nil {
			t.Errorf("%s: %v", cell, err)
		}
	}
}
